"""Words of the command line that several commands understand: labels, the words that were given."""

from __future__ import annotations

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


def positive_of(word: str | None, schema: Schema, who: str) -> Label:
    """The class that is called: the one that is named, or the last of two."""
    named = label_of(word, schema)
    if named is not None:
        return named
    if len(schema.classes) == 2:
        return schema.classes[1]
    from acumen.errors import ParameterError

    more = ", ..." if len(schema.classes) > 8 else ""
    known = ", ".join(map(str, schema.classes[:8])) + more
    raise ParameterError(
        f"{who}: say which class it is about with --positive; the classes are {known}{'' if more else '.'}"
    )


def given_words() -> list[str]:
    """What was given after `acumen`, word by word."""
    return list(click.get_current_context().find_root().obj)
