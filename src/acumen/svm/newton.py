"""Newton's method on the primal: squared loss, on rows (linear) or on the kernel matrix.

The cost of squared slack is piecewise quadratic, so once the set of rows with slack no longer changes a full
step ends at the optimum. A step takes n d^2 operations; rows that enter and leave the set only are added to and
taken from the Hessian of the step before. Many rows are begun from the solution of a sixteenth of them. For
sparse and wide rows the system is solved by conjugate gradients instead, without ever being written down.

On a kernel matrix the function is sum b_i k(x_i, .) + bias, and rows without slack have b = 0, so that a step
solves (K + D) b + bias = z over the others: the singular inverse of the documents' SVM-Primal-Kernel never
comes up, since D is positive.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from acumen.geometry.kernel import Rows, is_sparse
from acumen.svm.certificate import feasible
from acumen.svm.gram import Gram
from acumen.svm.linear_rows import back, times, weighted_gram
from acumen.svm.problem import BoxProblem
from acumen.svm.smo import require_room
from acumen.svm.solution import DualPoint, PrimalPoint
from acumen.types import Bools, Floats

#: Beyond so many attributes conjugate gradients take the place of a Cholesky factor.
WIDEST = 2000
_STEPS = 200
_FEW = 1.0e-3  # a step that promises less than this share of tol x objective is the last


def solve_linear(
    X: Rows, problem: BoxProblem, *, tol: float, max_iter: int | None, start: Floats | None = None
) -> PrimalPoint:
    """Newton steps over rows; `start` is (w, bias) to begin from."""
    limit = _STEPS if max_iter is None else max_iter
    u = np.zeros(X.shape[1] + 1) if start is None else start.copy()
    if start is None and not is_sparse(X) and X.shape[0] > max(20_000, 800 * len(u)):
        u = _from_a_part(X, problem, tol)
    run = _Linear(X, problem, u)
    stopped = "max_iter"
    steps = 0
    try:
        while steps < limit:
            steps += 1
            if run.step(tol):
                stopped = ""
                break
    except KeyboardInterrupt:
        stopped = "interrupted"
    b = feasible(problem, problem.pull(run.decision))
    return PrimalPoint(run.u[:-1].copy(), float(run.u[-1]), b, steps, stopped, run.decision)


def _from_a_part(X: Floats, problem: BoxProblem, tol: float) -> Floats:
    """The solution of a sixteenth of the rows at sixteen times their cost: a good place to begin."""
    rows = np.sort(np.random.default_rng(0).choice(len(X), len(X) // 16, replace=False))
    part = problem.take(rows)
    share = problem.cost.sum() / max(part.cost.sum(), 1e-300)
    some = BoxProblem(
        part.z, part.low, part.high, part.ridge / share, part.cost * share, part.epsilon, part.balanced,
        part.loss, part.numbers,
    )  # fmt: skip
    found = solve_linear(X[rows], some, tol=max(tol, 1e-2), max_iter=30)
    return np.append(found.w, found.bias)


class _Linear:
    """Weights and bias (u), the rows' decisions, and the Hessian of the last step."""

    def __init__(self, X: Rows, problem: BoxProblem, u: Floats) -> None:
        self.X, self.problem, self.u = X, problem, u
        self.penalty = np.ones(len(u))
        if problem.balanced:
            self.penalty[-1] = 0.0
        self.decision = times(X, u[:-1]) + u[-1]
        self.active: Bools | None = None
        self.hessian: Floats = np.empty((0, 0))

    def objective(self, u: Floats, decision: Floats) -> float:
        return self.problem.primal(float(self.penalty @ u**2), decision)

    def step(self, tol: float) -> bool:
        """One Newton step with its line search; whether it was the last that is needed."""
        problem = self.problem
        pull = problem.pull(self.decision)
        gradient = self.penalty * self.u - np.append(back(self.X, pull), pull.sum())
        active = pull != 0
        wide = is_sparse(self.X) or len(self.u) > WIDEST
        direction = self._conjugate(gradient, active, tol) if wide else self._newton(gradient, active)
        promise = -float(gradient @ direction)
        here = self.objective(self.u, self.decision)
        if promise <= 1e-15 * abs(here):
            return True
        moved = times(self.X, direction[:-1]) + direction[-1]
        length = 1.0
        while True:
            u, decision = self.u + length * direction, self.decision + length * moved
            there = self.objective(u, decision)
            if there <= here - 1e-4 * length * promise or length < 1e-10:
                break
            length *= 0.5
        if there > here:  # rounding is all that is left
            return True
        self.u, self.decision = u, decision
        settled = length == 1.0 and not wide and bool(np.array_equal(problem.slack(decision) > 0, active))
        return settled or 0.5 * promise <= _FEW * tol * abs(there)

    def _newton(self, gradient: Floats, active: Bools) -> Floats:
        twice = 2.0 * self.problem.cost
        if self.active is not None and 2 * np.count_nonzero(active != self.active) < np.count_nonzero(active):
            self.hessian += weighted_gram(self.X, twice, active & ~self.active)
            self.hessian -= weighted_gram(self.X, twice, self.active & ~active)
        else:
            self.hessian = weighted_gram(self.X, twice, active)
        self.active = active
        return -solve_psd(self.hessian + np.diag(self.penalty), gradient)

    def _conjugate(self, gradient: Floats, active: Bools, tol: float) -> Floats:
        rows = np.flatnonzero(active)
        some, twice = self.X[rows], 2.0 * self.problem.cost[rows]

        def hessian_times(v: Floats) -> Floats:
            through = twice * (times(some, v[:-1]) + v[-1])
            return self.penalty * v + np.append(back(some, through), through.sum())

        # The bias of a free one has no penalty of its own; the rows' share of the diagonal makes up for it.
        scale = self.penalty.copy()
        if is_sparse(some):
            scale[:-1] += back(some.multiply(some).tocsr(), twice)
        else:
            scale[:-1] += back(some * some, twice)
        scale[-1] += twice.sum()
        return conjugate_gradients(
            hessian_times, -gradient, np.maximum(scale, 1e-300), 0.03 * min(1.0, tol**0.25)
        )


def conjugate_gradients(
    multiply: Callable[[Floats], Floats], right: Floats, scale: Floats, accuracy: float
) -> Floats:
    """An approximate solution of A x = right, preconditioned by the diagonal `scale`."""
    x = np.zeros(len(right))
    residual = right.copy()
    z = residual / scale
    direction, size = z.copy(), float(residual @ z)
    goal = accuracy * accuracy * size
    for _ in range(10 * len(right) + 10):
        if size <= goal or size == 0:
            break
        through = multiply(direction)
        curve = float(direction @ through)
        if curve <= 0:
            break
        x += size / curve * direction
        residual -= size / curve * through
        z = residual / scale
        before, size = size, float(residual @ z)
        direction = z + size / before * direction
    return x


def solve_psd(matrix: Floats, right: Floats) -> Floats:
    """The solution of a positive semidefinite system; the least one where it is singular."""
    from scipy.linalg import LinAlgError, cho_factor, cho_solve

    try:
        return np.asarray(cho_solve(cho_factor(matrix, check_finite=False), right, check_finite=False))
    except LinAlgError:
        return np.asarray(np.linalg.lstsq(matrix, right, rcond=None)[0])


def solve_kernel(gram: Gram, problem: BoxProblem, *, tol: float, max_iter: int | None) -> DualPoint:
    """Newton steps over the kernel matrix, which is held whole."""
    require_room("newton", gram.n)
    n = gram.n
    kernel = gram.doubled().square(np.arange(n))[:, :n]
    b, bias = np.zeros(n), 0.0
    decision = np.zeros(n)
    limit = _STEPS if max_iter is None else max_iter
    stopped, steps = "max_iter", 0
    try:
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
                stopped = ""
                break
            b, bias, decision = trial, trial_bias, moved
            same = np.array_equal(problem.slack(decision) > 0, active)
            if (length == 1.0 and same) or here - value <= 1e-12 * abs(here):
                stopped = ""
                break
    except KeyboardInterrupt:
        stopped = "interrupted"
    b = feasible(problem, b)
    gradient = kernel @ b + problem.ridge * b - problem.z
    worst = problem.violation(b, gradient)
    if stopped != "interrupted":
        stopped = "max_iter" if worst > tol else ""
    return DualPoint(b, gradient, worst, steps, stopped)


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
