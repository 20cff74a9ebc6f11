"""Small tables made by hand for the tests of views."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from acumen.data.schema import Attribute, Schema
from acumen.data.table import NO_WEIGHTS, Table

NAN = float("nan")


def table_of(
    columns: Mapping[str, Any],
    *,
    labels: Sequence[int] | None = None,
    n_classes: int = 2,
    weights: Sequence[float] = (),
) -> Table:
    """A list of numbers is numeric, `(kind, levels, codes)` nominal or ordinal, a list of strings text."""
    attributes, numeric, nominal, text = [], [], [], []
    for name, column in columns.items():
        if isinstance(column, tuple):
            kind, levels, codes = column
            attributes.append(Attribute(name, kind, tuple(levels)))
            nominal.append(np.array(codes, dtype=np.int32))
        elif any(isinstance(value, str) for value in column):
            attributes.append(Attribute(name, "text"))
            text.append(np.array(column, dtype=object))
        else:
            attributes.append(Attribute(name))
            numeric.append(np.array(column, dtype=np.float64))
    target = (
        None if labels is None else Attribute("class", "nominal", tuple(f"c{i}" for i in range(n_classes)))
    )
    (n_rows,) = {len(column) for column in (*numeric, *nominal, *text)}
    return Table(
        Schema(tuple(attributes), target),
        n_rows,
        numeric=numeric,
        nominal=nominal,
        text=text,
        labels=None if labels is None else np.array(labels, dtype=np.int32),
        weights=np.array(weights, dtype=np.float64) if len(weights) else NO_WEIGHTS,
    )


def sparse_twin(table: Table) -> Table:
    """The same table with its numeric attributes in a CSR block."""
    from scipy.sparse import csr_matrix

    return Table(
        table.schema,
        len(table),
        nominal=table.nominal,
        text=table.text,
        sparse=csr_matrix(table.numeric.matrix()),
        labels=table.labels,
        weights=table.weights,
    )


def repeated(table: Table) -> Table:
    """Each row as often as its (whole) weight says, without weights."""
    made = table.take(np.repeat(np.arange(len(table)), table.row_weights.astype(int)))
    made.weights = NO_WEIGHTS
    return made
