"""Learning from rows that tasks of a cluster read: what a table is to `learn`, for learners that go over it often.

SpreadTable     the rows that count, wherever they are: their schema, what they weigh, sums over their blocks
SpreadLearner   the part of a face that has `fit_stream` on a cluster, by `learn_spread(rows)`
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from acumen.base.availability import available, no_stream
from acumen.base.learner import Learner
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.engines.block_source import Placement
from acumen.engines.cores import limited_to
from acumen.engines.run import cluster
from acumen.errors import DataError
from acumen.models.decision import no_weight_left
from acumen.profiling.fit_warnings import data_warnings_off, data_warnings_on
from acumen.rows.part_statistics import Looked, Preparing
from acumen.rows.stream import Stream
from acumen.rows.weights import class_weights, in_units, total_weight
from acumen.summaries.algebra import Each
from acumen.types import Floats

if TYPE_CHECKING:
    from acumen.engines.dask_engine import Dask
    from acumen.engines.worker_state import PersistedOnWorkers, WorkerValue


@dataclass(frozen=True)
class _InUnits:
    """A function of a block whose weights are in the units that sizes and smoothing look at."""

    function: Callable[..., Any]
    unit: float

    def __call__(self, block: Table, *more: Any) -> Any:
        return self.function(in_units(block, self.unit), *more)


class SpreadTable:
    """The rows of a source that a learner learns from, read by tasks block by block."""

    def __init__(self, engine: Dask, placement: Placement, schema: Schema) -> None:
        self.engine, self.place, self.schema = engine, placement, schema
        self._unit = 1.0
        #: The weight of each class (of all rows where there are none), and of all rows.
        self.totals: Floats
        self.weight: float
        self._weigh()

    def _weigh(self) -> None:
        self.totals, weight = self.sum(_weights).things
        self.weight = float(weight)

    @property
    def looked(self) -> Looked:
        """What is noted of the rows."""
        noted: Looked = self.place.note
        return noted

    def __len__(self) -> int:
        return int(self.place.before[-1])

    def weigh_by(self, unit: float) -> None:
        """Multiply weights by this from now on."""
        if unit != 1.0:
            self._unit = unit
            self._weigh()

    def sum(self, function: Callable[..., Any], *, numbered: bool = False) -> Any:
        """The sum of a function over all blocks; with `numbered` it is told the number of a block's first row."""
        return self.engine.sum_blocks(self._within(function), self.place, numbered=numbered)

    def held(self, make: Callable[..., Any], row_bytes: int, *, numbered: bool = False) -> PersistedOnWorkers:
        """What `make` gives of each block, to be summed over again and again."""
        return self.engine.persist_blocks(
            self._within(make), self.place, size=len(self) * row_bytes, numbered=numbered
        )

    def gather_blocks(
        self, make: Callable[..., Any], join: Callable[[Sequence[Any]], Any], *, what: str
    ) -> WorkerValue:
        """What `make` gives of each block, joined where a task runs."""
        from acumen.engines.worker_state import gather_blocks

        return gather_blocks(self.engine, self._within(make), self.place, join, what=what)

    def _within(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return function if self._unit == 1.0 else _InUnits(function, self._unit)


def _weights(rows: Table) -> Each[Any]:
    """The weight of each class of a block, and of all of it."""
    weights = rows.row_weights
    total = total_weight(weights)
    if rows.labels is None:
        return Each((np.array([total]), total))
    return Each((class_weights(rows.labels, weights, rows.schema.n_classes), total))


def no_texts(schema: Schema) -> str | None:
    """The objection of those who code texts in one place."""
    return (
        f"texts are coded in one place; leave out the column {schema.text[0].name!r}."
        if schema.text
        else None
    )


class SpreadLearner(Learner):
    """What learners can do that go over rows on a cluster in ways of their own."""

    @property
    def streams(self) -> bool:
        """Whether `fit_stream` learns from parts: where the workers of a cluster read them."""
        return self.spreads and cluster() is not None

    @property
    def spreads(self) -> bool:
        return True

    def spread_objection(self, schema: Schema) -> str | None:
        """A sentence on why it cannot learn from such a table on a cluster, though it can on one machine; or None."""
        return None

    def learn_spread(self, rows: SpreadTable) -> tuple[Any, Floats]:
        """As `learn`, from rows that tasks read."""
        raise NotImplementedError(f"{self._name} must give learn_spread(rows)")

    @available(lambda self: self.streams, no_stream)
    def fit_stream(self, parts: Iterable[Table] | Table) -> Self:
        """Learn from parts that the workers of a cluster read; see `acumen.engines.Dask`."""
        self.check_parameters()
        source = Stream(parts, self._name, self.task.target is not None)
        schema = source.schema
        if (sentence := self.task.needs(schema)) is not None:
            raise DataError(f"{self._name}: {sentence}")
        self.object_to(schema)
        if (sentence := self.spread_objection(schema)) is not None:
            raise DataError(f"{self._name}: {sentence}")
        engine, placement = cluster(), source.placement()
        if engine is None or placement is None:
            raise DataError(f"{self._name}: rows that are here are learned from by fit, not by fit_stream.")
        with limited_to(self.jobs):
            factors = self.class_factors(source)
            there = Placement(
                placement.located, Preparing(self.counting(), factors, source.checked, data_warnings_on())
            )
            rows = SpreadTable(engine, there, schema)
            self.weighing_ = rows.looked.weighing
            self.weighing_.require_bounded(self._name)
            if not len(rows):
                if getattr(self, "class_weight", None) is not None:
                    raise no_weight_left(self._name)
                raise DataError(
                    f"{self._name}: no part holds a row that counts; there is nothing to learn from."
                )
            if not self.scale_sensitive and not self.weighing_.whole:
                rows.weigh_by(self.weighing_.factor(rows.weight, self._name))
            self.n_features_in_ = len(schema)
            self.feature_names_in_ = np.array(schema.names, dtype=object)
            with data_warnings_off():
                model, totals = self.learn_spread(rows)
                self.settle(schema, model, totals, len(rows))
            if (passed := rows.looked.passed) is not None:
                report = source.report
                self.remember_passed(passed if report is None else passed.of_source(report))
        return self
