"""Cholesky's factor of a matrix of second derivatives, and its inverse."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from acumen.caching import cached_property
from acumen.types import Bools, Floats

_CORNER = 128


class Inverse:
    """Cholesky's factor of a matrix, and its inverse when asked for; callers hold BLAS to one thread, so that bytes
    repeat."""

    def __init__(self, matrix: Floats) -> None:
        from scipy.linalg.lapack import dpotrf

        scale = 1.0 / np.sqrt(np.maximum(np.diag(matrix), 1e-300))
        self._scale = scale
        damping = 0.0
        while True:
            even = matrix * scale
            even *= scale[:, None]
            if damping:
                even[np.diag_indices(len(even))] += damping
            # A symmetric matrix by rows is the same by columns, as LAPACK wants it.
            self._factor, problem = dpotrf(even.T, lower=1, clean=0, overwrite_a=1)
            if not problem:
                return
            damping = max(10 * damping, 1e-12)
            if damping > 1.0:
                raise np.linalg.LinAlgError("no factor of a matrix that is not positive")

    def __call__(self, right: Floats) -> Floats:
        """The inverse times something; by the factor alone, until the inverse has been asked for."""
        from scipy.linalg.lapack import dpotrs

        if "written" in self.__dict__:
            return self.matrix @ right
        solution: Any = dpotrs(self._factor, right * self._scale, lower=1)[0]
        result: Floats = solution.reshape(right.shape) * self._scale
        return result

    @cached_property
    def matrix(self) -> Floats:
        """The inverse itself."""
        from scipy.linalg.lapack import dpotri

        lower, _ = dpotri(self._factor, lower=1)
        inverse: Floats = np.ascontiguousarray(lower.T)  # what is known is now above the diagonal
        inverse *= self._scale
        inverse *= self._scale[:, None]
        for first in range(0, len(inverse), _CORNER):
            part = slice(first, first + _CORNER)
            inverse[part, :first] = inverse[:first, part].T
            corner = inverse[part, part]
            below = _below(len(corner))
            corner[below] = corner.T[below]
        return inverse


@cache
def _below(n: int) -> Bools:
    """Which entries of an n x n matrix are below its diagonal."""
    return np.tri(n, k=-1, dtype=np.bool_)
