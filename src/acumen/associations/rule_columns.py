"""Rules as columns: for each rule 1 if its conditions hold, else 0, with or without the attributes.

    RuleColumns   the model of `RuleFeatures`: the rules, and what stands beside them

Beside the rules stand numbers as they are (an infinite one is missing). Levels stay levels where a Table becomes a
Table; where all must be numbers (`wide`), nominal attributes have a 0/1 column for each level and ordinal ones their
code, as `NumericMatrix` has them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from acumen.conditions.coverage import Coverage, parts_of, unpack_bits
from acumen.data.naming import unique_names
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.models.model import ColumnModel
from acumen.models.task import CLASS_COLUMNS, Task
from acumen.preprocessing.stored_arrays import require, stored_array
from acumen.render.text import many
from acumen.rulelist.rule_list import RuleList
from acumen.types import Array, Floats


@dataclass(frozen=True, slots=True)
class RuleColumns(ColumnModel):
    """Rules, and whether attributes are columns too."""

    kind: ClassVar[str] = "rule-features"
    task: ClassVar[Task] = CLASS_COLUMNS

    rules: RuleList
    only: bool = False
    wide: bool = False

    def inputs(self, schema: Schema) -> Schema:
        if not self.only:
            return Schema(schema.attributes)
        tested = {condition.attribute for rule in self.rules for condition in rule.conditions}
        return Schema(tuple(a for a in schema.attributes if a.name in tested))

    def names(self, schema: Schema) -> tuple[str, ...]:
        """Those of the attributes, then the conditions of each rule in words."""
        beside = [] if self.only else [name for a in schema.attributes for name in self._own(a)]
        # Names of levels are no columns of a Table, and still no rule is called like them.
        taken = [a.name for a in schema.attributes] + ([schema.target.name] if schema.target else [])
        wanted = [*beside, *(name for name in taken if name not in beside)]
        every = unique_names([*wanted, *(rule.body_words or "always" for rule in self.rules)])[0]
        return (*every[: len(beside)], *every[len(wanted) :])

    def _own(self, attribute: Attribute) -> list[str]:
        """What an attribute's columns are called."""
        if attribute.is_numeric:
            return [attribute.name]
        if not self.wide:
            return []
        if attribute.kind == "nominal":
            return [f"{attribute.name}={level}" for level in attribute.levels]
        return [attribute.name]

    def columns(self, rows: Table) -> Floats:
        beside = [] if self.only else list(self._beside(rows))
        matrix = np.zeros((len(rows), len(beside) + len(self.rules)))
        for j, column in enumerate(beside):
            matrix[:, j] = column
        bodies = [rule.conditions for rule in self.rules]
        for part, some in parts_of(rows):
            coverage = Coverage(bodies, some)
            for at in range(len(bodies)):
                matrix[part, len(beside) + at] = unpack_bits(coverage.rule(at), len(some))
        return matrix

    def _beside(self, rows: Table) -> Iterator[Floats]:
        numbers = {attribute.name: column for attribute, column in rows.numeric_columns()}
        codes = {attribute.name: column for attribute, column in rows.nominal_columns()}
        for attribute in rows.schema.attributes:
            if attribute.is_numeric:
                column = numbers[attribute.name]
                yield np.where(np.isfinite(column), column, np.nan)
            elif self.wide and attribute.kind == "nominal":
                yield from ((codes[attribute.name] == level) * 1.0 for level in range(len(attribute.levels)))
            elif self.wide:
                column = codes[attribute.name].astype(np.float64)
                yield np.where(column >= 0, column, np.nan)

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        target = schema.target.name if schema.target else "class"
        where = "alone" if self.only else "in addition to the attributes"
        lines = [f"{at}. {rule}" for at, rule in enumerate(self.rules, start=1)]
        return "\n".join([f"{many(len(self.rules), 'rule')} for {target} as columns {where}", *lines])

    @property
    def n_parameters(self) -> int:
        """Each condition."""
        return sum(len(rule.conditions) for rule in self.rules)

    def to_arrays(self) -> dict[str, Array]:
        return {**self.rules.to_arrays(), "beside": np.array([self.only, self.wide], dtype=np.uint8)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        beside = stored_array(arrays, "beside", np.uint8, (2,))
        require((beside <= 1).all(), "the flag for attributes is neither 0 nor 1")
        require(not schema.text, "no conditions are made of text")
        rules = RuleList.from_arrays({k: v for k, v in arrays.items() if k != "beside"}, schema)
        return cls(rules, bool(beside[0]), bool(beside[1]))
