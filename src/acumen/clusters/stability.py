"""The stability of clusters: does the same learner find them on other draws of the rows?

stability                how alike groups of resampled rows are, with an interval, and how each group fares
cophenetic_correlation   how well the heights at which rows come together tell their distances
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from acumen.clusters.agreement import adjusted_rand
from acumen.clusters.interfaces import require_clusterer
from acumen.clusters.quality import tiles
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.resampling.plan import require_whole, streams
from acumen.rows.intake import as_table
from acumen.types import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Stability:
    """How similar the clusterings of different samples of the same rows are."""

    #: The mean adjusted Rand index of two draws' groups, over all rows, and 95 per cent of such means.
    mean: float
    low: float
    high: float
    #: Of each group of all rows: the mean, over draws, of its largest overlap (Jaccard) with a group of the draw.
    groups: Floats = field(repr=False)
    values: Floats = field(repr=False)

    def __float__(self) -> float:
        return self.mean


def stability(
    learner: Any, table: Any, *, resamples: int = 20, share: float = 0.5, random_state: Any = 0
) -> Stability:
    """Measure how stable a clusterer is: fit it to random subsamples and compare how it clusters all rows.

    Each of `resamples` draws takes two lots of rows, a `share` each and without repetition, fits a copy of the learner
    to both and compares the groups that they give to all rows by the adjusted Rand index. A group that comes back has
    an overlap near 1; below .6 it should not be believed (Hennig 2007).
    """
    from acumen.base.scikit import clone

    require_clusterer(learner, "stability")
    require_whole("stability", "resamples", resamples, 2)
    if not 0 < share <= 1:
        raise DataError(f"stability: share must be a number above 0, at most 1; got {share!r}.")
    rows = table if isinstance(table, Table) else as_table(table)
    n = max(2, round(share * len(rows)))
    whole = clone(learner).fit(rows).labels_
    known = range(int(whole.max(initial=-1)) + 1)
    agreed, overlap = np.empty(resamples), np.zeros((resamples, len(known)))
    generators = streams(random_state, "stability")
    for r in range(resamples):
        rng = next(generators)
        overlaps = []
        for _ in range(2):
            some = np.sort(rng.choice(len(rows), n, replace=False))
            overlaps.append(clone(learner).fit(rows.take(some)).predict(rows))
        agreed[r] = adjusted_rand(*overlaps)
        overlap[r] = [_overlap(whole == group, overlaps[0]) for group in known]
    error = float(agreed.std(ddof=1) / np.sqrt(resamples))
    mean = float(agreed.mean())
    return Stability(mean, mean - 1.96 * error, mean + 1.96 * error, overlap.mean(axis=0), agreed)


def _overlap(members: Any, labels: Any) -> float:
    """The largest overlap of a set of rows with a group: rows in both over rows in either."""
    best = 0.0
    for group in np.unique(labels[members & (labels >= 0)]).tolist():
        members_of_group = labels == group
        best = max(best, float((members & members_of_group).sum() / (members | members_of_group).sum()))
    return best


def cophenetic_correlation(
    merges: Any, table: Any, *, distance: Any = None, scale: bool | None = None
) -> float:
    """Cophenetic correlation: how well a hierarchy preserves the distances between rows.

    `merges` has a line for each merge, in rising order: the two that meet, rows counted from 0 and earlier merges from
    n on, and the height; further columns are ignored. Pass a fitted hierarchy of acumen, its `merges_`, or the array
    of scipy.
    `distance` and `scale` are those of the hierarchy unless you give them [default: "auto", True].
    """
    rows = table if isinstance(table, Table) else as_table(table)
    n = len(rows)
    steps = np.asarray(getattr(merges, "merges_", merges), dtype=np.float64)
    if steps.ndim != 2 or steps.shape[0] != n - 1 or steps.shape[1] < 3 or n < 3:
        raise DataError(
            f"cophenetic_correlation: {n} rows meet in {n - 1} merges; got an array of {steps.shape}."
        )
    heights = cophenetic_distances(steps, n)
    bare = rows.inputs_only()
    sums = np.zeros(5)
    place = np.arange(n)
    centre = float(heights[np.triu_indices(n, 1)].mean())
    for part, tile in tiles(bare, place, merges, distance, scale):
        later = place[None, :] > place[part][:, None]
        x, y = tile[later], heights[part][later] - centre
        sums += [x.sum(), y.sum(), (x * x).sum(), (y * y).sum(), (x * y).sum()]
    pairs = n * (n - 1) / 2
    x, y, xx, yy, xy = sums / pairs
    spread = (xx - x * x) * (yy - y * y)
    return float("nan") if spread <= 0 else float((xy - x * y) / np.sqrt(spread))


def cophenetic_distances(merges: Floats, n: int) -> Floats:
    """The height at which every two rows meet."""
    heights = np.zeros((n, n))
    members: dict[int, list[int]] = {row: [row] for row in range(n)}
    for step, (a, b, height) in enumerate(merges[:, :3].tolist()):
        try:
            first, second = members.pop(int(a)), members.pop(int(b))
        except KeyError:
            raise DataError(
                "cophenetic_correlation: a merge names a cluster that was already merged."
            ) from None
        heights[np.ix_(first, second)] = height
        heights[np.ix_(second, first)] = height
        members[n + step] = first + second
    return heights
