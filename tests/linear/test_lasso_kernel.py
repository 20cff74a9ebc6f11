"""The path of the lasso against plain coordinate descent."""

from __future__ import annotations

import numpy as np
import pytest

from acumen import _native
from reference.lasso import lasso


@pytest.mark.parametrize("is_gram", [False, True])
def test_lasso_path_is_that_of_coordinate_descent(is_gram: bool) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(30, 4))
    x[:, 3] = x[:, 0] + 0.1 * rng.normal(size=30)
    y = x @ np.array([2.0, 0.0, -1.0, 0.5]) + rng.normal(size=30)
    penalties = np.array([25.0, 8.0, 1.0])
    columns = x.T @ x if is_gram else x.T.copy()
    found, reached = np.zeros((3, 4)), np.zeros((3, 2))
    _native.lasso_path(columns, is_gram, x.T @ y, float(y @ y), penalties, 1e-13, 100_000, found, reached)
    for penalty, coefficients, (gap, sweeps) in zip(penalties, found, reached, strict=True):
        assert np.allclose(coefficients, lasso(x, y, penalty), atol=1e-5)
        # What the kernel says of itself: the duality gap, in parts of |y|^2, and its sweeps.
        assert gap <= 1e-13 and sweeps >= 1
    assert np.count_nonzero(found[0]) < np.count_nonzero(found[2])
