"""k medoids under links: swaps of a medoid for a row, each judged by the cheapest groups that the links allow.

The sum of distances is the same as without links, over all k rows and all groups that keep to the links: a medoid may
be a row that links keep in another group. A swap whose sum without `cannot_link` is no improvement needs no search.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from acumen.base.grouping import Grouping, by_first_row
from acumen.clusters.constrained_means import require_sets
from acumen.clusters.medoids import MedoidsModel, model_of, search_from
from acumen.clusters.nearest_model import group_sizes
from acumen.clusters.pair_constraints import Links, cheapest
from acumen.clusters.row_distances import RowsApart
from acumen.types import Array, Codes, Floats

#: An improvement that is less than this share is but rounding.
_ROUNDING = 1e-12


class _ConstrainedSwaps:
    """Medoids on their way down."""

    def __init__(self, costs: Floats, links: Links, medoids: Array, who: str) -> None:
        self.costs, self.links, self.who = costs, links, who
        self.medoids = medoids
        self.groups = cheapest(costs[:, medoids], links, who)
        self.losses = [self._loss(medoids, self.groups)]

    def _loss(self, medoids: Array, groups: Codes) -> float:
        return float(self.costs[np.arange(len(groups)), medoids[groups]].sum())

    def step(self) -> bool:
        """The first swap that is an improvement, those of the lowest bounds first; False if there is none."""
        now = self.losses[-1]
        bounds = np.array([self._bounds(slot) for slot in range(len(self.medoids))])
        bounds[:, self.medoids] = np.inf
        for at in np.argsort(bounds, axis=None, kind="stable").tolist():
            slot, row = divmod(at, bounds.shape[1])
            if not bounds[slot, row] < now * (1 - _ROUNDING):
                return False
            medoids = self.medoids.copy()
            medoids[slot] = row
            groups = cheapest(self.costs[:, medoids], self.links, self.who, self.groups)
            loss = self._loss(medoids, groups)
            if loss < now * (1 - _ROUNDING):
                self.medoids, self.groups = medoids, groups
                self.losses.append(loss)
                return True
        return False

    def _bounds(self, slot: int) -> Floats:
        """For each row what is left, without `cannot_link`, if it takes the place of a medoid."""
        others = np.delete(self.medoids, slot)
        near = self.costs[:, others].min(axis=1) if len(others) else np.full(len(self.costs), np.inf)
        bounds: Floats = np.minimum(near[:, None], self.costs).sum(axis=0)
        return bounds


def find_constrained(
    rows: RowsApart, k: int, starts: Iterable[np.random.Generator], who: str, max_iter: int, links: Links
) -> tuple[Grouping, bool]:
    """The best of several starts, each where a search without links ends; and whether it came to its end."""
    known = np.zeros(rows.n_rows, dtype=np.bool_)
    known[rows.rows] = True
    links.require_known(known, who)
    links = links.take(rows.rows)
    require_sets(links, k, who)
    away = rows.search.between(rows.raw)
    far = np.isinf(away)
    away[far] = rows.far
    costs = links.sum_sets(away * rows.weights[:, None])
    best: tuple[_ConstrainedSwaps, bool] | None = None
    for rng in starts:
        walk = _ConstrainedSwaps(costs, links, search_from(rows, k, rng, who, max_iter).medoids, who)
        settled = False
        for _ in range(max_iter * len(rows)):
            if not walk.step():
                settled = True
                break
        if best is None or walk.losses[-1] < best[0].losses[-1] * (1 - _ROUNDING):
            best = walk, settled
    assert best is not None
    return _number_groups(rows, links, best[0], away, far), best[1]


def _number_groups(
    rows: RowsApart, links: Links, walk: _ConstrainedSwaps, away: Floats, far: Array
) -> Grouping:
    """The groups as links have them, numbered by first rows; a row with no link that is near nothing is in none."""
    order = np.argsort(walk.medoids)
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    medoids, slots = walk.medoids[order], place[walk.groups[links.sets]]
    every = np.arange(len(rows))
    lost = far[every, medoids[slots]]
    lost[links.linked_rows] = False
    labels, met = by_first_row(np.where(lost, -1, slots).astype(np.int32))
    kept = np.sort(met)
    number = np.empty(len(kept), dtype=np.int32)
    number[np.searchsorted(kept, met)] = np.arange(len(met), dtype=np.int32)
    there = labels >= 0
    model = replace(
        model_of(rows, medoids[kept], MedoidsModel),
        number=number,
        sizes=group_sizes(labels, rows.weights),
        loss=float((rows.weights * away[every, medoids[slots]])[there].sum()),
        losses=np.array(walk.losses),
    )
    return Grouping(model, rows.spread(labels), len(walk.losses))
