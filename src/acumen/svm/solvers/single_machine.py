"""Crammer and Singer's single machine for all classes; hard margins for two sides.

    minimise 1/2 sum |w_c|^2 + sum over rows of cost x the largest amount by which another class, plus 1, beats its own

The single machine is solved by dual ascent over rows in C++; kernels through their features. Each class's free bias
is found by the method of multipliers, as in `dual_ascent`.

Hard margins (`train_hard`) allow no slack. Their dual is unbounded and diverges on rows that cannot be separated. So
the cost is finite but rises until no row is at its bound: from there on the soft margin's solution is the hard one's.
Newton's method, which high costs do not slow down, finds out whether that happens; the requested solver then gets
bounds just above the multipliers. Every dual value on the way is below half the squared norm of whatever separates the
rows, and so bounds the margin: the refusal reports that bound.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from acumen import _native
from acumen.errors import DataError
from acumen.geometry.kernel import Rows
from acumen.svm.kernel_features import kernel_features
from acumen.svm.machine import Machine, train
from acumen.svm.settings import AT_ONCE, SolverSettings
from acumen.svm.solvers import newton_steps
from acumen.svm.solvers.certificate import Certificate
from acumen.svm.solvers.gram import gram_of
from acumen.svm.solvers.linear_rows import back, native_rows, squares, times
from acumen.svm.solvers.problem import BoxProblem
from acumen.types import Codes, Floats, Indices

_SWEEPS, _MULTIPLIERS = 20_000, 60


@dataclass(frozen=True, slots=True)
class SingleMachine:
    """The solution: `a` and `decision` are rows x classes, `w` (linear kernels) columns x classes."""

    a: Floats
    w: Floats | None
    bias: Floats
    square: float
    decision: Floats
    certificate: Certificate
    steps: int
    stopped: str


def train_single(
    X: Rows, labels: Codes, classes: int, cost: Floats, settings: SolverSettings
) -> SingleMachine:
    """The machine of rows with labels 0 .. classes - 1."""
    if settings.is_linear:
        return _train(X, labels, classes, cost, settings, keep=True)
    gram = gram_of(X, settings.kernel, folded=False, single=False)
    features, _ = kernel_features(gram, "dual-ascent")
    return _train(features, labels, classes, cost, settings, keep=False)


def _train(
    X: Rows, labels: Codes, classes: int, cost: Floats, settings: SolverSettings, *, keep: bool
) -> SingleMachine:
    n, d = X.shape
    a, w = np.zeros((n, classes)), np.zeros((d + 1, classes))
    rows, sizes = native_rows(X), squares(X)
    bias = 1.0 if settings.folded else max(float(np.sqrt(sizes.mean())), 1e-12)
    shift, limit, sweeps, stopped = np.zeros(classes), settings.max_iter or _SWEEPS, 0, ""
    near = settings.tol if settings.folded else max(0.1, settings.tol)
    for _ in range(_MULTIPLIERS):
        goal = near if settings.folded else 0.3 * near
        solution = _native.single_machine(
            rows, labels, cost, sizes, shift, bias, a, w, goal, max(limit - sweeps, 0),
            settings.seed + sweeps,
        )  # fmt: skip
        sweeps += int(solution[0])
        if sweeps >= limit:
            stopped = "max_iter"
            break
        if settings.folded:
            break
        off = bias * w[-1]
        worst = float(np.abs(off).max())
        if near <= settings.tol and worst <= 0.1 * settings.tol:
            break
        shift = shift + off
        near = max(0.2 * near, settings.tol) if worst <= near else near
    return _certify(X, labels, cost, a, bias * w[-1] + shift, settings, sweeps,
                      stopped, keep)  # fmt: skip


def _certify(
    X: Rows, labels: Codes, cost: Floats, a: Floats, bias: Floats, settings: SolverSettings, sweeps: int,
    stopped: str, keep: bool,
) -> SingleMachine:  # fmt: skip
    """The machine with its certificate, reckoned from the dual point alone."""
    a[np.abs(a) <= 1e-14 * cost[:, None]] = 0.0  # what rounding left is no support vector
    w = back(X, a)
    fold = a.sum(axis=0) if settings.folded else np.zeros(a.shape[1])
    square = float((w * w).sum() + (fold * fold).sum())
    decision = times(X, w) + bias
    at = np.arange(len(labels))
    beaten = decision + 1.0
    beaten[at, labels] -= 1.0
    primal = 0.5 * square + float(cost @ (beaten.max(axis=1) - decision[at, labels]))
    others = a.sum() - a[at, labels].sum()
    # A free bias bars sums of the classes' a; what is left of them is paid for in the dual's value.
    dual = -0.5 * square - float(others) - (0.0 if settings.folded else float(np.abs(a.sum(axis=0) @ bias)))
    bound = np.zeros_like(a)
    bound[at, labels] = cost
    open_ = np.where(a < bound, beaten, np.inf)
    kkt = float((beaten.max(axis=1) - open_.min(axis=1)).max(initial=0.0))
    proof = Certificate(primal, dual, max(primal - dual, 0.0), kkt)
    return SingleMachine(a, w if keep else None, bias, square, decision, proof, sweeps, stopped)


_LEVELS = (1e2, 1e5, 1e8, 1e11)  # costs tried, over the mean squared norm of a row
_SPARE = 4.0  # times the largest multiplier is bound enough
_SHOWN = 5


def train_hard(X: Rows, sides: Floats, settings: SolverSettings, rows: Indices, who: str) -> Machine:
    """The machine that separates the rows by the widest margin; DataError naming rows where none does.

    `rows` are the numbers by which the user knows the rows.
    """
    size = max(float(np.mean(settings.kernel.diagonal(X))), 1e-300)
    tight = replace(settings, loss="hinge", tol=min(settings.tol, 1e-3) * 1e-2)
    sure = _sure(X, tight)
    first, proved = None, 0.0
    for level in _LEVELS:
        cost = level / size
        machine = train(X, _problem(sides, cost, settings), sure)
        if machine.stopped and sure.max_iter is not None:
            return machine
        proved = max(proved, machine.certificate.dual)
        within = bool((np.abs(machine.b) < cost * (1 - 1e-9)).all())
        if within and machine.certificate.relative_gap <= 1e-3:
            if settings.solver in ("auto", sure.solver):
                return machine
            bound = _SPARE * float(np.abs(machine.b).max())
            return train(X, _problem(sides, bound, settings), tight)
        first = first or machine
    assert first is not None
    raise DataError(_refusal(who, sides, rows, first, 2.0 / np.sqrt(2.0 * max(proved, 1e-300))))


def _sure(X: Rows, settings: SolverSettings) -> SolverSettings:
    """The settings of a solver that ends whatever the cost, where there is one for these rows."""
    if settings.is_linear and X.shape[1] <= newton_steps.WIDEST:
        sure = replace(settings, solver="newton")
    elif X.shape[0] <= AT_ONCE:
        sure = replace(settings, solver="auto")
    else:
        return settings
    # A limit is in steps of the solver it was set for.
    return sure if settings.solver in ("auto", sure.solver) else replace(sure, max_iter=None)


def _problem(sides: Floats, cost: float, settings: SolverSettings) -> BoxProblem:
    return BoxProblem.of_classes(sides, np.full(len(sides), cost), "hinge", balanced=not settings.folded)


def _refusal(who: str, sides: Floats, rows: Indices, first: Machine, widest: float) -> str:
    # Where the cost was still bearable the rows in the way stand out; later all are drawn into the quarrel.
    slack = np.maximum(1.0 - sides * first.decision, 0.0)
    worst = np.flatnonzero(slack > 1e-2)
    worst = worst[np.argsort(-slack[worst], kind="stable")]
    named = ", ".join(str(int(row)) for row in rows[worst[:_SHOWN]])
    more = f" and {len(worst) - _SHOWN} more" if len(worst) > _SHOWN else ""
    return (
        f"{who}: C=inf allows no row on the wrong side of its margin, but the classes cannot be separated by a "
        f"margin wider than {widest:.0e}: rows {named}{more} (counted from 0 among the training rows) stand in "
        f"the way. Give a finite C, or a kernel that separates them."
    )
