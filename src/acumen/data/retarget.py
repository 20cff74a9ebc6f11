"""A table already read, with another column as its target: kinds and levels are decided as on reading."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from acumen.data.assemble import fill, plan
from acumen.data.columns import RawColumn
from acumen.data.report import Report
from acumen.data.request import Column, Request, Roles, resolve
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.types import Array


def retarget(table: Table, target: Column) -> Table:
    """The same rows, to predict `target`; the target until now becomes an input."""
    schema = table.schema
    name = resolve(target, schema.columns)
    if schema.target is not None and name == schema.target.name:
        return table
    if table.sparse is not None:
        raise DataError(
            f"a sparse table cannot change its target to {name!r} afterwards; read it again with target=."
        )
    raw = {column.name: column for column in _raw(table)}
    weights = [schema.weight] if schema.weight is not None else []
    ignored = [a.name for a in schema.ignored if a.name != name]
    request = Request(target=name, weight=weights[0] if weights else None, ignore=tuple(ignored))
    report = Report(table.report.source, list(table.report.notes))
    columns = [raw[c] for c in schema.columns]
    return fill(columns, plan(columns, Roles.of(request, schema.columns), report), report, len(table))


def _raw(table: Table) -> Iterator[RawColumn]:
    """Every column as a source would deliver it."""
    for attribute, values in table.numeric_columns():
        yield RawColumn(attribute.name, "numeric", values=values, whole=_type_of(values))
    for attribute, codes in table.nominal_columns():
        yield RawColumn(attribute.name, attribute.kind, codes=codes, levels=attribute.levels, declared=True)
    for attribute, strings in table.text_columns():
        yield RawColumn(attribute.name, "text", strings=strings)
    for attribute, values in zip(table.schema.ignored, table.ignored, strict=True):
        yield _ignored(attribute.name, values)
    target = table.schema.target
    if target is not None and table.labels is not None:
        yield RawColumn(target.name, target.kind, codes=table.labels, levels=target.levels, declared=True)
    elif target is not None and table.response is not None:
        yield RawColumn(target.name, "numeric", values=table.response, whole=_type_of(table.response))
    if table.schema.weight is not None:
        yield RawColumn(table.schema.weight, "numeric", values=table.row_weights)


def _ignored(name: str, values: Array) -> RawColumn:
    if values.dtype == np.float64:
        return RawColumn(name, "numeric", values=values, whole=_type_of(values))
    strings = np.array([None if v is None else str(v) for v in values], dtype=object)
    return RawColumn(name, "nominal", strings=strings)


def _type_of(values: Array) -> type[int] | type[float]:
    """The type labels made of these numbers take."""
    known = values[np.isfinite(values)]
    return int if np.array_equal(known, np.floor(known)) else float
