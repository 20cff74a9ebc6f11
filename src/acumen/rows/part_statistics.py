"""What is noted of the parts of a source that is gone through elsewhere; notes add in the order of the parts.

    Looked      what a part weighs, and what is noticed of it
    Preparing   part -> the rows of it that are learned from, and its Looked; pickles small

The weights of rows are added one part after the other, as they are where one process goes through all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.profiling.part_checks import PartChecks
from acumen.rows.counted_rows import Counting
from acumen.rows.intake import learned_schema, relabelled
from acumen.rows.weights import Weighing
from acumen.types import Floats


@dataclass(frozen=True)
class Looked:
    """Of some parts in a row."""

    weighings: tuple[Weighing, ...]  # of each part; added up where rows weigh one each, whose sums are exact
    plain: bool
    passed: PartChecks | None

    def __add__(self, other: Looked) -> Looked:
        weighings = (*self.weighings, *other.weighings)
        plain = self.plain and other.plain
        if plain:
            weighings = (reduce(add, weighings, Weighing()),)
        both = self.passed is not None and other.passed is not None
        return Looked(weighings, plain, self.passed + other.passed if both else None)  # type: ignore[operator]

    @property
    def weighing(self) -> Weighing:
        """Of all parts, one after the other."""
        return reduce(add, self.weighings, Weighing())


@dataclass(frozen=True)
class Checked:
    """A part as a learner takes it: under the schema that is learned, with or without its target."""

    schema: Schema
    targeted: bool

    def __call__(self, part: Table) -> Table:
        schema = learned_schema(part.schema) if self.targeted else Schema(part.schema.attributes)
        self.schema.require_same(schema)
        if not self.targeted:
            return relabelled(part, schema, None, part.weights)
        return relabelled(part, schema, part.labels, part.weights, part.response)

    def prepare(self, part: Table) -> tuple[Table, Any]:
        """The same, for engines that fetch parts by themselves."""
        return self(part), None


@dataclass(frozen=True)
class Preparing:
    """The rows of a part that are learned from, class weights multiplied in."""

    counting: Counting
    factors: Floats | None
    checked: Checked
    look: bool

    def __call__(self, part: Table) -> tuple[Table, Looked]:
        prepared = self.checked(part)
        rows, weighing = self.pair(prepared)
        passed = None
        if self.look:
            passed = PartChecks()
            passed.add(prepared, rows)
        plain = not prepared.weights.size and self.factors is None
        return rows, Looked((weighing,), plain, passed)

    def pair(self, given: Table) -> tuple[Table, Weighing]:
        """Of a part that is checked: its rows, and what they weigh."""
        weighing = self.counting.weighing_of(given, factors=self.factors)
        return self.counting.counted_places(given, self.factors)[0], weighing
