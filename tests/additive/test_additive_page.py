"""The examples of docs/additive.md and of the docstrings do what they say."""

from __future__ import annotations

import doctest
from pathlib import Path

from acumen.additive import learners

PAGE = Path(__file__).resolve().parents[2] / "docs" / "additive.md"


def test_the_examples_of_the_page_are_true() -> None:
    result = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert result.attempted > 12
    assert result.failed == 0


def test_the_docstrings_are_true() -> None:
    result = doctest.testmod(learners)
    assert result.attempted and result.failed == 0
