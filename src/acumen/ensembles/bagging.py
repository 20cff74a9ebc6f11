"""Bagging learners."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

import numpy as np

from acumen.base.classifier import Classifier
from acumen.base.estimator import LearnerLike
from acumen.base.regressor import Regressor
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.ensembles.bootstrap_draws import BagKeeper, Grouped, Groups, draw_times
from acumen.ensembles.column_codes import CodedColumns
from acumen.ensembles.committee import BaggingModel, CommitteeRegressionModel, Use, class_of_member
from acumen.ensembles.forest import ForestOptions, ForestRows, grow_forest
from acumen.ensembles.forest_methods import Seed, memory_of_trees
from acumen.ensembles.forest_model import ForestModel, ForestRegressionModel
from acumen.ensembles.members import OfMembers, fresh, prepared_by, weighted_rows
from acumen.ensembles.out_of_bag import OutOfBag
from acumen.models.decision import softmax
from acumen.models.model import Model, RegressionModel
from acumen.models.parameters import (
    AtLeast,
    Between,
    ClassWeight,
    Costs,
    MoreThan,
    OfLearner,
    Priors,
)
from acumen.resampling.plan import streams
from acumen.rows.training_rows import Rows
from acumen.types import Floats

Inner = Annotated[Any, OfLearner("a learner of acumen or of scikit-learn, or None")]
Share = Annotated[float, MoreThan(0), Between(0, 1)]
_REDRAWN = 20


class _BaggingFace(OfMembers, Grouped):
    """What both bagging learners share."""

    learner: LearnerLike | None
    n_estimators: Any
    max_samples: Any
    out_of_bag: Any
    random_state: Any
    n_jobs: Any
    _interrupted: BaseException | None

    def inner_learners(self) -> Sequence[LearnerLike]:
        return [] if self.learner is None else [self.learner]

    def memory(self, rows: int, schema: Schema) -> int | None:
        """Memory of full trees; other members check themselves."""
        return memory_of_trees(int(self.n_estimators), rows, schema) if self.learner is None else None

    def in_units(self, table: Table) -> Table:
        """The rows with their weights, which are the probabilities of being drawn."""
        return super().in_units(table)

    @property
    def scale_sensitive(self) -> bool:
        """Rows are drawn by weight, however members use weights."""
        return False

    def _full_trees(self, table: Table) -> tuple[CodedColumns, Any, ForestRows]:
        """Grow full trees by the forest's kernel with all attributes at each node."""
        coded = CodedColumns.of(table, 255)
        rows = ForestRows.of(table, coded, self.group_codes())
        options = ForestOptions(
            max_attributes=max(len(coded.coding), 1),
            sample=float(self.max_samples),
            out_of_bag=bool(self.out_of_bag),
        )
        rng = next(streams(self.random_state, self._name))
        seeds = rng.integers(0, 2**64, size=int(self.n_estimators), dtype=np.uint64)
        forest = grow_forest(rows, seeds, options)
        self._interrupted = forest.stopped
        return coded, forest, rows

    def settle(self, schema: Schema, model: Any, totals: Floats, rows: int) -> None:
        """Store the fitted model; then, if Ctrl-C ended it, raise that: the finished members are a committee."""
        super().settle(schema, model, totals, rows)
        interrupt = self.__dict__.pop("_interrupted", None)
        if interrupt is not None:
            raise interrupt

    def _keep_bag(self, bag: OutOfBag | None) -> None:
        self.__dict__.pop("out_of_bag_", None)
        if bag is not None:
            self.out_of_bag_ = bag

    def _members(self, table: Table, keeper: BagKeeper | None, classifies: bool) -> list[Any]:
        """Fitted copies, one per draw; after Ctrl-C the finished ones, if there are any."""
        members: list[Any] = []
        self._interrupted = None
        try:
            self._fill(members, table, keeper, classifies)
        except KeyboardInterrupt as interrupt:
            if keeper is not None and not keeper.entering:
                del members[len(keeper.curve) :]  # a member that was not asked is not finished
            if not members:
                raise
            self._interrupted = interrupt
        return members

    def _fill(self, members: list[Any], table: Table, keeper: BagKeeper | None, classifies: bool) -> None:
        who: str = self._name
        assert self.learner is not None  # trees are grown together
        units = self.group_codes()
        classes = 0 if table.labels is None else len(np.unique(table.labels))
        shared: Any = None
        generators = streams(self.random_state, who)
        for at in range(int(self.n_estimators)):
            rng = next(generators)
            member = fresh(self.learner, self.n_jobs, who, int(rng.integers(2**31)), classifies=classifies)
            for _ in range(
                _REDRAWN
            ):  # of few rows a draw may hold one class alone, which is no problem to be learned
                times = draw_times(rng, table.row_weights, units, float(self.max_samples))
                if table.labels is None or min(classes, 2) <= len(np.unique(table.labels[times > 0])):
                    break
            if at == 0 and int(self.n_estimators) > 1:
                shared = prepared_by(member, table)
            if shared is not None:
                member.use_prepared_rows(shared, np.flatnonzero(times > 0))
            member.fit(weighted_rows(table, times, member))
            members.append(member)
            if keeper is not None:
                places = np.flatnonzero(times == 0).astype(np.int32)
                keeper.enter(places, _member_answers(member.predictor_.model, table.take(places), keeper))


def _member_answers(model: Any, rows: Table, keeper: BagKeeper) -> Floats:
    """A member's predictions for rows, as they count in the committee."""
    if keeper.labels is None:
        return np.asarray(model.values(rows))[:, None]
    if model.probabilistic:
        return softmax(model.scores(rows))
    return np.eye(len(keeper.prior))[class_of_member(model, rows)]


class Bagging(_BaggingFace, Classifier):
    """Classify by many copies of one learner, each fitted on rows drawn with replacement.

    The members' mean probabilities decide, or their votes if they have none. Row weights are the chance of a row to
    be drawn.

    Parameters
    ----------
    learner : classifier, optional
        From acumen or scikit-learn. Default: full trees, grown by the forests' kernel.
    n_estimators : int
        The number of copies.
    max_samples : float
        The fraction of rows (or groups) drawn for each copy.
    out_of_bag : bool
        Whether each member predicts the rows it was not trained on; `out_of_bag_` needs it.
    groups : str or array, optional
        Draw whole groups instead of rows, as for RandomForest.
    costs, priors, class_weight
        As for NaiveBayes; the learner must have no costs and priors of its own.
    random_state : seed or Generator, optional
        Seed for the draws, and for members that use random numbers and have no seed of their own.
    n_jobs : int, optional
        Number of threads of each member.

    Attributes
    ----------
    out_of_bag_ : OutOfBag
        `error`, `interval`, `curve`, `error_all`, `without_vote`, `predictions`.
    learners_ : list
        The fitted members; empty for full trees grown by the forests' kernel.

    Notes
    -----
    Ctrl-C leaves the learner fitted with the finished members, if any, and KeyboardInterrupt is raised.

    Examples
    --------
    >>> import acumen
    >>> model = acumen.Bagging(acumen.DecisionTree(), n_estimators=10, random_state=0).fit(acumen.datasets.load("iris"))
    >>> len(model.learners_), model.out_of_bag_.error < 0.1
    (10, True)
    """

    kind: ClassVar[str] = "bagging"
    model_type = BaggingModel

    def __init__(
        self,
        learner: Inner = None,
        *,
        n_estimators: Annotated[int, AtLeast(1)] = 10,
        max_samples: Share = 1.0,
        out_of_bag: bool = True,
        groups: Groups = None,
        costs: Costs = None,
        priors: Priors = None,
        class_weight: ClassWeight = None,
        random_state: Seed = None,
        n_jobs: int | None = None,
    ) -> None:
        self.learner = learner
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.out_of_bag = out_of_bag
        self.groups = groups
        self.costs = costs
        self.priors = priors
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs

    def learn(self, rows: Rows) -> tuple[Model, Floats]:
        table = rows.require_local(self._name)
        totals = np.bincount(table.class_codes, table.row_weights, table.schema.n_classes).astype(np.float64)
        prior = totals / totals.sum()
        if self.learner is None:
            coded, forest, growing = self._full_trees(table)
            self.learners_: list[Any] = []
            self._keep_bag(forest.bag)
            trees = ForestModel(
                coded.coding, forest.packed, forest.gain, None, growing.prior, in_bag=forest.bag is None
            )
            return BaggingModel((trees,), np.ones(1), "probabilities", prior, forest.bag), totals
        keeper = BagKeeper(table.row_weights, table.class_codes, None, prior) if self.out_of_bag else None
        members = self._members(table, keeper, True)
        use: Use = "probabilities" if all(m.model_type.probabilistic for m in members) else "classes"
        bag = None if keeper is None else keeper.out_of_bag()
        self._keep_bag(bag)
        self.learners_ = [getattr(member, "estimator_", member) for member in members]
        models = tuple(member.predictor_.model for member in members)
        return BaggingModel(models, np.ones(len(models)), use, prior, bag), totals


class BaggingRegressor(_BaggingFace, Regressor):
    """Predict a number by the mean of many copies of one learner, each fitted on rows drawn with replacement.

    Parameters
    ----------
    learner : regressor, optional
        From acumen or scikit-learn. Default: full trees, grown by the forests' kernel.
    n_estimators, max_samples, out_of_bag, groups, random_state, n_jobs
        As for Bagging; `out_of_bag_.error` is the mean squared error.

    Examples
    --------
    >>> import acumen, numpy as np
    >>> x = np.linspace(0, 1, 40)[:, None]
    >>> model = acumen.BaggingRegressor(acumen.LinearRegression(), random_state=0).fit(x, 2 * x[:, 0])
    >>> round(float(model.predict([[0.5]])[0]), 6)
    1.0
    """

    kind: ClassVar[str] = "bagging-regressor"
    model_type = CommitteeRegressionModel

    def __init__(
        self,
        learner: Inner = None,
        *,
        n_estimators: Annotated[int, AtLeast(1)] = 10,
        max_samples: Share = 1.0,
        out_of_bag: bool = True,
        groups: Groups = None,
        random_state: Seed = None,
        n_jobs: int | None = None,
    ) -> None:
        self.learner = learner
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.out_of_bag = out_of_bag
        self.groups = groups
        self.random_state = random_state
        self.n_jobs = n_jobs

    def learn(self, rows: Rows) -> tuple[RegressionModel, Floats]:
        table = rows.require_local(self._name)
        totals = np.array([table.row_weights.sum()])
        if self.learner is None:
            coded, forest, _ = self._full_trees(table)
            self.learners_: list[Any] = []
            self._keep_bag(forest.bag)
            trees = ForestRegressionModel(
                coded.coding, forest.packed, forest.gain, None, in_bag=forest.bag is None
            )
            return CommitteeRegressionModel((trees,), forest.bag), totals
        keeper = BagKeeper(table.row_weights, None, table.response, np.empty(0)) if self.out_of_bag else None
        members = self._members(table, keeper, False)
        bag = None if keeper is None else keeper.out_of_bag()
        self._keep_bag(bag)
        self.learners_ = [getattr(member, "estimator_", member) for member in members]
        return CommitteeRegressionModel(tuple(m.predictor_.model for m in members), bag), totals
