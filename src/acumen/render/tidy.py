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
        places = _place_subtrees([contours[child] for child in below], gap)
        offset[below] = places
        left_contour, right = _merge_contours([contours[child] for child in below], places)
        contours[node] = (np.concatenate([[-half], left_contour]), np.concatenate([[half], right]))
        for child in below:
            contours[child] = (np.empty(0), np.empty(0))  # no longer needed; trees may be large
    places_of_nodes = np.zeros(n)
    for node in range(1, n):
        places_of_nodes[node] = places_of_nodes[parent[node]] + offset[node]
    return places_of_nodes - float(contours[0][0].min())


def _place_subtrees(contours: Sequence[tuple[Floats, Floats]], gap: float) -> Floats:
    """Where the roots of neighbouring subtrees go, their middle at 0."""
    from_left = _pack_subtrees(contours, gap)
    turned = [(-right, -left_contour) for left_contour, right in reversed(contours)]
    from_right = -_pack_subtrees(turned, gap)[::-1]
    positions = (from_left - from_left.mean() + from_right - from_right.mean()) / 2
    return np.asarray(positions - (positions[0] + positions[-1]) / 2)


def _pack_subtrees(contours: Sequence[tuple[Floats, Floats]], gap: float) -> Floats:
    """Each subtree as far left as those before it allow."""
    edge = np.full(max(len(left_contour) for left_contour, _ in contours), -np.inf)
    places = np.zeros(len(contours))
    for i, (left_contour, right) in enumerate(contours):
        levels = len(left_contour)
        if i:
            places[i] = float(np.max(edge[:levels] + gap - left_contour))
        edge[:levels] = np.maximum(edge[:levels], places[i] + right)
    return places


def _merge_contours(contours: Sequence[tuple[Floats, Floats]], places: Floats) -> tuple[Floats, Floats]:
    depth = max(len(left_contour) for left_contour, _ in contours)
    low, high = np.full(depth, np.inf), np.full(depth, -np.inf)
    for (left_contour, right), at in zip(contours, places.tolist(), strict=True):
        low[: len(left_contour)] = np.minimum(low[: len(left_contour)], at + left_contour)
        high[: len(right)] = np.maximum(high[: len(right)], at + right)
    return low, high


def levels(parent: Sequence[int]) -> Indices:
    """How far each node lies below the root."""
    depths = np.zeros(len(parent), dtype=np.intp)
    for node in range(1, len(parent)):
        depths[node] = depths[parent[node]] + 1
    return depths
