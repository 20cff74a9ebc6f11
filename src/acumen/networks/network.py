"""A Bayesian network as a value: nodes, the parents of each, and a table for each family.

    Network            structure and tables, and all queries on them
    Network.logs       rows -> log P(row), or log P(level, row) for each level of one node; missing values summed out
    Network.query      the exact distribution of some nodes given values of others
    Network.do         the network after an intervention: an attribute that was set no longer depends on its causes

A table has an axis for each parent, in the order of `parents`, and a last one for the node's own levels. Missing
values are summed out exactly: nodes without known descendants are dropped, all others eliminated by least fill.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError
from acumen.networks import graph
from acumen.networks.answers import Dirichlet, Distribution, Likeliest, Separation
from acumen.networks.nodes import Node, codes_of, evidence_of, place_of, places_of
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
from acumen.types import Bools, Codes, Floats, Label

#: Cells of the tables of many rows in memory at a time.
_AT_ONCE = 1 << 21
_HINT = "leave out attributes with many levels, or use a smaller max_parents."


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """Nodes, parents and tables; `strengths` is the total weight of each line of a table (0: the line was given)."""

    nodes: tuple[Node, ...]
    parents: tuple[tuple[int, ...], ...]
    tables: tuple[Floats, ...]
    strengths: tuple[Floats, ...]

    # -- its shape --------------------------------------------------------------------------------

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of levels of each node."""
        return tuple(len(node) for node in self.nodes)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(node.name for node in self.nodes)

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """(parent, child), in the order of the nodes."""
        names = self.names
        return tuple(
            (names[p], names[child]) for child, above in enumerate(self.parents) for p in sorted(above)
        )

    @property
    def n_parameters(self) -> int:
        """Free probabilities, counted by levels, whether or not training rows have them."""
        return sum(table.size // table.shape[-1] * (table.shape[-1] - 1) for table in self.tables)

    @property
    def notation(self) -> str:
        """`[A][S][T|A]`, as bnlearn writes structures: parents before children."""
        names = self.names
        order = graph.topological_order(self.parents) or ()
        depth: dict[int, int] = {}
        for v in order:
            depth[v] = 1 + max((depth[p] for p in self.parents[v]), default=-1)
        parts = []
        for v in sorted(order, key=lambda v: (depth[v], v)):
            above = ":".join(names[p] for p in self.parents[v])
            parts.append(f"[{names[v]}{'|' + above if above else ''}]")
        return "".join(parts)

    # -- queries ----------------------------------------------------------------------------------

    def query(self, target: Any, given: Mapping[str, Any] | None = None) -> Distribution:
        """The distribution of an attribute, or of several together, given values of others."""
        keep = places_of(self.nodes, target, "query")
        if not keep or len(set(keep)) < len(keep):
            raise ParameterError("query: name at least one target, and each once.")
        known = evidence_of(self.nodes, given, "query")
        condition = self._values_by_name(known)
        both = [v for v in keep if v in known]
        if both:
            raise ParameterError(f"query: {self.names[both[0]]!r} is both asked for and given.")
        relevant = graph.ancestors(self.parents, {*keep, *known})
        potentials = [self._at_values(v, known) for v in sorted(relevant)]
        plan = elimination((p.scope for p in potentials), self.sizes, keep)
        require_room(plan.cells, "query", _HINT)
        table, _ = sum_out(potentials, plan.order, keep, 1)
        total = float(table.sum())
        if not total > 0:
            raise DataError(f"query: the values {condition} never occur together in this network.")
        return Distribution(tuple(self.nodes[v] for v in keep), table[0] / total, condition)

    def most_likely(self, given: Mapping[str, Any] | None = None) -> Likeliest:
        """The jointly most likely values of all attributes, given some."""
        known = evidence_of(self.nodes, given, "most_likely")
        potentials = [self._at_values(v, known) for v in range(len(self.nodes))]
        plan = elimination((p.scope for p in potentials), self.sizes)
        require_room(plan.cells, "most_likely", _HINT)
        with np.errstate(divide="ignore"):
            best_codes, log = maximise(potentials, plan.order, self.sizes)
        if not np.isfinite(log):
            raise DataError(
                f"most_likely: the values {self._values_by_name(known)} never occur together in this network."
            )
        codes = best_codes | known
        values = {node.name: node.levels[codes[v]] for v, node in enumerate(self.nodes)}
        return Likeliest(values, log)

    def independent(self, first: str, second: str, given: Any = ()) -> Separation:
        """Whether two attributes are d-separated by others; if not, the path along which they depend."""
        a, b = place_of(self.nodes, first, "independent"), place_of(self.nodes, second, "independent")
        if a == b:
            raise ParameterError(f"independent: {first!r} is named twice; name two attributes.")
        known = places_of(self.nodes, tuple(given) if isinstance(given, Mapping) else given, "independent")
        if a in known or b in known:
            raise ParameterError("independent: what is given cannot be one of the two.")
        names = self.names
        path = graph.active_path(self.parents, a, b, set(known))
        if path is None:
            return Separation(first, second, tuple(names[v] for v in known))
        drawn, reasons = self._explain_path(path, set(known))
        return Separation(
            first, second, tuple(names[v] for v in known), tuple(names[v] for v in path), reasons, drawn
        )

    def markov_blanket(self, name: str) -> tuple[str, ...]:
        """Parents, children and the children's other parents: given these, no other attribute matters."""
        members = graph.blanket(self.parents, place_of(self.nodes, name, "markov_blanket"))
        return tuple(self.names[v] for v in sorted(members))

    def do(self, values: Mapping[str, Any] | None = None, **named: Any) -> Network:
        """The network with these attributes set from outside: their own causes no longer matter."""
        known = evidence_of(self.nodes, values, "do")
        known |= evidence_of(self.nodes, named, "do")
        if not known:
            raise ParameterError("do: name at least one attribute and the level it is set to.")
        parents, tables, strengths = list(self.parents), list(self.tables), list(self.strengths)
        for v, code in known.items():
            parents[v] = ()
            tables[v] = np.eye(len(self.nodes[v]))[code]
            strengths[v] = np.zeros(())
        return replace(self, parents=tuple(parents), tables=tuple(tables), strengths=tuple(strengths))

    def posterior(self, name: str) -> Dirichlet:
        """The Dirichlet posteriors of one attribute's table."""
        v = place_of(self.nodes, name, "posterior")
        if not (self.strengths[v] > 0).all():
            raise DataError(
                f"posterior: {name!r} has no posterior: its probabilities were given, or a line of its table has "
                "neither rows nor a prior."
            )
        above = [self.nodes[p] for p in self.parents[v]]
        return Dirichlet(
            name, self.nodes[v].levels, tuple(n.name for n in above), tuple(n.levels for n in above),
            self.tables[v] * self.strengths[v][..., None],
        )  # fmt: skip

    def draw(self, n: int, random_state: Any = None) -> Codes:
        """(nodes, n) codes, drawn parents first."""
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 0:
            raise ParameterError(f"sample: n must be a whole number of at least 0; got {n!r}.")
        require_seed(random_state, "sample")
        rng = np.random.default_rng(random_state)
        codes = np.empty((len(self.nodes), int(n)), dtype=np.int32)
        order = graph.topological_order(self.parents)
        assert order is not None
        for v in order:
            table = self.tables[v]
            upto = np.cumsum(table, axis=-1)[tuple(codes[p] for p in self.parents[v])]
            drawn = rng.random(int(n))
            # If rounding leaves the last sum below 1, the rest belongs to the last level that can occur.
            last = np.max(np.where(table > 0, np.arange(table.shape[-1]), 0), axis=-1)
            drawn_codes = (drawn[:, None] >= upto).sum(axis=-1) if n else np.empty(0, dtype=np.int64)
            codes[v] = np.minimum(drawn_codes, last[tuple(codes[p] for p in self.parents[v])])
        return codes

    def log_likelihood(self, rows: Table) -> float:
        """The log-likelihood of rows with their weights, missing values summed out."""
        return float(np.dot(self.logs(codes_of(rows, self.nodes)), rows.row_weights))

    def sample(self, n: int, random_state: Any = None, target: str | None = None) -> Table:
        """A Table of n rows drawn at random: numbers as the intervals they lie in."""
        codes = self.draw(n, random_state)
        attributes = [node.attribute for node in self.nodes]
        at = self.names.index(target) if target is not None else None
        inputs = [v for v in range(len(attributes)) if v != at]
        schema = Schema(tuple(attributes[v] for v in inputs), None if at is None else attributes[at])
        return Table(
            schema, int(n), nominal=[codes[v] for v in inputs], labels=None if at is None else codes[at]
        )

    # -- many rows at a time ----------------------------------------------------------------------

    def logs(self, codes: Codes, keep: int | None = None) -> Floats:
        """log P(known values) of each row; with `keep`, log P(level, known values), one column per level of that node.

        `codes` is (nodes, rows), -1 where a value is missing; the codes of `keep` are ignored.
        """
        n = codes.shape[1]
        width = 1 if keep is None else len(self.nodes[keep])
        out = np.zeros((n, width))
        gaps = codes < 0
        if keep is not None:
            gaps[keep] = True
        for rows in rows_by_pattern(gaps):
            missing = gaps[:, rows[0]]
            relevant, plan = self._plan(missing, keep)
            step = max(1, _AT_ONCE // max(plan.cells, 1))
            for first in range(0, len(rows), step):
                some = rows[first : first + step]
                # A single row is repeated: tables of one row are summed in another order.
                twice = np.repeat(some, 2) if len(some) == 1 else some
                group_logs = self._group_logs(codes[:, twice], missing, relevant, plan.order, keep)
                out[some] = group_logs[: len(some)]
        return out if keep is not None else out[:, 0]

    def joint_of(self, codes: Codes) -> tuple[tuple[int, ...], Floats]:
        """For rows with the same nodes missing: those nodes, and P(their values | known values), a table per row."""
        missing = codes[:, 0] < 0
        keep = tuple(np.flatnonzero(missing).tolist())
        potentials = [self._for_rows(v, codes, missing) for v in range(len(self.nodes))]
        table, _ = sum_out([p for p in potentials if p.scope], (), keep, codes.shape[1])
        table = np.broadcast_to(table, (codes.shape[1], *table.shape[1:]))
        total = table.sum(axis=tuple(range(1, table.ndim)), keepdims=True)
        cells = table[0].size
        return keep, np.where(total > 0, table / np.where(total > 0, total, 1.0), 1.0 / cells)

    def _plan(self, missing: Bools, keep: int | None) -> tuple[list[int], Any]:
        wanted = {int(v) for v in np.flatnonzero(~missing)} | (set() if keep is None else {keep})
        relevant = sorted(graph.ancestors(self.parents, wanted))
        scopes = [[u for u in (*self.parents[v], v) if missing[u]] for v in relevant]
        plan = elimination(scopes, self.sizes, () if keep is None else (keep,))
        require_room(plan.cells, "a row with missing values", _HINT)
        return relevant, plan

    def _group_logs(
        self, codes: Codes, missing: Bools, relevant: Sequence[int], order: Sequence[int], keep: int | None
    ) -> Floats:
        n = codes.shape[1]
        constant = np.zeros(n)
        potentials = []
        for v in relevant:
            potential = self._for_rows(v, codes, missing)
            if potential.scope:
                potentials.append(potential)
            else:
                with np.errstate(divide="ignore"):
                    constant += np.log(potential.table)
        table, logs = sum_out(potentials, order, () if keep is None else (keep,), n)
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(table.reshape(len(table), -1)) + (constant + logs)[:, None])

    def _for_rows(self, v: int, codes: Codes, missing: Bools) -> Potential:
        """A family's table at the known values of each row."""
        return of_rows((*self.parents[v], v), self.tables[v], codes, missing)

    def _at_values(self, v: int, known: Mapping[int, int]) -> Potential:
        """A family's table at the given values."""
        return at_values((*self.parents[v], v), self.tables[v], known)

    # -- text -------------------------------------------------------------------------------------

    def _values_by_name(self, known: Mapping[int, int]) -> dict[str, Label]:
        return {self.nodes[v].name: self.nodes[v].levels[code] for v, code in known.items()}

    def _explain_path(self, path: Sequence[int], given: set[int]) -> tuple[str, tuple[str, ...]]:
        """The path with its arrows, and why it is open at each node between its ends."""
        names, drawn, reasons = self.names, self.names[path[0]], []
        opened = graph.ancestors(self.parents, given)
        for i, (here, there) in enumerate(pairwise(path)):
            down = here in self.parents[there]
            drawn += f" {'->' if down else '<-'} {names[there]}"
            if i + 2 >= len(path):
                break
            back = path[i + 2] in self.parents[there]
            if down and back:
                below = [names[g] for g in sorted(given) if there in graph.ancestors(self.parents, {g})]
                why = "is given" if there in given else f"has {', '.join(below)} below it, which is given"
                reasons.append(f"{names[there]} is a common effect and {why}")
                assert there in opened
            elif not down and not back:
                reasons.append(f"{names[there]} is a common cause and is not given")
            else:
                reasons.append(f"{names[there]} lies between and is not given")
        return drawn, tuple(reasons)
