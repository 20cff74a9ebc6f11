"""Learners without a target, made for the tests: what a third party would write, and nothing in acumen knows of them.

Halves   a clusterer whose summaries add: rows below and above the mean of the first numeric attribute
Gaps     a clusterer that goes over its rows: parted where the first numeric attribute has its widest gaps
Common   a miner of itemsets: the levels that occur in at least a share of the rows
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self

import numpy as np

from acumen.base.clusterer import Clusterer
from acumen.base.grouping import Grouping, by_first_row
from acumen.base.learner import Learner
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.models.kinds import Kind
from acumen.models.model import AnyModel, GroupModel
from acumen.models.parameters import AtLeast, Between
from acumen.models.summary_arrays import empty_table, restored_summary
from acumen.models.task import GROUPS, ITEMSETS, Task
from acumen.preprocessing.stored_arrays import stored_codes, stored_floats
from acumen.rows.training_rows import Rows
from acumen.summaries.algebra import Summary
from acumen.types import Array, Codes, Floats


@dataclass(frozen=True, slots=True, eq=False)
class Sums(Summary):
    schema: Schema
    weight: Floats
    total: Floats

    def _merge(self, other: Self) -> Self:
        return type(self)(self.schema, self.weight + other.weight, self.total + other.total)

    def _difference(self, other: Self) -> str | None:
        return self.schema.difference(other.schema)

    def scale_weights(self, factor: float) -> Sums:
        return Sums(self.schema, self.weight * factor, self.total * factor)

    def widen(self, schema: Schema) -> Sums:
        return Sums(schema, self.weight, self.total)


def first_numbers(rows: Table) -> Floats:
    """The first numeric attribute, also of a sparse table."""
    return next((values for _, values in rows.numeric_columns()), np.zeros(len(rows)))


def summarise(rows: Table, plan: None) -> Sums:
    values = first_numbers(rows)
    known = np.isfinite(values)
    weights = rows.row_weights
    # In fractions of a power of two: sums of such numbers are exact, however the rows are cut.
    total = (np.round(np.clip(values[known], -1e12, 1e12) * 1024) * weights[known]).sum() / 1024
    return Sums(rows.schema, np.array([weights.sum()]), np.array([total, weights[known].sum()]))


def solve(summary: Sums, *, shift: float) -> HalvesModel:
    total, weight = summary.total.tolist()
    return HalvesModel(np.array([total / weight + shift if weight > 0 else 0.0]))


def restore_summary(arrays: Mapping[str, Array], schema: Schema, plan: None) -> Sums:
    return restored_summary(summarise(empty_table(schema), None), arrays)


@dataclass(frozen=True, slots=True)
class HalvesModel(GroupModel):
    kind: ClassVar[str] = "toy-halves"
    cut: Floats

    @property
    def n_groups(self) -> int:
        return 2

    def groups(self, rows: Table) -> Codes:
        values = first_numbers(rows)
        made = (values > self.cut[0]).astype(np.int32)
        made[np.isnan(values)] = -1
        return made

    def to_arrays(self) -> dict[str, Array]:
        return {"cut": self.cut}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        return cls(stored_floats(arrays, "cut", (1,)))

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        return f"Two groups, cut at {self.cut[0]:.4g}"


class Halves(Clusterer):
    """Two groups, below and above the mean of the first numeric attribute."""

    kind: ClassVar[str] = "toy-halves"
    model_type = HalvesModel
    summarise = staticmethod(summarise)
    solve = staticmethod(solve)
    restore_summary = staticmethod(restore_summary)

    def __init__(self, *, shift: float = 0.0, n_jobs: int | None = None) -> None:
        self.shift = shift
        self.n_jobs = n_jobs

    def objection(self, schema: Schema) -> str | None:
        return None if schema.numeric else "there is no numeric attribute to cut."


@dataclass(frozen=True, slots=True)
class GapsModel(GroupModel):
    kind: ClassVar[str] = "toy-gaps"
    cuts: Floats
    number: Codes  # of the group between two cuts
    spread: Floats

    @property
    def n_groups(self) -> int:
        return len(self.number)

    @property
    def objective(self) -> float:
        return float(self.spread[0])

    def groups(self, rows: Table) -> Codes:
        values = first_numbers(rows)
        made = self.number[np.searchsorted(self.cuts, values)]
        return np.where(np.isnan(values), np.int32(-1), made)

    def to_arrays(self) -> dict[str, Array]:
        return {"cuts": self.cuts, "number": self.number, "spread": self.spread}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        cuts = stored_floats(arrays, "cuts", (None,))
        number = stored_codes(arrays, "number", (len(cuts) + 1,), low=0, below=len(cuts) + 1)
        return cls(cuts, number, stored_floats(arrays, "spread", (1,), low=0))

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        return f"{self.n_groups} groups, cut at {self.cuts}"


class Gaps(Clusterer):
    """Groups with wide gaps between them, in the first numeric attribute."""

    kind: ClassVar[str] = "toy-gaps"
    model_type = GapsModel

    def __init__(self, k: Annotated[int, AtLeast(1)] = 2) -> None:
        self.k = k

    def objection(self, schema: Schema) -> str | None:
        return None if schema.numeric else "there is no numeric attribute to cut."

    def cluster(self, rows: Rows) -> Grouping:
        table = rows.require_local(self._name)
        values = first_numbers(table)
        known = np.unique(values[np.isfinite(values)])
        widest = np.sort(np.argsort(-np.diff(known), kind="stable")[: self.k - 1])
        cuts = (known[widest] + known[widest + 1]) / 2
        found = np.where(np.isnan(values), -1, np.searchsorted(cuts, values)).astype(np.int32)
        labels, order = by_first_row(found)
        number = np.zeros(len(cuts) + 1, dtype=np.int32)
        number[order] = np.arange(len(order))
        weights, total = table.row_weights, 0.0
        for group in range(len(order)):
            own = values[labels == group]
            middle = np.average(own, weights=weights[labels == group])
            total += float(weights[labels == group] @ np.abs(own - middle))
        return Grouping(GapsModel(cuts, number, np.array([total])), labels)


@dataclass(frozen=True, slots=True)
class CommonModel(AnyModel):
    kind: ClassVar[str] = "toy-common"
    task: ClassVar[Task] = ITEMSETS
    shares: Floats

    def to_arrays(self) -> dict[str, Array]:
        return {"shares": self.shares}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        return cls(
            stored_floats(arrays, "shares", (sum(len(a.levels) for a in schema.nominal),), low=0, high=1)
        )

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        items = [f"{a.name}={level}" for a in schema.nominal for level in a.levels]
        found = [
            f"{item} in {share:.0%}" for item, share in zip(items, self.shares, strict=True) if share > 0
        ]
        return "\n".join(["Items:", *found])


class Common(Learner):
    """Levels that occur in at least a share of the rows."""

    kind: ClassVar[str] = "toy-common"
    task: ClassVar[Task] = ITEMSETS
    model_type = CommonModel

    def __init__(self, *, min_support: Annotated[float, Between(0, 1)] = 0.5) -> None:
        self.min_support = min_support

    def learn(self, rows: Rows) -> tuple[CommonModel, Floats]:
        table = rows.require_local(self._name)
        weights = table.row_weights
        shares = [
            weights[codes == code].sum() / weights.sum()
            for attribute, codes in table.nominal_columns()
            for code in range(len(attribute.levels))
        ]
        kept = np.array([share if share >= self.min_support else 0.0 for share in shares])
        return CommonModel(kept), np.array([table.total_weight])


TOYS: dict[str, Any] = {
    "toy-halves": Kind("base.toy_groups:HalvesModel", "base.toy_groups:Halves", GROUPS),
    "toy-gaps": Kind("base.toy_groups:GapsModel", "base.toy_groups:Gaps", GROUPS),
    "toy-common": Kind("base.toy_groups:CommonModel", "base.toy_groups:Common", ITEMSETS),
}
