"""Perceptrons in a chain: each layer's answers are the next one's inputs, and errors travel back the same way.

    Layout     how many units each layer has; where each weight lies in one flat vector
    forward    inputs -> sums and answers of every layer
    backward   errors of the outputs -> errors of every layer, and the gradient of every weight
    Classes    what outputs cost where there are classes (softmax, cross-entropy), and the outputs' errors
    Numbers    the same where there is a number (half the squared error)

Before the first layer each input may be multiplied by a learned number of its own. All weights lie in one vector, so
that a step of any solver is arithmetic on vectors; matrices are views of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from acumen.caching import cached_property
from acumen.networks.neural_activations import Activation
from acumen.types import Array, Codes


class Parts(NamedTuple):
    """Views of a flat vector: the inputs' factors (None where they are not learned), and each layer's weights."""

    scale: Array | None
    weights: tuple[Array, ...]  # inputs x units
    biases: tuple[Array, ...]


@dataclass(frozen=True)
class Layout:
    """Units of each layer, inputs first and outputs last."""

    sizes: tuple[int, ...]
    scaled: bool  # whether each input has a factor that is learned

    @cached_property
    def length(self) -> int:
        """How many weights there are."""
        layers = sum((inputs + 1) * units for inputs, units in zip(self.sizes, self.sizes[1:], strict=False))
        return layers + (self.sizes[0] if self.scaled else 0)

    @property
    def layers(self) -> int:
        return len(self.sizes) - 1

    def parts(self, flat: Array) -> Parts:
        """The vector's views: first the factors of the inputs, then each layer's weights and biases."""
        at = self.sizes[0] if self.scaled else 0
        scale = flat[:at] if self.scaled else None
        weights, biases = [], []
        for inputs, units in zip(self.sizes, self.sizes[1:], strict=False):
            weights.append(flat[at : at + inputs * units].reshape(inputs, units))
            at += inputs * units
            biases.append(flat[at : at + units])
            at += units
        return Parts(scale, tuple(weights), tuple(biases))

    def begun(self, rng: np.random.Generator, last: str = "zero") -> Array:
        """Weights to begin with: normal, of variance 1 / inputs; the last layer's 0, so that nothing is preferred.

        With `last="normal"` the last layer begins as the others do.
        """
        flat = np.zeros(self.length, dtype=np.float32)
        parts = self.parts(flat)
        if parts.scale is not None:
            parts.scale[:] = 1
        begun = self.layers if last == "normal" else self.layers - 1
        for weights, biases in zip(parts.weights[:begun], parts.biases[:begun], strict=True):
            weights[:] = rng.standard_normal(weights.shape, dtype=np.float32) / np.sqrt(
                max(weights.shape[0], 1)
            )
            biases[:] = rng.standard_normal(len(biases), dtype=np.float32)
        return flat

    def rates(self) -> Array:
        """How fast each weight moves under Adam, beside the rate: what the neural tangent parametrisation amounts to.

        Weights of variance 1 whose sums are divided by the root of the number of inputs move as weights of variance
        1 / inputs do whose steps are divided by it. Factors of inputs move six times as fast, biases a tenth.
        """
        flat = np.empty(self.length, dtype=np.float32)
        parts = self.parts(flat)
        if parts.scale is not None:
            parts.scale[:] = 6
        for weights, biases in zip(parts.weights, parts.biases, strict=True):
            weights[:] = 1 / np.sqrt(max(weights.shape[0], 1))
            biases[:] = 0.1
        return flat


class Pass(NamedTuple):
    """What a way through the layers leaves: the inputs as the first layer sees them, sums and answers of each layer."""

    inputs: Array
    sums: list[Array]
    answers: list[Array]  # of the hidden layers

    @property
    def outputs(self) -> Array:
        return self.sums[-1]


def forward(parts: Parts, X: Array, activation: Activation) -> Pass:
    """Sums and answers of every layer; the last one's sums are the outputs."""
    inputs = X if parts.scale is None else X * parts.scale
    seen, sums, answers = inputs, [], []
    last = len(parts.weights) - 1
    for place, (weights, biases) in enumerate(zip(parts.weights, parts.biases, strict=True)):
        z = seen @ weights
        z += biases
        sums.append(z)
        if place < last:
            seen = activation.apply(z)
            answers.append(seen)
    return Pass(inputs, sums, answers)


def backward(
    parts: Parts, X: Array, way: Pass, errors: Array, activation: Activation, gradient: Parts
) -> list[Array]:
    """Fill `gradient` and give each layer's errors (derivatives of the loss by its sums), the first layer's first."""
    made = [errors]
    for place in range(len(parts.weights) - 1, -1, -1):
        seen = way.answers[place - 1] if place else way.inputs
        np.dot(seen.T, errors, out=gradient.weights[place])
        np.sum(errors, axis=0, out=gradient.biases[place])
        if place:
            errors = errors @ parts.weights[place].T
            errors *= activation.slope(way.sums[place - 1], seen)
            made.append(errors)
        elif parts.scale is not None:
            assert gradient.scale is not None
            np.einsum("ij,ij->j", X, errors @ parts.weights[0].T, out=gradient.scale)
    return made[::-1]


class Loss(Protocol):
    """What outputs cost, of rows by their numbers."""

    @property
    def weights(self) -> Array: ...  # of mean 1
    @property
    def key(self) -> Array: ...  # by which rows held out are spread evenly
    def errors(self, outputs: Array, rows: Array) -> tuple[Array, float]: ...
    def mean(self, outputs: Array, rows: Array) -> float: ...


@dataclass(frozen=True)
class Classes:
    """Cross-entropy of softmax outputs; `smoothing` of each row's share goes evenly to all classes."""

    labels: Codes
    weights: Array  # of mean 1
    k: int
    smoothing: float

    @property
    def key(self) -> Array:
        return self.labels

    def errors(self, outputs: Array, rows: Array) -> tuple[Array, float]:
        """Derivatives of the rows' mean loss by the outputs, and the sum of their losses without smoothing."""
        labels, weights = self.labels[rows], self.weights[rows]
        place = np.arange(len(rows))
        made = outputs - outputs.max(axis=1, keepdims=True)
        own = made[place, labels]
        np.exp(made, out=made)
        total = made.sum(axis=1, keepdims=True)
        made /= total
        loss = float(weights @ (np.log(total[:, 0]) - own))
        if self.smoothing:
            made -= made.dtype.type(self.smoothing / self.k)
        made[place, labels] -= made.dtype.type(1 - self.smoothing)
        made *= (weights / len(rows)).astype(made.dtype, copy=False)[:, None]
        return made, loss

    def mean(self, outputs: Array, rows: Array) -> float:
        """The mean loss of rows, without smoothing."""
        return cross_entropy(outputs, self.labels[rows], self.weights[rows])


def cross_entropy(outputs: Array, labels: Codes, weights: Array) -> float:
    """The weighted mean of -log P(own class)."""
    z = outputs - outputs.max(axis=1, keepdims=True)
    lost = np.log(np.exp(z).sum(axis=1)) - z[np.arange(len(z)), labels]
    return float(np.average(lost.astype(np.float64), weights=weights))


@dataclass(frozen=True)
class Numbers:
    """Half the squared error of one output."""

    response: Array
    weights: Array  # of mean 1

    @property
    def key(self) -> Array:
        return self.response

    def errors(self, outputs: Array, rows: Array) -> tuple[Array, float]:
        away, weights = outputs[:, 0] - self.response[rows], self.weights[rows]
        weighed = away * weights
        loss = 0.5 * float(weighed @ away)
        weighed /= len(rows)
        return weighed[:, None], loss

    def mean(self, outputs: Array, rows: Array) -> float:
        away = (outputs[:, 0] - self.response[rows]).astype(np.float64)
        return 0.5 * float(np.average(away * away, weights=self.weights[rows]))
