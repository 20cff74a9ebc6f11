"""The model of `Filter`: the selected attributes, and the score of each.

KeptColumns   which columns of numbers are made: the numeric attributes kept; where all must be numbers (`wide`)
              nominal ones have a 0/1 column for each level and ordinal ones their code, else levels stay levels
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from acumen.data.escape import printable
from acumen.data.naming import unique_names
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.models.model import ColumnModel
from acumen.preprocessing.packing import pack_json, unpack_json
from acumen.preprocessing.stored_arrays import require, stored_array
from acumen.render.text import Heading, many, number, table
from acumen.tuning.attribute_worth import MEASURES
from acumen.types import Array, Bools, Floats


@dataclass(frozen=True, slots=True, eq=False)
class KeptColumns(ColumnModel):
    """The selected attributes, in the schema's order; scores and corrected p-values of all (NaN if there are none)."""

    kind: ClassVar[str] = "filter"
    kept: Bools  # (attributes,)
    scores: Floats
    chances: Floats
    by: str
    wide: bool = False

    def kept_attributes(self, schema: Schema) -> tuple[Attribute, ...]:
        """The selected attributes."""
        return tuple(a for a, keep in zip(schema.attributes, self.kept.tolist(), strict=True) if keep)

    def inputs(self, schema: Schema) -> Schema:
        return Schema(self.kept_attributes(schema))

    def names(self, schema: Schema) -> tuple[str, ...]:
        names = [name for attribute in self.kept_attributes(schema) for name in self._own(attribute)]
        return tuple(unique_names(names)[0])

    def _own(self, attribute: Attribute) -> list[str]:
        """The names of an attribute's numeric columns; empty if the attribute stays unchanged."""
        if attribute.is_numeric or (self.wide and attribute.ordered):
            return [attribute.name]
        return [f"{attribute.name}={level}" for level in attribute.levels] if self.wide else []

    def columns(self, rows: Table) -> Floats:
        columns = list(self._numbers(rows))
        return np.column_stack(columns) if columns else np.empty((len(rows), 0))

    def _numbers(self, rows: Table) -> Iterator[Floats]:
        numbers = {attribute.name: column for attribute, column in rows.numeric_columns()}
        codes = {attribute.name: column for attribute, column in rows.nominal_columns()}
        for attribute in rows.schema.attributes:
            if attribute.is_numeric:
                column = numbers[attribute.name]
                yield np.where(np.isfinite(column), column, np.nan)
            elif self.wide and attribute.ordered:
                yield np.where(codes[attribute.name] >= 0, codes[attribute.name], np.nan)
            elif self.wide:
                yield from ((codes[attribute.name] == level) * 1.0 for level in range(len(attribute.levels)))

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        order = np.argsort(np.where(np.isnan(self.scores), np.inf, -self.scores), kind="stable")
        headings = [
            Heading("attribute", least=12),
            Heading(self.by, "right"),
            Heading("p", "right"),
            Heading(""),
        ]
        rows = [
            (
                printable(schema.attributes[i].name),
                number(float(self.scores[i])),
                number(float(self.chances[i])),
                "kept" if self.kept[i] else "",
            )
            for i in order.tolist()
        ]
        n, d = int(self.kept.sum()), len(self.kept)
        return "\n".join([f"{n} of {many(d, 'attribute')} kept, by {self.by}", *table(headings, rows, 100)])

    @property
    def n_parameters(self) -> int:
        """The number of selected attributes."""
        return int(self.kept.sum())

    def to_arrays(self) -> dict[str, Array]:
        return {
            "about": pack_json({"by": self.by}),
            "kept": self.kept,
            "scores": self.scores,
            "chances": self.chances,
            "wide": np.array([self.wide]),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        by = unpack_json(cls.__name__, arrays, by=str)["by"]
        require(by in MEASURES, "unknown measure of a filter")
        d = len(schema)
        kept = stored_array(arrays, "kept", np.bool_, (d,))
        require(bool(kept.any()), "no attribute is selected")
        require(not schema.text, "a filter cannot select text")
        scores, chances = (stored_array(arrays, name, np.float64, (d,)) for name in ("scores", "chances"))
        wide = stored_array(arrays, "wide", np.bool_, (1,))
        return cls(kept, scores, chances, by, bool(wide[0]))
