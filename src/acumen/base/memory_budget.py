"""What fits need in memory, so that a learner can object before it asks for more than there is.

    Widths          how many columns a schema has once nominal attributes are coded
    dense_bytes     a matrix of numbers, copied so many times
    shortage        a sentence where a fit would need more than there is
    in_a_sentence   a MemoryError, wherever it comes from, as the same sentence

Estimates are of the largest arrays at their worst moment, besides the table itself; a test holds them against what fits
really take. They are within a factor of two or three where they are large, which is all that an objection needs.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from acumen.data.schema import Schema
from acumen.engines.blocks import BLOCK_ROWS
from acumen.engines.memory import LITTLE, has_limit, limit
from acumen.errors import MemoryShortage

if TYPE_CHECKING:
    from acumen.data.table import Table

#: Words that a text column brings at most, in learners that need columns.
_WORDS = 1000


@dataclass(frozen=True, slots=True)
class Widths:
    """Columns of a schema: numeric ones, and all of them with a column for each level."""

    numeric: int
    coded: int
    classes: int

    @classmethod
    def of(cls, schema: Schema) -> Widths:
        levels = sum(1 if a.ordered else len(a.levels) for a in schema.nominal)
        numeric = len(schema.numeric)
        return cls(numeric, numeric + levels + _WORDS * len(schema.text), max(schema.n_classes, 1))

    @property
    def plain(self) -> bool:
        """Whether every column is numeric, so that rows need no encoded copy."""
        return self.coded == self.numeric


def dense_bytes(rows: int, columns: int, times: float = 1.0) -> int:
    """The bytes of a matrix of doubles with given rows and columns, times a factor."""
    return int(8 * rows * columns * times)


def scatter_bytes(rows: int, schema: Schema, square: float = 5.0) -> int:
    """The bytes for scatter matrices: one encoded block of rows, and `square` matrices of columns x columns."""
    widths = Widths.of(schema)
    block = 0 if widths.plain else dense_bytes(min(rows, BLOCK_ROWS), widths.coded)
    return block + dense_bytes(widths.coded, widths.coded, square)


def shortage(need: int, table: Table) -> str | None:
    """A sentence where a fit on a table needs more memory than it may take; None where it does not."""
    if need < LITTLE and not has_limit():
        return None
    most = limit()
    if need <= most:
        return None
    widths = Widths.of(table.schema)
    coded = f" ({widths.coded:,} columns once levels are coded)" if widths.coded > len(table.schema) else ""
    return (
        f"a fit on {len(table):,} rows of {len(table.schema):,} columns{coded} would take about {size_said(need)}, and "
        f"{size_said(most)} may be used. Leave out columns of many levels, or take fewer rows."
    )


@contextmanager
def in_a_sentence(who: str, rows: int | None = None, schema: Schema | None = None) -> Iterator[None]:
    """Turn any MemoryError of a fit, Python's, numpy's or a kernel's, into a sentence on its learner and table."""
    try:
        yield
    except MemoryError as error:
        # Its stack holds the arrays that have filled memory: without it they are gone before the sentence is read.
        error.__traceback__ = error.__context__ = error.__cause__ = None
        of = "" if rows is None or schema is None else f" on {rows:,} rows of {len(schema):,} columns"
        raise MemoryShortage(
            f"{who}: there is not enough memory for a fit{of} ({size_said(limit())} may be used). "
            "Leave out columns of many levels, or take fewer rows."
        ) from None


def size_said(size: float) -> str:
    """So many bytes, in words."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{max(size, 0) / 1e6:.0f} MB"
