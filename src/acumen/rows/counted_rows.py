"""Which rows of a part are learned from, told without the learner: what goes to many machines is small, and loads fast.

    Counting        what weighs and picks rows: a learner, or one of those below
    KnownTargets    rows with a label or a number, as all but a few learners have it
    UsualRows       as learners without classes or numbers count them: clusterers, transformers

A learner brings scikit-learn with it (a second and more, and over 100 MB in each worker); these bring numpy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from acumen.data.table import NO_WEIGHTS, Table
from acumen.errors import DataError
from acumen.rows.intake import counted_places
from acumen.rows.numeric_targets import known_rows
from acumen.rows.weights import Weighing
from acumen.types import Bools, Floats, Indices


class Counting(Protocol):
    """Whoever says which rows count, and what they weigh."""

    def weighing_of(
        self, table: Table, shares: Floats = NO_WEIGHTS, factors: Floats | None = None
    ) -> Weighing:
        """What those rows weigh that are learned from."""

    def counted_places(self, table: Table, factors: Floats | None) -> tuple[Table, Indices | slice]:
        """The rows that are learned from, and which of the table's these are."""


@dataclass(frozen=True)
class KnownTargets:
    """Rows whose target is known are learned from."""

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
        """Which rows have a label or a number; infinity, which only parts can still hold, is refused."""
        if self.numbers and np.isinf(table.target_numbers).any():
            raise DataError(f"{self.who}: the target holds infinity; leave such rows out.")
        return table.known_target()


@dataclass(frozen=True)
class UsualRows:
    """All rows are learned from, but for those of a table whose target is missing in them."""

    def weighing_of(
        self, table: Table, shares: Floats = NO_WEIGHTS, factors: Floats | None = None
    ) -> Weighing:
        return Weighing.of(table, factors, shares)

    def counted_places(self, table: Table, factors: Floats | None) -> tuple[Table, Indices | slice]:
        return counted_places(table, factors, Table.known_target)
