"""A column as a weighted sample: what every view fitted on columns is computed from.

    samples         table -> for each numeric attribute its known values and their weights
    mean, median, mode, mean_deviation, deviation     of such a sample
    remade          a table with other inputs and the same target, weights and ignored columns

Rows of weight 0 are as if absent. Missing values are left out, and so are infinite ones, which have no
mean. Empty weights mean ones. A column of a sparse table is its stored values and one zero that weighs
as much as all the zeros that are not stored, so no column is ever written out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from acumen.data.block import Block
from acumen.data.schema import Attribute, Schema
from acumen.data.table import NO_WEIGHTS, Table
from acumen.errors import DataError
from acumen.types import Array, Codes, Floats


def samples(table: Table) -> Iterator[tuple[Attribute, Floats, Floats]]:
    """Each numeric attribute with its known values and their weights (empty: all ones)."""
    if table.sparse is not None:
        yield from _sparse_samples(table)
        return
    for attribute, column in table.numeric_columns():
        yield attribute, *sample(column, table.weights)


def sample(column: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """The finite values of positive weight, and their weights; the column itself when that is all of it."""
    keep = np.isfinite(column)
    if weights.size:
        keep &= weights > 0
    if keep.all():
        return column, weights
    return column[keep], weights[keep] if weights.size else NO_WEIGHTS


def code_sample(codes: Codes, weights: Floats) -> tuple[Floats, Floats]:
    """Known codes as numbers, and their weights."""
    keep = codes >= 0
    if weights.size:
        keep &= weights > 0
    return codes[keep].astype(np.float64), weights[keep] if weights.size else NO_WEIGHTS


def _sparse_samples(table: Table) -> Iterator[tuple[Attribute, Floats, Floats]]:
    assert table.sparse is not None
    by_column = table.sparse.tocsc()
    by_column.sum_duplicates()
    weights = table.row_weights
    present = weights > 0
    n_present, total = int(present.sum()), float(weights.sum())
    for j, attribute in enumerate(table.schema.numeric):
        here = slice(by_column.indptr[j], by_column.indptr[j + 1])
        stored = np.asarray(by_column.data[here], dtype=np.float64)
        of_stored = weights[by_column.indices[here]]
        values, known = sample(stored, of_stored)
        n_stored = int((of_stored > 0).sum())
        if n_stored < n_present:
            values = np.append(values, 0.0)
            known = np.append(known, total - float(of_stored.sum()))
        yield attribute, values, known


def total(values: Floats, weights: Floats) -> float:
    return float(weights.sum()) if weights.size else float(len(values))


def mean(values: Floats, weights: Floats) -> float:
    """The weighted mean of a sample that is not empty."""
    # In units of the largest magnitude the sum cannot overflow.
    unit = _unit(values)
    scaled = values / unit if unit != 1.0 else values
    summed = float((scaled * weights).sum()) if weights.size else float(scaled.sum())
    return unit * (summed / total(values, weights))


def deviation(values: Floats, weights: Floats) -> float:
    """The standard deviation with divisor n (the total weight); 0 where all values are one."""
    if (values == values[0]).all():  # a computed deviation of equal values need not be exactly 0
        return 0.0
    unit = _unit(values)
    away = values / unit - mean(values, weights) / unit
    away *= away
    return unit * float(np.sqrt(mean(away, weights)))


def mean_deviation(values: Floats, weights: Floats) -> float:
    """The mean of the absolute differences from the mean."""
    unit = _unit(values)
    return unit * mean(np.abs(values / unit - mean(values, weights) / unit), weights)


def median(values: Floats, weights: Floats) -> float:
    """The value with half the weight on either side; between two such values their middle."""
    if not weights.size:
        return float(np.median(values))
    order = np.argsort(values, kind="stable")
    ordered, summed = values[order], np.cumsum(weights[order])
    half = summed[-1] / 2
    at = int(np.searchsorted(summed, half))
    if summed[at] == half and at + 1 < len(ordered):
        return float(ordered[at] / 2 + ordered[at + 1] / 2)
    return float(ordered[at])


def mode(values: Floats, weights: Floats) -> float:
    """The value of most weight, of several the smallest."""
    distinct, inverse = np.unique(values, return_inverse=True)
    summed = np.bincount(inverse.ravel(), weights=weights if weights.size else None)
    return float(distinct[np.argmax(summed)])


def _unit(values: Floats) -> float:
    """A power of two by which to divide so that squares and sums neither overflow nor vanish; mostly 1."""
    largest = max(float(values.max()), -float(values.min()))
    return 1.0 if largest == 0 or 1e-100 < largest < 1e100 else float(2.0 ** np.floor(np.log2(largest)))


def remade(
    table: Table,
    attributes: Sequence[Attribute],
    *,
    numeric: Block[np.float64] | Sequence[Floats] = (),
    nominal: Block[np.int32] | Sequence[Codes] = (),
    sparse: Any = None,
) -> Table:
    """The same rows, text, target, weights and ignored columns with other numeric and nominal inputs.

    Attributes of a name the table knows keep their place among its columns; new ones follow at the end.
    """
    old, names = table.schema, {attribute.name for attribute in attributes}
    kept = [name for name in old.columns if name in names or name not in old.names]
    columns = (*kept, *(a.name for a in attributes if a.name not in kept))
    schema = Schema(tuple(attributes), old.target, old.weight, old.ignored, columns)
    return table.replace(schema=schema, numeric=numeric, nominal=nominal, sparse=sparse, written={})


def require_table(who: str, table: Any) -> None:
    """Refuse anything but a Table, by the name of the view that was asked."""
    if not isinstance(table, Table):
        raise DataError(f"{who}: a Table was expected; got {type(table).__name__}. Read it with acumen.read.")


def is_missing_text(column: Array) -> Array:
    """Where a text column holds no text."""
    return np.fromiter((text is None for text in column), dtype=np.bool_, count=len(column))
