"""What README says: its commands run, and print what it shows.

A block of `text` is what the last command of the block before it prints: `...` stands for any lines, and how long
something took may be anything.
"""

from __future__ import annotations

import importlib.util
import itertools
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).resolve().parents[1] / "README.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TIME = re.compile(r"\s*\b\d+(\.\d+)? (ns|us|µs|ms|s|min)\b")

BLOCKS = BLOCK.findall(README.read_text(encoding="utf-8"))
#: The commands of the tour, without what they need in a shell.
COMMANDS = [
    line.split(" #")[0].strip()
    for kind, text in BLOCKS
    for line in text.splitlines()
    if kind == "sh" and line.startswith("acumen ")
]
SHOWN = [
    (before.strip().splitlines()[-1].split(" #")[0].strip(), text)
    for (kind, before), (other, text) in itertools.pairwise(BLOCKS)
    if kind == "sh" and other == "text"
]
#: Those that take long; tests/test_pages.py runs the others.
COMPARED = [(command, text) for command, text in SHOWN if command.startswith("acumen compare")]


def run(command: str) -> str:
    """What a command prints, 80 columns wide; it must end well."""
    done = subprocess.run(
        [sys.executable, "-m", "acumen", *shlex.split(command)[1:]],
        env={**os.environ, "COLUMNS": "80"},
        capture_output=True,
        encoding="utf-8",
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The files README speaks of."""
    monkeypatch.chdir(tmp_path)
    Path("examples").symlink_to(README.parent / "examples")
    run(next(command for command in COMMANDS if command.startswith("acumen split")))
    return tmp_path


def alike(shown: str, printed: str) -> bool:
    """Whether the lines shown are printed one after the other, times aside; `...` is any lines."""
    pieces: list[list[str]] = [[]]
    for line in shown.rstrip("\n").splitlines():
        if line.strip() == "...":
            pieces.append([])
        else:
            pieces[-1].append(plain(line))
    lines = [plain(line) for line in printed.splitlines()]
    if lines[: len(pieces[0])] != pieces[0]:
        return False
    at = len(pieces[0])
    for piece in pieces[1:]:
        found = [i for i in range(at, len(lines) - len(piece) + 1) if lines[i : i + len(piece)] == piece]
        if not found:
            return False
        at = found[0] + len(piece)
    return True


def plain(line: str) -> str:
    """A line whose times and widths of columns are let go."""
    return re.sub(r"\s+", " ", TIME.sub(" TIME", line)).strip()


def test_readme_shows_commands_and_what_one_prints():
    assert len(COMMANDS) >= 12
    assert [command.split()[1] for command, _ in SHOWN] == ["inspect", "compare", "decide"]


def test_the_customers_of_the_tour_are_those_that_are_written():
    spec = importlib.util.spec_from_file_location("customers", README.parent / "tools" / "customers.py")
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    assert made.FILE.read_text(encoding="utf-8") == "\n".join(made.customers()) + "\n"


def test_a_changed_figure_is_seen_and_a_changed_time_is_not():
    printed = "a table\n\n1. Fisher  2.00 %  0.5 ms\n2. OneR  7 %  1.5 ms\nthe end\nmore\n"
    assert alike("a table\n\n1.  Fisher  2.00 %  12 ms\n...\nthe end\n", printed)
    assert not alike("a table\n\n1.  Fisher  2.01 %  12 ms\n...\nthe end\n", printed)
    assert not alike("a table\n\n1.  FullBayes  2.00 %  12 ms\n", printed)
    assert not alike("a table\n...\nanother end\n", printed)


@pytest.mark.slow
def test_the_comparisons_run(folder):
    for command in COMMANDS:
        if command.startswith("acumen compare") and command not in dict(COMPARED):
            run(command)
    assert (folder / "report.html").stat().st_size > 10_000


@pytest.mark.slow
@pytest.mark.parametrize(("command", "shown"), COMPARED, ids=[command for command, _ in COMPARED])
def test_a_command_prints_what_readme_shows(folder, command, shown):
    printed = run(command)
    assert alike(shown, printed), printed
