"""Base class for typed columns whose rows can be read from any stretch."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from acumen.data.batches.batched import Filling, cells_of
from acumen.data.located import Located
from acumen.data.raw_table import RawTable
from acumen.data.schema import Schema
from acumen.data.table import Table


@dataclass(frozen=True)
class FilledRows(Located):
    """Stretches of rows; each is read in batches that `filling` converts to tables."""

    filling: Filling
    stretches: tuple[int, ...]  # rows of each

    @property
    def name(self) -> str:
        return self.filling.name

    @property
    def schema(self) -> Schema:
        return self.filling.schema

    @property
    def sizes(self) -> Sequence[int]:
        return self.stretches

    def tables(self, first: int, last: int) -> Iterator[Table]:
        return self.filling.tables(self.batches(first, last))

    def cells(self, first: int, last: int) -> Iterator[Sequence[Any]]:
        for batch in self.batches(first, last):
            if batch.n_rows:
                yield from cells_of(batch, self.schema.columns)

    @abstractmethod
    def batches(self, first: int, last: int) -> Iterator[RawTable]:
        """The rows of some stretches as the source stores them; raises DataError if the source has changed."""
