"""A maximum entropy model from labelled rows: features, dual, descent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, Protocol

import numpy as np

from acumen.data.table import Table
from acumen.engines.blas import blas_threads
from acumen.linear.maxent import Dual, MaxEntModel, capped, lowered
from acumen.linear.templates import Features, read_features
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
    made = read_features(features, view, schema, who)
    labels = (np.cumsum(seen) - 1).astype(np.int32)[table.class_codes]
    values = made.values(table, schema.classes, places)
    matrix = capped(view.transform(table))
    dual = Dual(made, matrix, values, labels, table.row_weights, places, C)
    found, model = concluded(dual, squares(dual), view, made, totals, schema.classes, solver, tol, max_iter)
    return model, found, totals


class AnyDual(Protocol):
    """A dual, wherever its rows are."""

    @property
    def observed(self) -> Floats: ...
    def __call__(self, multipliers: Floats, /) -> tuple[float, Floats]: ...
    def curved(self, multipliers: Floats, /) -> tuple[float, Floats, Floats]: ...
    def expected(self, multipliers: Floats, /) -> Floats: ...


def concluded(
    dual: AnyDual,
    mean_squares: Floats,
    view: NumericMatrix,
    features: Features,
    totals: Floats,
    classes: tuple[Label, ...],
    solver: Method,
    tol: float,
    max_iter: int | None,
) -> tuple[Descent, MaxEntModel]:
    """The descent of a dual, and the model that it ends in."""
    found = descended(dual, dual.curved, unit_of(mean_squares), solver, tol, max_iter)
    expected = dual.expected(found.point)
    model = MaxEntModel(
        view, features, found.point, dual.observed, expected, totals > 0, float(totals.sum()), classes
    )
    return found, model


def unit_of(squares: Floats) -> Floats:
    """A feature is measured by its own size, so that its units do not matter to the descent."""
    size = np.sqrt(squares)
    return np.divide(1.0, size, out=np.ones_like(size), where=size > 0)


def descended(
    dual: Callable[[Floats], tuple[float, Floats]],
    dual_curved: Callable[[Floats], tuple[float, Floats, Floats]],
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

    def curved(point: Floats) -> tuple[float, Floats, Floats]:
        value, gradient, hessian = dual_curved(point * unit)
        return value, gradient * unit, hessian * np.outer(unit, unit)

    if solver == "gradient":
        found = gradient_descent(smooth, start, tol=tol, max_iter=most)
    elif solver == "lbfgs":
        found = lbfgs(smooth, start, tol=tol, max_iter=most)
    else:
        found = newton(curved, start, tol=tol, max_iter=most)
        found = replace(found, point=_determined(curved(start)[2], found.point))
    return replace(found, point=found.point * unit)


def _determined(hessian: Floats, point: Floats) -> Floats:
    """The shortest multipliers that say of the training rows what these say.

    More multipliers than rows, or one for each class of a feature, leave directions in which no row says anything; a
    Newton step moves along them by what rounding leaves, and rows to come would be answered by that.
    """
    with blas_threads(1):
        curvature, directions = np.linalg.eigh(lowered(hessian))
    seen = directions[:, curvature > FLAT * curvature.max(initial=0.0)]
    shortest: Floats = seen @ (seen.T @ point)
    return shortest


def squares(dual: Dual) -> Floats:
    """The mean square of each feature over rows and classes."""
    made = np.zeros(len(dual.features))
    terms = dual.terms.copy()
    terms.data **= 2
    made[: len(dual.features.term)] = (terms.T @ dual.share)[dual.features.term]
    made[len(dual.features.term) :] = np.einsum("gic,i->g", dual.values**2, dual.share) / dual.lines
    return made
