"""A perceptron after learning: a vector for each plane, or coefficients of kept rows under a kernel."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

import numpy as np

from acumen.base.linear_scores import plane_lines, plane_table
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.explain.cell_text import cell_text
from acumen.explain.explanation import Evidence
from acumen.explain.starting_point import AVERAGE_ROW
from acumen.geometry.kernel import is_sparse
from acumen.geometry.support import SupportRows
from acumen.preprocessing.finite import finite_matrix
from acumen.preprocessing.matrix import NumericMatrix
from acumen.preprocessing.sparse import row_products
from acumen.preprocessing.stored_arrays import require, stored_floats
from acumen.render.report import ReportTable
from acumen.types import Array, Floats

_MOST = 1e150
_ROWS = 8192


class PerceptronForm(ABC):
    """One value for each row and vector."""

    __slots__ = ()

    @abstractmethod
    def values(self, rows: Table) -> Floats:
        """(rows, vectors)."""

    @property
    @abstractmethod
    def n_parameters(self) -> int:
        """How many numbers were learned."""

    @abstractmethod
    def lines(self, schema: Schema, full: bool) -> list[str]:
        """The vectors in words."""

    @abstractmethod
    def to_arrays(self) -> dict[str, Array]:
        """Named arrays for the model file."""

    @classmethod
    @abstractmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema, vectors: int) -> Self:
        """Read `to_arrays` back, trusting nothing."""


@dataclass(frozen=True, slots=True)
class PlaneForm(PerceptronForm):
    """Weights of the columns, and last of the extra component."""

    view: NumericMatrix
    weights: Floats  # (vectors, columns + 1)
    extra: int  # the extra component: 1 or -1
    #: The training rows' mean of each column, which reasons are counted from; nothing where it is not known.
    average: Floats = field(default_factory=lambda: np.empty(0))

    def values(self, rows: Table) -> Floats:
        values = np.empty((len(rows), len(self.weights)))
        for start in range(0, len(rows), _ROWS):
            part = slice(start, min(start + _ROWS, len(rows)))
            with np.errstate(over="ignore", invalid="ignore"):
                values[part] = row_products(finite_matrix(self.view, rows.take(part)), self.weights[:, :-1].T)
        values += self.extra * self.weights[:, -1]
        return values

    @property
    def n_parameters(self) -> int:
        return int(self.weights.size)

    def evidence(self, row: Table, schema: Schema, winner: int, rival: int) -> tuple[Evidence, ...]:
        """What each attribute adds to the winner's value against the rival's."""
        if len(self.weights) == 1:
            vector = self.weights[0] * (1.0 if winner == 1 else -1.0)
        else:
            vector = self.weights[winner] - self.weights[rival]
        matrix = finite_matrix(self.view, row)
        line = (matrix.toarray() if is_sparse(matrix) else matrix)[0]
        average = self.average if self.average.size else np.zeros_like(line)
        parts = (line - average) * vector[:-1]
        starts = self.view.starts.tolist()
        named = [
            Evidence(a.name, cell_text(row, a.name), float(parts[first:last].sum()))
            for a, first, last in zip(schema, starts[:-1], starts[1:], strict=True)
        ]
        start = float(self.extra * vector[-1] + average @ vector[:-1])
        return (Evidence(None, AVERAGE_ROW, start, role="start"), *named)

    def lines(self, schema: Schema, full: bool) -> list[str]:
        intercepts = self.extra * self.weights[:, -1]
        heads = self._heads(schema)
        return plane_lines(list(self.view.names), self.weights[:, :-1], intercepts, heads, full)

    def table(self, schema: Schema) -> ReportTable:
        """The vectors for a page."""
        intercepts = self.extra * self.weights[:, -1]
        return plane_table(list(self.view.names), self.weights[:, :-1], intercepts, self._heads(schema))

    def _heads(self, schema: Schema) -> list[str]:
        classes = [str(c) for c in schema.classes]
        return [f"{classes[-1]} over {classes[0]}"] if len(self.weights) == 1 else classes

    def to_arrays(self) -> dict[str, Array]:
        arrays = {f"view/{name}": array for name, array in self.view.to_arrays().items()}
        average = {"average": self.average} if self.average.size else {}
        return {**arrays, "weights": self.weights, "extra": np.array([float(self.extra)]), **average}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema, vectors: int) -> Self:
        parts = {n.removeprefix("view/"): a for n, a in arrays.items() if n.startswith("view/")}
        view = NumericMatrix.from_arrays(parts)
        require(view.schema == schema.without_target(), "the view is of another schema")
        require(np.isfinite(view.fill[[a.is_numeric for a in view.schema]]).all(), "the view leaves gaps")
        extra = stored_floats(arrays, "extra", (1,))
        require(extra[0] in (1.0, -1.0), "the extra component is neither 1 nor -1")
        weights = stored_floats(arrays, "weights", (vectors, len(view.names) + 1), low=-_MOST, high=_MOST)
        average = np.empty(0)
        if "average" in arrays:
            average = stored_floats(arrays, "average", (len(view.names),))
        return cls(view, weights, int(extra[0]), average)


@dataclass(frozen=True, slots=True)
class KernelForm(PerceptronForm):
    """Coefficients of kept rows; the intercept is what the extra component comes to."""

    support: SupportRows
    coefficients: Floats  # (kept rows, vectors)
    intercept: Floats  # (vectors,)

    @classmethod
    def of(cls, support: SupportRows, coefficients: Floats) -> Self:
        """Of all training rows those that were ever a mistake are kept."""
        intercept = coefficients.sum(axis=0)
        if support.view is None:
            return cls(support, coefficients, intercept)
        kept = np.flatnonzero(coefficients.any(axis=1))
        fewer = SupportRows(support.view, support.kernel, np.ascontiguousarray(support.rows[kept]))
        return cls(fewer, np.ascontiguousarray(coefficients[kept]), intercept)

    def values(self, rows: Table) -> Floats:
        return self.support.sums(rows, self.coefficients) + self.intercept

    @property
    def n_parameters(self) -> int:
        return int(self.coefficients.size)

    def lines(self, schema: Schema, full: bool) -> list[str]:
        return [f"{self.support.kernel!r} with {len(self.support)} kept rows"]

    def to_arrays(self) -> dict[str, Array]:
        return {
            **self.support.to_arrays(),
            "coefficients": self.coefficients,
            "intercept": self.intercept,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema, vectors: int) -> Self:
        support = SupportRows.from_arrays(arrays, schema)
        return cls(
            support,
            stored_floats(arrays, "coefficients", (len(support), vectors), low=-_MOST, high=_MOST),
            stored_floats(arrays, "intercept", (vectors,), low=-_MOST, high=_MOST),
        )
