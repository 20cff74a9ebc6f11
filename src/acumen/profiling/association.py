"""How informative each attribute is about the target.

Of a nominal target: information gain, gain ratio and the chi-square test. A numeric attribute is first cut
into at most ten intervals of about equal weight (one for each value, where it has no more than ten). The
intervals do not look at the class, or the test's chance would mean nothing.

Of a numeric target: the correlation of a numeric attribute, the correlation ratio of a nominal one, each
with the chance of as much by the F test.

Rows where either is missing or not finite are left out.

How attributes hang together, two by two.

    numeric, numeric    Pearson's correlation, with its sign
    nominal, nominal    Cramér's V, corrected for the number of levels
    numeric, nominal    the correlation ratio, corrected likewise

Each pair is judged by the rows where both are known and finite.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from acumen.data.schema import Attribute
from acumen.profiling.contingency import ContingencyTable, effective_size
from acumen.types import MISSING, Array, Codes, Floats

#: Intervals of a numeric attribute.
PIECES = 10


@dataclass(frozen=True, slots=True)
class Association:
    """How one attribute is associated with the target; None where a figure does not apply.

    `rows` have both, which is `known` of those that have a target.
    `strength` is between 0 and 1 and comparable within a card: Cramér's V of a nominal target; of a numeric
    one the absolute correlation or the correlation ratio. `rough` says that the chi-square test has too few
    rows a cell to be taken at its word.
    """

    rows: int
    known: float = 0.0
    strength: float | None = None
    p: float | None = None
    gain_bits: float | None = None
    chance_bits: float | None = None
    gain_ratio: float | None = None
    chi2: float | None = None
    df: int | None = None
    rough: bool = False
    correlation: float | None = None

    @property
    def score(self) -> float:
        """The sort key of attributes: the gain beyond chance, or the strength, times the fraction of known rows."""
        if self.gain_bits is not None:
            return (self.gain_bits - (self.chance_bits or 0.0)) * self.known
        return self.strength * self.known if self.strength is not None else -1.0

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "score": self.score}


def with_classes(codes: Codes, labels: Codes, weights: Floats) -> Association:
    """The association of coded values with the classes."""
    cells = ContingencyTable.of(codes, labels, weights)
    rows = int(np.count_nonzero((codes >= 0) & (labels >= 0)))
    chi2, df, p = cells.chi_square()
    return Association(
        rows,
        known=rows / max(1, int(np.count_nonzero(labels >= 0))),
        strength=cells.cramers_v,
        p=p,
        gain_bits=cells.gain,
        chance_bits=cells.by_chance,
        gain_ratio=cells.gain_ratio,
        chi2=chi2,
        df=df,
        rough=cells.rough,
    )


def with_response(attribute: Attribute, values: Array, response: Floats, weights: Floats) -> Association:
    """The association of a column with a numeric target."""
    numbers = values if attribute.is_numeric else np.where(values >= 0, 0.0, np.nan)
    known = np.isfinite(numbers) & np.isfinite(response)
    if weights.size:
        known &= weights > 0
    share = int(np.count_nonzero(known)) / max(1, int(np.count_nonzero(np.isfinite(response))))
    values, response = values[known], response[known]
    weights = weights[known] if weights.size else weights
    n = effective_size(weights, len(values)) if len(values) else 0.0
    if attribute.is_numeric:
        r = correlation(values, response, weights)
        if r is None:
            return Association(len(values), share)
        return Association(len(values), share, abs(r), f_chance(r * r, 1.0, n - 2), correlation=r)
    plain, corrected, levels = correlation_ratio(values, response, weights)
    if plain is None:
        return Association(len(values), share)
    return Association(len(values), share, corrected, f_chance(plain, levels - 1.0, n - levels))


def correlation(x: Floats, y: Floats, weights: Floats) -> float | None:
    """Pearson's r of finite values; None where one of them is constant."""
    if len(x) < 2:
        return None
    a, b = standardise(x, weights), standardise(y, weights)
    if a is None or b is None:
        return None
    mass = weights if weights.size else np.ones(len(x))
    return max(-1.0, min(1.0, float((mass * a * b).sum() / mass.sum())))


def correlation_ratio(codes: Codes, y: Floats, weights: Floats) -> tuple[float | None, float | None, int]:
    """Eta squared; eta corrected for the number of levels (Kelley's epsilon); and that number.

    Eta squared is the share of the variance of `y` that lies between the levels. By chance it grows with
    their number, so the corrected one is the root of 1 - (1 - eta2) (n - 1) / (n - levels), at least 0.
    """
    if len(y) < 2:
        return None, None, 0
    z = standardise(y, weights)
    _, group = np.unique(codes, return_inverse=True)
    levels = int(group.max()) + 1
    n = effective_size(weights, len(y))
    if z is None or levels < 2:
        return None, None, levels
    mass = weights if weights.size else np.ones(len(y))
    of_level = np.bincount(group, mass)
    means = np.bincount(group, mass * z) / of_level
    eta2 = min(1.0, float((of_level * means * means).sum() / mass.sum()))
    if n - levels <= 1e-9:
        return eta2, 0.0, levels
    return eta2, math.sqrt(max(0.0, 1 - (1 - eta2) * (n - 1) / (n - levels))), levels


def standardise(values: Floats, weights: Floats) -> Floats | None:
    """Scale to mean 0 and variance 1, weighted; None for a constant. Scales first to avoid overflow."""
    _, exponent = math.frexp(float(np.abs(values).max()))
    scaled = np.ldexp(values, -exponent)
    if float(scaled.min()) == float(scaled.max()):
        return None
    centred = scaled - np.average(scaled, weights=weights if weights.size else None)
    spread = math.sqrt(float(np.average(centred * centred, weights=weights if weights.size else None)))
    return np.asarray(centred / spread) if spread > 0 else None


def f_chance(explained: float, between: float, within: float) -> float | None:
    """The probability of explaining at least this fraction of the variance by chance."""
    if between < 1 or within < 1e-9:
        return None
    if explained >= 1:
        return 0.0
    from scipy.special import fdtrc

    return float(fdtrc(between, within, explained / between / ((1 - explained) / within)))


def pieces(values: Floats, weights: Floats) -> Codes:
    """Cut a numeric column into at most ten intervals of about equal weight, coded from 0; missing is -1."""
    codes = np.full(len(values), MISSING, dtype=np.int32)
    known = ~np.isnan(values)
    if weights.size:
        known &= weights > 0
    kept = values[known]
    if not kept.size:
        return codes
    order = np.argsort(kept, kind="stable")
    ranked = kept[order]
    new = np.flatnonzero(ranked[1:] != ranked[:-1])
    if len(new) < PIECES:
        edges = ranked[new]
    else:
        reached = np.cumsum(weights[known][order]) if weights.size else np.arange(1.0, len(ranked) + 1)
        aims = np.arange(1, PIECES) / PIECES * reached[-1] * (1 - 1e-12)
        edges = np.unique(ranked[np.searchsorted(reached, aims)])
        edges = edges[edges < ranked[-1]]
    codes[known] = np.searchsorted(edges, kept, side="left")
    return codes


Measure = Literal["correlation", "cramers-v", "correlation-ratio"]


@dataclass(frozen=True, slots=True)
class AssociatedPair:
    """Two attributes and the strength of their association; a correlation has a sign."""

    first: str
    second: str
    measure: Measure
    value: float

    def to_dict(self) -> dict[str, Any]:
        return {"first": self.first, "second": self.second, "measure": self.measure, "value": self.value}


@dataclass(frozen=True, slots=True, eq=False)
class PairwiseAssociations:
    """The attributes compared and the square of values between them; NaN where a pair has none."""

    attributes: tuple[str, ...]
    numeric: tuple[bool, ...]
    values: Floats

    def pairs(self) -> list[AssociatedPair]:
        """All pairs that have a value, the strongest first."""
        pairs = [
            AssociatedPair(self.attributes[j], first, self.measure(i, j), float(self.values[i, j]))
            for i, first in enumerate(self.attributes)
            for j in range(i)
            if not math.isnan(self.values[i, j])
        ]
        return sorted(pairs, key=lambda pair: -abs(pair.value))

    def measure(self, i: int, j: int) -> Measure:
        """The measure that compares two attributes."""
        if self.numeric[i] and self.numeric[j]:
            return "correlation"
        return "correlation-ratio" if self.numeric[i] or self.numeric[j] else "cramers-v"


def pairwise_associations(
    columns: Sequence[tuple[Attribute, Array]], weights: Floats
) -> PairwiseAssociations:
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
            v = ContingencyTable.of(codes, columns[j][1], weights).cramers_v
            values[i, j] = values[j, i] = math.nan if v is None else v
        for j in numeric:
            known = (codes >= 0) & np.isfinite(columns[j][1])
            if weights.size:
                known &= weights > 0
            mass = weights[known] if weights.size else weights
            eta = correlation_ratio(codes[known], columns[j][1][known], mass)[1]
            values[i, j] = values[j, i] = math.nan if eta is None else eta
    np.fill_diagonal(values, np.nan)
    return PairwiseAssociations(
        tuple(a.name for a, _ in columns), tuple(a.is_numeric for a, _ in columns), values
    )


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
