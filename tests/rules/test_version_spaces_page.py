"""The examples of docs/version-spaces.md and docs/asking.md do what the pages say they do."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize(("page", "least"), [("version-spaces.md", 14), ("asking.md", 12)])
def test_the_examples_of_the_page_are_true(page: str, least: int) -> None:
    result = doctest.testfile(str(DOCS / page), module_relative=False, encoding="utf-8")
    assert result.attempted >= least and result.failed == 0
