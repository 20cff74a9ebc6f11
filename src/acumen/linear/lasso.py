"""The lasso: least squares with the sum of the coefficients' sizes held, which makes some of them zero.

    solve        summary -> LassoModel     one strength
    path_of      summary -> Path           many strengths, from the one that leaves nothing down

        minimise   sum of weight (y - b - x w)^2 / (2 sum of weights)  +  alpha |w|_1

as scikit-learn has it. By coordinate descent on the triangular factor, which has as many rows as there are columns,
however many rows were read.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from acumen import _native
from acumen.data.table import Table
from acumen.errors import AcumenWarning, ParameterError
from acumen.linear.linear_systems import LinearSummary, System
from acumen.linear.model import FitStatistics, LinearModel
from acumen.linear.ols import fill_unseen, solve_system
from acumen.types import Floats


@dataclass(frozen=True, slots=True)
class LassoModel(LinearModel):
    """A linear model of which some coefficients are zero."""

    kind: ClassVar[str] = "lasso"

    def head(self) -> str:
        used = int(np.count_nonzero(self.coefficient))
        return f"Lasso (alpha {self.penalty:.4g}, {used} of {len(self.coefficient)} columns used)"


def solve(
    summary: LinearSummary, *, alpha: float, fit_intercept: bool, scale: bool, tol: float, max_iter: int
) -> LassoModel:
    """Compute the lasso for one penalty."""
    system = summary.centred_system if fit_intercept else summary.plain
    if alpha == 0.0:  # least squares, whose dual has no point that could tell a gap
        plain = solve_system(system, "Lasso")
        return LassoModel(
            plain.columns, plain.level, plain.centre, plain.coefficient, plain.error, plain.fit, fit_intercept
        )
    units = system.units(scale)
    w, reached = _descend(system, units, np.array([alpha]), tol, max_iter)
    if reached[0, 0] > tol:
        warnings.warn(
            f"Lasso: {max_iter} sweeps left a gap of {reached[0, 0]:.3g} where tol is {tol:.3g}; give a larger "
            "max_iter, or a larger alpha.",
            AcumenWarning,
            stacklevel=2,
        )
    coefficient = w[0] / units
    unexplained = system.target - system.factor @ coefficient
    residual = float(unexplained @ unexplained) + system.rest**2
    fit = FitStatistics(system.weight, residual, system.total, float(np.count_nonzero(coefficient)))
    error = np.full(1 + len(coefficient), np.nan)
    return LassoModel(
        system.columns,
        system.level,
        system.centre,
        fill_unseen(system, coefficient),
        error,
        fit,
        fit_intercept,
        alpha,
    )


def _descend(
    system: System, units: Floats, alphas: Floats, tol: float, max_iter: int
) -> tuple[Floats, Floats]:
    """Coefficients of the columns in their units for each strength, and what the descent reached."""
    # Rows of zeros below the rank of the data have nothing to say.
    used = np.flatnonzero(system.factor.any(axis=1))
    factor = np.ascontiguousarray((system.factor[used] / units).T)
    product = factor @ system.target[used]
    return coordinate_descent(factor, False, product, system.total, alphas * system.weight, tol, max_iter)


def coordinate_descent(
    columns: Floats,
    is_gram: bool,
    product: Floats,
    total: float,
    penalties: Floats,
    tol: float,
    max_iter: int,
) -> tuple[Floats, Floats]:
    """The kernel's answer: coefficients for each penalty, and the gap and sweeps of each."""
    coefficients, reached = np.zeros((len(penalties), len(product))), np.zeros((len(penalties), 2))
    if columns.size:
        problem = np.ascontiguousarray(product), total, np.ascontiguousarray(penalties), tol, max_iter
        _native.lasso_path(np.ascontiguousarray(columns), is_gram, *problem, coefficients, reached)
    return coefficients, reached


# -- the path -------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class LassoPath:
    """The lasso's coefficients at many strengths, the strongest first.

    Attributes
    ----------
    alphas : array of (strengths,)
    coefficients : array of (strengths, columns)
        In the columns' own units.
    names : tuple of str
        The columns.
    intercepts : array of (strengths,)
    gaps : array of (strengths,)
        The duality gap reached, as a share of the target's variance.
    units : array of (columns,)
        What each column was divided by before it was penalised; ones without `scale`.
    """

    alphas: Floats
    coefficients: Floats
    names: tuple[str, ...]
    intercepts: Floats
    gaps: Floats
    units: Floats

    @property
    def n_used(self) -> Any:
        """How many coefficients are not zero at each strength."""
        return np.count_nonzero(self.coefficients, axis=1)

    def figure(self) -> Any:
        """A line for each column over the logarithm of alpha, as a figure value that a notebook draws."""
        from acumen.render.learning_plot import Band, LearningFigure

        shown = self.coefficients * self.units
        largest = np.argsort(-np.abs(shown).max(axis=0, initial=0.0), kind="stable")
        bands = [Band(self.names[j], shown[:, j]) for j in largest.tolist()]
        label = "coefficient" if np.all(self.units == 1.0) else "coefficient in standard deviations"
        return LearningFigure(self.alphas, bands, "alpha", label, log=True, title="Lasso path")

    def _repr_html_(self) -> str:
        return f'<div style="max-width:44rem">{self.figure()._repr_svg_()}</div>'

    def __repr__(self) -> str:
        most = int(self.n_used.max(initial=0))
        return f"<lasso path of {len(self.alphas)} strengths, up to {most} of {len(self.names)} columns used>"


def path_of(
    summary: LinearSummary, *, alphas: Any, fit_intercept: bool, scale: bool, tol: float, max_iter: int
) -> LassoPath:
    """The path from a summary."""
    system = summary.centred_system if fit_intercept else summary.plain
    units = system.units(scale)
    pull = (system.factor / units).T @ system.target
    strengths = strengths_of(alphas, pull, system.weight)
    coefficients, reached = _descend(system, units, strengths, tol, max_iter)
    names = system.columns.names
    return make_path(
        strengths, coefficients / units, names, system.level, system.centre, reached, units, fit_intercept
    )


def direct_path(
    rows: Table, *, alphas: Any, fit_intercept: bool, scale: bool, tol: float, max_iter: int
) -> LassoPath | None:
    """The path of complete rows of numbers, from their inner products or, where they are few, from themselves.

    Half the digits of the triangular factor are enough for a path, and one pass is enough for these. None where
    there is more to a table than numbers.
    """
    if rows.sparse is not None or rows.schema.nominal or rows.schema.text or not len(rows):
        return None
    x = rows.numeric.matrix()
    weight = rows.row_weights
    with np.errstate(over="ignore", invalid="ignore"):
        centre = weight @ x / weight.sum()
        if not np.isfinite(centre).all():  # something is missing or infinite
            return None
        level = float(weight @ rows.target_numbers) / float(weight.sum()) if fit_intercept else 0.0
        x, y = x - centre if fit_intercept else x, rows.target_numbers - level
        if rows.weights.size:
            x, y = x * np.sqrt(weight)[:, None], y * np.sqrt(weight)
        wide = x.shape[1] > len(x)
        columns = x.T if wide else x.T @ x
        norms = np.sqrt(np.einsum("ij,ij->j", x, x) if wide else np.diagonal(columns))
    total = float(weight.sum())
    if not np.isfinite(columns).all():
        return None
    small = norms <= 1e-9 * np.sqrt(total) * np.abs(centre)
    if small.any():  # a column that hardly varies: the factor tells rounding from variation better
        return None
    units = np.ones(len(norms))
    if scale:
        units = np.where(norms > 0, norms / np.sqrt(total), 1.0)
        columns = columns / units[:, None] if wide else columns / np.outer(units, units)
    product = (x.T @ y) / units
    strengths = strengths_of(alphas, product, total)
    coefficients, reached = coordinate_descent(
        columns, not wide, product, float(y @ y), strengths * total, tol, max_iter
    )
    names = rows.schema.names
    return make_path(strengths, coefficients / units, names, level, centre, reached, units, fit_intercept)


def make_path(
    strengths: Floats, w: Floats, names: tuple[str, ...], level: float, centre: Floats, reached: Floats,
    units: Floats, intercept: bool,
) -> LassoPath:  # fmt: skip
    """The path's value."""
    base = level - w @ centre if intercept else np.zeros(len(strengths))
    return LassoPath(strengths, w, names, base, reached[:, 0], units)


def strengths_of(alphas: Any, pull: Floats, weight: float) -> Floats:
    """Given strengths, falling; or so many from the one that leaves no column down to its thousandth."""
    if isinstance(alphas, (int, np.integer)) and not isinstance(alphas, bool) and alphas >= 1:
        top = float(np.abs(pull).max(initial=0.0)) / weight
        return (top if top > 0 else 1.0) * np.logspace(0, -3, int(alphas))
    strengths = np.sort(np.asarray(alphas, dtype=np.float64).ravel())[::-1]
    if not len(strengths) or not np.all(np.isfinite(strengths) & (strengths >= 0)):
        raise ParameterError(
            f"Lasso.path: alphas must be a number of strengths, or strengths of at least 0; got {alphas!r}."
        )
    return strengths
