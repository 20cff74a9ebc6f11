"""A numeric column's figures: five numbers, mean, standard deviation, histogram.

Quartiles are numpy's linear method (Hyndman and Fan's type 7). Row weights that are whole numbers count
as repeated rows, so a weight of 2 gives the figures of a row written twice. With other weights, whose
scale may mean nothing, a quartile is the least value with at least that share of the weight at or below
it, and the standard deviation is the unbiased one for reliability weights; neither depends on the scale.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from acumen.card.figures import ColumnFigures, NumericFigures, share
from acumen.types import Floats

#: Bins of the small histogram.
BINS = 10
_QUARTILES = np.array([0.25, 0.5, 0.75])


def numeric_column(name: str, values: Floats, weights: Floats, form: str = "") -> ColumnFigures:
    """The figures of one attribute; `weights` is empty when every row weighs one."""
    absent = np.isnan(values)
    missing = int(np.count_nonzero(absent))
    if weights.size:
        missing_share = share(float(weights[absent].sum()), float(weights.sum()))
    else:
        missing_share = share(missing, len(values))
    figures, distinct = numeric_figures(values, weights)
    return ColumnFigures(
        name, "numeric", missing, missing_share, distinct, numeric=replace(figures, form=form)
    )


def numeric_figures(values: Floats, weights: Floats) -> tuple[NumericFigures, int]:
    """The figures of the finite values, and the number of distinct known ones (infinities too)."""
    finite = np.isfinite(values)
    infinite = int(np.count_nonzero(np.isinf(values)))
    ends = len(np.unique(values[np.isinf(values)])) if infinite else 0
    if weights.size:
        finite &= weights > 0
        order = np.argsort(values[finite], kind="stable")
        ranked, mass = values[finite][order], weights[finite][order]
    else:
        ranked, mass = np.sort(values[finite]), weights
    if not ranked.size:
        return NumericFigures(infinite=infinite), ends
    distinct = 1 + int(np.count_nonzero(ranked[1:] != ranked[:-1])) + ends
    q1, median, q3 = (float(q) for q in _quartiles(ranked, mass))
    mean, sd = _moments(ranked, mass)
    edges, counts = _histogram(ranked, mass)
    low, high = float(ranked[0]), float(ranked[-1])
    return NumericFigures(low, q1, median, q3, high, mean, sd, infinite, edges, counts), distinct


def _whole(mass: Floats) -> bool:
    return bool(np.all(mass == np.floor(mass)))


def _quartiles(ranked: Floats, mass: Floats) -> Floats:
    """Quartiles of sorted values."""
    if mass.size and not _whole(mass):
        reached = np.cumsum(mass)
        places = np.searchsorted(reached, _QUARTILES * reached[-1] * (1 - 1e-12))
        return np.asarray(ranked[np.minimum(places, len(ranked) - 1)])
    n = int(mass.sum()) if mass.size else len(ranked)
    positions = (n - 1) * _QUARTILES
    below = np.floor(positions)
    above = np.minimum(below + 1, n - 1)
    if mass.size:
        reached = np.cumsum(mass)
        low = ranked[np.searchsorted(reached, below, side="right")]
        high = ranked[np.searchsorted(reached, above, side="right")]
    else:
        low, high = ranked[below.astype(np.intp)], ranked[above.astype(np.intp)]
    part = positions - below
    with np.errstate(over="ignore"):
        gap = high - low
    if not np.all(np.isfinite(gap)):  # huge values of opposite sign: halve first, double last
        return np.asarray(2 * (low / 2 * (1 - part) + high / 2 * part))
    # From the nearer end, as numpy does it, so that the figures are its figures to the last bit.
    return np.asarray(np.where(part < 0.5, low + gap * part, high - gap * (1 - part)))


def _moments(ranked: Floats, mass: Floats) -> tuple[float, float | None]:
    """Mean and standard deviation, two passes, scaled so that no square overflows or vanishes."""
    low, high = float(ranked[0]), float(ranked[-1])
    if low == high:
        several = len(ranked) > 1 or (mass.size and _whole(mass) and mass[0] > 1)
        return low, 0.0 if several else None
    _, exponent = math.frexp(max(abs(low), abs(high)))
    scaled = np.ldexp(ranked, -exponent)
    if not mass.size:
        mean, total, correction = float(scaled.mean()), float(len(ranked)), 1.0
        squares = float(np.square(scaled - mean).sum())
    else:
        total = float(mass.sum())
        mean = float((scaled * mass).sum() / total)
        squares = float((np.square(scaled - mean) * mass).sum())
        correction = 1.0 if _whole(mass) else float(np.square(mass).sum() / total)
    freedom = total - correction
    sd = None
    if freedom > 1e-12 * total:
        with np.errstate(over="ignore"):
            sd = float(np.ldexp(math.sqrt(squares / freedom), exponent))
        sd = sd if math.isfinite(sd) else None  # it can exceed the greatest double, as nothing else here
    # Rounding may carry the mean of nearly equal values a little beyond them.
    return min(max(math.ldexp(mean, exponent), low), high), sd


def _histogram(ranked: Floats, mass: Floats) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Weights in even-width bins from the least value to the greatest."""
    low, high = float(ranked[0]), float(ranked[-1])
    if low == high:
        total = float(mass.sum()) if mass.size else float(len(ranked))
        return (low, high), (total,)
    steps = np.arange(BINS + 1) / BINS
    edges = (
        np.linspace(low, high, BINS + 1) if math.isfinite(high - low) else low * (1 - steps) + high * steps
    )
    cuts = np.searchsorted(ranked, edges)
    cuts[-1] = len(ranked)
    if not mass.size:
        counts = np.diff(cuts).astype(np.float64)
    else:
        counts = np.diff(np.concatenate([[0.0], np.cumsum(mass)])[cuts])
    return tuple(edges.tolist()), tuple(counts.tolist())
