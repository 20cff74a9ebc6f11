"""Newton's method on the primal: squared loss, on rows (linear) or on the kernel matrix.

The cost of squared slack is piecewise quadratic, so once the set of rows with slack no longer changes a full
step ends at the optimum. Many dense rows are begun from the solution of a sixteenth of them.

On a kernel matrix the function is sum b_i k(x_i, .) + bias, and rows without slack have b = 0, so that a step
solves (K + D) b + bias = z over the others: the singular inverse of the documents' SVM-Primal-Kernel never
comes up, since D is positive.
"""

from __future__ import annotations

import numpy as np

from acumen.geometry.kernel import Rows, is_sparse
from acumen.svm.solvers.certificate import DualPoint, PrimalPoint, feasible
from acumen.svm.solvers.gram import Gram
from acumen.svm.solvers.newton_steps import solve_psd, steps_for
from acumen.svm.solvers.problem import BoxProblem
from acumen.svm.solvers.smo import require_room
from acumen.types import Bools, Floats

_STEPS = 200


def solve_linear(
    X: Rows, problem: BoxProblem, *, tol: float, max_iter: int | None, start: Floats | None = None
) -> PrimalPoint:
    """Newton steps over rows; `start` is (w, bias) to begin from."""
    limit = _STEPS if max_iter is None else max_iter
    u = np.zeros(X.shape[1] + 1) if start is None else start.copy()
    stopped, steps = "max_iter", 0
    if start is None and not is_sparse(X) and X.shape[0] > max(20_000, 800 * len(u)):
        part = _from_a_part(X, problem, tol)
        u = np.append(part.w, part.bias)
    run = steps_for(X, problem, u)
    while steps < limit:
        steps += 1
        if run.step(tol):
            stopped = ""
            break
    b = feasible(problem, problem.pull(run.decision))
    return PrimalPoint(run.u[:-1].copy(), float(run.u[-1]), b, steps, stopped, run.decision)


def _from_a_part(X: Floats, problem: BoxProblem, tol: float) -> PrimalPoint:
    """The solution of a sixteenth of the rows at sixteen times their cost: a good place to begin."""
    rows = np.sort(np.random.default_rng(0).choice(len(X), len(X) // 16, replace=False))
    part = problem.take(rows)
    share = problem.cost.sum() / max(part.cost.sum(), 1e-300)
    some = BoxProblem(
        part.z, part.low, part.high, part.ridge / share, part.cost * share, part.epsilon, part.balanced,
        part.loss, part.numbers,
    )  # fmt: skip
    return solve_linear(X[rows], some, tol=max(tol, 1e-2), max_iter=30)


def solve_kernel(gram: Gram, problem: BoxProblem, *, tol: float, max_iter: int | None) -> DualPoint:
    """Newton steps over the kernel matrix, which is held whole."""
    require_room("newton", gram.n)
    n = gram.n
    kernel = gram.in_double().square(np.arange(n))[:, :n]
    b, bias = np.zeros(n), 0.0
    decision = np.zeros(n)
    limit = _STEPS if max_iter is None else max_iter
    steps = 0
    while steps < limit:
        steps += 1
        active = problem.slack(decision) > 0
        goal, goal_bias = _stationary(kernel, problem, decision, active)
        there = kernel @ goal + goal_bias
        length, here = 1.0, problem.primal(float(b @ (decision - bias)), decision)
        while True:
            trial = b + length * (goal - b)
            trial_bias = bias + length * (goal_bias - bias)
            moved = decision + length * (there - decision)
            value = problem.primal(float(trial @ (moved - trial_bias)), moved)
            if value <= here or length < 1e-10:
                break
            length *= 0.5
        if value > here:
            break
        b, bias, decision = trial, trial_bias, moved
        same = np.array_equal(problem.slack(decision) > 0, active)
        if (length == 1.0 and same) or here - value <= 1e-12 * abs(here):
            break
    b = feasible(problem, b)
    gradient = kernel @ b + problem.ridge * b - problem.z
    worst = problem.violation(b, gradient)
    return DualPoint(b, gradient, worst, steps, "max_iter" if worst > tol else "")


def _stationary(kernel: Floats, problem: BoxProblem, decision: Floats, active: Bools) -> tuple[Floats, float]:
    """Where the gradient vanishes as long as `active` are the rows with slack."""
    rows = np.flatnonzero(active)
    b = np.zeros(len(decision))
    if not len(rows):
        return b, 0.0
    system = kernel[np.ix_(rows, rows)] + np.diag(problem.ridge[rows])
    goal = problem.z[rows]
    if problem.numbers:
        goal = goal - problem.epsilon * np.sign(goal - decision[rows])
    if not problem.balanced:
        b[rows] = solve_psd(system, goal)
        return b, 0.0
    both = solve_psd(system, np.column_stack([goal, np.ones(len(rows))]))
    bias = float(both[:, 0].sum() / both[:, 1].sum())
    b[rows] = both[:, 0] - bias * both[:, 1]
    return b, bias
