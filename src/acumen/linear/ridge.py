"""Ridge regression: least squares with the length of the coefficients held.

    solve   summary -> RidgeModel

        minimise   sum of weight (y - b - x w)^2  +  alpha |w|^2

or, with `radius`, the same squares under |w|^2 <= radius, which is this with some multiplier in the place of alpha. The
intercept b is free. One decomposition of the triangular factor serves every strength.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from acumen.linear.linear_systems import LinearSummary, System
from acumen.linear.model import FitStatistics, LinearModel
from acumen.linear.ols import fill_unseen, solve_system
from acumen.preprocessing.stored_arrays import stored_floats
from acumen.types import Array, Floats


@dataclass(frozen=True, slots=True)
class RidgeModel(LinearModel):
    """A linear model whose `penalty` is the strength used, or the multiplier of the constraint."""

    kind: ClassVar[str] = "ridge"

    bound: float = 0.0  # a number that the multiplier cannot be below; 0 without a constraint
    radius: float = 0.0  # of the constraint; 0 without one

    def head(self) -> str:
        if self.radius:
            return (
                f"Ridge (|w|^2 at most {self.radius:.4g}, multiplier {self.penalty:.4g} >= {self.bound:.4g})"
            )
        return f"Ridge (alpha {self.penalty:.4g}, {self.fit.freedom:.4g} effective parameters)"

    def to_arrays(self) -> dict[str, Array]:
        # super() without arguments does not work in a class that was made anew for its slots
        return LinearModel.to_arrays(self) | {"constraint": np.array([self.bound, self.radius])}

    @classmethod
    def _further(cls) -> tuple[str, ...]:
        return ("constraint",)

    @classmethod
    def _read_extra(cls, arrays: Mapping[str, Array]) -> dict[str, float]:
        bound, radius = stored_floats(arrays, "constraint", (2,), low=0.0).tolist()
        return {"bound": bound, "radius": radius}


def solve(
    summary: LinearSummary, *, alpha: float, radius: float | None, fit_intercept: bool, scale: bool
) -> RidgeModel:
    """Compute the ridge model for one penalty."""
    system = summary.centred_system if fit_intercept else summary.plain
    turned = _decompose(summary, fit_intercept, scale)
    bound = 0.0
    if radius is not None:
        alpha, bound = turned.multiplier(radius), turned.lowest_multiplier(radius)
    if alpha == 0.0:
        solution = solve_system(system, "Ridge")
        # With levels held against a first one the coefficients need not be the shortest, and a radius asks for those.
        if radius is None or float(np.sum((solution.coefficient * turned.units) ** 2)) <= radius:
            return _model(system, solution.coefficient, solution.error, solution.fit, 0.0, bound, radius)
    below = turned.lengths**2 + alpha
    shrunk = np.divide(turned.lengths, below, out=np.zeros(len(below)), where=below > 0)
    w = turned.right.T @ (shrunk * turned.target) / turned.units
    unexplained = turned.target - turned.lengths * shrunk * turned.target
    residual = float(unexplained @ unexplained) + turned.rest
    freedom = float(np.sum(turned.lengths * shrunk))
    fit = FitStatistics(system.weight, residual, system.total, freedom)
    error = np.full(1 + len(w), np.nan)
    return _model(system, fill_unseen(system, w), error, fit, alpha, bound, radius)


def _model(
    system: System,
    w: Floats,
    error: Floats,
    fit: FitStatistics,
    alpha: float,
    bound: float,
    radius: float | None,
) -> RidgeModel:
    return RidgeModel(
        columns=system.columns,
        level=system.level,
        centre=system.centre,
        coefficient=w,
        error=error,
        fit=fit,
        intercept=system.intercept,
        penalty=alpha,
        bound=bound,
        radius=radius or 0.0,
    )


@dataclass(frozen=True, slots=True)
class RidgeDecomposition:
    """The factor of the scaled columns as U diag(lengths) V', the target seen along U."""

    lengths: Floats
    right: Floats  # V'
    target: Floats
    rest: float  # squared length of the target outside
    units: Floats  # what each column was divided by

    def size(self, alpha: float) -> float:
        """|w|^2 at a strength."""
        with np.errstate(divide="ignore", invalid="ignore"):
            w = np.where(self.lengths > 0, self.lengths / (self.lengths**2 + alpha), 0.0) * self.target
        return float(w @ w)

    def multiplier(self, radius: float) -> float:
        """The strength at which |w|^2 is the radius; 0 where it is below it anyway."""
        if self.size(0.0) <= radius:
            return 0.0
        # Newton's method on 1 / |w(alpha)|, nearly a straight line, from the left: it never oversteps (Hebden 1973).
        alpha, wanted = 0.0, 1.0 / np.sqrt(radius)
        for _ in range(200):
            with np.errstate(divide="ignore", invalid="ignore"):
                below = np.where(self.lengths > 0, self.lengths**2 + alpha, np.inf)
            w = self.lengths * self.target / below
            largest = float(np.abs(w).max())  # in units of it, so that no square is out of range
            w = w / largest
            size = float(w @ w)
            slope = float(np.sum(w * w / below)) / (largest * size**1.5)
            step = (wanted - 1.0 / (largest * np.sqrt(size))) / slope
            alpha += step
            if abs(step) <= 1e-14 * alpha:
                break
        return float(alpha)

    def lowest_multiplier(self, radius: float) -> float:
        """|X'y| / sqrt(radius) - |X'X|, below which no multiplier of this radius lies."""
        pull = float(np.linalg.norm(self.lengths * self.target))
        return float(max(0.0, pull / np.sqrt(radius) - self.lengths.max(initial=0.0) ** 2))


def _decompose(summary: LinearSummary, intercept: bool, scale: bool) -> RidgeDecomposition:
    """Made once for a summary: every strength shares it."""
    key = f"ridge {intercept} {scale}"
    kept: RidgeDecomposition | None = summary.__dict__.get(key)
    if kept is None:
        system = summary.centred_system if intercept else summary.plain
        units = system.units(scale)
        u, s, v = np.linalg.svd(system.factor / units)
        s = np.where(s > 1e-15 * s.max(initial=0.0), s, 0.0)
        kept = RidgeDecomposition(s, v, u.T @ system.target, system.rest**2, units)
        summary.__dict__[key] = kept
    return kept
