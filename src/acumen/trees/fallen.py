"""Rows of a source, binned, at the nodes of a growing tree: held in memory where they fit, else read anew."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np

from acumen.trees.bins import Bins
from acumen.trees.open_tree import Chunk, OpenTree
from acumen.trees.sample import Sample
from acumen.types import Floats

#: Bytes of binned rows that are kept.
HELD: Final = 1 << 28


class FallenRows:
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
            if size > HELD:
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

    def fallen(self, nodes: OpenTree) -> Iterator[Chunk]:
        """Every part, its rows at the open nodes; rows at leaves are left out."""
        first, _ = nodes.open_range
        for chunk in self._binned() if self._held is None else self._held:
            while len(chunk.nodes) and chunk.nodes.min() < first:
                nodes.fall(chunk)
            yield chunk
