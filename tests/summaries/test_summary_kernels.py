"""Kernels of summaries against sums written out row by row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from acumen import _native

N, CLASSES = 40, 3


def rows(gaps: bool = False) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Numbers (rows, 2), labels of which one is missing, weights, and shares of the classes."""
    rng = np.random.default_rng(8)
    values = np.round(rng.normal(size=(N, 2)), 2)
    if gaps:
        values[rng.random((N, 2)) < 0.2] = np.nan
    labels = rng.integers(0, CLASSES, N).astype(np.int32)
    labels[7] = -1
    shares = rng.dirichlet(np.ones(CLASSES), N)
    return values, labels, rng.integers(1, 4, N).astype(np.float64), shares


def columns(values: np.ndarray) -> list[np.ndarray]:
    return [np.ascontiguousarray(column) for column in values.T]


def test_count_levels_soft_deals_each_row_out_to_its_classes() -> None:
    shares = rows()[3]
    codes = (np.arange(N) % 5 - 1).astype(np.int32)  # of four levels, and missing
    table = np.zeros((1, CLASSES + 1, 5))
    _native.count_levels_soft(codes, shares, table)
    for c in range(CLASSES):
        expected = [shares[codes == level, c].sum() for level in (0, 1, 2, 3, -1)]
        assert np.allclose(table[0, c], expected)
    assert not table[0, CLASSES].any()


CUTS = [np.array([-0.5, 0.0, 0.75]), np.array([0.1])]


def binned(column: np.ndarray, cuts: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(column), len(cuts) + 1, np.searchsorted(cuts, column, side="right"))


def naive_moments(values: np.ndarray, shares: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Weight, mean and sum of squared differences of each class and column."""
    known = ~np.isnan(values)
    weight = shares.T @ known
    mean = shares.T @ np.nan_to_num(values) / weight
    squares = np.where(known[:, None], (values[:, None] - mean) ** 2, 0.0)
    return weight, mean, np.einsum("ic,icd->cd", shares, squares)


def soft_moments(values: np.ndarray, shares: np.ndarray) -> tuple[Any, list[np.ndarray]]:
    made = [np.zeros((CLASSES, 2)) for _ in range(4)]  # weight, mean, what the mean lost to rounding, scatter
    return _native.add_moments_soft(columns(values), shares, *made), made


@pytest.mark.parametrize("gaps", [False, True])
def test_add_moments_soft_is_the_moments_of_shared_rows(gaps: bool) -> None:
    values, _, _, shares = rows(gaps)
    complete, (weight, mean, rest, scatter) = soft_moments(values, shares)
    assert complete is not gaps
    for got, expected in zip((weight, mean + rest, scatter), naive_moments(values, shares), strict=True):
        assert np.allclose(got, expected, rtol=1e-12)


def test_merge_moments_is_the_moments_of_all_rows_together() -> None:
    values, _, _, shares = rows()
    values += 1e6
    one, other = (soft_moments(values[half], shares[half])[1] for half in (slice(0, 11), slice(11, N)))
    _native.merge_moments(*one, *other)
    weight, mean, rest, scatter = one
    for got, expected in zip((weight, mean + rest, scatter), naive_moments(values, shares), strict=True):
        assert np.allclose(got, expected, rtol=1e-9)


@pytest.mark.parametrize("shared", [False, True])
def test_add_scatter_adds_products_of_differences_from_the_centre(shared: bool) -> None:
    values, labels, weights, shares = rows()
    parts = (np.arange(N) % 2).astype(np.int32)
    centre = np.random.default_rng(1).normal(size=(2 * CLASSES, 2))
    slots = 1 if shared else CLASSES
    into = np.zeros((2 * slots, 2, 2))
    _native.add_scatter(columns(values), labels, weights, parts, CLASSES, 2, shared, centre, into)
    expected = np.zeros_like(into)
    for i in np.flatnonzero(labels >= 0):
        away = values[i] - centre[parts[i] * CLASSES + labels[i]]
        expected[parts[i] * slots + (0 if shared else labels[i])] += weights[i] * np.outer(away, away)
    assert np.allclose(into, expected)
    soft = np.zeros((slots, 2, 2))
    _native.add_scatter_soft(columns(values), shares, shared, centre[:CLASSES], soft)
    away = values[:, None] - centre[:CLASSES]
    each = np.einsum("ic,ica,icb->cab", shares, away, away)
    assert np.allclose(soft, each.sum(axis=0, keepdims=True) if shared else each)


def naive_pairs(values: np.ndarray, shares: np.ndarray, centre: np.ndarray) -> list[np.ndarray]:
    """Of every class and pair of columns: weight, sum of the first and sum of products over rows that know both."""
    known = ~np.isnan(values)
    away = np.nan_to_num(values[:, None] - centre)
    return [
        np.einsum("ic,ia,ib->cab", shares, known, known),
        np.einsum("ic,ica,ib->cab", shares, away, known),
        np.einsum("ic,ica,icb->cab", shares, away, away),
    ]


def test_add_pairs_adds_over_rows_that_know_both_columns() -> None:
    values, labels, weights, shares = rows(gaps=True)
    centre = np.random.default_rng(2).normal(size=(CLASSES, 2))
    hard, soft = ([np.zeros((CLASSES, 2, 2)) for _ in range(3)] for _ in range(2))
    nobody = np.zeros(N, dtype=np.int32)
    _native.add_pairs(columns(values), labels, weights, nobody, CLASSES, 1, centre, *hard)
    _native.add_pairs_soft(columns(values), shares, centre, *soft)
    whole = weights[:, None] * (labels[:, None] == np.arange(CLASSES))
    for got, expected in zip(hard, naive_pairs(values, whole, centre), strict=True):
        assert np.allclose(got, expected)
    for got, expected in zip(soft, naive_pairs(values, shares, centre), strict=True):
        assert np.allclose(got, expected)


def combinations(
    codes: np.ndarray, labels: np.ndarray, weights: np.ndarray
) -> dict[tuple[int, ...], list[float]]:
    made: dict[tuple[int, ...], list[float]] = {}
    for i in np.flatnonzero(labels >= 0):
        key = tuple(max(int(code), -1) for code in codes[i])
        made.setdefault(key, [0.0] * CLASSES)[labels[i]] += weights[i]
    return dict(sorted(made.items()))


def coded() -> np.ndarray:
    return np.random.default_rng(9).integers(-1, 3, (N, 2)).astype(np.int32)


def counted(codes: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    nobody = np.empty(0, dtype=np.int32)
    keys, sums = _native.count_joint(columns(codes), labels, weights, nobody, CLASSES, 1)
    return keys.reshape(-1, 2), sums.reshape(-1, CLASSES)


def test_count_joint_keeps_the_combinations_that_occur_in_order() -> None:
    _, labels, weights, shares = rows()
    codes = coded()
    keys, sums = counted(codes, labels, weights)
    expected = combinations(codes, labels, weights)
    assert [tuple(key) for key in keys.tolist()] == list(expected)
    assert sums.tolist() == list(expected.values())
    place = np.empty(N, dtype=np.int64)
    _native.find_joint(keys, columns(codes), place)
    order = list(expected)
    assert place.tolist() == [
        order.index(tuple(key)) if tuple(key) in order else -1 for key in codes.tolist()
    ]
    soft_keys, soft = _native.count_joint_soft(columns(codes), shares)
    every = sorted(set(map(tuple, codes.tolist())))
    assert [tuple(key) for key in soft_keys.reshape(-1, 2).tolist()] == every
    each = [shares[(codes == key).all(axis=1)].sum(axis=0) for key in every]
    assert np.allclose(soft.reshape(-1, CLASSES), each)


def test_merge_joint_is_the_table_of_all_rows_together() -> None:
    _, labels, weights, _ = rows()
    codes = coded()
    halves = [counted(codes[part], labels[part], weights[part]) for part in (slice(0, 9), slice(9, N))]
    keys, sums = _native.merge_joint(*halves[0], *halves[1])
    whole_keys, whole_sums = counted(codes, labels, weights)
    assert np.array_equal(keys.reshape(-1, 2), whole_keys)
    assert np.array_equal(sums.reshape(-1, CLASSES), whole_sums)


def test_distinct_values_are_those_of_labelled_rows_and_add_by_union() -> None:
    values, labels, weights, _ = rows()
    values[:3, 0] = [np.nan, np.inf, -np.inf]
    values[:, 1] = np.arange(N) % 3
    nobody = np.empty(0, dtype=np.int32)

    def distinct(part: slice) -> tuple[np.ndarray, np.ndarray]:
        found, count = np.zeros((2, 32)), np.zeros(2, dtype=np.int32)
        some = columns(values[part])
        _native.add_distinct(some, labels[part], weights[part], nobody, CLASSES, 1, found, count)
        return found, count

    found, count = distinct(slice(0, 20))
    known = np.isfinite(values[:20, 0]) & (labels[:20] >= 0)
    expected = np.unique(values[:20, 0][known])
    assert found[0, : count[0]].tolist() == expected.tolist()
    assert found[1, : count[1]].tolist() == [0.0, 1.0, 2.0]
    _native.merge_distinct(found, count, *distinct(slice(20, N)))
    assert count.tolist() == [len(np.unique(values[:, 0][np.isfinite(values[:, 0]) & (labels >= 0)])), 3] or (
        count[0] == 33  # more than there is room for
    )


def test_words_are_added_for_each_class() -> None:
    _, labels, weights, shares = rows()
    matrix = csr_matrix(np.random.default_rng(3).integers(0, 3, (N, 4)).astype(np.float64))
    arrays = matrix.indptr, matrix.indices, matrix.data
    dense = matrix.toarray()
    sums, presence = np.zeros((2, CLASSES, 4))
    _native.add_words(*arrays, labels, weights, np.empty(0, dtype=np.int32), CLASSES, 1, sums, presence)
    whole = weights[:, None] * (labels[:, None] == np.arange(CLASSES))
    assert np.allclose(sums, whole.T @ dense)
    assert np.allclose(presence, whole.T @ (dense > 0))
    sums[:], presence[:] = 0.0, 0.0
    _native.add_words_soft(*arrays, shares, sums, presence)
    assert np.allclose(sums, shares.T @ dense)
    assert np.allclose(presence, shares.T @ (dense > 0))
