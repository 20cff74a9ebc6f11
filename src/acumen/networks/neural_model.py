"""Models of neural networks: inputs, and the weights of one or several networks whose outputs are averaged.

NeuralNetworkModel             classes: outputs are log probabilities up to a constant
NeuralNetworkRegressionModel   a number

Predictions use double precision although weights are stored in single precision, so that a row's prediction does not
depend, in any digit that matters, on the other rows of its block.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final, Literal, Self

import numpy as np

from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.engines.cores import blas_threads
from acumen.errors import ParameterError
from acumen.explain.cell_text import cell_text
from acumen.explain.explanation import Contribution, Evidence, Grounds
from acumen.explain.starting_point import AVERAGE_ROW, from_average
from acumen.models.model import Model, RegressionModel
from acumen.models.predictor import AnyPredictor
from acumen.networks.neural_activations import ACTIVATIONS
from acumen.networks.neural_inputs import NeuralInputs
from acumen.networks.neural_text import MOST_DRAWN, describe_network, drawing, loss_figure
from acumen.networks.perceptrons import LayerViews, WeightLayout, forward
from acumen.preprocessing.sparse import BLOCK
from acumen.preprocessing.stored_arrays import require, stored_array, stored_codes, stored_floats
from acumen.render.learning_plot import LearningFigure
from acumen.render.perceptrons_plot import PerceptronsFigure
from acumen.types import Array, Bools, Floats

_NAMES: Final = tuple(ACTIVATIONS)
_SLICE: Final = 1_024
_MOST_LAYERS: Final = 64
_LARGEST: Final = 1e30
_NOTE: Final = (
    "Amounts by exact occlusion: from a typical row, one attribute put in after the other, there and back."
)


@dataclass(frozen=True, eq=False)
class _NeuralModel:
    """Fields and prediction shared by both models."""

    inputs: NeuralInputs
    activation: str
    layout: WeightLayout
    flats: tuple[Array, ...]  # one vector of weights for each member
    curve: (
        Floats  # epochs x (training loss, loss of rows held out): the members' means; NaN where there is none
    )
    best: tuple[int, ...]  # the epoch kept, of each member
    held: bool  # whether the best epoch was chosen on held-out rows
    temperature: Floats  # what each member's outputs were divided by

    def outputs(self, X: Floats) -> Floats:
        """The members' mean outputs for encoded rows."""
        activation = ACTIVATIONS[self.activation]
        total = np.zeros((len(X), self.layout.sizes[-1]))
        with blas_threads(1), np.errstate(all="ignore"):
            for flat in self.flats:
                parts = self.layout.parts(flat.astype(np.float64))
                for top in range(
                    0, len(X), BLOCK
                ):  # blocks of one size, so that no row depends on the others
                    part = X[top : top + BLOCK]
                    block = np.zeros((BLOCK, X.shape[1]), dtype=X.dtype)
                    block[: len(part)] = part
                    total[top : top + BLOCK] += forward(parts, block, activation).outputs[: len(part)]
        total /= max(len(self.flats), 1)
        outputs: Floats = np.nan_to_num(total, copy=False, nan=0.0, posinf=1e300, neginf=-1e300)
        return outputs

    def predict_outputs(self, rows: Table) -> Floats:
        """The outputs for a table's rows, some thousands at a time."""
        outputs = np.empty((len(rows), self.layout.sizes[-1]))
        step = max(_SLICE, (1 << 22) // max(self.inputs.width, 1))
        for top in range(0, len(rows), step):
            part = slice(top, min(top + step, len(rows)))
            outputs[part] = self.outputs(self.inputs.matrix(rows.take(part)))
        return outputs

    def moves(self, row: Table) -> tuple[Floats, Floats]:
        """The outputs for a typical row, and how much each attribute changes them: one line per attribute.

        Attributes replace those of the typical row one after the other, once from the first to the last and once in
        reverse; the mean of both equals the Shapley value if at most two attributes interact. The amounts always add
        up to the difference.
        """
        typical, owner = self.inputs.typical, self.inputs.owner
        away, d = self.inputs.matrix(row)[0] - typical, len(self.inputs.view.schema)
        paths = np.zeros((2, d + 1, self.layout.sizes[-1]))
        with blas_threads(1), np.errstate(all="ignore"):
            for flat in self.flats:
                parts = self.layout.parts(flat.astype(np.float64))
                scaled = away if parts.scale is None else away * parts.scale
                # Each attribute changes only the first layer's sums, by the products of its own columns.
                changes = np.zeros((d, parts.weights[0].shape[1]))
                np.add.at(changes, owner, scaled[:, None] * parts.weights[0])
                start = forward(parts, typical[None, :], ACTIVATIONS[self.activation]).sums[0]
                for path, steps in zip(paths, (changes, changes[::-1]), strict=True):
                    path += self._from_first_sums(parts, np.concatenate([start, steps]).cumsum(axis=0))
        paths = np.nan_to_num(paths / max(len(self.flats), 1), nan=0.0, posinf=1e300, neginf=-1e300)
        forth, back = np.diff(paths, axis=1)
        return paths[0, 0], (forth + back[::-1]) / 2

    def _from_first_sums(self, parts: LayerViews, sums: Floats) -> Floats:
        """The outputs where the first layer's sums are these."""
        if len(parts.weights) == 1:
            return sums
        activation = ACTIVATIONS[self.activation]
        rest = LayerViews(None, parts.weights[1:], parts.biases[1:])
        outputs: Floats = forward(rest, activation.apply(sums), activation).outputs
        return outputs

    def grounds(self, row: Table, schema: Schema) -> Grounds:
        return Grounds(note=_NOTE)

    def to_figure(
        self, predictor: AnyPredictor, *, what: Literal["loss", "network"] = "loss"
    ) -> LearningFigure | PerceptronsFigure:
        """The loss over the epochs, or the network itself with its weights (of an ensemble the first)."""
        if what == "loss":
            return loss_figure(self.curve, self.best, self.held)
        if what != "network":
            raise ParameterError(f"to_figure: what must be 'loss' or 'network'; got {what!r}.")
        if not self.flats or max(self.layout.sizes) > MOST_DRAWN:
            raise ParameterError(
                f"to_figure: layers with more than {MOST_DRAWN} units cannot be drawn legibly; the largest "
                f"has {max(self.layout.sizes, default=0)}."
            )
        return drawing(self.layout, self.flats[0], self.inputs, self.output_names(predictor.schema))

    @abstractmethod
    def output_names(self, schema: Schema) -> tuple[str, ...]:
        """The names of the outputs."""

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        return describe_network(self, schema, self.output_names(schema), full)

    @property
    def n_parameters(self) -> int:
        return self.layout.length * len(self.flats)

    def _arrays(self) -> dict[str, Array]:
        arrays = {
            **self.inputs.to_arrays(),
            "activation": np.array([_NAMES.index(self.activation)], dtype=np.int32),
            "hidden": np.array(self.layout.sizes[1:-1], dtype=np.int32),
            "scaled": np.array([self.layout.scaled], dtype=np.bool_),
            "curve": np.where(np.isnan(self.curve), -1.0, self.curve),
            "best": np.array(self.best, dtype=np.int32),
            "held": np.array([self.held], dtype=np.bool_),
            "temperature": self.temperature,
        }
        # Model files have no single-precision type, and doubles would take twice the space: store the bits.
        return arrays | {f"weights/{i}": flat.view(np.uint32) for i, flat in enumerate(self.flats)}


def _parts(
    arrays: Mapping[str, Array], schema: Schema, outputs: int
) -> tuple[NeuralInputs, str, WeightLayout, tuple[Array, ...], Floats, tuple[int, ...], bool, Floats]:
    inputs = NeuralInputs.from_arrays(arrays, schema)
    activation = _NAMES[int(stored_codes(arrays, "activation", (1,), low=0, below=len(_NAMES))[0])]
    hidden = stored_codes(arrays, "hidden", (None,), low=1, below=2**24)
    require(len(hidden) <= _MOST_LAYERS, f"it has more than {_MOST_LAYERS} layers")
    scaled = bool(stored_array(arrays, "scaled", np.bool_, (1,))[0])
    best = stored_codes(arrays, "best", (None,), low=0, below=2**31 - 1)
    layout = WeightLayout((inputs.width, *hidden.tolist(), outputs), scaled)
    # Sizes are not trusted until arrays of that length have been read from the file.
    flats = []
    for i in range(len(best)):
        bits = stored_array(arrays, f"weights/{i}", np.uint32, (layout.length,))
        flat = np.ascontiguousarray(bits).view(np.float32)
        require(
            bool(np.isfinite(flat).all()) and float(np.abs(flat).max(initial=0.0)) <= _LARGEST,
            "a weight is not finite, or beyond 1e30",
        )
        flats.append(flat)
    curve = stored_floats(arrays, "curve", (None, 2), low=-1.0, finite=False)
    curve = np.where(curve == -1.0, np.nan, curve)
    held = bool(stored_array(arrays, "held", np.bool_, (1,))[0])
    temperature = stored_floats(arrays, "temperature", (len(best),), low=1e-6, high=1e6)
    return inputs, activation, layout, tuple(flats), curve, tuple(best.tolist()), held, temperature


@dataclass(frozen=True, eq=False)
class NeuralNetworkModel(_NeuralModel, Model):
    """Neural networks for classification."""

    kind: ClassVar[str] = "neural-network"

    seen: Bools  # which classes had training rows

    @property
    def places(self) -> Array:
        """The codes of the classes that had training rows."""
        return np.flatnonzero(self.seen)

    def scores(self, rows: Table) -> Floats:
        total = np.full((len(rows), len(self.seen)), -np.inf)
        total[:, self.places] = self.predict_outputs(rows) if self.flats else 0.0
        return total

    def output_names(self, schema: Schema) -> tuple[str, ...]:
        return tuple(str(schema.classes[code]) for code in self.places.tolist())

    def evidence(self, row: Table, schema: Schema, winner: int, rival: int) -> tuple[Evidence, ...]:
        """How much each attribute changes the log-odds, starting from a typical row."""
        at = {code: place for place, code in enumerate(self.places.tolist())}
        if winner not in at or rival not in at or not self.flats:
            return Model.evidence(self, row, schema, winner, rival)
        start, moved = self.moves(row)
        apart = moved[:, at[winner]] - moved[:, at[rival]]
        evidence = [Evidence(None, AVERAGE_ROW, float(start[at[winner]] - start[at[rival]]), role="start")]
        names = self.inputs.view.schema.names
        evidence += [
            Evidence(n, cell_text(row, n), float(v)) for n, v in zip(names, apart.tolist(), strict=True) if v
        ]
        return tuple(evidence)

    def to_arrays(self) -> dict[str, Array]:
        return {**self._arrays(), "seen": np.asarray(self.seen, dtype=np.bool_)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        seen = stored_array(arrays, "seen", np.bool_, (schema.n_classes,))
        count = int(np.count_nonzero(seen))
        require(count > 0, "no class has training rows")
        parts = _parts(arrays, schema, count)
        require((count > 1) == bool(parts[3]), "its networks do not match its classes")
        return cls(*parts, seen)


@dataclass(frozen=True, eq=False)
class NeuralNetworkRegressionModel(_NeuralModel, RegressionModel):
    """Neural networks for regression: outputs are standardised by the training rows' mean and deviation."""

    kind: ClassVar[str] = "neural-network-regressor"

    place: Floats  # the mean and the deviation

    def values(self, rows: Table) -> Floats:
        centre, unit = self.place.tolist()
        values: Floats = np.nan_to_num(self.predict_outputs(rows)[:, 0] * unit + centre)
        return values

    def output_names(self, schema: Schema) -> tuple[str, ...]:
        return (schema.target.name if schema.target else "value",)

    def contributions(self, row: Table, schema: Schema) -> tuple[float, tuple[Contribution, ...]]:
        centre, unit = self.place.tolist()
        start, moved = self.moves(row)
        names = self.inputs.view.schema.names
        contributions = [
            Contribution(n, cell_text(row, n), float(v * unit))
            for n, v in zip(names, moved[:, 0].tolist(), strict=True)
            if v
        ]
        average = Contribution(None, AVERAGE_ROW, float(start[0] * unit + centre), role="start")
        first, *rest = from_average((average, *contributions), centre)
        return first.amount, tuple(rest)

    def to_arrays(self) -> dict[str, Array]:
        return {**self._arrays(), "place": self.place}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        parts = _parts(arrays, schema, 1)
        require(bool(parts[3]), "it has no network")
        place = stored_floats(arrays, "place", (2,), low=-1e300, high=1e300)
        require(place[1] > 0, "its unit is not above 0")
        return cls(*parts, place)
