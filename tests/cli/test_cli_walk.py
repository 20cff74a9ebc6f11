"""The walk of an analyst from a file to a decision, as docs/cli.md shows it: the commands print what the page says."""

from __future__ import annotations

import itertools
import re
import shlex
from pathlib import Path

import pytest

from acumen.cli.main import run
from churn import write_churn

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
WALK = PAGE[PAGE.index("## From a file to a decision") :]
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", WALK, re.MULTILINE | re.DOTALL)
STEPS = [(one, two) for (a, one), (b, two) in itertools.pairwise(BLOCKS) if (a, b) == ("sh", "text")]


def plain(line: str) -> str:
    """A line whose times are let go, and the widths of its columns."""
    return re.sub(r"\s+", " ", re.sub(r"\d+(\.\d+)? (ms|s)\b", "TIME", line)).strip()


def test_the_walk_prints_what_the_page_shows(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write_churn("customers.csv", 1200)
    assert len(STEPS) == 3
    for command, shown in STEPS:
        assert run(shlex.split(command)[1:]) == 0
        printed = [plain(line) for line in capsys.readouterr().out.splitlines()]
        at = 0
        for line in map(plain, shown.splitlines()):
            if line == "...":
                continue
            assert line in printed[at:], (command, line, printed)
            at = printed.index(line, at) + 1


@pytest.mark.parametrize("odd", ["2.  Fisher        18.17 %", "The best, not told apart: Fisher."])
def test_a_changed_line_would_be_seen(odd):
    assert plain(odd) not in [plain(line) for _, shown in STEPS for line in shown.splitlines()]
