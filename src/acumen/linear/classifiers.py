"""The faces of perceptron and least squares: parameters, documentation, and the algorithm behind each."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from acumen.base.classifier import Classifier
from acumen.base.kept_rows import KeepsRows
from acumen.base.memory_budget import Widths, dense_bytes
from acumen.data.schema import Schema
from acumen.engines.blocks import BLOCK_ROWS
from acumen.errors import DataError, ParameterError
from acumen.geometry.kernel import Kernel
from acumen.geometry.kernels import Precomputed
from acumen.linear import least_squares, model_columns, perceptron
from acumen.linear.perceptron_forms import PlaneForm
from acumen.linear.perceptron_trace import PerceptronTrace, Watcher
from acumen.models.model import Model
from acumen.models.parameters import AtLeast, Between, ClassWeight, MoreThan
from acumen.resampling.plan import streams
from acumen.rows.training_rows import Rows
from acumen.types import Floats

_LEARN = (
    "learning_rate", "init", "order", "tie", "extra", "stop", "max_iter", "average", "pocket", "kernel", "gamma",
    "degree", "offset", "scale",
)  # fmt: skip


class LeastSquares(Classifier):
    """Classify by least-squares regression on 0/1 class indicators; the highest value wins.

    Fast, exact in one pass, and of use as a yardstick: rows far on the right side of a boundary pull it towards
    them, and of three classes in a row the middle one can be masked by its neighbours (`Logistic` has neither fault).
    For two classes of equal weight the direction is Fisher's. Values are no probabilities.

    Nothing is scaled. Ordinal attributes count as their codes, nominal ones as a 0/1 column for each level, texts as
    their 1,000 most frequent words; a missing value, or a level never seen, is the mean.

    Parameters
    ----------
    alpha : float
        Times the squared length of the coefficients (intercepts aside) is added to the squares; it counts units.
    fit_intercept : bool
        Whether each regression has a constant.
    class_weight : mapping or "balanced", optional
        Multiplies the row weights.
    n_jobs : int, optional
        Threads; None for all permitted cores.

    Attributes
    ----------
    coef_ : array of (classes, columns)
    intercept_ : array of (classes,)
    columns_ : tuple of str

    Examples
    --------
    >>> import acumen
    >>> iris = acumen.datasets.load("iris")
    >>> round(acumen.LeastSquares().fit(iris).score(iris), 3)
    0.847
    """

    kind: ClassVar[str] = "least-squares"
    model_type = least_squares.LeastSquaresModel
    plan = staticmethod(model_columns.plan)
    summarise = staticmethod(least_squares.summarise)
    summarise_parts = staticmethod(least_squares.summarise_parts)
    solve = staticmethod(least_squares.solve)
    restore_plan = staticmethod(model_columns.restore_plan)
    restore_summary = staticmethod(least_squares.restore_summary)

    def __init__(
        self,
        *,
        alpha: Annotated[float, AtLeast(0), Between(0, 1e150)] = 0.0,
        fit_intercept: bool = True,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    def memory(self, rows: int, schema: Schema) -> int | None:
        width = Widths.of(schema).coded
        return dense_bytes(min(rows, BLOCK_ROWS), width, 3) + dense_bytes(width, width, 4.5)

    def summary_memory(self, schema: Schema) -> int | None:
        width = Widths.of(schema).coded
        return dense_bytes(width, width)

    @property
    def scale_sensitive(self) -> bool:
        """Whether the unit of row weights matters: `alpha` is relative to a sum of squares."""
        return bool(self.alpha > 0)

    @property
    def constant_sensitive(self) -> bool:
        """Whether a constant column may change predictions: without an intercept, it acts as one."""
        return not self.fit_intercept

    def needs_plan(self, schema: Schema) -> bool:
        return bool(schema.text)

    def objection(self, schema: Schema) -> str | None:
        width = sum(len(a.levels) if a.kind == "nominal" else 1 for a in schema if a.kind != "text")
        if width > model_columns.MAX_COLUMNS:
            return (
                f"the table has {width:,} columns, and a factor of more than {model_columns.MAX_COLUMNS:,} takes too "
                "much memory; choose some of them, or use Perceptron."
            )
        return None

    @property
    def coef_(self) -> Floats:
        return self._model().slope

    @property
    def intercept_(self) -> Floats:
        return self._model().constant

    @property
    def columns_(self) -> tuple[str, ...]:
        return self._model().columns.names

    def _model(self) -> least_squares.LeastSquaresModel:
        model: Any = self.model_
        assert isinstance(model, least_squares.LeastSquaresModel)
        return model


class Perceptron(KeepsRows, Classifier):
    """Rosenblatt's perceptron: correct the weights on every misclassified row until there is none.

    Two classes have one vector w of weights, and w.x above 0 means the second class; more classes have one vector
    each, the largest product wins, and a mistake moves two of them (the single K-class form; `OneVsRest` is the
    other way). Rows that planes can separate are separated after finitely many updates, and `max_updates_` says after
    how many at most; on others the weights never come to rest, and `pocket` keeps the best.

    You can choose between the textbooks' conventions: what w.x = 0 means (`tie`), the sign of the extra component whose
    weight is the threshold (`extra`), and when to stop (`stop`).

    Numbers are brought to mean 0 and deviation 1 unless `scale` is off, as the textbooks' examples want it. Ordinal
    attributes count as their codes, nominal ones as a 0/1 column for each level, texts as their 1,000 most frequent
    words; a missing number is the mean. The weight of a row multiplies its updates. There
    are no probabilities, and cross-validation fits a model for each fold.

    Parameters
    ----------
    learning_rate : float
        The fraction of a row by which the weights move.
    init : {"zeros", "ones", "random"}
        The first weights; random ones lie between -1 and 1.
    order : {"random", "given"}
        The order of the rows within an epoch: drawn again each time, or as given.
    tie : {"mistake", "positive"}
        What w.x = 0 is in training: a mistake whatever the class, or the second class's sign. With more classes
        "positive" takes a tie as right for the class that comes first, as predicting does.
    extra : {1, -1}
        The component each row is given besides its attributes: w.x + b, or w.x - theta.
    stop : {"errors", "distance"}
        After an epoch without a mistake; or when Error', the sum of |w.x| over the rows misclassified after each
        epoch, no longer falls.
    max_iter : int
        The largest number of passes over the rows.
    average : bool
        Use the mean of the weights over all steps.
    pocket : bool
        Use, of the weights after each epoch, those that err least on the training rows.
    kernel : None, {"rbf", "linear", "polynomial", "sigmoid", "precomputed"}, Kernel or function
        Learn in the dual: planes among the features of a kernel, for at most 20,000 rows, from zeros. Text is
        refused then.
    gamma, degree, offset
        Of kernels that are words; as for KernelFisher.
    scale : bool
        Whether numbers and ordinal codes are brought to mean 0 and deviation 1 over the training rows (deviation 1
        only in large sparse tables); weights are then of such columns. Model files written before there was a choice
        did not.
    random_state : int, Generator or None
        Draws the order, and random first weights.
    class_weight : mapping or "balanced", optional
        Multiplies the row weights.
    n_jobs : int, optional
        Threads of the kernel; the epochs themselves are one chain of steps.

    Attributes
    ----------
    weights_ : array of (columns + 1,), or (classes, columns + 1) for more than two
        The extra component's weight last; none in the dual.
    n_updates_, n_epochs_ : int
    separable_ : bool
        Whether no training row is a mistake.
    max_updates_ : float or None
        Where the rows are separated: at most how many updates any order of the rows could have taken.
    trace_ : PerceptronTrace
        Every step of learning, row by row: output, correction, weights after. It is gone through again when asked
        for, after a fit on at most 20,000 cells; `describe(steps=True)` prints it.

    Examples
    --------
    >>> import acumen
    >>> gate = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> model = acumen.Perceptron(order="given", extra=-1, scale=False).fit(gate, [0, 0, 0, 1])
    >>> model.weights_.tolist(), model.n_epochs_, model.n_updates_
    ([3.0, 2.0, 4.0], 9, 18)
    """

    kind: ClassVar[str] = "perceptron"
    model_type = perceptron.PerceptronModel

    def __init__(
        self,
        *,
        learning_rate: Annotated[float, MoreThan(0), Between(0, 1e150)] = 1.0,
        init: Literal["zeros", "ones", "random"] = "zeros",
        order: Literal["random", "given"] = "random",
        tie: Literal["mistake", "positive"] = "mistake",
        extra: Literal[1, -1] = 1,
        stop: Literal["errors", "distance"] = "errors",
        max_iter: Annotated[int, AtLeast(1)] = 1000,
        average: bool = False,
        pocket: bool = True,
        kernel: Literal["rbf", "linear", "polynomial", "poly", "sigmoid", "precomputed"]
        | Kernel
        | Callable[[Any, Any], Any]
        | None = None,
        gamma: Literal["scale", "auto"] | Annotated[float, MoreThan(0)] = "scale",
        degree: Annotated[int, AtLeast(1)] = 3,
        offset: Annotated[float, Between(-1e150, 1e150)] = 1.0,
        scale: bool = True,
        random_state: Any = None,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        self.learning_rate = learning_rate
        self.init = init
        self.order = order
        self.tie = tie
        self.extra = extra
        self.stop = stop
        self.max_iter = max_iter
        self.average = average
        self.pocket = pocket
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.offset = offset
        self.scale = scale
        self.random_state = random_state
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    keeps_sparse = True

    def memory(self, rows: int, schema: Schema) -> int | None:
        return dense_bytes(rows, Widths.of(schema).coded, 2.2)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._is_precomputed
        return tags

    @property
    def _is_precomputed(self) -> bool:
        return isinstance(self.kernel, Precomputed) or self.kernel == "precomputed"

    def check_parameters(self) -> None:
        super().check_parameters()
        if self.kernel is not None and self.init != "zeros":
            raise ParameterError(
                f"Perceptron: with a kernel init must be 'zeros', for weights are sums of rows; got {self.init!r}."
            )

    def objection(self, schema: Schema) -> str | None:
        if self.kernel is not None and schema.text:
            name = schema.text[0].name
            return f"a kernel on words says little; leave out the text column {name!r}, or the kernel."
        if self._is_precomputed and schema.nominal:
            return f"a precomputed kernel is numbers; the column {schema.nominal[0].name!r} is not."
        return None

    def learn(self, rows: Rows) -> tuple[Model, Floats]:
        table = rows.require_local(self._name)
        table = table.take(np.flatnonzero(table.row_weights)) if table.weights.size else table
        rng = next(streams(self.random_state, self._name))
        self.keep_rows(table, deepcopy(rng))
        model = perceptron.learn(table, **{name: getattr(self, name) for name in _LEARN}, rng=rng)
        self.n_iter_ = model.n_epochs
        return model, model.weight

    # -- what was learned -------------------------------------------------------------------------

    @property
    def weights_(self) -> Floats:
        form = self._model().form
        if not isinstance(form, PlaneForm):
            raise AttributeError("a perceptron with a kernel has no weights of columns")
        return form.weights if len(self.classes_) > 2 else form.weights[0]

    @property
    def trace_(self) -> PerceptronTrace:
        try:
            return self._trace()
        except DataError as error:
            raise AttributeError(str(error)) from None

    def _trace(self) -> PerceptronTrace:
        form = self._model().form
        table, rng = self.kept_rows("its trace", "Fit on few rows to see the steps.")
        watcher = Watcher(self.schema_.classes)
        perceptron.learn(
            table, **{name: getattr(self, name) for name in _LEARN}, rng=deepcopy(rng), watcher=watcher
        )
        columns = tuple(f"row {i + 1}" for i in range(len(table)))
        if isinstance(form, PlaneForm):
            columns = (*form.view.names, str(form.extra))
        note = "Numbers are scaled to mean 0 and deviation 1 first." if self.scale else ""
        return PerceptronTrace(columns, watcher.start, tuple(watcher.steps), watcher.left, note)

    def describe(self, full: bool = False, steps: bool = False) -> str:
        """Describe the fitted model in words, in at most 40 lines unless `full` is true; `steps` adds `trace_`, row by
        row.
        """
        text: str = super().describe(full)
        return f"{text}\n\n{self._trace().text(full=full)}" if steps else text

    @property
    def n_updates_(self) -> int:
        return self._model().n_updates

    @property
    def n_epochs_(self) -> int:
        return self._model().n_epochs

    @property
    def separable_(self) -> bool:
        return self._model().separated

    @property
    def max_updates_(self) -> float | None:
        return self._model().bound

    def _model(self) -> perceptron.PerceptronModel:
        model: Any = self.model_
        assert isinstance(model, perceptron.PerceptronModel)
        return model
