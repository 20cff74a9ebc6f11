"""A Bayesian network of rows: structure, then tables.

    Wish            what a learner was asked for, without its rows
    learned         codes -> Learned: the network, its score, how it was found
    fitted_tables   the tables of a structure: counts and a Dirichlet prior

Where values are missing every family is counted over the rows that know all of it ("available"), or the gaps are filled
by expectation and maximisation (`completion`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from acumen.errors import DataError, ParameterError
from acumen.networks import graph, trees
from acumen.networks.coded import CodedRows
from acumen.networks.network import Network
from acumen.networks.nodes import Node, place_of
from acumen.networks.scoring import Score, Scoring, scoring
from acumen.networks.search import Search, hill_climbing, tabu
from acumen.types import Bools, Codes, Floats

#: Cells of all tables of a network together.
MOST_CELLS = 1 << 24


@dataclass(frozen=True, slots=True)
class Wish:
    """What to learn; `target` is the place of the class, None where there is none."""

    structure: Any
    score: Score
    max_parents: int
    alpha: float
    must: Any
    must_not: Any
    target: int | None
    tabu_length: int
    patience: int
    who: str


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """A network, its score, and the number of changes (or of steps of EM) that led to it."""

    network: Network
    score: float
    steps: int


def learned(codes: Codes, nodes: tuple[Node, ...], weights: Floats, wish: Wish) -> Learned:
    """The network of rows."""
    rows = CodedRows.of(codes, [len(node) for node in nodes], weights)
    judge = scoring(wish.score, rows.total, rows.n_nodes, wish.alpha, wish.who)
    parents, steps = structured(rows, nodes, wish, judge)
    network = Network(nodes, *fitted_tables(rows, parents, wish))
    return Learned(network, score_of(rows, parents, judge), steps)


def score_of(rows: CodedRows, parents: Sequence[Sequence[int]], judge: Scoring) -> float:
    """The score of a structure: the sum over its families."""
    return float(sum(rows.score(v, sorted(above), judge) for v, above in enumerate(parents)))


def structured(
    rows: CodedRows, nodes: tuple[Node, ...], wish: Wish, judge: Scoring
) -> tuple[list[list[int]], int]:
    """The parents of each node, ascending, and how many changes were made to find them."""
    who, d = wish.who, len(nodes)
    must = _marks(nodes, wish.must, f"{who}: must")
    must_not = _marks(nodes, wish.must_not, f"{who}: must_not")
    if (must & must_not).any():
        u, v = np.argwhere(must & must_not)[0]
        raise ParameterError(f"{who}: {nodes[u].name} -> {nodes[v].name} is in must and in must_not.")
    given = wish.structure
    if not isinstance(given, str):
        marks = _marks(nodes, given, f"{who}: structure") | must
        parents = [np.flatnonzero(marks[:, v]).tolist() for v in range(d)]
        _require_order(parents, nodes, who)
        return _checked(parents, nodes, must, must_not, who), 0
    if given in ("hill-climbing", "tabu"):
        start = [np.flatnonzero(must[:, v]).tolist() for v in range(d)]
        _require_order(start, nodes, who)
        crowded = max(map(len, start), default=0)
        if crowded > wish.max_parents:
            raise ParameterError(
                f"{who}: must gives an attribute {crowded} parents; max_parents is {wish.max_parents}."
            )
        search = Search(rows, judge, wish.max_parents, must, must_not, start)
        return (
            hill_climbing(search)
            if given == "hill-climbing"
            else tabu(search, wish.tabu_length, wish.patience)
        )
    if given == "chow-liu" or (given == "tan" and wish.target is None):
        return _checked(trees.chow_liu(rows, must, must_not, who), nodes, must, must_not, who), 0
    if wish.target is None:  # a naive network that has lost its class has no edges
        return _checked([[] for _ in nodes], nodes, must, must_not, who), 0
    if given == "naive" or wish.max_parents < 2 or d < 3:
        parents = trees.naive(d, wish.target)
    else:
        parents = trees.tan(rows, wish.target, must, must_not, who)
    return _checked(parents, nodes, must, must_not, who), 0


def fitted_tables(
    rows: CodedRows, parents: Sequence[Sequence[int]], wish: Wish
) -> tuple[tuple[tuple[int, ...], ...], tuple[Floats, ...], tuple[Floats, ...]]:
    """Parents, probabilities, and what stands behind each line: the weight of its rows and the prior's."""
    sizes = rows.levels.tolist()
    cells = sum(prod(sizes[u] for u in (*above, v)) for v, above in enumerate(parents))
    if cells > MOST_CELLS:
        raise DataError(
            f"{wish.who}: the tables of this network would have {cells:,} cells, and at most {MOST_CELLS:,} are taken; "
            "leave out attributes of many levels, or give fewer parents."
        )
    tables, strengths = [], []
    for v, above in enumerate(parents):
        counts = rows.counts((*above, v))
        prior = wish.alpha / counts.size if wish.score == "bde" else wish.alpha
        alpha = counts + prior
        if v == wish.target:  # a class that no row has is never the answer
            alpha = np.where(rows.counts((v,)) > 0, alpha, 0.0)
        total = alpha.sum(axis=-1)
        uniform = 1.0 / counts.shape[-1]
        with np.errstate(divide="ignore", invalid="ignore"):
            table = np.where(total[..., None] > 0, alpha / total[..., None], uniform)
        tables.append(table)
        strengths.append(np.asarray(total, dtype=np.float64))
    return tuple(tuple(int(u) for u in above) for above in parents), tuple(tables), tuple(strengths)


def _marks(nodes: tuple[Node, ...], edges: Any, who: str) -> Bools:
    """(parent, child) marks of edges given by name."""
    made = np.zeros((len(nodes), len(nodes)), dtype=np.bool_)
    for edge in edges:
        if isinstance(edge, str) or not isinstance(edge, Sequence) or len(edge) != 2:
            raise ParameterError(f"{who} holds pairs (parent, child) of attributes; got {edge!r}.")
        u, v = (place_of(nodes, name, who) for name in edge)
        if u == v:
            raise ParameterError(f"{who}: an edge joins two attributes; got {edge[0]!r} twice.")
        made[u, v] = True
    return made


def _require_order(parents: list[list[int]], nodes: tuple[Node, ...], who: str) -> None:
    if graph.ordered(parents) is not None:
        return
    left = list(range(len(parents)))
    while True:  # take away what is on no circle
        kept = [v for v in left if any(u in left for u in parents[v])]
        if kept == left:
            break
        left = kept
    names = ", ".join(nodes[v].name for v in left[:8])
    raise ParameterError(
        f"{who}: the edges make a circle among {names}; each must point away from its causes."
    )


def _checked(
    parents: list[list[int]], nodes: tuple[Node, ...], must: Bools, must_not: Bools, who: str
) -> list[list[int]]:
    """The structure, which must keep what was asked for."""
    for v, above in enumerate(parents):
        lacking = [u for u in np.flatnonzero(must[:, v]).tolist() if u not in above]
        too_many = [u for u in above if must_not[u, v]]
        if lacking or too_many:
            u = (lacking or too_many)[0]
            said = (
                "is in must, and this structure has no place for it"
                if lacking
                else "is in must_not, and this structure has it"
            )
            raise ParameterError(
                f"{who}: {nodes[u].name} -> {nodes[v].name} {said}; take structure='hill-climbing'."
            )
    return [sorted(above) for above in parents]
