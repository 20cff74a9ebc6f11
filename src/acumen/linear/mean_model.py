"""Always the mean: what every regressor has to beat."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from acumen.codegen.export import Summed
from acumen.codegen.terms import TermSum
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.explain.explanation import Contribution
from acumen.models.model import RegressionModel
from acumen.models.summary_arrays import restored_summary
from acumen.preprocessing.stored_arrays import require, stored_floats
from acumen.render.text import number
from acumen.summaries.algebra import Summary
from acumen.summaries.moments import ClassMoments
from acumen.types import Array, Floats


@dataclass(frozen=True, slots=True, eq=False)
class MeanSummary(Summary):
    """Weight, mean and squares of the target."""

    schema: Schema
    target: ClassMoments

    @property
    def weight(self) -> Floats:
        """The weight of all rows."""
        weight: Floats = self.target.weight[0]
        return weight

    def widen(self, schema: Schema) -> MeanSummary:
        return replace(self, schema=schema)


def summarise(rows: Table, plan: None = None) -> MeanSummary:
    """Summarise some rows: sums and squares."""
    labels = np.zeros(len(rows), dtype=np.int32)
    return MeanSummary(rows.schema, ClassMoments.of(rows.target_numbers, labels, rows.weights, 1))


def solve(summary: MeanSummary) -> MeanModel:
    """Compute the mean and the standard deviation."""
    weight = float(summary.weight[0])
    scatter = float(summary.target.scatter[0, 0])
    deviation = float(np.sqrt(max(scatter / weight, 0.0)))
    if not np.isfinite(deviation):
        raise DataError(
            "Mean: the squares of the target are beyond what numbers hold; divide the target by a constant, such as "
            f"{10 ** math.floor(math.log10(abs(summary.target.mean[0, 0]) or 1e150)):g}."
        )
    return MeanModel(float(summary.target.mean[0, 0]), deviation, weight)


def restore_summary(arrays: Mapping[str, Array], schema: Schema, plan: None) -> MeanSummary:
    """Restore a summary from a model file."""
    from acumen.models.summary_arrays import empty_table

    summary = restored_summary(summarise(empty_table(schema)), arrays)
    require((summary.weight >= 0).all() and (summary.target.scatter >= 0).all(), "a weight is below 0")
    return summary


@dataclass(frozen=True, slots=True)
class MeanModel(Summed, RegressionModel):
    """One number for all rows."""

    kind: ClassVar[str] = "mean"

    mean: float
    deviation: float
    weight: float

    def values(self, rows: Table) -> Floats:
        return np.full(len(rows), self.mean)

    def to_sums(self, schema: Schema) -> tuple[TermSum, ...]:
        return (TermSum(self.mean),)

    def contributions(self, row: Table, schema: Schema) -> tuple[float, tuple[Contribution, ...]]:
        return self.mean, ()

    @property
    def n_parameters(self) -> int:
        return 1

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        return (
            f"Always {number(self.mean)}, the mean of {number(self.weight)} rows\n"
            f"RMS error {number(self.deviation)} on these rows"
        )

    def to_arrays(self) -> dict[str, Array]:
        return {"mean": np.array([self.mean, self.deviation, self.weight])}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        require(set(arrays) == {"mean"}, "it does not hold a mean alone")
        mean, deviation, weight = stored_floats(arrays, "mean", (3,)).tolist()
        require(deviation >= 0 and weight >= 0, "a deviation or a weight is below 0")
        return cls(mean, deviation, weight)
