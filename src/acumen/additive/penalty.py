"""What keeps shapes smooth: quadratic forms on slots, and the gauge that keeps each shape about zero.

    Penalty   for each shape, pair and text the form that its strength multiplies
    Charge    all of them under strengths, as one matrix
    Rising    shapes that must not fall (or rise), as coordinates of which some must not be below zero

Of ordered slots (bins of numbers, levels in an order) the squared differences of neighbours are summed, of all others
the squares of the slots' distances from the shape's mean; of a pair both. Adding a constant to a shape and taking it
from the intercept changes none of this, nor any prediction; so a further form, whose value is 0 at the optimum, holds
every shape's mean over the training rows at 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from acumen.additive.layout import PairCells, Shape, SlotLayout
from acumen.types import Bools, Floats


@dataclass(frozen=True, slots=True, eq=False)
class Penalty:
    """Forms of the blocks of a layout, and what rows weigh in each slot."""

    layout: SlotLayout
    forms: tuple[Floats, ...]
    weight: Floats  # of the rows of each coefficient

    @classmethod
    def of(cls, layout: SlotLayout, weight: Floats) -> Penalty:
        forms = []
        for at, block in enumerate(layout.blocks):
            block_weight = weight[block]
            if at < len(layout.shapes):
                forms.append(_of_shape(layout.shapes[at], block_weight))
            elif at < len(layout.shapes) + len(layout.pairs):
                forms.append(_of_cells(layout.pairs[at - len(layout.shapes)], block_weight))
            else:
                forms.append(np.eye(len(block_weight)))
        return cls(layout, tuple(forms), weight)

    @property
    def n_gauged(self) -> int:
        """How many blocks are held about zero: all but words, which a text may have none of."""
        return len(self.layout.shapes) + len(self.layout.pairs)

    def charge(self, strengths: Floats) -> Charge:
        """All forms, each times its strength, and the gauges."""
        matrix = np.zeros((self.layout.width, self.layout.width))
        for at, (block, form) in enumerate(zip(self.layout.blocks, self.forms, strict=True)):
            matrix[block, block] = strengths[at] * form
            if at < self.n_gauged:
                block_weight = self.weight[block]
                matrix[block, block] += np.outer(block_weight, block_weight) / self.weight[0]
        return Charge(matrix, tuple(self.layout.blocks))


@dataclass(frozen=True, slots=True, eq=False)
class Charge:
    """A penalty under strengths: a matrix that is zero outside its blocks."""

    matrix: Floats
    blocks: tuple[slice, ...]

    def times(self, direction: Floats) -> Floats:
        """The matrix times (width, lines)."""
        product = np.zeros_like(direction)
        for block in self.blocks:
            product[block] = self.matrix[block, block] @ direction[block]
        return product


def differences(n: int) -> Floats:
    """The form that sums the squared differences of n neighbours."""
    steps = np.diff(np.eye(n), axis=0)
    form: Floats = steps.T @ steps
    return form


def _ridge(which: Bools, weight: Floats) -> Floats:
    """Squares of distances from the mean over the rows, of these slots."""
    centred = np.eye(len(weight)) - np.outer(np.ones(len(weight)), weight / weight.sum())
    form: Floats = centred[which].T @ centred[which]
    return form


def _of_shape(shape: Shape, weight: Floats) -> Floats:
    single = np.ones(shape.slots, dtype=np.bool_)
    if not shape.ordered:
        return _ridge(single, weight)
    single[: shape.n_values] = False
    form = _ridge(single, weight)
    form[: shape.n_values, : shape.n_values] += differences(shape.n_values)
    return form


def _of_cells(cells: PairCells, weight: Floats) -> Floats:
    a, b = cells.size
    form = _ridge(np.ones(a * b, dtype=np.bool_), weight)
    for axis, ordered in enumerate(cells.ordered):
        if ordered > 1:
            steps = np.zeros((cells.size[axis],) * 2)
            steps[:ordered, :ordered] = differences(ordered)
            form += np.kron(steps, np.eye(b)) if axis == 0 else np.kron(np.eye(a), steps)
    return form


# -- shapes that only rise or only fall -----------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Rising:
    """coefficients = turn @ coordinates, of which those in `bounded` must be at least 0."""

    turn: Floats
    bounded: Bools

    @classmethod
    def of(cls, layout: SlotLayout, signs: Mapping[int, int]) -> Rising | None:
        """`signs` has +1 or -1 for some shapes; None where there is nothing to hold."""
        if not signs:
            return None
        turn = np.eye(layout.width)
        bounded = np.zeros(layout.width, dtype=np.bool_)
        for at, sign in signs.items():
            start, known = int(layout.offset[at]), layout.shapes[at].n_values
            block = slice(start, start + known)
            turn[block, block] = np.tril(np.full((known, known), float(sign)))
            turn[block, start] = 1.0
            bounded[start + 1 : start + known] = True
        return cls(turn, bounded)

    def coordinates(self, coefficients: Floats) -> Floats:
        """Of coefficients the nearest allowed coordinates: steps that go the wrong way are left out."""
        coordinates: Floats = np.asarray(np.linalg.solve(self.turn, coefficients), dtype=np.float64)
        coordinates[self.bounded] = np.maximum(coordinates[self.bounded], 0.0)
        return coordinates
