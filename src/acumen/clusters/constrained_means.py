"""k-means under links: rows that must be together move together, rows kept apart are settled together.

lloyd_linked   passes from one start: the cheapest groups that the links allow, then the means of these
search_linked  the best of several starts, numbered by first rows

Neither step raises the sum of squares: groups are the cheapest for the centres, or at least no dearer than those
before; means are the best centres of their groups; a centre without rows counts for nothing wherever it is put.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from acumen.base.grouping import by_first_row
from acumen.clusters.kmeans import KMeansOptions, NumberedCentres, cluster_weights
from acumen.clusters.lloyd import LloydFit, squared_distances
from acumen.clusters.pair_constraints import Links, cheapest
from acumen.clusters.sampling import require_distinct
from acumen.clusters.space import Points
from acumen.clusters.starts import distinct, draw_centres
from acumen.errors import DataError
from acumen.render.text import many
from acumen.rows.persisted import Persisted
from acumen.types import Bools, Codes, Floats


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
            f"{who}: {k} groups were asked for, and must leaves only {many(links.n_sets, 'set')} of rows; ask for at "
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
