"""Any positive semidefinite kernel as attributes: what linear solvers need to solve kernel machines.

K = V L V' makes V sqrt(L) rows whose inner products are the kernel's. Takes n^3 operations and n^2 numbers, so it
is for few rows, and for the solvers of the documents that know only inner products.
"""

from __future__ import annotations

import numpy as np

from acumen import messages
from acumen.errors import DataError
from acumen.svm.solvers.gram import Gram
from acumen.svm.solvers.smo import require_room
from acumen.types import Floats


def kernel_features(gram: Gram, solver: str) -> tuple[Floats, Floats]:
    """Attributes of the rows, and a matrix that turns weights on them into coefficients of the rows."""
    require_room(solver, gram.n)
    n = gram.n
    matrix = gram.in_double().square(np.arange(n))[:, :n]
    values, vectors = np.linalg.eigh(matrix)
    size = float(np.abs(values).max(initial=0.0))
    if values[0] < -1e-8 * max(size, 1.0):
        raise DataError(
            f"SVM: solver={solver!r} needs a positive semidefinite kernel, and this one has the eigenvalue "
            f"{values[0]:.3g} on these rows; use {messages.setting('solver', 'smo')} or 'chunking'."
        )
    used = values > 1e-14 * size
    root = np.sqrt(values[used])
    return np.ascontiguousarray(vectors[:, used] * root), vectors[:, used] / root
