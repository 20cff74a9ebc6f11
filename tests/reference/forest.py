"""A forest's tree grown as one would on paper, from the same draws: the twin of native/kernels/forests/grow.cpp.

Rows are codes (None where missing); `middles` are the values in each slot. Levels without an order are sorted by
their mean, so this is a twin for numbers and two classes there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

MASK = 2**64 - 1


class Draw:
    """splitmix64."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def next(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def below(self, n: int) -> int:
        return ((self.next() >> 32) * n) >> 32


@dataclass
class Node:
    value: list[float]
    column: int = -1
    left_codes: set[int] = field(default_factory=set)
    right_codes: set[int] = field(default_factory=set)
    lean: int = 0
    children: list[Node] = field(default_factory=list)


def in_bag(draw: Draw, rows: int) -> list[int]:
    times = [0] * rows
    for _ in range(rows):
        times[draw.below(rows)] += 1
    return times


def square_sum(rows: list[int], y: list[Any], times: list[int], classes: int) -> float:
    """Sum of squared class counts (or of the squared sum) over the weight: the larger, the purer."""
    weight = sum(times[i] for i in rows)
    if classes == 0:
        return sum(times[i] * y[i] for i in rows) ** 2 / weight
    counts = [sum(times[i] for i in rows if y[i] == c) for c in range(classes)]
    return sum(c * c for c in counts) / weight


def value_of(rows: list[int], y: list[Any], times: list[int], classes: int) -> list[float]:
    weight = sum(times[i] for i in rows)
    if classes == 0:
        return [sum(times[i] * y[i] for i in rows) / weight]
    return [sum(times[i] for i in rows if y[i] == c) / weight for c in range(classes)]


def best_of(column: int, codes: Any, nominal: bool, rows: list[int], y: Any, times: Any, classes: int) -> Any:
    """(gain over rows of known value, left codes, right codes) of the best split; None where there is nothing to gain:
    the values do not differ, or the rows are of one class.
    """
    known = [i for i in rows if codes[i][column] is not None]
    met = sorted({codes[i][column] for i in known})
    if len(met) < 2 or (classes and len({y[i] for i in known if times[i]}) < 2):
        return None
    if nominal:
        mean = {c: value_of([i for i in known if codes[i][column] == c], y, times, classes)[-1] for c in met}
        met = sorted(met, key=lambda c: mean[c])
    found = None
    whole = square_sum(known, y, times, classes)
    for at in range(1, len(met)):
        left = [i for i in known if codes[i][column] in met[:at]]
        right = [i for i in known if codes[i][column] in met[at:]]
        score = square_sum(left, y, times, classes) + square_sum(right, y, times, classes) - whole
        if found is None or score > found[0] + 1e-10:
            found = (score, met[:at], met[at:])
    return found


def grown(
    codes: Any, nominal: list[bool], middles: list[list[float]], y: Any, classes: int, seed: int, wanted: int
) -> tuple[Node, list[int]]:
    draw = Draw(seed)
    times = in_bag(draw, len(y))
    whole = [i for i in range(len(y)) if times[i]]

    def grow(rows: list[int], columns: list[int]) -> Node:
        node = Node(value_of(rows, y, times, classes))
        weight = sum(times[i] for i in rows)
        if len({y[i] for i in rows}) == 1 or weight <= 1:
            return node
        best, best_column, at, looked = None, -1, 0, 0
        columns = list(columns)
        while at < len(columns) and looked < wanted:
            pick = at + draw.below(len(columns) - at)
            columns[at], columns[pick] = columns[pick], columns[at]
            j = columns[at]
            found = best_of(j, codes, nominal[j], rows, y, times, classes)
            if found is None:
                columns[at] = columns[-1]
                columns.pop()
                continue
            looked, at = looked + 1, at + 1
            if best is None or found[0] > best[0] + 1e-10:
                best, best_column = found, j
        if best is None:
            return node
        _, left, right = best
        node.column = best_column
        if not nominal[best_column]:  # all codes, cut nearest to the middle of the two that were met
            low, high, values = max(left), min(right), middles[best_column]
            middle = values[low] / 2 + values[high] / 2
            cut = min(range(low, high), key=lambda c: (abs(values[c] / 2 + values[c + 1] / 2 - middle), c))
            left, right = list(range(cut + 1)), list(range(cut + 1, len(values)))
        node.left_codes, node.right_codes = set(left), set(right)
        goes = {
            i: int(codes[i][best_column] in node.right_codes)
            for i in rows
            if codes[i][best_column] is not None
        }
        heavy = [sum(times[i] for i in goes if goes[i] == side) for side in (0, 1)]
        node.lean = int(heavy[1] > heavy[0])
        sides = [[i for i in rows if goes.get(i, node.lean) == side] for side in (0, 1)]
        node.children = [grow(sides[0], columns), grow(sides[1], columns)]
        return node

    return grow(whole, list(range(len(nominal)))), times


def answer(node: Node, row: Any) -> list[float]:
    while node.children:
        code = row[node.column]
        if code in node.left_codes:
            side = 0
        elif code in node.right_codes:
            side = 1
        else:
            side = node.lean
        node = node.children[side]
    return node.value
