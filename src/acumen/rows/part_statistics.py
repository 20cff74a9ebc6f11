"""The rows of a part to train on, and statistics of parts that workers read; statistics add in the order of the parts.

    RowCounting      what weighs and picks rows: a learner, or one of the classes below
    PartNotes        what a part weighs, and what was noticed in it
    RowPreparation   part -> its training rows, and its PartNotes; pickles small

The weights of rows are added one part after the other, as in one process that reads all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any, Protocol

import numpy as np

from acumen.data.schema import Schema
from acumen.data.table import NO_WEIGHTS, Table
from acumen.errors import DataError
from acumen.profiling.part_checks import PartChecks
from acumen.rows.intake import counted_places, learned_schema, replace_target
from acumen.rows.numeric_targets import known_rows
from acumen.rows.weights import Weighing
from acumen.types import Bools, Floats, Indices

# -- rows of a part to train on -------------------------------------------------------------------
#
# Which rows of a part to train on, decided without the learner: what goes to many machines is small, and loads fast.
#
#     KnownTargets    rows with a label or a number, as for all but a few learners
#     UsualRows       as learners without classes or numbers count rows: clusterers, transformers
#
# A learner imports scikit-learn (a second and more, and over 100 MB in each worker); these classes import numpy.


class RowCounting(Protocol):
    """Decides which rows count, and their weights."""

    def weighing_of(
        self, table: Table, shares: Floats = NO_WEIGHTS, factors: Floats | None = None
    ) -> Weighing:
        """Add up the weights of the training rows."""

    def counted_places(self, table: Table, factors: Floats | None) -> tuple[Table, Indices | slice]:
        """The training rows, and their positions in the table."""


@dataclass(frozen=True)
class KnownTargets:
    """Training rows are those with a known target."""

    who: str
    numbers: bool = False

    def weighing_of(
        self, table: Table, shares: Floats = NO_WEIGHTS, factors: Floats | None = None
    ) -> Weighing:
        if self.numbers:
            return Weighing.of(known_rows(table))
        return Weighing.of(table, factors, shares, labelled=True)

    def counted_places(self, table: Table, factors: Floats | None) -> tuple[Table, Indices | slice]:
        return counted_places(table, factors, self.counts)

    def counts(self, table: Table) -> Bools:
        """Which rows have a label or a number. Infinity, which can still occur in parts, is an error."""
        if self.numbers and np.isinf(table.target_numbers).any():
            raise DataError(f"{self.who}: the target has infinite values; leave such rows out.")
        return table.known_target()


@dataclass(frozen=True)
class UsualRows:
    """All rows are training rows, except rows with a missing target if the table has one."""

    def weighing_of(
        self, table: Table, shares: Floats = NO_WEIGHTS, factors: Floats | None = None
    ) -> Weighing:
        return Weighing.of(table, factors, shares)

    def counted_places(self, table: Table, factors: Floats | None) -> tuple[Table, Indices | slice]:
        return counted_places(table, factors, Table.known_target)


# -- statistics of parts --------------------------------------------------------------------------


@dataclass(frozen=True)
class PartNotes:
    """Statistics about consecutive parts."""

    weighings: tuple[
        Weighing, ...
    ]  # of each part; added up if all rows weigh 1, because those sums are exact
    plain: bool
    part_checks: PartChecks | None

    def __add__(self, other: PartNotes) -> PartNotes:
        weighings = (*self.weighings, *other.weighings)
        plain = self.plain and other.plain
        if plain:
            weighings = (reduce(add, weighings, Weighing()),)
        both = self.part_checks is not None and other.part_checks is not None
        return PartNotes(weighings, plain, self.part_checks + other.part_checks if both else None)  # type: ignore[operator]

    @property
    def weighing(self) -> Weighing:
        """The weighing of all parts, added in order."""
        return reduce(add, self.weighings, Weighing())


@dataclass(frozen=True)
class SchemaCheck:
    """Check the schema of a part and return it as a learner takes it, with or without its target."""

    schema: Schema
    targeted: bool

    def __call__(self, part: Table) -> Table:
        schema = learned_schema(part.schema) if self.targeted else Schema(part.schema.attributes)
        self.schema.require_same(schema)
        if not self.targeted:
            return replace_target(part, schema, None, part.weights)
        return replace_target(part, schema, part.labels, part.weights, part.response)

    def prepare(self, part: Table) -> tuple[Table, Any]:
        """The same, for engines that fetch parts themselves."""
        return self(part), None


@dataclass(frozen=True)
class RowPreparation:
    """Prepare the training rows of a part, with class weights multiplied in."""

    counting: RowCounting
    factors: Floats | None
    checked: SchemaCheck
    look: bool

    def __call__(self, part: Table) -> tuple[Table, PartNotes]:
        prepared = self.checked(part)
        rows, weighing = self.pair(prepared)
        passed = None
        if self.look:
            passed = PartChecks()
            passed.add(prepared, rows)
        plain = not prepared.weights.size and self.factors is None
        return rows, PartNotes((weighing,), plain, passed)

    def pair(self, given: Table) -> tuple[Table, Weighing]:
        """The training rows of a checked part, and their weights."""
        weighing = self.counting.weighing_of(given, factors=self.factors)
        return self.counting.counted_places(given, self.factors)[0], weighing
