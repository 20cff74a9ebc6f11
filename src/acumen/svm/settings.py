"""What a machine is to be solved with, once words have been turned into things."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from acumen.geometry.kernel import Kernel, Rows, is_sparse
from acumen.geometry.kernels import Linear
from acumen.optimise.trace import dot
from acumen.svm.solvers import newton_steps, smo
from acumen.svm.solvers.problem import Loss
from acumen.types import Floats

Solver = Literal["auto", "smo", "chunking", "dual-ascent", "newton", "sgd", "adatron"]

#: A kernel matrix of so many rows is solved at once rather than in working sets.
AT_ONCE = 2000
#: So few rows of a linear problem too, where Newton's method has no advantage.
_FEW_ROWS = 500
#: Rows far outnumber attributes when there are so many times more.
_MANY = 5

#: Newton's conjugate gradients are quick where the rows add so much curvature to a weight's own 1, in the mean.
_GENTLE = 300


@dataclass(frozen=True, slots=True)
class SolverSettings:
    """The same for every machine of a model."""

    kernel: Kernel
    loss: Loss
    solver: Solver
    tol: float
    max_iter: int | None
    folded: bool
    seed: int = 0

    @property
    def is_linear(self) -> bool:
        return isinstance(self.kernel, Linear)


def choose_solver(settings: SolverSettings, X: Rows, cost: Floats) -> str:
    """The solver that "auto" means for rows of these costs."""
    if settings.solver != "auto" or not settings.is_linear or not is_sparse(X):
        return solver_for(settings, X.shape)
    if X.shape[0] <= AT_ONCE:
        return "smo"
    return "newton" if settings.loss == "squared" and _is_gentle(X, cost) else "dual-ascent"


def solver_for(settings: SolverSettings, shape: tuple[int, int]) -> str:
    """Choose the solver by the numbers of rows and attributes, unless they are sparse and the kernel is linear."""
    if settings.solver != "auto":
        return settings.solver
    n, d = shape
    if not settings.is_linear:
        return "smo" if n <= AT_ONCE else "chunking"
    if n > max(_FEW_ROWS, _MANY * d) and d <= newton_steps.WIDEST:
        return "newton"
    return "smo" if smo.fits(n) else "dual-ascent"


def _is_gentle(X: Any, cost: Floats) -> bool:
    added = 2.0 * float(cost.mean()) * dot(X.data, X.data) / X.shape[1]
    return bool(np.isfinite(added)) and added <= _GENTLE
