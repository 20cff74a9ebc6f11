"""The answer of a comparison as one block: the best group, which of it is simplest and fastest, who is worse.

Answer        the names
answer_of     comparison -> Answer
answer_lines  comparison -> the block, in words

The best group is that of the headline: the leader, and all that are not told apart from it once p-values are
corrected for the number of pairs. **Recommended is the leader**, whose estimate is the best. It was chosen for that
among several, so its estimate is a little better than what new rows will show; the others of the group are as good for
all that is known, hence the simplest and the fastest of them are named beside it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from acumen.assessment.comparison import Comparison


@dataclass(frozen=True, slots=True)
class Answer:
    """What follows for whoever has to choose.

    Attributes
    ----------
    best : tuple of str
        The leader first, then those not told apart from it.
    recommended : str
        Of these the one with the best estimate.
    simplest, fastest : str
        Of these the one whose model has the least to read (nodes, rules or parameters; what nobody can read comes
        last), and the one that takes the least time to learn and to predict.
    worse : tuple of str
        Told apart from the leader.
    untested : tuple of str
        Without a test against the leader.
    optimistic : bool
        Whether the recommended one was chosen among several, so that its estimate is a little too good.
    """

    best: tuple[str, ...]
    recommended: str
    simplest: str
    fastest: str
    worse: tuple[str, ...] = ()
    untested: tuple[str, ...] = ()
    optimistic: bool = False

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
        }


def answer_of(comparison: Comparison) -> Answer:
    """The answer of a comparison; with a baseline it is about the learners that are not worse than the best of them."""
    told = comparison.overall
    best = (told.leader, *(name for name in told.group if name != told.leader))
    return Answer(
        best,
        told.leader,
        min(best, key=lambda name: _effort(name, comparison)),
        min(best, key=lambda name: _seconds(name, comparison)),
        told.worse,
        told.untested,
        len(comparison.names) > 2,  # more than one, and what it has to beat
    )


def _effort(name: str, comparison: Comparison) -> tuple[bool, float]:
    learner = comparison.learners.get(name)
    size = comparison.assessments[name].mean_of("size")
    return not getattr(learner, "legible", True), math.inf if math.isnan(size) else size


def _seconds(name: str, comparison: Comparison) -> float:
    found = comparison.assessments[name]
    return found.mean_of("fit_time") + found.mean_of("predict_time")


def answer_lines(comparison: Comparison) -> list[str]:
    """The answer in a few lines; against a baseline, if there is one."""
    if comparison.baseline is not None:
        return [_against(comparison), *_alone(comparison)]
    if len(comparison.names) == 1:
        return [f"{comparison.best} had no rival."]
    told = comparison.answer
    if len(told.best) == 1:
        lines = [f"The best: {told.recommended}."]
    else:
        lines = [f"The best, not told apart: {listed(told.best)}."]
        lines.append(f"Of these {_merits(told)}.")
    if told.worse:
        lines.append(f"Worse: {listed(told.worse)}.")
    if told.untested:
        lines.append(f"Not tested against {told.recommended}: {listed(told.untested)}.")
    return lines + _alone(comparison)


def _merits(told: Answer) -> str:
    """Who of the best is the simplest, the fastest and the best estimate; who is several of these is named once."""
    merits: dict[str, list[str]] = {}
    for name, merit in (
        (told.simplest, "the simplest to read"),
        (told.fastest, "the fastest"),
        (told.recommended, "the best estimate, which may be luck"),
    ):
        merits.setdefault(name, []).append(merit)
    return "; ".join(f"{listed(merit)}: {name}" for name, merit in merits.items())


def _against(comparison: Comparison) -> str:
    told = comparison.headline
    rest = [name for name in told.group if name != told.leader]
    parts = [
        f"{words}: {listed(names)}"
        for words, names in (("better", told.better), ("worse", told.worse), ("not told apart", rest))
        if names
    ]
    return f"Against {told.leader}: " + ("; ".join(parts) or "nobody") + "."


def _alone(comparison: Comparison) -> list[str]:
    """Those whose own pair would tell them apart, though among all pairs that may be luck."""
    told = comparison.headline
    if told.leader != comparison.reference:
        return []
    alone = [
        name
        for name in told.group
        if name != told.leader and comparison.standing(name) in ("better", "worse")
    ]
    if not alone:
        return []
    verb = "is" if len(alone) == 1 else "are"
    return [
        f"{listed(alone)} {verb} told apart by a test of that pair alone, but among {told.n_pairs} pairs that may be "
        "luck."
    ]


def listed(names: Sequence[str]) -> str:
    """Names as people list them."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
