"""Kernels of summaries against sums written out row by row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

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


def test_count_bins_counts_each_part_class_and_bin() -> None:
    values, labels, weights, _ = rows(gaps=True)
    values[0, 0], values[1, 1] = 0.75, 0.1  # on a cut: above it
    parts = (np.arange(N) % 3 - 1).astype(np.int32)  # -1: in no part
    tables = [np.zeros((2, CLASSES + 1, len(cuts) + 2)) for cuts in CUTS]
    _native.count_bins(columns(values), labels, weights, parts, CLASSES, 2, CUTS, tables)
    for column, cuts, table in zip(values.T, CUTS, tables, strict=True):
        expected = np.zeros_like(table)
        for i, place in enumerate(binned(column, cuts)):
            if parts[i] >= 0:
                expected[parts[i], labels[i] if labels[i] >= 0 else CLASSES, place] += weights[i]
        assert np.array_equal(table, expected)


def test_count_bins_soft_deals_each_row_out_to_its_classes() -> None:
    values, _, _, shares = rows(gaps=True)
    tables = [np.zeros((1, CLASSES + 1, len(cuts) + 2)) for cuts in CUTS]
    _native.count_bins_soft(columns(values), shares, CUTS, tables)
    for column, cuts, table in zip(values.T, CUTS, tables, strict=True):
        expected = np.zeros_like(table)
        for i, place in enumerate(binned(column, cuts)):
            expected[0, :CLASSES, place] += shares[i]
        assert np.allclose(table, expected)


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
