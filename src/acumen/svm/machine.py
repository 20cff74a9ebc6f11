"""One machine of two sides (or of numbers), trained: which solver, and what came out.

train      rows, problem, settings -> Machine
Machine    coefficients of the rows, weights where the kernel is linear, bias, decisions, certificate
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from acumen import messages
from acumen.errors import DataError
from acumen.geometry.kernel import Rows
from acumen.optimise.trace import dot
from acumen.svm.kernel_features import kernel_features
from acumen.svm.settings import SolverSettings, choose_solver
from acumen.svm.solvers import adatron, decomposition, dual_ascent, hinge_newton, newton, sgd, smo
from acumen.svm.solvers.certificate import Certificate, DualPoint, PrimalPoint, certify
from acumen.svm.solvers.gram import Gram, gram_of
from acumen.svm.solvers.linear_rows import back, times
from acumen.svm.solvers.problem import BoxProblem
from acumen.types import Floats

NO_KERNEL = (
    "SVM: with loss='squared' multipliers have no bound, and this kernel is not positive semidefinite on these rows, "
    "so there is no solution; use {loss=hinge}, or a kernel such as 'rbf'."
)
#: Steps by which "auto" expects SMO to be done.
PATIENCE = 1_000_000


@dataclass(frozen=True, slots=True)
class Machine:
    """A trained machine.

    `b` is the dual point (y alpha); `coefficients` make up the function, which is the same for dual solvers;
    `w` is there for linear kernels. `decision` are its values on the training rows.
    """

    b: Floats
    coefficients: Floats
    w: Floats | None
    bias: float
    square: float  # |w|^2, with the folded bias
    decision: Floats
    certificate: Certificate
    solver: str
    steps: int
    stopped: str

    @property
    def norm(self) -> float:
        """The norm |w| in the feature space of the kernel."""
        return float(np.sqrt(max(self.square, 0.0)))


def train(X: Rows, problem: BoxProblem, settings: SolverSettings, start: Floats | None = None) -> Machine:
    """The machine of these rows; `start` is a feasible b to begin from, which primal solvers pass over."""
    solver = choose_solver(settings, X, problem.cost)
    if settings.solver != "auto" or solver != "smo" or settings.max_iter is not None:
        return _train_by(solver, X, problem, settings, start)
    # Where pairs of rows get nowhere (high costs, columns of large numbers) Newton's method does.
    machine = _train_by("smo", X, problem, replace(settings, max_iter=PATIENCE), start)
    if machine.stopped != "max_iter":
        return machine
    other = _train_by("newton", X, problem, settings, start)
    return other if other.certificate.gap < machine.certificate.gap else machine


def _train_by(
    solver: str, X: Rows, problem: BoxProblem, settings: SolverSettings, start: Floats | None
) -> Machine:
    if not settings.is_linear:
        return _with_kernel(X, problem, settings, solver, start)
    if solver in ("smo", "chunking", "adatron"):
        gram = gram_of(X, settings.kernel, folded=settings.folded, single=False)
        return _of_dual(X, problem, _kernel_dual(gram, problem, settings, solver, start), solver)
    return _linear(X, problem, settings, solver, start)


def _linear(
    X: Rows, problem: BoxProblem, settings: SolverSettings, solver: str, start: Floats | None
) -> Machine:
    tol, most = settings.tol, settings.max_iter
    if solver == "dual-ascent":
        point = dual_ascent.solve(X, problem, tol=tol, max_iter=most, seed=settings.seed, start=start)
        return _of_dual(X, problem, point, solver)
    if solver == "sgd":
        solution = sgd.solve_linear(X, problem, tol=tol, max_iter=most, seed=settings.seed)
    elif problem.loss == "squared":
        solution = newton.solve_linear(X, problem, tol=tol, max_iter=most)
    else:
        solution = hinge_newton.solve_linear(X, problem, tol=0.01 * tol, max_iter=most)
    return _of_primal(X, problem, solution, solver)


def _of_dual(X: Rows, problem: BoxProblem, point: DualPoint, solver: str) -> Machine:
    """A linear machine from its dual point."""
    w = back(X, point.b)
    through = times(X, w)
    fold = 0.0 if problem.balanced else float(point.b.sum())
    bias = fold if not problem.balanced else _bias(problem, point)
    square = dot(w, w) + fold * fold
    decision = through + bias
    proof = certify(problem, point.b, through + fold, square=square, decision=decision)
    return Machine(
        b=point.b,
        coefficients=point.b,
        w=w,
        bias=bias,
        square=square,
        decision=decision,
        certificate=proof,
        solver=solver,
        steps=point.steps,
        stopped=point.stopped,
    )


def _of_primal(X: Rows, problem: BoxProblem, point: PrimalPoint, solver: str) -> Machine:
    """A linear machine from its weights, certified by its dual point."""
    fold = 0.0 if problem.balanced else 1.0
    square = dot(point.w, point.w) + fold * point.bias**2
    through = times(X, back(X, point.b)) + fold * point.b.sum()
    decision = times(X, point.w) + point.bias if point.decision is None else point.decision
    proof = certify(problem, point.b, through, square=square, decision=decision)
    return Machine(
        b=point.b,
        coefficients=point.b,
        w=point.w,
        bias=point.bias,
        square=square,
        decision=decision,
        certificate=proof,
        solver=solver,
        steps=point.steps,
        stopped=point.stopped,
    )


def _bias(problem: BoxProblem, point: DualPoint) -> float:
    if point.bias is None:
        return problem.bias(point.b, point.gradient)
    # Where every bias between two values is as good, the solver's own may be a hair outside.
    up, down = problem.ways(point.b, point.gradient)
    least, most = float(up.max()), -float(down.max())
    return min(max(point.bias, least), most) if least <= most else point.bias


def _with_kernel(
    X: Rows, problem: BoxProblem, settings: SolverSettings, solver: str, start: Floats | None
) -> Machine:
    if solver in ("dual-ascent", "sgd"):
        # These know rows, not kernels; the features of the kernel are rows.
        gram = gram_of(X, settings.kernel, folded=False, single=False)
        features, turn = kernel_features(gram, solver)
        machine = _linear(features, problem, settings, solver, start)
        assert machine.w is not None
        return replace(
            machine, coefficients=machine.b if solver == "dual-ascent" else turn @ machine.w, w=None
        )
    single = solver == "chunking" and settings.tol >= 1e-4
    gram = gram_of(X, settings.kernel, folded=settings.folded, single=single)
    with np.errstate(over="ignore", invalid="ignore"):
        point = _kernel_dual(gram, problem, settings, solver, start)
        _require_bounded(problem, point)
    through = point.gradient + problem.z - problem.ridge * point.b
    square = dot(point.b, through)
    bias = _bias(problem, point) if problem.balanced else 0.0
    decision = through + bias
    proof = certify(problem, point.b, through, square=square, decision=decision)
    shown = bias if problem.balanced else float(point.b.sum())
    return Machine(
        b=point.b,
        coefficients=point.b,
        w=None,
        bias=shown,
        square=square,
        decision=decision,
        certificate=proof,
        solver=solver,
        steps=point.steps,
        stopped=point.stopped,
    )


def _require_bounded(problem: BoxProblem, point: DualPoint) -> None:
    """Refuse a point whose dual value is above a primal one: only a kernel that is none makes it, without bounds."""
    if problem.loss == "hinge":
        return
    through = point.gradient + problem.z - problem.ridge * point.b
    most = problem.primal(0.0, np.zeros(len(problem)))
    if not problem.dual(point.b, through) <= most * (1 + 1e-6):
        raise DataError(messages.fill_template(NO_KERNEL))


def _kernel_dual(
    gram: Gram, problem: BoxProblem, settings: SolverSettings, solver: str, start: Floats | None
) -> DualPoint:
    """The dual solved on a kernel matrix."""
    tol, most = settings.tol, settings.max_iter
    if solver == "newton":
        if problem.loss == "squared":
            point = newton.solve_kernel(gram, problem, tol=tol, max_iter=most)
        else:
            point = hinge_newton.solve_kernel(gram, problem, tol=1e-3 * tol, max_iter=most)
        if point.violation <= tol:
            return replace(point, stopped="")
        # Inside the box a kernel matrix of small eigenvalues leaves the last digits open; pairs of rows settle them.
        last = smo.solve(gram, problem, tol=tol, max_iter=most, start=point.b)
        return replace(last, steps=last.steps + point.steps)
    solve = {"smo": smo.solve, "adatron": adatron.solve}.get(solver, decomposition.solve)
    return solve(gram, problem, tol=tol, max_iter=most, start=start)
