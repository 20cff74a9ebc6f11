"""Ordinary least squares, and leave-one-out values in closed form.

    solve                  summary -> LinearModel   coefficients, standard errors, columns that depend on others
    leave_one_out_values   each row's value by the model of all other rows, for least squares and ridge

The first level of a nominal attribute that occurs is its reference (coefficient 0), since its 0/1 columns sum to the
intercept's. If columns depend on each other in another way, the coefficients are not unique: the solution of smallest
length is used, in units of the columns' standard deviations, and a warning names the columns.

Without a row of weight w the fit moves so that the row's residual becomes e / (1 - w h), where h is the row's leverage
1 / n + d' (X'X + alpha)^-1 d (Allen 1974). Rows of leverage near 1 are refitted instead. So is every row if values are
missing (the means that replace them would change) or the columns depend on each other.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from acumen.data.table import Table
from acumen.errors import AcumenWarning
from acumen.linear.linear_systems import LinearSummary, System
from acumen.linear.model import FitStatistics, LinearModel
from acumen.summaries.triangle import triangular
from acumen.types import Array, Bools, Floats

_EPS = float(np.finfo(np.float64).eps)


def solve(summary: LinearSummary, *, fit_intercept: bool) -> LinearModel:
    """Compute the least-squares model."""
    return solve_system(summary.centred_system if fit_intercept else summary.plain, "LinearRegression")


def solve_system(system: System, who: str) -> LinearModel:
    """The model of a system without penalty."""
    solution = least_squares(system)
    if solution.open.any():
        names = [system.columns.names[j] for j in np.flatnonzero(solution.open)]
        shown = ", ".join(map(repr, names[:5])) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
        verb = "follows" if len(names) == 1 else "follow"
        warnings.warn(
            f"{who}: {shown} {verb} from other columns, so the coefficients are not unique; the smallest are taken. "
            "Leave columns out, or use Ridge with an alpha above 0.",
            AcumenWarning,
            stacklevel=2,
        )
    return LinearModel(
        columns=system.columns,
        level=system.level,
        centre=system.centre,
        coefficient=fill_unseen(system, solution.coefficient),
        error=solution.error,
        fit=FitStatistics(system.weight, solution.residual, system.total, float(solution.rank)),
        intercept=system.intercept,
    )


@dataclass(frozen=True, slots=True)
class LeastSquaresSolution:
    """A solution: coefficients, standard errors (the intercept's first), and which columns follow from others."""

    coefficient: Floats
    error: Floats
    residual: float
    rank: int
    open: Bools


def least_squares(system: System) -> LeastSquaresSolution:
    """Solve a system; by substitution while the columns are independent."""
    from scipy.linalg import solve_triangular

    p = len(system.target)
    used = _free_columns(system)
    norms = system.norms[used]
    scaled = system.factor[:, used] / norms
    bottom = np.zeros((1, len(used) + 1))
    bottom[0, -1] = system.rest
    turned = triangular(np.vstack([np.column_stack([scaled, system.target]), bottom]))
    k = len(used)
    factor, target, rest = turned[:k, :k], turned[:k, k], abs(float(turned[k, k]))
    inverse = _sure_inverse(factor)
    rank = k
    if inverse is None:
        u, s, v = np.linalg.svd(factor)
        rank = int(np.count_nonzero(s > 4 * k * _EPS * s[0]))
    coefficient, error = np.zeros(p), np.full(1 + p, np.nan)
    unfree = np.zeros(p, dtype=np.bool_)
    freedom_left = system.weight - rank - (1.0 if system.intercept else 0.0)
    if rank == k:
        if inverse is None:
            inverse = solve_triangular(factor, np.eye(k))
        coefficient[used] = solve_triangular(factor, target) / norms if k else 0.0
        residual = rest**2
    else:
        inverse = v[:rank].T / s[:rank]
        coefficient[used] = inverse @ (u[:, :rank].T @ target) / norms
        residual = rest**2 + float(np.sum((u[:, rank:].T @ target) ** 2))
        unfree[used] = _dependent_columns(factor)
    if freedom_left > 1e-9:
        sigma = np.sqrt(residual / freedom_left)
        spread = inverse / norms[:, None] if k else inverse
        error[1 + used] = sigma * np.sqrt(np.einsum("ij,ij->i", spread, spread))
        if rank < k:
            # What null directions touch is not determined at all.
            error[1 + used[np.abs(v[rank:]).max(axis=0) > 1e-8]] = np.nan
        if system.intercept and system.weight > 0:
            turned_centre = system.centre[used] @ spread
            error[0] = sigma * np.sqrt(1.0 / system.weight + float(turned_centre @ turned_centre))
    return LeastSquaresSolution(coefficient, error, residual, rank, unfree)


def _sure_inverse(factor: Floats) -> Floats | None:
    """The inverse of a triangle, where norms alone show that it has full rank; None where only an SVD can tell.

    By Frobenius' norm the largest singular value is at most |R| and the smallest at least 1 / |R^-1|.
    """
    from scipy.linalg import solve_triangular

    k = len(factor)
    if not k:
        return np.empty((0, 0))
    if not np.abs(np.diagonal(factor)).min() > _EPS:  # the columns have length 1
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        inverse: Floats = solve_triangular(factor, np.eye(k), check_finite=False)
        sure = 4 * k * _EPS * np.linalg.norm(factor) * np.linalg.norm(inverse) < 1.0
    return inverse if sure else None


def _free_columns(system: System) -> Array:
    """The columns that vary, without the one of each nominal attribute that the others are held against."""
    varies = system.norms > 0
    skipped = 0 if system.intercept else 1  # without an intercept one attribute keeps all of its levels
    for level_columns in system.nominal:
        occurring = [j for j in level_columns if system.centre[j] > 0]
        if not occurring:
            continue
        if skipped:
            skipped -= 1
        else:
            varies[occurring[0]] = False
    return np.flatnonzero(varies)


def fill_unseen(system: System, coefficient: Floats) -> Floats:
    """Levels without rows get the mean of the others' coefficients, so that they add nothing."""
    filled = coefficient.copy()
    for level_columns in system.nominal:
        at = np.array(level_columns, dtype=np.intp)
        absent = at[system.centre[at] <= 0]
        filled[absent] = float(system.centre[at] @ coefficient[at])
    return filled


def _dependent_columns(factor: Floats) -> Bools:
    """Which columns follow from those before them, these being reduced to an orthonormal basis one by one."""
    k = factor.shape[1]
    basis = np.zeros((k, 0))
    dependent = np.zeros(k, dtype=np.bool_)
    for j in range(k):
        residual = factor[:, j].copy()
        for _ in range(2):  # once is not enough
            residual -= basis @ (basis.T @ residual)
        length = float(np.linalg.norm(residual))
        dependent[j] = length <= 1e-10 * float(np.linalg.norm(factor[:, j]))
        if not dependent[j]:
            basis = np.column_stack([basis, residual / length])
    return dependent


_LEVERAGE = 0.9
#: The least pivot of the scaled factor at which the columns count as independent, also with any one row away.
_PIVOT = 1e-5


def leave_one_out_values(
    summary: LinearSummary, model: LinearModel, rows: Table, alpha: float
) -> tuple[Floats, Bools]:
    """The value of every row by the model of all the others, and which rows must be refitted."""
    system = summary.centred_system if model.intercept else summary.plain
    every = np.ones(len(rows), dtype=np.bool_)
    fitted = model.values(rows)
    if summary.gaps.any():
        return fitted, every
    used = np.arange(len(system.target)) if alpha > 0 else _free_columns(system)
    if alpha > 0:
        stack = np.vstack([system.factor, np.sqrt(alpha) * np.eye(len(used))])
        factor = triangular(stack)
    else:
        factor = triangular(system.factor[:, used])
    size = np.sqrt(np.einsum("ij,ij->j", factor, factor))
    if len(used) and (np.abs(np.diagonal(factor)) / np.where(size > 0, size, 1.0)).min() < _PIVOT:
        return fitted, every
    weight = rows.row_weights
    leverage = _leverages(model, rows, used, factor, system.weight)
    apart = rows.target_numbers - fitted
    kept = 1.0 - weight * leverage
    with np.errstate(divide="ignore", invalid="ignore"):
        predictions = rows.target_numbers - apart / kept
    # A level that only one row has is lost with it, and with it what its coefficient is held against.
    alone = _lone_levels(rows)
    return np.where(kept > 0, predictions, fitted), ~(weight * leverage < _LEVERAGE) | alone


def _leverages(model: LinearModel, rows: Table, used: Array, factor: Floats, total: float) -> Floats:
    from scipy.linalg import solve_triangular

    leverages = np.empty(len(rows))
    for piece in model.columns.pieces(rows):
        away = piece.values[:, used] - (model.centre[used] if model.intercept else 0.0)
        turned = solve_triangular(factor, away.T, trans="T") if len(used) else np.zeros((0, len(away)))
        leverages[piece.rows] = np.einsum("ij,ij->j", turned, turned)
    return leverages + (1.0 / total if model.intercept else 0.0)


def _lone_levels(rows: Table) -> Bools:
    """Rows that are the only ones of one of their levels."""
    alone = np.zeros(len(rows), dtype=np.bool_)
    for attribute, codes in rows.nominal_columns():
        counts = np.bincount(codes[codes >= 0], minlength=len(attribute.levels))
        alone |= (codes >= 0) & (counts[np.maximum(codes, 0)] == 1)
    return alone
