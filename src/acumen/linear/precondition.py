"""A rough inverse of the second derivatives, for problems too wide to have them.

They are taken at the point zero, where every class is as likely as the others: a share of the columns' products.
Of a sparse matrix the products among the most frequent columns are kept, from a sample of the rows, since these
occur together; the others are taken to be independent. Dense columns are in standard units already.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from acumen.linear.logistic_loss import LogisticLoss
from acumen.optimise.newton import Factor
from acumen.types import Floats

_FREQUENT = 128  # columns
_SAMPLE = 4096  # rows


def preconditioner(loss: LogisticLoss) -> Callable[[Floats], Floats]:
    """A function that applies the rough inverse to a vector of all coefficients."""
    lines, width = loss.lines, loss.design.width
    share = 0.25 if lines == 1 else (1 - 1 / lines) / lines
    ridge = loss.ridge / loss.total
    square = np.ones(width + 1)
    if not loss.design.sparse:
        diagonal = np.tile(share * square + ridge, lines)
        return lambda vector: vector / diagonal
    values, factor = loss.design.values, loss.design.factor
    weights = loss.weights if loss.weights.size else np.ones(loss.n_rows)
    row = np.repeat(weights, np.diff(values.indptr))
    square[:-1] = np.bincount(values.indices, row * values.data**2, width) * factor**2 / loss.total
    each = share * square + ridge
    each[each <= 0] = 1.0
    frequent = np.sort(np.argsort(-np.bincount(values.indices, minlength=width), kind="stable")[:_FREQUENT])
    thin = max(1, loss.n_rows // _SAMPLE)
    block = np.c_[values[::thin][:, frequent].toarray() * factor[frequent], np.ones(len(weights[::thin]))]
    heavy = weights[::thin] / weights[::thin].sum()
    products = share * (block * heavy[:, None]).T @ block
    at = np.r_[frequent, width]
    products[np.diag_indices(len(at))] += ridge[at] + 1e-6 * each[at]
    inverse = Factor(products)

    def apply(vector: Floats) -> Floats:
        by_line = vector.reshape(lines, width + 1)
        made = by_line / each
        made[:, at] = inverse(np.ascontiguousarray(by_line[:, at].T)).T
        return made.ravel()

    return apply
