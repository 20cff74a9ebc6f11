"""The answer of a comparison as one block: the best group, which of it is simplest and fastest, who is worse.

Answer        the names, and the estimate of the recommended learner
answer_of     comparison -> Answer

The best group is that of the headline: the leader, and all without a significant difference from it once p-values are
corrected for the number of pairs. **Recommended is the leader**, whose estimate is the best. It was chosen for that
among several, so the answer has its estimate and interval corrected for the choice (`selected`). The others of the
group may be as good, hence the simplest and the fastest of them are named too.

What the learner that a comparison recommends will show on new rows, corrected for having been chosen among several.

    selected_estimate   assessments, the leader, measure -> Interval

The best of several estimates is the luckiest one too. Rows are drawn anew, the best learner is chosen on the rows
drawn, and its value on the other rows is compared with the leader's there. The mean difference is how much the choice
flatters (BBC-CV: Tsamardinos, Greasidou and Borboudakis 2018, Machine Learning 107). No model is fitted again, so the
luck of training sets is not drawn; but what a choice flatters is proportional to the variance of the estimates (Stein
1981, Annals of Statistics 9), hence the difference is taken `WIDER` times where the rows were split more than once.

How much the choice flatters is itself uncertain. The interval therefore reaches from the better end of the uncorrected
interval to the worse end of the corrected one. Simulated with six learners, it covers 91 to 98 % on tables without
anything to learn, and 90 to 99 % where one learner is better by little or by much; uncorrected 62 to 98 %.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from acumen.assessment.certainty import interval_of
from acumen.assessment.replicates import TestedRows, draw_counts, losses, rule_of
from acumen.assessment.scores import Measure
from acumen.assessment.scores import measure as measure_of
from acumen.assessment.statistics.intervals import Interval
from acumen.assessment.verdicts import WIDER
from acumen.types import Floats

if TYPE_CHECKING:
    from acumen.assessment.assessment import Assessment
    from acumen.assessment.comparison import Comparison


#: Of learners without an estimate.
UNKNOWN = Interval(math.nan, math.nan, math.nan)


@dataclass(frozen=True, slots=True)
class Answer:
    """The recommendation that follows from a comparison.

    Attributes
    ----------
    best : tuple of str
        The leader first, then those without a significant difference from it.
    recommended : str
        Of these the one with the best estimate.
    simplest, fastest : str
        Of these the one whose model has the least to read (nodes, rules or parameters; models that are not
        interpretable come last), and the one that takes the least time to fit and to predict.
    worse : tuple of str
        Worse than the leader.
    untested : tuple of str
        Without a test against the leader.
    optimistic : bool
        Whether the recommended one was chosen among several, so that its estimate in the table is a little too good.
    interval : Interval
        What to expect of the recommended learner on new rows, corrected for the choice; see also `estimate`.
    """

    best: tuple[str, ...]
    recommended: str
    simplest: str
    fastest: str
    worse: tuple[str, ...] = ()
    untested: tuple[str, ...] = ()
    optimistic: bool = False
    interval: Interval = UNKNOWN

    @property
    def estimate(self) -> float:
        """The measure expected of the recommended learner on new rows, corrected for choosing the best of several."""
        return self.interval.estimate

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "best": list(self.best),
            "recommended": self.recommended,
            "simplest": self.simplest,
            "fastest": self.fastest,
            "worse": list(self.worse),
            "untested": list(self.untested),
            "optimistic": self.optimistic,
            "estimate": _plain(self.estimate),
            "interval": {"low": _plain(self.interval.low), "high": _plain(self.interval.high)},
        }


def _plain(value: float) -> float | None:
    return value if math.isfinite(value) else None


def answer_of(comparison: Comparison) -> Answer:
    """The answer of a comparison; with a baseline it is about the learners that are not worse than the best of them."""
    headline = comparison.overall
    best = (headline.leader, *(name for name in headline.group if name != headline.leader))
    return Answer(
        best,
        headline.leader,
        min(best, key=lambda name: _effort(name, comparison)),
        min(best, key=lambda name: _seconds(name, comparison)),
        headline.worse,
        headline.untested,
        len(comparison.names) > 2,  # more than one, and the yardstick that is always added
        selected_estimate(comparison.assessments, headline.leader, comparison.measure),
    )


def _effort(name: str, comparison: Comparison) -> tuple[bool, float]:
    learner = comparison.learners.get(name)
    size = comparison.assessments[name].mean_of("size")
    return not getattr(learner, "interpretable", True), math.inf if math.isnan(size) else size


def _seconds(name: str, comparison: Comparison) -> float:
    assessment = comparison.assessments[name]
    return assessment.mean_of("fit_time") + assessment.mean_of("predict_time")


def join_names(names: Sequence[str]) -> str:
    """Names as people list them."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


#: How often rows are drawn anew; measures that are no means over rows cost more, and many tests even more.
DRAWS, FEW_DRAWS, FEWEST_DRAWS = 500, 200, 50
#: Drawn tests of a learner altogether.
_WORK = 10**7
#: Of more rows, blocks are drawn: the mean over rows needs no finer ones.
MOST_BLOCKS = 2000


def selected_estimate(
    assessments: Mapping[str, Assessment], leader: str, name: str, level: float = 0.95
) -> Interval:
    """The corrected estimate of the leader with its interval; uncorrected for times and sizes, which have no rows."""
    measure, leader_assessment = measure_of(name), assessments[leader]
    if measure.needs == "run" or len(assessments) < 2 or not leader_assessment.runs:
        return interval_of(leader_assessment, name, level)
    # A learner with an infinite or undefined estimate cannot win a draw either.
    some = {key: each for key, each in assessments.items() if math.isfinite(each.mean_of(name))}
    if leader not in some:
        return interval_of(leader_assessment, name, level)
    drawn, others = (_means if measure.is_row_mean else _values)(list(some.values()), measure)
    wider = 1.0 if len(leader_assessment.runs) == 1 and not leader_assessment.runs[0].each_row else WIDER
    shift = wider * _optimism(drawn, others, list(some).index(leader), measure)
    plain, corrected = (
        interval_of(leader_assessment, name, level),
        interval_of(leader_assessment, name, level, shift),
    )
    low, high = min(plain.low, corrected.low), max(plain.high, corrected.high)
    return Interval(corrected.estimate, low, high, level, corrected.kind)


def _optimism(drawn: Floats, others: Floats, leader: int, measure: Measure) -> float:
    """How much worse the learner chosen on the rows drawn is than the leader on the others, on average."""
    sign = -1.0 if measure.larger_is_better else 1.0
    chosen = np.where(np.isfinite(drawn), sign * drawn, np.inf).argmin(axis=0)
    worse = sign * (others[chosen, np.arange(len(chosen))] - others[leader])
    known = worse[np.isfinite(worse)]
    return sign * max(0.0, float(known.mean())) if len(known) else 0.0


def _means(found: list[Assessment], measure: Measure) -> tuple[Floats, Floats]:
    """The mean loss of each learner, (learners, draws), over the rows drawn and over the others."""
    tested = TestedRows.of(found[0].runs)
    order = np.random.default_rng(len(tested)).permutation(len(tested))
    block = (order % min(len(tested), MOST_BLOCKS))[tested.place]
    weights = tested.weights[tested.place]
    total = np.bincount(block, weights)
    lost = np.array([np.bincount(block, weights * losses(each, measure)) for each in found])
    times = np.concatenate(list(draw_counts(len(total), DRAWS, DRAWS, 0)), axis=1).astype(np.float64)
    absent = (times == 0).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        return lost @ times / (total @ times), lost @ absent / (total @ absent)


def _values(found: list[Assessment], measure: Measure) -> tuple[Floats, Floats]:
    """The measure of each learner, (learners, draws), over the rows drawn and over the others."""
    tested = TestedRows.of(found[0].runs)
    rules = [rule_of(each, measure, tested) for each in found]
    drawn: list[Floats] = []
    others: list[Floats] = []
    tests = max(len(tested.place), 1)
    count = max(FEWEST_DRAWS, min(FEW_DRAWS, _WORK // tests))
    for times in draw_counts(len(tested), count, max(1, min(count, (1 << 18) // tests)), 0):
        for counts, kept in ((times, drawn), (times == 0, others)):
            weights = (counts * tested.weights[:, None])[tested.place]
            kept.append(np.array([rule(weights) for rule in rules]))
    return np.concatenate(drawn, axis=1), np.concatenate(others, axis=1)
