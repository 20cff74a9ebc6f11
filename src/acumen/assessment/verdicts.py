"""Verdicts on two learners from the rows both were tested on, and on all learners together.

PairVerdict   two learners, their difference, and the verdict on them
pairs_of      the verdicts on all pairs, with p corrected for their number
Headline      the best group and those that are worse: the same verdicts, about the leader
PairJudge     tests any two learners of a comparison

A verdict is one of four texts, the same in Python, in JSON and in print:

better, worse               the first of a pair is: p corrected for the number of pairs (Holm) is below 5 %
practically equal           otherwise, if the whole interval of the difference lies within the rope
no significant difference   otherwise
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from acumen.assessment.certainty import bounds
from acumen.assessment.replicates import TestedRows, concatenate_runs, losses, replicates
from acumen.assessment.scores import measure as measure_of
from acumen.assessment.statistics import TestResult, corrected_t, holm, row_test
from acumen.assessment.statistics.tails import normal_quantile, t_two_sided
from acumen.types import Floats

if TYPE_CHECKING:
    from acumen.assessment.assessment import Assessment

Verdict: TypeAlias = Literal["better", "worse", "practically equal", "no significant difference"]
#: Two learners, and how they did by the same splits.
Names: TypeAlias = tuple[str, str]
Both: TypeAlias = "tuple[Assessment, Assessment]"

#: What a verdict says of the first of a pair, turned to the second.
TURNED: Mapping[Verdict, Verdict] = {
    "better": "worse",
    "worse": "better",
    "practically equal": "practically equal",
    "no significant difference": "no significant difference",
}

#: Below this p a difference is more than chance.
ALPHA = 0.05

#: The variance of a difference over the rows of many splits is taken so many times. Training sets overlap, and models
#: of the same luck in labels err alike, which no repeat averages away. Simulated: with labels tossed and with learners
#: of equal expected error, plain tests of rows find 5 to 25 % of pairs different where none is, this one at most 5 %.
WIDER = 1.75

#: Fewer splits than these say nothing about times and sizes, which have no rows.
FEW_SPLITS = 10


class PairVerdict(NamedTuple):
    """Two learners: their difference, its uncertainty, and the verdict on `a`.

    `difference` is a minus b, from `low` to `high`; these and `p` are of the pair's own test. `p_corrected` is
    corrected for the number of pairs (Holm), and `verdict` follows from it.
    """

    a: str
    b: str
    difference: float
    low: float
    high: float
    p: float
    verdict: Verdict
    p_corrected: float = math.nan


@dataclass(frozen=True, slots=True)
class Headline:
    """The answer about all learners at once: the chance of any wrong statement in it is at most 5 %.

    Attributes
    ----------
    leader : str
        The one that the others are compared with: the baseline, or the best.
    group : tuple of str
        The leader, and those without a significant difference from it; without a baseline the best group.
    worse, better : tuple of str
        Worse and better than the leader; `better` is empty unless the leader is a baseline.
    untested : tuple of str
        Those without a test against the leader.
    n_pairs : int
        The number of tests that p-values are corrected for.
    """

    leader: str
    group: tuple[str, ...]
    worse: tuple[str, ...] = ()
    better: tuple[str, ...] = ()
    untested: tuple[str, ...] = ()
    n_pairs: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        names = ("leader", "group", "worse", "better", "untested", "n_pairs")
        return {
            name: list(value) if isinstance(value := getattr(self, name), tuple) else value for name in names
        }


class PairJudge:
    """Tests any two of several assessments by one measure, on the splits that both have finished.

    The assessments are of the same splits as far as they go: one may have been through fewer repeats. Models that are
    not `refitted`, because every split tests the same ones, have no overlapping training sets to allow for.
    """

    def __init__(self, assessments: Mapping[str, Assessment], measure: str, *, refitted: bool = True) -> None:
        self._found = assessments
        self._refitted = refitted
        self._measure = measure_of(measure)
        self._losses: dict[tuple[str, int], Floats] = {}
        self._drawn: dict[tuple[str, int], Floats] = {}
        self._rows: dict[int, TestedRows] = {}

    def test(self, a: str, b: str) -> TestResult | None:
        """The test behind the verdict on two learners; None if there is none.

        Means over rows, and the root mean squared error and R2, which follow from one: `row_test`. Other measures of
        predictions: the difference in units of its standard error over draws of rows. Of many splits the variance is
        taken `WIDER` times. Times and sizes: the corrected resampled t-test over splits.
        """
        first, second = self.both(a, b)
        values = paired_values(first, second, self._measure.name)
        if not values.size or not np.isfinite(values).all():
            return None
        centre = float((values[0] - values[1]).mean())
        if self._measure.needs == "run":
            if values.shape[1] < FEW_SPLITS:
                return None
            return corrected_t(values[0], values[1], first.n_train, first.n_test)
        one_model = len(first.runs) == 1 and not first.runs[0].each_row
        wider = WIDER if self._refitted and not one_model else 1.0
        if self._measure.is_row_mean or self._measure.needs == "numbers":
            return self._by_rows((a, b), (first, second), centre, wider)
        return self._by_draws((a, b), (first, second), centre, wider)

    def both(self, a: str, b: str) -> tuple[Assessment, Assessment]:
        """Two assessments, limited to the repeats that both have finished."""
        repeats = min(self._found[name].repeats for name in (a, b))
        return self._found[a].first(repeats), self._found[b].first(repeats)

    def _by_rows(self, names: Names, found: Both, centre: float, wider: float) -> TestResult | None:
        lost = [self._row_losses(name, each) for name, each in zip(names, found, strict=True)]
        if not all(np.isfinite(each).all() for each in lost):
            return None
        measure, runs = self._measure, found[0].runs
        unit = 1.0
        if measure.name == "rmse":  # (ra^2 - rb^2) / (ra + rb) is ra - rb
            unit = sum(math.sqrt(float(each.mean())) for each in lost)
        elif measure.name == "r2":
            unit = -float(np.var(concatenate_runs(runs, "truth")))
        unit = unit or 1.0  # nothing is left to explain, or nothing varies
        least, most = bounds(found[0], measure)
        tested = self._tested_rows(found[0])
        return row_test(
            lost[0] / unit, lost[1] / unit, tested.place, tested.weights[tested.place], wider=wider, estimate=centre,
            unit=most - least if measure.needs == "labels" else 0.0,
        )  # fmt: skip

    def _by_draws(self, names: Names, found: Both, centre: float, wider: float) -> TestResult | None:
        one, other = (self._draws(name, each) for name, each in zip(names, found, strict=True))
        apart = one - other
        apart = apart[np.isfinite(apart)]
        if len(apart) < 2:
            return None
        se = math.sqrt(wider) * float(apart.std(ddof=1))
        n = len(self._tested_rows(found[0]))
        if not se > 0:
            return self._the_same_in_every_draw(found, centre)
        z, half = centre / se, normal_quantile(1.0 - ALPHA / 2.0) * se
        return TestResult(
            "bootstrap over rows", z, None, t_two_sided(z, None), centre, centre - half, centre + half, se, n=n,
            symbol="z",
        )  # fmt: skip

    def _the_same_in_every_draw(self, found: Both, centre: float) -> TestResult:
        """No draw differs from the others: the signs of the rows that speak are all that there is to count.

        If neither learner were better, each of m rows that tell them apart would favour either with probability 1/2,
        and all of them the same one with 2^(1 - m). Of scores these rows are pairs of a row of the positive class and
        one of the others, of which as many are independent as the smaller side has rows.
        """
        tested = self._tested_rows(found[0])
        if not centre:
            return TestResult("bootstrap over rows", 0.0, None, 1.0, 0.0, n=len(tested), symbol="z")
        if self._measure.needs == "labels":
            predictions = [concatenate_runs(each.runs, "predicted") for each in found]
            speak = len(np.unique(tested.place[predictions[0] != predictions[1]]))
        else:
            truth = np.zeros(len(tested), dtype=np.int64)
            truth[tested.place] = concatenate_runs(found[0].runs, "truth")
            speak = int(np.unique(truth, return_counts=True)[1].min())
        most = abs(centre) * (1.0 - (ALPHA / 2.0) ** (1.0 / max(speak, 1)))  # what zero exceptions leave open
        return TestResult(
            "signs of the rows that differ", float(speak), None, min(1.0, 2.0 ** (1 - speak)), centre, centre - most,
            centre + most, n=speak, symbol="m",
        )  # fmt: skip

    def _tested_rows(self, found: Assessment) -> TestedRows:
        if found.repeats not in self._rows:
            self._rows[found.repeats] = TestedRows.of(found.runs)
        return self._rows[found.repeats]

    def _row_losses(self, name: str, found: Assessment) -> Floats:
        key = name, found.repeats
        if key not in self._losses:
            self._losses[key] = losses(found, self._measure)
        return self._losses[key]

    def _draws(self, name: str, found: Assessment) -> Floats:
        key = name, found.repeats
        if key not in self._drawn:
            self._drawn[key] = replicates(found, self._measure)[1]
        return self._drawn[key]


def paired_values(a: Assessment, b: Assessment, measure: str) -> Floats:
    """The values of two learners over the splits in which both are defined, (2, splits)."""
    values = np.stack([each.table[measure] for each in (a, b)])
    if a.weights.size and values.shape[1] == len(a.weights):
        values = values * (a.weights / a.weights.mean())
    return values[:, ~np.isnan(values).any(axis=0)]


def pairs_of(
    couples: Sequence[Names], judge: PairJudge, measure: str, smaller_is_better: bool, rope: float
) -> list[PairVerdict]:
    """Each pair with its test and its verdict; if there is no test, p is NaN and the verdict is `open`."""
    results = [judge.test(a, b) for a, b in couples]
    corrected = holm(
        [math.nan if r is None else r.p for r in results],
        [0.0 if r is None else r.least for r in results],
    ).tolist()
    pairs = []
    for (a, b), r, p in zip(couples, results, corrected, strict=True):
        if r is None:
            one, other = judge.both(a, b)
            difference = one.mean_of(measure) - other.mean_of(measure)
            pairs.append(
                PairVerdict(a, b, difference, math.nan, math.nan, math.nan, "no significant difference")
            )
        else:
            verdict = _verdict(r, p, smaller_is_better, rope)
            pairs.append(PairVerdict(a, b, r.estimate, r.low, r.high, r.p, verdict, p))
    return pairs


def _verdict(result: TestResult, p: float, smaller_is_better: bool, rope: float) -> Verdict:
    """The verdict on the first of two learners from a test with a corrected p."""
    if p < ALPHA and result.estimate:
        return "better" if (result.estimate < 0) == smaller_is_better else "worse"
    within_rope = max(abs(result.low), abs(result.high)) <= rope  # NaN is within nothing
    return "practically equal" if within_rope else "no significant difference"


def headline_of(names: Sequence[str], pairs: Sequence[PairVerdict], baseline: str | None) -> Headline:
    """Find which learners are better and worse than the leader, from the verdicts on pairs.

    The leader is the first of the names than whom none is better: by the .632 bootstraps, which rank by more than
    what is tested, the first may be worse than another.
    """
    verdicts: dict[tuple[str, str], Verdict | None] = {}
    for pair in pairs:
        tested = not math.isnan(pair.p_corrected)
        verdicts[pair.a, pair.b] = pair.verdict if tested else None
        verdicts[pair.b, pair.a] = TURNED[pair.verdict] if tested else None
    leader = baseline
    if leader is None:
        beaten = {a for (a, _), verdict in verdicts.items() if verdict == "worse"}
        leader = next(name for name in names if name not in beaten)
    stand = {name: verdicts.get((name, leader)) for name in names if name != leader}
    return Headline(
        leader,
        tuple(
            name
            for name in names
            if name == leader or stand[name] in ("no significant difference", "practically equal")
        ),
        tuple(name for name in names if stand.get(name) == "worse"),
        tuple(name for name in names if stand.get(name) == "better"),
        tuple(name for name in names if name != leader and stand[name] is None),
        sum(not math.isnan(pair.p_corrected) for pair in pairs),
    )
