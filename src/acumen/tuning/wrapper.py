"""`Wrapper`: a learner that selects attributes by how well it does with them, on its training rows only.

Being a learner itself it can be judged like any other: `assess(Wrapper(...), table)` chooses anew in every training
set, so that the estimate is honest.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from acumen.assessment.contestants import collect_warnings, fixed_seed
from acumen.assessment.judge import MeasureJudge
from acumen.assessment.runs import ground
from acumen.base.inner_learner import Within
from acumen.base.learner import Learner
from acumen.base.scikit import clone
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError
from acumen.models.model import AnyModel
from acumen.models.parameters import AtLeast
from acumen.models.predictor import limit_lines
from acumen.profiling.training_profile import TrainingProfile
from acumen.resampling import Holdout, KFold, LeaveOneOut, Subsample, TimeSlice
from acumen.rows.intake import is_named, query_table
from acumen.rows.training_rows import Rows
from acumen.tuning.results import means_of
from acumen.tuning.search import require_method
from acumen.tuning.selection import Selection, SelectionReport
from acumen.tuning.subset_values import valuer_of
from acumen.tuning.subsets import SubsetCosts, require_few, search_subsets
from acumen.types import Array, Floats


class Wrapper(Within):
    """A learner that selects the attributes with which it does best, by validation within the training rows.

    NaiveBayes, FullBayes, Fisher, LeastSquares, LinearRegression and Ridge need no new fit for each subset: parts of
    their summaries are enough, and the log-likelihoods of NaiveBayes add. The chosen subsets are the same as with
    refitting.

    Parameters
    ----------
    learner : a classifier or regressor of acumen
        Not changed: copies of it are fitted.
    search : {"forward", "backward", "floating", "beam", "exhaustive"}
        How to search; "exhaustive" only for at most 65,536 subsets.
    method : KFold, Holdout, LeaveOneOut, Subsample or TimeSlice, optional
        How to split the training rows. [default: KFold(5), with fewer folds if there are fewer rows]
    selection_rule : {"best", "one-se"}
        Choose the subset with the best mean, the smallest if they tie; or the smallest one whose mean is within one
        standard error of the best.
    max_attributes : int, optional
        The largest number of attributes to select. [default: no limit]
    measure : str, optional
        Any measure of `assess`. [default: "error" for classifiers and "rmse" for regressors]
    beam_width : int
        The number of subsets of each size that "beam" extends.
    patience : int, optional
        Stop after this number of further attributes without a better mean. [default: never]
    random_state : int, Generator or None
        Seeds the splits, the same for all subsets.
    n_jobs : int, optional
        Threads for a learner that has this parameter. [default: the learner's own]

    Attributes
    ----------
    attributes_ : tuple of str
        The selected attributes, in the table's order.
    selection_ : Selection
        The subsets tried and the score while choosing; `print` it. `report(rows)` adds an unbiased estimate.
    best_learner_ : the learner fitted with them on all rows; `acumen.save(wrapper, path)` saves this one, which needs
        only the selected attributes

    Examples
    --------
    >>> import acumen
    >>> iris = acumen.datasets.load("iris")
    >>> acumen.Wrapper(acumen.NaiveBayes(), selection_rule="one-se", random_state=1).fit(iris).attributes_
    ('petal_width',)
    """

    kind: ClassVar[str] = "wrapper"
    _required_parameters: ClassVar[list[str]] = ["learner"]

    def __init__(
        self,
        learner: Learner,
        *,
        search: Literal["forward", "backward", "floating", "beam", "exhaustive"] = "forward",
        method: KFold | Holdout | LeaveOneOut | Subsample | TimeSlice | None = None,
        selection_rule: Literal["best", "one-se"] = "best",
        max_attributes: Annotated[int, AtLeast(1)] | None = None,
        measure: str | None = None,
        beam_width: Annotated[int, AtLeast(1)] = 5,
        patience: Annotated[int, AtLeast(1)] | None = None,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.learner = learner
        self.search = search
        self.method = method
        self.selection_rule = selection_rule
        self.max_attributes = max_attributes
        self.measure = measure
        self.beam_width = beam_width
        self.patience = patience
        self.random_state = random_state
        self.n_jobs = n_jobs

    # -- learning ---------------------------------------------------------------------------------

    @property
    def constant_sensitive(self) -> bool:
        """Whether constant columns matter: each adds subsets."""
        return True

    def object_to(self, schema: Schema) -> None:
        """Checked for each subset: an objection may be to an attribute that is not selected."""
        if not schema.attributes:
            raise DataError(f"{self._name}: the table has 0 feature(s); there is nothing to choose from.")
        if self.search == "exhaustive":
            require_few(len(schema), self._most(schema), self._name)

    def _most(self, schema: Schema) -> int:
        return len(schema) if self.max_attributes is None else min(self.max_attributes, len(schema))

    def learn(self, rows: Rows) -> tuple[AnyModel, Floats]:
        table = rows.require_local(self._name)
        learner = self._copy()
        if not isinstance(learner, Learner):
            raise ParameterError(f"{self._name}: learner must be a learner of acumen; got {self.learner!r}.")
        there = table.known_target()
        known = table if there.all() else table.take(np.flatnonzero(there))
        judge = MeasureJudge(self.measure, learner, table.schema.classes, self._name)
        method = require_method(ground(learner, known, self._method(len(known))).method, self._name)
        names, most = table.schema.names, self._most(table.schema)
        with collect_warnings():
            seed = fixed_seed(self.random_state)
            book = SubsetCosts(valuer_of(learner, known, method, judge, seed), judge.larger_is_better)
            search_subsets(
                book,
                len(names),
                self.search,
                most,
                beam=self.beam_width,
                patience=self.patience,
                who=self._name,
            )
        self.selection_ = Selection.of(
            book, names, self.selection_rule, most, judge.measure, judge.larger_is_better, str(method)
        )
        self.attributes_ = self.selection_.attributes
        self._inputs = Schema(table.schema.attributes)
        self.best_learner_ = learner.fit(table.select(list(self.attributes_)))
        return self.best_learner_.model_, np.array([float(self.best_learner_.training_["weight"])])

    def _copy(self) -> Any:
        learner = clone(self.learner)
        if self.n_jobs is not None and "n_jobs" in learner.get_params(deep=False):
            learner.set_params(n_jobs=self.n_jobs)
        return learner

    def _method(self, n_rows: int) -> Any:
        if n_rows < 2:
            raise DataError(
                f"{self._name}: one sample cannot be trained on and validated; give at least 2 labelled rows."
            )
        return KFold(min(5, n_rows)) if self.method is None else self.method

    @property
    def _inner(self) -> Learner:
        return self.best_learner_

    def remember(self, seen: TrainingProfile | None) -> None:
        """Let the inner learner remember its own attributes."""

    # -- what was learned -------------------------------------------------------------------------

    def describe(self, full: bool = False) -> str:
        """Describe what was chosen and the model: at most 40 lines unless `full`."""
        description = self._require_fitted().describe(full=True)
        text = f"{self.selection_}\n{description}"
        return text if full else limit_lines(text)

    def report(self, X: Any, y: Any = None, *, method: Any = None, random_state: Any = 0) -> SelectionReport:
        """Compare the score while choosing with an unbiased estimate, and count how often each attribute is chosen.

        acumen repeats the selection on each training set of `method` [default: KFold(5)] and judges it on the held-out
        rows. This wrapper does not change.
        """
        rows, _ = self.task.intake(X, y, None, self._name)
        base = ground(self, rows, self._method(len(rows)) if method is None else method)
        judge = MeasureJudge(self.measure, self.learner, rows.schema.classes, self._name)
        values, scores, taken = [], [], []
        splits = require_method(base.method, self._name).splits(
            len(base.rows), base.rows.labels, fixed_seed(random_state)
        )
        for split in splits:
            fitted = clone(self).fit(base.rows.take(split.train))
            values.append(judge.value(fitted.best_learner_, base.rows.take(split.test)))
            scores.append(fitted.selection_.score)
            taken.append(fitted.attributes_)
        held_out = np.array(values)
        mean, error = means_of(held_out[None, :])
        shares = {name: sum(name in names for names in taken) / len(taken) for name in rows.schema.names}
        return SelectionReport(
            judge.measure, str(base.method), float(np.mean(scores)), float(mean[0]), float(error[0]), held_out, shares,
            tuple(taken),
        )  # fmt: skip

    @property
    def learner_to_save(self) -> Learner:
        """The learner that a model file saves instead of this one; not available before fitting."""
        return self.best_learner_

    # -- predicting: rows may have all columns, by position if they came so ---------------------------

    def _rows(self, X: Any) -> Any:
        self._require_fitted()
        if isinstance(X, Table) or (self._has_column_names and is_named(X)):
            return X
        return query_table(X, self._inputs, self._has_column_names, self._name)

    def _query(self, X: Any) -> Table:
        rows = self._rows(X)
        return query_table(rows, self._require_fitted().schema, True, self._name)

    def explain(self, row: Any, steps: bool = False) -> Any:
        """Explain the prediction for one row, by the selected attributes."""
        from acumen.rows.intake import one_row

        return self._require_inner().explain(
            one_row(row, self._inputs, self._has_column_names, self._name), steps
        )

    def predict(self, X: Any) -> Array:
        """Predict with the inner learner."""
        return super().predict(self._rows(X))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The learner's own score: accuracy, or R2."""
        return super().score(self._rows(X), y, sample_weight)


def _delegate(name: str) -> Any:
    """Delegate a method to the inner learner with the selected attributes of the rows, if the learner has it."""
    whole = getattr(Within, name)

    def ask(self: Wrapper, X: Any, *more: Any, **others: Any) -> Any:
        return whole.__get__(self, Wrapper)(self._rows(X), *more, **others)

    ask.__name__, ask.__doc__ = name, whole.__doc__
    from acumen.base.scikit import available_if

    return available_if(lambda self: hasattr(self.learner, name))(ask)


for _name in ("predict_proba", "predict_log_proba", "decision_function", "log_likelihood", "aic", "bic"):
    setattr(Wrapper, _name, _delegate(_name))
