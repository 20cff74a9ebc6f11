"""Where words come from: text attributes, each under its vocabulary, or numeric attributes that count them.

A bag is one set of words: a text attribute's vocabulary, or the names of all numeric attributes together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.preprocessing.columns import is_missing_text
from acumen.preprocessing.words import Vocabulary
from acumen.types import Bools

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_ROWS = 4096  # dense rows made sparse at a time


class Counted(NamedTuple):
    """The words of some rows."""

    bag: int
    rows: slice
    counts: csr_matrix
    missing: Bools | None  # rows whose text is missing; None where none is


def objection(schema: Schema) -> str | None:
    """Why a table is not one of words, as half a sentence; None when it is."""
    if schema.nominal:
        return f"it learns from words alone, but {schema.nominal[0].name!r} is {schema.nominal[0].kind}"
    if schema.text and schema.numeric:
        return (
            f"it learns from texts or from counts of words, but {schema.text[0].name!r} is text and "
            f"{schema.numeric[0].name!r} is numeric"
        )
    return None


def bag_words(schema: Schema, vocabularies: Sequence[Vocabulary]) -> list[tuple[str, tuple[str, ...]]]:
    """Each bag's name and words; the bag of counts has no name."""
    if schema.text:
        return [(vocabulary.attribute, vocabulary.words) for vocabulary in vocabularies]
    return [("", schema.names)]


def counted(rows: Table, vocabularies: Sequence[Vocabulary]) -> Iterator[Counted]:
    """The words of all rows: a bag after the other, each bag's rows in order."""
    from scipy.sparse import csr_matrix

    if rows.schema.text:
        for bag, (vocabulary, texts) in enumerate(zip(vocabularies, rows.text, strict=True)):
            missing = is_missing_text(texts)
            counts = vocabulary.transform(rows)
            yield Counted(bag, slice(0, len(rows)), counts, missing if missing.any() else None)
        return
    if rows.sparse is not None:
        yield Counted(0, slice(0, len(rows)), rows.sparse, None)
        return
    for start in range(0, max(len(rows), 1), _ROWS):
        part = slice(start, min(start + _ROWS, len(rows)))
        block = rows.numeric.take(part).matrix()
        yield Counted(0, part, csr_matrix(block), None)


def require_counts(rows: Table, who: str) -> None:
    """Refuse counts below zero, naming the attribute."""
    held = [rows.sparse.data] if rows.sparse is not None else rows.numeric.columns
    if any((values < 0).any() for values in held):
        name, value = next(
            (attribute.name, column[column < 0][0])
            for attribute, column in rows.numeric_columns()
            if (column < 0).any()
        )
        raise DataError(
            f"Negative values in data passed to {who}: attribute {name!r} holds {value:g}, but counts of words "
            "are at least 0."
        )
