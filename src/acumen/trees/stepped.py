"""The part of a tree's face that shows how it was grown, node by node."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from acumen import messages
from acumen.base.kept_rows import KeepsRows
from acumen.data.table import Table
from acumen.trees.bins import planned
from acumen.trees.model import DecisionTreeModel
from acumen.trees.reading.phrases import weight
from acumen.trees.reading.steps import TreeSteps, tree_steps
from acumen.trees.risk import factors
from acumen.trees.sample import Sample


def _again() -> str:
    """What to do where the rows were not kept."""
    fewer = messages.at_the_command_line("Learn from fewer rows to see the steps.")
    return fewer or "Give them with data=."


class Stepped(KeepsRows):
    """What a tree can tell of its growing."""

    if TYPE_CHECKING:  # of the trees' faces
        method: str
        bins: int

        def _grow_options(self, inputs: Any, schema: Any, rng: np.random.Generator) -> Any: ...
        def _rows(self, X: Any, y: Any, sample_weight: Any) -> Table: ...

    def describe(self, full: bool = False, steps: bool = False, data: Any = None) -> str:
        """What was learned, in words: at most 40 lines unless `full`.

        Parameters
        ----------
        full : bool
            Everything, however long.
        steps : bool
            Also the worth of every attribute at each node by the tree's measure, with the counts it is made of.
        data : Table with its target, or pair (X, y), optional
            For `steps`: the rows it was learned from. `fit` keeps them itself where they are few.
        """
        text: str = super().describe(full)
        if not steps:
            return text
        return f"{text}\n\n{self.steps(data).text(full=full)}"

    def steps(self, data: Any = None) -> TreeSteps:
        """The worth of every attribute at each node as a value; see `describe`."""
        predictor = self._fitted()
        model, schema = predictor.model, predictor.schema
        assert isinstance(model, DecisionTreeModel)
        rows = Sample.of(self._step_rows(data), model.tree.inputs)
        options: Any = self._grow_options(model.tree.inputs, schema, np.random.default_rng(0))
        drawn = options.max_attributes
        options = replace(options, max_attributes=None)
        if predictor.costs is not None:
            altered = factors(predictor.costs, rows.totals(schema.n_classes))
            options = options if altered is None else options.with_factors(altered)
        notes = []
        if not np.allclose(rows.totals(schema.n_classes), model.tree.counts[0], rtol=1e-9, atol=1e-9):
            own = weight(float(model.tree.weight[0]))
            notes.append(f"By {weight(rows.weight)} rows; the counts of the tree itself are of {own}.")
        if drawn is not None and drawn < len(model.tree.inputs):
            notes.append(
                f"At each node {drawn} of {len(model.tree.inputs)} attributes, drawn by lot, were looked at."
            )
        edges: tuple[Any, ...] = ()
        if self.method == "histogram":
            edges = planned([rows], model.tree.inputs, schema, self.bins).edges
        if options.factors is not None:
            notes.append("Classes count by what their errors cost.")
        return tree_steps(model.tree, model.shares, rows, schema, options, notes, edges)

    def _step_rows(self, data: Any) -> Table:
        if data is not None:
            X, y = data if isinstance(data, tuple) else (data, None)
            rows: Table = self._rows(X, y, None)
            return rows
        found: Table = self.kept_rows("telling its steps", _again())[0]
        return found
