"""The triangular factor: laws of adding, and its kernels against their twins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from acumen import _native
from acumen.errors import DataError, SchemaMismatch
from acumen.summaries import triangle as module
from acumen.summaries.algebra import add_up, leave_each_out
from acumen.summaries.triangle import Triangle, triangular
from summary_cases import close

numbers = st.floats(-100, 100, allow_subnormal=False).map(lambda v: round(v, 3))


@st.composite
def cases(draw, max_rows=30):
    n, d = draw(st.integers(0, max_rows)), draw(st.integers(1, 4))
    x = draw(arrays.arrays(np.float64, (n, d), elements=numbers))
    y = draw(arrays.arrays(np.float64, n, elements=numbers))
    weights = draw(
        st.one_of(st.none(), arrays.arrays(np.float64, n, elements=st.sampled_from([0.0, 0.5, 1, 3])))
    )
    return x, y, weights


def gram(x, y, weights):
    rows = np.column_stack([np.ones(len(x)), x, y])
    return rows.T @ (rows if weights is None else rows * weights[:, None])


@given(cases())
def test_the_factor_times_itself_is_the_inner_products(case):
    made = Triangle.of(*case)
    assert np.array_equal(made.factor, np.triu(made.factor))
    assert (np.diagonal(made.factor) >= 0).all()
    assert close(made.factor.T @ made.factor, gram(*case), 1e-11)
    assert close(made.sums, gram(*case)[0, 1:], 1e-11)
    assert made.weight[0] == (len(case[0]) if case[2] is None else case[2].sum())


@given(cases(), st.integers(0, 30))
def test_adding_is_reading_more(case, cut):
    x, y, weights = case
    parts = [slice(0, cut), slice(cut, None)]
    added = add_up(Triangle.of(x[p], y[p], None if weights is None else weights[p]) for p in parts)
    whole = Triangle.of(x, y, weights)
    assert close(added.factor.T @ added.factor, whole.factor.T @ whole.factor, 1e-11)
    assert added.weight[0] == pytest.approx(whole.weight[0])


@given(cases())
def test_a_weight_is_a_repeated_row(case):
    x, y, _ = case
    times = np.arange(len(x)) % 3
    heavy = Triangle.of(x, y, times.astype(float))
    again = Triangle.of(np.repeat(x, times, axis=0), np.repeat(y, times))
    assert close(heavy.factor.T @ heavy.factor, again.factor.T @ again.factor, 1e-11)


@given(cases(), st.integers(0, 1000))
def test_parts_in_one_pass_are_the_parts_alone(case, seed):
    x, y, weights = case
    parts = np.random.default_rng(seed).integers(-1, 4, len(x)).astype(np.int32)
    for p, found in enumerate(Triangle.of_parts(x, y, weights, parts, 3)):
        own = parts == p
        alone = Triangle.of(x[own], y[own], None if weights is None else weights[own])
        assert np.array_equal(found.factor, alone.factor) and found.weight[0] == alone.weight[0]


@pytest.mark.parametrize("rows", [5, 60, 5000])
def test_both_ways_give_the_same_factor(rows):
    rng = np.random.default_rng(rows)
    x, y = rng.normal((0, 5, -9, 100), size=(rows, 4)), rng.normal(size=rows)
    some = module._Rows(x, y[:, None], None)
    twin = np.linalg.qr(np.column_stack([np.ones(rows), x, y]), mode="r")
    twin = np.where(np.diagonal(twin)[:, None] < 0, -twin, twin)
    by_reflections = module._by_reflections(some)
    np.testing.assert_allclose(by_reflections[: len(twin)], twin, rtol=1e-9, atol=1e-9 * np.abs(twin).max())
    if rows > 5:
        quick = module._by_cholesky_twice(some)
        assert quick is not None
        np.testing.assert_allclose(quick, by_reflections, rtol=1e-9, atol=1e-9 * np.abs(twin).max())


def test_nearly_dependent_columns_go_to_the_reflections():
    rng = np.random.default_rng(0)
    x, apart = rng.normal(size=(500, 3)), rng.normal(size=500)
    x[:, 2] = x[:, 0] + 1e-9 * apart
    assert module._by_cholesky_twice(module._Rows(x, x[:, :1] * 2 + 1, None)) is None
    made = Triangle.of(x, rng.normal(size=500))
    assert made.factor[3, 3] == pytest.approx(1e-9 * np.linalg.norm(apart - apart.mean()), rel=1e-2)


def test_kernels_agree_with_numpy():
    rng = np.random.default_rng(3)
    for p in (1, 3, 4, 7, 33):
        r = np.triu(rng.normal(size=(p, p))) + 3 * np.eye(p)
        a = rng.normal(size=(41, p))
        divided = a.copy()
        _native.divide_rows(divided, r)
        np.testing.assert_allclose(divided @ r, a, atol=1e-12)
        found = np.empty((p, p))
        assert _native.cholesky(r.T @ r, found)
        np.testing.assert_allclose(found.T @ found, r.T @ r, rtol=1e-12)
        product = np.empty((p, p))
        _native.multiply_triangles(found, r, product)
        np.testing.assert_allclose(product, found @ r, rtol=1e-12, atol=1e-12)
    assert not _native.cholesky(np.array([[1.0, 2.0], [2.0, 1.0]]), np.empty((2, 2)))
    with pytest.raises(ValueError, match="divide_rows"):
        _native.divide_rows(np.ones((2, 3)), np.ones((2, 2)))


def test_huge_and_tiny_numbers_neither_overflow_nor_vanish():
    rows = np.array([[3e200, 1.0], [4e200, 2.0]])
    assert triangular(rows)[0, 0] == pytest.approx(5e200)
    assert triangular(rows * 1e-300 * 1e-90)[0, 0] == pytest.approx(5e-190)
    assert triangular(np.zeros((0, 2))).tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_folds_are_left_out_by_adding_the_others():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(90, 3)), rng.normal(size=90)
    parts = (np.arange(90) % 3).astype(np.int32)
    for p, found in enumerate(leave_each_out(Triangle.of_parts(x, y, None, parts, 3))):
        other = Triangle.of(x[parts != p], y[parts != p])
        np.testing.assert_allclose(found.factor, other.factor, rtol=1e-10, atol=1e-12)


def test_columns_of_zeros_can_be_put_between():
    x, y = np.arange(6.0).reshape(3, 2), np.ones(3)
    spread = Triangle.of(x, y).spread([0, 2], 3)
    wide = Triangle.of(np.column_stack([x[:, 0], np.zeros(3), x[:, 1]]), y)
    np.testing.assert_allclose(spread.factor.T @ spread.factor, wide.factor.T @ wide.factor, atol=1e-12)


def test_what_does_not_go_together_is_refused():
    with pytest.raises(SchemaMismatch, match="1 inputs"):
        Triangle.empty(1) + Triangle.empty(2)
    with pytest.raises(SchemaMismatch, match="2 targets"):
        Triangle.empty(1, 2) + Triangle.empty(2, 1)
    with pytest.raises(DataError, match="equal length"):
        Triangle.of(np.ones((3, 1)), np.ones(2))
    with pytest.raises(DataError, match="weights"):
        Triangle.of(np.ones((3, 1)), np.ones(3), -np.ones(3))
