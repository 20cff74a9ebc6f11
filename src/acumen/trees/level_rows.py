"""Binned rows on their way down a tree that grows level by level.

Chunk   the rows of one part, and the nodes they are at
Rows    all parts of a source: held in memory while they are small enough, else binned anew for each pass
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from acumen.trees.bins import BinCodes, Bins
from acumen.trees.sample import Sample
from acumen.types import Codes, Floats

#: Bytes of binned rows that are kept.
_HELD: Final = 1 << 28


@dataclass(slots=True)
class Chunk:
    """Binned rows, and where they are: `rows[i]` is at `nodes[i]` with `weights[i]`."""

    codes: BinCodes
    labels: Codes
    rows: npt.NDArray[np.uint32]
    nodes: Codes
    weights: Floats


class Falling(Protocol):
    """A growing tree, as rows see it."""

    @property
    def open_range(self) -> tuple[int, int]:
        """The nodes of the last level."""

    def fall(self, chunk: Chunk) -> None:
        """Move rows one level down."""


class Rows:
    """The rows of a source, binned, at the nodes they have fallen to."""

    def __init__(self, source: Iterable[Sample], plan: Bins) -> None:
        self._source, self._plan = source, plan
        self._held: list[Chunk] | None = []
        self.n_rows = 0
        size = 0
        for chunk in self._binned():
            self.n_rows += len(chunk.labels)
            size += chunk.codes.nbytes
            if self._held is not None:
                self._held.append(chunk)
            if size > _HELD:
                self._held = None

    def _binned(self) -> Iterator[Chunk]:
        """Every part, its rows at the root."""
        for part in self._source:
            n = len(part)
            weights = self._plan.on_grid(part.weights) if len(part.weights) else np.ones(n)
            yield Chunk(
                self._plan.codes(part.columns),
                np.ascontiguousarray(part.labels),
                np.arange(n, dtype=np.uint32),
                np.zeros(n, dtype=np.int32),
                weights,
            )

    @property
    def are_held(self) -> bool:
        """Whether they stand in memory, binned."""
        return self._held is not None

    def class_weights(self, classes: int) -> Floats:
        """The weight of each class."""
        made = np.zeros(classes)
        for chunk in self._binned() if self._held is None else self._held:
            made += np.bincount(chunk.labels, chunk.weights, classes)
        return made

    def fallen(self, nodes: Falling) -> Iterator[Chunk]:
        """Every part, its rows at the open nodes; rows at leaves are left out."""
        first, _ = nodes.open_range
        for chunk in self._binned() if self._held is None else self._held:
            while len(chunk.nodes) and chunk.nodes.min() < first:
                nodes.fall(chunk)
            yield chunk
