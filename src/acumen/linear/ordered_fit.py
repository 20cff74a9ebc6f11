"""Proportional odds from labelled rows to a model: the loss and its derivatives, Newton's steps, standard errors.

The loss minimised is sum(weight * -log P(class | row)) + |w|^2 / (2 C) over coefficients w in the units of the columns,
or with `scale` in units of their standard deviations; thresholds are free. It is convex (log P is concave in thresholds
and coefficients together, Pratt 1981), so that a small gradient beside positive second derivatives is a certificate:
`gap`, half the squared Newton decrement, is about how far the loss is above the least there is.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from acumen.data.table import Table
from acumen.engines.cores import blas_threads
from acumen.errors import AcumenWarning
from acumen.linear.design import Design, design_of
from acumen.linear.logistic_fit import independent, mean_products
from acumen.linear.logistic_solve import MOST_COEFFICIENTS
from acumen.linear.ordered import PENALTIES, OrderedModel, log_between, log_sigmoid
from acumen.optimise.lbfgs import lbfgs
from acumen.optimise.newton import CholeskyFactor, newton
from acumen.optimise.trace import Descent
from acumen.types import Bools, Codes, Floats

_MOVING = 1e-2  # a Newton step as long as this at the end of a descent does not end anywhere


@dataclass(frozen=True, slots=True)
class OrderedFit:
    """A model, the descent that led to it (None where there was nothing to descend), the classes' weights, the gap."""

    model: OrderedModel
    descent: Descent | None
    totals: Floats
    gap: float


def fit(
    table: Table, who: str, *, penalty: str | None, C: float, scale: bool, tol: float, max_iter: int
) -> OrderedFit:
    """Learn from labelled rows; every row has a label, whose code is its rank."""
    totals: Floats = np.bincount(table.class_codes, table.row_weights, table.schema.n_classes).astype(
        np.float64
    )
    seen = totals > 0
    design = design_of(table)
    count = int(seen.sum())
    if count == 1:
        none = np.empty(0)
        model = OrderedModel(
            coding=design.coding,
            seen=seen,
            coefficients=np.zeros(design.width),
            thresholds=none,
            centre=design.centre,
            errors=none,
            log_likelihood=0.0,
            weight=float(totals.sum()),
            free=0,
            penalty=PENALTIES.index(penalty or "none"),
        )
        return OrderedFit(model, None, totals, 0.0)
    labels: Codes = (np.cumsum(seen) - 1).astype(np.int32)[table.class_codes]
    if penalty is None:
        schema, products = table.schema.without_target(), partial(mean_products, design, table)
        design = independent(design, schema, products, who)
    # In the design's coordinates v = w / factor; the penalty is on w, or with `scale` on v.
    held = np.where((design.plain | (not scale)) & (design.factor > 0), design.factor, 1.0)
    ridge = held**2 / C if penalty == "l2" else np.zeros(design.width)
    loss = OrderedLoss.of(design, table, labels, count, ridge)
    start = np.concatenate([np.zeros(design.width), _logits(totals[seen])])
    if len(start) <= MOST_COEFFICIENTS:
        minimum = newton(loss.second_order, start, tol=tol, max_iter=max_iter)
    else:
        minimum = lbfgs(loss, start, tol=tol, max_iter=10 * max_iter)
    value, gradient, hessian = (
        loss.second_order(minimum.point) if len(start) <= MOST_COEFFICIENTS else (*loss(minimum.point), None)
    )
    gap, inverse = 0.0, None
    if hessian is not None:
        factor = CholeskyFactor(hessian)
        step = factor(-gradient)
        gap, inverse = 0.5 * float(-gradient @ step), factor.inverse()
        if penalty is None:
            _warn_of_separation(loss, minimum.point, step, tol, who)
    return OrderedFit(
        _model(loss, minimum.point, value, inverse, penalty, seen, totals), minimum, totals, max(gap, 0.0)
    )


def _logits(totals: Floats) -> Floats:
    """The thresholds of rows that nothing is known of."""
    below = np.cumsum(totals)[:-1]
    logits: Floats = np.log(below) - np.log(totals.sum() - below)
    # Classes of next to no weight must not have one threshold.
    return np.maximum.accumulate(logits + np.arange(len(logits)) * 1e-9)


@dataclass(frozen=True, slots=True, eq=False)
class OrderedLoss:
    """The mean loss over the rows in the design's coordinates; a point is coefficients, then thresholds."""

    design: Design
    rows: Any  # (rows, columns) in the design's coordinates, dense or CSR
    labels: Codes
    weights: Floats
    classes: int
    ridge: Floats
    total: float

    @classmethod
    def of(cls, design: Design, table: Table, labels: Codes, classes: int, ridge: Floats) -> OrderedLoss:
        rows: Any = design.coding.matrix(table)
        if hasattr(rows, "indptr"):
            rows = rows.multiply(design.factor[None, :]).tocsr()
        else:
            rows = np.ascontiguousarray((rows - design.centre) * design.factor)
        weights = table.row_weights
        return cls(design, rows, labels, weights, classes, ridge, float(weights.sum()))

    def __call__(self, point: Floats) -> tuple[float, Floats]:
        """Value and gradient; infinite where thresholds do not rise."""
        terms = self._pass(point, curved=False)
        return terms[0], terms[1]

    def second_order(self, point: Floats) -> tuple[float, Floats, Floats]:
        """Value, gradient and second derivatives."""
        return self._pass(point, curved=True)

    def heights(self, slope: Floats) -> Floats:
        """Rows times coefficients."""
        with blas_threads(1):
            return np.asarray(self.rows @ slope)

    def _pass(self, point: Floats, *, curved: bool) -> tuple[float, Floats, Floats]:
        width, k = self.design.width, self.classes
        slope, thresholds = point[:width], point[width:]
        size = len(point)
        with np.errstate(over="ignore", invalid="ignore"):
            heights = self.heights(slope)
        if not (np.diff(thresholds) > 0).all() or not np.isfinite(heights).all():
            return np.inf, np.zeros(size), np.eye(size) if curved else np.empty((0, 0))
        # Sentinels stand for the ends: log sigmoid(inf) is 0 and its derivatives vanish.
        ends = np.r_[-np.inf, thresholds, np.inf]
        upper, lower = ends[self.labels + 1] - heights, ends[self.labels] - heights
        logs = _log_probability(upper, lower)
        # d log P / d upper = s(u)(1 - s(u)) / P, the second derivatives follow from these.
        with np.errstate(over="ignore", invalid="ignore"):
            up = np.exp(log_sigmoid(upper) + log_sigmoid(-upper) - logs)
            low = np.exp(log_sigmoid(lower) + log_sigmoid(-lower) - logs)
        up[~np.isfinite(upper)] = 0.0
        low[~np.isfinite(lower)] = 0.0
        heavy = self.weights
        value = (-float(heavy @ logs) + 0.5 * float(self.ridge @ slope**2)) / self.total
        gradient = np.zeros(size)
        along = heavy * (up - low)  # of the height, as -log P changes
        with blas_threads(1):
            gradient[:width] = np.asarray(self.rows.T @ along) + self.ridge * slope
        padded = np.bincount(self.labels + 1, -heavy * up, k + 1) + np.bincount(
            self.labels, heavy * low, k + 1
        )
        gradient[width:] = padded[1:k]
        if not curved:
            return value, gradient / self.total, np.empty((0, 0))
        # -d2 log P: d2/du2 = up (1 - 2 s(u)) - up^2, d2/dl2 = -low (1 - 2 s(l)) - low^2, d2/dudl = up low.
        uu = up**2 - up * -np.tanh(0.5 * _clip(upper))
        ll = low**2 + low * -np.tanh(0.5 * _clip(lower))
        ul = -up * low
        both = heavy * (uu + ll + 2 * ul)
        hessian = np.zeros((size, size))
        hessian[:width, :width] = self._products(np.maximum(both, 0.0))
        hessian[np.arange(width), np.arange(width)] += self.ridge + np.where(
            self.design.factor > 0, 0.0, self.total
        )
        edges = np.zeros((k + 1, k + 1))
        np.add.at(edges, (self.labels + 1, self.labels + 1), heavy * uu)
        np.add.at(edges, (self.labels, self.labels), heavy * ll)
        np.add.at(edges, (self.labels, self.labels + 1), heavy * ul)
        np.add.at(edges, (self.labels + 1, self.labels), heavy * ul)
        hessian[width:, width:] = edges[1:k, 1:k]
        cross = np.zeros((width, k + 1))
        for j in range(k):
            class_rows = np.flatnonzero(self.labels == j)
            some = self.rows[class_rows].T
            with blas_threads(1):
                cross[:, j + 1] -= np.asarray(some @ (heavy[class_rows] * (uu[class_rows] + ul[class_rows])))
                cross[:, j] -= np.asarray(some @ (heavy[class_rows] * (ll[class_rows] + ul[class_rows])))
        hessian[:width, width:] = cross[:, 1:k]
        hessian[width:, :width] = cross[:, 1:k].T
        return value, gradient / self.total, hessian / self.total

    def _products(self, weights: Floats) -> Floats:
        with blas_threads(1):
            if hasattr(self.rows, "indptr"):
                return np.asarray((self.rows.multiply(weights[:, None]).T @ self.rows).todense())
            root = self.rows * np.sqrt(weights)[:, None]
            return np.asarray(root.T @ root)


def _log_probability(upper: Floats, lower: Floats) -> Floats:
    """log(s(upper) - s(lower)), where either may be infinite."""
    logs = np.zeros(len(upper))
    first, last = ~np.isfinite(lower), ~np.isfinite(upper)
    logs[first] = log_sigmoid(upper[first])
    logs[last] = log_sigmoid(-lower[last])
    between = ~(first | last)
    logs[between] = log_between(upper[between], lower[between])
    return logs


def _clip(x: Floats) -> Floats:
    return np.clip(x, -1e3, 1e3)


def _warn_of_separation(loss: OrderedLoss, point: Floats, step: Floats, tol: float, who: str) -> None:
    """Warn where there is no optimum: a Newton step still moves the rows however small the gradient is."""
    width = loss.design.width
    moved = np.abs(loss.heights(step[:width])).max(initial=0.0)
    if not max(moved, float(np.abs(step[width:]).max(initial=0.0))) > max(_MOVING, 1e4 * tol):
        return
    warnings.warn(
        f"{who}: the attributes separate some classes from those above them, so the best coefficients are infinite; "
        "these are where the descent was stopped, and their standard errors mean nothing. Use penalty='l2'.",
        AcumenWarning,
        stacklevel=4,
    )


def _model(
    loss: OrderedLoss,
    point: Floats,
    value: float,
    inverse: Floats | None,
    penalty: str | None,
    seen: Bools,
    totals: Floats,
) -> OrderedModel:
    """The means, in the units of the columns."""
    design, width = loss.design, loss.design.width
    slope, thresholds = point[:width], point[width:]
    errors = np.empty(0)
    if inverse is not None:
        covariance = inverse / loss.total
        covariance[:width][design.factor == 0] = 0.0
        covariance[:, :width][:, design.factor == 0] = 0.0
        # threshold k of a row of zeros = threshold k + coefficients . centre
        moved = np.hstack(
            [np.tile(design.centre * design.factor, (len(thresholds), 1)), np.eye(len(thresholds))]
        )
        variances = np.einsum("ij,jk,ik->i", moved, covariance, moved)
        errors_of_slopes = np.sqrt(np.maximum(np.diag(covariance)[:width], 0.0)) * design.factor
        errors = np.concatenate([errors_of_slopes, np.sqrt(np.maximum(variances, 0.0))])
    held = 0.5 * float(loss.ridge @ slope**2) / loss.total
    return OrderedModel(
        coding=design.coding,
        seen=seen,
        coefficients=slope * design.factor,
        thresholds=thresholds.copy(),
        centre=design.centre.copy(),
        errors=errors,
        log_likelihood=-(value - held) * loss.total,
        weight=float(totals.sum()),
        free=int(np.count_nonzero(design.factor > 0)) + len(thresholds),
        penalty=PENALTIES.index(penalty or "none"),
    )
