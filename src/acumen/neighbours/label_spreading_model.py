"""Label spreading on a graph of neighbours (Zhou et al. 2004): the graph, the solution, and the model.

    lines_of               rows -> lines: rows with the same values and label together, with their weight
    place_search           lines -> a search that counts places instead of rows
    graph_of               lines -> the symmetric graph of nearest neighbours, and the distance each reaches
    spread_labels          the graph and some labels -> each line's score for each class
    LabelSpreadingModel    lines with their scores; a new row averages those of its neighbours

A place is a set of rows with equal values. Neighbours are counted in places, so repeating every row leaves the graph
unchanged. Lines i and j are connected if one is among the k nearest places of the other, or if they share a place. With
S = D^-1/2 W D^-1/2, where W holds the affinities and D their sums, the answer F = (1 - alpha) (I - alpha S)^-1 Y is the
fixed point of F <- alpha S F + (1 - alpha) Y. Conjugate gradients solve the equations. No eigenvalue of I - alpha S is
below 1 - alpha, so the residual divided by 1 - alpha bounds the error. A line of weight m represents m rows at one
place: it counts m times in the sums of others, and m - 1 times in its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from acumen.caching import cached_property
from acumen.data.escape import printable
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.geometry.distance import FittedDistance
from acumen.geometry.distance_form import NO_CODES
from acumen.geometry.raw_rows import RawRows
from acumen.geometry.search import Apart, Index, Lists, NeighbourSearch
from acumen.models.model import Model
from acumen.neighbours.stored_rows import StoredRows, read_row_arrays
from acumen.preprocessing.stored_arrays import require, stored_codes, stored_floats
from acumen.render.text import many
from acumen.types import Array, Codes, Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


@dataclass(frozen=True, eq=False)
class LabelSpreadingModel(StoredRows, Model):
    """Lines of rows that hand on what came to them."""

    kind: ClassVar[str] = "label-spreading"

    shares: Floats  # (lines, classes): of what came to each line; zeros where nothing did
    reach: Floats  # the distance of each line's k-th neighbour
    labels: Codes  # as they were given; -1 without
    totals: Floats  # the weight of each class among the labelled rows
    line: Codes  # of each training row

    @cached_property
    def search(self) -> NeighbourSearch:
        """The search among the lines, which counts places."""
        return place_search(self.fitted, self.raw, places_of(self.raw), self.index)

    def scores(self, rows: Table) -> Floats:
        raw = self.raw_of(rows)
        nearby = self.search.lists(raw, self.k)
        n = len(raw)
        at = np.repeat(np.arange(n), np.diff(nearby.ends))
        known = np.isfinite(nearby.distances)
        at, near, away = at[known], nearby.rows[known], nearby.distances[known]
        mine = reaches(nearby, n)
        say = affinities(away, mine[at], self.reach[near], self.say) * self.weights[near]
        votes = np.zeros((n, self.shares.shape[1]))
        for c in range(votes.shape[1]):
            votes[:, c] = np.bincount(at, say * self.shares[near, c], n)
        total = votes.sum(axis=1, keepdims=True)
        votes = np.where(total > 0, votes / np.where(total > 0, total, 1.0), self.totals / self.totals.sum())
        with np.errstate(divide="ignore"):
            return np.log(votes)

    # -- telling ----------------------------------------------------------------------------------

    @property
    def n_parameters(self) -> int:
        """Every value kept counts."""
        return int(self.raw.numbers.size + self.raw.codes.size + self.shares.size)

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        target = printable(schema.target.name) if schema.target else "class"
        labels, reached = self.labels[self.line], self.shares.sum(axis=1)[self.line] > 0
        n_labelled = int(np.count_nonzero(labels >= 0))
        by = {"uniform": "all alike", "kernel": "by exp(-distance^2 / (2 reach reach'))"}[self.say]
        lines = [
            f"Labels of {target} spread over neighbours: {many(n_labelled, 'row')} with a label, "
            f"{many(len(labels) - n_labelled, 'row')} without",
            f"each joined to its {self.k} nearest, {by}; distance {self.fitted.distance.name}",
        ]
        if not reached.all():
            lines.append(f"No label came to {many(int((~reached).sum()), 'row')}.")
        came = self.weights @ self.shares
        given_of, all_of = self.totals / self.totals.sum(), came / max(float(came.sum()), 1e-300)
        parts = zip(schema.classes, given_of.tolist(), all_of.tolist(), strict=True)
        lines += [f"  {printable(c)}: {g:.4f} of the labels given, {s:.4f} of all rows" for c, g, s in parts]
        return "\n".join(lines)

    # -- storing ----------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Array]:
        return {
            **self.row_arrays(), "shares": self.shares, "reach": self.reach, "labels": self.labels,
            "totals": self.totals, "line": self.line,
        }  # fmt: skip

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        kept = read_row_arrays(arrays, schema)
        n, k = len(kept["weights"]), schema.n_classes
        require(kept["say"] in ("uniform", "kernel"), "its rows are joined in no known way")
        shares = stored_floats(arrays, "shares", (n, k), low=0.0, high=1.0)
        totals = stored_floats(arrays, "totals", (k,), low=0.0, high=1e300)
        require(bool(totals.sum() > 0), "no class has any weight")
        return cls(
            **kept,
            shares=shares,
            reach=stored_floats(arrays, "reach", (n,), low=0.0),
            labels=stored_codes(arrays, "labels", (n,), low=-1, below=k),
            totals=totals,
            line=stored_codes(arrays, "line", (kept["n_rows"],), low=0, below=n),
        )


_SURPLUS = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class GraphRows:
    """Rows with the same values and the same label, put together."""

    first: Array  # the number of a row of each line
    place: Codes  # of each line
    weights: Floats
    alone: Floats  # what a single row of each line weighs
    of_row: Codes  # the line of each row


@dataclass(frozen=True, slots=True, eq=False)
class NeighbourGraph:
    """Affinities of lines, symmetric; and the distance of each line's k-th neighbour."""

    affinity: csr_matrix
    reach: Floats


def affinities(distance: Floats, one: Floats, other: Floats, say: str) -> Floats:
    """1, or exp(-d^2 / (2 reach reach')), each row having its own scale (Zelnik-Manor and Perona 2004)."""
    if say == "uniform":
        return np.ones(len(distance))
    scale = 2.0 * one * other
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        weights = np.exp(-(distance * distance) / scale)
    return np.where(distance > 0, np.nan_to_num(weights, nan=0.0), 1.0)


def places_of(raw: RawRows) -> Codes:
    """The number of the place of each row: rows with the same values share one."""
    numbers = np.where(raw.numbers == 0, 0.0, raw.numbers)  # -0.0 is 0.0
    numbers[np.isnan(numbers)] = np.nan
    parts = [numbers.view(np.int64).reshape(len(raw), -1), raw.codes.astype(np.int64)]
    for counts, known in zip(raw.words, raw.text_known, strict=True):
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


def lines_of(raw: RawRows, heavy: Floats, labels: Codes, whole: bool) -> GraphRows:
    """Rows as lines. A weight that counts rows is that many rows of weight 1; any other is one row."""
    place = places_of(raw)
    key = place.astype(np.int64) * (int(labels.max(initial=-1)) + 2) + labels + 1
    _, first, of_row = np.unique(key, return_index=True, return_inverse=True)
    of_row = of_row.ravel().astype(np.int32)
    weights: Floats = np.asarray(np.bincount(of_row, heavy, len(first)), dtype=np.float64)
    squares = np.bincount(of_row, heavy * heavy, len(first))
    alone: Floats = np.minimum(weights, 1.0) if whole else squares / np.where(weights > 0, weights, 1.0)
    return GraphRows(first, place[first], weights, alone, of_row)


def place_search(
    fitted: FittedDistance, raw: RawRows, place: Codes, index: Index, *, apart: bool = False
) -> NeighbourSearch:
    """A search in which all lines of a place count as one neighbour together."""
    count = np.bincount(place)
    shares = (1.0 + _SURPLUS) / count[place]  # so that the shares of a place never come to less than one
    return NeighbourSearch(fitted, raw, shares, index=index, part=place if apart else NO_CODES)


def graph_of(
    fitted: FittedDistance, raw: RawRows, lines: GraphRows, k: int, say: str, index: Index
) -> NeighbourGraph:
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
    return NeighbourGraph((one.maximum(one.T) + here).tocsr(), reach)


def _neighbours(search: NeighbourSearch, raw: RawRows, place: Codes, k: int) -> tuple[Array, Array, Floats]:
    """Pairs of lines and their distances: to the k nearest other places, or on to the first at any distance.

    Places may be at no distance from each other, such as where a value is missing in one of them.
    """
    asking: Array = np.arange(len(raw), dtype=np.int64)
    pairs: list[tuple[Array, Array, Floats]] = []
    most = int(place.max(initial=0))
    while len(asking):
        apart = Apart(asking, np.ascontiguousarray(place[asking]))
        nearby = search.lists(raw.take(asking), k, apart)
        at = np.repeat(np.arange(len(asking)), np.diff(nearby.ends))
        known = np.isfinite(nearby.distances)
        at, near, distance = at[known], nearby.rows[known], nearby.distances[known]
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
    distances = np.zeros(n)
    at = np.repeat(np.arange(n), np.diff(found.ends))
    known = np.isfinite(found.distances)
    np.maximum.at(distances, at[known], found.distances[known])
    return distances


def spread_labels(
    graph: NeighbourGraph,
    lines: GraphRows,
    labels: Codes,
    classes: int,
    alpha: float,
    tol: float,
    max_iter: int,
) -> tuple[Floats, int]:
    """F, a row for each line and a column for each class, and the number of steps."""
    from scipy.sparse import diags

    n, heavy = len(labels), lines.weights
    labelled = np.zeros((n, classes))
    known = np.flatnonzero(labels >= 0)
    labelled[known, labels[known]] = 1.0
    # The other rows of a line are the rest of its weight.
    weighed: Any = (graph.affinity @ diags(heavy)).tocsr() - diags(lines.alone)
    degree = np.asarray(weighed.sum(axis=1)).ravel()
    root = np.sqrt(np.where(degree > 0, degree, 1.0))
    # In units of sqrt(weight) the matrix is symmetric.
    unit = np.sqrt(heavy)
    step: Any = (diags(unit / root) @ weighed @ diags(1.0 / (unit * root))).tocsr()
    solution, steps = _solve(
        step, (1.0 - alpha) * labelled * unit[:, None], alpha, tol * (1.0 - alpha), max_iter
    )
    # What rounding leaves below 0 is nothing.
    return np.maximum(solution / unit[:, None], 0.0), steps


def _solve(step: Any, right: Floats, alpha: float, near: float, max_iter: int) -> tuple[Floats, int]:
    """(I - alpha step)^-1 right by conjugate gradients, a column for each class, until what is left is `near` 0."""
    solution = np.zeros_like(right)
    residual = right.copy()
    along = residual.copy()
    square = np.einsum("ij,ij->j", residual, residual)
    for used in range(max_iter):
        if float(np.sqrt(square.max(initial=0.0))) <= near:
            return solution, max(used, 1)
        moved = along - alpha * np.asarray(step @ along)
        slope = np.einsum("ij,ij->j", along, moved)
        far = np.divide(square, slope, out=np.zeros_like(square), where=slope > 0)
        solution += far * along
        residual -= far * moved
        after = np.einsum("ij,ij->j", residual, residual)
        along = residual + np.divide(after, square, out=np.zeros_like(after), where=square > 0) * along
        square = after
    return solution, max_iter
