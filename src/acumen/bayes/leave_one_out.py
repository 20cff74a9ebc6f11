"""Naive Bayes with each row left out, in closed form: what a refit without the row would score it.

Leaving out a row changes only its own class: a level's count, the class's total, a mean and a sum of squares
lose the row's share. Where the subtraction would cancel digits, because the row makes up most of its class's
spread, the row is marked for a refit.

Full Bayes with each row left out, in closed form by rank-one changes of the scatter matrices.

Without a row x of class c and weight w, the class's scatter loses b d d', with d = x - mean and
b = w W / (W - w); the inverse and the determinant follow by Sherman and Morrison. The share h = b d'S^-1 d is
the row's leverage: near 1 the row is refitted instead. Matrices that are repaired, or near to it, are refitted too;
shrinkage, missing numbers and nominal attributes have no such form.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from acumen.bayes.covariance import least_variances
from acumen.bayes.factors.gaussian import LOG_TWO_PI, mean_priors
from acumen.bayes.full import FullBayesSummary
from acumen.bayes.full import solve as solve_full
from acumen.bayes.naive import NaiveBayesSummary
from acumen.bayes.naive import solve as solve_naive
from acumen.bayes.smoothing import alphas_of, log_shares
from acumen.bayes.variance_floors import VarianceFloor, makes_few, variance_floor, without_a_row
from acumen.data.table import Table
from acumen.types import Bools, Floats

#: A row that carries more than this share of its class's scatter is refitted.
_LEVERAGE = 0.9
#: So many counts are written out at a time.
_CELLS = 1 << 20


def naive_leave_one_out(
    summary: NaiveBayesSummary, rows: Table, *, estimator: Any, alpha: Any, mean_prior: Any, bins: Any,
    smooth_only_zeros: bool, var_floor: VarianceFloor, attribute_weights: None = None,
    variance_prior: None = None, normal_gamma_prior: None = None,
) -> tuple[Floats, Bools]:  # fmt: skip
    """Scores of every row under the model of all the others, and which rows need a refit instead.

    Attributes all count alike, and variances have no prior: where that is otherwise, rows are refitted.
    """
    model = solve_naive(
        summary, estimator=estimator, alpha=alpha, mean_prior=mean_prior, bins=bins,
        smooth_only_zeros=smooth_only_zeros, var_floor=var_floor,
    )  # fmt: skip
    own_class, weight = rows.class_codes, rows.row_weights
    every = np.arange(len(rows))
    scores = model.scores(rows)
    mine = np.zeros(len(rows))  # the own class's score, made anew
    totals = summary.class_totals
    with np.errstate(divide="ignore"):
        log_total = np.log(np.maximum(totals.sum() - weight, 0.0))
        scores += (np.log(totals.sum()) - log_total)[:, None]
        mine += np.log(_less(totals[own_class], weight)) - log_total
    for (attribute, codes), counts, prior in zip(
        rows.nominal_columns(), summary.nominal, alphas_of(alpha, rows.schema.nominal, estimator, "NaiveBayes"),
        strict=True,
    ):  # fmt: skip
        step = max(1, _CELLS // max(1, len(attribute.levels)))
        every_known = np.flatnonzero(codes >= 0)
        for start in range(0, len(every_known), step):
            known = every_known[start : start + step]
            table = counts.known_counts[
                own_class[known]
            ]  # one line of counts a row, its own weight taken out
            here = np.arange(len(known)), codes[known]
            table[here] = _less(table[here], weight[known])
            mine[known] += log_shares(table, prior, estimator, smooth_only_zeros)[here]
    refit = _add_gaussians(summary, rows, mine, var_floor, mean_prior)
    # The last row of a class leaves nothing behind: probability zero, as in a refit.
    gone = _less(totals[own_class], weight) <= 0
    mine[gone] = -np.inf
    scores[every, own_class] = mine
    return scores, refit


def _less(total: Floats, weight: Floats) -> Floats:
    """What is left of a total; the rounding that remains of weights that cancel is nothing."""
    difference = total - weight
    return np.where(difference > 1e-9 * total, difference, 0.0)


def _add_gaussians(
    summary: NaiveBayesSummary, rows: Table, mine: Floats, var_floor: VarianceFloor, mean_prior: Any
) -> Bools:
    """Add each row's log density under its own class without it; says which rows need a refit."""
    moments = summary.numeric
    refit = np.zeros(len(rows), dtype=np.bool_)
    if not moments.mean.shape[1]:
        return refit
    heaviest = float(rows.row_weights.max(initial=0.0))
    floor = variance_floor(moments, summary.gap, var_floor)
    floor = floor * without_a_row(moments, summary.distinct, heaviest)
    refit |= makes_few(summary.distinct, rows)
    priors = mean_priors(mean_prior, rows.schema.numeric)
    own_class, weight = rows.class_codes, rows.row_weights
    # Where some class sits near its floor, or has no value and borrows the variance of all rows, every row
    # that is left out has a part in it.
    variance = moments.scatter / np.maximum(moments.weight, 1e-300)
    there = summary.class_totals[:, None] > 0
    if (((variance < floor) | ~(moments.weight > 0)) & there).any():
        refit[:] = True
        return refit
    for j, (_, values) in enumerate(rows.numeric_columns()):
        known = np.isfinite(values)
        total, mean, scatter = (a[own_class, j] for a in (moments.weight, moments.mean, moments.scatter))
        remaining = _less(total, weight)
        some = known & (remaining > 0)
        apart = np.where(some, values, 0.0) - mean
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            taken = weight * total / remaining * apart**2
            refit |= some & ~(taken <= _LEVERAGE * scatter)
            centre = mean - weight * apart / remaining
            spread = (scatter - taken) / remaining
            refit |= some & ~(spread >= floor[own_class, j])
            if j in priors:
                at, wide = priors[j]
                centre = (spread * at + remaining * wide * centre) / (spread + remaining * wide)
            logs = -0.5 * ((values - centre) ** 2 / spread + np.log(spread) + LOG_TWO_PI)
        # The only known value of its class: a refit has no Gaussian to compare with either.
        refit |= known & ~(remaining > 0) & (summary.class_totals[own_class] - weight > 0)
        mine[some] += logs[some]
    return refit


#: The least squared pivot of a correlation matrix that is safe: taking out a row costs it no digits that matter,
#: and does not make it one that would be repaired.
_PIVOT = 1e-5


def full_leave_one_out(
    summary: FullBayesSummary, rows: Table, *, covariance: Any, alpha: float, shrinkage: float, unbiased: bool
) -> tuple[Floats, Bools]:
    """Scores of every row under the model of all the others, and which rows need a refit instead."""
    model = solve_full(summary, covariance=covariance, alpha=alpha, shrinkage=shrinkage, unbiased=unbiased)
    own_class, weight, x = rows.class_codes, rows.row_weights, rows.numeric.matrix()
    total = summary.class_totals
    shared = covariance == "shared"
    remaining = total[own_class] - weight
    less = (1.0 if unbiased else 0.0) * (float(np.count_nonzero(total)) if shared else 1.0)
    scatter = summary.scatter.impute_means()
    if shared:
        scatter = scatter.sum(axis=0, keepdims=True)
    divisor = np.array([total.sum() - less]) if shared else total - less
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        plain = scatter / divisor[:, None, None]
        refit = _unsafe(model.covariance, plain, np.ones(1) if shared else total)[
            np.zeros_like(own_class) if shared else own_class
        ]
        # Where a variance is near the least allowed, any row that is left out may move both.
        growth = without_a_row(summary.scatter.moments, summary.distinct, float(weight.max(initial=0.0)))
        floors = least_variances(summary.scatter, summary.gap, covariance) * (
            growth.max(axis=0, keepdims=True) if shared else growth
        )
        variances = np.diagonal(plain, axis1=1, axis2=2)
        refit |= bool((variances < floors)[np.ones(1, dtype=np.bool_) if shared else total > 0].any())
        refit |= makes_few(summary.distinct, rows)
        at = np.zeros_like(own_class) if shared else own_class
        apart = x - summary.scatter.moments.mean[own_class]
        taken = (weight * total[own_class] / remaining)[:, None] * apart**2
        after = (variances * divisor[:, None])[at] - taken
        refit |= ~(after >= floors[at] * (divisor[at] - weight)[:, None]).all(axis=1)
        refit |= ~(remaining > 1e-9 * total[own_class]) | ~(
            (divisor[0] - weight if shared else remaining - less) > 1e-9 * remaining
        )
        scores = np.log(total)[None, :] - np.log(total.sum() - weight)[:, None]
        scores[np.arange(len(rows)), own_class] = np.log(np.maximum(remaining, 0.0)) - np.log(
            total.sum() - weight
        )
        factor = weight * total[own_class] / remaining
        if shared:
            refit |= _add_shared(model, x, own_class, weight, factor, total, divisor[0], scores)
        else:
            refit |= _add_own(model, x, own_class, factor, remaining, less, total, scores)
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
    own_class: Any,
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
    u = y - means[own_class]
    uu = np.einsum("nd,nd->n", u, u) / divisor  # d' S^-1 d
    h = factor * uu
    for j in np.flatnonzero(total > 0).tolist():
        v = y - means[j]
        vv = np.einsum("nd,nd->n", v, v) / divisor
        vu = np.einsum("nd,nd->n", v, u) / divisor
        distance = vv + factor * vu**2 / (1.0 - h)
        mine = own_class == j
        scale = total[j] / (total[j] - weight[mine])  # x is that much farther from a mean without it
        distance[mine] = scale**2 * (uu[mine] + factor[mine] * uu[mine] ** 2 / (1.0 - h[mine]))
        scores[:, j] -= 0.5 * (divisor - weight) * distance
    return ~(h < _LEVERAGE)


def _add_own(
    model: Any,
    x: Floats,
    own_class: Any,
    factor: Floats,
    remaining: Floats,
    less: float,
    total: Floats,
    scores: Floats,
) -> Bools:
    """Only the row's own class changes: its distance and its determinant."""
    high = np.zeros(len(x), dtype=np.bool_)
    for j in np.flatnonzero(total > 0).tolist():
        v = (x - model.mean[j]) @ model.factor[j].T
        square = np.einsum("nd,nd->n", v, v)
        log_det = -2.0 * np.log(np.diag(model.factor[j])).sum()
        logs = -0.5 * (square + log_det)
        mine = own_class == j
        divisor = total[j] - less
        uu = square[mine] / divisor
        h = factor[mine] * uu
        now = remaining[mine] - less
        distance = now * (total[j] / remaining[mine]) ** 2 * (uu + factor[mine] * uu**2 / (1.0 - h))
        det = log_det + x.shape[1] * (np.log(divisor) - np.log(now)) + np.log1p(-h)
        logs[mine] = -0.5 * (distance + det)
        high[mine] = ~(h < _LEVERAGE)
        scores[:, j] += logs
    return high
