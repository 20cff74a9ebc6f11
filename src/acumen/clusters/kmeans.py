"""The k-means search and its model.

search           find centres of rows in memory or in parts: starts on a sample, the best continued on all rows
description      I(D|T) + I(T) in bits: the cost of encoding the clusters, and the rows given them; used to choose k
number_centres   centres in the order of their first rows
MeansModel       centres in a space, and how rows are assigned to them
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar, Self

import numpy as np

from acumen.base.grouping import by_first_row
from acumen.clusters.centre_tables import centre_profile, centre_tables
from acumen.clusters.lloyd import LloydFit, lloyd, nearest, squared_distances
from acumen.clusters.sampling import require_distinct
from acumen.clusters.space import NO_FLOATS, Blocks, Points, PointSpace
from acumen.clusters.starts import distinct, draw_centres, sample_points
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.engines.cores import cores
from acumen.engines.executors import run_in_threads
from acumen.models.model import GroupModel
from acumen.preprocessing.coded import coded_columns
from acumen.preprocessing.stored_arrays import stored_floats
from acumen.render.profile_plot import ProfileFigure
from acumen.render.report import ReportTable
from acumen.render.text import many, percent
from acumen.rows.persisted import Persisted
from acumen.summaries.algebra import add_up
from acumen.types import Array, Codes, Floats

#: Differences below a thousandth of the rows' own spread are not told: the precision of a description.
PRECISION = 1e-3


@dataclass(frozen=True, slots=True)
class KMeansOptions:
    """What is asked for."""

    k: int | str
    init: str | Floats
    max_iter: int
    tol: float
    max_k: int
    gamma: float | None


@dataclass(frozen=True, slots=True, eq=False)
class KMeansFit:
    """The best centres, and of k = 1, 2, ... the sums of squares and what k was chosen by (empty where it was told)."""

    search: LloydFit
    squares: Floats = field(default_factory=lambda: NO_FLOATS)
    lengths: Floats = field(default_factory=lambda: NO_FLOATS)


def search(
    source: Blocks,
    n_rows: int,
    weight: float,
    asked: KMeansOptions,
    starts: Iterator[np.random.Generator],
    who: str,
) -> KMeansFit:
    """The centres of rows that weigh so much together."""
    generators = list(starts)
    first = generators[0]
    if isinstance(asked.init, np.ndarray):
        require_distinct(who, len(asked.init), len(distinct(source, len(asked.init))), n_rows)
        return KMeansFit(lloyd(source, asked.init, asked.max_iter, asked.tol))
    most = asked.max_k if asked.k == "mdl" else int(asked.k)
    points = sample_points(source, n_rows, weight, most, first)
    rows = distinct(Persisted.of([points]), most)
    if len(rows) < most:
        rows = distinct(source, most)
        if asked.k != "mdl":
            require_distinct(who, most, len(rows), n_rows)
        require_distinct(who, 1, len(rows), n_rows)
        if n_rows > len(points):
            points = Points(rows, NO_FLOATS)  # the sample missed rows that are rare
        most = len(rows)
    if asked.k != "mdl":
        best = _best(points, most, asked, generators)
        chosen = KMeansFit(best)
    else:
        tried = [_best(points, k, asked, generators) for k in range(1, most + 1)]
        squares = np.array([each.objective for each in tried])
        lengths = np.array([_length(points, each, asked) for each in tried])
        chosen = KMeansFit(tried[int(np.argmin(lengths))], squares, lengths)
    if n_rows <= len(points):
        return chosen
    return KMeansFit(
        lloyd(source, chosen.search.centres, asked.max_iter, asked.tol), chosen.squares, chosen.lengths
    )


def _best(points: Points, k: int, asked: KMeansOptions, starts: list[np.random.Generator]) -> LloydFit:
    """The best of all starts; of equally good ones the first."""

    def search_from(rng: np.random.Generator) -> LloydFit:
        sample_source = Persisted.of([Points(points.values, points.weights)])
        centres = draw_centres(points, k, rng, asked.init == "k-means++")
        return lloyd(sample_source, centres, asked.max_iter, asked.tol)

    # A generator for each k, whatever was drawn before: what k = 3 finds does not depend on k = 2 having been tried.
    seeds = [np.random.default_rng([*rng.bit_generator.seed_seq.generate_state(2), k]) for rng in starts]
    tasks = ((lambda rng=rng: search_from(rng)) for rng in seeds)
    return min(run_in_threads(iter(tasks), cores(None)), key=lambda each: each.objective)


def _length(points: Points, found: LloydFit, asked: KMeansOptions) -> float:
    """What k is chosen by: the sum of squares with a penalty for each group, or the description length in bits."""
    if asked.gamma is not None:
        return found.objective + asked.gamma * len(found.centres)
    labels = nearest(points.values, found.centres)
    weights = points.row_weights
    d = int(np.count_nonzero(np.nanmax(np.abs(points.values), axis=0, initial=0.0) > 0))
    sizes = cluster_weights(labels, weights, len(found.centres))
    spread = float(np.nansum(points.values**2 * weights[:, None]))
    return description(found.objective, sizes, d, spread)


def description(squares: float, sizes: Floats, d: int, spread: float) -> float:
    """I(D|T) + I(T) in bits: the group of each row and where it lies in it, then centres and sizes of groups.

    n H(labels) + n d / 2 log2(2 pi e s^2 / p^2) + (k d + k - 1) / 2 log2 n, where s^2 is the mean square of what is
    left and p, the precision, a thousandth of the rows' own spread (`spread`: their sum of squares about the mean).
    """
    n, k, d = float(sizes.sum()), len(sizes), max(d, 1)
    shares = sizes[sizes > 0] / n
    precision = PRECISION**2 * spread / (n * d)
    if not precision > 0:
        return 0.0 if k == 1 else float(k)  # nothing differs: more groups tell nothing
    variance = max(squares / (n * d), precision)
    bits = -n * float((shares * np.log2(shares)).sum()) + n * d / 2 * np.log2(
        2 * math.pi * math.e * variance / precision
    )
    return float(bits + (k * d + k - 1) / 2 * np.log2(max(n, 2.0)))


@dataclass(frozen=True, slots=True, eq=False)
class NumberedCentres:
    """Centres in the order of their first rows, what the rows of each weigh, and the group of each row."""

    centres: Floats
    sizes: Floats
    labels: Codes  # empty unless they are kept


def number_centres(source: Blocks, centres: Floats, keep: bool) -> NumberedCentres:
    """Centres in the order of their first rows; those left out that are nearest to no row.

    A row between two centres belongs to the first, so another order may give it to another: orders are tried until one
    is its own. That takes no more tries than there are centres, since each settles one more of them. The group of each
    row is told with `keep`.
    """
    for _ in range(len(centres) + 1):
        order, sizes, labels = _order_of_use(source, centres, keep)
        if order == list(range(len(centres))):
            break
        centres = np.ascontiguousarray(centres[order])
    return NumberedCentres(centres, sizes, labels)


def _order_of_use(source: Blocks, centres: Floats, keep: bool) -> tuple[list[int], Floats, Codes]:
    """The centres in the order in which rows come to them, what their rows weigh, and the group of each row."""
    order: dict[int, None] = {}
    sizes, kept = [], [np.empty(0, dtype=np.int32)]
    for met, size, labels in source.each(partial(_assign_block, centres=centres, keep=keep)):
        order.update(dict.fromkeys(met))
        sizes.append(size)
        kept.append(labels)
    total: Floats = add_up(sizes)
    return list(order), total, np.concatenate(kept)


def _assign_block(block: Points, centres: Floats, keep: bool) -> tuple[list[int], Floats, Codes]:
    """The groups in the order of their first rows, what they weigh, and if they are kept the groups of the rows."""
    labels = nearest(block.values, centres)
    size = cluster_weights(labels, block.row_weights, len(centres))
    return by_first_row(labels)[1].tolist(), size, labels if keep else labels[:0]


def cluster_weights(labels: Codes, weights: Floats, k: int) -> Floats:
    """What the rows of each group weigh."""
    there = labels >= 0
    sizes: Floats = np.bincount(labels[there], weights[there], k).astype(np.float64)
    return sizes


#: Attributes told of a group in a description.
_TOLD = 4


@dataclass(frozen=True, slots=True, eq=False)
class MeansModel(GroupModel):
    """Centres, a line each, in the coordinates of a space; a row belongs to the nearest one."""

    kind: ClassVar[str] = "k-means"
    space: PointSpace
    centres: Floats
    sizes: Floats  # what the rows of each group weigh
    left: float  # the sum of squared distances
    squares: Floats  # where k was chosen: the sums of squares of k = 1, 2, ...
    lengths: Floats  # and what k was chosen by

    @property
    def n_groups(self) -> int:
        return len(self.centres)

    @property
    def objective(self) -> float:
        return self.left

    @property
    def n_parameters(self) -> int:
        return int(self.centres.size)

    def groups(self, rows: Table) -> Codes:
        return nearest(self.space.write(rows), self.centres)

    def to_arrays(self) -> dict[str, Array]:
        return {
            **self.space.to_arrays(),
            "centres": self.centres,
            "sizes": self.sizes,
            "left": np.array([self.left]),
            "squares": self.squares,
            "lengths": self.lengths,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        space = PointSpace.from_arrays(arrays, schema)
        centres = stored_floats(arrays, "centres", (None, space.width))
        sizes = stored_floats(arrays, "sizes", (len(centres),), low=0)
        squares_left = stored_floats(arrays, "left", (1,), low=0)
        squares = stored_floats(arrays, "squares", (None,), low=0)
        return cls(
            space,
            centres,
            sizes,
            float(squares_left[0]),
            squares,
            stored_floats(arrays, "lengths", (len(squares),)),
        )

    def why(self, row: Table, schema: Schema, group: int) -> str:
        if group < 0:
            return "All its values are missing, so it belongs to no cluster."
        away = np.sqrt(squared_distances(self.space.write(row), self.centres)[0])
        if self.n_groups == 1:
            return f"It is in cluster 0, the only one, {away[0]:.4g} from its centre."
        rival = int(np.argmin(np.where(np.arange(self.n_groups) == group, np.inf, away)))
        return (
            f"It is nearest to the centre of cluster {group}: {away[group]:.4g} away, and {away[rival]:.4g} from that "
            f"of cluster {rival}."
        )

    def to_tables(self, schema: Schema) -> tuple[ReportTable, ...]:
        """The centres in the columns' own units."""
        names = [column.name for column in coded_columns(schema)]
        return centre_tables(names, self.space.values(self.centres), self.sizes)

    def to_profile(self, schema: Schema) -> ProfileFigure | None:
        """How far the centres are from the middle of all rows, as lines."""
        return centre_profile([column.name for column in coded_columns(schema)], self.centres)

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        total = max(float(self.sizes.sum()), 1e-300)
        lines = [
            f"{many(self.n_groups, 'cluster')} around centres; sum of squared distances {self.left:.6g}",
        ]
        if self.squares.size:
            lines.append(f"k = {self.n_groups} of 1 to {len(self.squares)} gives the shortest description")
        lines.append("")
        names = [column.name for column in coded_columns(schema)]
        values = self.space.values(self.centres)
        # What is nothing but rounding beside a column's own spread is nothing.
        spread = np.divide(
            1.0, self.space.factor, out=np.zeros_like(self.space.factor), where=self.space.factor > 0
        )
        values = np.where(np.abs(values) < 1e-12 * (np.abs(self.space.centre) + spread), 0.0, values)
        for group in range(self.n_groups):
            share = percent(float(self.sizes[group]) / total)
            lines.append(f"cluster {group}: weight {self.sizes[group]:.6g} ({share})")
            order = np.argsort(-np.abs(self.centres[group]), kind="stable")
            listed = order if full else order[:_TOLD]
            phrases = [
                f"{names[j]} {values[group, j]:.4g} ({self.centres[group, j]:+.2g})" for j in listed.tolist()
            ]
            lines += [f"    {'; '.join(phrases)}"] if not full else [f"    {each}" for each in phrases]
        lines += ["", "In brackets: the difference from the mean of all rows, in units of the distance"]
        return "\n".join(lines)
