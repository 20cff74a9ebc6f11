"""What a learner's splits will cost in time, from tries on parts of the rows.

    probe    trial, allowance -> Cost
    Cost     seconds of a split, and of a repeat, of all rows

Parts grow fourfold until one takes long enough to be measured, or all rows have been taken. From the last two of them
follows how the time grows: by a power of the rows, at most the third; or, where it grows less than they do, by a fixed
part and one for each row. A part that is small beside all rows tells little, since most of its time may be of the fixed
kind: while there is time, a larger one is tried. The first try is not counted: it also loads what the learner needs.
Learners whose folds are added up are tried by whole repeats.
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
#: All rows are at most so many times those of a part that tells enough.
NEAR = 16
#: Time grows with at most this power of the rows.
MOST_POWER = 3.0


@dataclass(frozen=True, slots=True)
class Cost:
    """What a learner's splits take, in seconds."""

    split: float
    #: Whether a repeat is made at once, by adding up summaries, whatever the number of its folds.
    at_once: bool
    #: How many rows were tried.
    rows: int
    #: Whether all that is known is that it takes longer.
    at_least: bool = False

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

    Parts grow until one takes `enough` seconds; all of them together may take `most`.
    """
    end = clock.now() + most
    rows, at_once = trial.base.rows, is_at_once(trial)
    method = trial.base.method
    if isinstance(method, KFold):
        method = replace(method, repeats=1, groups=None)
    elif not isinstance(method, LeaveOneOut):
        method = KFold(max(2, trial.per_repeat), stratified=rows.labels is not None)
    classes = rows.schema.n_classes if rows.labels is not None else 0
    n = min(len(rows), max(FIRST, OF_EACH_CLASS * classes, 2 * getattr(method, "k", 2)))
    order = _spread(rows)

    def tried(n: int, allowed: float) -> float | None:
        part = rows if n == len(rows) else rows.take(order[:n])
        return _tried(trial, part, method, at_once, allowed)

    warm = tried(n, most)
    if warm == math.inf:  # which may have been loading
        end += most
        warm = tried(n, most)
    if warm is None or warm == math.inf:
        return None if warm is None else Cost(most, at_once, n, at_least=True)  # how it grows, nobody knows
    measured: list[tuple[int, float]] = []
    size = n if warm >= enough else min(GROWTH * n, len(rows))
    while True:
        # The first that counts may take as long as the one before it, which also loaded what is needed.
        left = max(end - clock.now(), 0.0 if measured else 2 * warm)
        took = tried(size, left)
        if took is None:
            return None
        if took == math.inf:  # all that is known is that it takes longer
            measured.append((size, left))
            break
        measured.append((size, took))
        long = took >= enough
        if size == len(rows) or (long and size * NEAR >= len(rows)):
            break
        if (1 if long else GROWTH) * took > end - clock.now():
            break
        size = min(GROWTH * size, len(rows))
    if len(measured) == 1 and size < len(rows) and took >= enough and took < math.inf:
        half = tried(size // 2, 2 * took)  # which tells how the time grows
        measured.insert(0, (size // 2, took / 2 if half is None else min(half, 0.9 * took)))
    return Cost(_extrapolated(measured, len(rows)), at_once, size, at_least=took == math.inf)


def _tried(trial: Trial, rows: Table, method: Any, at_once: bool, most: float) -> float | None:
    """Seconds of one split of these rows, or of a repeat at once; infinite if stopped, None where it fails."""
    if most <= 0:
        return math.inf
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
    """By a power of the rows where time grows faster than they do; else by a fixed part and one for each row."""
    n, took = measured[-1]
    before, less = measured[-2] if len(measured) > 1 else (0, 0.0)
    each = max(took - less, 0.0) / (n - before)
    if not less or took / less <= n / before:
        return took + each * (rows - n)
    power = min(math.log(took / less) / math.log(n / before), MOST_POWER)
    return took * float(rows / n) ** power


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
