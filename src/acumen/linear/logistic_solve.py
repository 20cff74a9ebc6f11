"""How logistic regression is solved: which method of `optimise` is given what.

    newton      second derivatives of all rows where that is cheap; else of a sample of the rows, or (beyond 3,000
                coefficients) of the most frequent columns, which then precondition L-BFGS over all rows
    lbfgs       L-BFGS, roughly preconditioned
    gradient    gradient descent with searched steps; accelerated proximal steps with l1
    sgd         mini-batches, averaged

With l1: proximal Newton (beyond 3,000 coefficients L-BFGS-B), L-BFGS-B, accelerated proximal gradient, and
shrinking after each mini-batch.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np

from acumen.linear.logistic_loss import LogisticLoss
from acumen.linear.precondition import preconditioner
from acumen.optimise.descent import gradient_descent, stochastic_descent
from acumen.optimise.lbfgs import lbfgs, lbfgs_l1
from acumen.optimise.newton import Factor, newton
from acumen.optimise.proximal import proximal_gradient, proximal_newton, shrunk
from acumen.optimise.trace import TOO_MANY, Descent, Trace
from acumen.types import Floats

Solver = Literal["newton", "lbfgs", "gradient", "sgd"]

#: Steps allowed unless the user says otherwise; of sgd they are rounds through the rows.
MOST_STEPS = {"newton": 100, "lbfgs": 1000, "gradient": 10_000, "sgd": 100}
BATCH = 32
#: Beyond so many coefficients no matrix of second derivatives is made.
MOST_COEFFICIENTS = 3000
#: Multiplications for which all rows' second derivatives are cheap enough to be had at every step.
CHEAP = 5e7
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
) -> Descent:
    """Minimise the loss; `l1` is the weight of each coefficient's absolute value in it, or None."""
    start = np.zeros(loss.size)
    most = MOST_STEPS[solver] if max_iter is None else max_iter
    if solver == "newton":
        return _newton(loss, start, l1, tol, most)
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


def _newton(loss: LogisticLoss, start: Floats, l1: Floats | None, tol: float, most: int) -> Descent:
    if loss.size > MOST_COEFFICIENTS:
        return _lbfgs(loss, start, l1, tol, most)
    sample = max(4000, 20 * loss.size)
    thin = loss.n_rows // sample
    if thin < 4:
        return _exact(loss, start, l1, tol, most)
    # A model of few rows is nearly that of all, and costs next to nothing.
    start = _lbfgs(loss.every(thin), start, l1, 1e-3, 100).point
    if l1 is not None or loss.hessian_cost() <= CHEAP:
        return _exact(loss, start, l1, tol, most)
    return _preconditioned(loss, start, thin, tol, most)


def _exact(loss: LogisticLoss, start: Floats, l1: Floats | None, tol: float, most: int) -> Descent:
    if l1 is None:
        return newton(loss.curved, start, tol=tol, max_iter=most)
    return proximal_newton(loss.curved, start, l1=l1, tol=tol, max_iter=most)


def _preconditioned(loss: LogisticLoss, start: Floats, thin: int, tol: float, most: int) -> Descent:
    """L-BFGS over all rows, the second derivatives of a sample being its first guess."""
    rounds: list[Descent] = []
    left = most
    while True:
        some = loss.every(thin) if thin > 1 else loss
        inverse = Factor(some.curved(start)[2])
        found = lbfgs(loss, start, precondition=inverse, tol=tol, max_iter=min(_ROUND, left))
        rounds.append(found)
        left -= found.steps
        if found.converged or found.reason != TOO_MANY or left <= 0:
            break
        start, thin = found.point, max(1, thin // 4)
    losses = np.concatenate([rounds[0].trace.loss, *(r.trace.loss[1:] for r in rounds[1:])])
    sizes = np.concatenate([rounds[0].trace.gradient, *(r.trace.gradient[1:] for r in rounds[1:])])
    return replace(found, trace=Trace("sampled Newton", losses, sizes), hessian=None)


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
