"""The examples in the documentation of the linear classifiers do what they say."""

from __future__ import annotations

import doctest

from acumen.linear import learners


def test_documented_examples_are_true():
    result = doctest.testmod(learners)
    assert result.attempted > 0 and result.failed == 0
