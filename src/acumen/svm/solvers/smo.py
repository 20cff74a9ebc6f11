"""Sequential minimal optimisation with the whole kernel matrix in memory.

The documents' algorithm: two rows move at a time, so that the sum of b stays; each as far as the box lets it
(the clip bounds). Of all pairs with the row that violates its condition most, the one that lowers the
objective most is taken. The inner loop is C++; `decomposition` uses the same loop on parts of the rows.
"""

from __future__ import annotations

import numpy as np

from acumen import _native, messages
from acumen.errors import DataError
from acumen.svm.solvers.certificate import DualPoint
from acumen.svm.solvers.gram import Gram
from acumen.svm.solvers.problem import BoxProblem
from acumen.types import Floats

#: The kernel matrix may take this many bytes.
MEMORY = 1 << 30
#: So few rows are solved more finely than asked, as long as that is cheap: then neither the order of the rows nor
#: a weight in place of a repeated row shows in the answer.
SMALL, FINE = 500, 1e-7
#: At most so many steps, unless said otherwise.
STEPS = 10_000_000


def fits(n: int) -> bool:
    """Whether the kernel matrix of `rows` rows fits in memory."""
    return n * n * 8 <= MEMORY


def require_room(solver: str, n: int) -> None:
    """Refuse a solver that holds the kernel matrix where it would be too large."""
    if not fits(n):
        raise DataError(
            f"SVM: solver={solver!r} holds the kernel matrix, which for {n} rows takes {n * n * 8 / 2**30:.1f} GiB "
            f"where {MEMORY / 2**30:.0f} are allowed; use {messages.setting('solver', 'chunking')}."
        )


def solve(
    gram: Gram, problem: BoxProblem, *, tol: float, max_iter: int | None, start: Floats | None = None
) -> DualPoint:
    """Steps in pairs until no pair violates its conditions by more than `tol`."""
    n = gram.n
    require_room("smo", n)
    b, gradient = np.zeros(n), -problem.z
    limit = max(STEPS, 100 * n) if max_iter is None else max_iter
    kernel = gram.in_double().square(np.arange(n))
    kernel[np.arange(n), np.arange(n)] += problem.ridge
    if start is not None:
        b, gradient = start.copy(), kernel[:, :n] @ start - problem.z
    fixed = (problem.low, problem.high, b, gradient, problem.epsilon, problem.balanced)
    steps, violation = _native.smo(kernel, *fixed, tol, limit)
    if violation <= tol and n <= SMALL:
        more, violation = _native.smo(kernel, *fixed, FINE * tol, min(limit - steps, 10 * steps + 10_000))
        steps += more
    return DualPoint(b, gradient, violation, int(steps), "max_iter" if violation > tol else "")
