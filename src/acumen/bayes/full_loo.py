"""Full Bayes with each row left out, in closed form by rank-one changes of the scatter matrices.

Without a row x of class c and weight w, the class's scatter loses b d d', with d = x - mean and
b = w W / (W - w); the inverse and the determinant follow by Sherman and Morrison. The share h = b d'S^-1 d is
the row's leverage: near 1 the row is refitted instead. Shrinkage, repaired matrices and missing numbers have no
such form and are refitted too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from acumen.bayes.full import FullBayesSummary, solve
from acumen.data.table import Table
from acumen.types import Bools, Floats

_LEVERAGE = 0.9


def leave_one_out(
    summary: FullBayesSummary, rows: Table, *, covariance: Any, alpha: float, shrinkage: float, unbiased: bool
) -> tuple[Floats, Bools]:
    """Scores of every row under the model of all the others, and which rows need a refit instead."""
    model = solve(summary, covariance=covariance, alpha=alpha, shrinkage=shrinkage, unbiased=unbiased)
    assert rows.labels is not None
    own, weight, x = rows.labels, rows.row_weights, rows.numeric.matrix()
    total = summary.class_totals
    left = total[own] - weight
    less = (1.0 if unbiased else 0.0) * (float(np.count_nonzero(total)) if covariance == "shared" else 1.0)
    scatter = summary.scatter.imputed()
    if covariance == "shared":
        scatter = scatter.sum(axis=0, keepdims=True)
    divisor = np.array([total.sum() - less]) if covariance == "shared" else total - less
    # A matrix that had to be repaired is not the scatter over its divisor any more.
    with np.errstate(divide="ignore", invalid="ignore"):
        same = np.isclose(model.covariance, scatter / divisor[:, None, None], rtol=1e-9, atol=0.0)
    plain: Bools = np.array([each.all() for each in same])
    refit = ~(plain[0] if covariance == "shared" else plain[own]) | ~(left > max(less, 1e-9))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        share = np.log(np.where(left > 0, left, 0.0)) - np.log(total.sum() - weight)
        scores = np.log(total)[None, :] - np.log(total.sum() - weight)[:, None]
        scores[np.arange(len(rows)), own] = share
        factor = weight * total[own] / left
        if covariance == "shared":
            refit |= _add_shared(model, x, own, weight, factor, left, divisor[0], scores)
        else:
            refit |= _add_own(model, x, own, factor, left, less, total, scores)
    refit |= np.isnan(scores).any(axis=1)
    return scores, refit


def _add_shared(
    model: Any,
    x: Floats,
    own: Any,
    weight: Floats,
    factor: Floats,
    left: Floats,
    divisor: float,
    scores: Floats,
) -> Bools:
    """Planes become slightly bent around each row: every class's distance is under the changed inverse."""
    whiten = model.factor[0].T  # (x - m) @ whiten has unit covariance
    y = x @ whiten
    means = model.mean @ whiten
    u = y - means[own]
    uu = np.einsum("nd,nd->n", u, u) / divisor  # d' S^-1 d
    h = factor * uu
    for j in range(len(means)):
        v = y - means[j]
        vv = np.einsum("nd,nd->n", v, v) / divisor
        vu = np.einsum("nd,nd->n", v, u) / divisor
        distance = vv + factor * vu**2 / (1.0 - h)
        mine = own == j
        scale = (left[mine] + weight[mine]) / left[mine]  # x is that much farther from a mean without it
        distance[mine] = scale**2 * (uu[mine] + factor[mine] * uu[mine] ** 2 / (1.0 - h[mine]))
        scores[:, j] -= 0.5 * (divisor - weight) * distance
    return ~(h < _LEVERAGE)


def _add_own(
    model: Any, x: Floats, own: Any, factor: Floats, left: Floats, less: float, total: Floats, scores: Floats
) -> Bools:
    """Only the row's own class changes: its distance and its determinant."""
    d = x.shape[1]
    high = np.zeros(len(x), dtype=np.bool_)
    for j in range(len(model.mean)):
        v = (x - model.mean[j]) @ model.factor[j].T
        square = np.einsum("nd,nd->n", v, v)
        log_det = -2.0 * np.log(np.diag(model.factor[j])).sum()
        logs = -0.5 * (square + log_det)
        mine = own == j
        divisor = total[j] - less
        uu = square[mine] / divisor
        h = factor[mine] * uu
        scale = total[j] / left[mine] if np.ndim(left) else 1.0
        now = left[mine] - less
        distance = now * scale**2 * (uu + factor[mine] * uu**2 / (1.0 - h))
        det = log_det + d * (np.log(divisor) - np.log(now)) + np.log1p(-h)
        logs[mine] = -0.5 * (distance + det)
        high[mine] = ~(h < _LEVERAGE)
        scores[:, j] += logs
    return high
