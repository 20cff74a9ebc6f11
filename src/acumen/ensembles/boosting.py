"""Gradient boosting learners: parameters and documentation."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from acumen.base.classifier import Classifier
from acumen.base.learner import Learner
from acumen.base.regressor import Regressor
from acumen.data.schema import Schema
from acumen.ensembles.code_blocks import CodeBlock, codes_of, join_blocks, plan_codes, require_room
from acumen.ensembles.column_codes import CodedColumns
from acumen.ensembles.forest_methods import Seed
from acumen.ensembles.gradient_boosting import BoostedTrees, BoostingOptions, BoostingTask, StandardisedTarget
from acumen.ensembles.gradient_model import BoostingModel, BoostingRegressionModel
from acumen.ensembles.packed_forest import PackedForest
from acumen.errors import DataError, ParameterError, did_you_mean
from acumen.models.model import Model, RegressionModel
from acumen.models.parameters import AtLeast, Between, ClassWeight, Costs, Described, MoreThan, Priors
from acumen.resampling.plan import streams
from acumen.rows.training_rows import ClusterRows, Rows
from acumen.types import Bools, Codes, Floats

Rounds = Literal["auto"] | Annotated[int, AtLeast(1)]
Share = Annotated[float, MoreThan(0), Between(0, 1)]
Rate = Annotated[float, MoreThan(0), Between(0, 1)]
Monotone = Annotated[Any, Described("a mapping from attributes to +1 (rising) or -1 (falling), or None")]
_NO_CODES: Codes = np.empty(0, dtype=np.int32)


class BoostingFace(Learner):
    """Fitting and reporting shared by both learners."""

    n_estimators: Any
    learning_rate: Any
    max_leaf_nodes: Any
    min_samples_leaf: Any
    l2_regularization: Any
    subsample: Any
    colsample_bytree: Any
    monotone: Any
    bins: Any
    progress: Any
    random_state: Any

    def memory(self, rows: int, schema: Schema) -> int | None:
        """Codes twice, and a few numbers per row and class."""
        return int(rows * (3 * max(len(schema), 1) + 60 + 24 * max(schema.n_classes, 1)))

    @property
    def draws_numbers(self) -> bool:
        """Whether a fit draws rows, columns or, for n_estimators="auto", the held-out parts."""
        return bool(self.subsample < 1 or self.colsample_bytree < 1 or self.n_estimators == "auto")

    def _order(self, schema: Schema, coded: CodedColumns, lines: int) -> BoostingTask:
        """The boosting task for rows with these codes."""
        who = self._name
        if len(coded.coding) > 65_535:
            raise DataError(
                f"{who}: there are {len(coded.coding):,} columns, and boosting takes at most 65,535."
            )
        rounds: Any = self.n_estimators if isinstance(self.n_estimators, str) else int(self.n_estimators)
        options = BoostingOptions(
            rounds=rounds,
            rate=float(self.learning_rate), leaves=int(self.max_leaf_nodes),
            leaf_size=float(self.min_samples_leaf), l2=float(self.l2_regularization),
            sample=float(self.subsample), columns=float(self.colsample_bytree), seed=0,
        )  # fmt: skip
        return BoostingTask(options, next(streams(self.random_state, who)), lines, self._signs(schema, coded))

    @property
    def streams(self) -> bool:
        return True

    def _boost(
        self, rows: Rows, lines: int, line: Codes
    ) -> tuple[CodedColumns, BoostedTrees, StandardisedTarget | None]:
        """Codes, trees, and the scale of the target; `line` is the line of each class."""
        coded, _ = plan_codes(rows, int(self.bins))
        order = self._order(rows.schema, coded, lines)
        tell = _teller(self._name) if self.progress else None
        # As `memory` has it: codes by rows, and a few numbers for each row and line.
        work = len(rows) * (2.0 * coded.coding.width + 60.0 + 24.0 * max(rows.schema.n_classes, 1))
        require_room(rows, coded, self._name, work, 1)
        if tell is not None and isinstance(rows, ClusterRows):
            print(f"{self._name}: one worker runs all rounds and does not report them", file=sys.stderr)
            tell = None
        # A round is over in milliseconds, and each split of it asks all rows: tasks of such length would cost more than
        # they save, so one worker has all codes and the rounds.
        codes = codes_of(rows, coded, partial(join_blocks, coded), "the rows of a boosting")
        trees, measured = codes.then(_run_task, order, line, tell, alone=True).fetch()
        self._interrupted = trees.stopped
        self.n_iter_ = max(len(trees.packed) // lines, 1)
        return coded, trees, measured

    def _signs(self, schema: Schema, coded: CodedColumns) -> npt.NDArray[np.int8]:
        """For each column, whether the prediction must rise or fall with it."""
        monotone = self.monotone
        if monotone is None:
            return np.empty(0, dtype=np.int8)
        who = self._name
        if not isinstance(monotone, Mapping):
            raise ParameterError(
                f"{who}: monotone must be a mapping from attributes to +1 or -1; got {monotone!r}."
            )
        for name, sign in monotone.items():
            if name not in schema.names:
                raise ParameterError(
                    f"{who}: monotone names {name!r}, which is no "
                    f"attribute.{did_you_mean(str(name), schema.names)}"
                )
            if not (schema[name].is_numeric or schema[name].ordered):
                raise ParameterError(
                    f"{who}: monotone needs numbers or levels in an order, and {name!r} is "
                    f"{schema[name].kind} without one."
                )
            if isinstance(sign, bool) or sign not in (1, -1):
                raise ParameterError(f"{who}: monotone must be +1 or -1 for {name!r}; got {sign!r}.")
        names = [schema.attributes[c.first].name for c in coded.coding.inputs.columns]
        return np.array([monotone.get(name, 0) for name in names], dtype=np.int8)

    def settle(self, schema: Schema, model: Any, totals: Floats, rows: int) -> None:
        """Store the fitted model; then, if Ctrl-C ended it, raise that: the finished rounds are a model."""
        super().settle(schema, model, totals, rows)
        interrupt = self.__dict__.pop("_interrupted", None)
        if interrupt is not None:
            raise interrupt

    # -- telling ----------------------------------------------------------------------------------

    @property
    def feature_importances_(self) -> Floats:
        """Fraction of the total fall in training loss due to each attribute, in the order of `feature_names_in_`.

        Attributes with many values have more splits to choose from, which slightly inflates their importance.
        """
        predictor = self._require_fitted()
        by_name: dict[str, float] = predictor.model.importances(predictor.schema)
        return np.array([by_name.get(name, 0.0) for name in predictor.schema.names])

    @property
    def n_estimators_(self) -> int:
        """The number of rounds."""
        return int(self._require_fitted().model.rounds)

    @property
    def held_out_(self) -> Floats:
        """With n_estimators="auto", the mean loss on held-out rows after each round; else empty."""
        curve: Floats = self._require_fitted().model.curve
        return curve


def _run_task(
    rows: tuple[CodedColumns, CodeBlock], order: BoostingTask, line: Codes, tell: Callable[[int], None] | None
) -> tuple[BoostedTrees, StandardisedTarget | None]:
    coded, block = rows
    if len(block.labels):
        labels = np.ascontiguousarray(line[block.labels])
        return order.run(coded, labels, block.response, block.weights, tell), None
    weights = block.weights if block.weights.size else np.ones(len(block.response))
    measured = StandardisedTarget.of(block.response, weights)
    trees = order.run(coded, block.labels, measured.values, block.weights, tell)
    return trees, measured._replace(values=np.empty(0))  # the numbers themselves stay where they are


def _teller(who: str) -> Callable[[int], None]:
    def tell(done: int) -> None:
        if done % 10 == 0:
            print(f"{who}: {done} rounds", file=sys.stderr, flush=True)

    return tell


class Boosting(BoostingFace, Classifier):
    """Classify by gradient boosting: many small trees, each correcting the errors of those before it.

    The trees are grown on the same codes as forests, splitting the leaf that gains most next. Two classes have one
    tree per round for their log-odds; several classes have one each (softmax). Unordered categories are ordered at
    each node by their gradients there, however many there are. Rows with a missing value go to the side that gains
    more; if a node has none in training, to the heavier side.

    Parameters
    ----------
    n_estimators : int or "auto"
        The number of rounds. "auto" divides up to 20,000 rows into five parts, holds out each in turn, and takes the
        number of rounds with the lowest loss on them; with more rows it holds out one part in five. The final model
        is trained on all rows.
    learning_rate : float
        The fraction of its correction that each tree makes.
    max_leaf_nodes : int
        The largest number of leaves of a tree.
    min_samples_leaf : float
        Each side of a split weighs at least this many rows, or a tenth of all rows if that is less.
    l2_regularization : float
        Shrinks leaves to 0: it is added to the curvature of the loss in each leaf.
    subsample, colsample_bytree : float
        The fraction of rows drawn for each round, and of columns drawn for each tree.
    monotone : mapping, optional
        Attributes with which the log-odds of the second of two classes must rise (+1) or fall (-1).
    bins : int
        The number of places where numbers may be cut, plus one.
    progress : bool
        Whether to report the number of rounds on stderr.
    costs, priors, class_weight
        As for NaiveBayes.
    random_state : seed or Generator, optional
        Seed for held-out rows, and for drawn rows and columns.
    n_jobs : int, optional
        Number of threads; the trees have the same bytes for any number, because gradients are rounded to whole
        multiples of a small unit and their sums are exact.

    Attributes
    ----------
    n_estimators_ : int
        The number of rounds.
    held_out_ : array
        The loss on held-out rows after each round.
    feature_importances_ : array
        Fraction of the total gain of all splits due to each attribute.

    Notes
    -----
    Ctrl-C stops the rounds. The learner is then fitted with the finished ones, and KeyboardInterrupt is raised.

    Examples
    --------
    >>> import acumen
    >>> model = acumen.Boosting(random_state=0).fit(acumen.datasets.load("iris"))
    >>> model.score(acumen.datasets.load("iris")) > 0.95
    True
    """

    kind: ClassVar[str] = "boosting"
    model_type = BoostingModel

    def __init__(
        self,
        *,
        n_estimators: Rounds = "auto",
        learning_rate: Rate = 0.1,
        max_leaf_nodes: Annotated[int, AtLeast(2)] = 31,
        min_samples_leaf: Annotated[float, AtLeast(0)] = 20,
        l2_regularization: Annotated[float, AtLeast(0)] = 1.0,
        subsample: Share = 1.0,
        colsample_bytree: Share = 1.0,
        monotone: Monotone = None,
        bins: Annotated[int, Between(2, 65_534)] = 255,
        progress: bool = False,
        costs: Costs = None,
        priors: Priors = None,
        class_weight: ClassWeight = None,
        random_state: Seed = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf
        self.l2_regularization = l2_regularization
        self.subsample = subsample
        self.colsample_bytree = colsample_bytree
        self.monotone = monotone
        self.bins = bins
        self.progress = progress
        self.costs = costs
        self.priors = priors
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs

    def learn(self, rows: Rows) -> tuple[Model, Floats]:
        seen, lines, line = self._lines(rows.totals)
        if not lines:
            return _of_one_class(plan_codes(rows, int(self.bins))[0], seen), rows.totals
        coded, trees, _ = self._boost(rows, lines, line)
        model = BoostingModel(coded.coding, trees.packed, trees.base, trees.gain, trees.curve, seen)
        return model, rows.totals

    def _lines(self, totals: Floats) -> tuple[Bools, int, Codes]:
        """The classes that occur, the number of trees per round (none for one class), and the place of each class."""
        seen = totals > 0
        count = int(np.count_nonzero(seen))
        if self.monotone and count > 2:
            raise ParameterError(
                f"{self._name}: monotone is for two classes, whose log-odds rise or fall; there are {count}."
            )
        lines = {0: 0, 1: 0, 2: 1}.get(count, count)
        return seen, lines, (np.cumsum(seen) - 1).astype(np.int32)


def _of_one_class(coded: CodedColumns, seen: Bools) -> BoostingModel:
    """The model of a single class, where there is nothing to distinguish."""
    gain = np.zeros(len(coded.coding))
    return BoostingModel(coded.coding, _stump(coded), np.empty(0), gain, np.empty(0), seen)


def _stump(coded: CodedColumns) -> PackedForest:
    """A tree with one leaf, for models without tests."""
    node = np.array([[0xFFFF << 16, 0]], dtype=np.uint32)
    ends = np.array([0, 1], dtype=np.int64)
    return PackedForest(
        node, np.zeros((1, 1)), np.empty(0, dtype=np.uint32), ends, np.zeros(2, dtype=np.int64), coded.nominal
    )


class BoostingRegressor(BoostingFace, Regressor):
    """Predict a number by gradient boosting: many small trees, each correcting those before it, as Boosting does.

    Parameters
    ----------
    n_estimators, learning_rate, max_leaf_nodes, min_samples_leaf, l2_regularization, subsample, colsample_bytree
        As for Boosting; the loss is the squared error.
    monotone, bins, progress, random_state, n_jobs
        As for Boosting; the loss is the squared error.

    Attributes
    ----------
    n_estimators_, held_out_, feature_importances_
        As for Boosting; the loss is in units of the target's variance.

    Examples
    --------
    >>> import acumen, numpy as np
    >>> x = np.linspace(0, 6, 400)[:, None]
    >>> model = acumen.BoostingRegressor(random_state=0).fit(x, np.sin(x[:, 0]))
    >>> model.score(x, np.sin(x[:, 0])) > 0.99
    True
    """

    kind: ClassVar[str] = "boosting-regressor"
    model_type = BoostingRegressionModel

    def __init__(
        self,
        *,
        n_estimators: Rounds = "auto",
        learning_rate: Rate = 0.1,
        max_leaf_nodes: Annotated[int, AtLeast(2)] = 31,
        min_samples_leaf: Annotated[float, AtLeast(0)] = 20,
        l2_regularization: Annotated[float, AtLeast(0)] = 1.0,
        subsample: Share = 1.0,
        colsample_bytree: Share = 1.0,
        monotone: Monotone = None,
        bins: Annotated[int, Between(2, 65_534)] = 255,
        progress: bool = False,
        random_state: Seed = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf
        self.l2_regularization = l2_regularization
        self.subsample = subsample
        self.colsample_bytree = colsample_bytree
        self.monotone = monotone
        self.bins = bins
        self.progress = progress
        self.random_state = random_state
        self.n_jobs = n_jobs

    def learn(self, rows: Rows) -> tuple[RegressionModel, Floats]:
        coded, trees, measured = self._boost(rows, 1, _NO_CODES)
        assert measured is not None
        return self._in_units(coded, trees, measured), rows.totals

    def _in_units(
        self, coded: CodedColumns, trees: BoostedTrees, measured: StandardisedTarget
    ) -> BoostingRegressionModel:
        """The model in the units of the target."""
        packed = trees.packed
        value = packed.value * (measured.unit * measured.scale)
        packed = PackedForest(packed.node, value, packed.sets, packed.start, packed.set_start, packed.nominal)
        base = (trees.base * measured.unit + measured.centre) * measured.scale
        return BoostingRegressionModel(coded.coding, packed, base, trees.gain, trees.curve)
