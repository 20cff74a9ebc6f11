"""`Tuned`: a learner whose parameters are chosen on the rows it is given, and on no others.

Being a learner itself it can be judged like any other: `assess(Tuned(...), table)` chooses anew in every training
set, so that the estimate is honest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from acumen.base.learner import Classifier, labelled
from acumen.base.model import Model
from acumen.base.predictor import shortened
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError
from acumen.resample import Holdout, KFold, LeaveOneOut, Subsample, TimeSlice
from acumen.select import search
from acumen.select.grid import learners_of, settings_of
from acumen.select.judge import Judge
from acumen.types import Floats


class Tuned(Classifier):
    """A learner whose parameters are chosen by validation within the training rows.

    Every combination of the grid is fitted and validated on splits of the training rows; the one a rule takes is
    then fitted on all of them. Parameters that only decide how a summary is solved (`alpha`, `shrinkage`, `costs`)
    are swept without reading the data again.

    Parameters
    ----------
    learner : a classifier of acumen
        Not changed: copies of it are fitted.
    grid : mapping of parameters to lists of values, or a list of such mappings
        List values from the simplest to the most complex; of settings as good the simplest is taken. Parameters of
        a learner within the learner are written `learner__alpha`.
    method : Holdout, KFold, LeaveOneOut, Subsample or TimeSlice, optional
        How the training rows are split; KFold(10) unless given (fewer folds where there are fewer rows). Not looked
        at for "aic" and "bic".
    rule : {"best", "one-se"}
        Take the best mean; or the simplest setting whose mean is no further from the best than one standard error
        of the best (Breiman et al. 1984).
    measure : str
        Any measure of `assess`; or "aic" or "bic", for which each setting is fitted once on all rows, without
        validation.
    random_state : int, Generator or None
        Seeds the splits; all settings have the same.
    n_jobs : int, optional
        Threads of the learner, where it has that parameter; its own unless given.

    Attributes
    ----------
    best_params_ : dict
        The setting taken.
    best_learner_ : the learner fitted with it on all rows; `acumen.save(tuned, path)` keeps this one
    results_ : Results
        Every setting with its mean, standard error and value on each split; `print` it.

    Examples
    --------
    >>> import acumen
    >>> iris = acumen.datasets.load("iris")
    >>> grid = {"covariance": ["shared", "full"], "shrinkage": [0.5, 0.0]}
    >>> acumen.Tuned(acumen.FullBayes(), grid, random_state=1).fit(iris).best_params_
    {'covariance': 'shared', 'shrinkage': 0.0}
    """

    kind: ClassVar[str] = "tuned"
    _required_parameters: ClassVar[list[str]] = ["learner", "grid"]

    def __init__(
        self,
        learner: Classifier,
        grid: Mapping[str, Sequence[Any]] | list | tuple,  # type: ignore[type-arg]
        method: KFold | Holdout | LeaveOneOut | Subsample | TimeSlice | None = None,
        rule: Literal["best", "one-se"] = "best",
        measure: str = "error",
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.learner = learner
        self.grid = grid
        self.method = method
        self.rule = rule
        self.measure = measure
        self.random_state = random_state
        self.n_jobs = n_jobs

    # -- what it takes from the learner -----------------------------------------------------------

    @property
    def model_type(self) -> type[Model]:  # type: ignore[override]
        """The kind of model there will be: the learner's."""
        return self.learner.model_type

    @property
    def costs(self) -> Any:
        """What wrong answers cost by the learner as it was given; the measure "cost" is reckoned with it."""
        return getattr(self.learner, "costs", None)

    def __sklearn_tags__(self) -> Any:
        return self.learner.__sklearn_tags__()

    def objection(self, schema: Schema) -> str | None:
        return self.learner.objection(schema)

    # -- learning ---------------------------------------------------------------------------------

    def _object_to(self, schema: Schema) -> None:
        """Each setting is asked when the learners are made: the learner as it stands may never be fitted."""

    @property
    def _learns_unlabelled(self) -> bool:
        """What becomes of rows without a label is for the inner learner to decide."""
        return True

    def _learn(self, table: Table) -> tuple[Model, Floats]:
        settings = settings_of(self.grid, self.learner, self._name)
        learners = learners_of(self.learner, settings, self._name, table.schema, n_jobs=self.n_jobs)
        known = labelled(table)
        if self.measure in search.CRITERIA:
            found = search.by_criterion(learners, settings, known, self.measure, self.rule, self._name)
        else:
            judge = Judge(self.measure, self.learner, table.schema.classes, self._name)
            method = _method(self.method, len(known))
            found = search.by_validation(
                learners, settings, known, method, judge, self.rule, self.random_state, self._name
            )
        self.results_ = found
        self.best_params_ = dict(settings[found.chosen])
        self.best_learner_ = learners[found.chosen].fit(table)
        if not self._named and hasattr(self.best_learner_, "feature_names_in_"):
            del self.best_learner_.feature_names_in_  # columns came by position, and do so again
        weight = float(self.best_learner_.training_["weight"])
        return self.best_learner_.model_, np.array([weight])

    def _settle(self, schema: Schema, model: Model, totals: Floats, rows: int) -> None:
        """Costs and priors are the inner learner's own; its decisions are taken over as they are."""
        self.predictor_ = self.best_learner_.predictor_
        self.classes_ = self.best_learner_.classes_
        self.training_ = dict(self.best_learner_.training_)

    # -- what was learned -------------------------------------------------------------------------

    def describe(self, full: bool = False) -> str:
        """What was chosen, and what was learned with it: at most 40 lines unless `full`."""
        said = self._fitted().describe(full=True)
        text = f"Tuned by {self.results_.sentence()}\n{said}"
        return text if full else shortened(text)

    @property
    def _kept(self) -> Any:
        """The learner a model file holds for this one."""
        if not hasattr(self, "best_learner_"):
            raise ParameterError("save: this Tuned is not fitted; call fit first.")
        return self.best_learner_


def _method(method: Any, n_rows: int) -> Any:
    if n_rows < 2:
        raise DataError(
            "Tuned: one sample cannot be learned from and validated on; give at least 2 labelled rows, or take "
            "measure='bic'."
        )
    return KFold(min(10, n_rows)) if method is None else method
