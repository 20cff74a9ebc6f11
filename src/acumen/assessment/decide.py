"""From probabilities to a decision: choose a threshold, and estimate what it costs or finds.

decide     labels and scores, and what matters -> Decision
Decision   the threshold, its interval, what it finds, misses and costs beside calling everyone and no one

Rows are *called* whose score is at least the threshold, which lies midway between two scores that occur, so that no row
stands on it. The threshold is chosen by the rows it is then measured on, which flatters it. For costs that is estimated
by drawing the rows anew (Efron's optimism: chosen on a draw, measured on all rows, minus what the draw showed) and
added. A precision is estimated on rows that had no part in the choice: thresholds are chosen on random parts of the
rows and counted on the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from acumen.assessment.roc import RankedScores
from acumen.assessment.statistics.intervals import error_interval
from acumen.assessment.steps import ThresholdSteps, coarse_places, redraw_steps, split_steps
from acumen.errors import ParameterError, did_you_mean
from acumen.render.text import number, percent
from acumen.render.views import render
from acumen.types import Label

if TYPE_CHECKING:
    from acumen.render.decision_plot import DecisionFigure

By: TypeAlias = Literal["costs", "capacity", "precision"]
COSTS = ("missed", "alarm")


#: A threshold for a precision selects at least this many rows, or all: the precision of fewer is mostly luck.
FEWEST_SELECTED = 10

#: The step to take, and what it is worth there.
Choose: TypeAlias = Callable[[ThresholdSteps], int]
Worth: TypeAlias = Callable[[ThresholdSteps, int], float]


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """A threshold, and its results on the rows it was chosen on.

    Attributes
    ----------
    by : {"costs", "capacity", "precision"}
    positive : label
    threshold, threshold_low, threshold_high : float
        Rows with at least this probability are flagged; infinite if no row is. The fraction `level` of the bootstrap
        draws chose a threshold between low and high.
    rows, positives, called, found, alarms, missed : float
        Counts of rows, or their weights.
    value, low, high : float
        The expected value and its interval, corrected for choosing the threshold on the same rows: with `costs` the
        cost per row, with `capacity` the recall, with `precision` the precision.
    apparent : float
        The value on these rows, without that correction.
    everyone, no_one, at_half : float
        With `costs`: the cost per row if you flag everyone, no one, or rows with a probability above 50 %; else NaN.
    calls_low, calls_high, over : float
        With `capacity`: the interval of how many rows the threshold flags among the same number of new rows, and the
        fraction of draws in which that exceeds the capacity; else NaN.
    """

    by: By
    positive: Label
    threshold: float
    threshold_low: float
    threshold_high: float
    rows: float
    positives: float
    called: float
    found: float
    alarms: float
    value: float
    low: float
    high: float
    apparent: float
    level: float
    asked: Mapping[str, float]
    everyone: float = float("nan")
    no_one: float = float("nan")
    at_half: float = float("nan")
    calls_low: float = float("nan")
    calls_high: float = float("nan")
    over: float = float("nan")
    steps: ThresholdSteps = field(default=None, repr=False)  # type: ignore[assignment]

    @property
    def misses(self) -> float:
        return self.positives - self.found

    @property
    def precision(self) -> float:
        """The fraction of flagged rows that are positive; NaN if no row is flagged."""
        return self.found / self.called if self.called else float("nan")

    @property
    def recall(self) -> float:
        """The fraction of positive rows that are flagged."""
        return self.found / self.positives

    @property
    def wish(self) -> Literal["met", "not met", "not sure"] | None:
        """Whether the requested precision or capacity will hold on new rows; None with costs."""
        if self.by == "precision":
            wanted = self.asked["precision"]
            if not self.called or self.high < wanted:
                return "not met"
            return "met" if self.low >= wanted else "not sure"
        if self.by == "capacity":
            if not self.called:
                return "not met"
            return "met" if not self.over > (1 - self.level) / 2 else "not sure"
        return None

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready form; None for undefined numbers."""
        names = (
            "threshold", "threshold_low", "threshold_high", "rows", "positives", "called", "found", "alarms", "misses",
            "precision", "recall", "value", "low", "high", "apparent", "everyone", "no_one", "at_half", "level",
            "calls_low", "calls_high", "over",
        )  # fmt: skip
        values = {name: float(getattr(self, name)) for name in names}
        plain = {name: value if np.isfinite(value) else None for name, value in values.items()}
        return {
            "by": self.by,
            "positive": self.positive,
            "asked": dict(self.asked),
            "wish": self.wish,
            **plain,
        }

    def figure(self) -> DecisionFigure:
        """A figure of what is found, and what it costs, against the fraction of rows flagged."""
        figure: DecisionFigure = render(self, "figure")
        return figure

    def _repr_html_(self) -> str:
        return render(self, "html")

    def __str__(self) -> str:
        return "\n".join((self._call(), *self._worth()))

    def _call(self) -> str:
        if not self.called:
            return f"Flag no row: no threshold on the probability of {self.positive!r} pays off."
        if self.called == self.rows:
            return f"Flag every row: no threshold on the probability of {self.positive!r} does better."
        around = ""
        if np.isfinite(self.threshold_low) and np.isfinite(self.threshold_high):
            around = (
                f" ({100 * self.level:g} % interval over resamples: {number(self.threshold_low)} to "
                f"{number(self.threshold_high)})"
            )
        return (
            f"Flag rows with a probability of {self.positive!r} of at least {number(self.threshold)}{around}."
        )

    def _worth(self) -> list[str]:
        counts = (
            f"This flags {_count(self.called)} of {_rows(self.rows)}: {_count(self.found)} of "
            f"{_count(self.positives)} {self.positive!r} are found, {_count(self.misses)} are missed, "
            f"and {_count(self.alarms)} are false alarms."
        )
        within = f"{100 * self.level:g} % interval"
        if self.by == "costs":
            thousand = [number(1000 * each) for each in (self.value, self.low, self.high)]
            others = (
                f"Flagging everyone would cost {number(1000 * self.everyone)}, no one {number(1000 * self.no_one)}, "
                f"using a 50 % threshold {number(1000 * self.at_half)}."
            )
            whom, least = min(
                (("everyone", self.everyone), ("no one", self.no_one)), key=lambda each: each[1]
            )
            no_better = 0 < self.called < self.rows and self.value >= least
            doubt = (
                f"Uncertain: on new rows, flagging {whom} is expected to cost no more than this threshold."
            )
            return [
                counts,
                f"Cost per 1,000 rows: {thousand[0]} ({within} {thousand[1]} to {thousand[2]}). {others}",
                *([doubt] if no_better else []),
            ]
        name = {"capacity": f"Recall of {self.positive!r} on new rows", "precision": "Precision on new rows"}[
            self.by
        ]
        shown = f"{name}: {percent(self.value)} ({within} {percent(self.low)} to {percent(self.high)})."
        known = [shown] if np.isfinite(self.value) else []
        return [counts, *known, *([self._sure()] if self.wish else [])]

    def _sure(self) -> str:
        """Say whether the goal will hold on new rows, and what to do if it may not."""
        if self.by == "precision":
            return self._precise()
        capacity = self.asked["capacity"]
        if not self.called:
            together = (
                float(self.steps.selected_weight[1]) if len(self.steps.selected_weight) > 1 else self.rows
            )
            return (
                f"The goal is not met: {_rows(together)} share the highest probability, which is more than "
                f"{_count(capacity)}, so no row can be flagged before the others."
            )
        again = (
            f"Of {_count(self.rows)} new {'row' if self.rows == 1 else 'rows'} "
            f"this threshold flags {_count(round(self.calls_low))} to "
            f"{_count(round(self.calls_high))}"
        )
        if self.wish == "met":
            return f"{again}, which fits the capacity of {_count(capacity)}."
        return (
            f"Uncertain: {again[0].lower()}{again[1:]}, in {percent(self.over)} of the resamples more than "
            f"{_count(capacity)}. If the capacity is a hard limit, flag the rows with the highest probabilities of "
            "each batch instead of all above a threshold."
        )

    def _precise(self) -> str:
        wanted = self.asked["precision"]
        if not self.called:
            fewest = min(FEWEST_SELECTED, self.rows)
            enough = np.flatnonzero(self.steps.selected_weight >= fewest * (1 - 1e-12))
            shares = self.steps.found[enough] / self.steps.selected_weight[enough]
            best = int(np.argmax(shares))
            return (
                f"The goal is not met: no threshold that selects {_count(fewest)} rows or more has a precision of "
                f"{percent(wanted)} on these rows. The highest is {percent(float(shares[best]))}, with "
                f"{_count(float(self.steps.selected_weight[enough[best]]))} rows selected."
            )
        if self.wish == "met":
            return f"The goal is met: on new rows, a precision of at least {percent(wanted)} is expected."
        more = wanted + max(wanted - self.low, 0.01)
        what = (
            f"set a higher precision, such as {more:.2f}, or test on more rows"
            if more < 0.98
            else "test on more rows"
        )
        if self.wish == "not met":
            return (
                f"The goal is not met: on new rows, a precision below {percent(wanted)} is expected; {what}."
            )
        if self.value < wanted:
            return f"Uncertain: on new rows it is more likely below {percent(wanted)} than above; {what}."
        return f"Uncertain: on new rows it may be below {percent(wanted)}; {what}."


def _count(weight: float) -> str:
    return f"{int(weight):,}" if weight == int(weight) else number(weight)


def _rows(weight: float) -> str:
    return f"{_count(weight)} {'row' if weight == 1 else 'rows'}"


def decide(
    y: Any,
    scores: Any,
    positive: Label,
    *,
    costs: Mapping[str, float] | None = None,
    capacity: float | None = None,
    precision: float | None = None,
    weights: Any = None,
    level: float = 0.95,
    draws: int = 400,
    random_state: Any = 0,
) -> Decision:
    """Choose the probability threshold for flagging rows as positive, by costs, capacity or precision.

    Parameters
    ----------
    y, scores, positive, weights
        As for `roc`; scores are probabilities of `positive` on held-out rows.
    costs : mapping
        Choose the threshold of lowest cost: the cost of a "missed" positive row and of a false "alarm".
    capacity : number
        Flag at most this number of rows: those with the highest probabilities. Rows of equal probability are flagged
        together or not at all.
    precision : float
        At least this fraction of the flagged rows must be positive: the threshold with the highest recall that
        achieves it, among those that flag at least ten rows. The precision of fewer rows is mostly luck.
    level : float, default 0.95
        The confidence level of the intervals.
    draws : int, default 400
        The number of bootstrap draws for the intervals.
    random_state : int, generator or None
        Seeds the draws.

    Returns
    -------
    Decision

    Examples
    --------
    >>> import acumen
    >>> found = acumen.decide([0, 0, 0, 1, 1], [.1, .2, .6, .5, .9], 1, costs={"missed": 5, "alarm": 1})
    >>> found.threshold, found.found, found.alarms
    (0.35, 2.0, 1.0)
    """
    options = {"costs": costs, "capacity": capacity, "precision": precision}
    goals = [name for name, value in options.items() if value is not None]
    if len(goals) != 1:
        raise ParameterError(
            f"decide: give one of costs, capacity and precision; got {' and '.join(goals) or 'none'}."
        )
    if not 0 < level < 1:
        raise ParameterError(f"decide: level must lie between 0 and 1; got {level!r}.")
    ranked = RankedScores.of(y, scores, positive, weights, "decide")
    steps = ThresholdSteps.of(*ranked.groups())
    by: By = goals[0]  # type: ignore[assignment]
    choose, worth, wish = _wish(by, options[by], steps)
    return _decide(by, ranked, steps, choose, worth, wish, level, draws, random_state)


def _wish(by: By, value: Any, steps: ThresholdSteps) -> tuple[Choose, Worth, dict[str, float]]:
    """Return how the step is chosen, its value, and the goal."""
    if by == "costs":
        missed, alarm = resolved_costs(value)

        def least(each: ThresholdSteps) -> int:
            return int(np.argmin(missed * (each.positives - each.found) + alarm * each.alarms))

        def cost(each: ThresholdSteps, step: int) -> float:
            return float(missed * (each.positives - each.found[step]) + alarm * each.alarms[step]) / each.rows

        return least, cost, {"missed": missed, "alarm": alarm}
    limit = _number(value, by)
    if by == "capacity":
        if not limit > 0:
            raise ParameterError(f"decide: capacity must be a number of rows above 0; got {value!r}.")
        share = limit / steps.rows

        def most(each: ThresholdSteps) -> int:
            return (
                int(np.searchsorted(each.selected_weight, share * each.rows * (1 + 1e-12), side="right")) - 1
            )

        return most, lambda each, step: float(each.found[step] / each.positives), {"capacity": limit}
    if not 0 < limit <= 1:
        raise ParameterError(f"decide: precision must be above 0 and at most 1; got {value!r}.")

    def precise(each: ThresholdSteps) -> int:
        enough = each.found >= limit * each.selected_weight * (1 - 1e-12)
        known = each.selected_weight >= min(FEWEST_SELECTED, steps.rows) * each.rows / steps.rows * (
            1 - 1e-12
        )
        return int(np.argmax(np.where(enough & known, each.found, 0.0)))

    def share_right(each: ThresholdSteps, step: int) -> float:
        return (
            float(each.found[step] / each.selected_weight[step])
            if each.selected_weight[step]
            else float("nan")
        )

    return precise, share_right, {"precision": limit}


def resolved_costs(costs: Any) -> tuple[float, float]:
    """Check the costs of a missed row and a false alarm; both are required."""
    if not isinstance(costs, Mapping):
        raise ParameterError(
            f"decide: costs must name missed and alarm, as in missed=5, alarm=1; got {costs!r}."
        )
    for name in costs:
        if name not in COSTS:
            raise ParameterError(
                f"decide: costs names missed and alarm; got {name!r}.{did_you_mean(str(name), COSTS)}"
            )
    lacking = [name for name in COSTS if name not in costs]
    if lacking:
        raise ParameterError(
            f"decide: also give the cost of {' and '.join(lacking)}, as in missed=5, alarm=1."
        )
    missed, alarm = (_number(costs[name], f"the cost of {name}") for name in COSTS)
    if missed < 0 or alarm < 0 or not missed + alarm > 0:
        raise ParameterError("decide: costs must be numbers of at least 0, and not both 0.")
    return missed, alarm


def _number(value: Any, what: str) -> float:
    if isinstance(value, (int, float, np.number)) and not isinstance(value, bool) and np.isfinite(value):
        return float(value)
    raise ParameterError(f"decide: {what} must be a finite number; got {value!r}.")


def _unseen(steps: ThresholdSteps, step: int, costs: dict[str, float], level: float) -> float:
    """The expected cost per row of kinds of errors that no row shows: they are rare, but not impossible."""
    rows, called, positives, alarms = (
        steps.rows,
        steps.selected_weight[step],
        steps.found[step],
        steps.alarms[step],
    )
    kinds = (
        costs["missed"] if called < rows and positives == steps.positives else 0.0,
        costs["alarm"] if called > 0 and not alarms else 0.0,
    )
    return max(kinds) * error_interval(0.0, rows, level).high


def _held_out_precision(
    ranked: RankedScores, coarse: ThresholdSteps, choose: Choose, draws: int, random_state: Any
) -> float:
    """The precision, on held-out rows, of thresholds chosen on random parts of the rows.

    It is shrunk towards the proportion of positive rows by the fraction of parts in which no threshold is precise
    enough. Efron's optimism does not do here: it draws from the same rows, whose few highest scores keep their luck.
    """
    positives = called = without = 0.0
    for chosen_on, others in split_steps(ranked, coarse, draws, random_state):
        step = choose(chosen_on) if chosen_on.positives else 0
        positives += float(others.found[step])
        called += float(others.selected_weight[step])
        without += not step
    base, without = coarse.positives / coarse.rows, without / draws
    return (1.0 - without) * positives / called + without * base if called else base


def _decide(
    by: By, ranked: RankedScores, steps: ThresholdSteps, choose: Choose, worth: Worth, asked: dict[str, float],
    level: float, draws: int, random_state: Any,
) -> Decision:  # fmt: skip
    step = choose(steps)
    threshold, apparent = steps.threshold(step), worth(steps, step)
    kept = coarse_places(steps)
    coarse = ThresholdSteps(steps.scores[kept[1:] - 1], steps.found[kept], steps.alarms[kept])
    here = int(np.searchsorted(kept, step))  # the chosen step is among the coarse ones, or next to it
    thresholds, shown, optimism, calls = [], [], [], []
    before = here  # a threshold chosen on other rows than those it is counted on
    for drawn in redraw_steps(ranked, coarse, draws, random_state):
        if not drawn.positives:
            continue  # in such a draw there is nothing to find
        chosen = choose(drawn)
        thresholds.append(coarse.threshold(chosen))
        optimism.append(worth(coarse, chosen) - worth(drawn, chosen))
        shown.append(worth(drawn, min(here, len(coarse.scores))))
        calls.append(float(drawn.selected_weight[min(before, len(coarse.scores))]) / drawn.rows * steps.rows)
        before = chosen
    tails = [50 * (1 - level), 50 * (1 + level)]
    low_t, high_t = (
        np.percentile(thresholds, tails, method="inverted_cdf") if thresholds else (np.nan, np.nan)
    )
    known = np.array(optimism)[np.isfinite(optimism)]
    shift = float(known.mean()) if by != "capacity" and known.size else 0.0
    spread = np.array(shown)[np.isfinite(shown)]
    low, high = np.percentile(spread, tails) + shift if spread.size else (np.nan, np.nan)
    # Draws of rows that are all right know of no doubt.
    if by == "costs":
        high = np.fmax(high, apparent + shift + _unseen(steps, step, asked, level))
    elif by == "capacity":
        share = error_interval(float(steps.found[step]), float(steps.positives), level)
        low, high = np.fmin(low, share.low), np.fmax(high, share.high)
    elif step:
        honest = _held_out_precision(ranked, coarse, choose, draws, random_state)
        shift = min(0.0, honest - apparent)
        of = float(steps.selected_weight[step])
        low = error_interval((apparent + shift) * of, of, level).low
        high = error_interval(apparent * of, of, level).high
    bounded = (0.0, 1.0) if by != "costs" else (0.0, np.inf)
    value, low, high = (float(np.clip(each, *bounded)) for each in (apparent + shift, low, high))
    beside: dict[str, float] = {}
    if by == "capacity" and calls:
        few, many = np.percentile(calls, tails)
        over = float(np.mean(np.array(calls) > asked["capacity"] * (1 + 1e-12)))
        beside = {"calls_low": float(few), "calls_high": float(many), "over": over}
    if by == "costs":
        half = int(np.searchsorted(-steps.scores, -0.5, side="left"))  # above one half: likelier than not
        last = len(steps.scores)
        beside = {"everyone": worth(steps, last), "no_one": worth(steps, 0), "at_half": worth(steps, half)}
    return Decision(
        by=by,
        positive=ranked.positive,
        threshold=threshold,
        threshold_low=float(low_t),
        threshold_high=float(high_t),
        rows=steps.rows,
        positives=steps.positives,
        called=float(steps.selected_weight[step]),
        found=float(steps.found[step]),
        alarms=float(steps.alarms[step]),
        value=value,
        low=low,
        high=high,
        apparent=apparent,
        level=level,
        asked=asked,
        steps=steps,
        **beside,
    )
