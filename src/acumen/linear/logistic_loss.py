"""The loss of logistic regression over the rows of a design, with a ridge: what the solvers minimise.

It is the mean: (sum of weight * -log P(class | row) + ridge v^2 / 2) / (sum of weights), in the design's own
coordinates v. Two classes have one line of coefficients, K classes K lines; each ends in its intercept.

K lines can all be moved by the same amount without a change in any probability. Where no ridge forbids it the
matrix of second derivatives is given a slope in that direction; the gradient has none there, so that the
lines of a coefficient always sum to zero.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from acumen import _native
from acumen.engines.cores import cores
from acumen.linear.design import Design
from acumen.types import Array, Codes, Floats, Indices

_NO_WEIGHTS = np.empty(0)
_ROWS = 8192  # at a time


@dataclass(slots=True, eq=False)
class LogisticLoss:
    """Labels are codes 0 .. classes - 1, every class present; weights may be empty."""

    design: Design
    labels: Codes
    weights: Floats
    lines: int
    ridge: Floats  # for each column and the intercept
    total: float  # of the weights
    absolute: bool = False  # whether the solver minds an l1 penalty on all columns beside it
    _sparse: Any = field(init=False, default=None)
    _scratch: Floats = field(init=False, default_factory=lambda: np.empty((0, 0)))

    @property
    def n_rows(self) -> int:
        return len(self.labels)

    @property
    def size(self) -> int:
        """The number of coefficients, intercepts among them."""
        return self.lines * (self.design.width + 1)

    def hessian_cost(self) -> float:
        """Multiplications for the second derivatives over all rows."""
        pairs = self.lines * (self.lines + 1) / 2
        if self.design.sparse:
            return pairs * self.n_rows * (1.0 + self.design.values.nnz / max(self.n_rows, 1)) ** 2
        return pairs * self.n_rows * (self.design.width + 1) ** 2 / 2

    # -- value, gradient, second derivatives ------------------------------------------------------

    def __call__(self, point: Floats) -> tuple[float, Floats]:
        """Value and gradient."""
        return self._pass(point, None)

    def second_order(self, point: Floats) -> tuple[float, Floats, Floats]:
        """Value, gradient and second derivatives."""
        hessian = np.empty((self.size, self.size))
        value, gradient = self._pass(point, hessian)
        hessian /= self.total
        flat = np.tile(self.ridge / self.total, self.lines)
        hessian[np.diag_indices(self.size)] += flat + np.tile(self._dead, self.lines)
        if self.lines > 1:
            each = self.design.width + 1
            for j, height in zip(*self.levels(hessian), strict=True):
                at = np.arange(j, self.size, each)
                hessian[np.ix_(at, at)] += height / self.lines
        return value, gradient, hessian

    def levels(self, hessian: Floats) -> tuple[list[int], list[float]]:
        """The columns whose lines may all move together, and the slope that they are given for it."""
        loose = (self.ridge == 0) & (self._dead == 0)
        if self.absolute:
            loose[:-1] = False
        free = np.flatnonzero(loose).tolist()
        mean = np.diag(hessian).reshape(self.lines, -1).mean(axis=0)
        return free, [float(mean[j]) or 1.0 for j in free]

    @property
    def _dead(self) -> Floats:
        """One for columns without information, so that the matrix stays regular; their gradient is zero."""
        return np.r_[(self.design.factor == 0) & (self.ridge[:-1] == 0), False].astype(np.float64)

    def _pass(self, point: Floats, hessian: Floats | None) -> tuple[float, Floats]:
        design = self.design
        coefficients = np.ascontiguousarray(point.reshape(self.lines, design.width + 1))
        gradient = np.empty_like(coefficients)
        if design.sparse:
            loss = self._sparse_pass(coefficients, gradient, hessian)
        else:
            columns = design.values if isinstance(design.values, np.ndarray) else _columns(design.values)
            loss = _native.logistic_dense(
                columns, design.centre, design.factor, self.labels, self.weights, coefficients, gradient,
                hessian, cores(),
            )  # fmt: skip
        held = self.ridge * coefficients
        value = (loss + 0.5 * float(np.sum(held * coefficients))) / self.total
        gradient += held
        gradient /= self.total
        return value, gradient.ravel()

    def _sparse_pass(self, coefficients: Floats, gradient: Floats, hessian: Floats | None) -> float:
        design, factor = self.design, np.r_[self.design.factor, 1.0]
        if self._sparse is None:
            self._sparse = _by_rows_and_columns(design)
            self._scratch = np.empty((self.n_rows, self.lines))
        scaled = coefficients * factor
        loss = self._sparse.logistic(self.labels, self.weights, scaled, self._scratch, gradient, cores())
        gradient *= factor
        if hessian is not None:
            self._sparse.logistic_hessian(self.labels, self.weights, scaled, hessian, cores())
            every = np.tile(factor, self.lines)
            hessian *= every
            hessian *= every[:, None]
        return float(loss)

    # -- other views of it ------------------------------------------------------------------------

    def every(self, step: int) -> LogisticLoss:
        """The same loss over every `step`-th row, each standing for the rows left out."""
        weights = _thin(self.weights, step)
        labels = np.ascontiguousarray(self.labels[::step])
        total = float(weights.sum()) if weights.size else float(len(labels))
        design = replace(self.design, values=_rows(self.design.values, slice(None, None, step)), turned=None)
        return LogisticLoss(
            design, labels, weights, self.lines, self.ridge * (total / self.total), total, self.absolute
        )

    def gradient_of(self, point: Floats, rows: Indices) -> Floats:
        """The gradient over some rows alone, the ridge counting in full: an unbiased guess of the whole."""
        weights = self.weights[rows] if self.weights.size else _NO_WEIGHTS
        share = self.total / self.n_rows * len(rows)
        design = replace(self.design, values=_rows(self.design.values, rows), turned=None)
        some = LogisticLoss(
            design, self.labels[rows], weights, self.lines, self.ridge * (share / self.total), share
        )
        return some(point)[1]

    def standard(self, rows: slice = slice(None)) -> Floats:
        """Some rows of a dense design in its own coordinates."""
        matrix = np.asarray(_rows(self.design.values, rows))
        apart = (matrix - self.design.centre) * self.design.factor
        return np.where(np.isfinite(apart), apart, 0.0)

    def scores(self, point: Floats) -> Floats:
        """The score of each line for each row."""
        design = self.design
        lines = point.reshape(self.lines, design.width + 1)
        if design.sparse:
            scores: Floats = design.values @ (lines[:, :-1] * design.factor).T + lines[:, -1]
            return scores
        scores = np.empty((self.n_rows, self.lines))
        for first in range(0, self.n_rows, _ROWS):
            part = slice(first, first + _ROWS)
            scores[part] = self.standard(part) @ lines[:, :-1].T + lines[:, -1]
        return scores


def _columns(values: Any) -> Array | list[Floats]:
    """A block as the kernels take it: its matrix where there is one."""
    return values.matrix() if values._matrix is not None else list(values.columns)


def _rows(values: Any, rows: Any) -> Any:
    return values.take(rows) if hasattr(values, "take") and hasattr(values, "columns") else values[rows]


def _thin(weights: Floats, step: int) -> Floats:
    return np.ascontiguousarray(weights[::step]) if weights.size else weights


def _by_rows_and_columns(design: Design) -> Any:
    """Both forms of a sparse matrix for the kernel, which checks them once."""
    turned = design.values.tocsc() if design.turned is None else design.turned
    forms = []
    for form in (design.values, turned):
        forms += [form.indptr.astype(np.int64), form.indices.astype(np.int32, copy=False), form.data]
    return _native.SparseRows(*forms)
