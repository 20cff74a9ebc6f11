"""A network as a figure value: how much each edge tells.

The strength of an edge is the mutual information, in nats, of child and parent given the child's other parents, as the
network itself has it.
"""

from __future__ import annotations

import numpy as np

from acumen.errors import DataError
from acumen.networks.network import Network
from acumen.render.network_plot import NetworkFigure
from acumen.types import Floats


def edge_strengths(network: Network) -> dict[tuple[int, int], float]:
    """(parent, child) -> I(child; parent | other parents)."""
    made: dict[tuple[int, int], float] = {}
    for child, above in enumerate(network.parents):
        if not above:
            continue
        joint = _weights(network, child)[..., None] * network.tables[child]
        for axis, parent in enumerate(above):
            made[parent, child] = _information(joint, axis)
    return made


def _weights(network: Network, child: int) -> Floats:
    """P(parents): of the rows behind each line, or by a query where there are none; equal where that is too large."""
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
    """The network to be drawn."""
    found = edge_strengths(network)
    edges = sorted(found)
    return NetworkFigure(
        network.names,
        edges,
        [found[edge] for edge in edges],
        marked=marked,
        note="The thicker an arrow, the more a parent tells of its child beyond the other parents.",
    )
