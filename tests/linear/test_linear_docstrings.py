"""The examples in the documentation of the linear learners do what they say."""

from __future__ import annotations

import doctest

import pytest

from acumen.linear import basis_learners, learners, principal_components, regressors


@pytest.mark.parametrize(
    "module",
    [learners, regressors, basis_learners, principal_components],
    ids=lambda module: module.__name__,
)
def test_documented_examples_are_true(module):
    result = doctest.testmod(module)
    assert result.attempted > 0 and result.failed == 0
