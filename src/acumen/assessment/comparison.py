"""The result of `compare`: a ranking, a verdict on every pair, and an overall answer.

There is one verdict for each pair, from the rows that both learners were tested on, corrected for the number of pairs
(`verdicts`). The headline and the answer (`answer`) follow from these verdicts. `pair_tests` has other tests.

Where time was over, or Ctrl-C was pressed, learners may have been through different numbers of repeats. The ranking
is by those that all have finished, a pair's test by those that both have.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from os import PathLike
from typing import TYPE_CHECKING, Any

from acumen.assessment.answer import Answer, answer_of
from acumen.assessment.assessment import Assessment
from acumen.assessment.comparison_dict import dict_of, record_of, splits_of
from acumen.assessment.pair_tests import PairTests
from acumen.assessment.scores import measure as measure_of
from acumen.assessment.verdicts import (
    TURNED,
    Headline,
    PairJudge,
    PairVerdict,
    headline_of,
    pairs_of,
)
from acumen.caching import cached_property
from acumen.data.table import Table
from acumen.render.views import render
from acumen.types import Label

if TYPE_CHECKING:
    from acumen.assessment.disagreement import Disagreement
    from acumen.base.learner import Learner
    from acumen.render.interval_plot import IntervalFigure


@dataclass(frozen=True)
class Comparison(PairTests):
    """Learners evaluated on the same splits.

    Attributes
    ----------
    assessments : dict of name -> Assessment, best first
        By the repeats that all of them have finished.
    measure : str
    method : how the table was split
        As far as all learners have come: its `repeats` are those that the ranking is made of.
    seed : int
        Gives the same splits again.
    baseline : str or None
        If given, pairs are of every other learner with it.
    notes : tuple of str
    learners : dict of name -> learner
        As they were given, not fitted.
    data : Table
    positive, costs
        As they were given.
    rope : float
        Differences up to this size, in units of the measure, do not matter.
    complete : bool
        False if Ctrl-C ended it before every learner was finished.
    finished : dict of name -> Assessment
        By all repeats that each learner has finished; pairs are tested by these.
    unjudged : dict of name -> str
        The learners without a verdict, and why: they object to the table, failed, or did not finish a repeat in time.
    asked : how the table was to be split
        `method` before time, or Ctrl-C, made it less.
    time : float or None
        The seconds it was allowed.
    left_out : dict of name -> str
        The columns that were not learned from, and why.
    sample : int or None
        How many rows, drawn at random in proportion to the classes, learners were judged on; None: on all.
    n_rows : int
        How many rows there are to judge on.
    """

    assessments: dict[str, Assessment]
    measure: str
    method: Any
    seed: int
    baseline: str | None = None
    notes: tuple[str, ...] = ()
    learners: Mapping[str, Learner] = field(default_factory=dict, repr=False)
    data: Table | None = field(default=None, repr=False)
    positive: Label | None = None
    costs: Any = field(default=None, repr=False)
    rope: float = 0.01
    complete: bool = True
    finished: Mapping[str, Assessment] = field(default_factory=dict, repr=False)
    unjudged: Mapping[str, str] = field(default_factory=dict)
    asked: Any = None
    time: float | None = None
    left_out: Mapping[str, str] = field(default_factory=dict)
    keep_ids: bool = False
    sample: int | None = None
    n_rows: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        """The learners, best first."""
        return tuple(self.assessments)

    @property
    def best(self) -> str:
        """The learner ranked first."""
        return self.names[0]

    @property
    def reference(self) -> str:
        """The learner the others are compared with: the baseline, or the leader of the best group."""
        return self.headline.leader

    @cached_property
    def answer(self) -> Answer:
        """The best group, the recommended, the simplest and the fastest of it, and those that are worse."""
        return answer_of(self)

    @property
    def recommended_learner(self) -> str:
        """The learner in the best group with the best estimate; `answer` has that estimate corrected for the choice."""
        return self.answer.recommended

    @property
    def repeats(self) -> dict[str, int]:
        """The number of repeats of the splits that each learner has finished."""
        return {name: assessment.repeats for name, assessment in self._whole.items()}

    @property
    def _whole(self) -> Mapping[str, Assessment]:
        return self.finished or self.assessments

    @property
    def smaller_is_better(self) -> bool:
        """Whether smaller values of the measure are better."""
        return not measure_of(self.measure).larger_is_better

    @property
    def others(self) -> tuple[str, ...]:
        """The measures reported besides the one used to compare."""
        measured = self.assessments[self.best].measures
        return tuple(name for name in measured if name != self.measure and measure_of(name).needs != "run")

    @cached_property
    def table(self) -> list[dict[str, Any]]:
        """A row for each learner, best first: the estimate, its interval, the verdict of
        its pair with the reference, others' means, size."""
        rows = []
        for rank, (name, assessment) in enumerate(self.assessments.items(), start=1):
            low, high = assessment.interval_of(self.measure)
            rows.append(
                {
                    "rank": rank,
                    "learner": name,
                    self.measure: assessment.mean,
                    "low": low,
                    "high": high,
                    "verdict": self.standing(name),
                    **{
                        each: assessment.mean_of(each)
                        for each in (*self.others, "fit_time", "predict_time", "size")
                    },
                }
            )
        return rows

    def standing(self, name: str) -> str:
        """The verdict on a learner compared with the reference; empty for the reference itself."""
        for pair in self.pairs:
            if (pair.a, pair.b) == (name, self.reference):
                return pair.verdict
            if (pair.b, pair.a) == (name, self.reference):
                return TURNED[pair.verdict]
        return ""

    @cached_property
    def pairs(self) -> list[PairVerdict]:
        """Every pair, the better-ranked first, each with its verdict, corrected for the number of pairs.

        p is NaN, and the verdict `no significant difference`, where there is no test: where a value is infinite, and
        for times and sizes of fewer than ten splits. Of the .632 bootstraps the difference, its interval and p are
        those of the out-of-bag values.
        """
        couples = (
            [(name, self.baseline) for name in self.names if name != self.baseline]
            if self.baseline is not None
            else list(combinations(self.names, 2))
        )
        return pairs_of(couples, self._judge, self.measure, self.smaller_is_better, self.rope)

    @cached_property
    def headline(self) -> Headline:
        """The best group and those that are worse, corrected for the number of pairs."""
        return headline_of(self.names, self.pairs, self.baseline)

    @cached_property
    def _judge(self) -> PairJudge:
        return PairJudge(self._whole, self.measure)

    @cached_property
    def overall(self) -> Headline:
        """The headline about all pairs, even if there is a baseline."""
        if self.baseline is None:
            return self.headline
        return replace(self, baseline=None).headline

    def disagree(self, a: str, b: str, repeat: int = 0) -> Disagreement:
        """Cross-tabulate where two learners were right and wrong: McNemar's four cells, each with its rows.

        Parameters
        ----------
        a, b : str
            Names of learners of the comparison.
        repeat : int
            Of which repeat of the splits.
        """
        from acumen.assessment.disagreement import Disagreement

        return Disagreement.of((a, b), (self._assessment(a), self._assessment(b)), repeat)

    # -- going on ---------------------------------------------------------------------------------

    def fit(self, name: str | None = None) -> Learner:
        """Fit a learner of the comparison on all rows and attach the results as its `comparison_`.

        Parameters
        ----------
        name : str, optional
            [default: the recommended learner] A model file keeps `comparison_` too (`acumen.save`).
        """
        from acumen.base.scikit import clone

        chosen = self.recommended_learner if name is None else name
        self._assessment(chosen)
        learner = clone(self.learners[chosen]).fit(self.data)
        learner.comparison_ = {**self.record(), "recommended": chosen}
        return learner

    def record(self) -> dict[str, Any]:
        """What a model file stores of the comparison: the answer, the ranking and the splits, as plain values."""
        return record_of(self)

    # -- showing ----------------------------------------------------------------------------------

    def report(
        self, path: str | PathLike[str], *, command: str | None = None, title: str | None = None
    ) -> None:
        """Write a self-contained HTML report: data, ranking with verdicts, figures and settings.

        Parameters
        ----------
        path : str or path
            The file is written completely or not at all.
        command : str, optional
            The command that reproduces the page. [default: Python code]
        title : str, optional
        """
        render(self, "page", path=path, command=command, title=title)

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON-ready values; undefined and infinite values become None."""
        return dict_of(self)

    def splits(self) -> dict[str, Any]:
        """The splits behind the ranking and the progress of each learner, as JSON-ready values."""
        return splits_of(self)

    def figure(self) -> IntervalFigure:
        """The learners' means with their intervals as a figure; notebooks draw it."""
        figure: IntervalFigure = render(self, "figure")
        return figure

    def describe(self, *, pairs: bool = False) -> str:
        """Describe the ranking and the answer as `str` does; on request with one sentence per pair."""
        return render(self, "text", pairs=pairs)

    def __str__(self) -> str:
        return self.describe()

    def _repr_html_(self) -> str:
        return render(self, "html")
