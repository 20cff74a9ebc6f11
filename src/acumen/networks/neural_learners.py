"""The public classes of neural networks: parameters, documentation, and results of the training."""

from __future__ import annotations

import sys
import warnings
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np

from acumen.base.classifier import Classifier
from acumen.base.learner import Learner
from acumen.base.memory_budget import Widths, dense_bytes
from acumen.base.regressor import Regressor
from acumen.base.scikit import ConvergenceWarning
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError
from acumen.models.model import Model, RegressionModel
from acumen.models.parameters import AtLeast, Between, ClassWeight, Costs, Described, MoreThan, Priors
from acumen.networks.neural_inputs import NeuralInputs, Scale
from acumen.networks.neural_members import train_all
from acumen.networks.neural_model import NeuralNetworkModel, NeuralNetworkRegressionModel
from acumen.networks.neural_solvers import Schedule, SolverName
from acumen.networks.neural_trace import MOST_WEIGHTS, TrainingStep
from acumen.networks.neural_training import Member, Teller, TrainingSettings
from acumen.networks.perceptrons import CrossEntropyLoss, Loss, SquaredErrorLoss, WeightLayout
from acumen.profiling.fit_warnings import data_warnings_on
from acumen.resampling.plan import streams
from acumen.rows.training_rows import Rows
from acumen.types import Floats

ActivationName = Literal["selu", "tanh", "relu", "logistic", "mish"]
Hidden = Annotated[
    Any, Described("whole numbers of at least 1, the units of each hidden layer, from first to last")
]
Rate = Literal["auto"] | Annotated[float, MoreThan(0)]
Share = Annotated[float, MoreThan(0), Between(0, 0.9)]
Smoothing = Annotated[float, Between(0, 0.99)]
Seed = Annotated[Any, Described("a whole number, a random generator, or None")]
Patience = Annotated[int, AtLeast(1)] | None
_MOST_LAYERS = 60
_MOST_UNITS = 1 << 20


class NeuralFace(Learner):
    """Training and reporting shared by both learners."""

    hidden_layer_sizes: Any
    activation: Any
    solver: Any
    max_iter: Any
    batch_size: Any
    learning_rate: Any
    schedule: Any
    weight_decay: Any
    early_stopping: Any
    validation_fraction: Any
    patience: Any
    n_estimators: Any
    scale: Any
    learned_scale: Any
    last_layer_init: Any
    progress: Any
    random_state: Any

    def check_parameters(self) -> None:
        super().check_parameters()
        self._hidden_units()

    def _hidden_units(self) -> tuple[int, ...]:
        hidden = self.hidden_layer_sizes
        units = (hidden,) if isinstance(hidden, (int, np.integer)) else hidden
        right = isinstance(units, (tuple, list, np.ndarray)) and all(
            isinstance(each, (int, np.integer))
            and not isinstance(each, (bool, np.bool_))
            and 1 <= each <= _MOST_UNITS
            for each in units
        )
        if not right or len(units) > _MOST_LAYERS:
            raise ParameterError(
                f"{self._name}: hidden_layer_sizes must be whole numbers of at least 1, the units of each "
                "hidden layer; got "
                f"{hidden!r}."
            )
        return tuple(int(each) for each in units)

    @property
    def interpretable(self) -> bool:
        return False

    def memory(self, rows: int, schema: Schema) -> int | None:
        """The rows in single precision, some of them in double precision, and several vectors of all weights."""
        width = Widths.of(schema).coded + len(schema)
        layout = WeightLayout((width, *self._hidden_units(), max(schema.n_classes, 1)), True)
        batch = min(rows, max(int(self.batch_size), 2048))
        members = int(self.n_estimators)
        at_once = 24 * layout.length + 12 * batch * sum(layout.sizes)
        return (
            dense_bytes(rows, width, 0.6)
            + min(dense_bytes(rows, width, 3), 1 << 25)
            + 4 * members * layout.length
            + min(members, 8) * at_once
        )

    def _settings(self) -> TrainingSettings:
        rate = 0.0 if isinstance(self.learning_rate, str) else float(self.learning_rate)
        return TrainingSettings(
            hidden=self._hidden_units(),
            activation=self.activation,
            solver=self.solver,
            epochs=int(self.max_iter),
            batch=int(self.batch_size),
            rate=rate,
            schedule=self.schedule,
            weight_decay=float(self.weight_decay),
            label_smoothing=float(getattr(self, "label_smoothing", 0.0)),
            validation=float(self.validation_fraction) if self.early_stopping else 0.0,
            patience=None if self.patience is None else int(self.patience),
            learned_scale=bool(self.learned_scale),
            last=self.last_layer_init,
            temperature=bool(getattr(self, "temperature", False)),
        )

    def _train(self, table: Table, inputs: NeuralInputs, loss: Loss) -> list[Member]:
        """Train all members; the warning about an interrupted training is issued by `fit`, once the model is stored."""
        many = int(self.n_estimators)
        generators = streams(self.random_state, self._name)
        tell = _teller(self._name) if self.progress else None
        members = train_all(
            inputs.matrix(table, np.float32),
            loss,
            self._settings(),
            [next(generators) for _ in range(many)],
            tell,
            inputs.view.names,
        )
        self.n_iter_ = max(1, *(len(member.curve) for member in members))
        self._traced = members[0].trace
        kept = [member for member in members if member.best] or members[:1]
        if any(member.ended == "interrupted" for member in members) or len(members) < many:
            self._interrupted = (
                f"{self._name}: training was interrupted; using the best epoch so far "
                f"({_epochs(kept)}, of {int(self.max_iter)})."
            )
        elif any(member.ended == "diverged" for member in members):
            warnings.warn(
                f"{self._name}: training diverged; using the best epoch before that "
                f"({_epochs(kept)}). Lower learning_rate.",
                ConvergenceWarning,
                stacklevel=6,
            )
        return kept

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the network. Ctrl-C ends training early and keeps the best epoch so far, with a warning.

        Parameters
        ----------
        X, y, sample_weight
            A Table, or rows and their targets, as for every learner; weights multiply a row's loss.
        """
        watched = data_warnings_on()
        self.__dict__.pop("_interrupted", None)
        super().fit(X, y, sample_weight)
        sentence = self.__dict__.pop("_interrupted", None)
        if sentence is not None:
            # Inside a larger task with many fits, Ctrl-C ends the whole task.
            if not watched:
                raise KeyboardInterrupt
            warnings.warn(sentence, ConvergenceWarning, stacklevel=2)
        return self

    # -- results ----------------------------------------------------------------------------------

    @property
    def losses_(self) -> dict[str, Floats]:
        """The mean loss after each epoch, on training and held-out rows (averaged over an ensemble)."""
        curve: Floats = self._require_fitted().model.curve
        return {"training": curve[:, 0].copy(), "held out": curve[:, 1].copy()}

    @property
    def best_epoch_(self) -> int | tuple[int, ...]:
        """The epoch whose weights were kept, from 1; for an ensemble, each member's."""
        best: tuple[int, ...] = self._require_fitted().model.best
        return best[0] if len(best) == 1 else best

    @property
    def coefs_(self) -> list[Floats]:
        """The weights of each layer, one line per input; for an ensemble, the first network's."""
        return [np.array(w, dtype=np.float64) for w in self._network().weights]

    @property
    def intercepts_(self) -> list[Floats]:
        """The biases of each layer; for an ensemble, the first network's."""
        return [np.array(b, dtype=np.float64) for b in self._network().biases]

    @property
    def factors_(self) -> Floats | None:
        """The learned factor of each input before the first layer; None without `learned_scale`."""
        scale = self._network().scale
        return None if scale is None else np.array(scale, dtype=np.float64)

    @property
    def input_names_(self) -> tuple[str, ...]:
        """The names of the encoded columns."""
        names: tuple[str, ...] = self._require_fitted().model.inputs.view.names
        return names

    def _network(self) -> Any:
        model = self._require_fitted().model
        if not model.flats:
            raise AttributeError("there is no network: all training rows were of one class")
        return model.layout.parts(model.flats[0])

    @property
    def trace_(self) -> TrainingStep:
        """The first training step with every number, for networks of at most 1,000 weights; print it."""
        self._require_fitted()
        trace: TrainingStep | None = getattr(self, "_traced", None)
        if trace is None:
            raise AttributeError(
                f"the first step is recorded during training, for networks of at most {MOST_WEIGHTS:,} weights; it "
                "is not saved in model files"
            )
        return trace


def _epochs(members: list[Member]) -> str:
    epochs = ", ".join(str(member.best) for member in members[:8])
    return f"epoch {epochs}" if len(members) == 1 else f"epochs {epochs}"


def _teller(who: str) -> Teller:
    def tell(done: int, of: int, loss: float) -> None:
        if done % 10 == 0 or done == of:
            print(f"{who}: epoch {done} of {of}, loss {loss:.5g}", file=sys.stderr, flush=True)

    return tell


def _join_members(members: list[Member]) -> tuple[tuple[Any, ...], Floats, tuple[int, ...], bool, Floats]:
    """The members' weights, mean curve, best epochs, whether rows were held out, and temperatures."""
    short = min(len(member.curve) for member in members)
    curve = np.mean([member.curve[:short] for member in members], axis=0) if short else np.empty((0, 2))
    curve = np.where(np.isfinite(curve), np.minimum(curve, 1e300), np.nan)
    held = bool(short) and bool(np.isfinite(curve[:, 1]).any())
    return (
        tuple(member.flat for member in members),
        curve,
        tuple(member.best for member in members),
        held,
        np.array([member.temperature for member in members]),
    )


def _weights(table: Table) -> Any:
    """Row weights of mean 1, in single precision."""
    weights = table.row_weights
    return (weights / weights.mean()).astype(np.float32)


class NeuralNetwork(NeuralFace, Classifier):
    """Neural network classifier (multilayer perceptron), trained by backpropagation.

    The defaults work well on tables without tuning (RealMLP-TD-S: Holzmüller and others, 2024). Numbers are centred at
    the median, scaled by the interquartile range and clipped smoothly; levels are one-hot encoded, texts become their
    1,000 most frequent words, and missing values become the median plus an indicator column. Outputs are softmax
    probabilities.

    Parameters
    ----------
    hidden_layer_sizes : tuple of int
        Units of each hidden layer; (8,) is one small layer, () is logistic regression.
    activation : {"selu", "tanh", "relu", "logistic", "mish"}
        The activation function.
    solver : {"adam", "sgd", "momentum"}
        Adam with beta2 = .95; plain stochastic gradient descent; or with a momentum of .9.
    max_iter : int
        The number of epochs: passes over the training rows.
    batch_size : int
        The approximate number of rows per step.
    learning_rate : "auto" or float
        The largest learning rate; "auto" is .04 for Adam, .1 for "sgd" and .02 for "momentum". Under Adam, the weights
        of a layer use learning_rate / sqrt(its inputs), biases a tenth of it, and input factors six times it.
    schedule : {"coslog4", "constant"}
        The learning rate over time: four waves, each twice as long as the one before, or constant.
    weight_decay : float
        Each step subtracts learning_rate x this fraction of every weight.
    label_smoothing : float
        The fraction of each label spread evenly over all classes, which keeps the network from becoming overconfident.
        For small tables (see `validation_fraction`) at least as much as one more row of each class, unless it is 0.
    early_stopping : bool
        Hold rows out and keep the weights of the epoch with the lowest loss on them. Training still runs through all
        epochs, unless `patience` ends it.
    validation_fraction : float
        The fraction of rows held out. For small tables (at most 200 rows, 8 batches, 4 million weights), this fraction
        is held out in turn, each row once, to choose the epoch; then a network is trained on all rows up to that epoch.
    patience : int, optional
        Stop after this many epochs without a lower loss on held-out rows.
    n_estimators : int
        The number of networks, each with its own held-out rows; their outputs are averaged.
    scale : {"robust", "z-score", "min-max", "none"}
        How numbers are scaled.
    learned_scale : bool
        Multiply each input by a learned factor before the first layer.
    last_layer_init : {"zero", "normal"}
        The last layer's initial weights: 0, or like the others. With "zero", no error propagates back in `trace_`.
    temperature : bool
        Divide the outputs by the temperature that minimises the loss on held-out rows, which calibrates probabilities
        although labels were smoothed.
    progress : bool
        Report every tenth epoch on stderr.
    costs, priors, class_weight
        As for NaiveBayes.
    random_state : int, generator or None
        The seed of the initial weights, the held-out rows and the order of rows.
    n_jobs : int, optional
        Number of threads, over which the networks of an ensemble are distributed; None uses all permitted cores.

    Attributes
    ----------
    losses_ : dict
        The loss on training and held-out rows after each epoch; `to_figure()` draws both.
    best_epoch_ : int
        The epoch whose weights were kept.
    coefs_, intercepts_, factors_ : lists of arrays, and an array
        Weights and biases of each layer, and the input factors; `to_figure(what="network")` draws small networks.
    trace_ : TrainingStep
        The first step, with every sum, answer, delta, gradient and new weight, for networks of at most 1,000 weights.

    Notes
    -----
    Ctrl-C ends training and keeps the best epoch so far, with a warning. The same seed gives the same bytes for any
    number of threads, because each product runs on one BLAS thread. Another processor or BLAS may round differently,
    which becomes visible after thousands of steps.

    Explanations use exact occlusion: the attributes replace those of a typical row one after the other, averaged over
    both orders; the amounts add up to the log-odds.

    Examples
    --------
    >>> import acumen
    >>> iris = acumen.datasets.load("iris")
    >>> model = acumen.NeuralNetwork(hidden_layer_sizes=(16,), max_iter=100, random_state=0).fit(iris)
    >>> model.score(iris) > 0.9
    True
    """

    kind: ClassVar[str] = "neural-network"
    model_type = NeuralNetworkModel

    def __init__(
        self,
        *,
        hidden_layer_sizes: Hidden = (256, 256, 256),
        activation: ActivationName = "selu",
        solver: SolverName = "adam",
        max_iter: Annotated[int, AtLeast(1)] = 256,
        batch_size: Annotated[int, AtLeast(1)] = 256,
        learning_rate: Rate = "auto",
        schedule: Schedule = "coslog4",
        weight_decay: Annotated[float, AtLeast(0)] = 0.0,
        label_smoothing: Smoothing = 0.1,
        early_stopping: bool = True,
        validation_fraction: Share = 0.2,
        patience: Patience = None,
        n_estimators: Annotated[int, AtLeast(1)] = 1,
        scale: Scale = "robust",
        learned_scale: bool = True,
        last_layer_init: Literal["zero", "normal"] = "zero",
        temperature: bool = True,
        progress: bool = False,
        costs: Costs = None,
        priors: Priors = None,
        class_weight: ClassWeight = None,
        random_state: Seed = None,
        n_jobs: int | None = None,
    ) -> None:
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.solver = solver
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.schedule = schedule
        self.weight_decay = weight_decay
        self.label_smoothing = label_smoothing
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.n_estimators = n_estimators
        self.scale = scale
        self.learned_scale = learned_scale
        self.last_layer_init = last_layer_init
        self.temperature = temperature
        self.progress = progress
        self.costs = costs
        self.priors = priors
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs

    def learn(self, rows: Rows) -> tuple[Model, Floats]:
        table = rows.require_local(self._name)
        totals = np.bincount(table.class_codes, table.row_weights, table.schema.n_classes).astype(np.float64)
        seen = totals > 0
        count = int(np.count_nonzero(seen))
        inputs = NeuralInputs.fit(table, self.scale)
        if count < 2:
            self.n_iter_, self._traced = 1, None
            layout = WeightLayout((inputs.width, count), False)
            none = np.empty((0, 2))
            return NeuralNetworkModel(
                inputs, self.activation, layout, (), none, (), False, np.empty(0), seen
            ), totals
        labels = np.ascontiguousarray((np.cumsum(seen) - 1).astype(np.int32)[table.class_codes])
        settings = self._settings()
        loss = CrossEntropyLoss(labels, _weights(table), count, settings.label_smoothing)

        members = self._train(table, inputs, loss)
        layout = WeightLayout((inputs.width, *settings.hidden, count), settings.learned_scale)
        return NeuralNetworkModel(inputs, self.activation, layout, *_join_members(members), seen), totals


class NeuralNetworkRegressor(NeuralFace, Regressor):
    """Neural network regressor (multilayer perceptron), trained by backpropagation like NeuralNetwork.

    The target is standardised for training; the loss is half the squared error in these units.

    Parameters
    ----------
    hidden_layer_sizes, activation, solver, max_iter, batch_size, learning_rate, schedule, weight_decay
        As for NeuralNetwork.
    early_stopping, validation_fraction, patience
        As for NeuralNetwork.
    n_estimators, scale, learned_scale, last_layer_init, progress, random_state, n_jobs
        As for NeuralNetwork.

    Attributes
    ----------
    losses_, best_epoch_, coefs_, intercepts_, factors_, trace_
        As for NeuralNetwork.

    Examples
    --------
    >>> import acumen, numpy as np
    >>> x = np.linspace(0, 6, 200)[:, None]
    >>> model = acumen.NeuralNetworkRegressor(hidden_layer_sizes=(32, 32), max_iter=150, random_state=0)
    >>> model.fit(x, np.sin(x[:, 0])).score(x, np.sin(x[:, 0])) > 0.9
    True
    """

    kind: ClassVar[str] = "neural-network-regressor"
    model_type = NeuralNetworkRegressionModel

    def __init__(
        self,
        *,
        hidden_layer_sizes: Hidden = (256, 256, 256),
        activation: ActivationName = "selu",
        solver: SolverName = "adam",
        max_iter: Annotated[int, AtLeast(1)] = 256,
        batch_size: Annotated[int, AtLeast(1)] = 256,
        learning_rate: Rate = "auto",
        schedule: Schedule = "coslog4",
        weight_decay: Annotated[float, AtLeast(0)] = 0.0,
        early_stopping: bool = True,
        validation_fraction: Share = 0.2,
        patience: Patience = None,
        n_estimators: Annotated[int, AtLeast(1)] = 1,
        scale: Scale = "robust",
        learned_scale: bool = True,
        last_layer_init: Literal["zero", "normal"] = "zero",
        progress: bool = False,
        random_state: Seed = None,
        n_jobs: int | None = None,
    ) -> None:
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.solver = solver
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.schedule = schedule
        self.weight_decay = weight_decay
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.n_estimators = n_estimators
        self.scale = scale
        self.learned_scale = learned_scale
        self.last_layer_init = last_layer_init
        self.progress = progress
        self.random_state = random_state
        self.n_jobs = n_jobs

    def learn(self, rows: Rows) -> tuple[RegressionModel, Floats]:
        table = rows.require_local(self._name)
        weights = table.row_weights
        most = float(np.abs(table.target_numbers).max(initial=0.0)) or 1.0  # so that squares do not overflow
        if most > 1e290:
            raise DataError(f"{self._name}: the target contains {most:.3g}, beyond 1e290; use another unit.")
        values = table.target_numbers / most
        even = (weights / weights.mean()).astype(np.float32).astype(np.float64)
        centre = float(np.average(values, weights=even))
        unit = float(np.sqrt(np.average((values - centre) ** 2, weights=even)))
        unit = unit if unit > 1e-14 * max(abs(centre), 1e-290) else 1.0
        response = ((values - centre) / unit).astype(np.float32)
        inputs = NeuralInputs.fit(table, self.scale)
        settings = self._settings()
        loss = SquaredErrorLoss(response, _weights(table))

        members = self._train(table, inputs, loss)
        layout = WeightLayout((inputs.width, *settings.hidden, 1), settings.learned_scale)
        place = np.array([centre * most, unit * most])
        model = NeuralNetworkRegressionModel(inputs, self.activation, layout, *_join_members(members), place)
        return model, np.array([weights.sum()])
