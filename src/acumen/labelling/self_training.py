"""`SelfTraining`: a learner that labels the rows it is sure of, and trains on them in turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, ClassVar

import numpy as np

from acumen.base.inner_learner import Within
from acumen.base.learner import Learner
from acumen.base.scikit import clone
from acumen.base.unlabelled_report import Unlabelled, judge_unlabelled, warn_of_harm
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import ParameterError
from acumen.models.model import AnyModel
from acumen.models.parameters import AtLeast, Between, OfLearner
from acumen.models.predictor import limit_lines
from acumen.models.task import CLASSES
from acumen.rows.intake import replace_target
from acumen.rows.training_rows import Rows
from acumen.types import Codes, Floats


class SelfTraining(Within):
    """Self-training: a classifier that also uses unlabelled rows, by labelling those it is sure of.

    acumen fits the learner on the labelled rows. Unlabelled rows (None or NaN) whose most probable class reaches
    `threshold` get that class as their label. It then fits the learner on all labelled rows, and repeats until no row
    is sure enough (Yarowsky 1995). This helps if classes form clumps, and hurts if the learner is confidently wrong,
    because it then trains on its own errors. So `report_` shows what the unlabelled rows changed, by folds of the
    labelled rows, and acumen warns if they hurt.

    Parameters
    ----------
    learner : a classifier of acumen with probabilities
        Not changed: copies of it are fitted.
    threshold : float
        The probability from which a row gets its most probable class as its label.
    max_rows_per_round : int, optional
        In each round, label only this number of the surest rows (and ties with the last one). [default: all that are
        sure enough]
    max_iter : int
        The largest number of rounds.
    folds : int or None
        The number of folds of labelled rows for the report, which takes twice as many fits; None for no errors in the
        report.

    Attributes
    ----------
    best_learner_ : the final fitted learner; `acumen.save` saves this one
    report_ : Unlabelled
        Rows labelled in each round, changed predictions on held-out labelled rows, errors with and without the
        unlabelled rows; `print` it.
    labels_ : array
        The final label of each training row, None for a row that no round was sure of.
    n_iter_ : int
        The number of rounds that labelled rows, at least 1.

    Examples
    --------
    >>> import acumen
    >>> rows = [[0.0], [0.2], [0.1], [0.3], [5.0], [5.2], [5.1], [5.3], [0.15], [5.15], [0.25], [5.25]]
    >>> y = ["a", "a", "a", "a", "b", "b", "b", "b", None, None, None, None]
    >>> model = acumen.SelfTraining(acumen.NaiveBayes()).fit(rows, y)
    >>> model.report_.rounds, model.predict([[0.4], [4.9]]).tolist()
    ((4,), ['a', 'b'])
    """

    kind: ClassVar[str] = "self-training"
    _required_parameters: ClassVar[list[str]] = ["learner"]

    def __init__(
        self,
        learner: Annotated[Any, OfLearner("a classifier of acumen with probabilities")],
        *,
        threshold: Annotated[float, Between(0, 1)] = 0.9,
        max_rows_per_round: Annotated[int, AtLeast(1)] | None = None,
        max_iter: Annotated[int, AtLeast(0)] = 10,
        folds: Annotated[int, AtLeast(2)] | None = 5,
    ) -> None:
        self.learner = learner
        self.threshold = threshold
        self.max_rows_per_round = max_rows_per_round
        self.max_iter = max_iter
        self.folds = folds

    @property
    def learns_unlabelled(self) -> bool:
        """Whether unlabelled rows are used too: that is its purpose."""
        return True

    @property
    def constant_sensitive(self) -> bool:
        """Whether a constant column may change the predictions: as for the inner learner."""
        return bool(self.learner.constant_sensitive)

    def check_parameters(self) -> None:
        if not isinstance(self.learner, Learner):
            raise ParameterError(
                f"SelfTraining: learner must be a classifier of acumen; got {self.learner!r}."
            )
        super().check_parameters()
        name = type(self.learner).__name__
        if self.learner.task is not CLASSES:
            raise ParameterError(f"SelfTraining: learner must be a classifier; {name} is not.")
        if not self.learner.model_type.probabilistic:
            raise ParameterError(
                f"SelfTraining: {name} has no probabilities, so it cannot say which rows it is sure of; use "
                f"Calibrated({name}())."
            )
        if self.learner.learns_unlabelled:
            raise ParameterError(
                f"SelfTraining: {name} already uses unlabelled rows; give a learner that does not."
            )

    # -- learning ---------------------------------------------------------------------------------

    def learn(self, rows: Rows) -> tuple[AnyModel, Floats]:
        table = rows.require_local(self._name)
        self.best_learner_, labels, rounds = self._train(table)
        self.n_iter_ = max(1, len(rounds))
        classes = np.array([*table.schema.classes, None], dtype=object)
        self.labels_ = classes[labels]
        self.report_: Unlabelled = judge_unlabelled(table, rounds, self.folds, self._codes, self._codes_alone)
        warn_of_harm(self.report_, self._name)
        return self._taken_over()

    def _train(self, table: Table) -> tuple[Learner, Codes, tuple[int, ...]]:
        """The final learner, its labels, and how many rows got one in each round."""
        labels = table.class_codes.copy()
        fitted = self._fit(table, labels)
        rounds: list[int] = []
        for _ in range(self.max_iter):
            unlabelled = np.flatnonzero(labels < 0)
            if not len(unlabelled):
                break
            shares = fitted.predictor_.proba(table.take(unlabelled))
            sure = shares.max(axis=1)
            taken = sure >= self.threshold
            if self.max_rows_per_round is not None and np.count_nonzero(taken) > self.max_rows_per_round:
                taken &= sure >= np.sort(sure)[-self.max_rows_per_round]
            if not taken.any():
                break
            labels[unlabelled[taken]] = shares[taken].argmax(axis=1)
            rounds.append(int(np.count_nonzero(taken)))
            fitted = self._fit(table, labels)
        return fitted, labels, tuple(rounds)

    def _fit(self, table: Table, labels: Codes) -> Learner:
        rows = replace_target(table, table.schema, labels, table.weights)
        known = np.flatnonzero(labels >= 0)
        fitted: Learner = clone(self.learner).fit(rows if len(known) == len(rows) else rows.take(known))
        return fitted

    def _codes(self, table: Table) -> Callable[[Table], Codes]:
        predict: Callable[[Table], Codes] = self._train(table)[0].predictor_.predict
        return predict

    def _codes_alone(self, table: Table) -> Callable[[Table], Codes]:
        predict: Callable[[Table], Codes] = self._fit(table, table.class_codes).predictor_.predict
        return predict

    @property
    def _inner(self) -> Learner:
        return self.best_learner_

    # -- what was learned -------------------------------------------------------------------------

    def memory(self, rows: int, schema: Schema) -> int | None:
        n_bytes: int | None = self.learner.memory(rows, schema)
        return n_bytes

    def describe(self, full: bool = False) -> str:
        """Describe what unlabelled rows changed, and the model: at most 40 lines unless `full`."""
        description = self._require_fitted().describe(full=True)
        text = f"Self-training: {self.report_}\n{description}"
        return text if full else limit_lines(text)

    @property
    def learner_to_save(self) -> Learner:
        """The learner that a model file saves instead of this one; not available before fitting."""
        return self.best_learner_
