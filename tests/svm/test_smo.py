"""The inner loop against its twin, and its clip bounds against brute force."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acumen import _native
from reference.smo import clip_bounds
from reference.smo import smo as twin


def padded(kernel, dtype=np.float64):
    n = len(kernel)
    made = np.zeros((n, -(-n // 8) * 8), dtype=dtype)
    made[:, :n] = kernel
    return made


def solved(kernel, z, low, high, epsilon=0.0, tol=1e-9, balanced=True, dtype=np.float64, start=None):
    b = np.zeros(len(z)) if start is None else start.copy()
    gradient = kernel @ b - z
    steps, violation = _native.smo(
        padded(kernel, dtype), low, high, b, gradient, epsilon, balanced, tol, 1_000_000
    )
    return b, gradient, steps, violation


@given(st.integers(2, 23), st.integers(0, 10**6), st.sampled_from([0.0, 0.3]), st.floats(0.05, 20))
def test_the_kernel_agrees_with_its_twin(n, seed, epsilon, C):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    kernel = X @ X.T + 0.1 * np.eye(n)
    if epsilon:
        z, low, high = rng.normal(size=n), np.full(n, -C), np.full(n, C)
    else:
        z = np.where(rng.random(n) < 0.5, 1.0, -1.0)
        low, high = np.where(z > 0, 0.0, -C), np.where(z > 0, C, 0.0)
    b, gradient, _, _ = solved(kernel, z, low, high, epsilon)
    slow = twin(kernel, z, low, high, epsilon, 1e-9)

    def objective(b):
        return 0.5 * b @ kernel @ b - z @ b + epsilon * np.abs(b).sum()

    assert objective(b) == pytest.approx(objective(slow), rel=1e-9, abs=1e-9)
    assert np.abs(b - slow).max() < 1e-6  # the ridge makes the optimum unique
    assert abs(b.sum()) < 1e-9
    assert (b >= low).all() and (b <= high).all()
    assert np.abs(gradient - (kernel @ b - z)).max() < 1e-9


@pytest.mark.parametrize("balanced", [True, False])
def test_single_precision_kernels_end_near_double_ones(balanced):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 4))
    kernel = np.exp(-0.2 * ((X[:, None] - X[None]) ** 2).sum(2))
    z = np.where(X[:, 0] + 0.5 * rng.normal(size=100) > 0, 1.0, -1.0)
    low, high = np.where(z > 0, 0.0, -1.0), np.where(z > 0, 1.0, 0.0)
    double = solved(kernel, z, low, high, balanced=balanced, tol=1e-6)[0]
    single = solved(kernel, z, low, high, balanced=balanced, tol=1e-6, dtype=np.float32)[0]
    assert np.abs(double - single).max() < 1e-3


def test_w001_39_the_clip_bounds_agree_with_brute_force():
    """Both cases, 324 settings: the best feasible step of a pair is the clipped one."""
    checked = 0
    grid = np.linspace(0, 1, 2001)
    for s, a1, a2, g1, g2 in itertools.product(
        (1.0, -1.0), (0.0, 0.4, 1.0), (0.0, 0.7, 1.0), (-1.3, 0.2, 1.1), (-0.8, 0.0, 0.9)
    ):
        y = np.array([1.0, s])
        kernel = np.array([[1.5, 0.4], [0.4, 1.0]])
        low, high = np.where(y > 0, 0.0, -1.0), np.where(y > 0, 1.0, 0.0)
        b = y * np.array([a1, a2])
        z = kernel @ b - np.array([g1, g2])  # so that the gradient at the start is what we want
        found, _, _, _ = solved(kernel, z, low, high, tol=1e-12, start=b)
        bottom, top = clip_bounds(s, a1, a2, 1.0)
        seconds = bottom + (top - bottom) * grid
        firsts = a1 + s * (a2 - seconds)
        assert firsts.min() > -1e-12 and firsts.max() < 1 + 1e-12  # the bounds keep the partner in its box
        pairs = np.column_stack([firsts, s * seconds])
        values = 0.5 * np.einsum("ij,jk,ik->i", pairs, kernel, pairs) - pairs @ z
        mine = 0.5 * found @ kernel @ found - z @ found
        assert mine <= values.min() + 1e-6
        assert bottom - 1e-12 <= abs(found[1]) <= top + 1e-12
        checked += 2  # the roles of the two rows are alike
    assert checked == 324


def test_an_unbalanced_problem_moves_one_row_at_a_time():
    kernel = np.diag([1.0, 2.0, 4.0])
    b, _, steps, violation = solved(
        kernel, np.array([1.0, -1.0, 8.0]), np.full(3, -0.4), np.full(3, 1.5), balanced=False
    )
    assert b.tolist() == [1.0, -0.4, 1.5]
    assert steps == 3 and violation == 0.0


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="multiple of 8"):
        _native.smo(np.zeros((3, 3)), *(np.zeros(3) for _ in range(4)), 0.0, True, 1e-3, 10)
    with pytest.raises(ValueError, match="differ in length"):
        _native.smo(np.zeros((3, 8)), *(np.zeros(4) for _ in range(4)), 0.0, True, 1e-3, 10)
