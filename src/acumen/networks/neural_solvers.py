"""Gradient steps (plain, momentum, Adam) and the schedule of the learning rate.

    Solver      a step for the flat vector of all weights, changed in place
    schedule    the fraction of the rate at a point of the training

Adam is Kingma and Ba's with beta2 = .95, and weight decay is decoupled from the gradient (Loshchilov and Hutter): each
step subtracts rate x decay of every weight, whatever its gradient.
"""

from __future__ import annotations

import math
from typing import Final, Literal

import numpy as np

from acumen.networks.perceptrons import WeightLayout
from acumen.types import Array

SolverName = Literal["adam", "sgd", "momentum"]
Schedule = Literal["coslog4", "constant"]
#: The default rate of each solver.
RATES: Final = {"adam": 0.04, "sgd": 0.1, "momentum": 0.02}
_BETA1: Final = 0.9
_BETA2: Final = 0.95
_MOMENTUM: Final = 0.9
_EPSILON: Final = 1e-8


def schedule(name: str, progress: float) -> float:
    """The fraction of the rate after a fraction of all steps.

    `coslog4` has four waves, each twice as long as the one before: (1 - cos(2 pi log2(1 + 15 t))) / 2.
    """
    if name == "constant":
        return 1.0
    return 0.5 * (1.0 - math.cos(2.0 * math.pi * math.log2(1.0 + 15.0 * progress)))


class Solver:
    """The state of a solver between steps."""

    def __init__(
        self, name: str, layout: WeightLayout, rate: float, decay: float, dtype: type = np.float32
    ) -> None:
        self.name, self.rate, self.decay = name, rate, decay
        self._steps = 0
        none: Array = np.zeros(0, dtype=dtype)
        adam = name == "adam"
        self._first = np.zeros(layout.length, dtype=dtype) if name != "sgd" else none
        self._second = np.zeros(layout.length, dtype=dtype) if adam else none
        self._scratch: Array = np.empty(layout.length, dtype=dtype)
        self._rates = layout.rates().astype(dtype) if adam else none

    def step(self, flat: Array, gradient: Array, share: float) -> None:
        """Update the weights; `share` is the schedule's. The gradient is overwritten."""
        rate = self.rate * share
        self._steps += 1
        if self.decay:
            flat *= flat.dtype.type(1.0 - rate * self.decay)
        if self.name == "adam":
            self._adam(flat, gradient, rate)
            return
        if self.name == "momentum":
            self._first *= self._first.dtype.type(_MOMENTUM)
            self._first += gradient
            gradient = self._first
        np.multiply(gradient, gradient.dtype.type(rate), out=self._scratch)
        flat -= self._scratch

    def _adam(self, flat: Array, gradient: Array, rate: float) -> None:
        number = flat.dtype.type
        first, second, scratch = self._first, self._second, self._scratch
        np.multiply(gradient, number(1 - _BETA1), out=scratch)
        first *= number(_BETA1)
        first += scratch
        gradient *= gradient
        gradient *= number(1 - _BETA2)
        second *= number(_BETA2)
        second += gradient
        np.sqrt(second, out=scratch)
        # Both averages start at 0; this corrects their bias.
        root = math.sqrt(1 - _BETA2**self._steps)
        scratch += number(_EPSILON * root)
        np.divide(first, scratch, out=scratch)
        scratch *= self._rates
        scratch *= number(rate * root / (1 - _BETA1**self._steps))
        flat -= scratch
