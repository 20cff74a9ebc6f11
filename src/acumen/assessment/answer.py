"""The answer of a comparison as one block: the best group, which of it is simplest and fastest, who is worse.

Answer        the names, and the estimate of the recommended learner
answer_of     comparison -> Answer

The best group is that of the headline: the leader, and all without a significant difference from it once p-values are
corrected for the number of pairs. **Recommended is the leader**, whose estimate is the best. It was chosen for that
among several, so the answer has its estimate and interval corrected for the choice (`selected`). The others of the
group may be as good, hence the simplest and the fastest of them are named too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from acumen.assessment.selected import selected_estimate
from acumen.assessment.statistics.intervals import Interval

if TYPE_CHECKING:
    from acumen.assessment.comparison import Comparison


#: Of learners without an estimate.
UNKNOWN = Interval(math.nan, math.nan, math.nan)


@dataclass(frozen=True, slots=True)
class Answer:
    """What follows for a user who has to choose.

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
        """The measure to expect of the recommended learner on new rows, corrected for the choice."""
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
    found = comparison.assessments[name]
    return found.mean_of("fit_time") + found.mean_of("predict_time")


def listed(names: Sequence[str]) -> str:
    """Names as people list them."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
