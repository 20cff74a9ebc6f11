"""Labels spread over a graph of neighbours (Zhou et al. 2004).

    graph_of   rows -> the symmetric graph of their nearest neighbours, and how far each reaches
    spread     the graph and some labels -> for each row how much of each class comes to it

Rows i and j are joined where one is among the k nearest of the other. With S = D^-1/2 W D^-1/2, W the affinities and D
their sums, the answer F = (1 - alpha) (I - alpha S)^-1 Y is where F <- alpha S F + (1 - alpha) Y comes to rest. The
equations are solved by conjugate gradients; no eigenvalue of I - alpha S is below 1 - alpha, so that what is left of
them, over 1 - alpha, bounds how far the answer is off. A row of weight m stands for m rows at one place: it counts m
times in the sums of others, and m - 1 times in its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from acumen.geometry.distance import Fitted
from acumen.geometry.raw_rows import RawRows
from acumen.geometry.search import Index, Lists, Search
from acumen.neighbours.left_out import left_out
from acumen.types import Codes, Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """Affinities of rows, symmetric; and the distance of each row's k-th neighbour."""

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


def graph_of(
    fitted: Fitted, raw: RawRows, heavy: Floats, k: int, say: str, index: Index, whole: bool
) -> Graph:
    """The graph of the nearest neighbours: a row's own place is left out but for the further rows at it."""
    from scipy.sparse import coo_matrix

    n = len(raw)
    apart = left_out(raw, whole)
    found = Search(fitted, raw, heavy, index=index, part=apart.part).lists(raw, k, apart)
    at = np.repeat(np.arange(n), np.diff(found.ends))
    known = np.isfinite(found.distances)
    reach = reaches(found, n)
    away = affinities(found.distances[known], reach[at[known]], reach[found.rows[known]], say)
    one = coo_matrix((away, (at[known], found.rows[known])), shape=(n, n)).tocsr()
    return Graph(one.maximum(one.T).tocsr(), reach)


def reaches(found: Lists, n: int) -> Floats:
    """The distance of the furthest neighbour of each row that is at any distance; 0 where there is none."""
    made = np.zeros(n)
    at = np.repeat(np.arange(n), np.diff(found.ends))
    known = np.isfinite(found.distances)
    np.maximum.at(made, at[known], found.distances[known])
    return made


def spread(
    graph: Graph, heavy: Floats, labels: Codes, classes: int, alpha: float, tol: float, max_iter: int
) -> tuple[Floats, int]:
    """F, a line for each row and a column for each class, and the number of steps."""
    from scipy.sparse import diags

    n = len(labels)
    given = np.zeros((n, classes))
    known = np.flatnonzero(labels >= 0)
    given[known, labels[known]] = 1.0
    own: Any = graph.affinity.diagonal()
    # What stands at a row's own place beside it is the rest of its weight.
    weighed: Any = (graph.affinity @ diags(heavy)).tocsr() - diags(own * np.minimum(heavy, 1.0))
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
