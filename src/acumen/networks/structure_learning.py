"""Learn a Bayesian network from rows: structure, then tables.

    LearningOptions   the learner's parameters
    learn_network     codes -> LearnedNetwork: the network, its score, and the number of steps
    fit_tables        the tables of a structure: counts and a Dirichlet prior

With missing values, every family is counted over the rows in which it is complete ("available"), or the missing values
are filled in by expectation-maximisation (`structural_em`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from acumen.errors import DataError, ParameterError
from acumen.networks import graph, tree_structures
from acumen.networks.coded_rows import CodedRows
from acumen.networks.network import Network
from acumen.networks.nodes import Node, place_of
from acumen.networks.scoring import Score, Scoring, scoring
from acumen.networks.structure_search import StructureSearch, hill_climbing, tabu
from acumen.types import Bools, Codes, Floats

#: Cells of all tables of a network together.
MOST_CELLS = 1 << 24


@dataclass(frozen=True, slots=True)
class LearningOptions:
    """The learner's parameters; `target` is the place of the class, or None."""

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
class LearnedNetwork:
    """A network, its score, and the number of search steps (or EM steps) that led to it."""

    network: Network
    score: float
    steps: int


def learn_network(
    codes: Codes, nodes: tuple[Node, ...], weights: Floats, wish: LearningOptions
) -> LearnedNetwork:
    """Learn structure and tables from encoded rows."""
    rows = CodedRows.of(codes, [len(node) for node in nodes], weights)
    judge = scoring(wish.score, rows.total, rows.n_nodes, wish.alpha, wish.who)
    parents, steps = find_structure(rows, nodes, wish, judge)
    network = Network(nodes, *fit_tables(rows, parents, wish))
    return LearnedNetwork(network, score_of(rows, parents, judge), steps)


def score_of(rows: CodedRows, parents: Sequence[Sequence[int]], judge: Scoring) -> float:
    """The score of a structure: the sum of its families' scores."""
    return float(sum(rows.score(v, sorted(above), judge) for v, above in enumerate(parents)))


def find_structure(
    rows: CodedRows, nodes: tuple[Node, ...], wish: LearningOptions, judge: Scoring
) -> tuple[list[list[int]], int]:
    """The parents of each node, ascending, and the number of search steps."""
    who, d = wish.who, len(nodes)
    must = _marks(nodes, wish.must, f"{who}: must")
    must_not = _marks(nodes, wish.must_not, f"{who}: must_not")
    if (must & must_not).any():
        u, v = np.argwhere(must & must_not)[0]
        raise ParameterError(f"{who}: {nodes[u].name} -> {nodes[v].name} is in must and in must_not.")
    structure = wish.structure
    if not isinstance(structure, str):
        marks = _marks(nodes, structure, f"{who}: structure") | must
        parents = [np.flatnonzero(marks[:, v]).tolist() for v in range(d)]
        _require_order(parents, nodes, who)
        return _check_structure(parents, nodes, must, must_not, who), 0
    if structure in ("hill-climbing", "tabu"):
        start = [np.flatnonzero(must[:, v]).tolist() for v in range(d)]
        _require_order(start, nodes, who)
        crowded = max(map(len, start), default=0)
        if crowded > wish.max_parents:
            raise ParameterError(
                f"{who}: must gives one attribute {crowded} parents, but max_parents is {wish.max_parents}."
            )
        search = StructureSearch(rows, judge, wish.max_parents, must, must_not, start)
        return (
            hill_climbing(search)
            if structure == "hill-climbing"
            else tabu(search, wish.tabu_length, wish.patience)
        )
    if structure == "chow-liu" or (structure == "tan" and wish.target is None):
        return _check_structure(
            tree_structures.chow_liu(rows, must, must_not, who), nodes, must, must_not, who
        ), 0
    if wish.target is None:  # a naive network without a class has no edges
        return _check_structure([[] for _ in nodes], nodes, must, must_not, who), 0
    if structure == "naive" or wish.max_parents < 2 or d < 3:
        parents = tree_structures.naive(d, wish.target)
    else:
        parents = tree_structures.tan(rows, wish.target, must, must_not, who)
    return _check_structure(parents, nodes, must, must_not, who), 0


def fit_tables(
    rows: CodedRows, parents: Sequence[Sequence[int]], wish: LearningOptions
) -> tuple[tuple[tuple[int, ...], ...], tuple[Floats, ...], tuple[Floats, ...]]:
    """Parents, probability tables, and the weight of each line: that of its rows plus the prior's."""
    sizes = rows.levels.tolist()
    cells = sum(prod(sizes[u] for u in (*above, v)) for v, above in enumerate(parents))
    if cells > MOST_CELLS:
        raise DataError(
            f"{wish.who}: the tables of this network would have {cells:,} cells, and at most {MOST_CELLS:,} are "
            "allowed; leave out attributes with many levels, or allow fewer parents."
        )
    tables, strengths = [], []
    for v, above in enumerate(parents):
        counts = rows.counts((*above, v))
        prior = wish.alpha / counts.size if wish.score == "bde" else wish.alpha
        alpha = counts + prior
        if v == wish.target:  # a class without rows is never predicted
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
    marks = np.zeros((len(nodes), len(nodes)), dtype=np.bool_)
    for edge in edges:
        if isinstance(edge, str) or not isinstance(edge, Sequence) or len(edge) != 2:
            raise ParameterError(f"{who} must contain pairs (parent, child) of attributes; got {edge!r}.")
        u, v = (place_of(nodes, name, who) for name in edge)
        if u == v:
            raise ParameterError(f"{who}: an edge connects two different attributes; got {edge[0]!r} twice.")
        marks[u, v] = True
    return marks


def _require_order(parents: list[list[int]], nodes: tuple[Node, ...], who: str) -> None:
    if graph.topological_order(parents) is not None:
        return
    on_circle = list(range(len(parents)))
    while True:  # remove the nodes that are on no cycle
        kept = [v for v in on_circle if any(u in on_circle for u in parents[v])]
        if kept == on_circle:
            break
        on_circle = kept
    names = ", ".join(nodes[v].name for v in on_circle[:8])
    raise ParameterError(
        f"{who}: the edges form a cycle among {names}; each must point away from its causes."
    )


def _check_structure(
    parents: list[list[int]], nodes: tuple[Node, ...], must: Bools, must_not: Bools, who: str
) -> list[list[int]]:
    """The structure with parents sorted; raise ParameterError if it violates must or must_not."""
    for v, above in enumerate(parents):
        lacking = [u for u in np.flatnonzero(must[:, v]).tolist() if u not in above]
        too_many = [u for u in above if must_not[u, v]]
        if lacking or too_many:
            u = (lacking or too_many)[0]
            reason = (
                "is in must, but this structure cannot contain it"
                if lacking
                else "is in must_not, but this structure contains it"
            )
            raise ParameterError(
                f"{who}: {nodes[u].name} -> {nodes[v].name} {reason}; use structure='hill-climbing'."
            )
    return [sorted(above) for above in parents]
