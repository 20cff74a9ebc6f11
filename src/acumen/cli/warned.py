"""What `acumen inspect` would warn of, in a line or two for commands that learn; an error where `--strict` asks for it.

@strict                          gives a command the option
said_of(table, reading)          says it on stderr, once; ends the command with 1 under --strict
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from acumen.cli import console
from acumen.cli.data import Reading

if TYPE_CHECKING:
    from acumen.data.parts import Parts
    from acumen.data.table import Table
    from acumen.profiling.warning_lines import TableWarningLike

F = TypeVar("F", bound=Callable[..., Any])
_STRICT = "acumen.strict"


def strict(command: F) -> F:
    """Give a command the option `--strict`, which `said_of` asks for."""

    def remember(ctx: click.Context, _: click.Parameter, value: bool) -> None:
        ctx.meta[_STRICT] = value

    decorated: F = click.option(
        "--strict", is_flag=True, expose_value=False, callback=remember,
        help="End with 1, before anything is learned, if `acumen inspect` would warn of anything.",
    )(command)  # fmt: skip
    return decorated


def said_of(table: Table | Parts, reading: Reading) -> None:
    """Say what is odd about a table; of one read in parts what its reader found, and `fit_stream` says the rest."""
    from acumen.data.table import Table
    from acumen.profiling.card import warnings_of
    from acumen.profiling.warning_lines import warning_summary

    if isinstance(table, Table):
        warnings: Sequence[TableWarningLike] = warnings_of(table)
        table.report.told = True  # `fit` need not say it again
    else:
        warnings = table.report.warnings
        table.report.read_out = True
    if not warnings:
        return
    named = reading.options.get("target")
    where = ["acumen", "inspect", reading.display_name, *([] if named is None else ["--target", str(named)])]
    console.say(f"{warning_summary(warnings)}; see {shlex.join(where)}")
    if click.get_current_context().meta.get(_STRICT):
        console.say("acumen: nothing is learned under --strict from a table with warnings.")
        raise click.exceptions.Exit(console.FINDING)
