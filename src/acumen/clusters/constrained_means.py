"""k-means and k-medoids under constraints: rows that must be together move together.

lloyd_constrained    passes from one start: the cheapest clusters the links allow, then their means
search_constrained   the best of several starts, numbered by first rows

Neither step raises the sum of squares: groups are the cheapest for the centres, or at least no dearer than those
before; means are the best centres of their groups; a centre without rows counts for nothing wherever it is put.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from acumen.base.grouping import Grouping, by_first_row
from acumen.clusters.kmeans import KMeansOptions, NumberedCentres, cluster_weights
from acumen.clusters.lloyd import LloydFit, squared_distances
from acumen.clusters.medoids import MedoidsModel, model_of, search_from
from acumen.clusters.nearest_model import group_sizes
from acumen.clusters.pair_constraints import Links, cheapest
from acumen.clusters.row_distances import RowsApart
from acumen.clusters.sampling import require_distinct
from acumen.clusters.space import Points
from acumen.clusters.starts import distinct, draw_centres
from acumen.errors import DataError
from acumen.render.text import many
from acumen.rows.persisted import Persisted
from acumen.types import Array, Bools, Codes, Floats


@dataclass(frozen=True, slots=True, eq=False)
class ConstrainedFit:
    """Centres, the group of each row, and the sum of squares after each pass: it never rises."""

    centres: Floats
    labels: Codes
    objectives: Floats

    @property
    def objective(self) -> float:
        return float(self.objectives[-1])


def search_constrained(
    points: Points, links: Links, asked: KMeansOptions, starts: Iterable[np.random.Generator], who: str
) -> tuple[NumberedCentres, LloydFit]:
    """The best of all starts; of equally good ones the first. Centres without a row are left out."""
    known = np.asarray(~np.isnan(points.values).all(axis=1))
    links.require_known(known, who)
    k = int(asked.k)
    require_distinct(who, k, len(distinct(Persisted.of([points]), k)), len(points))
    require_sets(links, k, who)
    best: ConstrainedFit | None = None
    if isinstance(asked.init, np.ndarray):
        best = lloyd_constrained(points, links, asked.init, asked.max_iter, asked.tol, who)
    else:
        for rng in starts:
            centres = draw_centres(points, k, rng, asked.init == "k-means++")
            fit = lloyd_constrained(points, links, centres, asked.max_iter, asked.tol, who)
            if best is None or fit.objective < best.objective:
                best = fit
    assert best is not None
    labels = np.where(known, best.labels, -1).astype(np.int32)
    labels, order = by_first_row(labels)
    centres = np.ascontiguousarray(best.centres[order])
    sizes = cluster_weights(labels, points.row_weights, len(centres))
    return NumberedCentres(centres, sizes, labels), LloydFit(centres, best.objective, len(best.objectives))


def require_sets(links: Links, k: int, who: str) -> None:
    """Refuse more groups than there are sets of rows that may be apart."""
    if k > links.n_sets:
        raise DataError(
            f"{who}: {k} clusters were asked for, and must leaves only {many(links.n_sets, 'set')} of rows; ask for at "
            f"most {links.n_sets}."
        )


def lloyd_constrained(
    points: Points, links: Links, centres: Floats, max_iter: int, tol: float, who: str
) -> ConstrainedFit:
    """Passes until no row changes its group (or the squares of the centres' moves come to at most `tol`)."""
    weights = points.row_weights[:, None]
    groups: Codes | None = None
    objectives: list[float] = []
    every = np.arange(links.n_sets)
    for step in range(max_iter):
        costs = links.sum_sets(squared_distances(points.values, centres) * weights)
        after = cheapest(costs, links, who, groups)
        objectives.append(float(costs[every, after].sum()))
        if groups is not None and np.array_equal(after, groups):
            break
        groups = after
        if step == max_iter - 1:
            break
        means = _means(points, links, groups, centres, costs)
        moved = float(((means - centres) ** 2).sum())
        centres = means
        if moved <= tol and tol > 0:
            break
    assert groups is not None
    return ConstrainedFit(centres, groups[links.sets], np.array(objectives))


def _means(points: Points, links: Links, groups: Codes, before: Floats, costs: Floats) -> Floats:
    """The means of groups; one without a row is put on the set of rows that is dearest where it is."""
    labels = groups[links.sets]
    centres = before.copy()
    empty = []
    for group in range(len(before)):
        mine = labels == group
        if mine.any():
            centres[group] = _mean(points, mine)
        else:
            empty.append(group)
    remaining = costs[np.arange(len(groups)), groups].copy()
    for group in empty:
        dearest = int(np.argmax(remaining))
        if not remaining[dearest] > 0:
            break
        centres[group] = _mean(points, links.sets == dearest)
        remaining[dearest] = 0.0
    return centres


def _mean(points: Points, rows: Bools) -> Floats:
    """The mean of some rows over what they know; 0, the mean of all rows, where none of them knows a coordinate."""
    values, weights = points.values[rows], points.row_weights[rows][:, None]
    there = ~np.isnan(values)
    total = (np.where(there, values, 0.0) * weights).sum(axis=0)
    weight = (there * weights).sum(axis=0)
    return np.divide(total, weight, out=np.zeros_like(total), where=weight > 0)


# -- k-medoids under links ------------------------------------------------------------------------
#
# A medoid is swapped for a row; each swap is judged by the cheapest clusters that the links allow.
#
# The sum of distances is the same as without links, over all k rows and all groups that keep to the links: a medoid may
# be a row that links keep in another group. A swap whose sum without `cannot_link` is no improvement needs no search.


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
