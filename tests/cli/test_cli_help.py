"""The help of every command: its own options first, how DATA is read behind them, within 80 columns."""

from __future__ import annotations

import re

import click
import pytest

from acumen.cli.data import _OPTIONS
from acumen.cli.files import DataIn, ReadingOption
from acumen.cli.main import COMMANDS, cli, run


def commands() -> dict[str, click.Command]:
    """Every command that does something, those of groups by both words."""
    made = {}
    for name in COMMANDS:
        command = cli.get_command(None, name)  # type: ignore[arg-type]
        assert command is not None
        if isinstance(command, click.Group):
            made |= {f"{name} {inner}": each for inner, each in command.commands.items()}
        else:
            made[name] = command
    return made


@pytest.fixture(params=list(commands()))
def helped(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[click.Command, str]:
    monkeypatch.setenv("COLUMNS", "80")
    assert run([*request.param.split(), "--help"]) == 0
    return commands()[request.param], capsys.readouterr().out


def test_help_fits_into_80_columns(helped: tuple[click.Command, str]) -> None:
    assert all(len(line) <= 80 for line in helped[1].splitlines())


def test_every_option_is_told_once_and_in_one_group(helped: tuple[click.Command, str]) -> None:
    command, text = helped
    own, _, reading = text.partition("\nOptions:\n")[2].partition("How DATA is read:")
    for option in (p for p in command.params if isinstance(p, click.Option)):
        name = re.compile(rf"^  (-\w, )?{max(option.opts, key=len)}\b(?!-)", re.MULTILINE)
        found = len(name.findall(own)), len(name.findall(reading))
        assert found == ((0, 1) if isinstance(option, ReadingOption) else (1, 0)), option.opts
    assert "-h, --help" in own and "--help" not in reading


def test_commands_that_read_a_table_have_the_group_and_no_others(helped: tuple[click.Command, str]) -> None:
    command, text = helped
    reads = any(isinstance(p, ReadingOption) for p in command.params)
    assert ("How DATA is read:" in text) == reads
    if reads:
        assert any(isinstance(p.type, DataIn) for p in command.params)
        assert text.index("--target NAME") < text.index("How DATA is read:")
        assert sum(isinstance(p, ReadingOption) for p in command.params) == len(_OPTIONS) - 1
