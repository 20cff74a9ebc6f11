"""Predict how long a learner's splits will take, from fits on parts of the rows.

    probe     trial, time allowed -> FitCost
    FitCost   predicted seconds of a split, and of a repeat, for a number of rows

Parts grow fourfold until one takes long enough to be measured, all rows have been taken, or the next would take more
time than there is. From the last two of them follows how the time grows: by a power of the rows, at most the third; or,
where it grows less than they do, by a fixed part and one for each row. A part that is small beside all rows tells
little, since most of its time may be of the fixed kind: while there is time, a larger one is tried, and what is then
said of all rows is taken for a guess. The first try is not counted: it also loads what the learner needs.
Learners whose folds are added up are tried by whole repeats.

Time as a comparison spends it: what the clock says, and work that is stopped when its time is over.

now          seconds, from any start
seconds      "90s", "5m", "1h", "none" or a number -> seconds, or None
time_limit   interrupts its block after a number of seconds, as Ctrl-C would
"""

from __future__ import annotations

import itertools
import math
import re
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import FrameType
from typing import Any, NamedTuple

from acumen.assessment.contestants import collect_messages
from acumen.assessment.left_out import leaves_out, leaves_parts_out
from acumen.assessment.runs import runs
from acumen.assessment.sample import stratified_order
from acumen.assessment.trial import LearnerTrial
from acumen.data.table import Table
from acumen.errors import ParameterError
from acumen.resampling import KFold, LeaveOneOut

#: What tells the time; tests tell it themselves.
now = time.monotonic


_UNITS = {"": 1.0, "s": 1.0, "sec": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


def seconds(given: float | str | None, who: str) -> float | None:
    """Parse a duration: "90s", "5m", "1.5h", 90; None and "none" mean no limit."""
    if given is None or (isinstance(given, str) and given.strip().lower() == "none"):
        return None
    number, unit = math.nan, ""
    if isinstance(given, str):
        match = re.fullmatch(r"([0-9]*\.?[0-9]+)\s*([a-z]*)", given.strip().lower())
        number, unit = (float(match[1]), match[2]) if match else (math.nan, "")
    elif isinstance(given, (int, float)) and not isinstance(given, bool):
        number = float(given)
    if unit not in _UNITS or not 0 < number < math.inf:
        raise ParameterError(
            f"{who} must be a number of seconds above 0, a text such as '90s', '5m' or '1h', or none; got {given!r}."
        )
    return number * _UNITS[unit]


class TimeUp(BaseException):
    """The time limit of `time_limit` has passed. Not an Exception, so that it is not taken for a failure."""


def can_interrupt() -> bool:
    """Whether work can be interrupted: by the alarm signal of a Unix process, which only its main thread receives."""
    return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Raise TimeUp inside this block after a number of seconds; None, or no alarm signal, sets no limit.

    Kernels check for signals block by block, so they stop as they do for Ctrl-C; code of other libraries stops when it
    returns to Python. An alarm that the caller has set still fires: at its own time, or right after this block.
    """
    if seconds is None or not can_interrupt():
        yield
        return
    pending, interval = signal.getitimer(signal.ITIMER_REAL)
    if 0.0 < pending <= seconds:
        yield
        return
    over, began = False, time.monotonic()

    def ring(number: int, frame: FrameType | None) -> None:
        if not over:
            raise TimeUp

    before = signal.signal(signal.SIGALRM, ring)
    try:
        try:
            # Rings again: a first alarm may be lost in a place that cannot raise, such as a destructor.
            signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-3), 0.25)
            yield
        finally:
            over = True
    finally:  # of its own, should the alarm ring between the two
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
        if pending:
            signal.setitimer(signal.ITIMER_REAL, max(pending - (time.monotonic() - began), 1e-3), interval)


#: The first part has so many rows, or so many for each class, whichever is more.
FIRST, OF_EACH_CLASS = 250, 10
#: Parts grow so many times.
GROWTH = 4
#: All rows are at most so many times those of a part that tells enough.
NEAR = 16
#: Time grows with at most this power of the rows.
MOST_POWER = 3.0


class Try(NamedTuple):
    """One split of a part of the rows, or a one-pass repeat: its seconds, and how many of them went to predicting."""

    rows: int
    seconds: float
    predicting: float = 0.0


@dataclass(frozen=True, slots=True)
class FitCost:
    """The predicted time of a learner's splits, in seconds."""

    #: Of parts that grow.
    tries: tuple[Try, ...]
    #: Of how many folds the splits tried are.
    folds: int
    #: Whether a repeat is made at once, by adding up summaries, whatever the number of its folds.
    at_once: bool
    #: Whether all that is known is that it takes longer.
    at_least: bool = False

    def sure(self, rows: int) -> bool:
        """Whether a number of rows is close enough to those that were tried."""
        return not self.at_least and rows <= GROWTH * self.tries[-1].rows

    def split_seconds(self, rows: int, folds: int | None = None) -> float:
        """Predict the seconds of a split of some rows; the fold count determines its training and test rows."""
        last = self.tries[-1]
        seconds = last.seconds if self.at_least and len(self.tries) == 1 else _seconds(self.tries, rows)
        if self.at_once or folds is None or folds == self.folds or not last.seconds:
            return seconds
        predicting = min(last.predicting / last.seconds, 1.0)
        learned = (1.0 - 1.0 / folds) / (1.0 - 1.0 / self.folds)
        return seconds * ((1.0 - predicting) * learned + predicting * self.folds / folds)

    def repeat(self, splits: int, rows: int) -> float:
        """Predict the seconds of a repeat of several splits of a number of rows."""
        return self.split_seconds(rows, splits) * (1 if self.at_once else splits)


def is_at_once(trial: LearnerTrial) -> bool:
    """Whether a repeat is one pass over the rows rather than a fit for each split."""
    base, learner = trial.base, trial.learner
    if trial.refit or base.unlabelled is not None:
        return False
    if isinstance(base.method, KFold):
        return bool(learner.can_add_folds(base.rows.schema)) or leaves_parts_out(learner, base.rows)
    return isinstance(base.method, LeaveOneOut) and base.method.by_row and leaves_out(learner, base.rows)


def probe(trial: LearnerTrial, enough: float, most: float) -> FitCost | None:
    """Predict the cost of a learner's splits; None if it cannot be predicted because the learner fails on a part.

    Parts grow until one takes `enough` seconds; all of them together may take `most`.
    """
    end = now() + most
    rows, at_once = trial.base.rows, is_at_once(trial)
    method = trial.base.method
    if isinstance(method, KFold):
        method = replace(method, n_repeats=1, groups=None)
    elif not isinstance(method, LeaveOneOut):
        method = KFold(max(2, trial.per_repeat), stratified=rows.labels is not None)
    classes = rows.schema.n_classes if rows.labels is not None else 0
    folds = int(getattr(method, "n_splits", max(trial.per_repeat, 2)))
    n = min(len(rows), max(FIRST, OF_EACH_CLASS * classes, 2 * getattr(method, "n_splits", 2)))
    order = stratified_order(rows)

    def try_rows(n: int, allowed: float) -> Try | None:
        part = rows if n == len(rows) else rows.take(order[:n])
        return _try_split(trial, part, method, at_once, allowed)

    warm = try_rows(n, most)
    if warm is not None and warm.seconds == math.inf:  # which may have been loading
        end += most
        warm = try_rows(n, most)
    if warm is None:
        return None
    if warm.seconds == math.inf:
        return FitCost((Try(n, most),), folds, at_once, at_least=True)
    measured: list[Try] = []
    size = _next(warm, len(rows), end - now())
    while True:
        # The first that counts may take as long as the one before it, which also loaded what is needed.
        remaining = max(end - now(), 0.0 if measured else 2 * warm.seconds)
        cost = try_rows(size, remaining)
        if cost is None:
            return None
        if cost.seconds == math.inf:  # all that is known is that it takes longer
            measured.append(Try(size, remaining))
            break
        measured.append(cost)
        if size == len(rows) or (cost.seconds >= enough and size * NEAR >= len(rows) and len(measured) > 1):
            break
        larger = min(GROWTH * size, len(rows))
        foreseen = _seconds(measured, larger)
        if (
            len(measured) == 1 and warm.rows < size
        ):  # the very first may tell that time grows faster than the rows
            foreseen = max(foreseen, _seconds([warm, *measured], larger))
        if foreseen > end - now():
            break
        size = larger
    if (
        len(measured) == 1 and size > n
    ):  # two tell how the time grows; if there is no time for one more, the very first
        half = try_rows(size // 2, max(end - now(), 0.0)) if cost.seconds < math.inf else None
        if half is None or half.seconds == math.inf:
            half = warm
        measured.insert(0, half._replace(seconds=min(half.seconds, measured[0].seconds)))
    alone = len(measured) == 1 and GROWTH * size < len(rows)  # how it grows, nobody knows
    return FitCost(tuple(measured), folds, at_once, at_least=alone or cost.seconds == math.inf)


def _next(warm: Try, rows: int, left: float) -> int:
    """The first useful part: as large as can be tried in time, or the same again."""
    fitting = [g * warm.rows for g in (GROWTH, 2) if g * warm.seconds <= left]
    return min(fitting[0] if fitting else warm.rows, rows)


def _try_split(trial: LearnerTrial, rows: Table, method: Any, at_once: bool, most: float) -> Try | None:
    """Try one split of these rows, or a one-pass repeat; infinite seconds if stopped, None if it fails."""
    if most <= 0:
        return Try(len(rows), math.inf)
    start, predicting = now(), 0.0
    try:
        with time_limit(most), collect_messages([]):
            tried = runs(
                trial.learner, rows, method, random_state=0, refit=trial.refit, proba=trial.needs_shares,
                unlabelled=trial.base.unlabelled,
            )  # fmt: skip
            for run in tried:
                predicting += run.predict_time
                if not at_once:
                    break
    except TimeUp:
        return Try(len(rows), math.inf)
    except Exception:  # a part may lack what the whole table has; the learner's own trial will tell
        return None
    return Try(len(rows), now() - start, predicting)


def _seconds(tries: Sequence[Try], rows: int) -> float:
    """Interpolate seconds between two tries by a power of the number of rows; in proportion below them.

    Of more by a power of the rows too where time grows faster than they do; else by a fixed part and one for each row.
    """
    n, took, _ = tries[-1]
    if rows < tries[0].rows:
        return tries[0].seconds * (rows / tries[0].rows if len(tries) > 1 else 1.0)
    for (before, less, _), (after, more, _) in itertools.pairwise(tries):
        if rows <= after and before < after and less > 0 and more > 0:
            return less * (rows / before) ** (math.log(more / less) / math.log(after / before))
    if rows <= n:
        return took
    before, less, _ = tries[-2] if len(tries) > 1 else (0, 0.0, 0.0)
    if not less or took / less <= n / before:
        return took + max(took - less, 0.0) / (n - before) * (rows - n)
    return took * float(rows / n) ** min(math.log(took / less) / math.log(n / before), MOST_POWER)
