"""Learners without a target, made for the tests: what a third party would write, and nothing in acumen knows of them.

Halves   a clusterer whose summaries add: rows below and above the mean of the first numeric attribute
Common   a miner of itemsets: the levels that occur in at least a share of the rows
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self

import numpy as np

from acumen.base.clusterer import Clusterer
from acumen.base.kinds import Kind
from acumen.base.learner import Learner
from acumen.base.model import AnyModel, GroupModel
from acumen.base.parameters import Between
from acumen.base.summary_file import empty_table, restored_summary
from acumen.base.task import GROUPS, ITEMSETS, Task
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.summaries.algebra import Summary
from acumen.types import Array, Codes, Floats
from acumen.views.stored import stored_floats


@dataclass(frozen=True, slots=True, eq=False)
class Sums(Summary):
    schema: Schema
    weight: Floats
    total: Floats

    def _merged(self, other: Self) -> Self:
        return type(self)(self.schema, self.weight + other.weight, self.total + other.total)

    def _difference(self, other: Self) -> str | None:
        return self.schema.difference(other.schema)

    def scaled(self, factor: float) -> Sums:
        return Sums(self.schema, self.weight * factor, self.total * factor)

    def widened(self, schema: Schema) -> Sums:
        return Sums(schema, self.weight, self.total)


def first_numbers(rows: Table) -> Floats:
    """The first numeric attribute, also of a sparse table."""
    return next((values for _, values in rows.numeric_columns()), np.zeros(len(rows)))


def summarise(rows: Table, plan: None) -> Sums:
    values = first_numbers(rows)
    known = np.isfinite(values)
    weights = rows.row_weights
    # In fractions of a power of two: sums of such numbers are exact, however the rows are cut.
    total = (np.round(np.clip(values[known], -1e6, 1e6) * 1024) * weights[known]).sum() / 1024
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

    def learn(self, table: Table) -> tuple[CommonModel, Floats]:
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
    "toy-common": Kind("base.toy_groups:CommonModel", "base.toy_groups:Common", ITEMSETS),
}
