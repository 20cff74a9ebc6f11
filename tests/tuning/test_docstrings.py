"""The examples in the documentation of the room's public names do what they say."""

from __future__ import annotations

import doctest
from types import ModuleType

import pytest

from acumen.imputation import completer, completion
from acumen.labelling import self_training
from acumen.tuning import filter, ranking, tuned, wrapper


@pytest.mark.parametrize(
    "module",
    [tuned, ranking, filter, wrapper, completion, completer, self_training],
    ids=lambda module: module.__name__,
)
def test_documented_examples_are_true(module: ModuleType) -> None:
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0
