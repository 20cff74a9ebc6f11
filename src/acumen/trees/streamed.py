"""Trees from parts of rows: the part of a tree's face that grows from a stream, level by level."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from acumen.base.attribute_weights import weights_of, without_ignored
from acumen.base.availability import available, no_stream
from acumen.base.classifier import Classifier
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.engines.blocks import blocks
from acumen.engines.cores import limited_to
from acumen.engines.run import cluster
from acumen.errors import DataError, ParameterError
from acumen.models.decision import no_weight_left, resolve_costs
from acumen.profiling.fit_warnings import data_warnings_on
from acumen.profiling.part_checks import PartChecks
from acumen.resampling.plan import streams
from acumen.rows.part_statistics import RowPreparation
from acumen.rows.stream import Stream
from acumen.rows.weights import Weighing, Weight, class_weights, in_units
from acumen.summaries.algebra import Each, add_up
from acumen.trees.candidate_inputs import drop_unused_inputs, inputs_of_parts
from acumen.trees.inputs import Inputs
from acumen.trees.levels import grow_by_levels
from acumen.trees.model import node_shares
from acumen.trees.options import GrowOptions
from acumen.trees.prune import grow_and_prune
from acumen.trees.risk import class_cost_factors
from acumen.trees.sample import Sample
from acumen.trees.spread import SpreadSource
from acumen.trees.tree import Tree
from acumen.types import Floats


class Streamed(Classifier):
    """What trees grown from histograms can do besides."""

    @property
    def streams(self) -> bool:
        """Whether `fit_stream` trains on parts: only with histograms."""
        return bool(self.method == "histogram")

    @available(lambda self: self.streams, no_stream)
    def fit_stream(self, parts: Iterable[Table] | Table) -> Self:
        """Learn from parts under one schema, such as `acumen.scan` gives, going through them several times.

        The tree is that of `fit` on all rows at once, however they are cut into parts. Binned rows are kept in memory
        while that takes no more than 256 MB; else every level of the tree is another pass.
        """
        self.check_parameters()
        options = self._prune_options(None)
        if options.needs_rows:
            alpha = ", or give alpha" if self.prune == "cost-complexity" else ""
            raise ParameterError(
                f"{self._name}: prune={self.prune!r} needs held-out rows, which a stream cannot "
                f"provide; choose another way of pruning{alpha}, or use fit."
            )
        source = Stream(parts, self._name)
        schema = source.schema
        sentence = self.task.needs(schema)
        if sentence is not None:
            raise DataError(f"{self._name}: {sentence}")
        self.object_to(schema)
        if source.once:
            raise source.refuse_once()
        with limited_to(self.jobs):
            factors = self.class_factors(source)
            engine = cluster()
            placement = None if engine is None else source.placement()
            if engine is not None and placement is not None:
                preparing = RowPreparation(self.counting(), factors, source.checked, data_warnings_on())
                self._grow_from(SpreadSource(engine, placement, preparing, schema, source.report))
            else:
                counted = partial(self.counted_places, factors=factors)
                self._grow_from(_StreamedRows(source, lambda part: counted(part)[0], factors, schema))
        return self

    def _grow_from(self, rows: _StreamedRows | SpreadSource) -> None:
        schema = rows.schema
        inputs = inputs_of_parts(rows.tables(), schema, pairs=self.construct == "pairs")
        rows.inputs = inputs
        rows.counting = weights_of(self.attribute_weights, schema, self._name)
        n_rows = rows.weigh(self._name)
        if not n_rows and self.class_weight is not None:
            raise no_weight_left(self._name)
        if not n_rows:
            raise DataError(f"{self._name}: no part has a labelled row, so there is nothing to fit.")
        self.weighing_, totals = rows.weighing, rows.totals
        costs = resolve_costs(self.costs, schema.classes, self._name)
        rng = next(streams(self.random_state, self._name))
        options = self._grow_options(inputs, schema, rng)
        altered = class_cost_factors(costs, totals)
        node_options = options if altered is None else options.with_factors(altered)

        def grow_tree(_: Sample) -> Tree:
            return rows.grow(inputs, schema, node_options, self.bins)

        nothing = Sample.empty(len(inputs))
        tree = drop_unused_inputs(grow_and_prune(nothing, grow_tree, schema, self._prune_options(costs), rng))
        self.n_features_in_ = len(schema)
        self.feature_names_in_ = np.array(schema.names, dtype=object)
        model = self.model_type(tree, node_shares(tree, self.leaf_estimate, self.prior_weight))  # type: ignore[call-arg]
        self.settle(schema, model, totals, n_rows)
        if rows.part_checks is not None:
            self._remember_passed(rows.part_checks)

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


def weights_of_classes(table: Table, schema: Schema) -> Floats:
    """The weight of each class of rows that all have one."""
    return class_weights(table.class_codes, table.row_weights, schema.n_classes)


class _StreamedRows:
    """The labelled rows of a stream in blocks, as often as wanted."""

    def __init__(
        self, source: Stream, counted: Callable[[Table], Table], factors: Floats | None, schema: Schema
    ) -> None:
        self._source, self._counted, self._factors, self.schema = source, counted, factors, schema
        self._unit = 1.0
        self.inputs = Inputs(())
        self.counting: Floats | None = None  # how much attributes count, where some do more than others
        self.weighing = Weighing()
        self.totals = np.zeros(schema.n_classes)
        self.part_checks = PartChecks() if data_warnings_on() else None

    def tables(self) -> Iterator[Table]:
        """Blocks of rows that count, class weights multiplied in."""
        return (in_units(rows, self._unit) for rows in blocks(self._counted(p) for p in self._source))

    def __iter__(self) -> Iterator[Sample]:
        return (Sample.of(without_ignored(table, self.counting), self.inputs) for table in self.tables())

    def grow(self, inputs: Inputs, schema: Schema, options: GrowOptions, bins: int) -> Tree:
        """A tree, unpruned."""
        return grow_by_levels(self, inputs, schema, options=options, bins=bins)

    def weigh(self, who: str) -> int:
        """Count the rows, read their weights from now on, and add up the weight of each class row by row."""
        weight = Weight()
        for part in self._source:
            self.weighing = self.weighing + Weighing.of(part, self._factors, labelled=True)
            counted = self._counted(part)
            weight.add(counted.row_weights)
            if self.part_checks is not None:
                self.part_checks.add(part, counted)
        self._unit = self.weighing.factor(weight.total, who)
        each: Iterator[Each[Any]] = (
            Each((len(table), weights_of_classes(table, self.schema))) for table in self.tables()
        )
        counted_rows, self.totals = add_up(each).things
        return int(counted_rows)
