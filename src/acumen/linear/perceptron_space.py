"""Where a perceptron learns: among the columns of its rows, or in the dual among the rows of a kernel.

    PrimalSpace    weights for each column, the extra component last
    DualSpace      weights for each training row, products by a kernel

Both go through one epoch in C++, and say what the weights, or their mean over all steps, make of the rows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from acumen import _native
from acumen.geometry.kernel import Rows, is_sparse, square_norms
from acumen.types import Bools, Codes, Floats, Indices

_NONE: Floats = np.empty((0, 0))


class PerceptronSpace(ABC):
    """Weights (vectors x size) under way; one vector for two classes, else one for each class."""

    def __init__(
        self,
        start: Floats,
        labels: Codes,
        row_weights: Floats,
        rate: float,
        tie_is_right: bool,
        average: bool,
    ) -> None:
        self.start, self.weights = start.copy(), start.copy()
        self.labels, self.row_weights = labels, row_weights
        self.rate, self.tie_is_right = float(rate), tie_is_right
        self.lag = np.zeros_like(start) if average else _NONE
        self.step = 0.0

    @property
    def vectors(self) -> int:
        return len(self.weights)

    @abstractmethod
    def epoch(self, order: Indices) -> int:
        """Go through the rows in this order; how often the weights were moved."""

    @abstractmethod
    def values(self, weights: Floats) -> Floats:
        """The product of each row with each vector, (rows, vectors)."""

    @abstractmethod
    def square_length(self, weights: Floats) -> float:
        """Of all vectors together."""

    @abstractmethod
    def largest_square(self) -> float:
        """Of a row, with its extra component."""

    def final_weights(self) -> Floats:
        """The weights, or their mean over all steps."""
        if not self.lag.size or not self.step:
            return self.weights.copy()
        mean: Floats = self.weights - self.lag / self.step
        return mean

    # -- what the weights make of the rows --------------------------------------------------------

    def margins(self, values: Floats) -> Floats:
        """By how much the own class is ahead in each row; below zero where another one is."""
        if self.vectors == 1:
            return np.where(self.labels == 1, values[:, 0], -values[:, 0])
        rows = np.arange(len(values))
        own_values = values[rows, self.labels]
        others = values.copy()
        others[rows, self.labels] = -np.inf
        margins: Floats = own_values - others.max(axis=1)
        return margins

    def wrong(self, values: Floats) -> Bools:
        """Which rows are mistakes, ties as the rule has it."""
        margins = self.margins(values)
        if not self.tie_is_right:
            return np.asarray(margins <= 0)
        if self.vectors == 1:
            return np.asarray((margins < 0) | ((margins == 0) & (self.labels == 0)))
        first = np.argmax(values, axis=1)
        return np.asarray((margins < 0) | ((margins == 0) & (first != self.labels)))

    def error(self, values: Floats) -> float:
        """The weight of the rows that are mistakes."""
        return float(self.row_weights[self.wrong(values)].sum())

    def distance(self, values: Floats) -> float:
        """Error': how far behind the own class is, summed over the mistakes; |w.x| for two classes."""
        wrong = self.wrong(values)
        return float(-(self.row_weights * self.margins(values))[wrong].sum())

    def max_updates(self, weights: Floats) -> float | None:
        """How many moves there can be at most, if these weights separate the rows (Novikoff 1962).

        |w0 / rate - rho w|^2 / R^2 with rho = R^2 / margin; from zero that is (R |w| / margin)^2.
        """
        margin = float(self.margins(self.values(weights)).min(initial=np.inf))
        # A row of class c against a rival is the row in c's place and its negative in the rival's.
        square = self.largest_square() * (1.0 if self.vectors == 1 else 2.0)
        if not 0 < margin < np.inf or not square > 0 or np.ptp(self.row_weights) > 0:
            return None
        rate = self.rate * float(self.row_weights[0])
        return self.square_length(self.start / rate - (square / margin) * weights) / square


class PrimalSpace(PerceptronSpace):
    """Rows as a dense or CSR matrix whose last column is the extra component."""

    def __init__(self, rows: Rows, start: Floats, *given: object, **named: object) -> None:
        super().__init__(start, *given, **named)  # type: ignore[arg-type]
        self.rows = rows
        self.heavy = self.row_weights if np.any(self.row_weights != 1.0) else np.empty(0)

    def epoch(self, order: Indices) -> int:
        common = (
            self.labels,
            order,
            self.heavy,
            self.rate,
            self.tie_is_right,
            self.weights,
            self.lag,
            self.step,
        )
        if is_sparse(self.rows):
            places = self.rows.indices.astype(np.int32, copy=False)
            starts = self.rows.indptr.astype(np.int64, copy=False)
            moves, self.step = _native.perceptron_epoch_sparse(self.rows.data, places, starts, *common)
        else:
            moves, self.step = _native.perceptron_epoch(self.rows, *common)
        return moves

    def values(self, weights: Floats) -> Floats:
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(self.rows @ weights.T, dtype=np.float64)

    def square_length(self, weights: Floats) -> float:
        return float((weights * weights).sum())

    def largest_square(self) -> float:
        return float(square_norms(self.rows).max(initial=0.0))


class DualSpace(PerceptronSpace):
    """Rows known by their kernel matrix alone, to which the extra component has added 1."""

    def __init__(self, kernel: Floats, start: Floats, *given: object, **named: object) -> None:
        super().__init__(start, *given, **named)  # type: ignore[arg-type]
        self.kernel = kernel
        self.heavy = self.row_weights if np.any(self.row_weights != 1.0) else np.empty(0)
        self.products = np.zeros_like(start)

    def epoch(self, order: Indices) -> int:
        moves, self.step = _native.perceptron_epoch_kernel(
            self.kernel, self.labels, order, self.heavy, self.rate, self.tie_is_right, self.weights,
            self.products, self.lag, self.step,
        )  # fmt: skip
        return moves

    def values(self, weights: Floats) -> Floats:
        if np.array_equal(weights, self.weights):
            return np.ascontiguousarray(self.products.T)
        return np.ascontiguousarray((weights @ self.kernel).T)

    def square_length(self, weights: Floats) -> float:
        return float(((weights @ self.kernel) * weights).sum())

    def largest_square(self) -> float:
        return float(np.diagonal(self.kernel).max(initial=0.0))
