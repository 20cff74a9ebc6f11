"""`SelfTraining`: a learner that labels the rows it is sure of, and learns from them in turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, ClassVar

import numpy as np

from acumen.base.inner_learner import Within
from acumen.base.learner import Learner
from acumen.base.scikit import clone
from acumen.base.unlabelled_report import Unlabelled, judged, warn_of_harm
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import ParameterError
from acumen.models.model import AnyModel
from acumen.models.parameters import AtLeast, Between, OfLearner
from acumen.models.predictor import shortened
from acumen.models.task import CLASSES
from acumen.rows.intake import relabelled
from acumen.rows.training_rows import Rows
from acumen.types import Codes, Floats


class SelfTraining(Within):
    """A classifier that also learns from rows without a label, by labelling those it is sure of.

    The learner is fitted on the labelled rows; rows without a label (None or NaN) that it gives a class with at least
    `threshold` get that class as their label; it is fitted again on all that have one, and so on until no row is sure
    enough (Yarowsky 1995). This helps where classes are clumps and hurts where the learner is sure and wrong, which it
    then learns: so `report_` tells, by folds of the labelled rows, what the others changed, and there is a warning
    where they hurt.

    Parameters
    ----------
    learner : a classifier of acumen with probabilities
        Not changed: copies of it are fitted.
    threshold : float
        The probability from which on a row is given its likeliest class.
    most : int, optional
        Of the rows that are sure enough, in each round, so many of the surest (and those as sure as the last of them);
        all of them unless given.
    rounds : int
        The most rounds.
    folds : int or None
        Labelled rows are left out in so many folds for the report, which takes twice as many fits; None for no report
        of errors.

    Attributes
    ----------
    best_learner_ : the learner fitted in the end; `acumen.save` keeps this one
    report_ : Unlabelled
        Rows labelled in each round, predictions changed on labelled rows left out, errors with and without the
        unlabelled rows; `print` it.
    labels_ : array
        The label each training row had in the end, None for a row that no round was sure of.
    n_iter_ : int

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
        most: Annotated[int, AtLeast(1)] | None = None,
        rounds: Annotated[int, AtLeast(0)] = 10,
        folds: Annotated[int, AtLeast(2)] | None = 5,
    ) -> None:
        self.learner = learner
        self.threshold = threshold
        self.most = most
        self.rounds = rounds
        self.folds = folds

    @property
    def learns_unlabelled(self) -> bool:
        """Whether rows without a label are learned from too: it is for them."""
        return True

    @property
    def constant_sensitive(self) -> bool:
        """Whether a column that never changes may change the answers: as for the learner within."""
        return bool(self.learner.constant_sensitive)

    def check_parameters(self) -> None:
        if not isinstance(self.learner, Learner):
            raise ParameterError(
                f"SelfTraining: learner must be a classifier of acumen; got {self.learner!r}."
            )
        super().check_parameters()
        name = type(self.learner).__name__
        if self.learner.task is not CLASSES:
            raise ParameterError(f"SelfTraining: learner must be a classifier; {name} learns something else.")
        if not self.learner.model_type.probabilistic:
            raise ParameterError(
                f"SelfTraining: {name} has no probabilities, so nobody knows which rows it is sure of; use "
                f"Calibrated({name}())."
            )
        if self.learner.learns_unlabelled:
            raise ParameterError(
                f"SelfTraining: {name} learns from rows without a label by itself; give one that does not."
            )

    # -- learning ---------------------------------------------------------------------------------

    def learn(self, rows: Rows) -> tuple[AnyModel, Floats]:
        table = rows.require_local(self._name)
        self.best_learner_, labels, rounds = self._train(table)
        self.n_iter_ = len(rounds)
        classes = np.array([*table.schema.classes, None], dtype=object)
        self.labels_ = classes[labels]
        self.report_: Unlabelled = judged(table, rounds, self.folds, self._codes, self._codes_alone)
        warn_of_harm(self.report_, self._name)
        return self._taken_over()

    def _train(self, table: Table) -> tuple[Learner, Codes, tuple[int, ...]]:
        """The learner in the end, the labels it had then, and how many rows got one in each round."""
        labels = table.class_codes.copy()
        fitted = self._fit(table, labels)
        rounds: list[int] = []
        for _ in range(self.rounds):
            unlabelled = np.flatnonzero(labels < 0)
            if not len(unlabelled):
                break
            shares = fitted.predictor_.proba(table.take(unlabelled))
            sure = shares.max(axis=1)
            taken = sure >= self.threshold
            if self.most is not None and np.count_nonzero(taken) > self.most:
                taken &= sure >= np.sort(sure)[-self.most]
            if not taken.any():
                break
            labels[unlabelled[taken]] = shares[taken].argmax(axis=1)
            rounds.append(int(np.count_nonzero(taken)))
            fitted = self._fit(table, labels)
        return fitted, labels, tuple(rounds)

    def _fit(self, table: Table, labels: Codes) -> Learner:
        rows = relabelled(table, table.schema, labels, table.weights)
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
        """What unlabelled rows changed, and what was learned: at most 40 lines unless `full`."""
        description = self._fitted().describe(full=True)
        text = f"Self-training: {self.report_}\n{description}"
        return text if full else shortened(text)

    @property
    def kept(self) -> Learner:
        """The learner a model file holds for this one; none before it is fitted."""
        return self.best_learner_
