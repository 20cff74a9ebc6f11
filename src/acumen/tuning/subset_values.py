"""Evaluate subsets of the attributes on the splits of the rows, reading the data as rarely as the learner allows.

RefitValues            any learner: fitted for each subset and split
SummedValues           the summaries of all attributes contain those of some: one pass for all subsets
LogProbabilityValues   NaiveBayes: log-likelihoods of attributes add, so a subset costs one addition per row
valuer_of              the fastest of them that gives the same values as refitting

Summaries of some attributes, taken out of the summary of all: what a wrapper tries needs no further pass.

    restrict_summary   summary of all attributes, positions of some -> their summary; None for joint counts and words

Counts and moments of an attribute do not know the others; a scatter matrix holds that of some attributes as a
sub-matrix; and the triangular factor of some columns is that of these columns of the factor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from acumen.assessment.judge import MeasureJudge
from acumen.base.learner import Learner
from acumen.base.training import Training
from acumen.bayes.factors.gaussian import GaussianFactor
from acumen.bayes.full import FullBayesSummary
from acumen.bayes.learners import NaiveBayes
from acumen.bayes.naive import NaiveBayesSummary
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.discriminant.fisher import FisherSummary
from acumen.engines.memory import free_memory
from acumen.linear.least_squares import LeastSquaresSummary
from acumen.linear.linear_systems import LinearSummary
from acumen.preprocessing.discretise.base import BinningSummary
from acumen.resampling import KFold, Split
from acumen.summaries.algebra import leave_each_out
from acumen.summaries.distinct import DistinctValues
from acumen.summaries.moments import ClassMoments
from acumen.summaries.scatter import ScatterMatrices
from acumen.summaries.triangle import Triangle, triangular
from acumen.types import Bools, Floats, Indices

Subset = tuple[int, ...]


class RefitValues:
    """Evaluate every subset by fitting a model on the training rows of each split."""

    def __init__(self, learner: Learner, rows: Table, method: Any, judge: MeasureJudge, seed: int) -> None:
        self.learner, self.rows, self.judge = learner, rows, judge
        self.splits: list[Split] = list(method.splits(len(rows), rows.labels, seed))
        self.names = rows.schema.names

    @property
    def n_splits(self) -> int:
        return len(self.splits)

    def values(self, subset: Subset, base: Subset = ()) -> Floats:
        """The measure on each split; `base` is a subset with one attribute fewer or more, which may be unknown."""
        from acumen.base.scikit import clone

        some = self.rows.select([self.names[i] for i in subset])
        values = np.empty(len(self.splits))
        for at, split in enumerate(self.splits):
            fitted = clone(self.learner).fit(some.take(split.train))
            values[at] = self.judge.value(fitted, some.take(split.test))
        return values


class SummedValues:
    """Evaluate every subset from the summaries of the folds, computed once for all attributes."""

    def __init__(self, learner: Learner, rows: Table, method: KFold, judge: MeasureJudge, seed: int) -> None:
        self.learner, self.judge, self.schema = learner, judge, rows.schema
        self.folds: list[tuple[Training, Training, Table]] = []
        splits = method.splits(len(rows), rows.labels, seed)
        for parts in method.part_codes(len(rows), rows.labels, seed):
            folds = Training.of(learner, rows).parts(parts, method.n_splits)
            for others, tested in zip(leave_each_out(folds), folds, strict=True):
                self.folds.append((others, tested, rows.take(next(splits).test)))

    @property
    def n_splits(self) -> int:
        return len(self.folds)

    def fit_subset(self, subset: Subset, others: Training) -> Any:
        """Fit the learner on some attributes of a training set."""
        known = {"plan": others.plan, "n_rows": others.n_rows, "weighing": others.weighing}
        summary = restrict_summary(others.summary, subset)
        return Training(
            self.learner, some_of(self.schema, subset), (), summary=summary, **known
        ).fit_learner()

    def values(self, subset: Subset, base: Subset = ()) -> Floats:
        values = np.empty(len(self.folds))
        for at, (others, tested, rows) in enumerate(self.folds):
            fitted = self.fit_subset(subset, others)
            value = None
            if fitted.summary_gives_error:
                value = self.judge.value_of_summary(fitted, restrict_summary(tested.summary, subset))
            values[at] = self.judge.value(fitted, rows) if value is None else value
        return values


class LogProbabilityValues(SummedValues):
    """Evaluate every subset by adding each attribute's log probabilities of held-out rows: (classes, rows) each."""

    def __init__(self, learner: Learner, rows: Table, method: KFold, judge: MeasureJudge, seed: int) -> None:
        super().__init__(learner, rows, method, judge, seed)
        k, d = rows.schema.n_classes, len(rows.schema)
        ends = np.cumsum([0, *(len(test) for _, _, test in self.folds)])
        self._cuts = [slice(a, b) for a, b in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)]
        self._logs = np.zeros((d, k, int(ends[-1])))
        self._prior = np.zeros((k, int(ends[-1])))
        self._predictors: list[Any] = []
        for cut, (others, _, test) in zip(self._cuts, self.folds, strict=True):
            fitted = self.fit_subset(tuple(range(d)), others)
            model, predictor = fitted.model_, fitted.predictor_
            shift = 0.0 if predictor.shift is None else predictor.shift
            self._prior[:, cut] = (model.log_prior + shift)[:, None]
            self._predictors.append(predictor)
            for j, name in enumerate(rows.schema.names):
                alone = test.select([name])
                if isinstance(model.numeric, GaussianFactor) and rows.schema.attributes[j].is_numeric:
                    # A Gaussian knows nothing of other attributes: one fit of all has those of each.
                    logs = np.zeros((len(test), k))
                    model.numeric.only(rows.schema.numeric.index(rows.schema.attributes[j])).add_logs(
                        alone, logs
                    )
                else:
                    single_model = self.fit_subset((j,), others).model_
                    logs = single_model.scores(alone) - single_model.log_prior
                self._logs[j][:, cut] = logs.T
        self._labels = np.concatenate([test.labels for _, _, test in self.folds])
        self._mass = np.concatenate([test.row_weights for _, _, test in self.folds])
        self._same = bool((self._mass == 1.0).all())
        self._total = np.array([self._mass[cut].sum() for cut in self._cuts])
        self._not = [self._labels != c for c in range(k)]
        self._plain = judge.measure == "error" and self._predictors[0].costs is None
        self._base: Subset = ()
        self._sum = self._prior
        self._without: dict[int, Floats] = {}

    def values(self, subset: Subset, base: Subset = ()) -> Floats:
        more = set(subset) - set(base)
        less = set(base) - set(subset)
        if len(more) == 1 and not less:
            return self._value(self._total_of(base), self._logs[more.pop()])
        if len(less) == 1 and not more:
            return self._value(self._all_but(base)[less.pop()])
        return self._value(self._total_of(subset))

    def _total_of(self, subset: Subset) -> Floats:
        """The scores of a subset; the last one is cached."""
        if subset != self._base:
            self._base, self._sum = subset, self._prior.copy()
            for j in subset:
                self._sum += self._logs[j]
        return self._sum

    def _all_but(self, base: Subset) -> dict[int, Floats]:
        """For each attribute of a set, the sum of the scores of all others, by addition alone."""
        if self._without.keys() != set(base):
            sums: dict[int, Floats] = {}
            before = self._prior
            for j in base:
                sums[j] = before.copy()
                before = before + self._logs[j]
            after = np.zeros_like(self._prior)
            for j in reversed(base):
                sums[j] += after
                after += self._logs[j]
            self._without = sums
        return self._without

    def _value(self, scores: Floats, more: Floats | None = None) -> Floats:
        if not self._plain:
            return self._fold_values(scores if more is None else scores + more)
        # Class by class, so that whole columns are compared; of classes as likely the first is said.
        best = scores[0].copy() if more is None else scores[0] + more[0]
        wrong = self._not[0].copy()
        for c in range(1, len(scores)):
            class_scores = scores[c] if more is None else scores[c] + more[c]
            np.copyto(wrong, self._not[c], where=class_scores > best)
            if c + 1 < len(scores):
                np.maximum(best, class_scores, out=best)
        return (
            np.asarray([self._removal_values(wrong[cut], cut) for cut in self._cuts], dtype=np.float64)
            / self._total
        )

    def _removal_values(self, wrong: Bools, cut: slice) -> float:
        return float(np.count_nonzero(wrong) if self._same else self._mass[cut] @ wrong)

    def _fold_values(self, scores: Floats) -> Floats:
        values = np.empty(len(self.folds))
        for at, (cut, (_, _, test)) in enumerate(zip(self._cuts, self.folds, strict=True)):
            values[at] = self.judge.value_of_scores(self._predictors[at], scores[:, cut].T, test)
        return values


def valuer_of(
    learner: Learner, rows: Table, method: Any, judge: MeasureJudge, seed: int, refit: bool = False
) -> RefitValues | SummedValues | LogProbabilityValues:
    """The fastest method that gives the same values as fitting a model for each subset, up to rounding."""
    arguments = (learner, rows, method, judge, seed)
    plain = (
        not refit
        and isinstance(method, KFold)
        and rows.sparse is None
        and getattr(learner, "class_weight", None) is None
        and not isinstance(getattr(learner, "alpha", None), (dict, list, tuple, np.ndarray))
        and getattr(learner, "attribute_weights", None) is None
        and learner.can_add_folds(rows.schema)
    )
    if not plain:
        return RefitValues(*arguments)
    # The class itself: one derived from it may solve otherwise.
    if type(learner) is NaiveBayes and learner.mean_prior is None:
        need = 3 * 8 * len(rows) * method.n_repeats * rows.schema.n_classes * len(rows.schema)
        if need < free_memory() // 2:
            return LogProbabilityValues(*arguments)
    valuer = SummedValues(*arguments)
    return (
        valuer if restrict_summary(valuer.folds[0][0].summary, (0,)) is not None else RefitValues(*arguments)
    )


def some_of(schema: Schema, places: Sequence[int]) -> Schema:
    """The schema of some of its inputs, with its target."""
    return Schema(tuple(schema.attributes[i] for i in places), schema.target)


def restrict_summary(summary: Any, places: Sequence[int]) -> Any | None:
    """The summary of the inputs at these positions, ascending; None if it is not available."""
    schema: Schema = summary.schema
    small = some_of(schema, places)
    if schema.text:
        return None
    chosen = {attribute.name for attribute in small.attributes}
    numeric = np.flatnonzero([a.name in chosen for a in schema.numeric])
    if isinstance(summary, NaiveBayesSummary):
        return _naive(summary, small, numeric, chosen)
    if isinstance(summary, FullBayesSummary | FisherSummary):
        if schema.nominal:
            return None
        scatter = _scatter(summary.scatter, numeric)
        if isinstance(summary, FisherSummary):
            return replace(summary, schema=small, scatter=scatter)
        return replace(summary, schema=small, scatter=scatter, distinct=_distinct(summary.distinct, numeric))
    if isinstance(summary, LeastSquaresSummary):
        return replace(summary, schema=small, rows=_linear(summary.rows, small, places))
    if isinstance(summary, LinearSummary):
        return _linear(summary, small, places)
    return None


def _naive(
    summary: NaiveBayesSummary, small: Schema, numeric: Indices, chosen: set[str]
) -> NaiveBayesSummary | None:
    nominal = tuple(
        counts for a, counts in zip(summary.schema.nominal, summary.nominal, strict=True) if a.name in chosen
    )
    if isinstance(summary.numeric, ClassMoments):
        measured: Any = _moments(summary.numeric, numeric)
    elif isinstance(summary.numeric, BinningSummary):
        measured = BinningSummary(tuple(summary.numeric.columns[i] for i in numeric.tolist()))
    else:
        return None
    distinct = None if summary.distinct is None else _distinct(summary.distinct, numeric)
    return replace(summary, schema=small, nominal=nominal, numeric=measured, distinct=distinct)


def _moments(moments: ClassMoments, at: Indices) -> ClassMoments:
    return ClassMoments(
        moments.weight[:, at], moments.mean[:, at], moments.scatter[:, at], moments.rest[:, at]
    )


def _distinct(values: DistinctValues, at: Indices) -> DistinctValues:
    return DistinctValues(values.values[at], values.count[at])


def _scatter(scatter: ScatterMatrices, at: Indices) -> ScatterMatrices:
    def part(matrices: Any) -> Any:
        return None if matrices is None else np.ascontiguousarray(matrices[:, at][:, :, at])

    return replace(
        scatter,
        moments=_moments(scatter.moments, at),
        scatter=part(scatter.scatter),
        pair_weight=part(scatter.pair_weight),
        pair_mean=part(scatter.pair_mean),
    )


def _linear(summary: LinearSummary, small: Schema, places: Sequence[int]) -> LinearSummary:
    owner = summary.columns.owner
    inputs = np.flatnonzero(np.isin(owner, places))
    with_gaps = np.flatnonzero(summary.gaps)
    gaps = np.flatnonzero(np.isin(with_gaps, places))
    triangle = summary.triangle
    last = len(triangle.factor) - triangle.targets
    at = np.concatenate([[0], 1 + inputs, 1 + len(owner) + gaps, np.arange(last, len(triangle.factor))])
    factor = triangular(triangle.factor[:, at.astype(np.intp)])
    return LinearSummary(
        small, summary.plan, summary.gaps[list(places)], Triangle(triangle.weight, factor, triangle.targets)
    )
