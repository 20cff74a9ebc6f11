"""Multilayer perceptrons: each layer's answers are the next one's inputs, and errors propagate back the same way.

    WeightLayout       the units of each layer, and where each weight is in one flat vector
    forward            inputs -> sums and answers of every layer
    backward           errors of the outputs -> errors of every layer, and the gradient of every weight
    CrossEntropyLoss   the loss and its derivatives for classes (softmax)
    SquaredErrorLoss   the same for a number (half the squared error)

Each input may be multiplied by a learned factor before the first layer. All weights are in one vector, so that a step
of any solver is vector arithmetic; matrices are views of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from acumen.caching import cached_property
from acumen.networks.neural_activations import Activation
from acumen.types import Array, Codes


class LayerViews(NamedTuple):
    """Views of a flat vector: the inputs' factors (None if they are not learned), and each layer's weights."""

    scale: Array | None
    weights: tuple[Array, ...]  # inputs x units
    biases: tuple[Array, ...]


@dataclass(frozen=True)
class WeightLayout:
    """Units of each layer, inputs first and outputs last."""

    sizes: tuple[int, ...]
    scaled: bool  # whether each input has a factor that is learned

    @cached_property
    def length(self) -> int:
        """The number of weights."""
        layers = sum((inputs + 1) * units for inputs, units in zip(self.sizes, self.sizes[1:], strict=False))
        return layers + (self.sizes[0] if self.scaled else 0)

    @property
    def layers(self) -> int:
        return len(self.sizes) - 1

    def parts(self, flat: Array) -> LayerViews:
        """The vector's views: first the factors of the inputs, then each layer's weights and biases."""
        at = self.sizes[0] if self.scaled else 0
        scale = flat[:at] if self.scaled else None
        weights, biases = [], []
        for inputs, units in zip(self.sizes, self.sizes[1:], strict=False):
            weights.append(flat[at : at + inputs * units].reshape(inputs, units))
            at += inputs * units
            biases.append(flat[at : at + units])
            at += units
        return LayerViews(scale, tuple(weights), tuple(biases))

    def initial_weights(self, rng: np.random.Generator, last: str = "zero") -> Array:
        """Initial weights: normal with variance 1 / inputs; 0 in the last layer, so that no class is preferred.

        With `last_layer_init="normal"` the last layer starts like the others.
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
        """The learning rate of each weight under Adam, relative to the rate: the neural tangent parametrisation.

        Weights of variance 1 whose sums are divided by the root of the number of inputs are equivalent to weights of
        variance 1 / inputs whose steps are divided by it. Input factors learn six times as fast, biases at a tenth.
        """
        flat = np.empty(self.length, dtype=np.float32)
        parts = self.parts(flat)
        if parts.scale is not None:
            parts.scale[:] = 6
        for weights, biases in zip(parts.weights, parts.biases, strict=True):
            weights[:] = 1 / np.sqrt(max(weights.shape[0], 1))
            biases[:] = 0.1
        return flat


class ForwardPass(NamedTuple):
    """The results of a forward pass: the first layer's inputs, and the sums and answers of each layer."""

    inputs: Array
    sums: list[Array]
    answers: list[Array]  # of the hidden layers

    @property
    def outputs(self) -> Array:
        return self.sums[-1]


def forward(parts: LayerViews, X: Array, activation: Activation) -> ForwardPass:
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
    return ForwardPass(inputs, sums, answers)


def backward(
    parts: LayerViews, X: Array, way: ForwardPass, errors: Array, activation: Activation, gradient: LayerViews
) -> list[Array]:
    """Fill `gradient` and return each layer's errors (derivatives of the loss by its sums), first layer first."""
    deltas = [errors]
    for place in range(len(parts.weights) - 1, -1, -1):
        seen = way.answers[place - 1] if place else way.inputs
        np.dot(seen.T, errors, out=gradient.weights[place])
        np.sum(errors, axis=0, out=gradient.biases[place])
        if place:
            errors = errors @ parts.weights[place].T
            errors *= activation.slope(way.sums[place - 1], seen)
            deltas.append(errors)
        elif parts.scale is not None:
            assert gradient.scale is not None
            np.einsum("ij,ij->j", X, errors @ parts.weights[0].T, out=gradient.scale)
    return deltas[::-1]


class Loss(Protocol):
    """A loss function over rows, selected by index."""

    @property
    def weights(self) -> Array: ...  # of mean 1
    @property
    def key(self) -> Array: ...  # by which held-out rows are stratified
    def errors(self, outputs: Array, rows: Array) -> tuple[Array, float]: ...
    def mean(self, outputs: Array, rows: Array) -> float: ...


@dataclass(frozen=True)
class CrossEntropyLoss:
    """Cross-entropy of softmax outputs; the fraction `smoothing` of each label is spread evenly over all classes."""

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
        errors = outputs - outputs.max(axis=1, keepdims=True)
        own_scores = errors[place, labels]
        np.exp(errors, out=errors)
        total = errors.sum(axis=1, keepdims=True)
        errors /= total
        loss = float(weights @ (np.log(total[:, 0]) - own_scores))
        if self.smoothing:
            errors -= errors.dtype.type(self.smoothing / self.k)
        errors[place, labels] -= errors.dtype.type(1 - self.smoothing)
        errors *= (weights / len(rows)).astype(errors.dtype, copy=False)[:, None]
        return errors, loss

    def mean(self, outputs: Array, rows: Array) -> float:
        """The mean loss of rows, without smoothing."""
        return cross_entropy(outputs, self.labels[rows], self.weights[rows])


def cross_entropy(outputs: Array, labels: Codes, weights: Array) -> float:
    """The weighted mean of -log P(own class)."""
    z = outputs - outputs.max(axis=1, keepdims=True)
    lost = np.log(np.exp(z).sum(axis=1)) - z[np.arange(len(z)), labels]
    return float(np.average(lost.astype(np.float64), weights=weights))


@dataclass(frozen=True)
class SquaredErrorLoss:
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
