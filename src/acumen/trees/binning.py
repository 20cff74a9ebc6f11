"""The binning plan of trees grown from histograms.

    Bins        the edges of each numeric input; every column becomes small whole numbers
    plan_bins   rows in any parts -> Bins, and the grid for weights

Edges are those of intervals of about equal weight, at most `bins` of them, over all rows or, where these are many, over
a sample: rows whose number, counted from the first row of the source, has one of the smallest hash values. Which rows
these are does not depend on how the source is cut into parts, so neither do the edges.

Weights are rounded to multiples of a power of two, 2^-52 of all weight or less. Sums of such numbers are exact, hence
the same in any order: this is why histograms of parts add up to those of all rows to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from acumen import _native, messages
from acumen.data.schema import Schema
from acumen.engines.blocks import BLOCK_ROWS
from acumen.errors import DataError
from acumen.trees.inputs import Inputs
from acumen.trees.sample import Sample
from acumen.types import Array, Codes, Floats

#: Rows that edges are made from, at most, and numbers held for it.
_SAMPLED_ROWS: Final = 200_000
_SAMPLED_NUMBERS: Final = 8_000_000
_FEWEST_ROWS: Final = 10_000
#: Codes are two bytes; the last one is for missing values.
_MOST_CODES: Final = 65_535

_LARGEST_HASH: Final = 2**64 - 1

BinCodes = npt.NDArray[np.uint16]


@dataclass(frozen=True, slots=True, eq=False)
class Bins:
    """How columns become codes: a number's interval (closed on the right), a level's code, and last the missing."""

    edges: tuple[Floats | None, ...]  # of each input; None for inputs of levels
    sizes: Codes  # how many codes each input has, without that for missing values
    grid: float  # weights are multiples of it

    @property
    def at(self) -> Codes:
        """Where each input's cells begin among those of a node; one more: how many there are."""
        return np.concatenate([[0], np.cumsum(self.sizes.astype(np.int64) + 1)]).astype(np.int32)

    def codes(self, columns: Sequence[Array]) -> BinCodes:
        """The code of every value: one line an input."""
        codes = np.empty((len(columns), len(columns[0]) if columns else 0), dtype=np.uint16)
        for j, (column, edges) in enumerate(zip(columns, self.edges, strict=True)):
            if edges is None:
                codes[j] = np.where(column >= 0, column, self.sizes[j])
            else:
                bins = np.empty(len(column), dtype=np.int32)
                _native.bin_codes(
                    column, np.nextafter(edges, np.inf), bins
                )  # its bins are closed on the left
                codes[j] = np.where(np.isnan(column), self.sizes[j], bins)
        return codes

    def on_grid(self, weights: Floats) -> Floats:
        """The weights as multiples of the grid."""
        return np.asarray(np.rint(weights / self.grid) * self.grid)


def plan_bins(parts: Iterable[Sample], inputs: Inputs, schema: Schema, bins: int) -> Bins:
    """Settle edges and grid in one pass; the parts may be cut anywhere that is a multiple of a block."""
    numeric = numeric_places(inputs, schema)
    drawn = EdgeSample(sample_size(len(numeric)), len(numeric))
    weight, rows = 0.0, 0
    for part in parts:
        columns = [np.asarray(part.columns[j], dtype=np.float64) for j in numeric]
        for start in range(0, len(part), BLOCK_ROWS):
            block = slice(start, min(start + BLOCK_ROWS, len(part)))
            weights = part.weights[block] if len(part.weights) else np.ones(block.stop - block.start)
            drawn.see(rows, [column[block] for column in columns], weights)
            weight += float(weights.sum())
            rows += block.stop - block.start
    return bins_of_sample(drawn, weight, inputs, schema, bins)


def numeric_places(inputs: Inputs, schema: Schema) -> list[int]:
    """The inputs that are numbers."""
    return [j for j, column in enumerate(inputs.columns) if column.is_numeric(schema)]


def sample_size(numeric: int) -> int:
    """How many rows edges are made from, at most."""
    return max(min(_SAMPLED_ROWS, _SAMPLED_NUMBERS // max(numeric, 1)), _FEWEST_ROWS)


def bins_of_sample(drawn: EdgeSample, weight: float, inputs: Inputs, schema: Schema, bins: int) -> Bins:
    """Edges and grid, by the rows drawn and the weight of all."""
    numeric = numeric_places(inputs, schema)
    edges: list[Floats | None] = [None] * len(inputs)
    sizes = np.array([column.n_levels(schema) for column in inputs.columns], dtype=np.int32)
    for slot, j in enumerate(numeric):
        edges[j] = cuts = _edges(drawn.column(slot), drawn.weights, bins)
        sizes[j] = len(cuts) + 1
    for j, codes in enumerate(sizes):
        if codes > _MOST_CODES:
            raise DataError(
                f"method='histogram' takes at most {_MOST_CODES} levels of one attribute, but "
                f"{inputs[j].name(schema)} has {codes}; leave it out, or use {messages.setting('method', 'exact')}."
            )
    return Bins(tuple(edges), sizes, float(2.0 ** (np.ceil(np.log2(max(weight, 1e-300))) - 52.0)))


def _edges(values: Floats, weights: Floats, bins: int) -> Floats:
    """Cuts between neighbouring distinct values: all of them, or those nearest above i/bins of the weight."""
    known = ~np.isnan(values)
    most = np.finfo(np.float64).max
    distinct, place = np.unique(np.clip(values[known], -most, most), return_inverse=True)
    cuts = np.arange(max(len(distinct) - 1, 0))
    if len(distinct) > bins:
        weight_below = np.cumsum(np.bincount(place.ravel(), weights[known]))
        aims = weight_below[-1] * np.arange(1, bins) / bins
        cuts = np.unique(np.minimum(np.searchsorted(weight_below, aims), len(distinct) - 2))
    middle = distinct[cuts] / 2 + distinct[cuts + 1] / 2
    # where two values are so near that their middle is the larger one, the cut is the smaller
    return np.asarray(np.where(middle < distinct[cuts + 1], middle, distinct[cuts]))


class EdgeSample:
    """The rows of the smallest hash values so far."""

    def __init__(self, size: int, width: int) -> None:
        self._size = size
        self._hashes: list[npt.NDArray[np.uint64]] = []
        self._rows: list[Floats] = []  # numbers and, last, the weight
        self._held = 0
        self._width = width

    def see(self, first: int, columns: Sequence[Floats], weights: Floats, limit: int = _LARGEST_HASH) -> None:
        """The next rows, the first of which has this number; those whose hash value is beyond a limit are passed by."""
        hashes = hash_numbers(np.arange(first, first + len(weights), dtype=np.uint64))
        if limit < _LARGEST_HASH:
            few = np.flatnonzero(hashes <= np.uint64(limit))
            hashes, columns, weights = hashes[few], [column[few] for column in columns], weights[few]
        self._hashes.append(hashes)
        self._rows.append(np.column_stack([*columns, weights]))
        self._held += len(weights)
        if self._held > 2 * self._size:
            self._settle()

    def _settle(self) -> None:
        hashes, rows = np.concatenate(self._hashes), np.concatenate(self._rows)
        if len(hashes) > self._size:
            keep = np.argpartition(hashes, self._size - 1)[: self._size]
            hashes, rows = hashes[keep], rows[keep]
        self._hashes, self._rows, self._held = [hashes], [rows], len(hashes)

    def __add__(self, other: EdgeSample) -> EdgeSample:
        """The rows of the smallest hash values among those of both."""
        merged = EdgeSample(self._size, self._width)
        merged._hashes, merged._rows = [*self._hashes, *other._hashes], [*self._rows, *other._rows]
        merged._held = self._held + other._held
        if merged._held > merged._size:
            merged._settle()
        return merged

    def __len__(self) -> int:
        return self._held

    def column(self, at: int) -> Floats:
        """The sampled values of a column."""
        return np.asarray(self._all()[:, at])

    @property
    def weights(self) -> Floats:
        """The weights of the rows sampled."""
        return np.asarray(self._all()[:, self._width])

    def _all(self) -> Floats:
        if len(self._rows) != 1 or self._held > self._size:
            if not self._rows:
                return np.empty((0, self._width + 1))
            self._settle()
        return self._rows[0]


def hash_numbers(x: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Splitmix64: whole numbers spread over all 64 bits."""
    with np.errstate(over="ignore"):
        x = x + np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(x ^ (x >> np.uint64(31)))
