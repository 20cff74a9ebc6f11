"""k medoids: rows in the middle of their groups, for any distance and without a matrix of all pairs.

    find_medoids     FasterPAM from several starts                     rows -> groups about medoids
    find_by_samples  CLARA: FasterPAM on samples, judged on all rows
    find_by_chance   CLARANS: swaps drawn at random

Kaufman and Rousseeuw (1990), chapters 2 and 3; Ng and Han (2002); Schubert and Rousseeuw (2021), "Fast and eager
k-medoids clustering".
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from acumen import _native
from acumen.base.grouping import Grouping, by_first_row
from acumen.clusters.distinct import distinct_rows
from acumen.clusters.drawing import draw_by_places, require_distinct
from acumen.clusters.medoid_model import DrawnModel, MedoidsModel, SampledModel
from acumen.clusters.nearest import group_sizes
from acumen.clusters.row_distances import RowsApart
from acumen.engines.cores import cores
from acumen.types import Array, Codes, Floats

#: The weight of rows up to which one more search begins where PAM ends.
_BUILT = 300.0


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Medoids as places among the rows searched, the sum of distances after each swap, and whether it was done."""

    medoids: Array
    loss: float
    losses: Floats
    tried: int
    settled: bool


# -- searching ------------------------------------------------------------------------------------


def search_from(rows: RowsApart, k: int, rng: np.random.Generator, who: str, most: int) -> Found:
    """One search: rows spread out by chance, then every swap that is an improvement, for `most` passes at most."""
    return _searched(rows, _start(rows, k, rng, who), False, 0, 0, most * len(rows))


def _start(rows: RowsApart, k: int, rng: np.random.Generator, who: str) -> Array:
    start: Array = _native.start_medoids(*rows.pairs, rng.random(k))
    require_distinct(who, k, len(start), len(rows))
    return start


def _searched(rows: RowsApart, start: Array, drawn: bool, seed: int, patience: int, most: int) -> Found:
    medoids, _, loss, losses, tried, settled = _native.search_medoids(
        *rows.pairs, start, drawn, seed, patience, most, cores()
    )
    return Found(medoids, loss, losses, tried, settled)


def built(rows: RowsApart, k: int) -> Array:
    """The medoids of PAM itself (Kaufman and Rousseeuw 1990): BUILD, then always the best swap of all.

    BUILD takes one medoid after the other, each the row that lessens the sum most; of several the first. All distances
    are needed at once. Eager swaps from random starts do as well on average, but not on every table.
    """
    away = rows.search.between(rows.raw)
    away[np.isinf(away)] = rows.far
    weights = rows.weights
    near = np.full(len(rows), np.inf)
    medoids: list[int] = []
    for _ in range(k):
        # Column j: what is left if row j is taken too.
        left = weights @ np.minimum(near[:, None], away)
        left[medoids] = np.inf
        left[~(weights > 0)] = np.inf
        medoids.append(int(np.flatnonzero(left <= left.min() * (1 + 1e-12))[0]))
        near = np.minimum(near, away[:, medoids[-1]])
    while True:
        mine = away[:, medoids]
        nearest, near = mine.argmin(axis=1), mine.min(axis=1)
        second = np.partition(mine, 1, axis=1)[:, 1]
        # Line i, column j: what is left if row j takes the place of medoid i.
        left = np.array(
            [weights @ np.minimum(np.where(nearest == i, second, near)[:, None], away) for i in range(k)]
        )
        left[:, medoids] = np.inf
        left[:, ~(weights > 0)] = np.inf
        if not left.min() < float(weights @ near) * (1 - 1e-12):
            return np.array(medoids, dtype=np.int64)
        slot, row = np.unravel_index(int(np.argmin(left)), left.shape)
        medoids[int(slot)] = int(row)


def _best(found: Iterable[Found]) -> Found:
    """The one of the least sum, the first of several; a difference that is but rounding is none."""
    best: Found | None = None
    for each in found:
        if best is None or each.loss < best.loss * (1 - 1e-12):
            best = each
    assert best is not None
    return best


def find_medoids(
    rows: RowsApart, k: int, starts: Iterable[np.random.Generator], who: str, max_iter: int
) -> tuple[Grouping, bool]:
    """FasterPAM from several starts, of few rows from PAM's own too; and whether the best search came to its end."""
    searches = [search_from(rows, k, rng, who, max_iter) for rng in starts]
    if k > 1 and rows.weights.sum() <= _BUILT:
        searches.append(_searched(rows, built(rows, k), False, 0, 0, max_iter * len(rows)))
    found = _best(searches)
    return grouped(rows, found, MedoidsModel, -(-found.tried // len(rows))), found.settled


def find_by_samples(
    rows: RowsApart, k: int, rng: np.random.Generator, who: str, samples: int, size: int, max_iter: int
) -> tuple[Grouping, bool]:
    """The best on all rows of the medoids of several samples; each sample has the best so far among its rows.

    A sample is drawn by places in the running sum of weights; one that could hold all rows is all of them.
    """
    if rows.weights.sum() <= size or len(rows) <= k:
        found = search_from(rows, k, rng, who, max_iter)
        return grouped(rows, found, SampledModel, -(-found.tried // len(rows))), found.settled
    best: Found | None = None
    passes = 0
    # Of equal rows the first stands for all: a row of weight 2 and two equal rows make the same samples.
    first, lot = distinct_rows(rows.raw)
    for _ in range(samples):
        drawn = first[lot[draw_by_places(rng, rows.weights, size)]]
        chosen, counts = np.unique(drawn, return_counts=True)
        if best is not None:
            extra = np.setdiff1d(best.medoids, chosen)
            chosen = np.concatenate([chosen, extra])
            counts = np.concatenate([counts, np.ones(len(extra), dtype=counts.dtype)])
            order = np.argsort(chosen)
            chosen, counts = chosen[order], counts[order]
        sample = rows.take(chosen, counts.astype(np.float64))
        here = _native.start_medoids(*sample.pairs, rng.random(k))
        if len(here) < k:  # too few rows of this sample differ; others may have more
            continue
        found = _searched(sample, here, False, 0, 0, max_iter * len(sample))
        passes += -(-found.tried // len(sample))
        medoids = np.sort(chosen[found.medoids])
        loss = _loss_of(rows, medoids)
        if best is None or loss < best.loss * (1 - 1e-12):
            best = Found(medoids, loss, found.losses, found.tried, found.settled)
    if best is None:
        _start(rows, k, rng, who)  # says so where too few rows differ at all
        found = search_from(rows, k, rng, who, max_iter)
        return grouped(rows, found, SampledModel, -(-found.tried // len(rows))), found.settled
    return grouped(rows, best, SampledModel, passes), best.settled


def find_by_chance(
    rows: RowsApart, k: int, starts: Iterable[np.random.Generator], who: str, neighbours: int
) -> tuple[Grouping, bool]:
    """Swaps of a medoid and a row, both drawn; so many in vain in succession end a search."""

    def search(rng: np.random.Generator) -> Found:
        start = _start(rows, k, rng, who)
        return _searched(rows, start, True, int(rng.integers(0, 2**62)), neighbours, 0)

    found = _best(search(rng) for rng in starts)
    return grouped(rows, found, DrawnModel, -(-found.tried // len(rows))), True


def _loss_of(rows: RowsApart, medoids: Array) -> float:
    model = model_of(rows, medoids, MedoidsModel)
    away = model.groups_of(rows.raw)[1]
    return float((rows.weights * np.where(np.isinf(away), rows.far, away)).sum())


def model_of(rows: RowsApart, medoids: Array, kind: type[MedoidsModel]) -> MedoidsModel:
    """Medoids in the order of rows: of two equally near the first row's is taken, in every prediction alike."""
    number: Codes = np.arange(len(medoids), dtype=np.int32)
    return kind(
        rows.fitted, rows.raw.take(medoids), number, np.zeros(len(medoids)), rows.rows[medoids], 0.0, np.empty(0)
    )  # fmt: skip


def grouped(rows: RowsApart, found: Found, kind: type[MedoidsModel], passes: int) -> Grouping:
    """The groups about some medoids, numbered by their first row."""
    model = model_of(rows, np.sort(found.medoids), kind)
    near, away = model.groups_of(rows.raw)
    labels, order = by_first_row(near)
    kept = np.sort(order)  # a medoid that is no row's nearest, its own neither, has no group
    number = np.empty(len(kept), dtype=np.int32)
    number[np.searchsorted(kept, order)] = np.arange(len(order), dtype=np.int32)
    known = labels >= 0
    model = replace(
        model,
        raw=model.raw.take(kept),
        number=number,
        sizes=group_sizes(labels, rows.weights),
        rows=np.asarray(model.rows[kept], dtype=np.int64),
        loss=float((rows.weights[known] * away[known]).sum()),
        losses=found.losses,
    )
    return Grouping(model, rows.spread(labels), max(passes, 1))
