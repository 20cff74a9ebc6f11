"""Learners inside learners: fresh copies, how each takes weights, and what all of them object to.

OfMembers       what an ensemble inherits from its members: sensitivities and objections
OfOneLearner    the same for a learner around one other
fresh           a copy, seeded, of a learner of acumen or of scikit-learn
takes_weights   whether it accepts row weights
prepared_by     what its fits on samples of the same rows share
weighted_rows   rows for a member, with these weights
fit_relative    a member fitted with relative weights that sum to a given number of rows
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from acumen.base.estimator import LearnerLike
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.engines.cores import limited_to
from acumen.errors import DataError, ParameterError
from acumen.models.nested import learner_of
from acumen.models.task import CLASSES, NUMBERS
from acumen.rows.intake import replace_target
from acumen.rows.weights import Weighing
from acumen.types import Floats


class OfMembers:
    """Results that follow from an ensemble's members, of any kind."""

    @abstractmethod
    def inner_learners(self) -> Sequence[LearnerLike]:
        """The inner learners, as given."""

    @property
    def constant_sensitive(self) -> bool:
        """Whether a constant column may change predictions: if it does for any member."""
        return any(getattr(learner, "constant_sensitive", True) for learner in self.inner_learners())

    @property
    def folds_by_content(self) -> bool:
        """Whether rows are assigned to folds by content: if any inner learner does."""
        return any(getattr(learner, "folds_by_content", False) for learner in self.inner_learners())

    def objection(self, schema: Schema) -> str | None:
        """The objection of the first member that objects, or None."""
        return objection_of(self.inner_learners(), schema)


class OfOneLearner(OfMembers):
    """What follows from the one learner inside."""

    learner: LearnerLike | None
    #: The kind of learner inside where none is given.
    default_learner: ClassVar[str] = "logistic"

    @property
    def _inner(self) -> LearnerLike:
        return learner_of(self.default_learner) if self.learner is None else self.learner

    def inner_learners(self) -> Sequence[LearnerLike]:
        return [self._inner]

    def _ask_inner(self, method: str, *arguments: Any) -> Any:
        """What a method of the inner learner answers; None for learners of another library."""
        from acumen.base.foreign_estimators import is_acumen

        return getattr(self._inner, method)(*arguments) if is_acumen(self._inner) else None

    def objection(self, schema: Schema) -> str | None:
        sentence: str | None = self._ask_inner("objection", schema)
        return sentence

    @property
    def scale_sensitive(self) -> bool:
        """Whether the unit of row weights matters: as for the inner learner."""
        return bool(getattr(self._inner, "scale_sensitive", True))

    def memory(self, rows: int, schema: Schema) -> int | None:
        n_bytes: int | None = self._ask_inner("memory", rows, schema)
        return n_bytes


def draws(learner: LearnerLike | None) -> bool:
    """Whether a learner draws random numbers."""
    if learner is None or not hasattr(learner, "get_params"):
        return False
    return "random_state" in learner.get_params(deep=False) and bool(getattr(learner, "draws_numbers", True))


def fresh(
    learner: LearnerLike, n_jobs: int | None, who: str, seed: int | None = None, *, classifies: bool = True
) -> Any:
    """An unfitted copy; where it draws numbers and has no seed of its own it gets one."""
    from acumen.base.foreign_estimators import adapt
    from acumen.base.scikit import clone

    if isinstance(learner, type) or not (hasattr(learner, "fit") and hasattr(learner, "predict")):
        raise ParameterError(
            f"{who}: a member must be a learner with fit and predict, such as NaiveBayes(); got {learner!r}."
        )
    for name in ("costs", "priors"):
        if getattr(learner, name, None) is not None:
            raise ParameterError(
                f"{who}: costs and priors are for the ensemble; its members must have no {name}."
            )
    member = clone(learner)
    parameters = member.get_params(deep=False)
    if n_jobs is not None and "n_jobs" in parameters:
        member.set_params(n_jobs=n_jobs)
    if seed is not None and "random_state" in parameters and parameters["random_state"] is None:
        member.set_params(random_state=seed)
    adapted_member = adapt(member, who, classifies=classifies or None)
    if adapted_member.task is not (CLASSES if classifies else NUMBERS):
        noun = "classifier" if classifies else "regressor"
        raise ParameterError(f"{who}: a member must be a {noun}; got {learner!r}.")
    return adapted_member


def takes_weights(member: Any) -> bool:
    """Whether rows may have weights."""
    from acumen.base import foreign_estimators

    return not _is_foreign(member) or foreign_estimators._weight_key(member.estimator) is not None


def prepared_by(member: Any, rows: Table) -> Any:
    """What a member's fits on draws from these rows have in common; None where there is nothing of the kind."""
    if _is_foreign(member):
        return None
    with limited_to(member.jobs):
        return member.prepare_rows(rows)


def _is_foreign(member: Any) -> bool:
    """Whether another library's estimator is behind its face."""
    from acumen.base import foreign_estimators

    return isinstance(member, (foreign_estimators.ForeignClassifier, foreign_estimators.ForeignRegressor))


def weighted_rows(table: Table, weights: Floats, member: Any) -> Table:
    """The rows that weigh something, with whole weights repeated where a member takes none."""
    kept = np.flatnonzero(weights > 0)
    if takes_weights(member):
        some = table.take(kept)
        row_weights = weights[kept]
        if np.all(row_weights == 1.0):
            row_weights = np.empty(0)
        return replace_target(some, some.schema, some.labels, row_weights, some.response)
    if not np.array_equal(weights, np.rint(weights)):
        raise DataError("the rows have weights, but a member does not support them.")
    repeated = table.take(np.repeat(np.arange(len(table)), weights.astype(np.intp)))
    return replace_target(repeated, repeated.schema, repeated.labels, np.empty(0), repeated.response)


def fit_relative(member: Any, rows: Table, size: float) -> Any:
    """A member fitted on rows whose weights say only how they stand to one another, and that count as `size` rows.

    Told nothing, it would count them as many as there are lines in the table, and a row of weight 2 would no longer be
    a repeated row.
    """
    if _is_foreign(member) or not rows.weights.size:
        return member.fit(rows)
    weighing = Weighing(size, size, True, False)
    member.__dict__["weighing_of"] = lambda *given, **named: weighing
    try:
        return member.fit(rows)
    finally:
        del member.__dict__["weighing_of"]


def objection_of(learners: Sequence[LearnerLike], schema: Schema) -> str | None:
    """What the first of the learners that objects to a table says."""
    from acumen.base.foreign_estimators import is_acumen

    for learner in learners:
        sentence: str | None = learner.objection(schema) if is_acumen(learner) else None
        if sentence is not None:
            return f"{type(learner).__name__}, one of its members, objects: {sentence}"
    return None


def usual_learners() -> list[Any]:
    """Three unlike one another, where none are given."""
    return [learner_of("naive-bayes"), learner_of("logistic"), learner_of("decision-tree")]
