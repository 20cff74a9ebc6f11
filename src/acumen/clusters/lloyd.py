"""k-means: Lloyd's passes over blocks of points, exact whatever the bounds, the threads and the parts.

    CentreSums   the sums of one pass: each centre's rows, so that parts add
    lloyd        passes until no centre moves
    nearest      the cluster of each point

A missing value is left out of a distance, which is over what the row knows, and out of a mean: the sum of squared
differences over known values then never rises (k-POD's objective). A row of which nothing is known is in no group.
A centre that loses all its rows is put on the row that is farthest from its own centre.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from acumen import _native
from acumen.clusters.space import NO_FLOATS, Blocks, Points
from acumen.engines.executors import share_threads
from acumen.summaries.algebra import add_up
from acumen.types import Codes, Floats


@dataclass(frozen=True, slots=True, eq=False)
class CentreSums:
    """The rows nearest to each centre, added up."""

    total: Floats  # (centres, coordinates)
    whole: Floats  # (centres,): the weight of rows without a gap
    known: Floats  # (centres, coordinates): of rows with gaps, the weight of those that know the coordinate

    def __add__(self, other: Self) -> Self:
        return type(self)(self.total + other.total, self.whole + other.whole, self.known + other.known)

    @property
    def empty(self) -> list[int]:
        """Centres without a row."""
        return np.flatnonzero((self.whole == 0) & ~self.known.any(axis=1)).tolist()

    def means(self) -> Floats:
        """The mean of each centre's rows; 0, the mean of all rows, where none of them knows a coordinate."""
        weight = self.whole[:, None] + self.known
        return np.divide(self.total, weight, out=np.zeros_like(self.total), where=weight > 0)


@dataclass(frozen=True, slots=True, eq=False)
class LloydFit:
    """Where centres came to rest, and what is left: the sum of squared distances."""

    centres: Floats
    objective: float
    n_iter: int


def lloyd(source: Blocks, centres: Floats, max_iter: int, tol: float = 0.0) -> LloydFit:
    """Passes until no centre moves (or the squares of the moves come to at most `tol`), or `max_iter` are done."""
    for block in source.items or ():  # begin anew: nothing is remembered of any row
        block.remember(bounds=True)
    with share_threads():
        return _lloyd(source, centres, max_iter, tol)


def _lloyd(source: Blocks, centres: Floats, max_iter: int, tol: float) -> LloydFit:
    moved = NO_FLOATS
    n_iter = 0
    while n_iter < max_iter:
        n_iter += 1
        sums = add_up(source.each(lambda block, at=centres, by=moved: _pass(block, at, by)))
        means = sums.means()
        empty = sums.empty
        if empty:
            means[empty] = centres[empty]
            _refill(source, centres, means, empty)
        squares = ((means - centres) ** 2).sum(axis=1)
        moved = np.sqrt(squares)
        centres = means
        if float(squares.sum()) <= tol:
            break
    squares_left = add_up(source.each(lambda block: _squares_of_block(block, centres, moved)))
    return LloydFit(centres, squares_left, n_iter)


def _pass(block: Points, centres: Floats, moved: Floats) -> CentreSums:
    k, d = centres.shape
    sums = CentreSums(np.zeros((k, d)), np.zeros(k), np.zeros((k, d)))
    labels = block.labels if block.labels.size else np.full(len(block), -1, dtype=np.int32)
    _native.means_pass(
        block.values, block.weights, centres, moved if block.upper.size else NO_FLOATS, labels, block.upper,
        block.lower, sums.total, sums.whole, sums.known,
    )  # fmt: skip
    return sums


def _squares_of_block(block: Points, centres: Floats, moved: Floats) -> float:
    """What the rows of a block are away from their centres; labels are brought up to date."""
    labels = block.labels if block.labels.size else np.full(len(block), -1, dtype=np.int32)
    k, d = centres.shape
    _native.means_pass(
        block.values, block.weights, centres, moved if block.upper.size else NO_FLOATS, labels, block.upper,
        block.lower, np.zeros((k, d)), np.zeros(k), np.zeros((k, d)),
    )  # fmt: skip
    return float((own_squares(block.values, centres, labels) * block.row_weights).sum())


def own_squares(values: Floats, centres: Floats, labels: Codes) -> Floats:
    """The squared distance of each row to its own centre; 0 of rows in no group."""
    squares = np.zeros(len(values))
    _native.own_squares(values, centres, labels, squares)
    return squares


def nearest(values: Floats, centres: Floats) -> Codes:
    """The group of each point: the nearest centre, of equally near ones the first; -1 where nothing is known."""
    labels = np.full(len(values), -1, dtype=np.int32)
    k, d = centres.shape
    _native.means_pass(
        values, NO_FLOATS, centres, NO_FLOATS, labels, NO_FLOATS, NO_FLOATS, np.zeros((k, d)), np.zeros(k),
        np.zeros((k, d)),
    )  # fmt: skip
    return labels


def squared_distances(values: Floats, centres: Floats) -> Floats:
    """Of each point to each centre, over what the point knows."""
    distances = np.empty((len(values), len(centres)))
    _native.squared_distances(values, np.ascontiguousarray(centres), distances)
    return distances


def _refill(source: Blocks, before: Floats, means: Floats, empty: list[int]) -> None:
    """Put centres without rows where rows are farthest from all centres there were, and from those put so far."""
    placed = np.delete(before, empty, axis=0)
    for centre in empty:
        away, point = max(
            source.each(lambda block, to=placed: _farthest(block, to)),
            key=lambda each: each[0],
        )
        if away <= 0:
            return  # every row is on a centre
        means[centre] = np.where(np.isnan(point), 0.0, point)
        placed = np.vstack([placed, means[centre]])


def _farthest(block: Points, centres: Floats) -> tuple[float, Floats]:
    if not len(block):
        return -1.0, NO_FLOATS
    away = squared_distances(block.values, centres).min(axis=1)
    at = int(np.argmax(away))
    return float(away[at]), block.values[at]
