"""From a Bayesian to a Markov network, step by step.

Moralised   the undirected network, and what was done
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from acumen.networks import graph
from acumen.networks.field import Factor, Field
from acumen.networks.network import Network
from acumen.networks.words import factorisation


@dataclass(frozen=True, slots=True, eq=False)
class Moralised:
    """A Markov network made of a Bayesian one; `steps` tells how."""

    field: Field
    steps: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join(self.steps)


def moralise(network: Network) -> Moralised:
    """Parents of one child are joined, directions dropped, and every table becomes a factor; Z is 1."""
    names = network.names
    _, wed = graph.moralised(network.parents)
    factors = []
    for v, above in enumerate(network.parents):
        scope = (*above, v)
        order = sorted(range(len(scope)), key=scope.__getitem__)
        factors.append(Factor(tuple(scope[i] for i in order), np.transpose(network.tables[v], order).copy()))
    made = Field(network.nodes, tuple(factors))
    lost = []
    for u, v in wed:  # their own parents separate two that have no edge between them, if nothing less does
        both = sorted({*network.parents[u], *network.parents[v]})
        alone = graph.active_path(network.parents, u, v, ()) is None
        given = "" if alone or not both else f" given {', '.join(names[w] for w in both)}"
        lost.append(f"{names[u]} and {names[v]}{given}")
    steps = [
        f"1. The Bayesian network: P(all) = {factorisation(network)}",
        "2. Parents of one child are joined: "
        + (", ".join(f"{names[u]} - {names[v]}" for u, v in wed) or "none"),
        "3. Directions are dropped: " + (", ".join(f"{a} - {b}" for a, b in made.edges) or "no edge"),
        f"4. Every table becomes a factor: {made.factorisation()}, and Z = 1",
        "5. Independences that are lost, because a common effect joins its causes: "
        + ("; ".join(lost) or "none"),
    ]
    return Moralised(made, tuple(steps))
