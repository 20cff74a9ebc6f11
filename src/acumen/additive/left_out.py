"""What an additive model would say of each training row without having seen it, approximately.

    left_out   rows and parts of a model -> scores of each row by the model of all the others, to second order

Taking one row away moves the optimum, to second order, by (H - h x x')^-1 x times the row's slope, where H are the
second derivatives with the penalty: one inverse serves all rows (Sherman and Morrison). Cuts and strengths, which the
row had a say in, stay as they are. Of several classes each line is moved by itself.
"""

from __future__ import annotations

import numpy as np

from acumen.additive.inverse import Inverse
from acumen.additive.losses import Loss
from acumen.additive.parts import Parts
from acumen.additive.penalty import Penalty
from acumen.data.table import Table
from acumen.engines.blas import blas_threads
from acumen.types import Floats


def left_out(parts: Parts, table: Table, loss: Loss) -> Floats:
    """The scores (rows, lines) of each training row by the model of all other rows."""
    rows = parts.layout.rows(table)
    scores = rows.scores(parts.coefficients)
    _, slope, shares = loss.at(scores)
    curve = loss.curvature(shares)
    penalty = Penalty.of(parts.layout, parts.weight).charge(parts.strengths).matrix
    made = scores.copy()
    with blas_threads(1):
        for k in range(parts.lines):
            own = np.ascontiguousarray(curve[:, k])
            reach = rows.forms(Inverse(rows.tables(own) + penalty).written)
            # A row that alone holds a slot of no penalty up would leave it without an answer.
            made[:, k] += slope[:, k] * reach / np.maximum(1.0 - own * reach, 1e-6)
    return made
