"""What can be seen of a table at a glance while something is learned from it: constants, identifiers, leaks.

    glance    table -> findings    a few of the card's, found for a small part of what a fit takes

A sample of the rows shows of nearly every column that it is none of these, for each holds of all rows only if it holds
of any few; the others are examined as the card does. What takes a pass over all rows (repeated rows, levels seen
once in large tables) is left to `acumen.inspect`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from acumen import _native
from acumen.data.columns import id_like
from acumen.data.schema import Attribute
from acumen.data.table import Table
from acumen.profiling.figures import ColumnFigures, LevelFigures
from acumen.profiling.findings import Finding, column_findings, is_identifier
from acumen.profiling.leaks import nominal_leak, numeric_leak
from acumen.profiling.levels import NAMED
from acumen.types import Codes, Floats

#: Levels are counted in tables of no more rows.
SMALL = 8_192
_SAME, _IDENTIFIER, _LEAK = 1, 2, 4
_NO_CODES = np.empty(0, dtype=np.int32)


def glance(table: Table) -> list[Finding]:
    """What is odd about columns, as far as a glance shows it; sparse numbers and texts are passed over."""
    n, labels = len(table), table.labels
    if n < 2:
        return []
    known = _NO_CODES if labels is None else np.ascontiguousarray(labels)
    found: list[Finding] = []
    if table.sparse is None and len(table.schema.numeric):
        columns = table.numeric.columns
        left = _native.suspect_numbers(list(columns), known, n, max(2, table.schema.n_classes))
        for place in np.flatnonzero(left).tolist():
            found += _numbers(table, table.schema.numeric[place], columns[place], int(left[place]))
    nominal = table.schema.nominal
    if nominal:
        levels = np.array([len(attribute.levels) for attribute in nominal], dtype=np.int32)
        left = _native.suspect_codes(list(table.nominal.columns), known, levels, n <= SMALL)
        left[levels >= max(20.0, 0.95 * n)] |= _IDENTIFIER
        for place in np.flatnonzero(left).tolist():
            found += _codes(table, nominal[place], table.nominal.columns[place], int(left[place]))
    return found


def _numbers(table: Table, attribute: Attribute, values: Floats, left: int) -> Iterator[Finding]:
    distinct = len(np.unique(values[~np.isnan(values)]))
    missing = int(np.count_nonzero(np.isnan(values)))
    identifier = bool(left & _IDENTIFIER) and is_identifier(values, distinct, attribute.form)
    leak = None
    if left & _LEAK and table.labels is not None and not identifier:
        leak = numeric_leak(values, table.labels, distinct, len(table.schema))
    column = ColumnFigures(attribute.name, attribute.kind, missing, missing / len(table), distinct)
    yield from column_findings(column, len(table), identifier, leak)


def _codes(table: Table, attribute: Attribute, codes: Codes, left: int) -> Iterator[Finding]:
    n, levels = len(table), attribute.levels
    counts = np.zeros(len(levels) + 2, dtype=np.int64)
    _native.count_codes(codes, counts)
    unknown, missing, of_levels = int(counts[0]), int(counts[1]), counts[2:]
    once = np.flatnonzero(of_levels == 1)
    figures = LevelFigures(
        (), len(levels), 0, len(once), tuple(levels[c] for c in once[:NAMED].tolist()), unknown
    )
    distinct = int(np.count_nonzero(of_levels))
    leak = None
    if left & _LEAK and table.labels is not None and not id_like(n - missing, distinct):
        leak = nominal_leak(codes, table.labels, len(table.schema))
    column = ColumnFigures(attribute.name, attribute.kind, missing, missing / n, distinct, nominal=figures)
    yield from column_findings(column, n, False, leak)
