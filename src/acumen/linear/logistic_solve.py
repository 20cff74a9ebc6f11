"""How logistic regression is solved: which method of `optimise` is given what.

    newton      second derivatives of all rows where that is cheap (of more than 400 coefficients once L-BFGS has come
                near); else of a sample of the rows, or (beyond 3,000 coefficients) of the most frequent columns, which
                then precondition L-BFGS over all rows; where they are wanted at the end, those of all rows near it
    lbfgs       L-BFGS, roughly preconditioned
    gradient    gradient descent with searched steps; accelerated proximal steps with l1
    sgd         mini-batches, averaged

With l1: proximal Newton (beyond 3,000 coefficients L-BFGS-B), L-BFGS-B, accelerated proximal gradient, and
shrinking after each mini-batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from acumen.linear.logistic_loss import LogisticLoss
from acumen.linear.precondition import preconditioner
from acumen.optimise.descent import gradient_descent, stochastic_descent
from acumen.optimise.lbfgs import lbfgs, lbfgs_l1
from acumen.optimise.newton import Factor, newton
from acumen.optimise.proximal import proximal_gradient, proximal_newton, shrunk
from acumen.optimise.trace import TOO_MANY, Descent, Trace, dot
from acumen.types import Floats

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
        return _preconditioned(loss, start, thin, tol, most)[0]
    return _approached(loss, start, thin, tol, most)


def _thin(n_rows: int, size: int) -> int:
    """One row of so many is enough for a first guess."""
    return n_rows // max(4000, 20 * size)


def is_stepwise(n_rows: int, size: int) -> bool:
    """Whether Newton's method goes over all rows from zero on: whoever has the same sums takes the same steps."""
    return _thin(n_rows, size) < _FEW and size <= _LARGE


def _exact(loss: LogisticLoss, start: Floats, l1: Floats | None, tol: float, most: int) -> Descent:
    if l1 is None:
        return newton(loss.curved, start, tol=tol, max_iter=most)
    return proximal_newton(loss.curved, start, l1=l1, tol=tol, max_iter=most)


def _approached(loss: LogisticLoss, start: Floats, thin: int, tol: float, most: int) -> Descent:
    """As `_preconditioned`, until a step or two are left: these are by the second derivatives of all rows.

    The point they are taken at is one step ahead of the last gradient, since a gradient comes with them.
    """
    inverse = None
    if thin >= _MIDDLE:  # one step on more rows, whose second derivatives then serve the steps on all
        thin //= 8
        _, gradient, hessian = loss.every(thin).curved(start)
        inverse = Factor(hessian)
        start = start - inverse(gradient)
    near, inverse = _preconditioned(loss, start, thin, max(tol, _NEAR), most, inverse)
    left = most - near.steps
    if not near.converged or left <= 0:
        return near
    there = near.point - inverse(near.gradient)
    value, gradient, hessian = loss.curved(there)
    if not value <= near.value:  # the sample misled
        there = near.point
        value, gradient, hessian = loss.curved(there)
    exact = Factor(hessian)
    found = lbfgs(loss, there, precondition=exact, tol=tol, max_iter=left, known=(value, gradient))
    last = exact(-found.gradient)
    apart = np.abs(found.point + last - there).max(initial=0.0)
    if not found.converged or apart > _FAR * (1.0 + np.abs(there).max(initial=0.0)):
        return replace(found, trace=_one_trace([near, found], 0))
    value = found.value + 0.5 * dot(found.gradient, last)  # what the parabola promises of a step this short
    return replace(
        found, point=found.point + last, value=value, hessian=hessian, trace=_one_trace([near, found], 0)
    )


def _preconditioned(
    loss: LogisticLoss, start: Floats, thin: int, tol: float, most: int, inverse: Factor | None = None
) -> tuple[Descent, Factor]:
    """L-BFGS over all rows, the second derivatives of a sample being its first guess; and these."""
    rounds: list[Descent] = []
    left = most
    while True:
        if inverse is None:
            # With several lines the matrix of every pair costs more than what half of its rows leave to be done.
            apart = 2 * thin if loss.lines > 1 and not rounds else thin
            some = loss.every(apart) if apart > 1 else loss
            inverse = Factor(some.curved(start)[2])
        found = lbfgs(loss, start, precondition=inverse, tol=tol, max_iter=min(_ROUND, left))
        rounds.append(found)
        left -= found.steps
        if found.converged or found.reason != TOO_MANY or left <= 0:
            break
        start, thin, inverse = found.point, max(1, thin // 4), None
    return replace(found, trace=_one_trace(rounds), hessian=None), inverse


def _one_trace(rounds: Sequence[Descent], again: int = 1) -> Trace:
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
        found = loss(point)[0]
        return found if l1 is None else found + float(l1 @ np.abs(point))

    return stochastic_descent(
        loss.gradient_of, value, loss.n_rows, start, batch=batch, rate=4.0 / width, epochs=most, tol=tol,
        shrink=shrink, random_state=random_state,
    )  # fmt: skip
