"""A table in memory before its columns have roles, and the finishing of it under a request.

    of_table    a table's own columns again, with the roles they had
    with_y      another column put beside them as the target
    finish      roles by the request and by what stood before; then plan and fill
    roles_for, written_out, blank    the steps of it, which sources that come in batches take one by one

Every source in memory passes through here, so that all of them answer a request in the same way.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from acumen.data.assemble import fill, plan
from acumen.data.columns import RawColumn, merge_levels
from acumen.data.memory import arrays, sparse
from acumen.data.naming import free_name, level_text
from acumen.data.report import Report
from acumen.data.request import Request, Roles, resolve
from acumen.data.table import NO_WEIGHTS, Table
from acumen.errors import DataError
from acumen.types import MISSING, UNKNOWN, Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


@dataclass(slots=True)
class RawTable:
    """Columns in the source's order; those of a sparse source that are not written out lie in `matrix`.

    `target`, `weight` and `ignored` are roles the source itself gives, and the caller may take away;
    `weights` are row weights that no column holds. `typeless` says that all numbers are floats here,
    whatever they once were.
    """

    n_rows: int
    names: tuple[str, ...]
    columns: dict[str, RawColumn]
    matrix: csr_matrix | None = None
    matrix_names: tuple[str, ...] = ()
    target: str | None = None
    weight: str | None = None
    ignored: tuple[str, ...] = ()
    weights: Floats = field(default_factory=lambda: NO_WEIGHTS)
    typeless: bool = False

    @classmethod
    def of_columns(cls, columns: Sequence[RawColumn], n_rows: int) -> RawTable:
        return cls(n_rows, tuple(c.name for c in columns), {c.name: c for c in columns})

    @classmethod
    def of_matrix(cls, matrix: csr_matrix) -> RawTable:
        names = tuple(f"x{j}" for j in range(matrix.shape[1]))
        return cls(matrix.shape[0], names, {}, matrix, names)


def of_table(table: Table, only: Container[str] | None = None) -> RawTable:
    """A table's columns as they would have come; some of them, if `only` is given (a matrix stays whole)."""
    schema = table.schema
    names = tuple(name for name in schema.columns if only is None or name in only)
    columns: dict[str, RawColumn] = {}
    for attribute, codes in table.nominal_columns():
        columns[attribute.name] = RawColumn(
            attribute.name, attribute.kind, codes=codes, levels=attribute.levels, declared=True,
            choices=attribute.choices,
        )  # fmt: skip
    for attribute, strings in table.text_columns():
        columns[attribute.name] = RawColumn(
            attribute.name, "text", strings=strings, choices=attribute.choices
        )
    for attribute, array in zip(schema.ignored, table.ignored, strict=True):
        if attribute.name in names:
            columns[attribute.name] = arrays.column_of(attribute.name, array, Report())
    if table.sparse is None:
        for attribute, values in table.numeric_columns():
            columns[attribute.name] = RawColumn(
                attribute.name,
                "numeric",
                values=values,
                form=attribute.form,
                choices=attribute.choices,
                written=table.written.get(attribute.name),
            )
    target = schema.target
    if target is not None and table.labels is not None:
        columns[target.name] = RawColumn(
            target.name, target.kind, codes=table.labels, levels=target.levels, declared=True, choices=target.choices
        )  # fmt: skip
    elif target is not None:
        columns[target.name] = RawColumn(
            target.name, "numeric", values=table.response, form=target.form, choices=target.choices
        )
    if schema.weight is not None:
        columns[schema.weight] = RawColumn(schema.weight, "numeric", values=table.row_weights)
    return RawTable(
        len(table),
        names,
        {name: columns[name] for name in names if name in columns},
        table.sparse,
        tuple(a.name for a in schema.numeric) if table.sparse is not None else (),
        target.name if target is not None else None,
        schema.weight,
        tuple(a.name for a in schema.ignored),
        table.weights if schema.weight is None else NO_WEIGHTS,
        typeless=True,
    )


def with_y(raw: RawTable, y: RawColumn, n_labels: int) -> RawTable:
    """The same columns with y behind them as the target."""
    if raw.target is not None:
        raise DataError(
            f"(X, y): X is a table with a target of its own, {raw.target!r}; give one of the two."
        )
    if n_labels != raw.n_rows:
        raise DataError(
            f"Found input variables with inconsistent numbers of samples: [{raw.n_rows}, {n_labels}]; "
            "X and y must have the same number of rows."
        )
    y.name = free_name(y.name, raw.names)
    return replace(raw, names=(*raw.names, y.name), columns={**raw.columns, y.name: y}, target=y.name)


def finish(raw_columns: RawTable, request: Request, report: Report) -> Table:
    """Give every column its role, decide kinds and levels, and fill the table."""
    roles = roles_for(raw_columns, request)
    raw_columns = write_out_columns(raw_columns, roles)
    if raw_columns.typeless:
        for name in raw_columns.columns.keys() & {*roles.kinds, roles.target}:
            _whole_if_whole(raw_columns.columns[name])
    if request.missing:
        blank_tokens(raw_columns, request.missing)
    for name, pairs in roles.merge.items():
        raw_columns.columns[name] = merge_levels(raw_columns.columns[name], pairs)
    place = {name: j for j, name in enumerate(raw_columns.matrix_names)}
    # What stays sparse is shown to `plan` as a column without rows: only its kind is asked for.
    empty = np.empty(0)
    columns = [
        raw_columns.columns.get(name) or RawColumn(name, "numeric", values=empty)
        for name in raw_columns.names
    ]
    schema = plan(columns, roles, report)
    block = None
    if raw_columns.matrix is not None:
        numeric = [attribute.name for attribute in schema.numeric]
        block = sparse.choose_columns(raw_columns.matrix, place, raw_columns.columns, numeric)
    table = fill(columns, schema, report, raw_columns.n_rows, sparse=block)
    if raw_columns.weights.size and schema.weight is None:
        table.weights = raw_columns.weights
    return table


def roles_for(raw: RawTable, request: Request) -> Roles:
    """The caller's roles, and where the caller says nothing the source's own."""
    names = raw.names
    used = {resolve(c, names) for c in (*request.kinds, *request.levels, *request.ignore)}
    used |= {resolve(c, names) for c in (request.target, request.weight) if c is not None}
    gone = {resolve(c, names) for c in request.ignore}
    gone |= {resolve(c, names) for c, kind in request.kinds.items() if kind == "ignored"}
    if request.target is not None:
        gone.add(resolve(request.target, names))
    keep_weight = request.weight is None and raw.weight is not None and raw.weight not in gone
    return Roles.of(
        replace(
            request,
            weight=raw.weight if keep_weight else request.weight,
            ignore=(*request.ignore, *(name for name in raw.ignored if name not in used)),
        ),
        names,
        default_target=raw.target,
    )


def write_out_columns(raw: RawTable, roles: Roles) -> RawTable:
    """Columns of the matrix that are to be anything but a numeric input, as columns of their own."""
    other = {roles.target, roles.weight, *roles.ignored, *roles.levels, *roles.merge}
    other |= {name for name, kind in roles.kinds.items() if kind != "numeric"}
    dense = dict(raw.columns)
    for j, name in enumerate(raw.matrix_names):
        if name in other:
            values = sparse.column_from(raw.matrix, j)
            dense[name] = RawColumn(name, "numeric", values=values)
    return replace(raw, columns=dense)


def _whole_if_whole(column: RawColumn) -> None:
    """Let labels made of numbers be integers when all the numbers are."""
    if column.values is not None:
        known = column.values[~np.isnan(column.values)]
        if np.all(np.isfinite(known)) and np.array_equal(known, np.floor(known)):
            column.whole = int


def blank_tokens(raw: RawTable, tokens: Sequence[str]) -> None:
    """Make the values that the caller calls missing so, in every column."""
    numbers = [number for token in tokens if (number := _number(token)) is not None]
    if raw.matrix is not None and numbers:
        raw.matrix = sparse.blank_numbers(raw.matrix, numbers)
    for name, column in raw.columns.items():
        raw.columns[name] = blank_values(column, tokens, numbers)


def blank_values(column: RawColumn, tokens: Sequence[str], numbers: Sequence[float]) -> RawColumn:
    """A column whose values among `tokens` (or, of numbers, among `numbers`) are missing."""
    if column.values is not None:
        hit = np.isin(column.values, numbers)
        return replace(column, values=np.where(hit, np.nan, column.values)) if hit.any() else column
    if column.strings is not None:
        strings = column.strings.copy()
        strings[[string in tokens for string in strings]] = None
        return replace(column, strings=strings)
    assert column.codes is not None
    stays = np.array([level_text(level) not in tokens for level in column.levels], dtype=np.bool_)
    if stays.all():
        return column
    kept = [level for level, stay in zip(column.levels, stays, strict=True) if stay]
    table = np.full(len(stays) + 2, MISSING, dtype=np.int32)
    table[:-2][stays] = np.arange(len(kept))
    table[-2] = UNKNOWN
    return replace(column, codes=table[column.codes], levels=tuple(kept))


def _number(token: str) -> float | None:
    try:
        return float(token)
    except ValueError:
        return None
