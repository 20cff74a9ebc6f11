"""Labels spread over a graph of neighbours (Zhou et al. 2004).

    lines_of    rows -> lines: rows with the same values and the same label together, with their weight
    place_search   lines -> the search that counts places, not rows
    graph_of    lines -> the symmetric graph of their nearest neighbours, and how far each reaches
    spread      the graph and some labels -> for each line how much of each class comes to it

A place is where all values are equal. Neighbours are counted in places: repeating every row leaves the graph as it is.
Lines i and j are joined where one is among the k nearest places of the other, or where they share a place. With
S = D^-1/2 W D^-1/2, W the affinities and D their sums, the answer F = (1 - alpha) (I - alpha S)^-1 Y is where
F <- alpha S F + (1 - alpha) Y comes to rest. The equations are solved by conjugate gradients; no eigenvalue of
I - alpha S is below 1 - alpha, so that what is left of them, over 1 - alpha, bounds how far the answer is off. A line
of weight m stands for m rows at one place: it counts m times in the sums of others, and m - 1 times in its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from acumen.geometry.distance import Fitted
from acumen.geometry.distance_form import NO_CODES
from acumen.geometry.raw_rows import RawRows
from acumen.geometry.search import Apart, Index, Lists, Search
from acumen.types import Array, Codes, Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_SURPLUS = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Rows with the same values and the same label, put together."""

    first: Array  # the number of a row of each line
    place: Codes  # of each line
    weights: Floats
    alone: Floats  # what a single row of each line weighs
    of_row: Codes  # the line of each row


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """Affinities of lines, symmetric; and the distance of each line's k-th neighbour."""

    affinity: csr_matrix
    reach: Floats


def affinities(distance: Floats, one: Floats, other: Floats, say: str) -> Floats:
    """1, or exp(-d^2 / (2 reach reach')), each row having its own scale (Zelnik-Manor and Perona 2004)."""
    if say == "uniform":
        return np.ones(len(distance))
    scale = 2.0 * one * other
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        made = np.exp(-(distance * distance) / scale)
    return np.where(distance > 0, np.nan_to_num(made, nan=0.0), 1.0)


def places_of(raw: RawRows) -> Codes:
    """The number of the place of each row: rows with the same values share one."""
    numbers = np.where(raw.numbers == 0, 0.0, raw.numbers)  # -0.0 is 0.0
    numbers[np.isnan(numbers)] = np.nan
    parts = [numbers.view(np.int64).reshape(len(raw), -1), raw.codes.astype(np.int64)]
    for counts, known in zip(raw.words, raw.told, strict=True):
        texts: dict[bytes, int] = {}
        each = [
            counts.indices[a:b].tobytes() + counts.data[a:b].tobytes() + bytes([int(k)])
            for a, b, k in zip(counts.indptr, counts.indptr[1:], known, strict=False)
        ]
        parts.append(np.array([[texts.setdefault(text, len(texts))] for text in each], dtype=np.int64))
    lines = np.ascontiguousarray(np.concatenate(parts, axis=1))
    if not lines.shape[1]:
        return np.zeros(len(raw), dtype=np.int32)
    place = np.unique(lines, axis=0, return_inverse=True)[1]
    return np.ascontiguousarray(place.ravel(), dtype=np.int32)


def lines_of(raw: RawRows, heavy: Floats, labels: Codes, whole: bool) -> Lines:
    """Rows as lines. A weight that counts rows is that many rows of weight 1; any other is one row."""
    place = places_of(raw)
    key = place.astype(np.int64) * (int(labels.max(initial=-1)) + 2) + labels + 1
    _, first, of_row = np.unique(key, return_index=True, return_inverse=True)
    of_row = of_row.ravel().astype(np.int32)
    weights: Floats = np.asarray(np.bincount(of_row, heavy, len(first)), dtype=np.float64)
    squares = np.bincount(of_row, heavy * heavy, len(first))
    alone: Floats = np.minimum(weights, 1.0) if whole else squares / np.where(weights > 0, weights, 1.0)
    return Lines(first, place[first], weights, alone, of_row)


def place_search(fitted: Fitted, raw: RawRows, place: Codes, index: Index, *, apart: bool = False) -> Search:
    """A search in which all lines of a place count as one neighbour together."""
    count = np.bincount(place)
    shares = (1.0 + _SURPLUS) / count[place]  # so that the shares of a place never come to less than one
    return Search(fitted, raw, shares, index=index, part=place if apart else NO_CODES)


def graph_of(fitted: Fitted, raw: RawRows, lines: Lines, k: int, say: str, index: Index) -> Graph:
    """The graph of lines with the k nearest places of each, and with the other lines of its own place."""
    from scipy.sparse import coo_matrix

    n = len(raw)
    search = place_search(fitted, raw, lines.place, index, apart=True)
    at, near, distance = _neighbours(search, raw, lines.place, k)
    reach = np.zeros(n)
    np.maximum.at(reach, at, distance)
    away = affinities(distance, reach[at], reach[near], say)
    one = coo_matrix((away, (at, near)), shape=(n, n)).tocsr()
    members = coo_matrix(
        (np.ones(n), (np.arange(n), lines.place)), shape=(n, int(lines.place.max(initial=0)) + 1)
    )
    here = (members @ members.T).tocsr()  # 1 for two lines of one place, and for a line and itself
    return Graph((one.maximum(one.T) + here).tocsr(), reach)


def _neighbours(search: Search, raw: RawRows, place: Codes, k: int) -> tuple[Array, Array, Floats]:
    """Pairs of lines and their distances: to the k nearest other places, or on to the first at any distance.

    Places may be at no distance from each other, such as where a value is missing in one of them.
    """
    asking: Array = np.arange(len(raw), dtype=np.int64)
    pairs: list[tuple[Array, Array, Floats]] = []
    most = int(place.max(initial=0))
    while len(asking):
        apart = Apart(asking, np.ascontiguousarray(place[asking]))
        found = search.lists(raw.take(asking), k, apart)
        at = np.repeat(np.arange(len(asking)), np.diff(found.ends))
        known = np.isfinite(found.distances)
        at, near, distance = at[known], found.rows[known], found.distances[known]
        reach = np.zeros(len(asking))
        np.maximum.at(reach, at, distance)
        again = (reach == 0) & (k < most)
        done = ~again[at]
        pairs.append((asking[at[done]], near[done], distance[done]))
        asking, k = asking[again], 2 * k
    at, near, distance = (np.concatenate(part) for part in zip(*pairs, strict=True))
    return at, near, distance


def reaches(found: Lists, n: int) -> Floats:
    """The distance of the furthest neighbour of each row that is at any distance; 0 where there is none."""
    made = np.zeros(n)
    at = np.repeat(np.arange(n), np.diff(found.ends))
    known = np.isfinite(found.distances)
    np.maximum.at(made, at[known], found.distances[known])
    return made


def spread(
    graph: Graph, lines: Lines, labels: Codes, classes: int, alpha: float, tol: float, max_iter: int
) -> tuple[Floats, int]:
    """F, a row for each line and a column for each class, and the number of steps."""
    from scipy.sparse import diags

    n, heavy = len(labels), lines.weights
    given = np.zeros((n, classes))
    known = np.flatnonzero(labels >= 0)
    given[known, labels[known]] = 1.0
    # The other rows of a line are the rest of its weight.
    weighed: Any = (graph.affinity @ diags(heavy)).tocsr() - diags(lines.alone)
    degree = np.asarray(weighed.sum(axis=1)).ravel()
    root = np.sqrt(np.where(degree > 0, degree, 1.0))
    # In units of sqrt(weight) the matrix is symmetric.
    unit = np.sqrt(heavy)
    step: Any = (diags(unit / root) @ weighed @ diags(1.0 / (unit * root))).tocsr()
    found, steps = _solved(step, (1.0 - alpha) * given * unit[:, None], alpha, tol * (1.0 - alpha), max_iter)
    # What rounding leaves below 0 is nothing.
    return np.maximum(found / unit[:, None], 0.0), steps


def _solved(step: Any, right: Floats, alpha: float, near: float, max_iter: int) -> tuple[Floats, int]:
    """(I - alpha step)^-1 right by conjugate gradients, a column for each class, until what is left is `near` 0."""
    made = np.zeros_like(right)
    left = right.copy()
    along = left.copy()
    square = np.einsum("ij,ij->j", left, left)
    for used in range(max_iter):
        if float(np.sqrt(square.max(initial=0.0))) <= near:
            return made, max(used, 1)
        moved = along - alpha * np.asarray(step @ along)
        slope = np.einsum("ij,ij->j", along, moved)
        far = np.divide(square, slope, out=np.zeros_like(square), where=slope > 0)
        made += far * along
        left -= far * moved
        after = np.einsum("ij,ij->j", left, left)
        along = left + np.divide(after, square, out=np.zeros_like(after), where=square > 0) * along
        square = after
    return made, max_iter
