"""A Markov network as a value: nodes, and factors over some of them, whose product is the probability of a row.

    MarkovFactor            a scope of nodes, ascending, and a table of numbers of at least 0
    MarkovField             nodes and factors, and all queries on them
    MarkovField.marginals   every node's distribution at once, by the junction tree

Two nodes have an edge if a factor contains both; `independences` lists what the missing edges imply.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError
from acumen.networks import graph
from acumen.networks.answers import Distribution, Likeliest, Separation
from acumen.networks.gibbs import Chains, gibbs
from acumen.networks.junction_tree import JunctionTree
from acumen.networks.nodes import Node, evidence_of, place_of, places_of
from acumen.networks.potentials import (
    Potential,
    at_values,
    elimination,
    maximise,
    of_rows,
    require_room,
    rows_by_pattern,
    sum_out,
)
from acumen.resampling.plan import require_seed
from acumen.types import Codes, Floats, Label

_AT_ONCE = 1 << 21
_HINT = "use method='gibbs' to estimate the answer by sampling, or leave out edges."


@dataclass(frozen=True, slots=True, eq=False)
class MarkovFactor:
    """A table over some nodes, an axis for each."""

    scope: tuple[int, ...]
    table: Floats


@dataclass(frozen=True, slots=True, eq=False)
class MarkovField:
    """Nodes and factors."""

    nodes: tuple[Node, ...]
    factors: tuple[MarkovFactor, ...]
    #: Cached: `log_z`, and the factors scaled to a largest entry of 1, which all queries use.
    _kept: dict[str, Any] = field(default_factory=dict)

    # -- its shape --------------------------------------------------------------------------------

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(len(node) for node in self.nodes)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(node.name for node in self.nodes)

    @property
    def neighbours(self) -> list[set[int]]:
        """The nodes that each shares a factor with."""
        neighbours: list[set[int]] = [set() for _ in self.nodes]
        for factor in self.factors:
            for v in factor.scope:
                neighbours[v] |= set(factor.scope) - {v}
        return neighbours

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Every edge once, the lower place first."""
        return tuple((u, v) for u, near in enumerate(self.neighbours) for v in sorted(near) if u < v)

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        return tuple((self.names[u], self.names[v]) for u, v in self.pairs)

    @property
    def tree(self) -> JunctionTree:
        """The junction tree of all factors."""
        return JunctionTree.of((*(f.scope for f in self.factors), *self._singles), self.sizes)

    @property
    def _singles(self) -> list[tuple[int, ...]]:
        return [(v,) for v in range(len(self.nodes))]

    @property
    def log_z(self) -> float:
        """The logarithm of the partition function: the product of all factors, summed over all possible rows."""
        return self._log_sum + float(sum(np.log(f.table.max()) for f in self.factors))

    @property
    def _log_sum(self) -> float:
        """The log partition function of the scaled factors."""
        if "log_z" not in self._kept:
            tree = self.tree
            require_room(tree.cells, "MarkovNetwork", _HINT)
            log_sum = tree.beliefs(self._potentials({}), self.sizes)[1]
            if not np.isfinite(log_sum):
                raise DataError(
                    "MarkovNetwork: its factors rule out every row, so no query has an answer; look for zeros "
                    "that contradict each other."
                )
            self._kept["log_z"] = log_sum
        return float(self._kept["log_z"])

    @property
    def _even(self) -> tuple[MarkovFactor, ...]:
        """The factors, each divided by its largest entry, so that no product of them overflows."""
        if "even" not in self._kept:
            self._kept["even"] = tuple(MarkovFactor(f.scope, f.table / f.table.max()) for f in self.factors)
        factors: tuple[MarkovFactor, ...] = self._kept["even"]
        return factors

    def _potentials(self, known: Mapping[int, int]) -> list[Potential]:
        ones = [Potential((v,), np.ones((1, len(n)))) for v, n in enumerate(self.nodes) if v not in known]
        return [*(at_values(f.scope, f.table, known) for f in self._even), *ones]

    # -- queries ----------------------------------------------------------------------------------

    def query(
        self, target: Any, given: Mapping[str, Any] | None = None, method: str = "exact", **how: Any
    ) -> Distribution:
        """The distribution of some attributes given values of others: exact, or by Gibbs sampling."""
        keep = places_of(self.nodes, target, "query")
        if not keep or len(set(keep)) < len(keep):
            raise ParameterError("query: name at least one target, and each once.")
        known = evidence_of(self.nodes, given, "query")
        both = [v for v in keep if v in known]
        if both:
            raise ParameterError(f"query: {self.names[both[0]]!r} is both asked for and given.")
        condition = self._values_by_name(known)
        nodes = tuple(self.nodes[v] for v in keep)
        if method == "gibbs":
            estimate = self._chains(known, **how).estimate(keep, self.sizes)
            return Distribution(nodes, estimate.mean, condition, estimate.error, estimate.note)
        if method != "exact" or how:
            raise ParameterError(
                f"query: method must be 'exact' or 'gibbs', and only sampling has options; got {method!r}."
            )
        potentials = self._potentials(known)
        tree = JunctionTree.of((*(p.scope for p in potentials if p.scope), keep), self.sizes)
        require_room(tree.cells, "query", _HINT)
        beliefs, log = tree.beliefs(potentials, self.sizes)
        if not np.isfinite(log):
            raise DataError(f"query: the values {condition} never occur together in this network.")
        home = next(i for i, clique in enumerate(tree.cliques) if set(keep) <= set(clique))
        clique = tree.cliques[home]
        table = beliefs[home].sum(axis=tuple(a for a, v in enumerate(clique) if v not in keep))
        order = sorted(keep)
        return Distribution(nodes, np.transpose(table, [order.index(v) for v in keep]), condition)

    def marginals(self, given: Mapping[str, Any] | None = None) -> dict[str, Distribution]:
        """The distribution of every attribute that is not given, from one pass up and one down the junction tree."""
        known = evidence_of(self.nodes, given, "marginals")
        condition = self._values_by_name(known)
        potentials = self._potentials(known)
        tree = JunctionTree.of((p.scope for p in potentials if p.scope), self.sizes)
        require_room(tree.cells, "marginals", _HINT)
        beliefs, log = tree.beliefs(potentials, self.sizes)
        if not np.isfinite(log):
            raise DataError(f"marginals: the values {condition} never occur together in this network.")
        distributions = {}
        for v, node in enumerate(self.nodes):
            if v in known:
                continue
            home = next(i for i, clique in enumerate(tree.cliques) if v in clique)
            axes = tuple(axis for axis, u in enumerate(tree.cliques[home]) if u != v)
            distributions[node.name] = Distribution((node,), beliefs[home].sum(axis=axes), condition)
        return distributions

    def most_likely(self, given: Mapping[str, Any] | None = None) -> Likeliest:
        """The jointly most likely values of all attributes, given some."""
        known = evidence_of(self.nodes, given, "most_likely")
        potentials = self._potentials(known)
        plan = elimination((p.scope for p in potentials if p.scope), self.sizes)
        require_room(plan.cells, "most_likely", "leave out edges, or attributes of many levels.")
        with np.errstate(divide="ignore"):
            best_codes, log = maximise(potentials, plan.order, self.sizes)
        if not np.isfinite(log):
            raise DataError(
                f"most_likely: the values {self._values_by_name(known)} never occur together in this network."
            )
        codes = best_codes | known
        values = {node.name: node.levels[codes[v]] for v, node in enumerate(self.nodes)}
        return Likeliest(values, log - self._log_sum)

    def independent(self, first: str, second: str, given: Any = ()) -> Separation:
        """Whether every path between two attributes leads through the given ones."""
        a, b = place_of(self.nodes, first, "independent"), place_of(self.nodes, second, "independent")
        if a == b:
            raise ParameterError(f"independent: {first!r} is named twice; name two attributes.")
        known = places_of(self.nodes, tuple(given) if isinstance(given, Mapping) else given, "independent")
        if a in known or b in known:
            raise ParameterError("independent: what is given cannot be one of the two.")
        path = graph.connecting_path(self.neighbours, a, b, set(known))
        condition = tuple(self.names[v] for v in known)
        if path is None:
            return Separation(first, second, condition)
        names = tuple(self.names[v] for v in path)
        return Separation(first, second, condition, names, (), " - ".join(names))

    def markov_blanket(self, name: str) -> tuple[str, ...]:
        """The neighbours: given these, no other attribute matters."""
        place = place_of(self.nodes, name, "markov_blanket")
        return tuple(self.names[v] for v in sorted(self.neighbours[place]))

    def independences(self) -> tuple[str, ...]:
        """What each missing edge implies: the two nodes are independent given the smaller of their neighbour sets."""
        near, names = self.neighbours, self.names
        sentences = []
        for u in range(len(names)):
            for v in range(u + 1, len(names)):
                if v not in near[u]:
                    wall = min((near[u], near[v]), key=len)
                    condition = ", ".join(names[w] for w in sorted(wall))
                    sentences.append(
                        f"{names[u]} and {names[v]} are independent"
                        + (f" given {condition}" if condition else "")
                    )
        return tuple(sentences)

    def factorisation(self) -> str:
        """`P(A, B, C) = 1/Z f1(A, B) f2(B, C)`."""
        parts = [
            f"f{i}({', '.join(self.names[v] for v in factor.scope)})"
            for i, factor in enumerate(self.factors, 1)
        ]
        return f"P({', '.join(self.names)}) = 1/Z {' '.join(parts) if parts else '1'}"

    # -- many rows at a time ----------------------------------------------------------------------

    def logs(self, codes: Codes, keep: int | None = None) -> Floats:
        """log P(known values of a row); with `keep`, log P(level, known values), one column per level of that node."""
        n = codes.shape[1]
        out = np.zeros((n, 1 if keep is None else len(self.nodes[keep])))
        gaps = codes < 0
        if keep is not None:
            gaps[keep] = True
        log_z = self._log_sum
        for rows in rows_by_pattern(gaps):
            missing = gaps[:, rows[0]]
            scopes = [[v for v in f.scope if missing[v]] for f in self.factors]
            plan = elimination([*scopes, *([v] for v in np.flatnonzero(missing).tolist())], self.sizes,
                               () if keep is None else (keep,))  # fmt: skip
            require_room(plan.cells, "a row with missing values", "leave out edges.")
            step = max(1, _AT_ONCE // max(plan.cells, 1))
            for first in range(0, len(rows), step):
                some = rows[first : first + step]
                out[some] = self._group_logs(codes[:, some], missing, plan.order, keep)
        out -= log_z
        return out if keep is not None else out[:, 0]

    def _group_logs(self, codes: Codes, missing: Any, order: Any, keep: int | None) -> Floats:
        n = codes.shape[1]
        constant = np.zeros(n)
        potentials = [Potential((v,), np.ones((1, self.sizes[v]))) for v in np.flatnonzero(missing).tolist()]
        for factor in self._even:
            potential = of_rows(factor.scope, factor.table, codes, missing)
            if potential.scope:
                potentials.append(potential)
            else:
                with np.errstate(divide="ignore"):
                    constant += np.log(potential.table)
        table, logs = sum_out(potentials, order, () if keep is None else (keep,), n)
        with np.errstate(divide="ignore"):
            return np.log(table.reshape(len(table), -1)) + (constant + logs)[:, None]

    def sample(self, n: int, random_state: Any = None) -> Table:
        """A Table of n rows drawn at random, exactly: attribute by attribute given those before."""
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 0:
            raise ParameterError(f"sample: n must be a whole number of at least 0; got {n!r}.")
        require_seed(random_state, "sample")
        rng = np.random.default_rng(random_state)
        codes = np.full((len(self.nodes), int(n)), -1, dtype=np.int32)
        for v in range(len(self.nodes)):
            logs = self.logs(codes, v)
            logs -= logs.max(axis=1, keepdims=True) if n else 0.0
            upto = np.cumsum(np.exp(logs), axis=1)
            drawn = rng.random(int(n)) * upto[:, -1]
            codes[v] = np.minimum((drawn[:, None] >= upto).sum(axis=1), len(self.nodes[v]) - 1)
        return Table(Schema(tuple(node.attribute for node in self.nodes)), int(n), nominal=list(codes))

    def _chains(self, known: Mapping[int, int], **how: Any) -> Chains:
        unknown = set(how) - {"sweeps", "chains", "burn_in", "random_state"}
        if unknown:
            raise ParameterError(
                f"query: sampling takes sweeps, chains, burn_in and random_state; got {min(unknown)!r}."
            )
        return gibbs([(f.scope, f.table) for f in self._even], self.sizes, known, **how)

    def _values_by_name(self, known: Mapping[int, int]) -> dict[str, Label]:
        return {self.nodes[v].name: self.nodes[v].levels[code] for v, code in known.items()}
