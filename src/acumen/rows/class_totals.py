"""The labelled rows of a table, and what the classes weigh."""

from __future__ import annotations

import numpy as np

from acumen.data.table import Table
from acumen.engines.blocks import Source
from acumen.engines.run import run
from acumen.summaries.counts import LevelCounts
from acumen.types import Floats


def class_totals(source: Source) -> Floats:
    """The weight of each class, added up as summaries are: the same however the rows are cut."""
    return run(_class_counts, source).observed[:, 0]


def _class_counts(rows: Table) -> LevelCounts:
    return LevelCounts.of(
        np.zeros_like(rows.class_codes), rows.class_codes, rows.weights, rows.schema.n_classes, 1
    )


def labelled(table: Table) -> Table:
    """The rows that have a label."""
    return (
        table if table.class_codes.min(initial=0) >= 0 else table.take(np.flatnonzero(table.class_codes >= 0))
    )


def weighty(table: Table) -> Table:
    """The rows of weight above zero."""
    weights = table.weights
    return table if not weights.size or weights.all() else table.take(np.flatnonzero(weights))


def counted_rows(table: Table) -> Table:
    """The rows that have a label and a weight above zero."""
    return weighty(labelled(table))
