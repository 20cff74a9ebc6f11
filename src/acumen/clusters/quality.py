"""The quality of clusters without labels: compact and separate, or short to describe.

    silhouette           of rows: how much nearer their own group is than the next; exact, or of a sample with interval
    davies_bouldin       how alike each group and its most similar one are; the less the better
    calinski_harabasz    variance between groups over variance within; the more the better
    dunn                 the least distance between groups over the largest within one; the more the better
    description_length   I(D|T) + I(T) in bits

Rows in no group (-1) are left out. Distances between rows are those of `acumen.distances` (never more than a tile of
them at a time); those of centres are in the space KMeans uses. Weights of the table count as repeated rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from acumen.clusters.kmeans import cluster_weights, description
from acumen.clusters.lloyd import own_squares
from acumen.clusters.space import PointSpace, no_words
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.geometry.distance import FittedDistance
from acumen.geometry.distance_state import resolve
from acumen.resampling.plan import require_whole, streams
from acumen.rows.intake import as_table
from acumen.rows.training_rows import TableRows
from acumen.types import Codes, Floats, Indices

#: Bytes of distances held at once.
_TILE = 32 << 20


@dataclass(frozen=True, slots=True, eq=False)
class Silhouette:
    """The mean silhouette with its interval, and the values per row and per cluster."""

    mean: float
    #: 95 per cent, of the mean over all rows where a sample was taken; the mean twice where all were asked.
    low: float
    high: float
    rows: Indices  # which rows were asked
    values: Floats = field(repr=False)
    groups: Floats = field(repr=False)  # the mean of each group; NaN where none of its rows was asked

    def __float__(self) -> float:
        return self.mean


def silhouette(
    table: Any,
    labels: Any,
    *,
    distance: Any = None,
    scale: bool | None = None,
    sample: int | None = None,
    random_state: Any = 0,
) -> Silhouette:
    """Silhouette of each row: (b - a) / max(a, b), where a is the mean distance to its own cluster and b to the
    nearest other one.

    From -1 to 1; 0 for a row alone in its cluster (Rousseeuw 1987). With `sample`, acumen uses this number of rows,
    each against all others, and gives an interval of the mean. Instead of `labels` you can pass a clusterer fitted on
    the table; then `distance` and `scale` are the model's [default: "auto", True].
    """
    rows, groups, weights = _clustered_rows(table, labels, "silhouette")
    k = int(groups.max()) + 1
    sizes = cluster_weights(groups, weights, k)
    if k < 2:
        raise DataError("silhouette: there must be at least two clusters.")
    rows_used = np.arange(len(rows))
    if sample is not None:
        require_whole("silhouette", "sample", sample, 2)
    if sample is not None and sample < len(rows):
        rng = next(streams(random_state, "silhouette"))
        rows_used = np.sort(rng.choice(len(rows), int(sample), replace=False))
    widths = np.empty(len(rows_used))
    member = np.zeros((len(rows), k))
    member[np.arange(len(rows)), groups] = weights
    for part, tile in tiles(rows, rows_used, labels, distance, scale):
        sums = tile @ member
        own_groups = groups[rows_used[part]]
        at = np.arange(len(own_groups))
        with np.errstate(invalid="ignore", divide="ignore"):
            a = sums[at, own_groups] / (sizes[own_groups] - 1)
            others = sums / sizes
        others[at, own_groups] = np.inf
        b = others.min(axis=1)
        most = np.maximum(a, b)
        with np.errstate(invalid="ignore", divide="ignore"):
            widths[part] = np.where((sizes[own_groups] > 1) & (most > 0), (b - a) / most, 0.0)
    heavy = weights[rows_used]
    mean = float((widths * heavy).sum() / heavy.sum())
    error = 0.0
    if len(rows_used) < len(rows):
        spread = float((heavy * (widths - mean) ** 2).sum() / heavy.sum())
        error = float(np.sqrt(spread / (len(rows_used) - 1) * (1 - len(rows_used) / len(rows))))
    per = cluster_weights(groups[rows_used], heavy, k)
    each = cluster_weights(groups[rows_used], heavy * widths, k)
    by_group = np.divide(each, per, out=np.full(k, np.nan), where=per > 0)
    return Silhouette(mean, mean - 1.96 * error, mean + 1.96 * error, rows_used, widths, by_group)


def dunn(table: Any, labels: Any, *, distance: Any = None, scale: bool | None = None) -> float:
    """Dunn index: the smallest distance between clusters over the largest within one (Dunn 1974).

    `labels`, `distance` and `scale` as for `silhouette`.
    """
    rows, groups, _ = _clustered_rows(table, labels, "dunn")
    if int(groups.max()) < 1:
        raise DataError("dunn: there must be at least two clusters.")
    apart, wide = np.inf, 0.0
    for part, tile in tiles(rows, np.arange(len(rows)), labels, distance, scale):
        same = groups[part][:, None] == groups[None, :]
        wide = max(wide, float(tile[same].max()))
        apart = min(apart, float(tile[~same].min(initial=np.inf)))
    return np.inf if wide == 0 else apart / wide


def davies_bouldin(table: Any, labels: Any, *, scale: bool | None = None) -> float:
    """Davies-Bouldin index: the mean over clusters of the largest (s_i + s_j) / d_ij, from mean distances to centres
    and distances between centres.
    """
    points = _points(table, labels, scale, "davies_bouldin")
    if points.k < 2:
        raise DataError("davies_bouldin: there must be at least two clusters.")
    away = np.sqrt(own_squares(points.values, points.centres, points.groups))
    within = cluster_weights(points.groups, away * points.weights, points.k) / points.sizes
    apart = np.sqrt(((points.centres[:, None, :] - points.centres[None, :, :]) ** 2).sum(axis=2))
    both = within[:, None] + within[None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        alike = np.where(apart > 0, both / apart, np.where(both > 0, np.inf, 0.0))
    np.fill_diagonal(alike, 0.0)
    return float(alike.max(axis=1).mean())


def calinski_harabasz(table: Any, labels: Any, *, scale: bool | None = None) -> float:
    """Calinski-Harabasz index: the variance between clusters (divisor k - 1) over that within (divisor n - k)."""
    points = _points(table, labels, scale, "calinski_harabasz")
    n, k = float(points.sizes.sum()), points.k
    if not 1 < k < n:
        raise DataError("calinski_harabasz: there must be at least two clusters, and fewer than rows.")
    within = float((own_squares(points.values, points.centres, points.groups) * points.weights).sum())
    middle = (points.sizes[:, None] * points.centres).sum(axis=0) / n
    between = float((points.sizes[:, None] * (points.centres - middle) ** 2).sum())
    return 1.0 if within == 0 else between * (n - k) / (within * (k - 1))


def description_length(table: Any, labels: Any, *, scale: bool | None = None) -> float:
    """Description length I(D|T) + I(T) in bits: the rows given their clusters, and the clusters themselves.

    n H(groups) + n d / 2 log2(2 pi e s^2 / p^2) + (k d + k - 1) / 2 log2 n, the precision p being a thousandth of the
    rows' own spread: what KMeans(n_clusters="mdl") makes least. Only differences between groupings of the same rows
    mean anything.
    """
    within = within_clusters(table, labels, scale, "description_length")
    return description(within.squares, within.sizes, within.varies, within.spread)


@dataclass(frozen=True, slots=True, eq=False)
class WithinClusters:
    """Squared distances to the groups' means, and to that of all rows; what groups weigh, coordinates that vary."""

    squares: float
    spread: float
    sizes: Floats
    varies: int


def within_clusters(table: Any, labels: Any, scale: bool | None, who: str) -> WithinClusters:
    """What is left within groups, in the coordinates KMeans uses."""
    points = _points(table, labels, scale, who)
    squares = float((own_squares(points.values, points.centres, points.groups) * points.weights).sum())
    varies = int(np.count_nonzero(np.nanmax(np.abs(points.values), axis=0, initial=0.0) > 0))
    spread = float(np.nansum(points.values**2 * points.weights[:, None]))
    return WithinClusters(squares, spread, points.sizes, varies)


@dataclass(frozen=True, slots=True, eq=False)
class _Points:
    values: Floats
    weights: Floats
    groups: Codes
    centres: Floats
    sizes: Floats
    k: int


def _points(table: Any, labels: Any, scale: bool | None, who: str) -> _Points:
    rows, groups, weights = _clustered_rows(table, labels, who)
    if (sentence := no_words(rows.schema)) is not None:
        raise DataError(f"{who}: {sentence}")
    values = PointSpace.fit(TableRows(rows), scale_of(labels, scale), who).write(rows)
    k = int(groups.max()) + 1
    centres = np.zeros((k, values.shape[1]))
    known = ~np.isnan(values)
    for j in range(values.shape[1]):
        there = known[:, j]
        heavy = cluster_weights(groups[there], weights[there], k)
        total = cluster_weights(groups[there], weights[there] * values[there, j], k)
        centres[:, j] = np.divide(total, heavy, out=np.zeros(k), where=heavy > 0)
    return _Points(values, weights, groups, centres, cluster_weights(groups, weights, k), k)


def _clustered_rows(table: Any, labels: Any, who: str) -> tuple[Table, Codes, Floats]:
    """The rows in a group, their groups numbered without gaps, and their weights; the target is left out."""
    values = np.asarray(labels.labels_ if _is_model(labels) else labels)
    if (
        values.dtype.kind == "f"
        and np.array_equal(values, np.floor(values))
        and np.all(np.abs(values) < 2**53)
    ):
        values = values.astype(np.int64)  # as a data frame with a gap elsewhere holds them
    rows = table if isinstance(table, Table) else as_table(table)
    if values.shape != (len(rows),) or values.dtype.kind not in "iu":
        raise DataError(
            f"{who}: labels must be whole numbers, one for each of the {len(rows)} rows; -1: in no cluster. You can "
            "also pass a clusterer that was fitted on these rows."
        )
    there = np.flatnonzero((values >= 0) & (rows.row_weights > 0))
    if not len(there):
        raise DataError(f"{who}: no row is in a cluster.")
    bare = rows.inputs_only().replace(weights=rows.weights)
    groups = np.unique(values[there], return_inverse=True)[1].astype(np.int32)
    kept = bare if len(there) == len(rows) else bare.take(there)
    return kept, groups, kept.row_weights


def _is_model(labels: Any) -> bool:
    """Whether a fitted clusterer was passed in place of labels or merges."""
    return hasattr(labels, "predictor_")


def scale_of(model: Any, scale: bool | None) -> bool:
    """The scale asked for; else that of the model, if one was passed; else True."""
    if scale is not None:
        return bool(scale)
    return bool(getattr(model, "scale", True)) if _is_model(model) else True


def resolve_distance(rows: Table, model: Any, distance: Any, scale: bool | None) -> FittedDistance:
    """The distance between rows: the very one of the model, if one was passed and nothing else is asked for."""
    if distance is None and scale is None and _is_model(model):
        own_distance = getattr(model.predictor_.model, "fitted", None)
        if isinstance(own_distance, FittedDistance):
            return own_distance
    if distance is None:
        distance = getattr(model, "distance", "auto") if _is_model(model) else "auto"
    rule = resolve(distance, rows.schema, "clustering")
    if (sentence := rule.objection(rows.schema)) is not None:
        raise DataError(f"clustering: {sentence}")
    return rule.fit(rows, scale=scale_of(model, scale))


def tiles(
    rows: Table, asked: Indices, model: Any, distance: Any, scale: bool | None
) -> Iterator[tuple[slice, Floats]]:
    """The distances of some rows to all of them, a few rows at a time; infinite ones as the largest that is not."""
    fitted = resolve_distance(rows, model, distance, scale)
    from acumen.geometry.search import NeighbourSearch

    raw = fitted.raw(rows)
    search = NeighbourSearch(fitted, raw)
    step = max(1, _TILE // (8 * max(len(rows), 1)))
    for start in range(0, len(asked), step):
        part = slice(start, min(start + step, len(asked)))
        tile = search.between(fitted.raw(rows.take(asked[part])))
        if np.isinf(tile).any():
            tile[np.isinf(tile)] = tile[np.isfinite(tile)].max(initial=0.0)
        yield part, tile
