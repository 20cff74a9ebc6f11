"""Questions that only some fitted learners and models can answer: one protocol for each.

    ReadsTree       which rows reach which node, and the way of one row
    Prunes          the sequence of prunings of a tree
    HasMachines     the machines of a support vector machine, each with its training rows
    HasShapes       the shapes of an additive model, which can be edited
    DrawsRows       a picture of the learner over the rows of a table
    DrawsItself     a picture of what the learner has learned
    HasOddsRatios   odds ratios of a model (asked of the model)
    HasSteps        the arithmetic behind a model (asked of the model)

A caller asks with `isinstance`, and so needs to know no family of learners. What a model can be written as (rules, SQL,
Python, a drawing) is asked in the same way: see `codegen/export.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from acumen.data.schema import Schema
from acumen.types import Indices


@runtime_checkable
class ReadsTree(Protocol):
    """A learner of one tree, whose nodes can be asked for their rows."""

    def rows_at(self, node: int, X: Any) -> Indices:
        """The rows that reach a node."""
        ...

    def counts_at(self, X: Any) -> Indices:
        """How many rows reach each node."""
        ...

    def path(self, X: Any) -> Any:
        """The questions that one row is asked on its way to a leaf."""
        ...

    def figure(self, *, row: Any = None, data: Any = None, max_depth: int | None = None) -> Any:
        """A drawing of the tree."""
        ...


@runtime_checkable
class Prunes(Protocol):
    """A learner of one tree that can be pruned afterwards."""

    def pruning_path(self) -> Any:
        """The sequence of prunings by cost and complexity."""
        ...

    def with_pruning(self, method: str, **options: Any) -> Any:
        """The pruned learner."""
        ...


@runtime_checkable
class HasMachines(Protocol):
    """A support vector machine that was fitted here: its machines know their training rows."""

    machines_: Sequence[Any]


@runtime_checkable
class HasShapes(Protocol):
    """A learner of an additive model, whose shapes can be edited."""

    def edit(self, attribute: str, *what: Any) -> Any:
        """A copy in which the shape of one attribute is changed."""
        ...


@runtime_checkable
class DrawsRows(Protocol):
    """A learner that draws itself over the rows of a table."""

    def figure(self, X: Any) -> Any:
        """A figure value, which draws itself as SVG."""
        ...


@runtime_checkable
class DrawsItself(Protocol):
    """A learner that draws what it has learned: a dendrogram, or the curve behind a chosen setting."""

    def to_figure(self) -> Any:
        """A figure value, which draws itself as SVG."""
        ...


@runtime_checkable
class HasOddsRatios(Protocol):
    """A model with odds ratios."""

    def odds_ratios(self, schema: Schema, **options: Any) -> Any:
        """The odds ratio of each attribute, with its interval."""
        ...


@runtime_checkable
class HasSteps(Protocol):
    """A model that holds the arithmetic behind it."""

    def to_steps(self, schema: Schema) -> str:
        """That arithmetic, as text."""
        ...
