"""Scheduling of a comparison: learners take turns by repeats, the fastest first, until they finish or time is up.

    Budget          how much time there is, and what is left of it
    Lane            one learner: its trial, what it costs, and why it went no further
    settle_extent   trials -> lanes in working order, on as many folds and rows as time allows
    run_lanes       runs the lanes until each is done or out of time

Whether a learner goes on depends on time alone, never on how it is doing: a comparison that stopped where it looks good
would find differences where there are none. A repeat is begun only where it is expected to end in time; what is
under way may take a tenth of the budget more, and is then stopped wherever it is. One of which nobody knows how long it
takes has an equal share of the time that is left.

Where not even the fewest folds of all rows end in time, all learners are judged on the same sample of the rows. How
many these are is settled before the first of them is judged, by what parts of the rows have cost. A learner that needs
far more than all the time for one fit of all rows has no say in it: hardly anybody would wait for its model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

from acumen.assessment import probing
from acumen.assessment.probing import FitCost, probe
from acumen.assessment.trial import LearnerTrial
from acumen.errors import AcumenError
from acumen.resampling import KFold

#: What is under way when time is over may take this share of the budget more.
GRACE = 0.1
#: A part that takes this share of the budget tells enough of what all rows will take.
ENOUGH = 1 / 200
#: All parts of all learners together take at most this share.
PROBES = 0.25
#: One repeat of all learners should take at most this share of the budget; else there are fewer folds.
FIRST_ROUND = 0.7
#: One fit of all rows may take so many times the budget for a learner to have a say in how many rows are judged on.
LONGEST = 10
#: A guess at a first repeat may be so many times a learner's share, and it is begun all the same.
GUESS = 4
#: One that was planned for may take so many times what was guessed, whatever its share.
TWICE = 2
#: Numbers of folds that are tried, so that all learners can finish one repeat.
FEWER_FOLDS = (5, 3, 2)


class ScheduleWatch(Protocol):
    """Told what begins: the learner, about how many seconds are left of all work, and who has splits left to do."""

    def expects(self, name: str, seconds: float | None, waiting: Sequence[str]) -> None: ...


@dataclass(slots=True)
class Budget:
    """Seconds that may be spent from now; None for no limit."""

    seconds: float | None
    began: float

    @classmethod
    def of(cls, seconds: float | None) -> Budget:
        return cls(seconds, probing.now())

    @property
    def remaining(self) -> float | None:
        """Seconds within which work may start."""
        return None if self.seconds is None else self.seconds - (probing.now() - self.began)

    @property
    def to_the_end(self) -> float | None:
        """Seconds after which running work is stopped."""
        remaining = self.remaining
        return None if remaining is None or self.seconds is None else remaining + GRACE * self.seconds

    def holds(self, seconds: float) -> bool:
        """Whether work of this many seconds would end in time."""
        remaining = self.remaining
        return remaining is None or seconds <= remaining


@dataclass(eq=False)
class Lane:
    """One learner's progress through the splits."""

    name: str
    trial: LearnerTrial
    cost: FitCost | None = None
    #: Why it went no further, as a clause; empty while it goes on, or when it is through.
    stopped: str = ""
    #: The error it failed with.
    error: Exception | None = None
    #: Seconds at work, on whole repeats.
    worked: float = 0.0
    #: Whether its first repeat is among those that folds and rows were chosen for.
    planned: bool = False

    @property
    def open(self) -> bool:
        """Whether it has splits left to do."""
        return not self.stopped and self.trial.whole < self.trial.repeats

    @property
    def repeat_seconds(self) -> float | None:
        """The seconds of a repeat: measured, before that predicted; None if unknown."""
        whole = self.trial.whole
        if whole:
            return self.worked / whole
        return (
            None if self.cost is None else self.cost.repeat(self.trial.per_repeat, len(self.trial.base.rows))
        )

    @property
    def seconds_left(self) -> float | None:
        """The seconds that its remaining splits take."""
        each = self.repeat_seconds
        if each is None:
            return None
        done = len(self.trial.finished) / max(self.trial.per_repeat, 1)
        return each * max(self.trial.repeats - done, 0.0)


# -- before ---------------------------------------------------------------------------------------


class TrialExtent(NamedTuple):
    """How the table is split: the method, and the number of rows (None: all)."""

    method: Any
    rows: int | None = None


def settle_extent(
    names: Sequence[str],
    make: Callable[[str, TrialExtent], LearnerTrial],
    extent: TrialExtent,
    budget: Budget,
    *,
    first: str | None,
    flexible: bool,
    record_failure: Callable[[str, Exception], None],
    watch: ScheduleWatch | None = None,
    least: int | None = None,
) -> tuple[list[Lane], TrialExtent]:
    """Settle the order of the lanes and their extent: fewer folds, or fewer rows, if time requires it.

    `make` gives the trial of a learner; the lane `first` comes first whatever it costs. Folds become fewer only where
    `flexible` says that nobody asked for their number, and rows only down to `least`, if it is given.
    """
    lanes: list[Lane] = []
    for name in names:
        try:
            lanes.append(Lane(name, make(name, extent)))
        except Exception as error:
            record_failure(name, error)
    if budget.seconds is not None:
        probes = Budget.of(PROBES * budget.seconds)
        for place, lane in enumerate(lanes):
            if watch is not None:
                watch.expects(f"{lane.name}, on some of the rows", None, names)
            # What others did not need, those behind them may take.
            most = max(probes.remaining or 0.0, 0.0) / (len(lanes) - place)
            lane.cost = probe(lane.trial, ENOUGH * budget.seconds, most)
        vague = [lane for lane in lanes if lane.cost is not None and not _sure(lane)]
        for place, lane in enumerate(vague):  # time that nobody needed tells more of these
            most = max(probes.remaining or 0.0, 0.0) / (len(vague) - place)
            if most > TWICE * PROBES * budget.seconds / len(lanes):
                lane.cost = probe(lane.trial, ENOUGH * budget.seconds, most) or lane.cost
        fitting, able = _fitting(lanes, extent, budget, flexible, least)
        for lane in lanes:
            lane.planned = lane.cost in able
            if fitting != extent:
                lane.trial = make(lane.name, fitting)
        extent = fitting
        lanes.sort(key=_dearness)
    lanes.sort(key=lambda lane: lane.name != first)  # what all must beat is never missing
    return lanes, extent


def _dearness(lane: Lane) -> tuple[int, float]:
    """Sort key: the fastest first; learners of less certain cost after the others."""
    cost, seconds = lane.cost, lane.repeat_seconds
    if cost is None or seconds is None:
        return 2, 0.0
    return int(cost.at_least), seconds


def _fitting(
    lanes: Sequence[Lane], extent: TrialExtent, budget: Budget, flexible: bool, least: int | None
) -> tuple[TrialExtent, Sequence[FitCost]]:
    """The most folds with which all those can finish a repeat who can with the fewest, else fewer rows; whose costs."""
    method, room = extent.method, FIRST_ROUND * max(budget.remaining or 0.0, 0.0)
    if not isinstance(method, KFold):
        return extent, ()
    total = max((len(lane.trial.base.rows) for lane in lanes), default=0)
    smallest = total if least is None else min(total, least)
    folds = (
        (method.n_splits, *(few for few in FEWER_FOLDS if few < method.n_splits))
        if flexible
        else (method.n_splits,)
    )
    able: list[FitCost] = []
    for cost in sorted(_with_a_say(lanes, total, budget), key=lambda c: c.repeat(folds[-1], smallest)):
        if _all_take([*able, cost], folds[-1], smallest) > room:
            break
        able.append(cost)
    for k in folds:
        if _all_take(able, k, total) <= room:
            return extent._replace(method=replace(method, n_splits=k)), able
    if smallest == total:
        return extent, able
    low, high = smallest, total
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _all_take(able, folds[-1], middle) <= room else (low, middle)
    digits = 10 ** max(len(str(low)) - 2, 0)
    return TrialExtent(replace(method, n_splits=folds[-1]), max(low // digits * digits, smallest)), able


def _with_a_say(lanes: Sequence[Lane], total: int, budget: Budget) -> list[FitCost]:
    """The costs of those that are known, and that could be learned from all rows in some time."""
    known = [c for lane in lanes if (c := lane.cost) is not None and (len(c.tries) > 1 or c.sure(total))]
    return [cost for cost in known if cost.split_seconds(total) <= LONGEST * (budget.seconds or 0.0)]


def _all_take(costs: Sequence[FitCost], folds: int, rows: int) -> float:
    return sum(cost.repeat(folds, rows) for cost in costs)


# -- at work --------------------------------------------------------------------------------------


def run_lanes(
    lanes: Sequence[Lane],
    budget: Budget,
    told: Callable[[str, int], None] | None = None,
    watch: ScheduleWatch | None = None,
) -> None:
    """Run the lanes in turn, a repeat each, until all are done; Ctrl-C ends it."""
    while True:
        waiting = [lane for lane in lanes if lane.open]
        if not waiting:
            return
        for lane in waiting:
            _turn(lane, lanes, budget, told, watch)


def _turn(
    lane: Lane,
    lanes: Sequence[Lane],
    budget: Budget,
    told: Callable[[str, int], None] | None,
    watch: ScheduleWatch | None,
) -> None:
    """Run one repeat of one learner if there is time for it."""
    trial = lane.trial
    share = _share(lane, lanes, budget)
    if not _begins(lane, budget, lane is lanes[0], share):
        return
    start, whole = probing.now(), trial.whole
    try:
        while trial.whole == whole:
            if watch is not None:
                watch.expects(
                    lane.name, expected_seconds(lanes, budget), [each.name for each in lanes if each.open]
                )
            with (
                nullcontext() if budget.seconds is None else probing.time_limit(_least(budget, share, start))
            ):
                going = trial.step()
            if told is not None and going:
                told(lane.name, len(trial.finished))
                if (stands := getattr(told, "stands", None)) is not None:
                    stands(lane.name, len(trial.finished), trial.standing)
            if not going:
                break
            remaining = _least(budget, share, start)
            if remaining is not None and remaining <= 0 and trial.whole == whole:  # there is no alarm clock
                raise probing.TimeUp
    except probing.TimeUp:
        its = "its share of the " if share is not None and (budget.to_the_end or 0.0) > 0 else ""
        lane.stopped = f"stopped after {splits_done(lane)}, when {its}time was over"
    except Exception as error:
        reason = sentence(error).removeprefix(f"{type(trial.learner).__name__}: ")
        lane.error, lane.stopped = error, f"failed: {reason}"
    finally:
        lane.worked += probing.now() - start if trial.whole > whole else 0.0


def _share(lane: Lane, lanes: Sequence[Lane], budget: Budget) -> float | None:
    """The seconds for a first repeat of uncertain length: the remaining time divided among all who wait."""
    if budget.remaining is None or lane.trial.whole or lane is lanes[0] or _sure(lane):
        return None
    waiting = sum(each.open and not each.trial.whole for each in lanes)
    equal = budget.remaining / max(waiting, 1)
    return max(equal, TWICE * (lane.repeat_seconds or 0.0)) if lane.planned else equal


def _sure(lane: Lane) -> bool:
    """Whether the duration of a learner's first repeat is known approximately."""
    return lane.cost is not None and lane.cost.sure(len(lane.trial.base.rows))


def _least(budget: Budget, share: float | None, start: float) -> float | None:
    """Seconds after which running work is stopped: at the end of all time, or of a learner's share."""
    remaining = budget.to_the_end
    return (
        remaining if share is None or remaining is None else min(remaining, share - (probing.now() - start))
    )


def _begins(lane: Lane, budget: Budget, first: bool, share: float | None) -> bool:
    """Whether a learner's next repeat starts, as its first always does; if not, record why."""
    seconds, remaining = lane.repeat_seconds, budget.remaining
    if remaining is None or (lane.cost is None and not lane.trial.whole and remaining > 0):
        return True
    if first and not lane.trial.whole:
        return True  # without it there is nothing to say of anybody
    if seconds is None or (remaining < seconds if share is None else min(remaining, share) < seconds / GUESS):
        if lane.trial.whole:
            lane.stopped = f"stopped after {splits_done(lane)}: there was no time for another repeat"
        else:
            least = " at least" if lane.cost is not None and lane.cost.at_least else ""
            about = (
                "" if seconds is None else f"a repeat is expected to take{least} {duration(seconds)}, and "
            )
            lane.stopped = f"not begun: {about}{duration(max(remaining, 0.0))} were left"
    return not lane.stopped


def expected_seconds(lanes: Sequence[Lane], budget: Budget) -> float | None:
    """About how many seconds all work still takes; None if unknown."""
    open_ = [lane for lane in lanes if lane.open]
    each = [lane.seconds_left for lane in open_]
    known = [seconds for seconds in each if seconds is not None]
    total = None if len(known) < len(each) else sum(known)
    remaining = budget.remaining
    if remaining is None:
        return total
    return max(remaining, 0.0) if total is None else min(total, max(remaining, 0.0))


def splits_done(lane: Lane) -> str:
    """Describe how far a learner has come."""
    trial = lane.trial
    if trial.whole:
        return f"{trial.whole} of {trial.repeats} repeats"
    return f"{len(trial.finished)} of {trial.per_repeat} splits"


def sentence(error: Exception) -> str:
    """Describe a learner's failure on one line."""
    text = " ".join(str(error).split())
    if isinstance(error, MemoryError) and not isinstance(error, AcumenError):
        return "there was not enough memory" + (f" ({text})" if text else "")
    return text if isinstance(error, AcumenError) and text else f"{type(error).__name__}: {text}".rstrip(": ")


def duration(seconds: float) -> str:
    """Write seconds in a readable unit."""
    if seconds >= 5400:
        return f"{seconds / 3600:.1f} h"
    if seconds >= 90:
        return f"{seconds / 60:.0f} min"
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"
