"""Binned rows on their way down a tree that grows level by level.

BinnedChunk      the rows of one part, and the nodes they are at
LocalLevelRows   all parts of a source: in memory if they fit, otherwise binned again in each pass
OpenNodes        which cells of the rows at open nodes are needed
FewRows          the rows at small nodes, taken out to be grown exactly
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from acumen import _native
from acumen.engines.cores import cores
from acumen.trees.binning import BinCodes, Bins
from acumen.trees.sample import Sample
from acumen.types import Bools, Codes, Floats, Indices

#: Bytes of binned rows that are kept.
HELD_BYTES: Final = 1 << 28


@dataclass(slots=True)
class BinnedChunk:
    """Binned rows, and where they are: `rows[i]` is at `nodes[i]` with `weights[i]`."""

    codes: BinCodes
    labels: Codes
    rows: npt.NDArray[np.uint32]
    nodes: Codes
    weights: Floats


class Falling(Protocol):
    """A growing tree, as rows see it."""

    at: Codes
    n_classes: int

    @property
    def open_range(self) -> tuple[int, int]:
        """The nodes of the last level."""

    def fall(self, chunk: BinnedChunk) -> None:
        """Move rows one level down."""


def chunk_of(part: Sample, plan: Bins) -> BinnedChunk:
    """A part, its rows at the root."""
    n = len(part)
    weights = plan.on_grid(part.weights) if len(part.weights) else np.ones(n)
    return BinnedChunk(
        plan.codes(part.columns),
        np.ascontiguousarray(part.labels),
        np.arange(n, dtype=np.uint32),
        np.zeros(n, dtype=np.int32),
        weights,
    )


def move_down(chunk: BinnedChunk, nodes: Falling) -> BinnedChunk:
    """A part, its rows at the open nodes; rows at leaves are left out."""
    first, _ = nodes.open_range
    while len(chunk.nodes) and chunk.nodes.min() < first:
        nodes.fall(chunk)
    return chunk


@dataclass(frozen=True, slots=True)
class OpenNodes:
    """Some open nodes, those whose slot is among `size` from `start` on."""

    slot_of: Codes  # of each node of the last level; NONE where it is closed
    start: int
    size: int

    def nothing(self, nodes: Falling) -> Floats:
        """No weight in any cell."""
        return np.zeros((self.size, int(nodes.at[-1]), nodes.n_classes))

    def add(self, chunk: BinnedChunk, nodes: Falling, cells: Floats) -> None:
        """Add the weight of rows at these nodes to their cells."""
        slots = self.slot_of[chunk.nodes - nodes.open_range[0]] - np.int32(self.start)
        mine = np.flatnonzero((slots >= 0) & (slots < self.size))
        _native.tree_count_cells(
            chunk.codes, chunk.labels, chunk.rows[mine], slots[mine], chunk.weights[mine], nodes.at, cells, cores()
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class FewRows:
    """Rows at nodes of few: the node, the number of the row among all, its label, weight and codes."""

    nodes: Codes
    row: npt.NDArray[np.int64]
    labels: Codes
    weights: Floats
    codes: BinCodes

    @classmethod
    def of(cls, chunk: BinnedChunk, nodes: Falling, few: Bools, first_row: int) -> FewRows:
        """Those of one part, which begins with row `first_row`."""
        mine = np.flatnonzero(few[chunk.nodes - nodes.open_range[0]])
        rows = chunk.rows[mine]
        return cls(
            chunk.nodes[mine],
            rows + np.int64(first_row),
            chunk.labels[rows],
            chunk.weights[mine],
            chunk.codes[:, rows],
        )

    def __add__(self, other: FewRows) -> FewRows:
        return FewRows.concatenate([self, other])

    @classmethod
    def concatenate(cls, parts: Sequence[FewRows]) -> FewRows:
        """All of several."""
        return cls(
            np.concatenate([part.nodes for part in parts]),
            np.concatenate([part.row for part in parts]),
            np.concatenate([part.labels for part in parts]),
            np.concatenate([part.weights for part in parts]),
            np.concatenate([part.codes for part in parts], axis=1),
        )


class LevelRows(Protocol):
    """The rows of a source, wherever they are."""

    n_rows: int

    @property
    def are_held(self) -> bool:
        """Whether they are so few, binned, that nodes of few are worth taking out."""

    def class_weights(self, classes: int) -> Floats:
        """The weight of each class."""

    def cells(self, nodes: Falling, level: OpenNodes) -> Floats:
        """The weight of every class in every cell of some open nodes."""

    def sizes(self, nodes: Falling) -> Indices:
        """How many rows are at each node of the last level."""

    def take_few(self, nodes: Falling, few: Bools) -> FewRows:
        """The rows at some nodes of the last level, which need them no longer."""


class LocalLevelRows:
    """The rows of a source, binned, at the nodes they have fallen to."""

    def __init__(self, source: Iterable[Sample], plan: Bins) -> None:
        self._source, self._plan = source, plan
        self._held: list[BinnedChunk] | None = []
        self.n_rows = 0
        size = 0
        for chunk in self._chunks_at_root():
            self.n_rows += len(chunk.labels)
            size += chunk.codes.nbytes
            if self._held is not None:
                self._held.append(chunk)
            if size > HELD_BYTES:
                self._held = None

    def _chunks_at_root(self) -> Iterator[BinnedChunk]:
        """Every part, its rows at the root."""
        return (chunk_of(part, self._plan) for part in self._source)

    @property
    def are_held(self) -> bool:
        """Whether they stand in memory, binned."""
        return self._held is not None

    def class_weights(self, classes: int) -> Floats:
        """The weight of each class."""
        totals = np.zeros(classes)
        for chunk in self._chunks_at_root() if self._held is None else self._held:
            totals += np.bincount(chunk.labels, chunk.weights, classes)
        return totals

    def _chunks_at_level(self, nodes: Falling) -> Iterator[BinnedChunk]:
        for chunk in self._chunks_at_root() if self._held is None else self._held:
            yield move_down(chunk, nodes)

    def cells(self, nodes: Falling, level: OpenNodes) -> Floats:
        """The weight of every class in every cell of some open nodes."""
        cells = level.nothing(nodes)
        for chunk in self._chunks_at_level(nodes):
            level.add(chunk, nodes, cells)
        return cells

    def sizes(self, nodes: Falling) -> Indices:
        """How many rows are at each node of the last level."""
        first, last = nodes.open_range
        counts = [
            np.bincount(chunk.nodes - first, minlength=last - first) for chunk in self._chunks_at_level(nodes)
        ]
        return np.asarray(np.sum(counts, axis=0))

    def take_few(self, nodes: Falling, few: Bools) -> FewRows:
        """The rows at some nodes of the last level, which leave."""
        first, _ = nodes.open_range
        taken, first_row = [], 0
        for chunk in self._chunks_at_level(nodes):
            taken.append(FewRows.of(chunk, nodes, few, first_row))
            first_row += len(chunk.labels)
            stay = ~few[chunk.nodes - first]
            chunk.nodes, chunk.rows, chunk.weights = chunk.nodes[stay], chunk.rows[stay], chunk.weights[stay]
        return FewRows.concatenate(taken)
