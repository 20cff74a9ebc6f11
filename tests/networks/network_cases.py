"""Random networks for tests."""

from __future__ import annotations

import numpy as np

from acumen.networks.markov_field import MarkovFactor, MarkovField
from acumen.networks.network import Network
from acumen.networks.nodes import Node

#: Lauritzen and Spiegelhalter's network (1988), with the published probabilities.
ASIA = """
network asia { }
variable A { type discrete [ 2 ] { yes, no }; }
variable S { type discrete [ 2 ] { yes, no }; }
variable T { type discrete [ 2 ] { yes, no }; }
variable L { type discrete [ 2 ] { yes, no }; }
variable B { type discrete [ 2 ] { yes, no }; }
variable E { type discrete [ 2 ] { yes, no }; }
variable X { type discrete [ 2 ] { yes, no }; }
variable D { type discrete [ 2 ] { yes, no }; }
probability ( A ) { table 0.01, 0.99; }
probability ( S ) { table 0.5, 0.5; }
probability ( T | A ) { (yes) 0.05, 0.95; (no) 0.01, 0.99; }
probability ( L | S ) { (yes) 0.1, 0.9; (no) 0.01, 0.99; }
probability ( B | S ) { (yes) 0.6, 0.4; (no) 0.3, 0.7; }
probability ( E | T, L ) { (yes, yes) 1.0, 0.0; (yes, no) 1.0, 0.0; (no, yes) 1.0, 0.0; (no, no) 0.0, 1.0; }
probability ( X | E ) { (yes) 0.98, 0.02; (no) 0.05, 0.95; }
probability ( D | B, E ) { (yes, yes) 0.9, 0.1; (no, yes) 0.7, 0.3; (yes, no) 0.8, 0.2; (no, no) 0.1, 0.9; }
"""


def random_network(seed: int, n: int = 5, zeros: bool = True) -> Network:
    """Nodes in any order, tables with some zeros."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(n)
    sizes = rng.integers(1, 4, n)
    parents: list[tuple[int, ...]] = [()] * n
    for place, v in enumerate(order):
        chosen = [u for u in order[:place] if rng.random() < 0.5][:3]
        parents[v] = tuple(int(u) for u in chosen)
    tables = []
    for v in range(n):
        shape = [int(sizes[u]) for u in (*parents[v], v)]
        table = rng.gamma(0.7, size=shape) + 1e-3
        if zeros and sizes[v] > 1:
            table[rng.random(shape) < 0.1] = 0.0
            table[..., 0] += 1e-2
        tables.append(table / table.sum(axis=-1, keepdims=True))
    nodes = tuple(Node(f"n{v}", tuple(f"l{i}" for i in range(sizes[v]))) for v in range(n))
    strengths = tuple(np.zeros(table.shape[:-1]) for table in tables)
    return Network(nodes, tuple(parents), tuple(tables), strengths)


def random_field(seed: int, n: int = 4) -> MarkovField:
    """Factors over one to three nodes each, all above 0."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 4, n)
    nodes = tuple(Node(f"n{v}", tuple(f"l{i}" for i in range(sizes[v]))) for v in range(n))
    factors = []
    for _ in range(int(rng.integers(2, n + 2))):
        scope = tuple(sorted(rng.choice(n, size=int(rng.integers(1, 4)), replace=False).tolist()))
        factors.append(MarkovFactor(scope, np.exp(0.8 * rng.normal(size=[int(sizes[v]) for v in scope]))))
    return MarkovField(nodes, tuple(factors))
