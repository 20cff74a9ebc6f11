"""The faces of neural networks: parameters, documentation, and what is known of their training."""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

import numpy as np

from acumen.base.classifier import Classifier
from acumen.base.memory_budget import Widths, dense_bytes
from acumen.base.regressor import Regressor
from acumen.base.scikit import ConvergenceWarning
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError
from acumen.models.model import Model, RegressionModel
from acumen.models.parameters import AtLeast, Between, ClassWeight, Costs, Described, MoreThan, Priors
from acumen.networks.neural_inputs import Inputs, Scale
from acumen.networks.neural_members import train_all
from acumen.networks.neural_model import NeuralNetworkModel, NeuralNetworkRegressionModel
from acumen.networks.neural_solvers import Schedule, SolverName
from acumen.networks.neural_trace import MOST_WEIGHTS, Step
from acumen.networks.neural_training import Member, Settings, Teller
from acumen.networks.perceptrons import Classes, Layout, Loss, Numbers
from acumen.profiling.fit_warnings import watching
from acumen.resampling.plan import streams
from acumen.types import Floats

if TYPE_CHECKING:
    from acumen.base.learner import Learner as MixedIn
else:
    MixedIn = object  # the faces bring the learner with them

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


class NeuralFace(MixedIn):
    """Learning and telling; the parameters are those of the faces."""

    hidden: Any
    activation: Any
    solver: Any
    epochs: Any
    batch: Any
    rate: Any
    schedule: Any
    weight_decay: Any
    early_stopping: Any
    validation: Any
    patience: Any
    ensemble: Any
    scale: Any
    learned_scale: Any
    last: Any
    progress: Any
    random_state: Any

    def check_parameters(self) -> None:
        super().check_parameters()
        self._hidden()

    def _hidden(self) -> tuple[int, ...]:
        given = self.hidden
        units = (given,) if isinstance(given, (int, np.integer)) else given
        right = isinstance(units, (tuple, list, np.ndarray)) and all(
            isinstance(each, (int, np.integer))
            and not isinstance(each, (bool, np.bool_))
            and 1 <= each <= _MOST_UNITS
            for each in units
        )
        if not right or len(units) > _MOST_LAYERS:
            raise ParameterError(
                f"{self._name}: hidden must be whole numbers of at least 1, the units of each hidden layer; got "
                f"{given!r}."
            )
        return tuple(int(each) for each in units)

    @property
    def legible(self) -> bool:
        return False

    def memory(self, rows: int, schema: Schema) -> int | None:
        """The rows in single precision, some of them in doubles, and several vectors of all weights."""
        width = Widths.of(schema).coded + len(schema)
        layout = Layout((width, *self._hidden(), max(schema.n_classes, 1)), True)
        batch = min(rows, max(int(self.batch), 2048))
        members = int(self.ensemble)
        at_once = 24 * layout.length + 12 * batch * sum(layout.sizes)
        return (
            dense_bytes(rows, width, 0.6)
            + min(dense_bytes(rows, width, 3), 1 << 25)
            + 4 * members * layout.length
            + min(members, 8) * at_once
        )

    def _settings(self) -> Settings:
        rate = 0.0 if isinstance(self.rate, str) else float(self.rate)
        return Settings(
            hidden=self._hidden(),
            activation=self.activation,
            solver=self.solver,
            epochs=int(self.epochs),
            batch=int(self.batch),
            rate=rate,
            schedule=self.schedule,
            weight_decay=float(self.weight_decay),
            label_smoothing=float(getattr(self, "label_smoothing", 0.0)),
            validation=float(self.validation) if self.early_stopping else 0.0,
            patience=None if self.patience is None else int(self.patience),
            learned_scale=bool(self.learned_scale),
            last=self.last,
            temperature=bool(getattr(self, "temperature", False)),
        )

    def _trained(self, table: Table, inputs: Inputs, loss: Loss) -> list[Member]:
        """The members; warnings of a training that ended early are said when it has been kept."""
        many = int(self.ensemble)
        given = streams(self.random_state, self._name)
        tell = _teller(self._name) if self.progress else None
        found = train_all(
            inputs.matrix(table, np.float32),
            loss,
            self._settings(),
            [next(given) for _ in range(many)],
            tell,
            inputs.view.names,
        )
        self.n_iter_ = max(1, *(len(member.curve) for member in found))
        self._traced = found[0].trace
        kept = [member for member in found if member.best] or found[:1]
        if any(member.ended == "interrupted" for member in found) or len(found) < many:
            self._interrupted = (
                f"{self._name}: training was interrupted; the best epoch till then is kept "
                f"({_epochs(kept)}, of {int(self.epochs)})."
            )
        elif any(member.ended == "diverged" for member in found):
            warnings.warn(
                f"{self._name}: the weights grew beyond all numbers; the best epoch before is kept "
                f"({_epochs(kept)}). Lower the rate.",
                ConvergenceWarning,
                stacklevel=6,
            )
        return kept

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from rows, as every learner does; Ctrl-C keeps the best epoch till then, and a warning says so.

        Parameters
        ----------
        X, y, sample_weight
            As for every learner: a Table, or rows and what is to be learned; weights multiply a row's loss.
        """
        watched = watching()
        self.__dict__.pop("_interrupted", None)
        super().fit(X, y, sample_weight)
        sentence = self.__dict__.pop("_interrupted", None)
        if sentence is not None:
            # Inside a larger task, of many fits, Ctrl-C was meant for the whole of it.
            if not watched:
                raise KeyboardInterrupt
            warnings.warn(sentence, ConvergenceWarning, stacklevel=2)
        return self

    # -- telling ----------------------------------------------------------------------------------

    @property
    def losses_(self) -> dict[str, Floats]:
        """The mean loss after each epoch, of the training rows and of those held out (of an ensemble the mean)."""
        curve: Floats = self._fitted().model.curve
        return {"training": curve[:, 0].copy(), "held out": curve[:, 1].copy()}

    @property
    def best_epoch_(self) -> int | tuple[int, ...]:
        """The epoch whose weights were kept, from 1; of an ensemble each member's."""
        best: tuple[int, ...] = self._fitted().model.best
        return best[0] if len(best) == 1 else best

    @property
    def coefs_(self) -> list[Floats]:
        """Of each layer its weights, one line for each input; of an ensemble the first network's."""
        return [np.array(w, dtype=np.float64) for w in self._network().weights]

    @property
    def intercepts_(self) -> list[Floats]:
        """Of each layer its biases; of an ensemble the first network's."""
        return [np.array(b, dtype=np.float64) for b in self._network().biases]

    @property
    def factors_(self) -> Floats | None:
        """What each input is multiplied by before the first layer, where that was learned."""
        scale = self._network().scale
        return None if scale is None else np.array(scale, dtype=np.float64)

    @property
    def input_names_(self) -> tuple[str, ...]:
        """The columns the network sees."""
        names: tuple[str, ...] = self._fitted().model.inputs.view.names
        return names

    def _network(self) -> Any:
        model = self._fitted().model
        if not model.flats:
            raise AttributeError("there is no network: all rows were of one class")
        return model.layout.parts(model.flats[0])

    @property
    def trace_(self) -> Step:
        """The first step of training, with every number, of networks of at most 1,000 weights; print it."""
        self._fitted()
        found: Step | None = getattr(self, "_traced", None)
        if found is None:
            raise AttributeError(
                f"the first step is written out of networks of at most {MOST_WEIGHTS:,} weights, while they are "
                "trained; a model file does not keep it"
            )
        return found


def _epochs(members: list[Member]) -> str:
    said = ", ".join(str(member.best) for member in members[:8])
    return f"epoch {said}" if len(members) == 1 else f"epochs {said}"


def _teller(who: str) -> Teller:
    def tell(done: int, of: int, loss: float) -> None:
        if done % 10 == 0 or done == of:
            print(f"{who}: epoch {done} of {of}, loss {loss:.5g}", file=sys.stderr, flush=True)

    return tell


def _joined(members: list[Member]) -> tuple[tuple[Any, ...], Floats, tuple[int, ...], bool, Floats]:
    """Weights, the mean curve, best epochs, whether rows were held out, temperatures."""
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
    """Classify by a network: perceptrons chained in layers, trained by backpropagation.

    The defaults are a recipe that works on tables without being tuned (RealMLP-TD-S: Holzmüller and others, 2024).
    Numbers are centred at the median, brought to the size of the middle half of the rows and clipped smoothly; levels
    have a column each, texts their 1,000 most frequent words, gaps the median and a column that says so. Outputs are
    softmax probabilities.

    Parameters
    ----------
    hidden : tuple of int
        Units of each hidden layer; (8,) is one small layer, () none (then it is logistic regression).
    activation : {"selu", "tanh", "relu", "logistic", "mish"}
        What a unit makes of its sum.
    solver : {"adam", "sgd", "momentum"}
        Adam with beta2 = .95; plain steps down the gradient of each batch; or with a momentum of .9.
    epochs : int
        How often all training rows are gone through.
    batch : int
        About how many rows a step is made from.
    rate : "auto" or float
        The size of steps at its largest; "auto" is .04 for Adam, .1 for "sgd" and .02 for "momentum". Under Adam the
        weights of a layer move by rate / sqrt(its inputs), biases by a tenth of the rate, inputs' factors by six times.
    schedule : {"coslog4", "constant"}
        How the rate goes: in four waves, each twice as long as the one before, or evenly.
    weight_decay : float
        Each step takes rate x this share of every weight away.
    label_smoothing : float
        So much of each row's class is shared out evenly to all classes, so that the network does not become too sure.
        Of few rows more, unless it is 0: as much as one more row of each class would do.
    early_stopping : bool
        Hold rows out and keep the weights of the epoch after which they had the least loss. All epochs are gone
        through all the same, unless `patience` ends them.
    validation : float
        The share of rows held out. Of at most 200 rows (8 batches, 4 million weights) so many are held out in turn,
        each row once, to find the epoch; then a network learns from all rows till that epoch.
    patience : int, optional
        End after so many epochs without a lower loss of rows held out.
    ensemble : int
        So many networks, each with rows of its own held out; their outputs are averaged.
    scale : {"robust", "z-score", "min-max", "none"}
        How numbers are prepared.
    learned_scale : bool
        Multiply each input by a number that is learned, before the first layer.
    last : {"zero", "normal"}
        How the last layer begins: at 0, or as the others. In `trace_` nothing goes back through a layer of zeros.
    temperature : bool
        Divide the outputs by the number that makes rows held out least surprising; probabilities then mean what they
        say, though labels were smoothed.
    progress : bool
        Tell of every tenth epoch on stderr.
    costs, priors, class_weight
        As for NaiveBayes.
    random_state : int, generator or None
        The seed of first weights, of rows held out and of the order of rows.
    n_jobs : int, optional
        Threads, which share out the networks of an ensemble; None for all permitted cores.

    Attributes
    ----------
    losses_ : dict
        The loss of training rows and of those held out after each epoch; `to_figure()` draws both.
    best_epoch_ : int
        The epoch that was kept.
    coefs_, intercepts_, factors_ : lists of arrays, and an array
        Weights and biases of each layer, and the inputs' factors; `to_figure(what="network")` draws small ones.
    trace_ : Step
        The first step, with every sum, answer, delta, gradient and new weight, of networks of at most 1,000 weights.

    Notes
    -----
    Ctrl-C ends training; the best epoch till then is kept, and a warning says so. The same seed gives the same bytes
    for any number of threads: each product is made by one thread of BLAS. Another processor or another BLAS may round
    sums otherwise, and thousands of steps make that visible.

    Explanations are exact occlusion: what each attribute changes when it is put in place of the typical one, one after
    the other, the mean of both orders; the amounts add up to the log-odds.

    Examples
    --------
    >>> import acumen
    >>> iris = acumen.datasets.load("iris")
    >>> model = acumen.NeuralNetwork(hidden=(16,), epochs=100, random_state=0).fit(iris)
    >>> model.score(iris) > 0.9
    True
    """

    kind: ClassVar[str] = "neural-network"
    model_type = NeuralNetworkModel

    def __init__(
        self,
        *,
        hidden: Hidden = (256, 256, 256),
        activation: ActivationName = "selu",
        solver: SolverName = "adam",
        epochs: Annotated[int, AtLeast(1)] = 256,
        batch: Annotated[int, AtLeast(1)] = 256,
        rate: Rate = "auto",
        schedule: Schedule = "coslog4",
        weight_decay: Annotated[float, AtLeast(0)] = 0.0,
        label_smoothing: Smoothing = 0.1,
        early_stopping: bool = True,
        validation: Share = 0.2,
        patience: Patience = None,
        ensemble: Annotated[int, AtLeast(1)] = 1,
        scale: Scale = "robust",
        learned_scale: bool = True,
        last: Literal["zero", "normal"] = "zero",
        temperature: bool = True,
        progress: bool = False,
        costs: Costs = None,
        priors: Priors = None,
        class_weight: ClassWeight = None,
        random_state: Seed = None,
        n_jobs: int | None = None,
    ) -> None:
        self.hidden = hidden
        self.activation = activation
        self.solver = solver
        self.epochs = epochs
        self.batch = batch
        self.rate = rate
        self.schedule = schedule
        self.weight_decay = weight_decay
        self.label_smoothing = label_smoothing
        self.early_stopping = early_stopping
        self.validation = validation
        self.patience = patience
        self.ensemble = ensemble
        self.scale = scale
        self.learned_scale = learned_scale
        self.last = last
        self.temperature = temperature
        self.progress = progress
        self.costs = costs
        self.priors = priors
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs

    def learn(self, table: Table) -> tuple[Model, Floats]:
        assert table.labels is not None
        totals = np.bincount(table.labels, table.row_weights, table.schema.n_classes).astype(np.float64)
        seen = totals > 0
        count = int(np.count_nonzero(seen))
        inputs = Inputs.fit(table, self.scale)
        if count < 2:
            self.n_iter_, self._traced = 1, None
            layout = Layout((inputs.width, count), False)
            none = np.empty((0, 2))
            return NeuralNetworkModel(
                inputs, self.activation, layout, (), none, (), False, np.empty(0), seen
            ), totals
        labels = np.ascontiguousarray((np.cumsum(seen) - 1).astype(np.int32)[table.labels])
        settings = self._settings()
        loss = Classes(labels, _weights(table), count, settings.label_smoothing)

        members = self._trained(table, inputs, loss)
        layout = Layout((inputs.width, *settings.hidden, count), settings.learned_scale)
        return NeuralNetworkModel(inputs, self.activation, layout, *_joined(members), seen), totals


class NeuralNetworkRegressor(NeuralFace, Regressor):
    """Predict a number by a network: perceptrons chained in layers, trained by backpropagation; as NeuralNetwork.

    The target is brought to mean 0 and deviation 1 for training; the loss is half the squared error in these units.

    Parameters
    ----------
    hidden, activation, solver, epochs, batch, rate, schedule, weight_decay, early_stopping, validation, patience
        As for NeuralNetwork.
    ensemble, scale, learned_scale, last, progress, random_state, n_jobs
        As for NeuralNetwork.

    Attributes
    ----------
    losses_, best_epoch_, coefs_, intercepts_, factors_, trace_
        As for NeuralNetwork.

    Examples
    --------
    >>> import acumen, numpy as np
    >>> x = np.linspace(0, 6, 200)[:, None]
    >>> model = acumen.NeuralNetworkRegressor(hidden=(32, 32), epochs=150, random_state=0)
    >>> model.fit(x, np.sin(x[:, 0])).score(x, np.sin(x[:, 0])) > 0.9
    True
    """

    kind: ClassVar[str] = "neural-network-regressor"
    model_type = NeuralNetworkRegressionModel

    def __init__(
        self,
        *,
        hidden: Hidden = (256, 256, 256),
        activation: ActivationName = "selu",
        solver: SolverName = "adam",
        epochs: Annotated[int, AtLeast(1)] = 256,
        batch: Annotated[int, AtLeast(1)] = 256,
        rate: Rate = "auto",
        schedule: Schedule = "coslog4",
        weight_decay: Annotated[float, AtLeast(0)] = 0.0,
        early_stopping: bool = True,
        validation: Share = 0.2,
        patience: Patience = None,
        ensemble: Annotated[int, AtLeast(1)] = 1,
        scale: Scale = "robust",
        learned_scale: bool = True,
        last: Literal["zero", "normal"] = "zero",
        progress: bool = False,
        random_state: Seed = None,
        n_jobs: int | None = None,
    ) -> None:
        self.hidden = hidden
        self.activation = activation
        self.solver = solver
        self.epochs = epochs
        self.batch = batch
        self.rate = rate
        self.schedule = schedule
        self.weight_decay = weight_decay
        self.early_stopping = early_stopping
        self.validation = validation
        self.patience = patience
        self.ensemble = ensemble
        self.scale = scale
        self.learned_scale = learned_scale
        self.last = last
        self.progress = progress
        self.random_state = random_state
        self.n_jobs = n_jobs

    def learn(self, table: Table) -> tuple[RegressionModel, Floats]:
        assert table.response is not None
        weights = table.row_weights
        most = float(np.abs(table.response).max(initial=0.0)) or 1.0  # so that squares are numbers
        if most > 1e290:
            raise DataError(
                f"{self._name}: the target has numbers of {most:.3g}, beyond 1e290; give it in another unit."
            )
        values = table.response / most
        even = (weights / weights.mean()).astype(np.float32).astype(np.float64)
        centre = float(np.average(values, weights=even))
        unit = float(np.sqrt(np.average((values - centre) ** 2, weights=even)))
        unit = unit if unit > 1e-14 * max(abs(centre), 1e-290) else 1.0
        response = ((values - centre) / unit).astype(np.float32)
        inputs = Inputs.fit(table, self.scale)
        settings = self._settings()
        loss = Numbers(response, _weights(table))

        members = self._trained(table, inputs, loss)
        layout = Layout((inputs.width, *settings.hidden, 1), settings.learned_scale)
        place = np.array([centre * most, unit * most])
        model = NeuralNetworkRegressionModel(inputs, self.activation, layout, *_joined(members), place)
        return model, np.array([weights.sum()])
