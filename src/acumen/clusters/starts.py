"""Starts of searches: points drawn far apart, from a sample if there are many rows.

SAMPLE          the number of draws that represent a larger table
sample_points   the points at drawn positions of the running sum of weights; all if there are few
at_places       what blocks of any kind have at such positions
draw_centres    centres by k-means++ (each row with probability proportional to its squared distance to the centres
                so far; the best of a few draws is used) or at random among distinct rows
distinct        the first distinct rows
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from acumen.clusters.lloyd import squared_distances
from acumen.clusters.sampling import draw_by_places
from acumen.clusters.space import Blocks, Points
from acumen.types import Floats, Indices

#: Draws that stand for the rows of a larger table while starts are tried.
SAMPLE = 32_768


def sample_points(source: Blocks, n_rows: int, weight: float, k: int, rng: np.random.Generator) -> Points:
    """The rows themselves where there are at most as many as draws; else those at drawn places, with their counts."""
    draws = max(SAMPLE, 64 * k)
    if n_rows <= draws:
        parts = list(source)
        if len(parts) == 1:
            return Points(parts[0].values, parts[0].weights)
        return Points(
            np.concatenate([part.values for part in parts]),
            np.concatenate([part.weights for part in parts]),
        )
    places = np.sort(rng.random(draws)) * weight
    rows = at_places(source, places, _weights_of, _take_rows)
    return Points(np.concatenate([each[0] for each in rows]), np.concatenate([each[1] for each in rows]))


def at_places(
    source: Blocks,
    places: Floats,
    weights_of: Callable[[Any], Floats],
    take: Callable[[Any, Indices, Floats], Any],
) -> list[Any]:
    """The rows of each block at places of the running sum of weights, and how often each was drawn.

    What each block weighs is asked first, so that blocks may be elsewhere.
    """
    before = [0.0]
    for weight in source.each(partial(_end, weights_of)):
        before.append(before[-1] + weight)
    return list(source.each(partial(_at_places, before, places, weights_of, take), numbered=True))


def _end(weights_of: Callable[[Any], Floats], block: Any) -> float:
    return float(np.cumsum(weights_of(block))[-1])


def _at_places(
    before: list[float],
    places: Floats,
    weights_of: Callable[[Any], Floats],
    take: Callable[[Any, Indices, Floats], Any],
    block: Any,
    number: int,
) -> Any:
    running = before[number] + np.cumsum(weights_of(block))
    here = places[(places >= before[number]) & (places < running[-1])]
    rows, count = np.unique(np.searchsorted(running, here, side="right"), return_counts=True)
    return take(block, rows, count.astype(np.float64))


def _weights_of(part: Points) -> Floats:
    return part.row_weights


def _take_rows(part: Points, rows: Indices, count: Floats) -> tuple[Floats, Floats]:
    return part.values[rows], count


def draw_centres(points: Points, k: int, rng: np.random.Generator, spread: bool) -> Floats:
    """`k` rows of the points, gaps filled with the mean of all rows.

    `spread`: by k-means++, the best of some draws each time (2 + ln k of them, as Arthur and Vassilvitskii suggest);
    else any row that is not on a centre yet.
    """
    weights = points.row_weights * ~np.isnan(points.values).all(axis=1)
    tries = 2 + int(np.log(k)) if spread else 1
    first = draw_by_places(rng, weights, 1)
    chosen = [_fill(points.values[first[0]])]
    away = squared_distances(points.values, chosen[0][None, :])[:, 0]
    for _ in range(1, k):
        chance = weights * away if spread else weights * (away > 0)
        if not chance.sum() > 0:  # every row is on a centre, as far as it is known
            chance = weights
        rows = draw_by_places(rng, chance, tries)
        candidates = np.array([_fill(points.values[row]) for row in rows])
        after = np.minimum(squared_distances(points.values, candidates), away[:, None])
        best = int(np.argmin((after * weights[:, None]).sum(axis=0)))
        chosen.append(candidates[best])
        away = np.ascontiguousarray(after[:, best])
    return np.array(chosen)


def distinct(source: Blocks, most: int) -> Floats:
    """Points that differ from each other and know something, the first of the rows; no more than `most`."""
    rows: dict[bytes, Floats] = {}
    for values in _in_steps(source, most):
        for line in np.unique(values, axis=0):
            rows.setdefault(line.tobytes(), line)
        if len(rows) >= most:
            break
    return np.array(list(rows.values())[:most])


def _in_steps(source: Blocks, most: int) -> Iterator[Floats]:
    """Rows of which something is known, few at first: most tables have as many different ones among them."""
    for part in source:
        start, step = 0, max(4 * most, 64)
        while start < len(part):
            some = part.values[start : start + step]
            yield some[~np.isnan(some).all(axis=1)] + 0.0  # no -0
            start, step = start + step, 4 * step


def _fill(point: Floats) -> Floats:
    return np.where(np.isnan(point), 0.0, point)
