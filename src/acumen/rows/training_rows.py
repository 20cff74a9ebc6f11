"""Training rows, wherever they are: what a learner asks of them is the same in memory, in parts and on a cluster.

    Rows          schema, blocks, sum, persist
    TableRows     a table in memory
    PartRows      parts of a source, read again in each pass, one at a time
    ClusterRows   parts that the workers of a Dask cluster read

Only rows that count are here, in blocks of 65,536 counted from the first of them, whatever the parts. A learner that is
a loop around `sum` and `persist` learns the same from all three, to the byte; one that needs all rows in one place
says so by `require_local`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from acumen.caching import cached_property
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.engines.block_source import Placement, map_placement
from acumen.engines.blocks import BLOCK_ROWS, Source, blocks
from acumen.engines.memory import limit
from acumen.engines.run import cluster, run
from acumen.errors import DataError
from acumen.profiling.part_checks import PartChecks
from acumen.rows.part_statistics import PartNotes, RowPreparation
from acumen.rows.persisted import KEPT_BYTES, LocalValue, Persisted
from acumen.rows.stream import Stream
from acumen.rows.weights import Weighing, class_weights, in_units, total_weight
from acumen.summaries.algebra import Each
from acumen.types import Floats

if TYPE_CHECKING:
    from acumen.engines.dask_engine import Dask
    from acumen.engines.worker_state import PersistedOnWorkers, WorkerValue


class Rows(ABC):
    """Training rows that count, with their weights."""

    schema: Schema
    #: The table they are, where they are in memory.
    table: Table | None = None

    @abstractmethod
    def __len__(self) -> int: ...

    @property
    @abstractmethod
    def _source(self) -> Source:
        """What engines go through."""

    def blocks(self) -> Iterator[Table]:
        """The rows, block by block, read to here."""
        return blocks(self._source)

    def sum(self, function: Callable[..., Any], *, numbered: bool = False) -> Any:
        """The sum of a function over all blocks; with `numbered` it is told the number of a block's first row too."""
        return run(function, self._source, numbered=numbered)

    def each(self, function: Callable[[Table], Any]) -> Iterator[Any]:
        """What a function gives of each block, in order."""
        return self.persist(_itself, -1).each(function)

    @abstractmethod
    def persist(
        self, encode: Callable[..., Any], row_bytes: int, *, numbered: bool = False
    ) -> Persisted | PersistedOnWorkers:
        """What `encode` gives of each block, to be gone over many times.

        `row_bytes` is what a row takes then, about; below 0 where nothing should be kept.
        """

    @abstractmethod
    def gather(
        self, encode: Callable[[Table], Any], join: Callable[[Sequence[Any]], Any], *, what: str
    ) -> LocalValue | WorkerValue:
        """Compute `encode` for consecutive blocks of rows and join the results; messages call it `what`."""

    @property
    @abstractmethod
    def room(self) -> int:
        """Bytes that gathered rows may take; 0 if unknown."""

    def require_local(self, who: str) -> Table:
        """All rows as a table, for a learner that must see them together."""
        if self.table is None:
            raise DataError(f"{who} must see all rows together to be fitted; use fit, not fit_stream.")
        return self.table

    # -- weights ----------------------------------------------------------------------------------

    @cached_property
    def _weights(self) -> tuple[Floats, float]:
        totals, weight = self.sum(_weights).things
        return totals, float(weight)

    @property
    def totals(self) -> Floats:
        """The weight of each class; of all rows, as an array of one, where there are no classes."""
        return self._weights[0]

    @property
    def weight(self) -> float:
        """The weight of all rows."""
        return self._weights[1]


def _weights(rows: Table) -> Each[Any]:
    """The weight of each class of a block, and of all of it."""
    weights = rows.row_weights
    total = total_weight(weights)
    if rows.labels is None:
        return Each((np.array([total]), total))
    return Each((class_weights(rows.labels, weights, rows.schema.n_classes), total))


class TableRows(Rows):
    """A table in memory; every row counts."""

    def __init__(self, table: Table) -> None:
        self.table: Table = table
        self.schema = table.schema

    def __len__(self) -> int:
        return len(self.table)

    @property
    def _source(self) -> Table:
        return self.table

    def persist(self, encode: Callable[..., Any], row_bytes: int, *, numbered: bool = False) -> Persisted:
        return Persisted(lambda: list(_tasks(encode, self.blocks(), numbered)), keep=row_bytes >= 0)

    def gather(
        self, encode: Callable[[Table], Any], join: Callable[[Sequence[Any]], Any], *, what: str
    ) -> LocalValue:
        return LocalValue(join([encode(self.table)]))

    @property
    def room(self) -> int:
        return limit()


class PartRows(Rows):
    """The rows of parts that count; what is known of them once they have been gone through is noted on the way."""

    def __init__(self, source: Stream, preparing: RowPreparation) -> None:
        self.schema = source.schema
        self._stream, self._preparing = source, preparing
        self._factor = 1.0
        self._noted: tuple[int, Weighing, PartChecks | None] | None = None
        self._place: Placement | None = None

    @staticmethod
    def of(source: Stream, preparing: RowPreparation) -> PartRows:
        """Of parts, read here or by the workers of the cluster in use."""
        engine = cluster()
        there = engine is not None and source.placement() is not None
        return ClusterRows(source, preparing) if there else PartRows(source, preparing)

    @property
    def _source(self) -> PartRows:
        return self

    def __iter__(self) -> Iterator[Table]:
        """The rows of each part."""
        n, weighing = 0, Weighing()
        passed = PartChecks() if self._preparing.look else None
        for part in self._stream:
            rows, part_weights = self._preparing.pair(part)
            if self._noted is None:
                n, weighing = n + len(rows), weighing + part_weights
                if passed is not None:
                    passed.add(part, rows)
            yield in_units(rows, self._factor)
        if self._noted is None:
            self._noted = n, weighing, passed

    def placement(self) -> Placement | None:
        """Where they are, for engines that fetch them by themselves; the same each time, so that counts stay known."""
        if self._place is None and (place := self._stream.placement()) is not None:
            self._place = Placement(place.located, self._preparing)
        if self._place is None or self._factor == 1.0:
            return self._place
        return map_placement(self._place, partial(in_units, factor=self._factor))

    # -- what a pass has noted --------------------------------------------------------------------

    @property
    def _notes(self) -> tuple[int, Weighing, PartChecks | None]:
        looked: PartNotes | None = None if self._place is None else self._place.note
        if looked is not None and self._place is not None:
            passed, report = looked.part_checks, self._stream.report
            passed = passed if passed is None or report is None else passed.of_source(report)
            return int(self._place.before[-1]), looked.weighing, passed
        if self._noted is None:
            for _ in self:
                pass
        assert self._noted is not None
        return self._noted

    def __len__(self) -> int:
        return self._notes[0]

    @property
    def weighing(self) -> Weighing:
        """What the rows weigh, and how their weights are read."""
        return self._notes[1]

    @property
    def part_checks(self) -> PartChecks | None:
        """The statistics of the rows, if they are collected."""
        return self._notes[2]

    def weigh_by(self, factor: float) -> None:
        """Multiply weights by this from now on."""
        if factor != 1.0:
            self._factor = factor
            self.__dict__.pop("_weights", None)

    # -- state beside them ------------------------------------------------------------------------

    def persist(
        self, encode: Callable[..., Any], row_bytes: int, *, numbered: bool = False
    ) -> Persisted | PersistedOnWorkers:
        return Persisted(
            lambda: _tasks(encode, self.blocks(), numbered), keep=0 <= len(self) * row_bytes <= KEPT_BYTES
        )

    def gather(
        self, encode: Callable[[Table], Any], join: Callable[[Sequence[Any]], Any], *, what: str
    ) -> LocalValue | WorkerValue:
        return LocalValue(join(list(Persisted(lambda: _tasks(encode, self.blocks(), False), keep=False))))

    @property
    def room(self) -> int:
        return limit()


class ClusterRows(PartRows):
    """Parts that tasks read where they run: rows do not travel, and state stays with the workers."""

    @property
    def engine(self) -> Dask:
        """The cluster in use."""
        engine = cluster()
        assert engine is not None
        return engine

    def _require_placement(self) -> Placement:
        """Where they are, once what counts of them is known."""
        len(self)
        place = self.placement()
        assert place is not None
        return place

    @property
    def _notes(self) -> tuple[int, Weighing, PartChecks | None]:
        if self._place is None or self._place.note is None:
            self.sum(_nothing)
        return super()._notes

    def persist(
        self, encode: Callable[..., Any], row_bytes: int, *, numbered: bool = False
    ) -> PersistedOnWorkers:
        return self.engine.persist_blocks(
            encode, self._require_placement(), size=len(self) * row_bytes, numbered=numbered
        )

    def gather(
        self, encode: Callable[[Table], Any], join: Callable[[Sequence[Any]], Any], *, what: str
    ) -> WorkerValue:
        from acumen.engines.worker_state import gather_blocks

        return gather_blocks(self.engine, encode, self._require_placement(), join, what=what)

    @property
    def room(self) -> int:
        return self.engine.least_memory


def _itself(block: Table) -> Table:
    return block


def _nothing(rows: Table) -> int:
    return 0


def _tasks(encode: Callable[..., Any], some: Iterator[Table], numbered: bool) -> Iterator[Callable[[], Any]]:
    for i, block in enumerate(some):
        yield partial(encode, block, i * BLOCK_ROWS) if numbered else partial(encode, block)
