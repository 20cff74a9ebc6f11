"""`Wrapper`: a learner whose attributes are chosen by how well it does with them, on the rows it is given.

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
from acumen.models.predictor import shortened
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
    """A learner with those attributes with which it does best, chosen by validation within the training rows.

    NaiveBayes, FullBayes, Fisher, LeastSquares, LinearRegression and Ridge are not fitted anew for each subset: what
    their summaries hold of some attributes is all they need, and log-likelihoods of NaiveBayes add. The subsets taken
    are those that refits would take.

    Parameters
    ----------
    learner : a classifier or regressor of acumen
        Not changed: copies of it are fitted.
    search : {"forward", "backward", "floating", "beam", "exhaustive"}
        How subsets are gone through; "exhaustive" only where there are at most 65,536 of them.
    method : KFold, Holdout, LeaveOneOut, Subsample or TimeSlice, optional
        How the training rows are split; KFold(5) unless given (fewer folds where there are fewer rows).
    rule : {"best", "one-se"}
        Take the subset of the best mean, the smallest of those as good; or the smallest whose mean is no further from
        the best than one standard error of the best.
    max_attributes : int, optional
        At most so many are taken; any number unless given.
    measure : str, optional
        Any measure of `assess`; "error" for classifiers and "rmse" for regressors, unless given.
    beam : int
        How many subsets of each size "beam" goes on from.
    patience : int, optional
        Stop after so many further attributes without a better mean; to the end unless given.
    random_state : int, Generator or None
        Seeds the splits; all subsets have the same.
    n_jobs : int, optional
        Threads of the learner, where it has that parameter; its own unless given.

    Attributes
    ----------
    attributes_ : tuple of str
        Those chosen, in the table's order.
    selection_ : Selection
        What was tried, and the score while choosing; `print` it. `report(rows)` has the honest score beside it.
    best_learner_ : the learner fitted with them on all rows; `acumen.save(wrapper, path)` keeps this one, which asks
        for the chosen attributes alone

    Examples
    --------
    >>> import acumen
    >>> iris = acumen.datasets.load("iris")
    >>> acumen.Wrapper(acumen.NaiveBayes(), rule="one-se", random_state=1).fit(iris).attributes_
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
        rule: Literal["best", "one-se"] = "best",
        max_attributes: Annotated[int, AtLeast(1)] | None = None,
        measure: str | None = None,
        beam: Annotated[int, AtLeast(1)] = 5,
        patience: Annotated[int, AtLeast(1)] | None = None,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.learner = learner
        self.search = search
        self.method = method
        self.rule = rule
        self.max_attributes = max_attributes
        self.measure = measure
        self.beam = beam
        self.patience = patience
        self.random_state = random_state
        self.n_jobs = n_jobs

    # -- learning ---------------------------------------------------------------------------------

    @property
    def constant_sensitive(self) -> bool:
        """A column more is a subset more."""
        return True

    def object_to(self, schema: Schema) -> None:
        """What the learner objects to may be an attribute that is not taken: it is asked for each subset."""
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
                book, len(names), self.search, most, beam=self.beam, patience=self.patience, who=self._name
            )
        self.selection_ = Selection.of(
            book, names, self.rule, most, judge.measure, judge.larger_is_better, str(method)
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
                f"{self._name}: one sample cannot be learned from and validated on; give at least 2 labelled rows."
            )
        return KFold(min(5, n_rows)) if self.method is None else self.method

    @property
    def _inner(self) -> Learner:
        return self.best_learner_

    def remember(self, seen: TrainingProfile | None) -> None:
        """The learner within has seen its own attributes, and keeps what it saw of them."""

    # -- what was learned -------------------------------------------------------------------------

    def describe(self, full: bool = False) -> str:
        """What was chosen, and what was learned with it: at most 40 lines unless `full`."""
        description = self._fitted().describe(full=True)
        text = f"{self.selection_}\n{description}"
        return text if full else shortened(text)

    def report(self, X: Any, y: Any = None, *, method: Any = None, random_state: Any = 0) -> SelectionReport:
        """The score while choosing beside the honest one, and how often each attribute is chosen.

        Attributes are chosen anew in each training set of `method` (KFold(5) unless given) and judged on the rows left
        out, which had no part in the choice. This wrapper is not changed.
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
    def kept(self) -> Learner:
        """The learner a model file holds for this one; none before it is fitted."""
        return self.best_learner_

    # -- predicting: rows may have all columns, by position if they came so ---------------------------

    def _rows(self, X: Any) -> Any:
        self._fitted()
        if isinstance(X, Table) or (self._named and is_named(X)):
            return X
        return query_table(X, self._inputs, self._named, self._name)

    def _query(self, X: Any) -> Table:
        rows = self._rows(X)
        return query_table(rows, self._fitted().schema, True, self._name)

    def explain(self, row: Any, steps: bool = False) -> Any:
        """Why one row gets its answer, by the attributes chosen."""
        from acumen.rows.intake import one_row

        return self._chosen().explain(one_row(row, self._inputs, self._named, self._name), steps)

    def predict(self, X: Any) -> Array:
        """What the learner within predicts."""
        return super().predict(self._rows(X))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The learner's own score: the share predicted right, or R2."""
        return super().score(self._rows(X), y, sample_weight)


def _asked(name: str) -> Any:
    """A method of the learner within, asked of the rows as this one takes them; there where the learner has it."""
    whole = getattr(Within, name)

    def ask(self: Wrapper, X: Any, *more: Any, **others: Any) -> Any:
        return whole.__get__(self, Wrapper)(self._rows(X), *more, **others)

    ask.__name__, ask.__doc__ = name, whole.__doc__
    from acumen.base.scikit import available_if

    return available_if(lambda self: hasattr(self.learner, name))(ask)


for _name in ("predict_proba", "predict_log_proba", "decision_function", "log_likelihood", "aic", "bic"):
    setattr(Wrapper, _name, _asked(_name))
