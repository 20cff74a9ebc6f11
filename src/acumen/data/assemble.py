"""From columns as they came to a table: which column is what, under which levels.

    plan    columns, roles -> Schema     decides kinds and levels; looks at whole columns
    fill    columns, schema -> Table     turns each column into what the schema wants

`acumen.read` does both at once; `acumen.scan` plans over the whole source and fills part by part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from acumen import messages
from acumen.data.columns import MANY_LEVELS, RawColumn, id_like
from acumen.data.report import Report
from acumen.data.request import Roles
from acumen.data.schema import Attribute, Schema
from acumen.data.table import NO_WEIGHTS, Table
from acumen.errors import DataError
from acumen.types import UNKNOWN, Array, Codes, Floats, Objects

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


def plan(columns: Sequence[RawColumn], roles: Roles, report: Report) -> Schema:
    """Decide what each column is."""
    attributes, ignored, target = [], [], None
    for column in columns:
        if column.name in roles.ignored:
            ignored.append(Attribute(column.name, "ignored"))
        elif column.name == roles.target:
            target = _with_choices(_target(column, roles, report), column, roles)
        elif column.name != roles.weight:
            attributes.append(_with_choices(_input(column, roles, report), column, roles))
    if not attributes:
        raise DataError("the table has no input left besides target, weight and ignored columns.")
    return Schema(tuple(attributes), target, roles.weight, tuple(ignored), roles.names)


def _with_choices(attribute: Attribute, column: RawColumn, roles: Roles) -> Attribute:
    """The attribute with what the reader was told of it."""
    choices = column.choices + roles.choices(column.name)
    return replace(attribute, choices=choices) if choices else attribute


def _target(column: RawColumn, roles: Roles, report: Report) -> Attribute:
    name, wish = column.name, roles.kinds.get(column.name)
    if wish == "text":
        raise DataError(f"target {name!r}: a target is nominal, ordinal or numeric, never text.")
    if wish is None and name not in roles.levels and column.values is not None and not column.is_class_like():
        report.note(
            "target-numeric", f"target {name!r} is numeric: its values are to be regressed on.", column=name
        )
        return Attribute(name, "numeric", form=column.form)
    if wish == "numeric":
        return Attribute(name, "numeric", form=column.form)
    kind = wish or ("ordinal" if column.kind == "ordinal" else "nominal")
    levels = roles.levels.get(name) or column.distinct()
    if column.values is not None:
        report.note(
            "target-nominal",
            f"target {name!r} holds whole numbers of {len(levels)} values and is taken as class labels.",
            column=name,
        )
    return Attribute(name, kind, levels)


def _input(column: RawColumn, roles: Roles, report: Report) -> Attribute:
    name = column.name
    kind = roles.kinds.get(name)
    if kind is None:
        kind = column.kind
        if name in roles.levels and kind not in ("nominal", "ordinal"):
            kind = "nominal"
    if kind not in ("nominal", "ordinal"):
        return Attribute(name, kind, form=column.form if kind == "numeric" else "")
    levels = roles.levels.get(name) or column.distinct()
    if (
        len(levels) > MANY_LEVELS
        and column.codes is not None
        and id_like(int(np.sum(column.codes >= 0)), len(levels))
    ):
        report.warn(
            "id-like",
            f"column {name!r} has {len(levels):,} levels, nearly one a row, and looks like an identifier; "
            f"leave it out with {messages.option('ignore', name)}.",
            column=name,
        )
    return Attribute(name, kind, levels)


def fill(
    columns: Sequence[RawColumn],
    schema: Schema,
    report: Report,
    n_rows: int,
    sparse: csr_matrix | None = None,
) -> Table:
    """Turn each column into what the schema wants of it; `sparse` brings all numeric inputs at once."""
    by_name = {column.name: column for column in columns}
    numeric: list[Floats] = []
    nominal: list[Codes] = []
    text: list[Objects] = []
    for attribute in schema.attributes:
        if attribute.is_numeric and sparse is not None:
            continue
        column = by_name[attribute.name]
        if attribute.is_nominal:
            nominal.append(_encode(column, attribute, report))
        elif attribute.is_numeric:
            numeric.append(column.to_floats())
        else:
            text.append(column.to_strings())
    labels: Codes | None = None
    response: Floats | None = None
    if schema.target is not None:
        column = by_name[schema.target.name]
        if schema.target.is_nominal:
            labels = _encode(column, schema.target, report)
        else:
            response = column.to_floats()
    weights = _weights(by_name[schema.weight]) if schema.weight is not None else NO_WEIGHTS
    ignored: list[Array] = [by_name[a.name].natural() for a in schema.ignored]
    return Table(
        schema, n_rows, numeric=numeric, nominal=nominal, text=text, sparse=sparse, labels=labels, response=response,
        weights=weights, ignored=ignored, report=report,
    )  # fmt: skip


def _encode(column: RawColumn, attribute: Attribute, report: Report) -> Codes:
    codes = column.to_codes(attribute.levels)
    unknown = int(np.count_nonzero(codes == UNKNOWN))
    if unknown:
        warn_unknown(report, column.name, unknown)
    return codes


def warn_unknown(report: Report, name: str, count: int) -> None:
    """Say that a column holds values its levels do not have."""
    report.warn(
        "unknown-level",
        f"column {name!r}: {count} values are not among the levels given and count as unknown.",
        column=name,
        count=count,
    )


def _weights(column: RawColumn) -> Floats:
    weights = column.to_floats()
    bad = np.flatnonzero(~(weights >= 0) | np.isinf(weights))
    if bad.size:
        raise DataError(
            f"weight column {column.name!r}: row {bad[0] + 1} has weight {weights[bad[0]]}; "
            "weights must be numbers of at least 0, none missing."
        )
    return weights
