"""Solvers of logistic regression: which method of `optimise` gets what.

    newton      second derivatives of all rows where they are cheap (beyond 400 coefficients only once L-BFGS is near);
                else of a sample of rows or, beyond 3,000 coefficients, of the most frequent columns, as a
                preconditioner of L-BFGS over all rows; if the caller wants them, those of all rows near the end
    lbfgs       L-BFGS with a rough preconditioner
    gradient    gradient descent with line search; accelerated proximal steps with l1
    sgd         averaged mini-batches

With l1: proximal Newton (beyond 3,000 coefficients L-BFGS-B), L-BFGS-B, accelerated proximal gradient, and
shrinking after each mini-batch.

The rough preconditioner is an inverse of the second derivatives at the point zero, where all classes are equally
likely. There they are a fraction of the columns' products, the same for every line. The products come from a sample of
the rows; for a sparse matrix only from its most frequent columns, with the others taken as independent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from acumen import _native
from acumen.engines.cores import cores
from acumen.linear.design import column_sums
from acumen.linear.logistic_loss import LogisticLoss
from acumen.optimise.descent import gradient_descent, stochastic_descent
from acumen.optimise.lbfgs import lbfgs, lbfgs_l1
from acumen.optimise.newton import CholeskyFactor, newton
from acumen.optimise.proximal import proximal_gradient, proximal_newton, shrunk
from acumen.optimise.trace import TOO_MANY, Descent, Trace, dot
from acumen.types import Floats, Indices

Solver = Literal["newton", "lbfgs", "gradient", "sgd"]

#: Steps allowed unless the user says otherwise; of sgd they are rounds through the rows.
MOST_STEPS = {"newton": 100, "lbfgs": 1000, "gradient": 10_000, "sgd": 100}
BATCH = 32
#: Beyond so many coefficients no matrix of second derivatives is made.
MOST_COEFFICIENTS = 3000
#: Multiplications for which all rows' second derivatives are cheap enough to be had at every step.
CHEAP = 5e7
#: The largest entry of a gradient from which a step of a sample's second derivatives leads close to the end.
_NEAR = 1e-4
_FAR = 1e-3  # second derivatives of a point further away, for its size, are not taken for those of the end
_MIDDLE = 32  # of so many rows or more one stands for all in the first sample: there is room for one between
_FEW = 4  # samples, of which all rows are taken at once
_LARGE = 400  # coefficients, of which a step of exact second derivatives is dear
_ROUND = 25  # steps before a preconditioner that does not help is made from more rows


def descend(
    loss: LogisticLoss,
    *,
    l1: Floats | None,
    solver: Solver,
    batch: int | None,
    tol: float,
    max_iter: int | None,
    random_state: Any,
    curved: bool = False,
) -> Descent:
    """Minimise the loss; `l1` is the weight of each coefficient's absolute value in it, or None.

    `curved` says that the second derivatives of all rows are wanted at the end: a method to which they are of use
    then has them by the way.
    """
    start = np.zeros(loss.size)
    most = MOST_STEPS[solver] if max_iter is None else max_iter
    if solver == "newton":
        return _newton(loss, start, l1, tol, most, curved)
    if solver == "lbfgs":
        return _lbfgs(loss, start, l1, tol, most)
    if solver == "gradient" and l1 is None:
        return gradient_descent(loss, start, tol=tol, max_iter=most)
    if solver == "gradient":
        assert l1 is not None
        return proximal_gradient(loss, start, l1=l1, tol=tol, max_iter=most)
    return _stochastic(loss, start, l1, batch or BATCH, tol, most, random_state)


def _lbfgs(loss: LogisticLoss, start: Floats, l1: Floats | None, tol: float, most: int) -> Descent:
    if l1 is not None:
        return lbfgs_l1(loss, start, l1=l1, tol=tol, max_iter=most)
    return lbfgs(loss, start, precondition=preconditioner(loss), tol=tol, max_iter=most)


def _newton(
    loss: LogisticLoss, start: Floats, l1: Floats | None, tol: float, most: int, curved: bool
) -> Descent:
    if loss.size > MOST_COEFFICIENTS:
        return _lbfgs(loss, start, l1, tol, most)
    thin = _thin(loss.n_rows, loss.size)
    if thin < _FEW:
        if l1 is None and loss.size > _LARGE:  # what costs the cube of all coefficients is left for the end
            start = _lbfgs(loss, start, l1, max(tol, _NEAR), MOST_STEPS["lbfgs"]).point
        return _exact(loss, start, l1, tol, most)
    # A model of few rows is nearly that of all, and costs next to nothing.
    start = _lbfgs(loss.every(thin), start, l1, 1e-3, 100).point
    if l1 is not None or loss.hessian_cost() <= CHEAP:
        return _exact(loss, start, l1, tol, most)
    if not curved:
        return _run_preconditioned(loss, start, thin, tol, most)[0]
    return _approach(loss, start, thin, tol, most)


def _thin(n_rows: int, size: int) -> int:
    """One row of so many is enough for a first guess."""
    return n_rows // max(4000, 20 * size)


def is_stepwise(n_rows: int, size: int) -> bool:
    """Whether Newton's method goes over all rows from zero on: equal sums give equal steps."""
    return _thin(n_rows, size) < _FEW and size <= _LARGE


def _exact(loss: LogisticLoss, start: Floats, l1: Floats | None, tol: float, most: int) -> Descent:
    if l1 is None:
        return newton(loss.second_order, start, tol=tol, max_iter=most)
    return proximal_newton(loss.second_order, start, l1=l1, tol=tol, max_iter=most)


def _approach(loss: LogisticLoss, start: Floats, thin: int, tol: float, most: int) -> Descent:
    """As `_run_preconditioned`, until a step or two are left: these are by the second derivatives of all rows.

    The point they are taken at is one step ahead of the last gradient, since a gradient comes with them.
    """
    inverse = None
    if thin >= _MIDDLE:  # one step on more rows, whose second derivatives then serve the steps on all
        thin //= 8
        _, gradient, hessian = loss.every(thin).second_order(start)
        inverse = CholeskyFactor(hessian)
        start = start - inverse(gradient)
    near, inverse = _run_preconditioned(loss, start, thin, max(tol, _NEAR), most, inverse)
    remaining = most - near.steps
    if not near.converged or remaining <= 0:
        return near
    there = near.point - inverse(near.gradient)
    value, gradient, hessian = loss.second_order(there)
    if not value <= near.value:  # the sample misled
        there = near.point
        value, gradient, hessian = loss.second_order(there)
    exact = CholeskyFactor(hessian)
    final = lbfgs(loss, there, precondition=exact, tol=tol, max_iter=remaining, known=(value, gradient))
    last = exact(-final.gradient)
    apart = np.abs(final.point + last - there).max(initial=0.0)
    if not final.converged or apart > _FAR * (1.0 + np.abs(there).max(initial=0.0)):
        return replace(final, trace=_join_traces([near, final], 0))
    value = final.value + 0.5 * dot(final.gradient, last)  # what the parabola promises of a step this short
    return replace(
        final, point=final.point + last, value=value, hessian=hessian, trace=_join_traces([near, final], 0)
    )


def _run_preconditioned(
    loss: LogisticLoss, start: Floats, thin: int, tol: float, most: int, inverse: CholeskyFactor | None = None
) -> tuple[Descent, CholeskyFactor]:
    """L-BFGS over all rows, the second derivatives of a sample being its first guess; and these."""
    rounds: list[Descent] = []
    remaining = most
    while True:
        if inverse is None:
            # With several lines the matrix of every pair costs more than what half of its rows leave to be done.
            apart = 2 * thin if loss.lines > 1 and not rounds else thin
            some = loss.every(apart) if apart > 1 else loss
            inverse = CholeskyFactor(some.second_order(start)[2])
        minimum = lbfgs(loss, start, precondition=inverse, tol=tol, max_iter=min(_ROUND, remaining))
        rounds.append(minimum)
        remaining -= minimum.steps
        if minimum.converged or minimum.reason != TOO_MANY or remaining <= 0:
            break
        start, thin, inverse = minimum.point, max(1, thin // 4), None
    return replace(minimum, trace=_join_traces(rounds), hessian=None), inverse


def _join_traces(rounds: Sequence[Descent], again: int = 1) -> Trace:
    """The traces of descents that follow on one another; the first `again` points of each were in the one before."""
    losses = [rounds[0].trace.loss, *(r.trace.loss[again:] for r in rounds[1:])]
    sizes = [rounds[0].trace.gradient, *(r.trace.gradient[again:] for r in rounds[1:])]
    return Trace("sampled Newton", np.concatenate(losses), np.concatenate(sizes))


def _stochastic(
    loss: LogisticLoss, start: Floats, l1: Floats | None, batch: int, tol: float, most: int, random_state: Any
) -> Descent:
    width = loss.design.width + 1 if not loss.design.sparse else 2
    shrink = None if l1 is None else lambda point, step: shrunk(point, step * l1)

    def value(point: Floats) -> float:
        loss_value = loss(point)[0]
        return loss_value if l1 is None else loss_value + float(l1 @ np.abs(point))

    return stochastic_descent(
        loss.gradient_of, value, loss.n_rows, start, batch=batch, rate=4.0 / width, epochs=most, tol=tol,
        shrink=shrink, random_state=random_state,
    )  # fmt: skip


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
    inverse = CholeskyFactor(products)

    def apply(vector: Floats) -> Floats:
        by_line = vector.reshape(lines, width + 1)
        scaled = by_line / each
        for k in range(lines):
            scaled[k, at] = inverse(by_line[k, at])
        return scaled.ravel()

    return apply


def _squares(loss: LogisticLoss) -> Floats:
    """The mean square of each column, and of the intercept's ones."""
    mean_squares = np.ones(loss.design.width + 1)
    if loss.design.sparse:
        turned = loss.design.values.tocsc() if loss.design.turned is None else loss.design.turned
        squares = turned.data**2
        if loss.weights.size:
            squares *= loss.weights[turned.indices]
        mean_squares[:-1] = column_sums(turned, squares) * loss.design.factor**2 / loss.total
    return mean_squares


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
