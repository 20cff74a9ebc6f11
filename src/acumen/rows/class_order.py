"""Classes in an order: which targets have one, how it is declared, and what a wrong rank costs.

    in_order      whether the classes of a target lie in an order
    no_order      the sentence on a target whose classes do not
    rank_costs    |i - j|, what an answer costs that is so many ranks off
    monotone      probabilities of "higher than this class" that fall from class to class

An ordinal target is in order; so are two classes, which have no between, and numbers, smallest first.
"""

from __future__ import annotations

import numpy as np

from acumen import messages
from acumen.data.escape import printable, shorten
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.engines.blocks import Source
from acumen.engines.run import run
from acumen.summaries.counts import LevelCounts
from acumen.types import Floats


def in_order(target: Attribute | None) -> bool:
    """Whether the classes lie in an order: declared, or as there are two, or as they are numbers."""
    if target is None or not target.is_nominal:
        return False
    if target.ordered or len(target.levels) <= 2:
        return True
    if any(isinstance(level, str) for level in target.levels):
        return False
    return all(float(a) < float(b) for a, b in zip(target.levels, target.levels[1:], strict=False))


def has_class_order(target: Attribute | None) -> bool:
    """Whether a person declared an order of at least three classes, so that how far off an answer is matters."""
    return target is not None and target.ordered and len(target.levels) > 2


def no_order(schema: Schema) -> str | None:
    """A sentence on classes without an order, which says how to declare it; None where they have one."""
    target = schema.target
    if target is None or in_order(target):
        return None
    shown = [shorten(printable(level), 20) for level in target.levels]
    named = ", ".join(shown[:4]) + (", ..." if len(shown) > 4 else "")
    how = (
        f"{messages.option('kinds', {target.name: 'ordinal'})}"
        f"{messages.in_python(' and')} {messages.option('levels', {target.name: ['lowest', '...', 'highest']})}"
    )
    return (
        f"it is for classes in an order, and those of {printable(target.name)!r} ({named}) have none; declare it when "
        f"the table is read: {how}{messages.in_python(', or give y as an ordered categorical')}."
    )


def rank_costs(k: int) -> Floats:
    """|i - j|: by how many ranks an answer is off; rows predicted, columns true."""
    ranks = np.arange(k, dtype=np.float64)
    return np.abs(ranks[:, None] - ranks[None, :])


def monotone(above: Floats) -> Floats:
    """P(higher than class k), a line for each row, made to fall: the nearest falling line, neighbours pooled.

    g_k = min over a <= k of the max over b >= k of the mean from a to b (Barlow et al. 1972), so that no order of
    pooling decides.
    """
    n, k = above.shape
    costs = np.full((n, k), np.inf)
    for first in range(k):
        counts = np.arange(1, k - first + 1)
        means = np.cumsum(above[:, first:], axis=1) / counts
        highest = np.maximum.accumulate(means[:, ::-1], axis=1)[:, ::-1]
        costs[:, first:] = np.minimum(costs[:, first:], highest)
    return np.clip(costs, 0.0, 1.0)


# -- weights of classes ---------------------------------------------------------------------------
#
# The labelled rows of a table, and what the classes weigh.


def class_totals(source: Source) -> Floats:
    """The weight of each class, added up as summaries are: the same however the rows are cut."""
    return run(_class_counts, source).known_counts[:, 0]


def _class_counts(rows: Table) -> LevelCounts:
    return LevelCounts.of(
        np.zeros_like(rows.class_codes), rows.class_codes, rows.weights, rows.schema.n_classes, 1
    )


def drop_unlabelled(table: Table) -> Table:
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
    return weighty(drop_unlabelled(table))
