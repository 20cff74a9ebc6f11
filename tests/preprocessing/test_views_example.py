from __future__ import annotations

import runpy
from pathlib import Path


def test_the_example_runs_and_shows_what_it_says(capsys):
    runpy.run_path(str(Path(__file__).parents[2] / "examples" / "views.py"), run_name="__main__")
    shown = capsys.readouterr().out
    assert "colour=red" in shown and "age is missing" in shown
    assert "('(-inf, 42.5]', '(42.5, inf)') -> new rows [ 0 -1]" in shown
    assert "('free', 'prize', 'see', 'you')" in shown
