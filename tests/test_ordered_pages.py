"""The examples of the pages on ordered classes and on rows without a label are true."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[1] / "docs"


@pytest.mark.parametrize("page", ["ordered.md", "unlabelled.md"])
def test_the_examples_of_the_page_are_true(page):
    result = doctest.testfile(str(DOCS / page), module_relative=False, encoding="utf-8")
    assert result.attempted > 8
    assert result.failed == 0
