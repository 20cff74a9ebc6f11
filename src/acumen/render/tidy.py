"""Where the nodes of a tree go: tidy, for nodes of any width.

A parent stands in the middle above its children, subtrees never overlap, and a subtree is drawn alike wherever it
stands (Reingold and Tilford 1981). Subtrees are moved together until their contours touch, once from the left and once
from the right; of the two the mean is taken, so that small subtrees between large ones are spread evenly (the aim
of Buchheim, Jünger and Leipert 2002). The mean is as free of overlaps as the two are, for each demand "at least so far
apart" is linear.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from acumen.types import Floats, Indices


def tidy(parent: Sequence[int], width: Sequence[float], gap: float = 14.0) -> Floats:
    """The centre of each node across; parents come before their children, the root is first.

    `gap` is kept free between neighbours. The leftmost edge lies at 0.
    """
    n = len(parent)
    children: list[list[int]] = [[] for _ in range(n)]
    for node in range(1, n):
        children[parent[node]].append(node)
    offset = np.zeros(n)  # of each node from its parent
    # The contours of each subtree seen from its root: for each level the leftmost and the rightmost edge.
    contours: list[tuple[Floats, Floats]] = [(np.empty(0), np.empty(0))] * n
    for node in range(n - 1, -1, -1):
        below = children[node]
        half = width[node] / 2
        if not below:
            contours[node] = (np.array([-half]), np.array([half]))
            continue
        places = _placed([contours[child] for child in below], gap)
        offset[below] = places
        left, right = _joined([contours[child] for child in below], places)
        contours[node] = (np.concatenate([[-half], left]), np.concatenate([[half], right]))
        for child in below:
            contours[child] = (np.empty(0), np.empty(0))  # no longer needed; trees may be large
    made = np.zeros(n)
    for node in range(1, n):
        made[node] = made[parent[node]] + offset[node]
    return made - float(contours[0][0].min())


def _placed(contours: Sequence[tuple[Floats, Floats]], gap: float) -> Floats:
    """Where the roots of neighbouring subtrees go, their middle at 0."""
    from_left = _packed(contours, gap)
    turned = [(-right, -left) for left, right in reversed(contours)]
    from_right = -_packed(turned, gap)[::-1]
    made = (from_left - from_left.mean() + from_right - from_right.mean()) / 2
    return np.asarray(made - (made[0] + made[-1]) / 2)


def _packed(contours: Sequence[tuple[Floats, Floats]], gap: float) -> Floats:
    """Each subtree as far left as those before it allow."""
    edge = np.full(max(len(left) for left, _ in contours), -np.inf)
    places = np.zeros(len(contours))
    for i, (left, right) in enumerate(contours):
        levels = len(left)
        if i:
            places[i] = float(np.max(edge[:levels] + gap - left))
        edge[:levels] = np.maximum(edge[:levels], places[i] + right)
    return places


def _joined(contours: Sequence[tuple[Floats, Floats]], places: Floats) -> tuple[Floats, Floats]:
    depth = max(len(left) for left, _ in contours)
    low, high = np.full(depth, np.inf), np.full(depth, -np.inf)
    for (left, right), at in zip(contours, places.tolist(), strict=True):
        low[: len(left)] = np.minimum(low[: len(left)], at + left)
        high[: len(right)] = np.maximum(high[: len(right)], at + right)
    return low, high


def levels(parent: Sequence[int]) -> Indices:
    """How far each node lies below the root."""
    made = np.zeros(len(parent), dtype=np.intp)
    for node in range(1, len(parent)):
        made[node] = made[parent[node]] + 1
    return made
