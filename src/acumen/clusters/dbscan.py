"""DBSCAN: core rows, the clusters they form, and how the radius is chosen.

    find_dense   rows -> clusters of densely packed rows
    knee_of      where a curve of distances bends most
    DenseModel   the cores and their clusters, the radius, and the curve it was chosen from

Ester, Kriegel, Sander and Xu (1996). The radius is chosen as they did by eye: the distances of all rows to their
`min_rows`-th neighbour, sorted, fall steeply among the noise and then flatten.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from acumen import _native, messages
from acumen.base.grouping import Grouping
from acumen.clusters.nearest_model import NearestModel, group_sizes, read_row_arrays
from acumen.clusters.row_distances import RowsApart
from acumen.data.schema import Schema
from acumen.engines.cores import cores
from acumen.errors import DataError
from acumen.geometry.raw_rows import RawRows
from acumen.geometry.search import Targets
from acumen.preprocessing.stored_arrays import require, stored_array, stored_floats
from acumen.render.text import many
from acumen.types import Array, Bools, Codes, Floats

#: Places of the curve that a model keeps.
_KEPT = 500
#: By how much less far below the line a place may be that counts as the knee.
_ALMOST = 0.05
#: Rows whose neighbours are looked for at once.
_ROWS = 16_384
#: Cores that rows beside them are held against at once, at least.
_CORES = 2_048


def reach_curve(rows: RowsApart, enough: float) -> Floats:
    """The distance at which the weight around each row makes it a core, the largest first; rows count by weight."""
    n = len(rows)
    distances = np.empty(n)
    nothing = Targets(np.zeros(n, dtype=np.int32), totals=np.ones(1))
    for start in range(0, n, _ROWS):
        part = np.arange(start, min(start + _ROWS, n))
        some = rows.raw if len(part) == n else rows.raw.take(part)
        distances[part] = rows.search.votes(some, enough, "uniform", nothing).reach
    order = np.argsort(-distances, kind="stable")
    return _by_weight(distances[order], rows.weights[order])


def _by_weight(sorted_values: Floats, weights: Floats) -> Floats:
    """Sorted values at even places of the running sum of their weights: a weight of two is two values."""
    known = np.isfinite(sorted_values)
    values, running = sorted_values[known], np.cumsum(weights[known])
    if not len(values):
        return np.zeros(1)
    # At most so many places, the first and the last among them.
    count = int(min(_KEPT, max(2, round(float(running[-1])))))
    places = np.linspace(0.0, 1.0, count) * running[-1]
    at = np.minimum(np.searchsorted(running, places * (1 - 1e-12), side="right"), len(values) - 1)
    return np.asarray(values[at])


def knee_of(curve: Floats) -> int:
    """The place furthest below the line from the first value to the last; the last where there is no such place.

    Satopää and others (2011): both axes run from 0 to 1, so no unit matters. The curve is nearly even about its knee,
    and a reach a little short leaves groups in pieces, so the first place that is almost as far below is taken.
    """
    if len(curve) < 3 or not curve[0] > curve[-1]:
        return len(curve) - 1
    across = np.linspace(0.0, 1.0, len(curve))
    height = (curve - curve[-1]) / (curve[0] - curve[-1])
    below = (1.0 - across) - height
    best = float(below.max())
    return int(np.flatnonzero(below >= (1 - _ALMOST) * best)[0]) if best > 1e-9 else len(curve) - 1


def _weigh(is_core: Bools, labels: Codes, weights: Floats) -> tuple[Floats, Floats]:
    """What cores, rows beside them and noise weigh, and what each group does."""
    noise = labels < 0
    beside = weights[~(is_core | noise)].sum()
    return np.array([weights[is_core].sum(), beside, weights[noise].sum()]), group_sizes(labels, weights)


def find_dense(rows: RowsApart, eps: float | None, enough: float) -> Grouping:
    """Groups of rows within `eps` of a core; None: the knee of the curve."""
    curve, knee = np.empty(0), 0
    if eps is None:
        curve = reach_curve(rows, enough)
        knee = knee_of(curve)
        eps = float(curve[knee])
    core, labels, _ = _native.dense_rows(rows.search.index, rows.extra, float(eps), float(enough), cores())
    # The index is let go before the model takes its own copy of the cores: at no time are there three.
    rows.search.forget()
    counts, sizes = _weigh(core.view(np.bool_), labels, rows.weights)
    border = np.flatnonzero(labels >= 0) if counts[1] else np.empty(0, dtype=np.int64)
    border = border[core[border] == 0]
    weights = rows.weights[border]  # here, where the cores are not there twice: all weights may be made anew
    kept = np.flatnonzero(core)
    model = DenseModel(
        fitted=rows.fitted,
        raw=rows.raw.take(kept),
        number=labels[kept],
        sizes=sizes,
        rows=kept if rows.all_there else rows.rows[kept],
        eps=float(eps),
        enough=float(enough),
        counts=counts,
        curve=curve,
        knee=knee,
    )
    beside = float((_from_cores(model, rows.raw.take(border)) * weights).sum())
    return Grouping(replace(model, beside=beside), rows.spread(labels))


def _from_cores(model: DenseModel, beside: RawRows) -> Floats:
    """How far rows are from the nearest core; a share of the cores at a time, so that they are not all there again."""
    # None is further than the reach, or it would not be beside a core; asked anew, a nameless level is unlike all.
    away = np.full(len(beside), model.eps)
    step = max(_CORES, -(-len(model.raw) // 32))
    for start in range(0, len(model.raw) if len(beside) else 0, step):
        part = np.arange(start, min(start + step, len(model.raw)))
        some = replace(model, raw=model.raw.take(part), number=model.number[part])
        away = np.minimum(away, some.groups_of(beside)[1])
    return away


@dataclass(frozen=True, eq=False)
class DenseModel(NearestModel):
    """Cores, each with its group."""

    kind: ClassVar[str] = "dbscan"

    rows: Array  # which rows of the table the cores are
    eps: float
    enough: float  # the weight within eps that makes a core
    counts: Floats  # the weight of cores, of the rows beside them, and of noise
    curve: Floats  # distances to the neighbour that makes a core, largest first; empty where eps was given
    knee: int  # the place on the curve that was chosen
    beside: float | None = (
        None  # how far rows beside cores are from the nearest, added; files of old do not tell
    )

    @property
    def objective(self) -> float:
        """The sum of the distances of border rows to the nearest core."""
        if self.beside is None:
            raise AttributeError("this dbscan model was saved without its objective; fit it again")
        return self.beside

    @property
    def reach(self) -> float:
        return self.eps

    def _break_ties(self, asked: RawRows, row: int, near: Array) -> int:
        """Of cores at one distance the one whose values come first: no order of rows decides."""
        numbers, codes = self.search.rows.values[near], self.search.rows.codes[near]
        columns = [numbers[:, j] for j in range(numbers.shape[1])] + [
            codes[:, j] for j in range(codes.shape[1])
        ]
        order = np.lexsort(columns[::-1]) if columns else np.arange(len(near))
        return int(self.number[near[order[0]]])

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        cores, border, noise = self.counts.tolist()
        lines = [
            f"{many(self.n_groups, 'cluster')} of dense rows: {self.enough:g} or more within {self.eps:.6g} "
            f"make a core; distance {self.fitted.distance.name}",
            f"{cores:g} cores, {border:g} border rows, {noise:g} noise rows",
        ]
        if len(self.curve):
            lines.append(
                f"eps is at the knee of the distances to neighbour {self.enough:g}, which range from "
                f"{self.curve[-1]:.4g} to {self.curve[0]:.4g}"
            )
        if self.n_groups:
            lines.append("rows in the clusters: " + ", ".join(f"{size:g}" for size in self.sizes[:40]))
        return "\n".join(lines)

    def to_figure(self, predictor: Any) -> Any:
        """The curve of distances that the reach was chosen by."""
        from acumen.render.learning_plot import Band, LearningFigure

        if not len(self.curve):
            raise DataError(
                f"eps was given, so there is no curve to draw; learn with {messages.setting('eps', 'auto')}."
            )
        share = np.linspace(0.0, 1.0, len(self.curve))
        return LearningFigure(
            share, [Band(f"distance to neighbour {self.enough:g}", self.curve)],
            x_label="fraction of rows, farthest first", y_label="distance", chosen=self.knee,
            title=f"Reach {self.eps:.4g}: the knee of the distances",
        )  # fmt: skip

    def to_arrays(self) -> dict[str, Array]:
        return {
            **self.row_arrays(),
            "rows": self.rows,
            "reach": np.array([self.eps, self.enough]),
            "counts": self.counts,
            "curve": self.curve,
            "knee": np.array([self.knee]),
            **({} if self.beside is None else {"beside": np.array([self.beside])}),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        kept = read_row_arrays(arrays, schema)
        rows = stored_array(arrays, "rows", np.int64, (len(kept["number"]),))
        require((rows >= 0).all(), "a core is not a row")
        eps, enough = stored_floats(arrays, "reach", (2,), low=0.0).tolist()
        curve = stored_floats(arrays, "curve", (None,), low=0.0)
        knee = int(stored_array(arrays, "knee", np.int64, (1,))[0])
        require(0 <= knee < max(len(curve), 1), "its knee is not on the curve")
        counts = stored_floats(arrays, "counts", (3,), low=0.0)
        beside = None
        if "beside" in arrays:
            beside = float(stored_floats(arrays, "beside", (1,), low=0.0)[0])
        return cls(
            **kept, rows=rows, eps=eps, enough=enough, counts=counts, curve=curve, knee=knee, beside=beside
        )
