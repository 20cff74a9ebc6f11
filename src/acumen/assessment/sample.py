"""Judge on a sample of the rows if there is no time for all.

    stratified_order   rows -> an order in which the first n have the class proportions of all
    sample_ground      ground, number of rows -> the ground of a sample
    sample_size        checks `sample=`

The sample is the same for all learners of a comparison, and follows from its seed; it is split as the whole table would
be. Whoever is then taken is learned from all rows.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from acumen import messages
from acumen.assessment.runs import Ground
from acumen.data.table import Table
from acumen.errors import ParameterError
from acumen.types import Indices

#: Fewer rows than these are not sampled from: what is found of fewer is too vague to choose by.
LEAST = 5_000


def sample_size(given: Any) -> int | str | None:
    """A number of rows, "all", or None: as many as there is time for."""
    if given is None:
        return None
    if isinstance(given, str) and given.strip().lower() == "all":
        return "all"
    try:
        rows = int(given.replace(",", "")) if isinstance(given, str) else int(given)
    except (TypeError, ValueError):
        rows = 0
    if rows < 2 or isinstance(given, bool) or (isinstance(given, float) and given != rows):
        option = messages.option("sample").rstrip("=")
        raise ParameterError(
            f"compare: {option} must be a number of rows, at least 2, or 'all'; got {given!r}."
        )
    return rows


def stratified_order(rows: Table, seed: int = 0) -> Indices:
    """Order the rows so that any first n have about the class proportions of all, each class at least once.

    In which order those of one class come is drawn at random.
    """
    rng = np.random.default_rng(seed)
    order: Indices = rng.permutation(len(rows))
    if rows.labels is None:
        return order
    labels = rows.labels[order]
    # Each row's place among its class, as a share: small shares of every class come first.
    by_class = np.argsort(labels, kind="stable")
    counts = np.bincount(labels[by_class])
    first = np.repeat(np.cumsum(counts) - counts, counts)
    share = (np.arange(len(rows)) - first) / np.repeat(counts, counts)
    return order[by_class[np.argsort(share, kind="stable")]]


def sample_ground(base: Ground, rows: int, seed: int) -> Ground:
    """Take a sample of the rows, in their order in the table, and the same fraction of unlabelled ones."""
    if rows >= len(base.rows):
        return base
    some = np.sort(stratified_order(base.rows, seed)[:rows])
    unlabelled = base.unlabelled
    if unlabelled is not None:
        few = math.ceil(len(unlabelled) * rows / len(base.rows))
        unlabelled = unlabelled.take(np.sort(np.random.default_rng(seed).permutation(len(unlabelled))[:few]))
    return replace(base, rows=base.rows.take(some), kept=base.kept[some], unlabelled=unlabelled)
