"""Predict every attribute from all others, round after round: the first round uses missing values as they are, the
next uses the values that the round before filled in.

    AttributeFiller   the predictor of an attribute in one round
    learner_for       which learner predicts an attribute

Learners that accept missing values need no first guess, so one round is usually enough. Further rounds are used as
long as known cells that were hidden are predicted better.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from acumen.base.estimator import LearnerLike
from acumen.data.forms import is_moment, nearest_moment
from acumen.data.schema import Attribute
from acumen.errors import DataError, ParameterError
from acumen.imputation.rows import ColumnValues
from acumen.types import Array, Floats

#: Rows below which forests predict attributes; above, boosted trees do.
FEW_ROWS = 1000
#: Levels above which an attribute is predicted by NaiveBayes, whose cost grows least with them.
MANY_LEVELS = 40
#: Rows times levels whose probabilities are held at a time.
AT_ONCE = 1 << 22
#: What gaps can be filled by: a word, a learner, or one for each kind of attribute.
Fills: TypeAlias = "str | LearnerLike | Sequence[LearnerLike]"
WORDS = ("auto", "forest", "boosting", "neighbours", "low-rank", "baseline")


def learner_for(attribute: Attribute, learner: Fills, rows: int, seed: int, n_jobs: int | None) -> Any | None:
    """An unfitted learner for an attribute; None if its mean or mode has to do."""
    if isinstance(learner, str):
        return _learner_by_name(attribute, learner, rows, seed, n_jobs)
    from acumen.base.scikit import clone

    learners = learner if isinstance(learner, (list, tuple)) else (learner,)
    wanted = "nominal" if attribute.is_nominal else "numeric"
    for one in learners:
        if one.task.target == wanted:
            return clone(one)
    return _learner_by_name(attribute, "auto", rows, seed, n_jobs)


def require_learner(learner: Fills, who: str) -> None:
    """Refuse a value that is neither a known word nor learners."""
    learners = learner if isinstance(learner, (list, tuple)) else (learner,)
    words = isinstance(learner, str)
    if (words and learner not in WORDS) or (
        not words and not all(getattr(getattr(one, "task", None), "target", None) for one in learners)
    ):
        raise ParameterError(
            f"{who}: learner must be one of {', '.join(WORDS)}, a classifier or regressor of acumen, or both; "
            f"got {learner!r}."
        )


def _learner_by_name(attribute: Attribute, word: str, rows: int, seed: int, n_jobs: int | None) -> Any | None:
    from acumen.bayes.learners import NaiveBayes
    from acumen.ensembles.boosting import Boosting, BoostingRegressor
    from acumen.ensembles.forest_learners import RandomForest, RandomForestRegressor
    from acumen.neighbours.learners import KNN
    from acumen.neighbours.regressors import KNNRegressor

    if word == "baseline":
        return None
    if word == "neighbours":
        return KNN(10, distance="gower") if attribute.is_nominal else KNNRegressor(10, distance="gower")
    if attribute.is_nominal and len(attribute.levels) > MANY_LEVELS:
        return NaiveBayes(n_jobs=n_jobs)
    if word == "forest" or (word == "auto" and rows < FEW_ROWS):
        learner_class = RandomForest if attribute.is_nominal else RandomForestRegressor
        return learner_class(100, random_state=seed, n_jobs=n_jobs)
    boosted = Boosting if attribute.is_nominal else BoostingRegressor
    # Many predictors are grown, and rounds make up for what each lacks: few large steps over coarse cuts.
    return boosted(n_estimators=45, learning_rate=0.15, bins=63, random_state=seed, n_jobs=n_jobs)


def plain_answer(attribute: Attribute, column: Array, weights: Floats) -> tuple[float, Floats]:
    """The prediction without other attributes: the mean, or the mode (for ordered levels the median); proportions."""
    known = np.isfinite(column) if attribute.is_numeric else column >= 0
    mass = weights[known] if weights.size else np.ones(int(known.sum()))
    if attribute.is_numeric:
        return (float(np.average(column[known], weights=mass)) if mass.sum() > 0 else 0.0), np.empty(0)
    counts = np.bincount(column[known].astype(np.intp), mass, minlength=max(len(attribute.levels), 1))
    shares = counts / counts.sum() if counts.sum() > 0 else np.full(len(counts), 1.0 / len(counts))
    return float(most_probable_levels(attribute, shares[None, :])[0]), shares


def most_probable_levels(attribute: Attribute, shares: Floats) -> Array:
    """The most probable level of each row, the first if tied; for ordered levels the median, which errs least."""
    if attribute.ordered:
        return (np.cumsum(shares, axis=1) < 0.5 - 1e-12).sum(axis=1).clip(0, shares.shape[1] - 1)
    return np.argmax(shares, axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class AttributeFiller:
    """One attribute's predictor (None: the constant answer), and that constant answer."""

    attribute: Attribute
    predictor: Any | None
    plain: float
    shares: Floats

    def answers(self, columns: ColumnValues, rows: Array) -> tuple[Array, Floats]:
        """Predict some rows, with the probabilities of the levels."""
        name, k = self.attribute.name, max(len(self.attribute.levels), 1)
        if self.attribute.is_numeric:
            if self.predictor is None or not len(rows):
                predictions = np.full(len(rows), self.plain)
            else:
                predictions = self.predictor.predict(columns.take(rows).prediction_table(name))
            return nearest(self.attribute, predictions), np.empty((len(rows), 0))
        if self.predictor is None or not len(rows):
            shares = np.tile(self.shares, (len(rows), 1))
        else:
            probabilities = self.predictor.proba(columns.take(rows).prediction_table(name))
            shares = np.zeros((len(rows), k))
            shares[:, : probabilities.shape[1]] = probabilities
        return most_probable_levels(self.attribute, shares), shares

    def values(self, columns: ColumnValues, rows: Array) -> Array:
        """Predict some rows, in batches small enough for the probabilities of many levels."""
        step = max(1, AT_ONCE // max(len(self.attribute.levels), 1))
        parts = [self.answers(columns, rows[at : at + step])[0] for at in range(0, len(rows), step)]
        return np.concatenate(parts) if parts else np.empty(0)


def nearest(attribute: Attribute, said: Floats) -> Floats:
    """Missing dates are filled with dates."""
    if not is_moment(attribute.form):
        return said
    return np.array([nearest_moment(attribute.form, v) for v in said.tolist()], dtype=np.float64)


def links(
    columns: ColumnValues, names: Sequence[str], learner: Fills, seed: int, n_jobs: int | None
) -> dict[str, AttributeFiller]:
    """A predictor for each of the named attributes, fitted on the rows where it is known."""
    links = {}
    for attribute in columns.attributes:
        if attribute.name not in names:
            continue
        known = np.flatnonzero(columns.is_known(attribute.name))
        plain, shares = plain_answer(attribute, columns.values[attribute.name], columns.weights)
        predictor = None
        several = attribute.is_numeric or len(np.unique(columns.values[attribute.name][known])) > 1
        if len(known) > 1 and several and len(columns.attributes) > 1:
            try:
                one = learner_for(attribute, learner, len(known), seed, n_jobs)
                rows = columns.take(known).prediction_table(attribute.name)
                predictor = None if one is None else one.fit(rows).predictor_
            except DataError:  # too few rows for this learner, or none of their inputs is known
                predictor = None
        links[attribute.name] = AttributeFiller(attribute, predictor, plain, shares)
    return links


def fill_round(
    columns: ColumnValues,
    gaps: Mapping[str, Array],
    round_: Mapping[str, AttributeFiller],
    inputs: ColumnValues,
) -> ColumnValues:
    """Fill the missing values at these rows by one round, which uses `inputs`."""
    more = {}
    for name, at in gaps.items():
        column = columns.values[name].copy()
        if name in round_ and len(at):
            column[at] = round_[name].values(inputs, at)
        more[name] = column
    return columns.replace_columns(more)
