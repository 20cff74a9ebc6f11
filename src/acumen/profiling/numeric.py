"""A numeric column's figures: five numbers, mean, standard deviation, histogram.

Quartiles are numpy's linear method (Hyndman and Fan's type 7). Row weights that are whole numbers count
as repeated rows, so a weight of 2 gives the figures of a row written twice. With other weights, whose
scale may mean nothing, a quartile is the least value with at least that share of the weight at or below
it, and the standard deviation is the unbiased one for reliability weights; neither depends on the scale.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from acumen.profiling.figures import ColumnFigures, NumericFigures, share
from acumen.profiling.moments import Moments, is_whole, moments_of
from acumen.types import Floats

#: Bins of the small histogram.
BINS = 10
#: A value is taken to stand for none if so many rows have it, and so many others do not.
_REPEATED, _OTHERS = 3, 10
_QUARTILES = np.array([0.25, 0.5, 0.75])
#: The one or two values at an end, the outermost first, each with what its rows weigh.
Ends: TypeAlias = tuple[tuple[float, float], ...]


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
    moments = moments_of(values, weights)
    made = figures_of(moments, _quartiles(ranked, mass), _histogram(ranked, mass), infinite)
    return replace(made, placeholder=placeholder(*_ends(ranked, mass), moments)), distinct


def _ends(ranked: Floats, mass: Floats) -> tuple[Ends, Ends]:
    """The least two and the greatest two of sorted values, each with what its rows weigh."""
    reached = np.concatenate([[0.0], np.cumsum(mass)]) if mass.size else np.arange(len(ranked) + 1.0)

    def at(value: float) -> tuple[float, float, int, int]:
        first, last = int(np.searchsorted(ranked, value)), int(np.searchsorted(ranked, value, side="right"))
        return value, float(reached[last] - reached[first]), first, last

    low, high = at(float(ranked[0])), at(float(ranked[-1]))
    if low[3] == len(ranked):
        return (low[:2],), (high[:2],)
    return (low[:2], at(float(ranked[low[3]]))[:2]), (high[:2], at(float(ranked[high[2] - 1]))[:2])


def placeholder(lowest: Ends, highest: Ends, moments: Moments) -> tuple[float, int] | None:
    """A value of nines (999, -99) at an end, in several rows, farther from all others than these are from each other.

    Given are the two values at each end, with what their rows weigh. Shares of rows are not counted, and tell none.
    """
    if len(lowest) < 2 or not moments.whole:
        return None
    for ((value, rows), (near, _)), (far, _) in ((highest, lowest[0]), (lowest, highest[0])):
        nines = value.is_integer() and abs(value) >= 99 and set(f"{abs(value):.0f}") == {"9"}
        outward = value > 0 if value > near else value < 0
        enough = rows >= _REPEATED and moments.total - rows >= _OTHERS
        if nines and outward and enough and abs(value - near) > abs(near - far) > 0:
            return value, int(rows)
    return None


def figures_of(
    moments: Moments, quartiles: Floats, counts: Floats, infinite: int, form: str = ""
) -> NumericFigures:
    """The figures of one finite value or more; `counts` are the weights in the bins of `histogram_edges`."""
    mean, sd = moments.mean_and_sd()
    q1, median, q3 = (float(q) + 0.0 for q in quartiles)  # no -0.0, which sorts as 0 does
    edges = histogram_edges(moments.low, moments.high)
    return NumericFigures(
        min=moments.low,
        q1=q1,
        median=median,
        q3=q3,
        max=moments.high,
        mean=mean,
        sd=sd,
        infinite=infinite,
        edges=tuple(edges.tolist()),
        counts=tuple(counts.tolist()),
        form=form,
    )


def _quartiles(ranked: Floats, mass: Floats) -> Floats:
    """Quartiles of sorted values."""
    if mass.size and not is_whole(mass):
        reached = np.cumsum(mass)
        places = np.searchsorted(reached, quartile_masses(reached[-1]))
        return np.asarray(ranked[np.minimum(places, len(ranked) - 1)])
    below, above, part = quartile_places(int(mass.sum()) if mass.size else len(ranked))
    if mass.size:
        reached = np.cumsum(mass)
        low = ranked[np.searchsorted(reached, below, side="right")]
        high = ranked[np.searchsorted(reached, above, side="right")]
    else:
        low, high = ranked[below.astype(np.intp)], ranked[above.astype(np.intp)]
    return between_places(low, high, part)


def quartile_masses(total: float) -> Floats:
    """The weight that is reached at each quartile; a little less, for the sake of what sums lose."""
    return np.asarray(_QUARTILES * total * (1 - 1e-12))


def quartile_places(n: int) -> tuple[Floats, Floats, Floats]:
    """Between which two of n sorted values each quartile lies, by their numbers from 0, and how far from the first."""
    positions = (n - 1) * _QUARTILES
    below = np.floor(positions)
    return below, np.minimum(below + 1, n - 1), positions - below


def between_places(low: Floats, high: Floats, part: Floats) -> Floats:
    """What lies so far between two values each."""
    with np.errstate(over="ignore"):
        gap = high - low
    if not np.all(np.isfinite(gap)):  # huge values of opposite sign: halve first, double last
        return np.asarray(2 * (low / 2 * (1 - part) + high / 2 * part))
    # From the nearer end, as numpy does it, so that the figures are its figures to the last bit.
    return np.asarray(np.where(part < 0.5, low + gap * part, high - gap * (1 - part)))


def histogram_edges(low: float, high: float) -> Floats:
    """Ends of even-width bins from the least value to the greatest; of one value alone one bin."""
    if low == high:
        return np.array([low, high])
    steps = np.arange(BINS + 1) / BINS
    if math.isfinite(high - low):
        return np.linspace(low, high, BINS + 1)
    return np.asarray(low * (1 - steps) + high * steps)


def _histogram(ranked: Floats, mass: Floats) -> Floats:
    """The weight in each bin of sorted values."""
    edges = histogram_edges(float(ranked[0]) + 0.0, float(ranked[-1]) + 0.0)
    cuts = np.searchsorted(ranked, edges)
    cuts[-1] = len(ranked)
    if not mass.size:
        return np.diff(cuts).astype(np.float64)
    return np.diff(np.concatenate([[0.0], np.cumsum(mass)])[cuts])
