"""The examples of docs/associations.md and of the docstrings do what they say."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "associations.md"


def test_the_examples_of_the_page_are_true() -> None:
    result = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert result.attempted > 15 and result.failed == 0


@pytest.mark.parametrize("module", ["mine", "rules", "learners", "recommend", "features"])
def test_the_examples_of_the_docstrings_are_true(module: str) -> None:
    result = doctest.testmod(importlib.import_module(f"acumen.associations.{module}"))
    assert result.attempted > 1 and result.failed == 0
