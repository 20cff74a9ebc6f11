"""The page on statistics: its code runs, prints what the page says, and names what there is."""

from __future__ import annotations

import re
from pathlib import Path

import acumen.assessment.statistics as statistics

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "statistics.md").read_text(encoding="utf-8")


def test_every_function_of_the_room_is_on_the_page():
    functions = [name for name in statistics.__all__ if name[0].islower()]
    assert [name for name in functions if not re.search(rf"`{name}[(`]", PAGE)] == []
