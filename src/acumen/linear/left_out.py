"""Least squares and ridge with each row left out, in closed form.

Without a row of weight w the fit moves so that the row's residual becomes e / (1 - w h), h being the row's leverage
1 / n + d' (X'X + alpha)^-1 d (Allen 1974). Rows of leverage near 1 are refitted instead, and so is everything where
values are missing (the means they stand at would change) or the columns depend on one another.
"""

from __future__ import annotations

import numpy as np

from acumen.data.table import Table
from acumen.linear.model import LinearModel
from acumen.linear.ols import _free_columns
from acumen.linear.systems import LinearSummary
from acumen.summaries.triangle import triangular
from acumen.types import Array, Bools, Floats

_LEVERAGE = 0.9
#: The least pivot of the scaled factor at which the columns count as independent, also with any one row away.
_PIVOT = 1e-5


def left_out(summary: LinearSummary, model: LinearModel, rows: Table, alpha: float) -> tuple[Floats, Bools]:
    """The value of every row by the model of all the others, and which rows must be refitted."""
    system = summary.centred if model.intercept else summary.plain
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
        made = rows.target_numbers - apart / kept
    # A level that only one row has is lost with it, and with it what its coefficient is held against.
    alone = _lone_levels(rows)
    return np.where(kept > 0, made, fitted), ~(weight * leverage < _LEVERAGE) | alone


def _leverages(model: LinearModel, rows: Table, used: Array, factor: Floats, total: float) -> Floats:
    from scipy.linalg import solve_triangular

    made = np.empty(len(rows))
    for piece in model.columns.pieces(rows):
        away = piece.values[:, used] - (model.centre[used] if model.intercept else 0.0)
        turned = solve_triangular(factor, away.T, trans="T") if len(used) else np.zeros((0, len(away)))
        made[piece.rows] = np.einsum("ij,ij->j", turned, turned)
    return made + (1.0 / total if model.intercept else 0.0)


def _lone_levels(rows: Table) -> Bools:
    """Rows that are the only ones of one of their levels."""
    alone = np.zeros(len(rows), dtype=np.bool_)
    for attribute, codes in rows.nominal_columns():
        counts = np.bincount(codes[codes >= 0], minlength=len(attribute.levels))
        alone |= (codes >= 0) & (counts[np.maximum(codes, 0)] == 1)
    return alone
