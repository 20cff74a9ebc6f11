"""Naive Bayes with each row left out, in closed form: what a refit without the row would score it.

Leaving out a row changes only its own class: a level's count, the class's total, a mean and a sum of squares
lose the row's share. Where the subtraction would cancel digits, because the row makes up most of its class's
spread, the row is marked for a refit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from acumen.bayes.factors.gaussian import LOG_TWO_PI, mean_priors
from acumen.bayes.floors import VarianceFloor, makes_few, variance_floor, without_a_row
from acumen.bayes.naive import NaiveBayesSummary, solve
from acumen.bayes.smoothing import alphas_of, log_shares
from acumen.data.table import Table
from acumen.types import Bools, Floats

#: A row that carries more than this share of its class's scatter is refitted.
_LEVERAGE = 0.9
#: So many counts are written out at a time.
_CELLS = 1 << 20


def leave_one_out(
    summary: NaiveBayesSummary, rows: Table, *, estimator: Any, alpha: Any, mean_prior: Any, bins: Any,
    smooth_only_zeros: bool, var_floor: VarianceFloor, attribute_weights: None = None,
    variance_prior: None = None, normal_gamma_prior: None = None,
) -> tuple[Floats, Bools]:  # fmt: skip
    """Scores of every row under the model of all the others, and which rows need a refit instead.

    Attributes all count alike, and variances have no prior: where that is otherwise, rows are refitted.
    """
    model = solve(
        summary, estimator=estimator, alpha=alpha, mean_prior=mean_prior, bins=bins,
        smooth_only_zeros=smooth_only_zeros, var_floor=var_floor,
    )  # fmt: skip
    own, weight = rows.class_codes, rows.row_weights
    every = np.arange(len(rows))
    scores = model.scores(rows)
    mine = np.zeros(len(rows))  # the own class's score, made anew
    totals = summary.class_totals
    with np.errstate(divide="ignore"):
        left = np.log(np.maximum(totals.sum() - weight, 0.0))
        scores += (np.log(totals.sum()) - left)[:, None]
        mine += np.log(_less(totals[own], weight)) - left
    for (attribute, codes), counts, prior in zip(
        rows.nominal_columns(), summary.nominal, alphas_of(alpha, rows.schema.nominal, estimator, "NaiveBayes"),
        strict=True,
    ):  # fmt: skip
        step = max(1, _CELLS // max(1, len(attribute.levels)))
        every_known = np.flatnonzero(codes >= 0)
        for start in range(0, len(every_known), step):
            known = every_known[start : start + step]
            table = counts.observed[own[known]]  # one line of counts a row, its own weight taken out
            here = np.arange(len(known)), codes[known]
            table[here] = _less(table[here], weight[known])
            mine[known] += log_shares(table, prior, estimator, smooth_only_zeros)[here]
    refit = _add_gaussians(summary, rows, mine, var_floor, mean_prior)
    # The last row of a class leaves nothing behind: probability zero, as in a refit.
    gone = _less(totals[own], weight) <= 0
    mine[gone] = -np.inf
    scores[every, own] = mine
    return scores, refit


def _less(total: Floats, weight: Floats) -> Floats:
    """What is left of a total; the rounding that remains of weights that cancel is nothing."""
    left = total - weight
    return np.where(left > 1e-9 * total, left, 0.0)


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
    own, weight = rows.class_codes, rows.row_weights
    # Where some class sits near its floor, or has no value and borrows the variance of all rows, every row
    # that is left out has a part in it.
    variance = moments.scatter / np.maximum(moments.weight, 1e-300)
    there = summary.class_totals[:, None] > 0
    if (((variance < floor) | ~(moments.weight > 0)) & there).any():
        refit[:] = True
        return refit
    for j, (_, values) in enumerate(rows.numeric_columns()):
        known = np.isfinite(values)
        total, mean, scatter = (a[own, j] for a in (moments.weight, moments.mean, moments.scatter))
        left = _less(total, weight)
        some = known & (left > 0)
        apart = np.where(some, values, 0.0) - mean
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            taken = weight * total / left * apart**2
            refit |= some & ~(taken <= _LEVERAGE * scatter)
            centre = mean - weight * apart / left
            spread = (scatter - taken) / left
            refit |= some & ~(spread >= floor[own, j])
            if j in priors:
                at, wide = priors[j]
                centre = (spread * at + left * wide * centre) / (spread + left * wide)
            logs = -0.5 * ((values - centre) ** 2 / spread + np.log(spread) + LOG_TWO_PI)
        # The only known value of its class: a refit has no Gaussian to compare with either.
        refit |= known & ~(left > 0) & (summary.class_totals[own] - weight > 0)
        mine[some] += logs[some]
    return refit
