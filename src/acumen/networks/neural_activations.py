"""Activation functions and their derivatives.

    Activation   `apply` (sums -> answers) and `slope` (its derivative, from sums and answers)
    ACTIVATIONS  by name

Every function is continuous and keeps the precision of its input, so that gradients can be checked in double precision
while training runs in single precision.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

import numpy as np

from acumen.types import Array

#: Klambauer and others (2017): with these two numbers mean 0 and variance 1 are kept from layer to layer.
SELU_SCALE: Final = 1.0507009873554805
SELU_ALPHA: Final = 1.6732632423543772
_LOW: Final = SELU_SCALE * SELU_ALPHA


class Activation(NamedTuple):
    """A function of sums, and its derivative given sums and answers; neither changes what it is given."""

    apply: Callable[[Array], Array]
    slope: Callable[[Array, Array], Array]


def _selu(z: Array) -> Array:
    below = np.minimum(z, 0)
    np.exp(below, out=below)  # expm1 takes several times as long in single precision
    below -= 1
    below *= z.dtype.type(_LOW)
    above = np.maximum(z, 0)
    above *= z.dtype.type(SELU_SCALE)
    above += below
    return above


def _selu_slope(z: Array, a: Array) -> Array:
    slope = a + a.dtype.type(_LOW)
    np.putmask(slope, z > 0, SELU_SCALE)
    return slope


def _relu(z: Array) -> Array:
    answers: Array = np.maximum(z, 0)
    return answers


def _relu_slope(z: Array, a: Array) -> Array:
    return (z > 0).astype(z.dtype)


def _tanh(z: Array) -> Array:
    answers: Array = np.tanh(z)
    return answers


def _tanh_slope(z: Array, a: Array) -> Array:
    slope = a * a
    np.subtract(1, slope, out=slope)
    return slope


def _logistic(z: Array) -> Array:
    answers = z * z.dtype.type(0.5)
    np.tanh(answers, out=answers)  # 1 / (1 + exp(-z)) = (1 + tanh(z / 2)) / 2, which cannot overflow
    answers += 1
    answers *= z.dtype.type(0.5)
    return answers


def _logistic_slope(z: Array, a: Array) -> Array:
    slope = 1 - a
    slope *= a
    return slope


def _mish(z: Array) -> Array:
    answers: Array = z * np.tanh(_softplus(z))
    return answers


def _mish_slope(z: Array, a: Array) -> Array:
    t = np.tanh(_softplus(z))
    slope: Array = t + z * (1 - t * t) * _logistic(z)
    return slope


def _softplus(z: Array) -> Array:
    answers: Array = np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z)))
    return answers


ACTIVATIONS: Final[Mapping[str, Activation]] = MappingProxyType(
    {
        "selu": Activation(_selu, _selu_slope),
        "tanh": Activation(_tanh, _tanh_slope),
        "relu": Activation(_relu, _relu_slope),
        "logistic": Activation(_logistic, _logistic_slope),
        "mish": Activation(_mish, _mish_slope),
    }
)
