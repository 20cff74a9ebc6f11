"""The graph of each row's nearest rows, and its cuts.

    RowGraph        vertices are the different rows, edges lead to near ones, their weight is how alike the two are
    neighbour_graph the graph of some rows

A vertex has an edge to each of its nearest rows and to each row of which it is one of the nearest. The similarity of
two rows is 1 / (1 + distance / m), m the median of all edges' distances: between 0 and 1 and the same in any unit.
Distances alone decide it, so weights of rows change sizes of vertices and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from acumen import _native, messages
from acumen.caching import cached_property
from acumen.clusters.row_distances import RowsApart
from acumen.errors import MissingExtra
from acumen.geometry.search import Apart
from acumen.types import Array, Codes, Floats, Indices

#: Who cuts the graph into its first parts.
Cutter = Literal["own", "metis"]
#: Pairs of rows looked at in one question: ties may make every row a neighbour of every other.
_PAIRS = 1 << 22
#: The lighter side of a cut has at least this share: of the first parts (Karypis, Han and Kumar's own), and of the cut
#: through the middle of a group that tells how it hangs together.
LOOSE, EVEN = 0.25, 0.45


@dataclass(frozen=True, eq=False)
class RowGraph:
    """Each edge stands at both of its ends."""

    starts: Array
    ends: Codes
    weights: Floats
    sizes: Floats

    @cached_property
    def begins(self) -> Indices:
        """Where each edge begins."""
        return np.repeat(np.arange(len(self.sizes)), np.diff(self.starts))

    @property
    def arrays(self) -> tuple[Array, Codes, Floats, Floats]:
        """What the kernels take."""
        return self.starts, self.ends, self.weights, self.sizes

    def parts(self, least: int, most: float, seed: int, cutter: Cutter = "own") -> Codes:
        """Cut until there are at least so many parts, and none is larger than `most`."""
        if cutter == "metis":
            return self._by_metis(max(least, int(np.ceil(self.sizes.sum() / most))), seed)
        labels: Codes = _native.partition_graph(*self.arrays, least, most, LOOSE, seed)
        return labels

    def cut_inside(self, members: Array, seed: int) -> tuple[float, int]:
        """The weight and the number of the edges of an even cut through some vertices."""
        return _native.cut_inside(*self.arrays, members.astype(np.int32), EVEN, seed)

    def cut_weight(self, labels: Codes) -> float:
        """The weight of all edges between groups."""
        return float(self.weights[labels[self.begins] != labels[self.ends]].sum()) / 2

    def _by_metis(self, parts: int, seed: int) -> Codes:
        try:
            import pymetis
        except ImportError:
            raise MissingExtra(
                "Chameleon: cutter='metis' needs pymetis; install acumen-learn[graph], or use "
                f"{messages.setting('cutter', 'own')}."
            ) from None
        if parts < 2:
            return np.zeros(len(self.sizes), dtype=np.int32)
        if 2 * parts > len(self.sizes):  # METIS cannot, and complains on the terminal
            own_labels: Codes = _native.partition_graph(
                *self.arrays, parts, float(self.sizes.sum()), LOOSE, seed
            )
            return own_labels
        whole = np.maximum(np.rint(self.weights * 1000), 1).astype(np.int32)  # METIS counts in whole numbers
        sizes = np.maximum(np.rint(self.sizes / self.sizes.min()), 1).astype(np.int32)
        _, labels = pymetis.part_graph(
            parts, pymetis.CSRAdjacency(self.starts.astype(np.int32), self.ends), eweights=whole, vweights=sizes,
            recursive=True, options=pymetis.Options(seed=seed % 2**31),
        )  # fmt: skip
        return np.unique(np.asarray(labels), return_inverse=True)[1].astype(np.int32)


def neighbour_graph(rows: RowsApart, neighbours: int) -> RowGraph:
    """The graph of rows that all differ, each tied to so many of its nearest; of ties the first rows."""
    n = len(rows)
    plain = rows.take(np.arange(n), np.ones(n))
    step = int(np.clip(_PAIRS // max(n, 1), 16, 4096))
    begins, ends, away = [], [], []
    for start in range(0, n, step):
        block = np.arange(start, min(start + step, n))
        nearby = plain.search.lists(
            rows.raw.take(block), float(neighbours), Apart(own=block.astype(np.int64))
        )
        place = np.arange(len(nearby.rows)) - np.repeat(nearby.ends[:-1], np.diff(nearby.ends))
        near = (place < neighbours) & np.isfinite(nearby.distances)
        begins.append(np.repeat(block, np.diff(nearby.ends))[near])
        ends.append(nearby.rows[near])
        away.append(nearby.distances[near])
    return _graph_of(np.concatenate(begins), np.concatenate(ends), np.concatenate(away), rows.weights)


def _graph_of(begins: Array, ends: Array, away: Floats, sizes: Floats) -> RowGraph:
    """Both directions of every edge, once each."""
    n = len(sizes)
    middle = float(np.median(away)) if len(away) else 0.0
    with np.errstate(over="ignore"):
        alike = 1.0 / (1.0 + away / middle) if middle > 0 else np.where(away > 0, 0.5, 1.0)
    alike = np.maximum(alike, 1e-12)  # however far apart, an edge weighs something
    both = np.concatenate([begins * n + ends, ends * n + begins])
    keys, at = np.unique(both, return_index=True)
    heads = keys // n
    starts = np.searchsorted(heads, np.arange(n + 1)).astype(np.int64)
    return RowGraph(
        starts, (keys % n).astype(np.int32), np.concatenate([alike, alike])[at], np.ascontiguousarray(sizes)
    )
