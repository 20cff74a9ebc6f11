"""What a machine is to be solved with, once words have been turned into things."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from acumen.geometry.kernel import Kernel, Rows, is_sparse
from acumen.geometry.kernels import Linear
from acumen.svm import newton, smo
from acumen.svm.problem import Loss

Solver = Literal["auto", "smo", "chunking", "dual-ascent", "newton", "sgd"]

#: A kernel matrix of so many rows is solved at once rather than in working sets.
AT_ONCE = 2000
#: So few rows of a linear problem too, where Newton's method has no advantage.
_FEW_ROWS = 500
#: Rows far outnumber attributes when there are so many times more.
_MANY = 5


@dataclass(frozen=True, slots=True)
class Settings:
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


def chosen_solver(settings: Settings, X: Rows) -> str:
    """The solver that "auto" means for these rows."""
    return solver_for(settings, X.shape, sparse=is_sparse(X))


def solver_for(settings: Settings, shape: tuple[int, int], *, sparse: bool) -> str:
    """The solver for so many rows and attributes."""
    if settings.solver != "auto":
        return settings.solver
    n, d = shape
    if not settings.is_linear:
        return "smo" if n <= AT_ONCE else "chunking"
    if sparse:
        return "smo" if n <= AT_ONCE else "dual-ascent"
    if n > max(_FEW_ROWS, _MANY * d) and d <= newton.WIDEST:
        return "newton"
    return "smo" if smo.fits(n) else "dual-ascent"
