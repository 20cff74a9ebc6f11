"""`assess`: how good is a learner on a table, by any way of splitting it.

assess       learner, table, method -> Assessment
Assessment   one value a split for each measure, and what follows from them
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from acumen.assessment.confusion import Confusion
from acumen.assessment.outcome import Outcome, RunFacts
from acumen.assessment.runs import Run, fresh, prepared, runs
from acumen.assessment.scores import Measure
from acumen.assessment.scores import measure as measure_of
from acumen.assessment.statistics.bootstrap import bootstrap_632, bootstrap_632_plus, no_information_rate
from acumen.assessment.statistics.intervals import Interval, interval
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError
from acumen.resample import Bootstrap, KFold
from acumen.types import Floats, Label

Progress = Callable[[int], None]


@dataclass(frozen=True)
class Assessment:
    """How a learner did, split by split.

    Attributes
    ----------
    learner : str
        Its name with the parameters that are not the defaults.
    method : how the table was split
    table : dict of arrays
        For each measure one value a split; for leave-one-out one a row where the measure has one.
    confusion : Confusion
        Of all test rows together.
    notes : tuple of str
        What was odd: classes or levels absent from training parts.
    """

    learner: str
    method: Any
    measures: tuple[str, ...]
    table: dict[str, Floats]
    confusion: Confusion
    test_share: float
    notes: tuple[str, ...] = ()
    estimate: float | None = None
    runs: tuple[Run, ...] = field(default=(), repr=False)

    @property
    def values(self) -> Floats:
        """The first measure, one value a split (for leave-one-out one a row)."""
        return self.table[self.measures[0]]

    @property
    def mean(self) -> float:
        """The estimate of the first measure: the mean over splits, or the bootstrap's combination."""
        return self.estimate if self.estimate is not None else _mean(self.values)

    @property
    def variance(self) -> float:
        """The variance over splits, with divisor K - 1."""
        known = self.values[~np.isnan(self.values)]
        return float(np.var(known, ddof=1)) if len(known) > 1 else float("nan")

    def interval(self, level: float = 0.95, kind: str = "t") -> Interval:
        """An interval for the mean over splits, by Student's t or by the normal."""
        return interval(self.values[~np.isnan(self.values)], level, kind)

    def means(self) -> dict[str, float]:
        """The mean of every measure."""
        return {name: _mean(values) for name, values in self.table.items()}

    def to_dict(self) -> dict[str, Any]:
        return {
            "learner": self.learner,
            "method": str(self.method),
            "mean": _plain(self.mean),
            "measures": {
                name: {"mean": _plain(_mean(values)), "values": [_plain(v) for v in values.tolist()]}
                for name, values in self.table.items()
            },
            "confusion": self.confusion.to_dict(),
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        name = self.measures[0]
        lines = [f"{self.learner} by {self.method}: {name} {self.mean:.4f}"]
        if len(self.values) > 1 and np.isfinite(self.variance) and self.estimate is None:
            found = self.interval()
            lines[0] += f" (95 % from {found.low:.4f} to {found.high:.4f})"
        lines += [f"  {other}: {_mean(self.table[other]):.4g}" for other in self.measures[1:]]
        lines += [f"  note: {note}" for note in self.notes[:5]]
        return "\n".join(lines)


def assess(
    learner: Any,
    table: Table,
    method: Any = None,
    measures: Sequence[str] | str = ("error",),
    random_state: Any = None,
    refit: bool = False,
    n_jobs: int | None = None,
    *,
    positive: Label | None = None,
    progress: Progress | None = None,
) -> Assessment:
    """Judge a learner on rows it has not seen.

    Parameters
    ----------
    learner : a classifier of acumen
        Not changed: copies of it are fitted.
    table : Table with a nominal target
    method : KFold, LeaveOneOut, Bootstrap, Holdout, ThreeWay, TimeSlice or Subsample
        KFold(10) unless given.
    measures : names of measures
        The first is the one reported as `mean` and `values`.
    random_state : int, Generator or None
        Seeds the splits.
    refit : bool
        Fit anew for every split even where adding summaries gives the same answer in one pass.
    n_jobs : int, optional
        Threads of the learner, where it has that parameter.
    positive : label, optional
        The class that precision, recall, f1 and auc are about, when there are two; the last unless given.
    progress : callable, optional
        Told how many splits are finished.

    Returns
    -------
    Assessment
    """
    method = KFold(10) if method is None else method
    names = (measures,) if isinstance(measures, str) else tuple(measures)
    if not names:
        raise ParameterError("assess: name at least one measure.")
    chosen = [measure_of(name) for name in names]
    learner = with_jobs(learner, n_jobs)
    random_state = fixed_seed(random_state)
    rows = prepared(learner, table)
    finished: list[Run] = []
    needs = any(measure.needs == "probabilities" for measure in chosen)
    if needs and not learner.model_type.probabilistic:
        raise DataError(f"assess: {learner_name(learner)} has no probabilities, which these measures need.")
    for run in runs(learner, rows, method, random_state=random_state, refit=refit, proba=needs):
        finished.append(run)
        if progress is not None:
            progress(len(finished))
    return assembled(learner, rows, method, chosen, finished, positive)


def assembled(
    learner: Any,
    rows: Table,
    method: Any,
    chosen: Sequence[Measure],
    finished: Sequence[Run],
    positive: Label | None,
) -> Assessment:
    """An assessment from finished runs."""
    if not finished:
        raise DataError("assess: no split was finished.")
    costs = learner_costs(learner, rows.schema.classes)
    outcomes = [_outcome(run, rows, chosen) for run in finished]
    table = {
        m.name: np.array(_values(m, finished, outcomes, rows, costs, positive), dtype=np.float64)
        for m in chosen
    }
    total = outcomes[0]
    for outcome in outcomes[1:]:
        total = total + outcome
    tested = sum(len(run.test) for run in finished) / (len(finished) * len(rows))
    estimate = None
    if isinstance(method, Bootstrap) and method.kind.startswith("632"):
        estimate = _combined(method.kind, learner, rows, chosen[0], table[chosen[0].name], costs, positive)
    return Assessment(
        learner_name(learner),
        method,
        tuple(m.name for m in chosen),
        table,
        total.confusion,
        1.0 / len(rows) if finished[0].each_row else tested,
        tuple(dict.fromkeys(note for run in finished for note in run.notes)),
        estimate,
        tuple(finished),
    )


def _outcome(run: Run, rows: Table, chosen: Sequence[Measure]) -> Outcome:
    keep = any(measure.needs_scores for measure in chosen)
    return Outcome.of(run.truth, run.predicted, rows.schema.classes, run.proba, run.weights, keep_scores=keep)


def _values(
    measure: Measure,
    finished: Sequence[Run],
    outcomes: Sequence[Outcome],
    rows: Table,
    costs: Floats | None,
    positive: Label | None,
) -> list[float]:
    """One value a split; of leave-one-out one a row, where the measure is a mean over rows."""
    values: list[float] = []
    for run, outcome in zip(finished, outcomes, strict=True):
        if run.each_row and measure.is_row_mean:
            classes = rows.schema.classes
            each = measure.by_row(run.truth, run.predicted, run.proba, costs=costs, classes=classes)
            values.extend(each.tolist())
        else:
            facts = RunFacts(run.fit_time, run.predict_time, run.memory, run.size)
            values.append(measure.value(outcome, facts=facts, costs=costs, positive=positive))
    return values


def _combined(
    kind: str,
    learner: Any,
    rows: Table,
    measure: Measure,
    out_of_bag: Floats,
    costs: Floats | None,
    positive: Label | None,
) -> float:
    """Efron's .632 and .632+ estimates: the training value pulls the out-of-bag one towards itself."""
    fitted = fresh(learner).fit(rows)
    probabilistic = measure.needs == "probabilities"
    shares = fitted.predictor_.proba(rows) if probabilistic else None
    predicted = fitted.predictor_.predict(rows) if shares is None else fitted.predictor_.decide(shares)
    outcome = Outcome.of(
        rows.labels, predicted, rows.schema.classes, shares, rows.weights, keep_scores=measure.needs_scores
    )
    training = measure.value(outcome, costs=costs, positive=positive)
    tested = _mean(out_of_bag)
    if kind == "632":
        return bootstrap_632(training, tested)
    if measure.name != "error":
        raise ParameterError(
            f"assess: the .632+ estimate is defined for the error only; got {measure.name!r}."
        )
    return bootstrap_632_plus(training, tested, no_information_rate(rows.labels, predicted, rows.weights))


def learner_name(learner: Any) -> str:
    """The class with those parameters that are not the defaults."""
    from acumen.base.parameters import specs_of

    given = learner.get_params(deep=False)
    said = [
        f"{spec.name}={given[spec.name]!r}"
        for spec in specs_of(type(learner))
        if spec.name != "n_jobs" and not _same(given[spec.name], spec.default)
    ]
    return f"{type(learner).__name__}({', '.join(said)})" if said else type(learner).__name__


def learner_costs(learner: Any, classes: Sequence[Label]) -> Floats | None:
    """The cost matrix of a learner's `costs`, if it has any."""
    from acumen.base.decision import resolve_costs

    return resolve_costs(getattr(learner, "costs", None), classes, type(learner).__name__)


def fixed_seed(random_state: Any) -> int:
    """A seed that gives the same splits whenever it is used."""
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        return int(random_state)
    return int(np.random.default_rng(random_state).integers(2**31))


def with_jobs(learner: Any, n_jobs: int | None) -> Any:
    """The learner itself, or a copy that uses so many threads."""
    if n_jobs is None or "n_jobs" not in learner.get_params(deep=False):
        return learner
    from sklearn.base import clone

    return clone(learner).set_params(n_jobs=n_jobs)


def _same(a: Any, b: Any) -> bool:
    try:
        return bool(a is b or a == b)
    except ValueError:  # arrays
        return False


def _mean(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")


def _plain(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
