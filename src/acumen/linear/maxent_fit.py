"""A maximum entropy model from labelled rows: features, dual, descent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, Protocol

import numpy as np

from acumen.data.table import Table
from acumen.engines.cores import blas_threads
from acumen.linear.maxent import LocalDual, MaxEntModel, cap, remove_regularisation
from acumen.linear.maxent_features import MaxEntFeatures, read_features
from acumen.optimise.descent import gradient_descent
from acumen.optimise.lbfgs import lbfgs
from acumen.optimise.newton import newton
from acumen.optimise.trace import Descent
from acumen.preprocessing.matrix import NumericMatrix
from acumen.types import Floats, Label

Method = Literal["newton", "lbfgs", "gradient"]
MOST_STEPS = {"newton": 100, "lbfgs": 1000, "gradient": 10_000}
#: Beyond so many features Newton's matrix is not made, and L-BFGS takes its place.
MANY = 2000
#: Directions whose curvature is at most this fraction of the largest are flat but for rounding.
FLAT = 1e-12


def fit(
    table: Table,
    who: str,
    *,
    features: Any,
    C: float | None,
    solver: Method,
    tol: float,
    max_iter: int | None,
) -> tuple[MaxEntModel, Descent, Floats]:
    """The model, the descent of its dual, and the weight of each class."""
    schema = table.schema
    totals: Floats = np.bincount(table.class_codes, table.row_weights, schema.n_classes).astype(np.float64)
    seen = totals > 0
    places = np.flatnonzero(seen).tolist()
    view = NumericMatrix.fit(table, impute="mean")
    parsed = read_features(features, view, schema, who)
    labels = (np.cumsum(seen) - 1).astype(np.int32)[table.class_codes]
    values = parsed.values(table, schema.classes, places)
    matrix = cap(view.transform(table))
    dual = LocalDual(parsed, matrix, values, labels, table.row_weights, places, C)
    minimum, model = fit_dual(
        dual, squares(dual), view, parsed, totals, schema.classes, solver, tol, max_iter
    )
    return model, minimum, totals


class AnyDual(Protocol):
    """A dual, wherever its rows are."""

    @property
    def observed_averages(self) -> Floats: ...
    def __call__(self, multipliers: Floats, /) -> tuple[float, Floats]: ...
    def second_order(self, multipliers: Floats, /) -> tuple[float, Floats, Floats]: ...
    def expected_averages(self, multipliers: Floats, /) -> Floats: ...


def fit_dual(
    dual: AnyDual,
    mean_squares: Floats,
    view: NumericMatrix,
    features: MaxEntFeatures,
    totals: Floats,
    classes: tuple[Label, ...],
    solver: Method,
    tol: float,
    max_iter: int | None,
) -> tuple[Descent, MaxEntModel]:
    """The descent of a dual, and the model that it ends in."""
    minimum = minimise_dual(dual, dual.second_order, unit_of(mean_squares), solver, tol, max_iter)
    expected = dual.expected_averages(minimum.point)
    model = MaxEntModel(
        view,
        features,
        minimum.point,
        dual.observed_averages,
        expected,
        totals > 0,
        float(totals.sum()),
        classes,
    )
    return minimum, model


def unit_of(squares: Floats) -> Floats:
    """A feature is measured by its own size, so that its units do not matter to the descent."""
    size = np.sqrt(squares)
    return np.divide(1.0, size, out=np.ones_like(size), where=size > 0)


def minimise_dual(
    dual: Callable[[Floats], tuple[float, Floats]],
    dual_second_order: Callable[[Floats], tuple[float, Floats, Floats]],
    unit: Floats,
    solver: Method,
    tol: float,
    max_iter: int | None,
) -> Descent:
    """Where the descent of a dual ends; its point are the multipliers."""
    if solver == "newton" and len(unit) > MANY:
        solver = "lbfgs"
    most = MOST_STEPS[solver] if max_iter is None else max_iter
    start = np.zeros(len(unit))

    def smooth(point: Floats) -> tuple[float, Floats]:
        value, gradient = dual(point * unit)
        return value, gradient * unit

    def second_order(point: Floats) -> tuple[float, Floats, Floats]:
        value, gradient, hessian = dual_second_order(point * unit)
        return value, gradient * unit, hessian * np.outer(unit, unit)

    if solver == "gradient":
        minimum = gradient_descent(smooth, start, tol=tol, max_iter=most)
    elif solver == "lbfgs":
        minimum = lbfgs(smooth, start, tol=tol, max_iter=most)
    else:
        minimum = newton(second_order, start, tol=tol, max_iter=most)
        minimum = replace(minimum, point=_shortest_multipliers(second_order(start)[2], minimum.point))
    return replace(minimum, point=minimum.point * unit)


def _shortest_multipliers(hessian: Floats, point: Floats) -> Floats:
    """The shortest multipliers that say of the training rows what these say.

    More multipliers than rows, or one for each class of a feature, leave directions in which no row says anything; a
    Newton step moves along them by what rounding leaves, and rows to come would be answered by that.
    """
    with blas_threads(1):
        curvature, directions = np.linalg.eigh(remove_regularisation(hessian))
    seen = directions[:, curvature > FLAT * curvature.max(initial=0.0)]
    shortest: Floats = seen @ (seen.T @ point)
    return shortest


def squares(dual: LocalDual) -> Floats:
    """The mean square of each feature over rows and classes."""
    squares_of = np.zeros(len(dual.features))
    terms = dual.terms.copy()
    terms.data **= 2
    squares_of[: len(dual.features.term)] = (terms.T @ dual.share)[dual.features.term]
    squares_of[len(dual.features.term) :] = np.einsum("gic,i->g", dual.values**2, dual.share) / dual.lines
    return squares_of
