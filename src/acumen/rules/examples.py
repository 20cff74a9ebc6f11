"""The examples of a version space: distinct rows with their classes, in the order in which they came.

    ExampleSummary   what rows come to: each distinct row once, with its class, its weight and where it came first
    summarise        rows -> ExampleSummary
    restore_summary  the same from a model file, trusting nothing

Candidate elimination looks at each example once, and examples add by standing one after the other; so this is all that
any hypothesis language needs. Numbers are kept as their bits, in which equal numbers are equal and missing is one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.models.summary_arrays import empty_table, restored_summary
from acumen.preprocessing.stored_arrays import require
from acumen.summaries.algebra import Summary, frozen
from acumen.types import Array, Floats


@dataclass(frozen=True, slots=True, eq=False)
class ExampleSummary(Summary):
    """Distinct rows, first come first."""

    grows: ClassVar[tuple[str, ...]] = ("numbers", "codes", "labels", "weights", "first")

    schema: Schema
    numbers: Array  # (examples, numeric attributes): the bits of doubles, as int64
    codes: Array  # (examples, nominal attributes), int32; a missing value or an unknown level below zero
    labels: Array  # (examples,) int32
    weights: Floats  # (examples,)
    first: Array  # (examples,) int64: the number of the first such row among the rows learned from
    rows: Array  # (1,) int64: how many rows there were

    @property
    def class_totals(self) -> Floats:
        """The weight of each class."""
        totals: Floats = np.bincount(self.labels, self.weights, minlength=self.schema.n_classes).astype(
            np.float64
        )
        return totals

    def _difference(self, other: ExampleSummary) -> str | None:
        return self.schema.difference(other.schema)

    def _merge(self, other: ExampleSummary) -> ExampleSummary:
        return _distinct(
            self.schema,
            np.concatenate([self.numbers, other.numbers]),
            np.concatenate([self.codes, other.codes]),
            np.concatenate([self.labels, other.labels]),
            np.concatenate([self.weights, other.weights]),
            np.concatenate([self.first, other.first + self.rows[0]]),
            int(self.rows[0] + other.rows[0]),
        )

    def widen(self, schema: Schema) -> ExampleSummary:
        """The same under a schema with more levels."""
        return replace(self, schema=schema)

    def scale_weights(self, factor: float) -> ExampleSummary:
        return replace(self, weights=frozen(self.weights * factor))


def summarise(rows: Table, plan: object = None) -> ExampleSummary:
    """Distinct rows of a table; no plan is needed."""
    n = len(rows)
    # Zero has two signs and NaN many bits; equal values must have equal bits.
    columns = [np.where(np.isnan(values), np.nan, values + 0.0) for _, values in rows.numeric_columns()]
    numbers = np.stack(columns, axis=1) if columns else np.empty((n, 0))
    codes = [values for _, values in rows.nominal_columns()]
    return _distinct(
        rows.schema,
        np.ascontiguousarray(numbers).view(np.int64).reshape(n, len(columns)),
        np.stack(codes, axis=1).astype(np.int32) if codes else np.empty((n, 0), dtype=np.int32),
        rows.class_codes.astype(np.int32),
        rows.row_weights.astype(np.float64),
        np.arange(n, dtype=np.int64),
        n,
    )


def _distinct(
    schema: Schema, numbers: Array, codes: Array, labels: Array, weights: Floats, first: Array, rows: int
) -> ExampleSummary:
    """Each row once, where it came first, with the weights of all that are like it."""
    key = np.concatenate([labels[:, None].astype(np.int64), codes.astype(np.int64), numbers], axis=1)
    if len(key):
        _, places, which = np.unique(key, axis=0, return_index=True, return_inverse=True)
        which = which.reshape(-1)
        order = np.argsort(places, kind="stable")
        kept = places[order]
        back = np.empty(len(order), dtype=np.intp)
        back[order] = np.arange(len(order))
        weights = np.bincount(back[which], weights, minlength=len(kept)).astype(np.float64)
        numbers, codes, labels, first = numbers[kept], codes[kept], labels[kept], first[kept]
    return ExampleSummary(
        schema,
        frozen(numbers, np.int64),
        frozen(codes, np.int32),
        frozen(labels, np.int32),
        frozen(weights),
        frozen(first, np.int64),
        frozen(np.array([rows]), np.int64),
    )


def restore_summary(arrays: Mapping[str, Array], schema: Schema, plan: Any) -> ExampleSummary:
    """A stored summary of the shapes its schema asks for, every code and place in its range."""
    summary = restored_summary(summarise(empty_table(schema)), arrays)
    require_examples(schema, summary.numbers, summary.codes, summary.labels, summary.weights, summary.first)
    require((summary.rows >= len(summary.labels)).all(), "there are more examples than rows")
    return summary


def require_examples(
    schema: Schema, numbers: Array, codes: Array, labels: Array, weights: Array, first: Array
) -> None:
    """Raise ModelFileError unless these are examples under a schema."""
    require(numbers.shape == (len(labels), len(schema.numeric)), "the examples lack numbers")
    require(codes.shape == (len(labels), len(schema.nominal)), "the examples lack codes")
    require(len(weights) == len(first) == len(labels), "the examples differ in length")
    require(((labels >= 0) & (labels < schema.n_classes)).all(), "an example has no class")
    require((weights > 0).all(), "an example weighs nothing")
    require((np.diff(first) > 0).all() and (first >= 0).all(), "the examples are out of order")
    for place, attribute in enumerate(schema.nominal):
        column = codes[:, place]
        require(((column >= -2) & (column < len(attribute.levels))).all(), "an example has an unknown code")


def table_of(
    schema: Schema, numbers: Array, codes: Array, labels: Array, weights: Floats, places: Any = slice(None)
) -> Table:
    """Examples as a table."""
    values = np.ascontiguousarray(numbers[places]).view(np.float64)
    return Table(
        schema,
        len(labels[places]),
        numeric=[np.ascontiguousarray(column) for column in values.T],
        nominal=[np.ascontiguousarray(column) for column in codes[places].T],
        labels=np.ascontiguousarray(labels[places]),
        weights=np.ascontiguousarray(weights[places]),
    )
