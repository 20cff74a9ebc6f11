"""How attributes hang together, two by two.

    numeric, numeric    Pearson's correlation, with its sign
    nominal, nominal    Cramér's V, corrected for the number of levels
    numeric, nominal    the correlation ratio, corrected likewise

Each pair is judged by the rows where both are known and finite.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from acumen.data.schema import Attribute
from acumen.profiling.association import correlation_ratio
from acumen.profiling.contingency import Cells
from acumen.types import Array, Floats

Measure = Literal["correlation", "cramers-v", "correlation-ratio"]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two attributes and the strength of their connection; a correlation has a sign."""

    first: str
    second: str
    measure: Measure
    value: float

    def to_dict(self) -> dict[str, Any]:
        return {"first": self.first, "second": self.second, "measure": self.measure, "value": self.value}


@dataclass(frozen=True, slots=True, eq=False)
class Between:
    """The attributes compared and the square of values between them; NaN where a pair has none."""

    attributes: tuple[str, ...]
    numeric: tuple[bool, ...]
    values: Floats

    def pairs(self) -> list[Pair]:
        """All pairs that have a value, the strongest first."""
        made = [
            Pair(self.attributes[j], first, self.measure(i, j), float(self.values[i, j]))
            for i, first in enumerate(self.attributes)
            for j in range(i)
            if not math.isnan(self.values[i, j])
        ]
        return sorted(made, key=lambda pair: -abs(pair.value))

    def measure(self, i: int, j: int) -> Measure:
        """By what two attributes are compared."""
        if self.numeric[i] and self.numeric[j]:
            return "correlation"
        return "correlation-ratio" if self.numeric[i] or self.numeric[j] else "cramers-v"


def between(columns: Sequence[tuple[Attribute, Array]], weights: Floats) -> Between:
    """Compare every two of the columns, numeric and nominal ones."""
    k = len(columns)
    values = np.full((k, k), np.nan)
    numeric = [j for j, (attribute, _) in enumerate(columns) if attribute.is_numeric]
    nominal = [j for j in range(k) if j not in set(numeric)]
    if len(numeric) > 1:
        values[np.ix_(numeric, numeric)] = correlations([columns[j][1] for j in numeric], weights)
    for place, i in enumerate(nominal):
        codes = columns[i][1]
        for j in nominal[:place]:
            v = Cells.of(codes, columns[j][1], weights).cramers_v
            values[i, j] = values[j, i] = math.nan if v is None else v
        for j in numeric:
            known = (codes >= 0) & np.isfinite(columns[j][1])
            if weights.size:
                known &= weights > 0
            mass = weights[known] if weights.size else weights
            eta = correlation_ratio(codes[known], columns[j][1][known], mass)[1]
            values[i, j] = values[j, i] = math.nan if eta is None else eta
    np.fill_diagonal(values, np.nan)
    return Between(tuple(a.name for a, _ in columns), tuple(a.is_numeric for a, _ in columns), values)


def correlations(columns: Sequence[Floats], weights: Floats) -> Floats:
    """Pearson's r of every two columns over the rows where both are finite; NaN where one is constant."""
    n = len(columns[0])
    mass = weights if weights.size else np.ones(n)
    known = np.zeros((n, len(columns)))
    centred = np.zeros((n, len(columns)))
    for j, column in enumerate(columns):
        here = np.isfinite(column) & (mass > 0)
        if not here.any():
            continue
        _, exponent = math.frexp(float(np.abs(column[here]).max()))
        scaled = np.ldexp(column[here], -exponent)
        known[here, j] = 1.0
        # Centred over all its rows: what a pair's own mean then differs by costs no digits worth having.
        offset = scaled - np.average(scaled, weights=mass[here])
        top = float(np.abs(offset).max())
        centred[here, j] = offset / top if top > 0 else offset
    heavy = known * mass[:, None]
    total = heavy.T @ known
    sums = (centred * mass[:, None]).T @ known  # of the first over the rows of both
    squares = (centred * centred * mass[:, None]).T @ known
    products = (centred * mass[:, None]).T @ centred
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = squares - sums * sums / total
        r = (products - sums * sums.T / total) / np.sqrt(spread * spread.T)
        r[(spread <= 1e-13 * squares) | (spread.T <= 1e-13 * squares.T) | (known.T @ known < 2)] = np.nan
    return np.asarray(np.clip(r, -1.0, 1.0))
