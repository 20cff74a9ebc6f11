"""Least squares: the coefficients that leave the smallest sum of squared residuals.

    solve   summary -> LinearModel   coefficients, standard errors, what follows from other columns

Of a nominal attribute the first level that occurs is what the others are held against (its coefficient is 0), since
its 0/1 columns sum to the intercept's. Columns that follow from others in another way leave the coefficients open;
those of smallest length are taken, in units of the columns' standard deviations, and a warning names the columns.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from acumen.errors import AcumenWarning
from acumen.linear.model import Fit, LinearModel
from acumen.linear.systems import LinearSummary, System
from acumen.summaries.triangle import triangular
from acumen.types import Array, Bools, Floats

_EPS = float(np.finfo(np.float64).eps)


def solve(summary: LinearSummary, *, intercept: bool) -> LinearModel:
    """The least-squares model."""
    return solved(summary.centred if intercept else summary.plain, "LinearRegression")


def solved(system: System, who: str) -> LinearModel:
    """The model of a system without penalty."""
    found = least_squares(system)
    if found.open.any():
        names = [system.columns.names[j] for j in np.flatnonzero(found.open)]
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
        coefficient=with_unseen(system, found.coefficient),
        error=found.error,
        fit=Fit(system.weight, found.residual, system.total, float(found.rank)),
        intercept=system.intercept,
    )


@dataclass(frozen=True, slots=True)
class Found:
    """A solution: coefficients, standard errors (the intercept's first), and which columns follow from others."""

    coefficient: Floats
    error: Floats
    residual: float
    rank: int
    open: Bools


def least_squares(system: System) -> Found:
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
    left = system.weight - rank - (1.0 if system.intercept else 0.0)
    if rank == k:
        if inverse is None:
            inverse = solve_triangular(factor, np.eye(k))
        coefficient[used] = solve_triangular(factor, target) / norms if k else 0.0
        residual = rest**2
    else:
        inverse = v[:rank].T / s[:rank]
        coefficient[used] = inverse @ (u[:, :rank].T @ target) / norms
        residual = rest**2 + float(np.sum((u[:, rank:].T @ target) ** 2))
        unfree[used] = _dependent(factor)
    if left > 1e-9:
        sigma = np.sqrt(residual / left)
        spread = inverse / norms[:, None] if k else inverse
        error[1 + used] = sigma * np.sqrt(np.einsum("ij,ij->i", spread, spread))
        if rank < k:
            # What null directions touch is not determined at all.
            error[1 + used[np.abs(v[rank:]).max(axis=0) > 1e-8]] = np.nan
        if system.intercept and system.weight > 0:
            turned_centre = system.centre[used] @ spread
            error[0] = sigma * np.sqrt(1.0 / system.weight + float(turned_centre @ turned_centre))
    return Found(coefficient, error, residual, rank, unfree)


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
        made: Floats = solve_triangular(factor, np.eye(k), check_finite=False)
        sure = 4 * k * _EPS * np.linalg.norm(factor) * np.linalg.norm(made) < 1.0
    return made if sure else None


def _free_columns(system: System) -> Array:
    """The columns that vary, without the one of each nominal attribute that the others are held against."""
    varies = system.norms > 0
    skipped = 0 if system.intercept else 1  # without an intercept one attribute keeps all of its levels
    for own in system.nominal:
        occurring = [j for j in own if system.centre[j] > 0]
        if not occurring:
            continue
        if skipped:
            skipped -= 1
        else:
            varies[occurring[0]] = False
    return np.flatnonzero(varies)


def with_unseen(system: System, coefficient: Floats) -> Floats:
    """Levels without rows get the mean of the others' coefficients, so that they add nothing."""
    made = coefficient.copy()
    for own in system.nominal:
        at = np.array(own, dtype=np.intp)
        absent = at[system.centre[at] <= 0]
        made[absent] = float(system.centre[at] @ coefficient[at])
    return made


def _dependent(factor: Floats) -> Bools:
    """Which columns follow from those before them, these being reduced to an orthonormal basis one by one."""
    k = factor.shape[1]
    basis = np.zeros((k, 0))
    found = np.zeros(k, dtype=np.bool_)
    for j in range(k):
        left = factor[:, j].copy()
        for _ in range(2):  # once is not enough
            left -= basis @ (basis.T @ left)
        length = float(np.linalg.norm(left))
        found[j] = length <= 1e-10 * float(np.linalg.norm(factor[:, j]))
        if not found[j]:
            basis = np.column_stack([basis, left / length])
    return found
