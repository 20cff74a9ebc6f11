"""Columns that are not worth learning from: identifiers, which would be learned by heart, and constant ones.

idle_columns   table -> what is wrong with each such input
drop_uninformative   table -> the table without them
empty_columns  table -> the inputs without a single value

The same marks as the findings of the data card, found without making one.
"""

from __future__ import annotations

import numpy as np

from acumen.data.columns import id_like
from acumen.data.table import Table
from acumen.profiling.findings import is_identifier
from acumen.types import Codes, Floats

#: Rows looked at first: what fails on them by far fails on all.
SOME = 4096

EMPTY = "it has no value at all"
SAME = "it has the same value wherever it is known"
ZERO = "it is 0 in every row"
DIFFERENT = "it has {distinct:,} different {kind} in {rows:,} rows, as an identifier has"


def uninformative_columns(table: Table) -> dict[str, str]:
    """Each input that is an identifier, constant or empty, and which it is; none where no other would be left."""
    reasons: dict[str, str] = {}
    if len(table) < 2:
        return reasons
    if table.sparse is not None:
        empty = np.asarray(table.sparse.getnnz(axis=0)).reshape(-1) == 0
        for attribute, is_empty in zip(table.schema.numeric, empty.tolist(), strict=True):
            if is_empty:
                reasons[attribute.name] = ZERO
    else:
        for attribute, values in table.numeric_columns():
            if why := numeric_reason(values, attribute.form):
                reasons[attribute.name] = why
    for attribute, codes in table.nominal_columns():
        if why := _nominal(codes, len(attribute.levels)):
            reasons[attribute.name] = why
    return reasons if len(reasons) < len(table.schema.attributes) else {}


def drop_uninformative(table: Table) -> Table:
    """A table without inputs that are not worth learning from: identifiers, constant and empty ones.

    The commands leave these out unless `--keep-ids` is given; this does the same in Python.

    Parameters
    ----------
    table : Table

    Returns
    -------
    Table
        The same one where there is nothing to leave out, or nothing else.

    Examples
    --------
    >>> import acumen
    >>> rows = [[f"c{i}", i % 7, "x", "ab"[i % 2]] for i in range(40)]
    >>> import pandas as pd
    >>> table = acumen.read(pd.DataFrame(rows, columns=["id", "calls", "same", "y"]), target="y")
    >>> acumen.drop_uninformative(table).schema.names
    ('calls',)
    """
    idle = uninformative_columns(table)
    return table.select([name for name in table.schema.names if name not in idle]) if idle else table


def empty_columns(table: Table) -> list[str]:
    """The inputs without a single value."""
    empty = [a.name for a, codes in table.nominal_columns() if not (codes >= 0).any()]
    if table.sparse is None:
        empty += [a.name for a, values in table.numeric_columns() if np.isnan(values).all()]
    return [name for name in table.schema.names if name in empty]


def numeric_reason(values: Floats, form: str = "") -> str:
    """Why a column of numbers of this form is not worth learning from; nothing where it may be."""
    some = values[:SOME]
    known = some[~np.isnan(some)]
    if not known.size or (known == known[0]).all():
        every = values[~np.isnan(values)]
        if not every.size:
            return EMPTY
        return SAME if (every == every[0]).all() else ""
    if len(known) < len(some) or not is_identifier_like(some):
        return ""
    distinct = len(np.unique(values))
    if not is_identifier(values, distinct, form):
        return ""
    return DIFFERENT.format(kind="whole values", distinct=distinct, rows=len(values))


def is_identifier_like(some: Floats) -> bool:
    """Whether the first rows leave it open that the column is an identifier."""
    whole = np.isfinite(some).all() and np.array_equal(some, np.floor(some))
    return bool(whole) and len(np.unique(some)) >= 0.9 * len(some)


def _nominal(codes: Codes, levels: int) -> str:
    known = codes[codes >= 0]
    if not known.size:
        return EMPTY
    distinct = int(np.count_nonzero(np.bincount(known, minlength=levels)))
    if distinct == 1:
        return SAME
    if id_like(len(known), distinct):
        return DIFFERENT.format(kind="values", distinct=distinct, rows=len(known))
    return ""
