"""Boosting of rows on many machines: they are coded where they are read, and one worker has all codes and the rounds.

A round is over in milliseconds, and each split of it asks all rows: tasks of such length would cost more than they
save. What is shared out is what takes long, reading and coding; codes are an eighth of the numbers or less.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from acumen.ensembles.coding import Coded
from acumen.ensembles.gradient import Boosted, Measured, Order
from acumen.ensembles.spread_codes import CodeBlock, codes_there, joined, require_room
from acumen.types import Codes

if TYPE_CHECKING:
    from acumen.base.cluster_learner import SpreadTable
    from acumen.engines.dask_there import There


def boosted_there(rows: SpreadTable, coded: Coded, order: Order, line: Codes, who: str) -> There:
    """What boosting comes to, on a worker: Boosted, and of numbers what they were measured by.

    `coded` has no rows; `line` is the place of each class, empty of numbers.
    """
    # As `BoostingFace.memory` has it: codes by rows, and a few numbers for each row and line.
    work = len(rows) * (2.0 * coded.coding.width + 60.0 + 24.0 * max(rows.schema.n_classes, 1))
    require_room(rows, coded, who, work, 1)
    there = codes_there(rows, coded, partial(joined, coded), "the rows of a boosting")
    return there.then(_boosted, order, line, alone=True)


def _boosted(rows: tuple[Coded, CodeBlock], order: Order, line: Codes) -> tuple[Boosted, Measured | None]:
    coded, block = rows
    if len(block.labels):
        labels = np.ascontiguousarray(line[block.labels])
        return order.done(coded, labels, block.response, block.weights), None
    weights = block.weights if block.weights.size else np.ones(len(block.response))
    measured = Measured.of(block.response, weights)
    found = order.done(coded, block.labels, measured.values, block.weights)
    return found, measured._replace(values=np.empty(0))  # the numbers themselves stay where they are
