"""Where searches begin: points drawn far apart, from a sample of the rows where there are many.

SAMPLE        so many draws stand for a larger table
sampled       the points at drawn places of the running sum of weights; all of them where there are few
drawn_centres centres by k-means++ (each row as likely as its squared distance to the centres so far; the best of
              a few draws is kept) or at random among rows that differ
distinct      the first rows that differ from each other
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from acumen.clusters.drawing import draw_by_places
from acumen.clusters.means import squared_distances
from acumen.clusters.rows import Blocks, Points
from acumen.engines.block_passes import SpreadBlocks
from acumen.types import Floats, Indices

#: Draws that stand for the rows of a larger table while starts are tried.
SAMPLE = 32_768


def sampled(source: Blocks, n_rows: int, weight: float, k: int, rng: np.random.Generator) -> Points:
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
    spread = getattr(source, "spread", None)
    if isinstance(spread, SpreadBlocks):
        return _sampled_there(spread, places)
    values, counts = [], []
    before = 0.0
    for part in source:
        rows, count, before = _at_places(part, places, before)
        values.append(part.values[rows])
        counts.append(count)
    return Points(np.concatenate(values), np.concatenate(counts))


def _at_places(part: Points, places: Floats, before: float) -> tuple[Indices, Floats, float]:
    """The rows of a block at drawn places, how often each was drawn, and the weight of all rows up to its end."""
    running = before + np.cumsum(part.row_weights)
    here = places[(places >= before) & (places < running[-1])]
    rows, count = np.unique(np.searchsorted(running, here, side="right"), return_counts=True)
    return rows, count.astype(np.float64), float(running[-1])


def _sampled_there(source: SpreadBlocks, places: Floats) -> Points:
    """The same where blocks are elsewhere: what each weighs is asked first, and then the rows drawn."""
    before = [0.0]
    for weight in source.each(_weight_of):
        before.append(before[-1] + weight)

    def drawn(part: Points, number: int) -> tuple[Floats, Floats]:
        rows, count, _ = _at_places(part, places, before[number])
        return part.values[rows], count

    found = list(source.each(drawn, numbered=True))
    return Points(np.concatenate([each[0] for each in found]), np.concatenate([each[1] for each in found]))


def _weight_of(part: Points) -> float:
    return float(np.cumsum(part.row_weights)[-1])


def drawn_centres(points: Points, k: int, rng: np.random.Generator, spread: bool) -> Floats:
    """`k` rows of the points, gaps filled with the mean of all rows.

    `spread`: by k-means++, the best of some draws each time (2 + ln k of them, as Arthur and Vassilvitskii suggest);
    else any row that is not on a centre yet.
    """
    weights = points.row_weights * ~np.isnan(points.values).all(axis=1)
    tries = 2 + int(np.log(k)) if spread else 1
    first = draw_by_places(rng, weights, 1)
    chosen = [_filled(points.values[first[0]])]
    away = squared_distances(points.values, chosen[0][None, :])[:, 0]
    for _ in range(1, k):
        chance = weights * away if spread else weights * (away > 0)
        if not chance.sum() > 0:  # every row is on a centre, as far as it is known
            chance = weights
        rows = draw_by_places(rng, chance, tries)
        candidates = np.array([_filled(points.values[row]) for row in rows])
        after = np.minimum(squared_distances(points.values, candidates), away[:, None])
        best = int(np.argmin((after * weights[:, None]).sum(axis=0)))
        chosen.append(candidates[best])
        away = np.ascontiguousarray(after[:, best])
    return np.array(chosen)


def distinct(source: Blocks, most: int) -> Floats:
    """Points that differ from each other and know something, the first of the rows; no more than `most`."""
    found: dict[bytes, Floats] = {}
    for values in _in_steps(source, most):
        for line in np.unique(values, axis=0):
            found.setdefault(line.tobytes(), line)
        if len(found) >= most:
            break
    return np.array(list(found.values())[:most])


def _in_steps(source: Blocks, most: int) -> Iterator[Floats]:
    """Rows of which something is known, few at first: most tables have as many different ones among them."""
    for part in source:
        start, step = 0, max(4 * most, 64)
        while start < len(part):
            some = part.values[start : start + step]
            yield some[~np.isnan(some).all(axis=1)] + 0.0  # no -0
            start, step = start + step, 4 * step


def _filled(point: Floats) -> Floats:
    return np.where(np.isnan(point), 0.0, point)
