"""The examples in the documentation of the public names do what they say."""

from __future__ import annotations

import doctest
from types import ModuleType

import pytest

from acumen.discriminant import learners as discriminants
from acumen.linear import classifiers


@pytest.mark.parametrize("module", [discriminants, classifiers], ids=lambda module: module.__name__)
def test_documented_examples_are_true(module: ModuleType) -> None:
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0
