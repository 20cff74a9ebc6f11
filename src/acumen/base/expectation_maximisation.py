"""Learning also from rows without a label, for every generative learner with a summary.

A row without label enters once for each class, weighted by the class's probability, so that the ordinary
`summarise` and `solve` do all the work (Dempster, Laird and Rubin 1977; for text Nigam et al. 2000).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from acumen.data.table import Table
from acumen.models.decision import softmax
from acumen.models.model import Model
from acumen.rows.intake import replace_target
from acumen.types import Floats


@dataclass(frozen=True, slots=True)
class Found:
    """Where the steps ended; `log_likelihoods` has one value for each model on the way."""

    summary: Any
    model: Model
    steps: int
    log_likelihoods: tuple[float, ...]


def expectation_maximisation(
    summarise: Callable[[Table], Any],
    solve: Callable[[Any], Model],
    labelled: Table,
    unlabelled: Table,
    *,
    tolerance: float = 1e-6,
    limit: int = 200,
) -> Found:
    """Alternate between sharing out the unlabelled rows and solving, until no share moves by `tolerance`."""
    known = summarise(labelled)
    summary, model = known, solve(known)
    shares: Floats | None = None
    log_likelihoods: list[float] = []
    for step in range(1, limit + 1):
        scores = model.scores(unlabelled)
        log_likelihoods.append(_log_likelihood(model, labelled, unlabelled, scores))
        before, shares = shares, softmax(scores)
        if before is not None and float(np.abs(shares - before).max(initial=0.0)) < tolerance:
            return Found(summary, model, step, tuple(log_likelihoods))
        summary = known
        for code in range(shares.shape[1]):
            weights = unlabelled.row_weights * shares[:, code]
            rows = np.flatnonzero(weights)
            labels = np.full(len(unlabelled), code, dtype=np.int32)
            part = replace_target(unlabelled, labelled.schema, labels, weights)
            summary = summary + summarise(part if len(rows) == len(part) else part.take(rows))
        model = solve(summary)
    return Found(summary, model, limit, tuple(log_likelihoods))


def _log_likelihood(model: Model, labelled: Table, unlabelled: Table, scores: Floats) -> float:
    """log P of the labelled rows with their classes and of the unlabelled rows without."""
    known = model.scores(labelled)[np.arange(len(labelled)), labelled.class_codes] + model.common(labelled)
    top = scores.max(axis=1)
    finite = np.isfinite(top)
    density = np.full(len(top), -np.inf)
    density[finite] = top[finite] + np.log(np.exp(scores[finite] - top[finite, None]).sum(axis=1))
    density += model.common(unlabelled)
    return float(np.dot(labelled.row_weights, known) + np.dot(unlabelled.row_weights, density))
