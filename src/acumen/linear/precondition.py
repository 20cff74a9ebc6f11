"""A rough inverse of the second derivatives, from few rows and without knowing the coefficients.

They are taken at the point zero, where every class is as likely as the others: there they are a share of the
columns' products, the same for every line. The products are those of a sample of the rows; of a sparse matrix
only among its most frequent columns, which occur together, the others being taken to be independent.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from acumen import _native
from acumen.engines.cores import cores
from acumen.linear.design import column_sums
from acumen.linear.logistic_loss import LogisticLoss
from acumen.optimise.newton import Factor
from acumen.types import Floats, Indices

_FREQUENT = 63  # columns of a sparse matrix
_SAMPLE = 4096  # rows
_WIDEST = 3000  # columns of a dense one


def preconditioner(loss: LogisticLoss) -> Callable[[Floats], Floats]:
    """A function that applies the rough inverse to a vector of all coefficients."""
    lines, width = loss.lines, loss.design.width
    share = 0.25 if lines == 1 else 1 / lines
    ridge = loss.ridge / loss.total
    each = share * _squares(loss) + ridge
    each[each <= 0] = 1.0
    at, products = _together(loss)
    products *= share
    products[np.diag_indices(len(at))] += ridge[at] + 1e-6 * each[at]
    inverse = Factor(products)

    def apply(vector: Floats) -> Floats:
        by_line = vector.reshape(lines, width + 1)
        made = by_line / each
        for k in range(lines):
            made[k, at] = inverse(by_line[k, at])
        return made.ravel()

    return apply


def _squares(loss: LogisticLoss) -> Floats:
    """The mean square of each column, and of the intercept's ones."""
    made = np.ones(loss.design.width + 1)
    if loss.design.sparse:
        turned = loss.design.values.tocsc() if loss.design.turned is None else loss.design.turned
        squares = turned.data**2
        if loss.weights.size:
            squares *= loss.weights[turned.indices]
        made[:-1] = column_sums(turned, squares) * loss.design.factor**2 / loss.total
    return made


def _together(loss: LogisticLoss) -> tuple[Indices, Floats]:
    """The columns whose products are kept, the intercept's ones behind them, and their mean products.

    The kernel makes them, as four times the second derivatives of two classes at the point zero: BLAS would do, but
    its threads get in the way of ours.
    """
    design, width = loss.design, loss.design.width
    thin = max(1, loss.n_rows // _SAMPLE)
    if design.sparse:
        some = design.values[::thin]
        often = np.argsort(-np.bincount(some.indices, minlength=width), kind="stable")
        kept = np.sort(often[:_FREQUENT])
        block = some[:, kept].toarray() * design.factor[kept]
    else:
        kept = np.arange(width if width <= _WIDEST else 0)
        block = loss.standard(slice(None, None, thin))[:, : len(kept)]
    size = len(kept)
    weights = np.ascontiguousarray(loss.weights[::thin])
    products, gradient = np.empty((size + 1, size + 1)), np.empty((1, size + 1))
    _native.logistic_dense(
        np.ascontiguousarray(block), np.zeros(size), np.ones(size), np.zeros(len(block), dtype=np.int32), weights,
        np.zeros((1, size + 1)), gradient, products, cores(),
    )  # fmt: skip
    products *= 4.0 / (weights.sum() if weights.size else len(block))
    at: Indices = np.r_[kept, width]
    return at, products
