"""A table as the kernels of rules see it, and their tests as conditions again.

Every column is codes: levels as they are, a number as its rank among the column's different values, whether a text
has a word as 0 or 1. A threshold is thus a code, and every cut between two values is tried. Weights that are not
whole are rounded to parts of a row, so that sums do not depend on the order of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from acumen import _native
from acumen.conditions.condition import Condition
from acumen.conditions.rule import Rule
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.rules.constraints import BOTH, RuleConstraints
from acumen.trees.candidate_inputs import inputs_of
from acumen.trees.inputs import PRESENT, Input
from acumen.types import Array, Codes, Floats, Label

_IS, _BELOW, _ABOVE, _AMONG = range(4)
#: Weights are whole multiples of one part of so many: sums of them are exact.
_PARTS = 2.0**20


@dataclass(frozen=True, eq=False)
class CodedRuleTable:
    """The rows for the kernels, and what their columns mean."""

    rows: Any  # _native.CodedRows
    columns: tuple[Input, ...]
    values: tuple[Floats, ...]  # of numbers the different ones in order; else nothing
    schema: Schema
    conditions: float  # how many different ones could be asked
    must: Codes

    @classmethod
    def of(cls, table: Table, constraints: RuleConstraints) -> Self:
        """Rows that all have a label."""
        schema = table.schema
        inputs = inputs_of(table)
        places = [
            at
            for at, column in enumerate(inputs.columns)
            if schema.attributes[column.first].name not in constraints.must_not_use
        ]
        every = inputs.of_table(table)
        columns = tuple(inputs.columns[at] for at in places)
        codes, values, sizes = [], [], []
        for at, column in zip(places, columns, strict=True):
            mine, different = _rank_codes(every[at]) if column.is_numeric(schema) else (every[at], _NOTHING)
            codes.append(np.ascontiguousarray(mine, dtype=np.int32))
            values.append(different)
            sizes.append(len(different) if column.is_numeric(schema) else column.n_levels(schema))
        ordered = [c.is_numeric(schema) or c.is_ordered(schema) for c in columns]
        names = [schema.attributes[c.first].name for c in columns]
        ways = [
            [
                constraints.directions(name, label) if o else BOTH
                for name, o in zip(names, ordered, strict=True)
            ]
            for label in schema.classes
        ]
        weights = table.weights
        if weights.size:
            weights = np.rint(weights * _PARTS) / _PARTS
        rows = _native.CodedRows(
            codes,
            np.array(sizes, dtype=np.int32),
            np.array(ordered, dtype=np.uint8),
            np.array([c.first for c in columns], dtype=np.int32),
            np.array(ways, dtype=np.uint8).reshape(-1),
            np.ascontiguousarray(table.class_codes, dtype=np.int32),
            np.ascontiguousarray(weights, dtype=np.float64),
            schema.n_classes,
        )
        counted = float(sum(2 * s if o else s for s, o in zip(sizes, ordered, strict=True)))
        place = {attribute.name: j for j, attribute in enumerate(schema.attributes)}
        must = np.array([place[name] for name in constraints.must_use], dtype=np.int32)
        return cls(rows, columns, tuple(values), schema, counted, must)

    # -- tests as conditions ----------------------------------------------------------------------

    def condition(self, column: int, op: int, value: int, levels: Sequence[int] = ()) -> Condition:
        """What a test of codes asks of the attribute."""
        one = self.columns[column]
        attribute = self.schema.attributes[one.first]
        if one.form == "word":
            return Condition(attribute.name, "has" if value == PRESENT else "has not", one.word)
        if op in (_IS, _AMONG):
            if op == _IS:
                return Condition(attribute.name, "=", attribute.levels[value])
            return Condition(attribute.name, "in", tuple(attribute.levels[code] for code in levels))
        # The kernel's >= asks for one code or more, which is more than the code before it.
        at = value if op == _BELOW else value - 1
        named = float(self.values[column][at]) if attribute.is_numeric else attribute.levels[at]
        return Condition(attribute.name, "<=" if op == _BELOW else ">", named, attribute.form)

    def rules(self, search: tuple[Codes, Codes, Codes, int]) -> list[tuple[tuple[Condition, ...], Label]]:
        """The bodies and classes that a kernel found."""
        labels, tests, sets, _ = search
        bodies: list[list[Condition]] = [[] for _ in range(len(labels))]
        taken = 0
        for rule, column, op, value in tests.reshape(-1, 4).tolist():
            named = sets[taken : taken + value].tolist() if op == _AMONG else []
            taken += len(named)
            bodies[rule].append(self.condition(column, op, value, named))
        classes = self.schema.classes
        return [
            (join_comparisons(body, self.schema), classes[label])
            for body, label in zip(bodies, labels.tolist(), strict=True)
        ]


_NOTHING: Floats = np.empty(0)


def _rank_codes(values: Array) -> tuple[Codes, Floats]:
    """Ranks among the different values; -1 where there is none."""
    known = ~np.isnan(values)
    codes = np.full(len(values), -1, dtype=np.int32)
    different, places = np.unique(values[known] + 0.0, return_inverse=True)  # -0 is 0
    codes[known] = places
    return codes, different


def join_comparisons(body: Sequence[Condition], schema: Schema) -> tuple[Condition, ...]:
    """The stricter of two comparisons on one side, and two ends of one interval of numbers as one condition; each
    attribute stands where it was first asked for.
    """
    joint: list[Condition] = []
    for condition in body:
        name = condition.attribute
        if condition.op not in ("<=", ">") or not isinstance(name, str):
            joint.append(condition)
            continue
        same = next((o for o in joint if o.attribute == name and o.op in ("<=", ">", "between")), None)
        if same is None:
            joint.append(condition)
            continue
        levels = schema[name].levels
        merged = _merge_comparisons(same, condition, levels)
        joint[joint.index(same) : joint.index(same) + 1] = merged
    return tuple(joint)


def _merge_comparisons(old: Condition, new: Condition, levels: Sequence[Label]) -> list[Condition]:
    """Two comparisons of one attribute as one; two where no row can fulfil both, or levels have two ends."""
    low, high = (
        old.value if old.op == "between" else (None, old.value) if old.op == "<=" else (old.value, None)
    )
    place = (lambda value: levels.index(value)) if levels else (lambda value: value)
    if new.op == "<=":
        high = new.value if high is None or place(new.value) < place(high) else high
    else:
        low = new.value if low is None or place(new.value) > place(low) else low
    if low is None or high is None:
        return [replace(new, op="<=" if low is None else ">", value=high if low is None else low)]
    if place(low) < place(high) and all(isinstance(end, (str, float)) for end in (low, high)):
        return [replace(new, op="between", value=(low, high))]
    return [old, new]


def uncounted_rules(rules: Sequence[tuple[tuple[Condition, ...], Label]]) -> tuple[Rule, ...]:
    """Rules that have not been counted yet."""
    return tuple(Rule(body, label) for body, label in rules)
