"""A naive twin of the search for neighbours, written from its definition: loops over pairs, in exact fractions.

Rows are lists of cells: numbers or None, levels or None. Nothing here is shared with the package.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

Row = Sequence[Any]
SAME = 1e-12


def numbers_apart(a: Row, b: Row, kind: str, scale: Sequence[float], p: float = 2.0) -> float:
    """Distances that add differences of numbers and of levels; `scale` divides numbers, None: a level."""
    known, total = 0, 0.0
    largest = 0.0
    for x, y, s in zip(a, b, scale, strict=True):
        if x is None or y is None:
            continue
        known += 1
        # Through exact fractions of what was written: no difference depends on binary rounding.
        away = float(x != y) if s is None else float(abs(_exact(x) - _exact(y))) / s if s > 0 else 0.0
        total += away**p
        largest = max(largest, away)
    if not known:
        return math.inf
    if kind == "chebyshev":
        return largest
    return (total * len(a) / known) ** (1 / p)


def _exact(x: float) -> Fraction:
    return Fraction(repr(x)) if abs(x) < 1e15 else Fraction(x)


def gower(a: Row, b: Row, ranges: Sequence[float | None], weights: Sequence[float]) -> float:
    """The weighted mean of what attributes differ by; a range of None is a nominal attribute."""
    top = bottom = Fraction(0)
    for x, y, wide, w in zip(a, b, ranges, weights, strict=True):
        if x is None or y is None:
            continue
        if wide is None or wide == 0:
            part = Fraction(x != y)
        else:
            part = min(abs(_exact(x) - _exact(y)) / _exact(wide), Fraction(1))
        top += _exact(w) * part
        bottom += _exact(w)
    return float(top / bottom) if bottom else math.inf


def nearest(distances: Sequence[float], weights: Sequence[float], k: float) -> list[int]:
    """All rows not beyond the distance at which the weight within reaches k."""
    order = sorted((d, i) for i, d in enumerate(distances) if weights[i] > 0)
    within, limit = 0.0, math.inf
    for d, i in order:
        within += weights[i]
        if within >= k:
            limit = d
            break
    return sorted(i for d, i in order if d <= limit or (d != math.inf and d - limit <= SAME * d))


def votes(
    distances: Sequence[float],
    weights: Sequence[float],
    labels: Sequence[int],
    k: float,
    say: str,
    classes: int,
) -> tuple[list[float], int]:
    """What each class gets, and who wins."""
    near = nearest(distances, weights, k)
    says = _says([distances[i] for i in near], [weights[i] for i in near], say, k)
    got, far, mass = [0.0] * classes, [0.0] * classes, [0.0] * classes
    for i, each in zip(near, says, strict=True):
        if each == 0:
            continue
        got[labels[i]] += each
        far[labels[i]] += weights[i] * distances[i]
        mass[labels[i]] += weights[i]
    size = [sum(w for w, c in zip(weights, labels, strict=True) if c == which) for which in range(classes)]
    best = max(got)
    ahead = [c for c in range(classes) if _same(got[c], best)]
    with_rows = [c for c in ahead if mass[c] > 0] or ahead
    means = {c: far[c] / mass[c] if mass[c] > 0 else math.inf for c in with_rows}
    least = min(means.values())
    closest = [c for c in with_rows if _same(means[c], least)]
    most = max(size[c] for c in closest)
    return got, min(c for c in closest if _same(size[c], most))


def _says(distances: Sequence[float], weights: Sequence[float], say: str, k: float) -> list[float]:
    if say == "uniform":
        return list(weights)
    if say == "distance":
        if any(d == 0 for d in distances):
            return [w if d == 0 else 0.0 for d, w in zip(distances, weights, strict=True)]
        if all(d == math.inf for d in distances):
            return list(weights)
        return [w / d for d, w in zip(distances, weights, strict=True)]
    far = max(distances)
    ratio: Callable[[float], float] = lambda d: 0.0 if far == 0 else 1.0 if d == far else d / far  # noqa: E731
    return [w * math.exp(-2 * ratio(d) ** 2) for d, w in zip(distances, weights, strict=True)]


def _same(a: float, b: float) -> bool:
    return a == b or (math.isfinite(a) and math.isfinite(b) and abs(a - b) <= 1e-9 * max(abs(a), abs(b)))
