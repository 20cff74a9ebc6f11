"""The examples in the documentation of the family's public names do what they say."""

from __future__ import annotations

import doctest
from types import ModuleType

import pytest

from acumen.bayes import estimate, learners, normal_posteriors


@pytest.mark.parametrize(
    "module", [estimate, learners, normal_posteriors], ids=lambda module: module.__name__
)
def test_documented_examples_are_true(module: ModuleType) -> None:
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0
