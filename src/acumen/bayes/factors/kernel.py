"""Numeric attributes as sums of Gaussian bumps, one on each training value (John and Langley 1995).

The width for a class is Scott's: its standard deviation times n to the power -1/5, n being the weight of
the class; the summary is the weight of each class at each distinct value, so equal values cost nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from acumen.bayes.factors.factor import Factor, Term
from acumen.bayes.factors.gaussian import LOG_TWO_PI
from acumen.bayes.variance_floors import VarianceFloor, cap, variance_floor, warn_of_constants
from acumen.data.forms import value_text
from acumen.data.schema import Attribute
from acumen.data.table import Table
from acumen.preprocessing.discretise.base import BinningSummary
from acumen.preprocessing.sparse import row_products
from acumen.preprocessing.stored_arrays import stored_floats
from acumen.summaries.distinct import DistinctValues
from acumen.summaries.moments import ClassMoments
from acumen.types import Array, Floats, Label

#: Widths between which squares of reasonable distances are finite.
NARROWEST, WIDEST = 1e-150, 1e150

_CELLS = 1 << 20  # numbers in one block of distances


def solve(summary: BinningSummary, classes: Sequence[Label], var_floor: VarianceFloor) -> KernelFactor:
    """Place the bumps and choose their widths: Scott's of a spread no less than `floors` allows.

    For distinct values, a bump is never narrower than the narrowest allowed Gaussian of a single value.
    """
    moments, gap = _moments(summary, len(classes))
    if isinstance(var_floor, str):
        attributes = [Attribute(column.attribute) for column in summary.columns]
        warn_of_constants(moments, classes, attributes, "NaiveBayes", settable=True)
        floors, least = variance_floor(moments, gap, var_floor), gap / np.sqrt(2.0 * np.pi)
    else:
        floors, least = variance_floor(moments, gap, max(var_floor, 1e-9)), np.zeros(len(gap))
    values, weights, widths = [], [], []
    for j, column in enumerate(summary.columns):
        weight = np.ascontiguousarray(column.weights[:, :-1].T)
        total = weight.sum(axis=1)
        deviations = np.sqrt(cap(moments.scatter[:, j] / np.maximum(total, 1e-300)))
        spread = np.maximum(deviations, np.sqrt(floors[:, j]))
        width = np.maximum(spread * np.maximum(total, 1.0) ** -0.2, least[j])
        if len(column.values) == 1:  # it never changes, so that it must not speak for the class of most rows
            width = np.full_like(width, width.max())
        widths.append(np.clip(width, NARROWEST, WIDEST))
        values.append(column.values)
        weights.append(weight / np.maximum(total, 1e-300)[:, None])
    return KernelFactor(tuple(values), tuple(weights), tuple(widths))


def _moments(summary: BinningSummary, classes: int) -> tuple[ClassMoments, Floats]:
    """The moments of every class and attribute from the weights of the values, and how far apart values lie."""
    moments_by_column, gap = [], []
    for column in summary.columns:
        at = np.repeat(column.values, classes)
        labels = np.tile(np.arange(classes, dtype=np.int32), len(column.values))
        weights = np.ascontiguousarray(column.weights[:, :-1]).ravel()
        moments_by_column.append(ClassMoments.of(at, labels, weights, classes))
        gap.append(DistinctValues.of(at, labels, weights, classes).gap)
    if not moments_by_column:
        return ClassMoments(*(np.zeros((classes, 0)) for _ in range(3))), np.zeros(0)
    arrays = [
        np.column_stack([getattr(m, name) for m in moments_by_column])
        for name in ("weight", "mean", "scatter", "rest")
    ]
    return ClassMoments(*arrays), np.concatenate(gap)


@dataclass(frozen=True, slots=True)
class KernelFactor(Factor):
    """A density for each class and attribute: a weighted sum of Gaussian bumps."""

    values: tuple[Floats, ...]  # distinct training values of each attribute, ascending
    weight: tuple[Floats, ...]  # (classes, values): shares that sum to one for each class seen
    width: tuple[Floats, ...]  # (classes,) for each attribute

    def add_logs(self, rows: Table, total: Floats) -> None:
        for j, (_, values) in enumerate(rows.numeric_columns()):
            known = np.flatnonzero(np.isfinite(values))
            step = max(1, _CELLS // max(len(self.values[j]), 1))
            for start in range(0, len(known), step):
                some = known[start : start + step]
                total[some] += self._log_density(j, values[some])

    def _log_density(self, j: int, x: Floats) -> Floats:
        """log P(x | class) of attribute j, (rows, classes); a class without values adds nothing."""
        logs = np.zeros((len(x), len(self.width[j])))
        for c, width in enumerate(self.width[j]):
            used = self.weight[j][c] > 0
            if not used.any():
                continue
            with np.errstate(over="ignore"):
                square = np.minimum(np.abs(x[:, None] - self.values[j][used]) / width, 1e150) ** 2
            near = square.min(axis=1)  # the nearest bump sets the scale, so that far values do not vanish
            shares = self.weight[j][c][used][:, None]
            bumps = row_products(np.exp(-0.5 * (square - near[:, None])), shares)[:, 0]
            logs[:, c] = np.log(bumps) - 0.5 * near - np.log(width) - 0.5 * LOG_TWO_PI
        return logs

    def terms(self, row: Table) -> Iterator[Term]:
        for j, (attribute, values) in enumerate(row.numeric_columns()):
            if np.isfinite(values[0]):
                logs = self._log_density(j, values[:1])[0]
                yield Term(
                    attribute.name, f"{attribute.name} = {value_text(attribute.form, float(values[0]))}", logs
                )

    @property
    def n_parameters(self) -> int:
        return sum(int(np.count_nonzero(weight)) for weight in self.weight)

    def lines(self, attributes: tuple[Attribute, ...], classes: tuple[Label, ...]) -> list[str]:
        lines = ["Gaussian bumps on the training values, widths by class:"]
        for attribute, values, width in zip(attributes, self.values, self.width, strict=True):
            each = ", ".join(f"{c}: {w:.4g}" for c, w in zip(classes, width, strict=True))
            lines.append(f"  {attribute.name} ({len(values)} distinct values)  {each}")
        return lines

    def to_arrays(self) -> dict[str, Array]:
        arrays: dict[str, Array] = {}
        for j, (values, weight, width) in enumerate(zip(self.values, self.weight, self.width, strict=True)):
            arrays[f"numeric/kernel/{j}/values"] = values
            arrays[f"numeric/kernel/{j}/weight"] = weight
            arrays[f"numeric/kernel/{j}/width"] = width
        return arrays

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, Array], attributes: Sequence[Attribute], classes: int
    ) -> KernelFactor:
        values, weights, widths = [], [], []
        for j in range(len(attributes)):
            values.append(stored_floats(arrays, f"numeric/kernel/{j}/values", (None,)))
            shape = (classes, len(values[-1]))
            weights.append(stored_floats(arrays, f"numeric/kernel/{j}/weight", shape, low=0.0, high=1.0))
            widths.append(
                stored_floats(arrays, f"numeric/kernel/{j}/width", (classes,), low=NARROWEST, high=WIDEST)
            )
        return cls(tuple(values), tuple(weights), tuple(widths))
