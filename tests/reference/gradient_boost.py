"""The naive twin of one round of gradient boosting: every split of every leaf tried by walking its rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

Code = int | None


@dataclass
class Node:
    """A leaf, or a test: rows for which `goes_left` is true go left."""

    rows: list[int]
    value: float
    column: int = -1
    left_codes: frozenset[Code] = frozenset()
    children: list[Node] = field(default_factory=list)


def slopes_of_two_classes(scores: Sequence[float], y: Sequence[int]) -> tuple[list[float], list[float]]:
    """Slope and curvature of the log loss for each row."""
    p = [1 / (1 + math.exp(-s)) for s in scores]
    return [a - b for a, b in zip(p, y, strict=True)], [a * (1 - a) for a in p]


def tree(
    codes: list[list[Code]], nominal: list[bool], g: list[float], h: list[float], *, leaves: int, leaf_size: float,
    l2: float, level_l2: float = 1.0, noise: float | None = None,
) -> Node:  # fmt: skip
    """Split the leaf whose best split gains most, until there are so many leaves; of a log loss noise is at most 1."""
    noise = min(sum(x * x for x in g) / sum(h), 1.0) if noise is None else noise

    def total(rows: list[int], of: list[float]) -> float:
        return sum(of[i] for i in rows)

    def gain_of(left: list[int], right: list[int], parent: list[int], held: float) -> float:
        def score(rows: list[int], l2: float) -> float:
            return total(rows, g) ** 2 / (total(rows, h) + l2)

        return score(left, held) + score(right, held) - score(parent, l2)

    def levels(rows: list[int], j: int) -> list[frozenset[Code]]:
        """Each level with at least two rows, no value, and all others as one."""
        here = {codes[j][i] for i in rows}
        rare = {c for c in here if c is not None and sum(codes[j][i] == c for i in rows) < min(2, leaf_size)}
        return [frozenset([c]) for c in here - rare] + ([frozenset(rare)] if rare else [])

    def trusted(rows: list[int], j: int) -> float:
        """The share of what levels differ by that is no chance."""
        groups = levels(rows, j)
        if not nominal[j] or len(groups) <= 7:
            return 1.0
        held = l2 + level_l2
        middle = total(rows, g) / (total(rows, h) + held)
        differ = chance = 0.0
        for group in groups:
            own = [i for i in rows if codes[j][i] in group]
            bent = total(own, h)
            differ += (total(own, g) - bent * middle) ** 2 / (bent + held)
            chance += noise * bent / (bent + held)
        return max(0.0, 1 - chance * (len(groups) - 7) / len(groups) / differ)

    def candidates(rows: list[int], j: int) -> list[frozenset[Code]]:
        """Sets of codes that may go left; None is no value."""
        here = {codes[j][i] for i in rows}
        known = sorted(c for c in here if c is not None)
        gaps = None in here
        made: list[frozenset[Code]] = []
        if nominal[j]:

            def says(group: frozenset[Code]) -> tuple[float, int]:
                own = [i for i in rows if codes[j][i] in group]
                last = 10**7 if len(group) > 1 else 10**6
                return total(own, g) / (total(own, h) + level_l2), min(
                    last if c is None else c for c in group
                )

            groups = sorted(levels(rows, j), key=lambda group: says(group))
            return [frozenset().union(*groups[: at + 1]) for at in range(len(groups) - 1)]
        for at in range(len(known) - 1):
            left = frozenset(known[: at + 1])
            made.append(left)
            if gaps:
                made.append(left | {None})
        return made

    def best(node: Node) -> tuple[float, int, frozenset[Code]]:
        found: tuple[float, int, frozenset[Code]] = (0.0, -1, frozenset())
        for j in range(len(codes)):
            held = l2 + level_l2 if nominal[j] else l2
            worth = trusted(node.rows, j)
            before = found[0]
            own: tuple[float, frozenset[Code]] = (0.0, frozenset())
            for chosen in candidates(node.rows, j):
                left = [i for i in node.rows if codes[j][i] in chosen]
                right = [i for i in node.rows if codes[j][i] not in chosen]
                if len(left) < leaf_size or len(right) < leaf_size:
                    continue
                gained = gain_of(left, right, node.rows, held)
                if gained > own[0] * (1 + 1e-10) and gained > 1e-9:
                    own = gained, chosen
            if own[0] * worth > before * (1 + 1e-10):
                found = own[0] * worth, j, own[1]
        return found

    every = list(range(len(g)))
    root = Node(every, -total(every, g) / (total(every, h) + l2))
    open_leaves = [(root, best(root))]
    while len(open_leaves) < leaves:
        at = max(range(len(open_leaves)), key=lambda k: (open_leaves[k][1][0], -k))
        node, (gained, j, chosen) = open_leaves[at]
        if gained <= 0:
            break
        held = l2 + level_l2 if nominal[j] else l2
        node.column, node.left_codes = j, chosen
        for side in (True, False):
            rows = [i for i in node.rows if (codes[j][i] in chosen) == side]
            node.children.append(Node(rows, -total(rows, g) / (total(rows, h) + held)))
        open_leaves[at] = node.children[0], best(node.children[0])
        open_leaves.append((node.children[1], best(node.children[1])))
    return root


def told(node: Node, n: int) -> list[float]:
    """What each training row is told by its leaf."""
    made = [0.0] * n

    def walk(here: Node) -> None:
        for child in here.children:
            walk(child)
        if not here.children:
            for i in here.rows:
                made[i] = here.value

    walk(node)
    return made
