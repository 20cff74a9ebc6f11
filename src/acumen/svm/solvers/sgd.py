"""Primal subgradient descent: linear machines, cheap steps and a coarse end.

A row is drawn in proportion to its cost and the weights take a step of 1 / (lambda t) along its pull
(Pegasos); the answer is the mean of all steps' weights, late ones counting more. The rows' pulls, clipped to
the box, are a point of the dual, so that even this solver has a certificate. A free bias is descended as a
folded one whose penalty counts from where the descent before left it (the proximal point method): in the end it is
of no weight.
"""

from __future__ import annotations

from itertools import count

import numpy as np

from acumen import _native
from acumen.geometry.kernel import Rows, is_sparse
from acumen.svm.solvers.certificate import PrimalPoint, certify, feasible
from acumen.svm.solvers.linear_rows import back, native_rows, squares, times
from acumen.svm.solvers.problem import BoxProblem
from acumen.types import Floats

_LEAST, _MOST = 200_000, 20_000_000  # steps tried first, and at last


def solve_linear(
    X: Rows, problem: BoxProblem, *, tol: float, max_iter: int | None, seed: int = 0
) -> PrimalPoint:
    """Ever longer descents until the gap is ten times `tol` of the primal objective.

    `max_iter` counts passes over the rows.
    """
    n = X.shape[0]
    # Weights and a free bias get in each other's way on rows far from zero; and the bias makes up for any centre.
    centre = np.zeros(X.shape[1])
    if problem.balanced and not is_sparse(X):
        centre = problem.cost @ X / problem.cost.sum()
        X = X - centre
    limit = _MOST if max_iter is None else max(max_iter, 1) * n
    steps = min(limit, max(_LEAST, 2 * n))
    done, best, stopped, shift = 0, None, "max_iter", 0.0
    for turns in count(1):
        solution = _descent(X, problem, steps, seed, shift)
        done += steps
        shift = float(solution[2][-1]) if problem.balanced else 0.0
        if best is None or solution[0] < best[0]:
            best = solution
        if best[1] <= 10 * tol:
            stopped = ""
            break
        if done >= limit:
            break
        steps, seed = min(steps if problem.balanced and turns % 3 else 4 * steps, limit - done), seed + 1
    assert best is not None
    _, _, u, b = best
    return PrimalPoint(u[:-1], float(u[-1] - u[:-1] @ centre), b, done, stopped)


def _descent(
    X: Rows, problem: BoxProblem, steps: int, seed: int, shift: float
) -> tuple[float, float, Floats, Floats]:
    """Primal value, relative gap, (w, bias) and dual point after so many steps; a free bias is near `shift`."""
    n, largest = X.shape[0], float(squares(X).max(initial=0.0))
    attribute = 1.0 if not problem.balanced else float(np.sqrt(max(largest, 1e-12)))
    ends = np.cumsum(problem.cost)
    # Squared loss has no bound on its pull: the first steps are held back until they cannot overshoot.
    delay = 2.0 * (largest + attribute**2) * float(ends[-1]) if problem.loss == "squared" else 0.0
    w, pulls = np.zeros(X.shape[1] + 1), np.zeros(n)
    _native.sgd(
        native_rows(X), problem.z, ends, problem.epsilon, attribute, shift, problem.numbers,
        problem.loss == "squared", steps, seed, delay, w, pulls,
    )  # fmt: skip
    through = times(X, w[:-1])
    w[-1] *= attribute
    if problem.balanced:
        w[-1] = best_bias(problem, through)
    square = float(w[:-1] @ w[:-1]) + (0.0 if problem.balanced else w[-1] ** 2)
    candidate = problem.pull(through + w[-1]) if problem.loss == "squared" else pulls
    b = feasible(problem, candidate)
    kernel_times_b = times(X, back(X, b)) + (0.0 if problem.balanced else b.sum())
    proof = certify(problem, b, kernel_times_b, square=square, decision=through + w[-1])
    return proof.primal, proof.relative_gap, w, b


def best_bias(problem: BoxProblem, through: Floats) -> float:
    """The bias of least cost for given weights: the cost is convex in it, so its slope has one root."""
    low = float((-np.abs(problem.z) - problem.epsilon - through).min()) - 1.0
    high = float((np.abs(problem.z) + problem.epsilon - through).max()) + 1.0
    for _ in range(100):
        middle = 0.5 * (low + high)
        if problem.pull(through + middle).sum() > 0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)
