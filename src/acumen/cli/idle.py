"""Columns that commands leave out of what they learn: identifiers, constant and empty ones.

    @keeps_ids                 gives a command the option that learns from them all the same
    without_idle_columns       a table without them, and it is said on stderr

`compare`, `learn` and `tune` leave out the same columns, so that the model that a comparison recommends is the one that
`learn` makes. A stream is read once, and what its columns hold is known when all is learned: none is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from acumen.cli import console

if TYPE_CHECKING:
    from acumen.data.table import Table

F = TypeVar("F", bound=Callable[..., Any])
#: So many columns are named.
_NAMED = 5


def keeps_ids(command: F) -> F:
    """Give a command the option `--keep-ids`, handed over as `keep_ids`."""
    decorated: F = click.option(
        "--keep-ids", is_flag=True, help="Learn from identifiers and constant columns too."
    )(command)
    return decorated


def without_idle_columns(table: Table, keep_ids: bool) -> Table:
    """The columns that are worth learning from; which are left out is said."""
    from acumen.profiling.uninformative import uninformative_columns

    idle = {} if keep_ids else uninformative_columns(table)
    tell_columns(idle)
    return table.select([name for name in table.schema.names if name not in idle]) if idle else table


def tell_columns(left_out: Mapping[str, str]) -> None:
    """Say which columns are left out, and why."""
    for name, why in list(left_out.items())[:_NAMED]:
        console.say(f"left out: column {name!r}: {why}; --keep-ids keeps it.")
    if len(left_out) > _NAMED:
        console.say(f"left out: {len(left_out) - _NAMED} more such columns.")
