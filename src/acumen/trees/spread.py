"""Trees from rows on many machines: a level is a task for each run of blocks, and a sum.

    SpreadSource   the labelled rows of a source that tasks read; what `_StreamedRows` is where one process reads them
    SpreadRows     the same rows, binned; what `level_rows.Rows` is

Binned rows stay with the workers where there is room for them; where each row has come is worked out from the tree so
far, so that no worker holds anything that cannot be made again. Weights lie on a grid and sums are exact: the tree is
that of one machine to the byte.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from acumen.base.attribute_weights import without_ignored
from acumen.data.report import Report
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.engines.block_source import Placement
from acumen.profiling.part_checks import PartChecks
from acumen.rows.part_statistics import PartNotes, RowPreparation
from acumen.rows.weights import Weighing, class_weights, in_units, total_weight
from acumen.summaries.algebra import Each
from acumen.trees.binning import Bins, EdgeSample, bins_of_sample, numeric_places, sample_size
from acumen.trees.inputs import Inputs
from acumen.trees.level_rows import HELD_BYTES, BinnedChunk, Falling, FewRows, OpenNodes, chunk_of, move_down
from acumen.trees.levels import grow_binned
from acumen.trees.options import GrowOptions
from acumen.trees.sample import Sample
from acumen.trees.tree import Tree
from acumen.types import Bools, Floats, Indices

if TYPE_CHECKING:
    from acumen.engines.dask_engine import Dask


@dataclass(frozen=True)
class _ToSample:
    """Rows of a block as a tree sees them."""

    inputs: Inputs
    counting: Floats | None
    unit: float

    def __call__(self, rows: Table) -> Sample:
        return Sample.of(without_ignored(in_units(rows, self.unit), self.counting), self.inputs)


class SpreadSource:
    """The labelled rows of a source, read by tasks."""

    def __init__(
        self,
        engine: Dask,
        placement: Placement,
        preparing: RowPreparation,
        schema: Schema,
        report: Report | None,
    ) -> None:
        self._engine, self._placed, self._report = engine, Placement(placement.located, preparing), report
        self.schema = schema
        self._unit = 1.0
        self.inputs = Inputs(())
        self.counting: Floats | None = None
        self.weighing = Weighing()
        self.totals = np.zeros(schema.n_classes)
        self.part_checks: PartChecks | None = None
        self._drawn: tuple[Any, float] | None = None

    def tables(self) -> Any:
        """The rows that count."""
        return self

    def placement(self) -> Placement:
        """Where they are."""
        return self._placed

    def weigh(self, who: str) -> int:
        """Count the rows, read their weights from now on, and add up the weight of each class.

        Edges are drawn from the same pass, as if no row were left out and weights were as they are read; where that
        was wrong they are drawn from another.
        """
        numeric = tuple(numeric_places(self.inputs, self.schema))
        seen = self._edge_rows(
            _ToSample(self.inputs, self.counting, 1.0), numeric, self._placed.located.n_rows
        )
        both = self._engine.sum_blocks(_WeightsAndEdges(_Weights(1.0), seen), self._placed, numbered=True)
        weights, drawn = both.things
        self.totals, weight = weights.things
        looked: PartNotes = self._placed.note
        self.weighing = looked.weighing
        self._unit = self.weighing.factor(float(weight), who)
        if self._unit != 1.0:
            self.totals, _ = self._engine.sum_blocks(_Weights(self._unit), self._placed).things
        elif self._placed.is_whole:
            self._drawn = drawn.things
        if looked.part_checks is not None:
            checks = looked.part_checks
            self.part_checks = checks if self._report is None else checks.of_source(self._report)
        return int(self._placed.before[-1])

    def grow(self, inputs: Inputs, schema: Schema, options: GrowOptions, bins: int) -> Tree:
        """A tree, unpruned."""
        sampled = _ToSample(self.inputs, self.counting, self._unit)
        plan = self._plan_bins(sampled, inputs, schema, bins)
        rows = SpreadRows(self._engine, self._placed, sampled, plan)
        return grow_binned(rows, plan, inputs, schema, options)

    def _plan_bins(self, sampled: _ToSample, inputs: Inputs, schema: Schema, bins: int) -> Bins:
        numeric = tuple(numeric_places(inputs, schema))
        size, n = sample_size(len(numeric)), int(self._placed.before[-1])
        if self._drawn is not None and len(self._drawn[0]) >= min(size, n):
            return bins_of_sample(*self._drawn, inputs, schema, bins)
        for seen in (self._edge_rows(sampled, numeric, n), _EdgeRows(sampled, numeric, size, 2**64 - 1)):
            drawn, weight = self._engine.sum_blocks(seen, self._placed, numbered=True).things
            if len(drawn) >= min(size, n):
                break
        return bins_of_sample(drawn, weight, inputs, schema, bins)

    def _edge_rows(self, sampled: _ToSample, numeric: tuple[int, ...], n: int) -> _EdgeRows:
        """Few more rows than are wanted lie below its limit, all but never fewer; those above it need not travel."""
        size = sample_size(len(numeric))
        share = (size + 8.0 * np.sqrt(size) + 64.0) / max(n, 1)
        return _EdgeRows(sampled, numeric, size, min(int(share * 2.0**64), 2**64 - 1))


@dataclass(frozen=True)
class _WeightsAndEdges:
    """Weights and rows for edges, of one look at a block."""

    weights: _Weights
    seen: _EdgeRows

    def __call__(self, rows: Table, first_row: int) -> Each[Any]:
        return Each((self.weights(rows), self.seen(rows, first_row)))


@dataclass(frozen=True)
class _Weights:
    """The weight of each class of a block, and of all of it."""

    unit: float

    def __call__(self, rows: Table) -> Each[Any]:
        rows = in_units(rows, self.unit)
        weights = rows.row_weights
        return Each((class_weights(rows.class_codes, weights, rows.schema.n_classes), total_weight(weights)))


@dataclass(frozen=True)
class _EdgeRows:
    """The rows of a block that edges may be made from, and what all of it weighs."""

    sampled: _ToSample
    numeric: tuple[int, ...]
    size: int
    limit: int

    def __call__(self, rows: Table, first_row: int) -> Each[Any]:
        part = self.sampled(rows)
        weights = part.weights if len(part.weights) else np.ones(len(part))
        drawn = EdgeSample(self.size, len(self.numeric))
        columns = [np.asarray(part.columns[j], dtype=np.float64) for j in self.numeric]
        drawn.see(first_row, columns, weights, self.limit)
        return Each((drawn, float(weights.sum())))


@dataclass(frozen=True)
class _ToBins:
    """A block's rows, binned: what is held of them is a tuple of plain arrays, whose size Dask knows."""

    sampled: _ToSample
    plan: Bins

    def __call__(self, rows: Table, first_row: int) -> tuple[int, Any, Any, Any]:
        chunk = chunk_of(self.sampled(rows), self.plan)
        return first_row, chunk.codes, chunk.labels, chunk.weights


def _chunk(item: tuple[int, Any, Any, Any], state: Any = None) -> BinnedChunk:
    """A block's rows where they have come to; without a state they are at the root."""
    _, codes, labels, weights = item
    if state is not None:
        return BinnedChunk(codes, labels, *state)
    n = len(labels)
    return BinnedChunk(codes, labels, np.arange(n, dtype=np.uint32), np.zeros(n, dtype=np.int32), weights)


class SpreadRows:
    """All rows, binned, on the workers; where they have come to stays with them there."""

    def __init__(self, engine: Dask, placement: Placement, sampled: _ToSample, plan: Bins) -> None:
        self.n_rows = int(placement.before[-1])
        width = len(plan.sizes)
        self._are_few = self.n_rows * width * 2 <= HELD_BYTES
        size = self.n_rows * (2 * width + 12 + 2 * _STATE)
        self._held = engine.persist_blocks(_ToBins(sampled, plan), placement, size=size, numbered=True)
        self._level = 0  # the first node of the level that rows have fallen to

    @property
    def are_held(self) -> bool:
        """Whether one machine would hold them: then nodes of few rows are grown exactly here as there."""
        return self._are_few

    def class_weights(self, classes: int) -> Floats:
        """The weight of each class."""
        totals: Floats = self._held.sum(_weights, classes, at_once=True)
        return totals

    def _sum(self, function: Any, nodes: Falling, *asked: Any) -> Any:
        """Over rows that have fallen to the last level: they fall once where they stay, in every pass where not."""
        first, _ = nodes.open_range
        if self._held.stays and first != self._level:
            self._held.move(_move_down, nodes)
            self._level = first
        return self._held.sum(function, (nodes, *asked), at_once=True)

    def cells(self, nodes: Falling, level: OpenNodes) -> Floats:
        """The weight of every class in every cell of some open nodes."""
        cells_of_level: Floats = self._sum(_cells, nodes, level)
        return cells_of_level

    def sizes(self, nodes: Falling) -> Indices:
        """How many rows are at each node of the last level."""
        row_counts: Indices = self._sum(_sizes, nodes)
        return row_counts

    def take_few(self, nodes: Falling, few: Bools) -> FewRows:
        """The rows at some nodes of the last level."""
        few_rows: FewRows = self._sum(_few, nodes, few)
        return few_rows


#: Bytes of a row's state: its place in the block, its node, its weight.
_STATE = 16


def _move_down(nodes: Falling, item: Any, state: Any) -> tuple[Any, Any, Any]:
    chunk = move_down(_chunk(item, state), nodes)
    return chunk.rows, chunk.nodes, chunk.weights


def _weights(classes: int, pairs: Any) -> Floats:
    totals = np.zeros(classes)
    for item, _ in pairs:
        totals += np.bincount(item[2], item[3], classes)
    return totals


def _cells(nodes_and_level: tuple[Falling, OpenNodes], pairs: Any) -> Floats:
    nodes, level = nodes_and_level
    cells = level.nothing(nodes)
    for pair in pairs:
        level.add(move_down(_chunk(*pair), nodes), nodes, cells)
    return cells


def _sizes(level_nodes: tuple[Falling], pairs: Any) -> Indices:
    (nodes,) = level_nodes
    first, last = nodes.open_range
    row_counts = np.zeros(last - first, dtype=np.int64)
    for pair in pairs:
        row_counts += np.bincount(move_down(_chunk(*pair), nodes).nodes - first, minlength=last - first)
    return row_counts


def _few(nodes_and_few: tuple[Falling, Bools], pairs: Any) -> FewRows:
    nodes, few = nodes_and_few
    return FewRows.concatenate(
        [FewRows.of(move_down(_chunk(*pair), nodes), nodes, few, pair[0][0]) for pair in pairs]
    )
