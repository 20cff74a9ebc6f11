"""Newton's method with damped steps.

The direction solves H d = -g by Cholesky. Where H is not positive definite, a multiple of the unit matrix (in
units of H's own diagonal) is added and multiplied by ten until it is: Levenberg's remedy.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from acumen import _native
from acumen.engines.cores import blas_threads
from acumen.errors import DataError
from acumen.optimise.line_search import enough
from acumen.optimise.trace import NO_LOWER, SMALL, TOO_MANY, Curved, Descent, Recorder, dot, start_of
from acumen.types import Floats

#: Lines beyond which BLAS is the faster.
_LARGE = 400
#: Damping that makes every matrix of finite numbers positive definite.
_MOST = 1e25


def newton(
    function: Curved, start: Sequence[float] | Floats, *, tol: float = 1e-8, max_iter: int = 100
) -> Descent:
    """Newton's method with step halving.

    Parameters
    ----------
    function : callable
        Takes a point and returns value, gradient and matrix of second derivatives.
    start : array
        Where to begin.
    tol : float
        Ends where no entry of the gradient is larger. The step that is then already known is still taken if it is
        short, so that the answer is usually far better than asked.
    max_iter : int
        The most steps.

    Examples
    --------
    >>> import numpy as np
    >>> from acumen.optimise import newton
    >>> found = newton(lambda w: (w[0] ** 4 - w[0], np.array([4 * w[0] ** 3 - 1]), np.array([[12 * w[0] ** 2]])), [1.0])
    >>> round(float(found.point[0]), 6), found.steps
    (0.629961, 5)
    """
    point = start_of(start)
    record = Recorder("Newton", tol)
    value, gradient, hessian = function(point)
    for _ in range(max_iter):
        close = record.record_point(value, gradient)
        direction = solve(hessian, -gradient)
        if close:
            short = np.abs(direction).max(initial=0.0) <= 1e-3 * (1.0 + np.abs(point).max(initial=0.0))
            last = point + direction if short else point
            return record.finish(last, gradient, True, SMALL, hessian, ahead=bool(short))
        slope, step = dot(gradient, direction), 1.0
        for _ in range(60):
            there = point + step * direction
            terms = function(there)
            if enough(terms[0], value, step, slope, dot(terms[1], direction)):
                break
            step /= 2
        else:
            return record.finish(point, gradient, False, NO_LOWER, hessian)
        if np.array_equal(there, point):
            return record.finish(point, gradient, False, NO_LOWER, hessian)
        point, (value, gradient, hessian) = there, terms
    converged = record.record_point(value, gradient)
    return record.finish(point, gradient, converged, SMALL if converged else TOO_MANY, hessian)


def solve(hessian: Floats, right: Floats) -> Floats:
    """hessian^-1 right, with the least damping that makes it positive definite."""
    solution: Floats = CholeskyFactor(hessian)(right)
    return solution


class CholeskyFactor:
    """The inverse of a symmetric matrix as a function; made positive definite by damping where needed.

    The inverse of the triangular factor is written out, and all of it is made and applied without BLAS, whose
    threads take longer over a matrix of some hundred lines than the work does, and would go on waiting on the cores our
    kernels need; a direction of descent does not need the digits that this loses. Of larger matrices BLAS makes it, on
    one thread, so that bytes repeat.
    """

    __slots__ = ("_root", "damping")

    _root: Floats  # R^-1, where R'R is the matrix

    def __init__(self, hessian: Floats) -> None:
        diagonal = np.diag(hessian)
        # In units of the diagonal, so that columns of any size are alike to the factorisation.
        unit = 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
        scaled = np.ascontiguousarray(hessian * np.outer(unit, unit), dtype=np.float64)
        if len(scaled) > _LARGE:
            self._root, self.damping = _by_blas(scaled)
            self._root *= unit[:, None]
            return
        factor = np.empty_like(scaled)
        self.damping = 0.0
        while not _native.cholesky(scaled + self.damping * np.eye(len(scaled)), factor):
            self.damping = _more(self.damping)
        root = np.eye(len(scaled))
        _native.divide_rows(root, factor)
        self._root = root * unit[:, None]

    def __call__(self, right: Floats) -> Floats:
        if len(self._root) > _LARGE:
            with blas_threads(1):
                return self._root @ (self._root.T @ right)
        call: Floats = np.einsum("ij,j...->i...", self._root, np.einsum("ji,j...->i...", self._root, right))
        return call

    def inverse(self) -> Floats:
        """The inverse written out."""
        with blas_threads(1):
            inverse: Floats = self._root @ self._root.T
        return inverse


def _more(damping: float) -> float:
    """The damping after one that did not do.

    Where rows are told apart for certain, some second derivatives are 1e-32 and what rounding leaves beside them 1e-19,
    which is 1e13 in their units: so much must be added. Only numbers that are none are left at the end.
    """
    if damping > _MOST:
        raise DataError(
            "the numbers are too large, or their weights, for second derivatives; divide the columns that go "
            "beyond 1e100, or leave them out."
        )
    return max(10 * damping, 1e-12)


def _by_blas(scaled: Floats) -> tuple[Floats, float]:
    """R^-1, where R'R is the matrix once it is damped so much."""
    from scipy.linalg.lapack import dpotrf, dtrtri

    damping = 0.0
    with blas_threads(1):
        while True:
            damped = scaled.copy()
            damped[np.diag_indices(len(damped))] += damping
            root, problem = dpotrf(damped.T, lower=0, clean=1, overwrite_a=1)
            if not problem:
                inverse, problem = dtrtri(root, lower=0, overwrite_c=1)
                if not problem and np.isfinite(inverse).all():
                    return np.ascontiguousarray(inverse), damping
            damping = _more(damping)
