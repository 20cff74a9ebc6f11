"""0/1 tables stored sparsely: a delimited file whose inputs are 0 or 1, of which only the ones are stored.

Selected by Dialect(format="binary"). True and false, yes and no, t and f, y and n count as 1 and 0 in any letter case;
a missing value is a 0. Target, weight and ignored columns are read as in any other table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from acumen import messages
from acumen.data.delimited import reader as delimited
from acumen.data.files import open_source
from acumen.data.parts import Parts
from acumen.data.request import Request
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table, decode
from acumen.errors import DataError
from acumen.types import Bools

_ONES = frozenset({"1", "true", "t", "yes", "y"})
_ZEROS = frozenset({"0", "false", "f", "no", "n"})


def read(source: Any, request: Request) -> Table:
    """The whole file as one sparse table."""
    table = _select_inputs(delimited.read(source, _plain(request)), request)
    return _sparse(table, _schema(table.schema))


def scan(source: Any, request: Request, rows: int) -> Parts:
    """Read the file in parts; a separate pass checks that every cell is 0 or 1."""
    parts = delimited.scan(open_source(source, request.max_bytes), _plain(request), rows)

    def select_parts() -> Iterator[Table]:
        return (_select_inputs(part, request) for part in parts)

    schema = _schema(next(select_parts()).schema)
    for part in select_parts():
        for name in schema.names:
            _ones(part, name)

    def open_sparse() -> Iterator[Table]:
        return (_sparse(part, schema) for part in select_parts())

    return Parts(schema, parts.report, parts.n_rows, rows, open_sparse)


def _plain(request: Request) -> Request:
    return replace(request, dialect=replace(request.dialect, format=None))


def _select_inputs(table: Table, request: Request) -> Table:
    """Drop the inputs that were not selected, which may hold any values."""
    names = [name for name in table.schema.names if name in request.select]
    return table.select(names) if names else table


def _schema(plain: Schema) -> Schema:
    inputs = tuple(Attribute(attribute.name) for attribute in plain.attributes)
    return Schema(inputs, plain.target, plain.weight, plain.ignored, plain.columns)


def _sparse(table: Table, schema: Schema) -> Table:
    from scipy.sparse import csc_matrix

    rows = [np.flatnonzero(_ones(table, name)) for name in schema.names]
    starts = np.concatenate([[0], np.cumsum([len(each) for each in rows])])
    held = np.concatenate(rows)
    matrix = csc_matrix((np.ones(len(held)), held, starts), shape=(len(table), len(schema))).tocsr()
    return table.replace(schema=schema, sparse=matrix, numeric=(), nominal=(), text=(), written={})


def _ones(table: Table, name: str) -> Bools:
    """The rows where a column is 1; an error names any value but 0 and 1."""
    column = table.schema[name]
    if column.is_numeric:
        values = table.column(name)
        odd = values[~(np.isnan(values) | (values == 0) | (values == 1))]
        if odd.size:
            raise _refusal(table, name, f"{odd[0]:g}")
        return np.asarray(values == 1)
    if column.is_nominal:
        codes = next(codes for attribute, codes in table.nominal_columns() if attribute is column)
        used = {str(level) for level in decode(np.unique(codes[codes >= 0]), column.levels)}
        for level in sorted(used):
            if level.lower() not in _ONES | _ZEROS:
                raise _refusal(table, name, level)
        lookup = np.array([*(str(level).lower() in _ONES for level in column.levels), False, False])
        return lookup[codes]  # -1 and -2 reach the last two slots
    text = next((value for value in table.column(name) if value is not None), "")
    raise _refusal(table, name, str(text))


def _refusal(table: Table, name: str, value: str) -> DataError:
    return DataError(
        f"{table.report.source}: column {name!r} holds {value!r}, but a binary table holds only 0 and 1. Ignore the "
        f"column with {messages.option('ignore')}, make it the target, or read the table without "
        f"{messages.dialect('format', 'binary')}."
    )
