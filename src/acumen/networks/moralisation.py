"""Convert a Bayesian network into a Markov network, step by step.

Moralised   the undirected network, and the steps of the conversion
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from acumen.networks import graph
from acumen.networks.markov_field import MarkovFactor, MarkovField
from acumen.networks.network import Network
from acumen.networks.network_text import factorisation


@dataclass(frozen=True, slots=True, eq=False)
class Moralised:
    """A Markov network derived from a Bayesian one, and the steps that led to it."""

    field: MarkovField
    steps: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join(self.steps)


def moralise(network: Network) -> Moralised:
    """Connect the parents of each child, drop directions, and turn every table into a factor; Z is 1."""
    names = network.names
    _, wed = graph.moral_graph(network.parents)
    factors = []
    for v, above in enumerate(network.parents):
        scope = (*above, v)
        order = sorted(range(len(scope)), key=scope.__getitem__)
        factors.append(
            MarkovFactor(tuple(scope[i] for i in order), np.transpose(network.tables[v], order).copy())
        )
    field = MarkovField(network.nodes, tuple(factors))
    lost = []
    for u, v in wed:  # their own parents separate two that have no edge between them, if nothing less does
        both = sorted({*network.parents[u], *network.parents[v]})
        alone = graph.active_path(network.parents, u, v, ()) is None
        condition = "" if alone or not both else f" given {', '.join(names[w] for w in both)}"
        lost.append(f"{names[u]} and {names[v]}{condition}")
    steps = [
        f"1. The Bayesian network: P(all) = {factorisation(network)}",
        "2. Parents of one child are joined: "
        + (", ".join(f"{names[u]} - {names[v]}" for u, v in wed) or "none"),
        "3. Directions are dropped: " + (", ".join(f"{a} - {b}" for a, b in field.edges) or "no edge"),
        f"4. Every table becomes a factor: {field.factorisation()}, and Z = 1",
        "5. Independences that are lost, because a common effect joins its causes: "
        + ("; ".join(lost) or "none"),
    ]
    return Moralised(field, tuple(steps))
