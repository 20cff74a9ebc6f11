"""What a learner's splits will cost in time, from tries on parts of the rows.

    probe    trial, allowance -> Cost
    Cost     seconds of a split, and of a repeat, of all rows

Parts grow fourfold until one takes long enough to be measured, or all rows have been taken. From the last two of them
follows the power of the rows that the time grows with; it is taken as 1 at least and as 3 at most. The first try is not
counted: it also loads what the learner needs. Learners whose folds are added up are tried by whole repeats.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from acumen.assessment import clock
from acumen.assessment.left_out import leaves_out, leaves_parts_out
from acumen.assessment.runs import runs
from acumen.assessment.subject import messages_kept
from acumen.assessment.trial import Trial
from acumen.data.table import Table
from acumen.resample import KFold, LeaveOneOut
from acumen.types import Indices

#: The first part has so many rows, or so many for each class, whichever is more.
FIRST, OF_EACH_CLASS = 250, 10
#: Parts grow so many times.
GROWTH = 4
#: Time grows with at least and at most this power of the rows.
LEAST_POWER, MOST_POWER = 1.0, 3.0


@dataclass(frozen=True, slots=True)
class Cost:
    """What a learner's splits take, in seconds; infinite where a part of the rows alone took too long."""

    split: float
    #: Whether a repeat is made at once, by adding up summaries, whatever the number of its folds.
    at_once: bool
    #: How many rows were tried, and whether they took longer than was allowed.
    rows: int
    too_long: bool = False

    def repeat(self, splits: int) -> float:
        """Seconds of a repeat of so many splits."""
        return self.split if self.at_once else self.split * splits


def is_at_once(trial: Trial) -> bool:
    """Whether a repeat is one pass over the rows rather than a fit for each split."""
    base, learner = trial.base, trial.learner
    if trial.refit or base.unlabelled is not None:
        return False
    if isinstance(base.method, KFold):
        return bool(learner.adds_folds(base.rows.schema)) or leaves_parts_out(learner, base.rows)
    return isinstance(base.method, LeaveOneOut) and base.method.by_row and leaves_out(learner, base.rows)


def probe(trial: Trial, enough: float, most: float) -> Cost | None:
    """The cost of a learner's splits; None where a part cannot tell, since the learner fails on it.

    Parts grow until one takes `enough` seconds; none may take more than `most`.
    """
    rows, at_once = trial.base.rows, is_at_once(trial)
    method = trial.base.method
    if isinstance(method, KFold):
        method = replace(method, repeats=1, groups=None)
    elif not isinstance(method, LeaveOneOut):
        method = KFold(max(2, trial.per_repeat), stratified=rows.labels is not None)
    classes = rows.schema.n_classes if rows.labels is not None else 0
    n = min(len(rows), max(FIRST, OF_EACH_CLASS * classes, 2 * getattr(method, "k", 2)))
    order = _spread(rows)

    def tried(n: int) -> float | None:
        part = rows if n == len(rows) else rows.take(order[:n])
        return _tried(trial, part, method, at_once, most)

    took = tried(n)
    if took == math.inf:  # so few may do
        n //= GROWTH
        took = tried(n)
    if took is None or took == math.inf:
        return None if took is None else Cost(most * len(rows) / n, at_once, n, too_long=True)
    measured: list[tuple[int, float]] = []
    for size in [n] if took >= enough else _sizes(n, len(rows)):
        took = tried(size)
        if took is None or took == math.inf:
            break
        measured.append((size, took))
        if took >= enough and size < len(rows):
            if len(measured) == 1:  # half of these rows tell how the time grows
                measured.insert(0, (size // 2, tried(size // 2) or took / 2))
            break
    if took is None:
        return None
    if took == math.inf and not measured:
        return Cost(most * len(rows) / n, at_once, n, too_long=True)
    return Cost(_extrapolated(measured, len(rows)), at_once, measured[-1][0])


def _sizes(n: int, rows: int) -> list[int]:
    """Parts, each some times as large as the one before, up to all rows."""
    made = [min(GROWTH * n, rows)]
    while made[-1] < rows:
        made.append(min(GROWTH * made[-1], rows))
    return made


def _tried(trial: Trial, rows: Table, method: Any, at_once: bool, most: float) -> float | None:
    """Seconds of one split of these rows, or of a repeat at once; infinite if stopped, None where it fails."""
    start = clock.now()
    try:
        with clock.limited(most), messages_kept([]):
            tried = runs(
                trial.learner, rows, method, random_state=0, refit=trial.refit, proba=trial.needs_shares,
                unlabelled=trial.base.unlabelled,
            )  # fmt: skip
            for _ in tried:
                if not at_once:
                    break
    except clock.TimeUp:
        return math.inf
    except Exception:  # a part may lack what the whole table has; the learner's own trial will tell
        return None
    return clock.now() - start


def _extrapolated(measured: list[tuple[int, float]], rows: int) -> float:
    n, took = measured[-1]
    power = LEAST_POWER
    if len(measured) > 1:
        before, less = measured[-2]
        if n > before and less > 0 and took > less:
            power = math.log(took / less) / math.log(n / before)
    return took * (rows / n) ** min(max(power, LEAST_POWER), MOST_POWER)


def _spread(rows: Table) -> Indices:
    """The rows in an order whose first so many have the classes in about the proportions of all."""
    rng = np.random.default_rng(0)
    order: Indices = rng.permutation(len(rows))
    if rows.labels is None:
        return order
    labels = rows.labels[order]
    # Each row's place among its class, as a share: small shares of every class come first.
    by_class = np.argsort(labels, kind="stable")
    counts = np.bincount(labels[by_class])
    first = np.repeat(np.cumsum(counts) - counts, counts)
    share = (np.arange(len(rows)) - first + 0.5) / np.repeat(counts, counts)
    return order[by_class[np.argsort(share, kind="stable")]]
