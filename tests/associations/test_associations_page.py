"""The examples of docs/associations.md and of the docstrings do what they say."""

from __future__ import annotations

import doctest
import importlib
import re
import shlex
from pathlib import Path

import pytest

from acumen.cli.main import run

PAGE = Path(__file__).resolve().parents[2] / "docs" / "associations.md"


def test_the_examples_of_the_page_are_true() -> None:
    result = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert result.attempted > 15 and result.failed == 0


def test_the_commands_of_the_page_say_what_it_shows(tmp_path, monkeypatch, capsys) -> None:
    """`$ cat NAME` shows a file, which is written; all other commands say on stdout what stands below them."""
    monkeypatch.chdir(tmp_path)
    shown = 0
    for block in re.findall(r"```console\n(.*?)```", PAGE.read_text(), re.DOTALL):
        for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, expected = step.partition("\n")
            words = shlex.split(command)
            if words[0] == "cat":
                Path(words[1]).write_text(expected)
                continue
            assert words[0] == "acumen" and run(words[1:]) == 0
            assert capsys.readouterr().out.rstrip() == expected.rstrip(), command
            shown += 1
    assert shown >= 4


@pytest.mark.parametrize("module", ["mine", "rules", "learners", "recommend", "features"])
def test_the_examples_of_the_docstrings_are_true(module: str) -> None:
    result = doctest.testmod(importlib.import_module(f"acumen.associations.{module}"))
    assert result.attempted > 1 and result.failed == 0
