"""Models of Bayesian networks: the network under its schema.

    BayesNetworkModel   with a target: the posterior of the classes given the known values of a row
    JointNetworkModel   without a target: the probability of a row
    network_figure      the network as a figure; an edge's strength is the mutual information, in nats, of child and
                        parent given the child's other parents, computed from the network itself

Both have the same kind in model files; the schema decides which one is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, ClassVar, Self

import numpy as np

from acumen.data.escape import printable
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.explain.cell_text import cell_text
from acumen.explain.explanation import Contribution, Evidence
from acumen.explain.starting_point import CLASS_FREQUENCIES
from acumen.models.model import AnyModel, JointModel, Model
from acumen.networks import graph
from acumen.networks.bif import write_bif
from acumen.networks.network import Network
from acumen.networks.network_text import factorisation, table_lines
from acumen.networks.nodes import codes_of, nodes_of
from acumen.networks.structure_learning import MOST_CELLS
from acumen.preprocessing.discretise.base import Binning
from acumen.preprocessing.stored_arrays import require, stored_codes, stored_floats, stored_starts
from acumen.render.network_plot import NetworkFigure
from acumen.render.text import many
from acumen.types import Array, Codes, Floats


def edge_strengths(network: Network) -> dict[tuple[int, int], float]:
    """(parent, child) -> I(child; parent | other parents)."""
    strengths: dict[tuple[int, int], float] = {}
    for child, above in enumerate(network.parents):
        if not above:
            continue
        joint = _weights(network, child)[..., None] * network.tables[child]
        for axis, parent in enumerate(above):
            strengths[parent, child] = _information(joint, axis)
    return strengths


def _weights(network: Network, child: int) -> Floats:
    """P(parents): from the rows of each line, else by a query; uniform if the query is too large."""
    behind = network.strengths[child]
    total = float(behind.sum())
    if total > 0:
        return behind / total
    try:
        return network.query([network.names[p] for p in network.parents[child]]).table
    except DataError:
        return np.full(behind.shape, 1.0 / behind.size)


def _information(joint: Floats, axis: int) -> float:
    """I(last axis; axis | the others) of a joint table."""
    without = joint.sum(axis=axis, keepdims=True)
    line, both = joint.sum(axis=-1, keepdims=True), without.sum(axis=-1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = joint * both / (line * without)
        parts = np.where(joint > 0, joint * np.log(ratio), 0.0)
    return float(max(parts.sum(), 0.0))


def network_figure(network: Network, marked: int | None = None) -> NetworkFigure:
    """The network as a figure."""
    strengths = edge_strengths(network)
    edges = sorted(strengths)
    return NetworkFigure(
        network.names,
        edges,
        [strengths[edge] for edge in edges],
        marked=marked,
        note="The thicker an arrow, the more a parent tells of its child beyond the other parents.",
    )


#: A row with more known attributes than this is explained as a whole.
_MOST = 60


@dataclass(frozen=True, slots=True)
class _StoredNetwork:
    """Fields, storage and description of both models."""

    network: Network
    binning: Binning
    #: The score of the structure on the training rows.
    score: float

    @property
    def n_parameters(self) -> int:
        return self.network.n_parameters

    def to_arrays(self) -> dict[str, Array]:
        net = self.network
        starts = np.cumsum([0, *map(len, net.parents)], dtype=np.int32)
        return {
            "parents": np.array([p for above in net.parents for p in above], dtype=np.int32),
            "starts": starts.astype(np.int32),
            "tables": np.concatenate([np.empty(0), *(t.ravel() for t in net.tables)]),
            "strengths": np.concatenate([np.empty(0), *(s.ravel() for s in net.strengths)]),
            "score": np.array([self.score]),
            **{f"binning/{name}": array for name, array in self.binning.to_arrays().items()},
        }

    @classmethod
    def _parse_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> tuple[Network, Binning, float]:
        require(not schema.text, "a network has no words")
        inner = {n.removeprefix("binning/"): a for n, a in arrays.items() if n.startswith("binning/")}
        binning = Binning.from_arrays(inner)
        names = [one.attribute for one in binning.intervals]
        require(names == [a.name for a in schema.numeric], "its intervals are not those of its numbers")
        nodes = nodes_of(schema, binning)
        require(all(len(node) for node in nodes), "a node has no levels")
        d = len(nodes)
        flat = stored_codes(arrays, "parents", (None,), low=0, below=max(d, 1))
        starts = stored_starts(arrays, "starts", d, len(flat))
        parents = tuple(tuple(flat[starts[v] : starts[v + 1]].tolist()) for v in range(d))
        require(all(len(set(above)) == len(above) for above in parents), "a node has a parent twice")
        require(graph.topological_order(parents) is not None, "its edges form a cycle")
        shapes = [tuple(len(nodes[u]) for u in (*above, v)) for v, above in enumerate(parents)]
        cells = [prod(shape) for shape in shapes]
        require(sum(cells) <= MOST_CELLS, "its tables are too large")
        every = stored_floats(arrays, "tables", (sum(cells),), low=0.0, high=1.0)
        behind = stored_floats(arrays, "strengths", (sum(prod(s[:-1]) for s in shapes),), low=0.0, high=1e300)
        tables, strengths, at, line = [], [], 0, 0
        for shape, size in zip(shapes, cells, strict=True):
            table = every[at : at + size].reshape(shape)
            require(np.all(np.abs(table.sum(axis=-1) - 1.0) < 1e-6), "probabilities do not sum to 1")
            lines = prod(shape[:-1])
            tables.append(table)
            strengths.append(behind[line : line + lines].reshape(shape[:-1]))
            at, line = at + size, line + lines
        score = float(stored_floats(arrays, "score", (1,), finite=False)[0])
        return Network(nodes, parents, tuple(tables), tuple(strengths)), binning, score

    def _codes(self, rows: Table) -> Codes:
        return codes_of(rows, self.network.nodes)

    def _description(self, heading: Sequence[str], full: bool) -> str:
        net = self.network
        lines = [
            *heading,
            f"{net.n_parameters:,} free probabilities; score {self.score:.6f}"
            if np.isfinite(self.score)
            else f"{net.n_parameters:,} free probabilities, as given",
            f"structure {net.notation}",
            "P(all) = " + factorisation(net),
        ]
        order = graph.topological_order(net.parents) or ()
        for v in order:
            lines += ["", *table_lines(net, v, full)]
        return "\n".join(map(printable, lines))

    def to_figure(self, predictor: Any) -> NetworkFigure:
        """The network, parents above children; thicker edges carry more information."""
        target = predictor.schema.target
        return network_figure(self.network, None if target is None else len(self.network.nodes) - 1)

    def to_bif(self, predictor: Any) -> str:
        """The network in the Bayesian Interchange Format."""
        return write_bif(self.network)


@dataclass(frozen=True, slots=True)
class BayesNetworkModel(_StoredNetwork, Model):
    """A network with the target as its last node."""

    kind: ClassVar[str] = "bayes-network"
    generative: ClassVar[bool] = True

    @classmethod
    def class_under(cls, schema: Schema) -> type[AnyModel]:
        return cls if schema.target is not None else JointNetworkModel

    @property
    def place(self) -> int:
        """The target's place among the nodes."""
        return len(self.network.nodes) - 1

    def scores(self, rows: Table) -> Floats:
        """log P(class, known values of the row); the prior log P(class) if the row is impossible."""
        logs = self.network.logs(self._codes(rows), self.place)
        nowhere = ~np.isfinite(logs).any(axis=1)
        if nowhere.any():
            logs[nowhere] = self._alone
        return logs

    @property
    def _alone(self) -> Floats:
        """log P(class) of a row with every value missing."""
        nothing = np.full((len(self.network.nodes), 1), -1, dtype=np.int32)
        logs: Floats = self.network.logs(nothing, self.place)[0]
        return logs

    def common(self, rows: Table) -> Floats:
        logs = self.network.logs(self._codes(rows), self.place)
        return np.where(np.isfinite(logs).any(axis=1), 0.0, -np.inf)

    def evidence(self, row: Table, schema: Schema, winner: int, rival: int) -> tuple[Evidence, ...]:
        codes = self._codes(row)
        codes[self.place] = -1
        steps, known = _reveal_values(self.network, codes[:, 0], row)
        logs = self.network.logs(steps, self.place)
        if not np.isfinite(logs[-1]).any():
            logs, known = logs[:1], []
        odds = _difference(logs[:, winner], logs[:, rival])
        first = Evidence(None, CLASS_FREQUENCIES, float(odds[0]), role="start")
        return first, *(
            Evidence(name or None, text, float(odds[i + 1] - odds[i])) for i, (name, text) in enumerate(known)
        )

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        net = self.network
        target = net.names[self.place]
        above = ", ".join(net.names[p] for p in net.parents[self.place]) or "nothing"
        below = ", ".join(net.names[v] for v in graph.children(net.parents)[self.place]) or "nothing"
        heading = (
            f"Bayesian network for {target}: {many(len(net.nodes), 'node')}, {many(len(net.edges), 'edge')}",
            f"{target} depends on {above}; on it depends {below}",
        )
        return self._description(heading, full)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        return cls(*cls._parse_arrays(arrays, schema))


@dataclass(frozen=True, slots=True)
class JointNetworkModel(_StoredNetwork, JointModel):
    """A network of all attributes."""

    kind: ClassVar[str] = "bayes-network"

    @classmethod
    def class_under(cls, schema: Schema) -> type[AnyModel]:
        return BayesNetworkModel.class_under(schema)

    def log_probability(self, rows: Table) -> Floats:
        return self.network.logs(self._codes(rows))

    def contributions(self, row: Table, schema: Schema) -> tuple[float, tuple[Contribution, ...]]:
        steps, known = _reveal_values(self.network, self._codes(row)[:, 0], row)
        logs = self.network.logs(steps)
        gains = _difference(logs[1:], logs[:-1])
        parts = zip(known, gains.tolist(), strict=True)
        return 0.0, tuple(Contribution(name or None, text, gain) for (name, text), gain in parts)

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        net = self.network
        return self._description(
            [f"Bayesian network: {many(len(net.nodes), 'node')}, {many(len(net.edges), 'edge')}"], full
        )

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        return cls(*cls._parse_arrays(arrays, schema))


def _reveal_values(network: Network, codes: Codes, row: Table) -> tuple[Codes, list[tuple[str, str]]]:
    """The row revealed value by value, parents before children, and the name and text of each value."""
    known = [v for v in graph.topological_order(network.parents) or () if codes[v] >= 0]
    if len(known) > _MOST:
        both = np.stack([np.full_like(codes, -1), codes], axis=1)
        return both, [("", f"{len(known)} attributes together")]
    steps = np.full((len(codes), len(known) + 1), -1, dtype=np.int32)
    values = []
    for i, v in enumerate(known):
        steps[v, i + 1 :] = codes[v]
        name = network.nodes[v].name
        values.append((name, cell_text(row, name)))
    return steps, values


def _difference(first: Floats, second: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        difference: Floats = np.nan_to_num(first - second, nan=0.0, posinf=np.inf, neginf=-np.inf)
    return difference
