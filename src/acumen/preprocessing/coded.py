"""A table's columns as numbers, by its schema alone: no row has to be read before.

    numeric     as it is                    column `age`
    ordinal     its code                    column `size`; NaN where missing
    nominal     a 0/1 column for each level columns `colour=red`; all zero where missing or unknown

The same numbers as NumericMatrix writes without imputing or scaling; summaries are made of them, which must
not depend on the rows of a part. Text has no numbers of this kind.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from acumen.data.block import Block
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.preprocessing.sparse import dense_slices
from acumen.types import Floats, Indices

#: Bytes of 0/1 columns written out at a time.
_BYTES = 32 << 20


@dataclass(frozen=True, slots=True)
class CodedColumn:
    """One column: its name, the input it comes from, and of a 0/1 column the code of its level."""

    name: str
    attribute: int
    level: int | None = None


def coded_columns(schema: Schema) -> tuple[CodedColumn, ...]:
    """The columns in the order of the schema's inputs."""
    columns: list[CodedColumn] = []
    for i, attribute in enumerate(schema.attributes):
        if attribute.kind == "nominal":
            columns += [CodedColumn(f"{attribute.name}={v}", i, c) for c, v in enumerate(attribute.levels)]
        elif attribute.kind != "text":
            columns.append(CodedColumn(attribute.name, i))
    return tuple(columns)


def coded_width(schema: Schema) -> int:
    """How many columns there are."""
    return sum(len(a.levels) if a.kind == "nominal" else a.kind != "text" for a in schema.attributes)


def coded_slices(rows: Table) -> Iterator[tuple[slice, Block[np.float64]]]:
    """Consecutive rows with their columns: all of a dense numeric table, else some 32 MB at a time."""
    if not rows.schema.nominal:
        yield from dense_slices(rows)
        return
    width = coded_width(rows.schema)
    step = max(1, _BYTES // (8 * max(width, 1)))
    for start in range(0, len(rows), step):
        part = slice(start, min(start + step, len(rows)))
        yield part, _code_block(rows.take(part), width)
    if not len(rows):
        yield slice(0, 0), Block.of_matrix(np.empty((0, width)))


def _code_block(rows: Table, width: int) -> Block[np.float64]:
    matrix = np.zeros((len(rows), width), order="F")
    numbers = iter(() if rows.sparse is not None else rows.numeric.columns)
    if rows.sparse is not None:
        numbers = iter(rows.sparse.toarray().astype(np.float64, copy=False).T)
    codes = iter(rows.nominal.columns)
    at = 0
    for attribute in rows.schema.attributes:
        if attribute.is_numeric:
            matrix[:, at] = next(numbers)
            at += 1
        elif attribute.kind == "ordinal":
            column = next(codes)
            matrix[:, at] = np.where(column >= 0, column, np.nan)
            at += 1
        elif attribute.is_nominal:
            column = next(codes)
            known = np.flatnonzero(column >= 0)
            matrix[known, at + column[known]] = 1.0
            at += len(attribute.levels)
    return Block.of_matrix(matrix)


def places_in(old: Schema, new: Schema) -> Indices:
    """Where the columns of a schema stand in one that has the same attributes with more levels."""
    where = {(c.attribute, c.level): j for j, c in enumerate(coded_columns(new))}
    return np.array([where[c.attribute, c.level] for c in coded_columns(old)], dtype=np.intp)


def centre_block(block: Floats, centre: Floats) -> Floats:
    """Distances from a centre, none where a value is missing or infinite; a fresh matrix."""
    with np.errstate(invalid="ignore", over="ignore"):
        away: Floats = block - centre
    odd = ~np.isfinite(away)
    if odd.any():
        away[odd] = 0.0
    return away
