"""The page on statistics: its code runs, prints what the page says, and names what there is."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import acumen.assessment.statistics as statistics

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "statistics.md").read_text(encoding="utf-8")


def test_the_first_example_prints_what_the_page_says():
    code = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[0]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, {})
    said = [line[2:] for line in code.splitlines() if line.startswith("# ")]
    assert printed.getvalue().splitlines() == said


def test_every_function_of_the_room_is_on_the_page():
    functions = [name for name in statistics.__all__ if name[0].islower()]
    assert [name for name in functions if not re.search(rf"`{name}[(`]", PAGE)] == []
