"""The examples of docs/ensembles.md do what the page says they do."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

from acumen.assessment import stability
from acumen.ensembles import bagging, boosting, forests, gradients, stacking

PAGE = Path(__file__).resolve().parents[2] / "docs" / "ensembles.md"


def test_the_examples_of_the_page_are_true() -> None:
    result = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert result.attempted > 15
    assert result.failed == 0


@pytest.mark.parametrize(
    "module", [bagging, boosting, forests, gradients, stacking, stability], ids=lambda m: m.__name__
)
def test_the_docstrings_are_true(module: object) -> None:
    result = doctest.testmod(module)  # type: ignore[arg-type]
    assert result.attempted and result.failed == 0
