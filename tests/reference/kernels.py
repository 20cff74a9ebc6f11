"""Kernel functions pair by pair, as their formulas have them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

Row = Sequence[float]


def inner(a: Row, b: Row) -> float:
    return math.fsum(x * y for x, y in zip(a, b, strict=True))


def rbf(gamma: float) -> Callable[[Row, Row], float]:
    return lambda a, b: math.exp(-gamma * math.fsum((x - y) ** 2 for x, y in zip(a, b, strict=True)))


def polynomial(degree: int, offset: float, scale: float) -> Callable[[Row, Row], float]:
    return lambda a, b: (scale * inner(a, b) + offset) ** degree


def sigmoid(scale: float, offset: float) -> Callable[[Row, Row], float]:
    return lambda a, b: math.tanh(scale * inner(a, b) + offset)


def matrix(kernel: Callable[[Row, Row], float], A: Sequence[Row], B: Sequence[Row]) -> list[list[float]]:
    return [[kernel(a, b) for b in B] for a in A]
