"""`compare`: which learner is really better, on the same splits for all.

compare      learners, table -> Comparison
Comparison   a ranking, and for every pair a verdict by the corrected resampled t-test with Holm's correction
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from acumen.assessment.assess import Assessment, assess, fixed_seed, learner_name
from acumen.assessment.scores import measure as measure_of
from acumen.assessment.statistics import (
    Posterior,
    RowsNeeded,
    TestResult,
    bayesian_t,
    corrected_t,
    five_by_two_f,
    five_by_two_t,
    holm,
    mcnemar,
    paired_t,
    rows_to_settle,
    wilcoxon,
)
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError, did_you_mean
from acumen.resample import KFold
from acumen.types import Floats

#: Told which learner is at work and how many of its splits are finished.
Progress = Callable[[str, int], None]


#: Where a measure cannot go, though an interval by Student's t may.
BOUNDS = {
    **dict.fromkeys(
        ("error", "accuracy", "balanced_accuracy", "precision", "recall", "f1", "macro_f1", "auc"), (0, 1)
    ),
    **dict.fromkeys(("kappa", "mcc"), (-1, 1)),
    **dict.fromkeys(("log_loss", "brier", "fit_time", "predict_time", "memory", "size"), (0, np.inf)),
}


class Pair(NamedTuple):
    """Two learners: how far apart, how sure, and what follows for `a`."""

    a: str
    b: str
    difference: float
    low: float
    high: float
    p: float
    verdict: str


@dataclass(frozen=True)
class Comparison:
    """Learners judged on the same splits.

    Attributes
    ----------
    assessments : dict of name -> Assessment, best first
    measure : str
    method : how the table was split
    seed : int
        Gives the same splits again.
    baseline : str or None
        If given, pairs are of every other learner with it.
    notes : tuple of str
    """

    assessments: dict[str, Assessment]
    measure: str
    method: Any
    seed: int
    baseline: str | None = None
    notes: tuple[str, ...] = ()
    data: Table | None = field(default=None, repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The learners, best first."""
        return tuple(self.assessments)

    @property
    def smaller_is_better(self) -> bool:
        return not measure_of(self.measure).larger_is_better

    @cached_property
    def table(self) -> list[dict[str, Any]]:
        """A row for each learner, best first: mean, interval, times and size."""
        rows = []
        for rank, (name, found) in enumerate(self.assessments.items(), start=1):
            low, high = self._interval(found)
            means = found.means()
            rows.append(
                {
                    "rank": rank,
                    "learner": name,
                    self.measure: found.mean,
                    "low": low,
                    "high": high,
                    "fit_time": means["fit_time"],
                    "predict_time": means["predict_time"],
                    "size": means["size"],
                }
            )
        return rows

    def _interval(self, found: Assessment) -> tuple[float, float]:
        """95 % for a learner's mean, corrected for training sets that overlap, as the verdicts are."""
        values, share = found.values[~np.isnan(found.values)], found.test_share
        if len(values) < 2 or found.estimate is not None:
            return float("nan"), float("nan")
        result = corrected_t(values, np.zeros(len(values)), 1.0 - share, share)
        lowest, highest = BOUNDS.get(self.measure, (-np.inf, np.inf))
        return max(result.low, lowest), min(result.high, highest)

    @cached_property
    def pairs(self) -> list[Pair]:
        """Every pair, the better-ranked first; p is corrected for the number of pairs (Holm)."""
        couples = (
            [(name, self.baseline) for name in self.names if name != self.baseline]
            if self.baseline is not None
            else list(combinations(self.names, 2))
        )
        results = [self.corrected_t(a, b) for a, b in couples]
        if not results:
            return []
        adjusted = holm([result.p for result in results]).tolist()
        return [
            Pair(a, b, r.estimate, r.low, r.high, p, self._verdict(r.estimate, p))
            for (a, b), r, p in zip(couples, results, adjusted, strict=True)
        ]

    def _verdict(self, difference: float, p: float) -> str:
        if not p < 0.05:
            return "no difference"
        return "better" if (difference < 0) == self.smaller_is_better else "worse"

    # -- the tests, for any two -------------------------------------------------------------------

    def corrected_t(self, a: str, b: str) -> TestResult:
        """The corrected resampled t-test (Nadeau and Bengio), which the verdicts are made of."""
        values = self._values(a), self._values(b)
        share = self.assessments[a].test_share
        if len(values[0]) < 2:
            raise DataError("compare: one split alone says nothing about chance; use more, or mcnemar(a, b).")
        return corrected_t(*values, 1.0 - share, share)

    def paired_t(self, a: str, b: str) -> TestResult:
        """The documents' paired t-test, which takes splits as independent."""
        return paired_t(self._values(a), self._values(b))

    def wilcoxon(self, a: str, b: str) -> TestResult:
        """Wilcoxon's signed-rank test over splits."""
        return wilcoxon(self._values(a), self._values(b))

    def mcnemar(self, a: str, b: str) -> TestResult:
        """McNemar's test on the rows tested in the first repeat, each of them once."""
        first, second = (self._predicted(name) for name in (a, b))
        return mcnemar(first[0], first[1], second[1])

    def five_by_two(self, a: str, b: str) -> tuple[TestResult, TestResult]:
        """Dietterich's t and Alpaydin's F; the comparison must be by KFold(2, repeats=5)."""
        if not isinstance(self.method, KFold) or (self.method.k, self.method.repeats) != (2, 5):
            raise ParameterError("five_by_two: compare with method=KFold(2, repeats=5) first.")
        values = self._values(a).reshape(5, 2), self._values(b).reshape(5, 2)
        return five_by_two_t(*values), five_by_two_f(*values)

    def bayesian(self, a: str, b: str, rope: float = 0.01) -> Posterior:
        """How probable it is that a is better, that b is, or that they differ by less than `rope`."""
        share = self.assessments[a].test_share
        return bayesian_t(self._values(a), self._values(b), 1.0 - share, share, rope, self.smaller_is_better)

    def rows_to_settle(self, a: str, b: str) -> RowsNeeded:
        """About how many rows would show the difference seen so far."""
        n = len(self.data) if self.data is not None else int(self.assessments[a].confusion.total)
        return rows_to_settle(self.corrected_t(a, b), n, comparisons=max(1, len(self.pairs)))

    def _values(self, name: str) -> Floats:
        if name not in self.assessments:
            raise ParameterError(
                f"compare: there is no learner {name!r} here.{did_you_mean(name, self.assessments)}"
            )
        return self.assessments[name].values

    def _predicted(self, name: str) -> tuple[Any, Any]:
        self._values(name)
        runs = [run for run in self.assessments[name].runs if run.repeat == 0]
        return np.concatenate([r.truth for r in runs]), np.concatenate([r.predicted for r in runs])

    # -- showing ----------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        def plain(value: Any) -> Any:
            return None if isinstance(value, float) and not np.isfinite(value) else value

        return {
            "schema_version": 1,
            "measure": self.measure,
            "method": str(self.method),
            "seed": self.seed,
            "baseline": self.baseline,
            "table": [{key: plain(value) for key, value in row.items()} for row in self.table],
            "pairs": [{key: plain(value) for key, value in pair._asdict().items()} for pair in self.pairs],
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        from acumen.assessment.comparison_text import comparison_text

        return comparison_text(self)

    def _repr_html_(self) -> str:
        import html

        return f"<pre>{html.escape(str(self))}</pre>"


def compare(
    learners: Sequence[Any] | Mapping[str, Any],
    table: Any,
    method: Any = None,
    measure: str = "error",
    baseline: str | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    *,
    progress: Progress | None = None,
) -> Any:
    """Judge several learners on the same splits and say which are really better.

    Parameters
    ----------
    learners : list, or mapping of name to learner
        In a list equal names are told apart by the parameters that differ. `Majority` is always added.
    table : Table, or several (a list, or a mapping of name to Table)
        Over several tables the result is a `Ranking`: Friedman, Nemenyi, wins and losses.
    method : KFold(10, repeats=10) unless given
    measure : name of a measure
    baseline : str, optional
        Compare every other learner with this one only.
    random_state : int, Generator or None
        Seeds the splits, the same for all learners.
    n_jobs : int, optional
        Threads of learners that have that parameter.
    progress : callable, optional
        Told a learner's name and how many of its splits are finished.

    Returns
    -------
    Comparison
        Ctrl-C ends it early: learners that were finished are kept, and a note says which were not.
    """
    if not isinstance(table, Table):
        from acumen.assessment.compare_tables import compare_tables

        return compare_tables(learners, table, method, measure, random_state, n_jobs, progress)
    method = KFold(10, repeats=10) if method is None else method
    named = with_majority(named_learners(learners))
    if baseline is not None and baseline not in named:
        raise ParameterError(
            f"compare: the baseline {baseline!r} is no learner here.{did_you_mean(baseline, named)}"
        )
    seed = fixed_seed(random_state)
    measures = tuple(dict.fromkeys((measure, "error", "fit_time", "predict_time", "size")))
    found: dict[str, Assessment] = {}
    notes: list[str] = []
    try:
        for name, learner in named.items():
            tell = None if progress is None else _teller(progress, name)
            found[name] = assess(learner, table, method, measures, seed, False, n_jobs, progress=tell)
    except KeyboardInterrupt:
        left = [name for name in named if name not in found]
        if not found:
            raise
        notes.append(f"stopped before {', '.join(left)} finished; they are left out")
    notes += dict.fromkeys(note for each in found.values() for note in each.notes)
    sign = -1.0 if measure_of(measure).larger_is_better else 1.0
    ranked = dict(sorted(found.items(), key=lambda item: _rank_key(sign * item[1].mean)))
    return Comparison(
        ranked, measure, method, seed, baseline if baseline in ranked else None, tuple(notes), table
    )


def _teller(progress: Progress, name: str) -> Callable[[int], None]:
    return lambda done: progress(name, done)


def _rank_key(value: float) -> tuple[bool, float]:
    return bool(np.isnan(value)), value


def named_learners(learners: Sequence[Any] | Mapping[str, Any]) -> dict[str, Any]:
    """Names for learners: their class, and where these are equal the parameters that differ."""
    if isinstance(learners, Mapping):
        given = {str(name): learner for name, learner in learners.items()}
    else:
        listed: Iterable[Any] = learners if isinstance(learners, Iterable) else [learners]
        given = {}
        many = list(listed)
        classes = [type(learner).__name__ for learner in many]
        for learner, plain in zip(many, classes, strict=True):
            name = plain if classes.count(plain) == 1 else learner_name(learner)
            number = 2
            while name in given:
                name = f"{learner_name(learner)} #{number}"
                number += 1
            given[name] = learner
    for name, learner in given.items():
        if isinstance(learner, type) or not hasattr(learner, "model_type"):
            raise ParameterError(
                f"compare: {name!r} is no learner of acumen; pass an instance such as NaiveBayes()."
            )
    return given


def with_majority(named: dict[str, Any]) -> dict[str, Any]:
    """The learners with `Majority` among them: what each of them has to beat."""
    from acumen.bayes.learners import Majority

    if any(isinstance(learner, Majority) for learner in named.values()):
        return named
    return {**named, "Majority": Majority()}
