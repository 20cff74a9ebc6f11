"""A table as the matrix that linear models learn from, and the coordinates they learn in.

    DesignCoding   fitted on training rows: the columns, and the replacement of missing values
    Design         the training matrix with centre and factor of each column

Numeric tables are borrowed as they are, sparse ones stay sparse; mixed ones go through a NumericMatrix: a 0/1
column for each level, words as normed log counts. Solvers see dense columns centred and divided by their
standard deviation, whatever the units, so that a model cannot depend on them; sparse columns are not centred.
A missing or infinite value is the mean.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from acumen.data.block import Block
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.engines.blocks import BLOCK_ROWS
from acumen.engines.cores import cores
from acumen.engines.executors import run_in_threads
from acumen.preprocessing.columns import deviation, mean, sample
from acumen.preprocessing.matrix import NumericMatrix
from acumen.preprocessing.stored_arrays import require, stored_floats
from acumen.summaries.algebra import add_up
from acumen.summaries.moments import ClassMoments
from acumen.types import Array, Bools, Codes, Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


@dataclass(frozen=True, slots=True, eq=False)
class DesignCoding:
    """The columns of a model's matrix; `view` is None for tables of numbers alone, whose columns they are."""

    view: NumericMatrix | None
    fill: Floats  # what stands for a missing value, a number for each column

    @property
    def width(self) -> int:
        return len(self.fill)

    def names(self, schema: Schema) -> tuple[str, ...]:
        """The names of the columns."""
        return schema.names if self.view is None else self.view.names

    def starts(self, schema: Schema) -> Codes:
        """For each attribute its first column, and at the end the number of columns."""
        if self.view is None:
            return np.arange(len(schema) + 1, dtype=np.int32)
        return self.view.starts

    def matrix(self, rows: Table) -> Floats | csr_matrix:
        """The rows as a matrix, gaps filled."""
        if self.view is not None:
            return self.view.transform(rows)
        if rows.sparse is not None:
            return _fill(rows.sparse, self.fill)
        matrix = rows.numeric.matrix()
        gaps = ~np.isfinite(matrix)
        return np.where(gaps, self.fill, matrix) if gaps.any() else matrix

    def to_arrays(self) -> dict[str, Array]:
        arrays: dict[str, Array] = {"fill": self.fill}
        if self.view is not None:
            arrays |= {f"view/{name}": array for name, array in self.view.to_arrays().items()}
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        inner = {name[5:]: array for name, array in arrays.items() if name.startswith("view/")}
        view = NumericMatrix.from_arrays(inner) if inner else None
        if view is None:
            require(len(schema.numeric) == len(schema), "a table that is not numeric needs an encoder")
        else:
            require(view.schema == schema.without_target(), "the view was made for another schema")
        width = len(schema) if view is None else len(view.names)
        return cls(view, stored_floats(arrays, "fill", (width,)))


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """Training rows as a matrix, dense or sparse, in the coordinates (x - centre) * factor.

    A factor of 0 marks a column without information (constant, or left out); `plain` columns (levels and words)
    are those that `scale` leaves as they are.
    """

    coding: DesignCoding
    names: tuple[str, ...]
    values: Any  # a Block or matrix, or CSR
    centre: Floats
    factor: Floats
    plain: Bools
    turned: Any = None  # a sparse matrix again, by columns
    average: Floats = field(default_factory=lambda: np.empty(0))  # mean of the columns, where `centre` is not

    @property
    def sparse(self) -> bool:
        return hasattr(self.values, "indptr")

    @property
    def width(self) -> int:
        return len(self.names)

    def without(self, columns: Bools) -> Design:
        """The same with some columns left out."""
        factor = np.where(columns, 0.0, self.factor)
        return replace(self, factor=factor)


def design_of(table: Table) -> Design:
    """Code training rows as numbers and find the coordinates."""
    schema = table.schema.without_target()
    if len(schema.numeric) == len(schema):
        view, plain = None, np.zeros(len(schema), dtype=np.bool_)
        values: Any = table.numeric if table.sparse is None else table.sparse
        names = schema.names
    else:
        view = NumericMatrix.fit(table, impute="mean")
        values = view.transform(table)
        starts = view.starts
        plain = np.ones(int(starts[-1]), dtype=np.bool_)
        for i, attribute in enumerate(schema):
            if attribute.is_numeric or attribute.kind == "ordinal":
                plain[starts[i] : starts[i + 1]] = False
        names = view.names
    if hasattr(values, "indptr"):
        turned = values.tocsc()
        centre, spread = _sparse_moments(turned, table.row_weights)
        coding = DesignCoding(view, centre)
        filled = _fill(values, centre)
        factor = np.where(plain, 1.0, np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0))
        turned = turned if filled is values else filled.tocsc()
        return Design(coding, names, filled, np.zeros_like(centre), factor, plain, turned, centre)
    centre, spread = _moments(values, table.weights, len(table), len(names))
    factor = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0)
    return Design(DesignCoding(view, centre), names, values, centre, factor, plain)


def _moments(values: Any, weights: Floats, n: int, width: int) -> tuple[Floats, Floats]:
    """Mean and standard deviation of each column over its known values; 0 and 0 without any."""
    moments = _moments_in_blocks(values, weights, n)
    centre, weight, scatter = moments.mean[0].copy(), moments.weight[0], moments.scatter[0]
    spread = np.sqrt(np.divide(scatter, weight, out=np.zeros(width), where=weight > 0))
    columns = values.columns if isinstance(values, Block) else values.T
    for j in np.flatnonzero(~np.isfinite(spread)):  # squares beyond the range of numbers
        known = sample(columns[j], weights)
        centre[j], spread[j] = mean(*known), deviation(*known)
    # What rounding leaves of a constant column is no spread.
    spread[spread <= 1e-13 * np.abs(centre)] = 0.0
    return centre, spread


def _moments_in_blocks(values: Any, weights: Floats, n: int) -> ClassMoments:
    """The moments of all rows as one class, blocks of them in threads."""
    label = np.zeros(min(n, BLOCK_ROWS), dtype=np.int32)

    def part(first: int) -> ClassMoments:
        block = slice(first, min(n, first + BLOCK_ROWS))
        rows = values.take(block) if isinstance(values, Block) else values[block]
        return ClassMoments.of(rows, label[: block.stop - first], weights[block], 1)

    tasks = (partial(part, first) for first in range(0, max(n, 1), BLOCK_ROWS))
    return add_up(run_in_threads(tasks, cores() if n > BLOCK_ROWS else 1))


def _sparse_moments(turned: Any, weights: Floats) -> tuple[Floats, Floats]:
    """The same for a sparse matrix given by columns, its zeros counting; stored gaps are left out."""
    heavy = weights[turned.indices]
    known = np.isfinite(turned.data)
    data, total = turned.data, np.full(turned.shape[1], weights.sum())
    if not known.all():
        data = np.where(known, data, 0.0)
        total -= column_sums(turned, np.where(known, 0.0, heavy))
    total = np.where(total > 0, total, 1.0)
    heavy = heavy * data
    centre = column_sums(turned, heavy) / total
    square = column_sums(turned, heavy * data) / total
    return centre, np.sqrt(np.maximum(square - centre**2, 0.0))


def column_sums(turned: Any, entries: Floats) -> Floats:
    """The sum of each column's entries, one for each stored value of a matrix given by columns."""
    sums = np.zeros(turned.shape[1])
    some = np.flatnonzero(np.diff(turned.indptr))
    if len(some):
        sums[some] = np.add.reduceat(entries, turned.indptr[some])
    return sums


def _fill(values: csr_matrix, fill: Floats) -> csr_matrix:
    gaps = np.flatnonzero(~np.isfinite(values.data))
    if not len(gaps):
        return values
    data = values.data.copy()
    data[gaps] = fill[values.indices[gaps]]
    return type(values)((data, values.indices, values.indptr), shape=values.shape)


def facts_array(model: Any) -> Floats:
    """Log-likelihood, weight of the rows, free parameters and penalty of a fitted model, as one array."""
    return np.array([model.log_likelihood, model.weight, float(model.free), float(model.penalty)])


def read_facts(arrays: Mapping[str, Array], penalties: Sequence[str]) -> dict[str, Any]:
    """Read `facts_array` from a model file, validating everything: the fields by name."""
    likelihood, weight, free, penalty = stored_floats(arrays, "facts", (4,)).tolist()
    require(0 <= free < 2**53 and free == int(free), "the number of parameters is missing")
    require(penalty in range(len(penalties)), "the penalty is missing")
    require(weight > 0, "no row has any weight")
    return {"log_likelihood": likelihood, "weight": weight, "free": int(free), "penalty": int(penalty)}
