"""Products and sums of some rows: what the formulas give, and the same for any number of threads."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from acumen import _native
from acumen.engines.cores import limited_to
from acumen.optimise.trace import dot
from acumen.svm.solvers.linear_rows import ChosenRows, native_rows


@given(
    n=st.integers(1, 60), width=st.integers(0, 9), sparse=st.booleans(), bias=st.sampled_from([0.0, 1.0, 2.5]),
    seed=st.integers(0, 10**6),
)  # fmt: skip
def test_products_sums_squares_and_curvature_are_what_matrices_give(n, width, sparse, bias, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, width)) * (rng.random((n, width)) < 0.5)
    which = np.flatnonzero(rng.random(n) < 0.7)
    some = ChosenRows(native_rows(csr_matrix(X) if sparse else X), which, bias)
    wide = np.column_stack([X, np.full(n, bias)])[which]
    u, v, scale = rng.normal(size=len(which)), rng.normal(size=width + 1), rng.random(len(which))
    assert some.times(v) == pytest.approx(wide @ v, abs=1e-12)
    assert some.back(u) == pytest.approx(wide.T @ u, abs=1e-12)
    assert some.squares(u) == pytest.approx((wide**2).T @ u, abs=1e-12)
    assert some.curvature(scale, v) == pytest.approx(wide.T @ (scale * (wide @ v)), abs=1e-11)


@pytest.mark.parametrize("sparse", [True, False])
def test_sums_are_the_same_bytes_for_any_number_of_threads(sparse):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 12)) * (rng.random((3000, 12)) < 0.4)
    some = ChosenRows(native_rows(csr_matrix(X) if sparse else X), np.arange(0, 3000, 2), 1.0)
    u, v = rng.normal(size=1500), rng.normal(size=13)
    found = []
    for threads in (1, 2, 5):
        with limited_to(threads):
            found.append((some.times(v), some.back(u), some.squares(u), some.curvature(u, v)))
    for other in found[1:]:
        for a, b in zip(found[0], other, strict=True):
            assert a.tobytes() == b.tobytes()


def test_arrays_that_do_not_fit_are_refused():
    rows = native_rows(np.eye(3))
    everyone = np.arange(3)
    with pytest.raises(ValueError, match="no such row"):
        rows.products(np.array([3]), 1.0, np.zeros(4), np.zeros(1))
    with pytest.raises(ValueError, match="no such row"):
        rows.sum(np.array([-1]), 1.0, np.zeros(1), np.zeros(4))
    with pytest.raises(ValueError, match="each column and the bias"):
        rows.products(everyone, 1.0, np.zeros(3), np.zeros(3))
    with pytest.raises(ValueError, match="u needs a number for each row"):
        rows.squares(everyone, 1.0, np.zeros(2), np.zeros(4))
    with pytest.raises(ValueError, match="scale needs a number"):
        rows.curvature(everyone, 1.0, np.zeros(2), np.zeros(4), np.zeros(4))
    starts, columns, values = np.array([0, 2]), np.array([0, 5], dtype=np.int32), np.ones(2)
    with pytest.raises(ValueError, match="outside the matrix"):
        _native.LinearRows(starts, columns, values, 5)
    with pytest.raises(ValueError, match="must ascend"):
        _native.LinearRows(np.array([0, 3]), columns, values, 6)


def test_inner_is_the_sum_of_products():
    a, b = np.arange(5.0), np.array([1.0, -1.0, 2.0, 0.0, 3.0])
    assert dot(a, b) == a @ b
