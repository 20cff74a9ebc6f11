"""The loop of active learning, and its simulation on labels that are known but hidden.

QueryLoop          a pool of rows, the current learner, and which rows to ask about next
simulate_queries   curves of active learning and of drawing at random, over splits of a table
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from acumen.assessment.judge import MeasureJudge
from acumen.assessment.runs import fresh, ground
from acumen.base.attribute_weights import places_of_feedback
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError
from acumen.labelling.pool import LabelPool
from acumen.labelling.queries import Query, closeness, committee, first, quietly, worth
from acumen.labelling.query_curve import AskedCurve
from acumen.resampling import Holdout
from acumen.types import Floats, Indices

if TYPE_CHECKING:
    from acumen.base.learner import Learner

#: The line of asking at random in a simulation.
RANDOM = "random"
#: Questions of a simulation, unless a budget is given.
QUESTIONS = 50


@dataclass(eq=False)
class QueryLoop:
    """A pool of rows, and the model fitted on those that have a label; `query` None draws at random."""

    learner: Learner
    query: Query | None
    pool: LabelPool
    rng: np.random.Generator
    passed: set[int] = field(default_factory=set)  # not to be asked about (again)
    most: int | None = None  # of more rows so many are looked at, drawn at random
    model: Any = None
    nearness: Floats | None = None  # of all rows of the pool, for "density"
    _committee: list[Any] | None = None  # unless it is to be made anew

    @property
    def candidates(self) -> Indices:
        """The rows that may be asked about."""
        rows = self.pool.open
        return rows[~np.isin(rows, list(self.passed))] if self.passed else rows

    def learn(self) -> Any:
        """Fit the learner on the labels known so far; None if they are too few."""
        self.model = None
        if self.pool.n_known_classes > 1:
            rows = self.pool.whole() if self.learner.learns_unlabelled else self.pool.labelled_rows()
            try:
                with quietly():
                    self.model = fresh(self.learner).fit(rows)
            except DataError:
                self.model = None  # a few rows may not do for this learner; more will
        return self.model

    def with_learner(self, model: Any, members: list[Any]) -> QueryLoop:
        """The same loop with a learner that is already fitted."""
        self.model, self._committee = model, members
        return self

    def next(self, n: int) -> list[int]:
        """The rows to ask about next, the most informative first; at random if none can be preferred yet."""
        rows = self.candidates
        if self.query is None or self.model is None or not len(rows):
            return [int(row) for row in self.rng.permutation(rows)[:n]]
        if self.most is not None and len(rows) > max(self.most, n):
            rows = np.sort(self.rng.choice(rows, max(self.most, n), replace=False))
        questions = self.pool.whole().take(rows)
        values = worth(self.query, self.model, questions, self._members(), self._near(rows))
        return [int(row) for row in rows[first(values, n, self.rng)]]

    def _members(self) -> list[Any]:
        if self.query != "committee":
            return []
        if self._committee is not None:
            return self._committee
        try:
            return committee(self.learner, self.pool.labelled_rows(), self.rng)
        except DataError:
            return [self.model]

    def _near(self, rows: Indices) -> Floats | None:
        if self.query != "density":
            return None
        if self.nearness is None:
            self.nearness = closeness(self.pool.whole(), self.rng)
        return self.nearness[rows]


def simulate_queries(
    learner: Learner,
    table: Table,
    *,
    query: Query,
    batch: int,
    budget: int | None,
    seed: int,
    seeds: int,
    start: int | None,
    test: float,
    measure: str | None,
    who: str,
) -> AskedCurve:
    """The measure on held-out rows after each batch of questions; every line has the same splits and first rows."""
    base = ground(learner, table, Holdout(test))
    rows = base.rows
    variants = {"": without_feedback(learner)}
    judge = MeasureJudge(measure, variants[""], rows.schema.classes, who)
    judge.object_to(rows.schema, who)
    if feedback_of(learner):
        variants[" with feedback"] = learner
    lines: dict[str, tuple[Learner, Query | None]] = {}
    for variant_name, variant in variants.items():
        lines[f"{query}{variant_name}"] = (variant, query)
        lines[f"{RANDOM}{variant_name}"] = (variant, None)
    line_runs: dict[str, list[list[float]]] = {name: [] for name in lines}
    for stream in np.random.SeedSequence(seed).spawn(seeds):
        splitting, drawing, *each = stream.spawn(2 + len(lines))
        split = next(iter(base.method.splits(len(rows), rows.labels, np.random.default_rng(splitting))))
        training, tested = rows.take(split.train), rows.take(split.test)
        begun = _first_rows(training, start, np.random.default_rng(drawing), who)
        for (name, (variant, way)), line_values in zip(lines.items(), each, strict=True):
            asking = QueryLoop(
                variant, way, _hide_labels(training, begun), np.random.default_rng(line_values)
            )
            line_runs[name].append(
                _run_queries(asking, training, batch, budget, partial(judge.value, rows=tested))
            )
    steps = min(len(values) for line in line_runs.values() for values in line)
    places = np.minimum(np.arange(steps) * batch, budget if budget is not None else steps * batch)
    curves = {name: np.array([values[:steps] for values in line]).T for name, line in line_runs.items()}
    return AskedCurve(judge.learner, judge.measure, judge.larger_is_better, places, curves, query, RANDOM)


def _first_rows(rows: Table, start: int | None, rng: np.random.Generator, who: str) -> Indices:
    """The rows labelled at the start: one of each class, or a number drawn at random."""
    if start is None:
        each = [rng.choice(np.flatnonzero(rows.class_codes == code)) for code in np.unique(rows.class_codes)]
        return np.array(each, dtype=np.intp)
    if not 1 <= start < len(rows):
        raise ParameterError(
            f"{who}: start must be a number of rows from 1 to {len(rows) - 1}, so that rows remain to ask about; "
            f"got {start!r}."
        )
    return rng.choice(len(rows), start, replace=False)


def _hide_labels(rows: Table, known: Indices) -> LabelPool:
    """A pool that knows the labels of only some rows."""
    pool = LabelPool.of(rows)
    hidden = np.ones(len(rows), dtype=np.bool_)
    hidden[known] = False
    pool.labels[hidden] = -1
    return pool


def _run_queries(
    asking: QueryLoop, truth: Table, batch: int, budget: int | None, value: Callable[[Any], float]
) -> list[float]:
    """The measure at the start and after each batch."""
    remaining = min(QUESTIONS if budget is None else budget, len(asking.candidates))
    values: list[float] = []
    while True:
        model = asking.learn()
        values.append(np.nan if model is None else value(model))
        if remaining <= 0:
            return values
        rows = asking.next(min(batch, remaining))
        remaining -= len(rows)
        asking.pool.labels[rows] = truth.class_codes[rows]


def feedback_of(learner: Learner) -> dict[str, Any]:
    """The feedback on attributes, by name."""
    parameters = learner.get_params(deep=True)
    feedback: dict[str, Any] = {}
    for name in places_of_feedback(learner):
        feedback |= parameters[name] or {}
    return feedback


def without_feedback(learner: Learner) -> Learner:
    """A copy without feedback on attributes."""
    places = places_of_feedback(learner)
    return fresh(learner).set_params(**dict.fromkeys(places)) if places else fresh(learner)
