"""The examples of docs/learners.md do what the page says they do."""

from __future__ import annotations

from pathlib import Path

import pytest

import capabilities

PAGE = Path(__file__).resolve().parents[1] / "docs" / "learners.md"


@pytest.mark.slow
def test_the_table_of_learners_is_what_they_do():
    text = PAGE.read_text(encoding="utf-8")
    assert text == capabilities.page(text), "run tools/capabilities.py"
    for head in ("weights", "missing", "explain", "Dask", "cost"):
        assert f" {head} |" in text.partition(capabilities.BEGIN)[2].lstrip().splitlines()[2]
    assert text.index(capabilities.BEGIN) < text.index("|"), "it is the first table of the page"
