"""Full Bayes with each row left out, in closed form by rank-one changes of the scatter matrices.

Without a row x of class c and weight w, the class's scatter loses b d d', with d = x - mean and
b = w W / (W - w); the inverse and the determinant follow by Sherman and Morrison. The share h = b d'S^-1 d is
the row's leverage: near 1 the row is refitted instead. Matrices that are repaired, or near to it, are refitted too;
shrinkage, missing numbers and nominal attributes have no such form.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from acumen.bayes.covariance import least_variances
from acumen.bayes.floors import makes_few, without_a_row
from acumen.bayes.full import FullBayesSummary, solve
from acumen.data.table import Table
from acumen.types import Bools, Floats

_LEVERAGE = 0.9
#: The least squared pivot of a correlation matrix that is safe: taking out a row costs it no digits that matter,
#: and does not make it one that would be repaired.
_PIVOT = 1e-5


def leave_one_out(
    summary: FullBayesSummary, rows: Table, *, covariance: Any, alpha: float, shrinkage: float, unbiased: bool
) -> tuple[Floats, Bools]:
    """Scores of every row under the model of all the others, and which rows need a refit instead."""
    model = solve(summary, covariance=covariance, alpha=alpha, shrinkage=shrinkage, unbiased=unbiased)
    own, weight, x = rows.class_codes, rows.row_weights, rows.numeric.matrix()
    total = summary.class_totals
    shared = covariance == "shared"
    left = total[own] - weight
    less = (1.0 if unbiased else 0.0) * (float(np.count_nonzero(total)) if shared else 1.0)
    scatter = summary.scatter.imputed()
    if shared:
        scatter = scatter.sum(axis=0, keepdims=True)
    divisor = np.array([total.sum() - less]) if shared else total - less
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        plain = scatter / divisor[:, None, None]
        refit = _unsafe(model.covariance, plain, np.ones(1) if shared else total)[
            np.zeros_like(own) if shared else own
        ]
        # Where a variance is near the least allowed, any row that is left out may move both.
        growth = without_a_row(summary.scatter.moments, summary.distinct, float(weight.max(initial=0.0)))
        floors = least_variances(summary.scatter, summary.gap, covariance) * (
            growth.max(axis=0, keepdims=True) if shared else growth
        )
        variances = np.diagonal(plain, axis1=1, axis2=2)
        refit |= bool((variances < floors)[np.ones(1, dtype=np.bool_) if shared else total > 0].any())
        refit |= makes_few(summary.distinct, rows)
        at = np.zeros_like(own) if shared else own
        apart = x - summary.scatter.moments.mean[own]
        taken = (weight * total[own] / left)[:, None] * apart**2
        after = (variances * divisor[:, None])[at] - taken
        refit |= ~(after >= floors[at] * (divisor[at] - weight)[:, None]).all(axis=1)
        refit |= ~(left > 1e-9 * total[own]) | ~(
            (divisor[0] - weight if shared else left - less) > 1e-9 * left
        )
        scores = np.log(total)[None, :] - np.log(total.sum() - weight)[:, None]
        scores[np.arange(len(rows)), own] = np.log(np.maximum(left, 0.0)) - np.log(total.sum() - weight)
        factor = weight * total[own] / left
        if shared:
            refit |= _add_shared(model, x, own, weight, factor, total, divisor[0], scores)
        else:
            refit |= _add_own(model, x, own, factor, left, less, total, scores)
    refit |= np.isnan(scores).any(axis=1)
    return scores, refit


def _unsafe(covariance: Floats, plain: Floats, total: Floats) -> Bools:
    """For each matrix whether rows of its class must be refitted: all of them, once one had to be mended.

    What a matrix is mended with may come from all rows; one that is nearly singular concerns its own class only.
    """
    there = np.flatnonzero(total > 0)
    if not np.allclose(covariance[there], plain[there], rtol=1e-9, atol=0.0):
        return np.ones(len(covariance), dtype=np.bool_)
    spread = np.sqrt(np.diagonal(covariance, axis1=1, axis2=2))
    pivots = np.linalg.cholesky(covariance / (spread[:, :, None] * spread[:, None, :]))
    least = np.diagonal(pivots, axis1=1, axis2=2).min(axis=1, initial=1.0)
    return np.asarray(least**2 <= _PIVOT)


def _add_shared(
    model: Any,
    x: Floats,
    own: Any,
    weight: Floats,
    factor: Floats,
    total: Floats,
    divisor: float,
    scores: Floats,
) -> Bools:
    """Planes become slightly bent around each row: every class's distance is under the changed inverse."""
    whiten = model.factor[0].T  # (x - m) @ whiten has unit covariance
    means = np.where(total[:, None] > 0, model.mean, 0.0)
    centre = total @ means / total.sum()  # far from the origin digits would be lost
    y = (x - centre) @ whiten
    means = (means - centre) @ whiten
    u = y - means[own]
    uu = np.einsum("nd,nd->n", u, u) / divisor  # d' S^-1 d
    h = factor * uu
    for j in np.flatnonzero(total > 0).tolist():
        v = y - means[j]
        vv = np.einsum("nd,nd->n", v, v) / divisor
        vu = np.einsum("nd,nd->n", v, u) / divisor
        distance = vv + factor * vu**2 / (1.0 - h)
        mine = own == j
        scale = total[j] / (total[j] - weight[mine])  # x is that much farther from a mean without it
        distance[mine] = scale**2 * (uu[mine] + factor[mine] * uu[mine] ** 2 / (1.0 - h[mine]))
        scores[:, j] -= 0.5 * (divisor - weight) * distance
    return ~(h < _LEVERAGE)


def _add_own(
    model: Any, x: Floats, own: Any, factor: Floats, left: Floats, less: float, total: Floats, scores: Floats
) -> Bools:
    """Only the row's own class changes: its distance and its determinant."""
    high = np.zeros(len(x), dtype=np.bool_)
    for j in np.flatnonzero(total > 0).tolist():
        v = (x - model.mean[j]) @ model.factor[j].T
        square = np.einsum("nd,nd->n", v, v)
        log_det = -2.0 * np.log(np.diag(model.factor[j])).sum()
        logs = -0.5 * (square + log_det)
        mine = own == j
        divisor = total[j] - less
        uu = square[mine] / divisor
        h = factor[mine] * uu
        now = left[mine] - less
        distance = now * (total[j] / left[mine]) ** 2 * (uu + factor[mine] * uu**2 / (1.0 - h))
        det = log_det + x.shape[1] * (np.log(divisor) - np.log(now)) + np.log1p(-h)
        logs[mine] = -0.5 * (distance + det)
        high[mine] = ~(h < _LEVERAGE)
        scores[:, j] += logs
    return high
