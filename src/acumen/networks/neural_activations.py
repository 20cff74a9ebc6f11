"""What a unit makes of its sum: activation functions and their slopes.

    Activation   `apply` (sums -> answers) and `slope` (its derivative, of sums and answers)
    ACTIVATIONS  by name

Every function is continuous and works in the type of number it is given, so that gradients can be checked in doubles
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
    made = a + a.dtype.type(_LOW)
    np.putmask(made, z > 0, SELU_SCALE)
    return made


def _relu(z: Array) -> Array:
    made: Array = np.maximum(z, 0)
    return made


def _relu_slope(z: Array, a: Array) -> Array:
    return (z > 0).astype(z.dtype)


def _tanh(z: Array) -> Array:
    made: Array = np.tanh(z)
    return made


def _tanh_slope(z: Array, a: Array) -> Array:
    made = a * a
    np.subtract(1, made, out=made)
    return made


def _logistic(z: Array) -> Array:
    made = z * z.dtype.type(0.5)
    np.tanh(made, out=made)  # 1 / (1 + exp(-z)) = (1 + tanh(z / 2)) / 2, which cannot overflow
    made += 1
    made *= z.dtype.type(0.5)
    return made


def _logistic_slope(z: Array, a: Array) -> Array:
    made = 1 - a
    made *= a
    return made


def _mish(z: Array) -> Array:
    made: Array = z * np.tanh(_softplus(z))
    return made


def _mish_slope(z: Array, a: Array) -> Array:
    t = np.tanh(_softplus(z))
    made: Array = t + z * (1 - t * t) * _logistic(z)
    return made


def _softplus(z: Array) -> Array:
    made: Array = np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z)))
    return made


ACTIVATIONS: Final[Mapping[str, Activation]] = MappingProxyType(
    {
        "selu": Activation(_selu, _selu_slope),
        "tanh": Activation(_tanh, _tanh_slope),
        "relu": Activation(_relu, _relu_slope),
        "logistic": Activation(_logistic, _logistic_slope),
        "mish": Activation(_mish, _mish_slope),
    }
)
