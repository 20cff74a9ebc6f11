"""Trees from parts of rows: the part of a tree's face that grows from a stream, level by level."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.metaestimators import available_if

from acumen.base.decision import resolve_costs
from acumen.base.learner import Weigh
from acumen.base.training import Stream
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.engines.blocks import blocks
from acumen.engines.cores import limited_to
from acumen.errors import DataError, ParameterError
from acumen.resample.plan import streams
from acumen.trees.construct import inputs_of_parts, used
from acumen.trees.inputs import Inputs
from acumen.trees.levels import grow_by_levels
from acumen.trees.model import node_shares
from acumen.trees.prune import grown_and_pruned
from acumen.trees.risk import factors
from acumen.trees.sample import Sample
from acumen.trees.tree import Tree
from acumen.types import Floats

if TYPE_CHECKING:
    from acumen.base.classifier import Classifier as Base
else:
    Base = object


class Streamed(Base):
    """What trees grown from histograms can do besides."""

    @property
    def streams(self) -> bool:
        """Whether `fit_stream` learns from parts: with histograms."""
        return bool(self.method == "histogram")

    @available_if(lambda self: self.streams)  # type: ignore[untyped-decorator]
    def fit_stream(self, parts: Iterable[Table]) -> Self:
        """Learn from parts under one schema, such as `acumen.scan` gives, going through them several times.

        The tree is that of `fit` on all rows at once, however they are cut into parts. Binned rows are kept in memory
        while that takes no more than 256 MB; else every level of the tree is another pass.
        """
        self.check_parameters()
        options = self._prune_options(None)
        if options.needs_rows:
            alpha = ", or give alpha" if self.prune == "cost-complexity" else ""
            raise ParameterError(
                f"{self._name}: prune={self.prune!r} holds rows back, which a stream cannot; "
                f"choose another way of pruning{alpha}, or use fit."
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
            weigh = self.weighing(source)
            self._grow_from(_Rows(source, lambda part: self.counted(part, weigh), schema))
        return self

    def _grow_from(self, rows: _Rows) -> None:
        schema = rows.schema
        inputs = inputs_of_parts(rows.tables(), schema, pairs=self.construct == "pairs")
        rows.inputs = inputs
        totals, n_rows = rows.totals()
        if not n_rows:
            raise DataError(f"{self._name}: no part holds a labelled row; there is nothing to learn from.")
        costs = resolve_costs(self.costs, schema.classes, self._name)
        rng = next(streams(self.random_state, self._name))
        options = self._grow_options(inputs, schema, rng)
        altered = factors(costs, totals)
        own = options if altered is None else options.with_factors(altered)

        def grown(_: Sample) -> Tree:
            return grow_by_levels(rows, inputs, schema, options=own, bins=self.bins)

        nothing = Sample.empty(len(inputs))
        tree = used(grown_and_pruned(nothing, grown, schema, self._prune_options(costs), rng))
        self.n_features_in_ = len(schema)
        self.feature_names_in_ = np.array(schema.names, dtype=object)
        model = self.model_type(tree, node_shares(tree, self.leaf_estimate, self.m))  # type: ignore[call-arg]
        self.settle(schema, model, totals, n_rows)

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


class _Rows:
    """The labelled rows of a stream in blocks, as often as wanted."""

    def __init__(self, source: Stream, counted: Weigh, schema: Schema) -> None:
        self._source, self._counted, self.schema = source, counted, schema
        self.inputs = Inputs(())

    def tables(self) -> Iterator[Table]:
        """Blocks of rows that count, class weights multiplied in."""
        return blocks(self._counted(part) for part in self._source)

    def __iter__(self) -> Iterator[Sample]:
        return (Sample.of(table, self.inputs) for table in self.tables())

    def totals(self) -> tuple[Floats, int]:
        """The weight of each class, added up row by row, and the number of rows."""
        made, rows = np.zeros(self.schema.n_classes), 0
        for table in self.tables():
            assert table.labels is not None
            np.add.at(made, table.labels, table.row_weights)
            rows += len(table)
        return made, rows
