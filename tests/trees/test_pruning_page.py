"""The examples of docs/pruning.md do what the page says they do."""

from __future__ import annotations

import doctest
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "pruning.md"


def test_every_example_of_the_page_holds() -> None:
    made = doctest.testfile(str(PAGE), module_relative=False)
    assert made.attempted > 5 and made.failed == 0
