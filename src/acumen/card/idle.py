"""Columns that are not worth learning from: identifiers, which would be learned by heart, and constant ones.

idle_columns   table -> what is wrong with each such input
without_idle   table -> the table without them
empty_columns  table -> the inputs without a single value

The same marks as the findings of the data card, found without making one.
"""

from __future__ import annotations

import numpy as np

from acumen.card.findings import is_identifier
from acumen.data.columns import id_like
from acumen.data.table import Table
from acumen.types import Codes, Floats

#: Rows looked at first: what already fails on them fails on all.
_SOME = 4096


def idle_columns(table: Table) -> dict[str, str]:
    """Each input that is an identifier, constant or empty, and which it is; none where no other would be left."""
    made: dict[str, str] = {}
    if len(table) < 2:
        return made
    if table.sparse is not None:
        empty = np.asarray(table.sparse.getnnz(axis=0)).reshape(-1) == 0
        for attribute, is_empty in zip(table.schema.numeric, empty.tolist(), strict=True):
            if is_empty:
                made[attribute.name] = "it is 0 in every row"
    else:
        for attribute, values in table.numeric_columns():
            if why := _numeric(values):
                made[attribute.name] = why
    for attribute, codes in table.nominal_columns():
        if why := _nominal(codes, len(attribute.levels)):
            made[attribute.name] = why
    return made if len(made) < len(table.schema.attributes) else {}


def without_idle(table: Table) -> Table:
    """The table without such inputs."""
    idle = idle_columns(table)
    return table.select([name for name in table.schema.names if name not in idle]) if idle else table


def empty_columns(table: Table) -> list[str]:
    """The inputs without a single value."""
    made = [a.name for a, codes in table.nominal_columns() if not (codes >= 0).any()]
    if table.sparse is None:
        made += [a.name for a, values in table.numeric_columns() if np.isnan(values).all()]
    return [name for name in table.schema.names if name in made]


def _numeric(values: Floats) -> str:
    some = values[:_SOME]
    known = some[~np.isnan(some)]
    if not known.size or (known == known[0]).all():
        every = values[~np.isnan(values)]
        if not every.size:
            return "it has no value at all"
        return "it has the same value wherever it is known" if (every == every[0]).all() else ""
    if len(known) < len(some) or not is_identifier_like(some):
        return ""
    if not is_identifier(values, len(np.unique(values))):
        return ""
    return f"it has {len(values):,} different whole values in {len(values):,} rows, as an identifier has"


def is_identifier_like(some: Floats) -> bool:
    """Whether the first rows leave it open that the column is an identifier."""
    whole = np.isfinite(some).all() and np.array_equal(some, np.floor(some))
    return bool(whole) and len(np.unique(some)) == len(some)


def _nominal(codes: Codes, levels: int) -> str:
    known = codes[codes >= 0]
    if not known.size:
        return "it has no value at all"
    distinct = int(np.count_nonzero(np.bincount(known, minlength=levels)))
    if distinct == 1:
        return "it has the same value wherever it is known"
    if id_like(len(known), distinct):
        return f"it has {distinct:,} different values in {len(known):,} rows, as an identifier has"
    return ""
