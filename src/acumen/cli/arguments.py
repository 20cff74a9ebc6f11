"""Words of the command line that several commands understand: labels, the command itself."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from acumen.data.schema import Schema
    from acumen.types import Label


def label_of(word: str | None, schema: Schema) -> Label | None:
    """The class of that name, which need not be a text itself."""
    if word is None:
        return None
    from acumen.errors import ParameterError, did_you_mean

    for label in schema.classes:
        if str(label) == word:
            return label
    known = [str(label) for label in schema.classes]
    raise ParameterError(
        f"--positive: there is no class {word!r}; the classes are {', '.join(known[:8])}.{did_you_mean(word, known)}"
    )


def command_line() -> str:
    """The command that was given, as a shell would take it, without the password of a database."""
    from acumen.data.databases.address import masked

    given = click.get_current_context().find_root().obj
    return shlex.join(["acumen", *map(masked, given)])
