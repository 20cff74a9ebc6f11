"""The class whose mean is nearest: for two classes, the plane that halves the line between the means.

    summarise   rows    -> NearestMeanSummary    weight and mean of each class
    solve       summary -> NearestMeanModel
    scores      rows    -> how near each class's mean is

|x - m|^2 = |x|^2 - 2 (m.x - |m|^2 / 2), so the nearest mean is the one with the largest linear score.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from acumen.base.linear_scores import LinearScores, plane_lines
from acumen.codegen.export import Summed
from acumen.codegen.terms import TermSum
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.explain.explanation import Evidence
from acumen.models.model import Model
from acumen.models.summary_arrays import empty_table, restored_summary, summary_arrays
from acumen.preprocessing.coded import coded_columns, coded_slices, coded_width, places_in
from acumen.preprocessing.stored_arrays import require, stored_floats
from acumen.summaries.algebra import Summary, add_up
from acumen.summaries.counts import LevelCounts
from acumen.summaries.moments import ClassMoments
from acumen.summaries.scatter import ScatterMatrices
from acumen.types import Array, Bools, Codes, Floats, Indices

#: Deviations below this cannot be divided by twice.
_NARROWEST = 1e-140


@dataclass(frozen=True, slots=True, eq=False)
class NearestMeanSummary(Summary):
    """Class counts, and the moments of every column."""

    schema: Schema
    classes: LevelCounts
    moments: ClassMoments

    @property
    def class_totals(self) -> Floats:
        """The weight of each class."""
        return self.classes.known_counts[:, 0]

    def widen(self, schema: Schema) -> NearestMeanSummary:
        """The same under a schema with more levels."""
        places = places_in(self.schema, schema)
        moments = widen_moments(self.moments, self.class_totals, places, coded_width(schema))
        return replace(self, schema=schema, moments=moments)


def summarise(rows: Table, plan: None = None) -> NearestMeanSummary:
    """Summarise some rows: sums."""
    return summarise_parts(rows, plan, np.zeros(len(rows), dtype=np.int32), 1)[0]


def summarise_parts(rows: Table, plan: None, parts: Codes, n_parts: int) -> list[NearestMeanSummary]:
    """The summaries of all parts in one pass; rows with a part outside 0..n_parts-1 are in none."""
    labels, weights, k = rows.class_codes, rows.weights, rows.schema.n_classes
    classes = LevelCounts.of_parts(np.zeros_like(labels), labels, weights, k, 1, parts, n_parts)
    parts_measured = [
        ClassMoments.of_parts(
            values, labels[part], weights[part] if weights.size else weights, k, parts[part], n_parts
        )
        for part, values in coded_slices(rows)
    ]
    moments = [add_up(each) for each in zip(*parts_measured, strict=True)]
    return [NearestMeanSummary(rows.schema, *each) for each in zip(classes, moments, strict=True)]


def solve(summary: NearestMeanSummary, *, scale: bool) -> NearestMeanModel:
    """Compute the means and the planes between them; with `scale`, in units of standard deviations."""
    totals = summary.class_totals
    centre, mean = centres(summary.moments, totals / totals.sum(), "NearestMean")
    spread = _spreads(summary) if scale else np.ones(len(centre))
    apart = (mean - centre) / spread
    offset = np.where(totals > 0, -0.5 * np.einsum("cd,cd->c", apart, apart), -np.inf)
    return NearestMeanModel(LinearScores(centre, apart / spread, offset), totals, spread)


def _spreads(summary: NearestMeanSummary) -> Floats:
    """The standard deviation of each column over all rows; 1 for 0/1 columns and constant ones."""
    moments = summary.moments
    weight = np.maximum(moments.weight.sum(axis=0), 1e-300)
    with np.errstate(over="ignore"):
        deviations = np.sqrt((moments.scatter.sum(axis=0) + moments.between()) / weight)
    if not np.isfinite(deviations).all():
        raise DataError(
            "NearestMean: the numbers spread too far to compute their deviation; rescale the columns whose "
            "values go beyond 1e150."
        )
    plain = np.array([column.level is not None for column in coded_columns(summary.schema)], dtype=np.bool_)
    return np.where(plain | ~(deviations > _NARROWEST), 1.0, deviations)


@dataclass(frozen=True, slots=True)
class NearestMeanModel(Summed, Model):
    """Class means, as planes about the overall mean."""

    kind: ClassVar[str] = "nearest-mean"
    probabilistic: ClassVar[bool] = False

    planes: LinearScores  # the slopes are the class means less the centre, over squared spreads
    weight: Floats  # training weight of each class
    spread: Floats  # (columns,): the unit of each column's distances

    @property
    def mean(self) -> Floats:
        """The mean of each class, (classes, columns)."""
        return self.planes.centre + self.planes.slope * self.spread * self.spread

    def scores(self, rows: Table) -> Floats:
        return self.planes.scores(rows)

    @property
    def n_parameters(self) -> int:
        return int(self.planes.slope.size)

    def to_sums(self, schema: Schema) -> tuple[TermSum, ...]:
        """The plane of each class."""
        return self.planes.sums(schema)

    def evidence(self, row: Table, schema: Schema, winner: int, rival: int) -> tuple[Evidence, ...]:
        return self.planes.evidence(row, schema, winner, rival)

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        target = schema.target.name if schema.target else "class"
        names = [column.name for column in coded_columns(schema)]
        heads = [str(c) for c in schema.classes]
        lines = plane_lines(names, self.mean, self.weight, heads, full)
        lines = [line.replace("intercept", "rows     ") for line in lines]
        if len(heads) == 2:
            lines += [
                f"The plane between them; {heads[1]} where it is above 0:",
                *self.planes.lines(schema, full),
            ]
        return "\n".join([f"Nearest mean for {target}: the mean of each class", *lines])

    def to_arrays(self) -> dict[str, Array]:
        return {**self.planes.to_arrays(), "weight": self.weight, "spread": self.spread}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        weight = stored_floats(arrays, "weight", (schema.n_classes,), low=0.0, high=1e300)
        require(weight.sum() > 0, "no class has any weight")
        planes = LinearScores.from_arrays(arrays, schema)
        spread = stored_floats(arrays, "spread", planes.centre.shape, low=_NARROWEST, high=1e150)
        return cls(planes, weight, spread)


def restore_summary(arrays: Mapping[str, Array], schema: Schema, plan: None) -> NearestMeanSummary:
    """Restore a summary, validating shapes and weights."""
    summary = restored_summary(summarise(empty_table(schema)), arrays)
    for name, array in summary_arrays(summary).items():
        if name.endswith(("weight", "table", "scatter")):
            require((array >= 0).all(), f"the summary's {name!r} holds a negative number")
    return summary


# -- means of classes -----------------------------------------------------------------------------
#
# The centres of classes from moments, and moments under a schema with more levels.


_MOST = 1e150
#: A spread of so little of the values themselves is rounding.
_ROUNDING = 8.0 * float(np.finfo(np.float64).eps)


def centres(moments: ClassMoments, share: Floats, who: str) -> tuple[Floats, Floats]:
    """The overall mean of each column, and each class's.

    A missing number stands for its class's mean; where a class has no number at all, for the mean of those known.
    """
    weight = moments.weight.sum(axis=0)
    # Averages are of distances from one of the means: the average of equal numbers is then that number.
    origin = np.take_along_axis(moments.mean, np.argmax(moments.weight, axis=0)[None, :], axis=0)[0]
    with np.errstate(over="ignore", invalid="ignore"):
        offsets = np.where(moments.weight > 0, moments.mean - origin, 0.0)
        known = (moments.weight / np.where(weight > 0, weight, 1.0) * offsets).sum(axis=0)
        offsets = np.where(moments.weight > 0, offsets, known)
        mean = np.where(moments.weight > 0, moments.mean, origin + known)
        centre = origin + share @ offsets
    if not np.isfinite(centre).all() or np.abs(mean).max(initial=0.0) > _MOST:
        raise DataError(f"{who}: a column's mean lies beyond 1e150; rescale the column.")
    return centre, mean


def is_varying(within: Floats, apart: Floats, mean: Floats) -> Bools:
    """Which columns vary by more than the rounding of their values.

    `within` is the covariance within the classes, `apart` are the class means about their centre.
    """
    spread = np.sqrt(np.maximum(np.diag(within), 0.0)) + np.abs(apart).max(axis=0, initial=0.0)
    return np.asarray(spread > _ROUNDING * np.abs(mean).max(axis=0, initial=0.0))


def widen_moments(moments: ClassMoments, weight: Floats, places: Indices, width: int) -> ClassMoments:
    """The same rows with further columns, in which all had 0; `weight` is that of each class's rows."""
    shape = (moments.classes, width)
    wide = {name: np.zeros(shape) for name in ("mean", "scatter", "rest")}
    known = np.broadcast_to(weight[:, None], shape).copy()
    known[:, places] = moments.weight
    for name, array in wide.items():
        array[:, places] = getattr(moments, name)
    return ClassMoments(known, **wide)


def widen_scatter(scatter: ScatterMatrices, places: Indices, width: int) -> ScatterMatrices:
    """The same rows with further columns, in which all had 0."""
    moments = widen_moments(scatter.moments, scatter.weight, places, width)
    cross = np.ix_(np.arange(len(scatter.scatter)), places, places)
    matrices = np.zeros((len(scatter.scatter), width, width))
    matrices[cross] = scatter.scatter
    if scatter.pair_weight is None or scatter.pair_mean is None:
        return replace(scatter, moments=moments, scatter=matrices)
    # A new column is known in every row, so a pair with it is known where the other column is.
    cross = np.ix_(np.arange(scatter.classes), places, places)
    weight = np.minimum(moments.weight[:, :, None], moments.weight[:, None, :])
    mean = np.repeat(moments.mean[:, :, None], width, axis=2)
    weight[cross], mean[cross] = scatter.pair_weight, scatter.pair_mean
    return replace(scatter, moments=moments, scatter=matrices, pair_weight=weight, pair_mean=mean)
