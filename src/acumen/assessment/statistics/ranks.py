"""Ranks in which ties share the mean of their places; ranks and wins of learners over several tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from acumen.assessment.statistics.given import ROUNDING, scores
from acumen.errors import ParameterError
from acumen.types import Array, Floats


def tied_ranks(values: Floats, tolerance: Floats | None = None) -> tuple[Floats, Array]:
    """Ranks from 1 for the smallest, and the size of each group of ties.

    Neighbours in order are tied when they differ by no more than either's tolerance: a rounding error of
    their own size unless given.
    """
    if not len(values):
        return np.empty(0), np.empty(0, dtype=np.intp)
    slack = ROUNDING * np.abs(values) if tolerance is None else tolerance
    order = np.argsort(values, kind="stable")
    gaps, slack = np.diff(values[order]), slack[order]
    starts = np.r_[0, 1 + np.flatnonzero(gaps > np.maximum(slack[1:], slack[:-1]))]
    sizes = np.diff(np.r_[starts, len(values)])
    ranks = np.empty(len(values))
    ranks[order] = np.repeat(starts + (sizes + 1.0) / 2.0, sizes)
    return ranks, sizes


def rank_table(values: Any, smaller_is_better: bool = True) -> Floats:
    """The rank of each learner on each table, 1 for the best; ties share the mean of their places."""
    matrix = scores(values, "rank_table")
    signed = matrix if smaller_is_better else -matrix
    return np.array([tied_ranks(line)[0] for line in signed])


def average_ranks(values: Any, smaller_is_better: bool = True) -> Floats:
    """The mean rank of each learner over the tables, 1 for one that is the best everywhere.

    Parameters
    ----------
    values : matrix
        A line for each table, a column for each learner.
    smaller_is_better : bool
        True for errors and losses, False for accuracies.
    """
    return rank_table(values, smaller_is_better).mean(axis=0)


def win_tie_loss(values: Any, smaller_is_better: bool = True, tolerance: float = 0.0) -> Array:
    """On how many tables each learner wins, ties and loses against each other.

    Parameters
    ----------
    values : matrix
        A line for each table, a column for each learner.
    smaller_is_better : bool
        True for errors and losses, False for accuracies.
    tolerance : float
        Scores no further apart than this are tied; rounding errors always are.

    Returns
    -------
    array of shape (learners, learners, 3)
        `[i, j]` holds the wins, ties and losses of learner i against learner j.
    """
    if not tolerance >= 0:
        raise ParameterError(f"win_tie_loss: tolerance must be a number of at least 0; got {tolerance!r}.")
    matrix = scores(values, "win_tie_loss")
    signed = -matrix if smaller_is_better else matrix
    gap = signed[:, :, None] - signed[:, None, :]
    size = np.maximum(np.abs(matrix)[:, :, None], np.abs(matrix)[:, None, :])
    slack = tolerance + ROUNDING * size
    return np.stack([(gap > slack).sum(0), (np.abs(gap) <= slack).sum(0), (gap < -slack).sum(0)], axis=-1)
