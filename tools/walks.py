#!/usr/bin/env python3
"""Walks: pages of commands with what they print, run and compared, so that they cannot come to say what is not so.

    PYTHONPATH=src python tools/walks.py PAGE ...    fill in what the commands of these pages print

A page is Markdown. A block of `sh` (each line a command of acumen) or `python` (in one session, as the page has it) is
followed by a block of `text`, which is what it prints, stderr included; a line `...` stands for any lines, ` ... `
within a line for any words, and times may differ. A command that ends in anything but 0 says so in a last line:
`[exit code 2]`.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import runpy
import shlex
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```\n+^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Step(NamedTuple):
    """One block, what the page says it prints, and where in the page that stands."""

    language: str
    code: str
    shown: str
    place: tuple[int, int]


def steps(page: str) -> list[Step]:
    """The blocks of a page, in their order."""
    return [Step(found[1], found[2], found[3], found.span(3)) for found in BLOCK.finditer(page)]


@contextlib.contextmanager
def within(folder: Path) -> Iterator[None]:
    """In another folder, with a terminal of 80 columns."""
    before, columns = Path.cwd(), os.environ.get("COLUMNS")
    os.chdir(folder)
    os.environ["COLUMNS"] = "80"
    try:
        yield
    finally:
        os.chdir(before)
        os.environ.pop("COLUMNS")
        if columns is not None:
            os.environ["COLUMNS"] = columns


def printed(step: Step, session: dict[str, Any]) -> str:
    """What a block prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if step.language == "python":
            exec(compile(step.code, "walk", "exec"), session)
        else:
            for line in step.code.splitlines():
                code = _command(shlex.split(line))
                if code:
                    print(f"[exit code {code}]")
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


def _command(words: list[str]) -> int:
    """Run one line: acumen, or a program of the page's folder whose output goes to a file."""
    from acumen.cli.main import run

    if words[0] == "acumen":
        return run(words[1:])
    assert words[0] == "python" and words[-2] == ">", words
    told, argv = io.StringIO(), sys.argv
    sys.argv = words[1:-2]
    try:
        with contextlib.redirect_stdout(told):
            runpy.run_path(words[1], run_name="__main__")
    finally:
        sys.argv = argv
    Path(words[-1]).write_text(told.getvalue(), encoding="utf-8")
    return 0


def plain(line: str) -> str:
    """A line whose times are let go, and the widths of its columns."""
    return re.sub(r"\s+", " ", re.sub(r"\d+(\.\d+)? (ms|s)\b", "TIME", line)).strip()


def differs(shown: str, found: str) -> str:
    """The first line that the page has and the output has not in its place; empty where they agree."""
    lines = [plain(line) for line in found.splitlines()]
    at, gap = 0, False
    for line in map(plain, shown.splitlines()):
        if line == "...":
            gap = True
            continue
        rest = lines[at:] if gap else lines[at : at + 1]
        pattern = re.compile(" .* ".join(re.escape(part) for part in line.split(" ... ")))
        found_at = next((i for i, each in enumerate(rest) if pattern.fullmatch(each)), None)
        if found_at is None:
            return line or "(an empty line)"
        at, gap = at + found_at + 1, False
    return "" if gap or at == len(lines) else f"(more) {lines[at]}"


def walked(path: Path, folder: Path) -> Iterator[tuple[Step, str]]:
    """Each step of a page with what it prints now, in a folder that holds the programs beside the page."""
    for program in path.parent.glob("*.py"):
        (folder / program.name).write_bytes(program.read_bytes())
    session: dict[str, Any] = {"__name__": "walk"}
    with within(folder):
        for step in steps(path.read_text(encoding="utf-8")):
            yield step, printed(step, session)


def main(paths: list[str]) -> int:
    for path in map(Path, paths):
        page = path.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            found = list(walked(path.resolve(), Path(folder)))
        for step, text in reversed(found):
            if differs(step.shown, text):
                page = page[: step.place[0]] + text + page[step.place[1] :]
        path.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
