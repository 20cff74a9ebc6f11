"""The model of a Markov network: the factors under their schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations, pairwise, product
from math import prod
from typing import Any, ClassVar, Self

import numpy as np

from acumen.data.escape import printable
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.explain.cell_text import cell_text
from acumen.explain.explanation import Contribution
from acumen.models.model import JointModel
from acumen.networks.markov_field import MarkovFactor, MarkovField
from acumen.networks.network_text import align_columns
from acumen.networks.nodes import codes_of, nodes_of
from acumen.networks.structure_learning import MOST_CELLS
from acumen.preprocessing.discretise.base import Binning
from acumen.preprocessing.stored_arrays import require, stored_codes, stored_floats, stored_starts
from acumen.render.network_plot import NetworkFigure
from acumen.render.text import many
from acumen.types import Array, Floats

_MOST = 60
_SHOWN = 12


@dataclass(frozen=True, slots=True)
class MarkovNetworkModel(JointModel):
    """Factors over attributes."""

    kind: ClassVar[str] = "markov-network"

    field: MarkovField
    binning: Binning
    #: The log pseudo-likelihood of the training rows; minus infinity if there were none.
    log_pseudo: float

    def log_probability(self, rows: Table) -> Floats:
        return self.field.logs(codes_of(rows, self.field.nodes))

    def contributions(self, row: Table, schema: Schema) -> tuple[float, tuple[Contribution, ...]]:
        """By the chain rule: each attribute is credited with what it adds to those before it."""
        codes = codes_of(row, self.field.nodes)[:, 0]
        known = [v for v in range(len(codes)) if codes[v] >= 0]
        names = self.field.names
        if len(known) > _MOST:
            whole = f"{len(known)} attributes together"
            return 0.0, (Contribution(None, whole, float(self.log_probability(row)[0])),)
        steps = np.full((len(codes), len(known) + 1), -1, dtype=np.int32)
        for i, v in enumerate(known):
            steps[v, i + 1 :] = codes[v]
        with np.errstate(invalid="ignore"):
            gains = np.nan_to_num(np.diff(self.field.logs(steps)), nan=0.0, posinf=np.inf, neginf=-np.inf)
        return 0.0, tuple(
            Contribution(names[v], cell_text(row, names[v]), float(gain))
            for v, gain in zip(known, gains, strict=True)
        )

    @property
    def n_parameters(self) -> int:
        """Free parameters of the factors as a log-linear model: terms shared by several factors count once."""
        sizes = self.field.sizes
        terms = {
            part
            for factor in self.field.factors
            for size in range(1, len(factor.scope) + 1)
            for part in combinations(factor.scope, size)
        }
        return sum(prod(sizes[v] - 1 for v in part) for part in terms)

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        net = self.field
        absent = net.independences()
        counted = ((net.nodes, "node"), (net.pairs, "edge"), (net.factors, "factor"))
        lines = [
            "Markov network: " + ", ".join(many(len(those), noun) for those, noun in counted),
            net.factorisation(),
            "edges: " + (", ".join(f"{a} - {b}" for a, b in net.edges) or "none"),
        ]
        if absent:
            shown = absent if full else absent[:_SHOWN]
            lines += ["", "What the absent edges say:", *(f"  {each}" for each in shown)]
            if len(shown) < len(absent):
                lines.append(f"  ... {len(absent) - len(shown)} more")
        for i, factor in enumerate(net.factors, 1):
            lines += ["", *self._factor_lines(i, factor, full)]
        return "\n".join(map(printable, lines))

    def _factor_lines(self, number: int, factor: MarkovFactor, full: bool) -> list[str]:
        nodes = [self.field.nodes[v] for v in factor.scope]
        heading = f"f{number}({', '.join(node.name for node in nodes)})"
        *above, last = nodes
        heads = [*(node.name for node in above), *map(str, last.levels)]
        flat = factor.table.reshape(-1, len(last))
        lines = []
        for place, levels in enumerate(product(*(node.levels for node in above))):
            if not full and place == _SHOWN:
                break
            lines.append([*map(str, levels), *(f"{value:.4g}" for value in flat[place])])
        shown = [heading, *("  " + line for line in align_columns(heads, lines, len(above)))]
        return shown if len(lines) == len(flat) else [*shown, f"  ... {len(flat) - len(lines):,} more lines"]

    def to_figure(self, predictor: Any) -> NetworkFigure:
        """The network; the thicker an edge, the further its factors are from a product of its two ends."""
        net = self.field
        return NetworkFigure(
            net.names, net.pairs, [self._strength(pair) for pair in net.pairs], directed=False, title="Markov network",
            note="The thicker an edge, the stronger the dependence in its factors.",
        )  # fmt: skip

    def _strength(self, pair: tuple[int, int]) -> float:
        """How far the pair's log tables are from additive, averaged over the other attributes of their factors."""
        total = 0.0
        for factor in self.field.factors:
            if not set(pair) <= set(factor.scope):
                continue
            logs = np.log(np.maximum(factor.table, 1e-12))
            axes = tuple(factor.scope.index(v) for v in pair)
            logs = np.moveaxis(logs, axes, (-2, -1))
            rest = logs - logs.mean(axis=-1, keepdims=True)
            rest = rest - rest.mean(axis=-2, keepdims=True)
            total += float(np.sqrt((rest**2).mean()))
        return total

    # -- storing ----------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Array]:
        factors = self.field.factors
        return {
            "scopes": np.array([v for f in factors for v in f.scope], dtype=np.int32),
            "starts": np.cumsum([0, *(len(f.scope) for f in factors)]).astype(np.int32),
            "tables": np.concatenate([np.empty(0), *(f.table.ravel() for f in factors)]),
            "log_pseudo": np.array([self.log_pseudo]),
            **{f"binning/{name}": array for name, array in self.binning.to_arrays().items()},
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        require(not schema.text, "a network has no words")
        inner = {n.removeprefix("binning/"): a for n, a in arrays.items() if n.startswith("binning/")}
        binning = Binning.from_arrays(inner)
        names = [one.attribute for one in binning.intervals]
        require(names == [a.name for a in schema.numeric], "its intervals are not those of its numbers")
        nodes = nodes_of(schema, binning)
        sizes = [len(node) for node in nodes]
        scopes = stored_codes(arrays, "scopes", (None,), low=0, below=max(len(nodes), 1))
        starts = arrays.get("starts")
        require(starts is not None and starts.ndim == 1 and starts.size, "the array 'starts' is missing")
        assert starts is not None
        starts = stored_starts(arrays, "starts", starts.size - 1, len(scopes))
        every = [tuple(scopes[a:b].tolist()) for a, b in pairwise(starts)]
        require(
            all(scope and list(scope) == sorted(set(scope)) for scope in every), "a scope does not ascend"
        )
        cells = [prod(sizes[v] for v in scope) for scope in every]
        require(sum(cells) <= MOST_CELLS, "its factors are too large")
        flat = stored_floats(arrays, "tables", (sum(cells),), low=0.0, high=1e300)
        factors, at = [], 0
        for scope, size in zip(every, cells, strict=True):
            table = flat[at : at + size].reshape([sizes[v] for v in scope])
            require((table > 0).any(), "a factor is nothing but zeros")
            factors.append(MarkovFactor(scope, table))
            at += size
        log = float(stored_floats(arrays, "log_pseudo", (1,), finite=False)[0])
        return cls(MarkovField(nodes, tuple(factors)), binning, log)
