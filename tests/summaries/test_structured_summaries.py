"""Scatter matrices, joint counts, histograms, cells and words: what is theirs alone."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import coo_matrix, csr_matrix

from acumen.errors import DataError, SchemaMismatch
from acumen.summaries import JointCounts, ScatterMatrices, TokenCounts, add_up


def rows(
    n: int = 700, d: int = 11, missing: float = 0.0, seed: int = 0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 1e4
    values[rng.random((n, d)) < missing] = np.nan
    return values, rng.integers(0, 3, n).astype(np.int32), rng.random(n)


@pytest.mark.parametrize("shared", [False, True])
def test_scatter_equals_numpy_cov(shared: bool) -> None:
    values, labels, weights = rows()
    made = ScatterMatrices.of(values, labels, weights, 3, shared=shared)
    each = [
        np.cov(values[labels == c].T, aweights=weights[labels == c], ddof=0) * weights[labels == c].sum()
        for c in range(3)
    ]
    expected = np.sum(each, axis=0)[None] if shared else np.array(each)
    np.testing.assert_allclose(made.scatter, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())
    assert made.complete
    assert made.impute_means() is made.scatter


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_scatter_is_symmetric_to_the_byte_also_when_added(shared: bool, missing: float) -> None:
    values, labels, weights = rows(missing=missing)
    cuts = np.array_split(np.arange(len(values)), 5)
    made = add_up(ScatterMatrices.of(values[c], labels[c], weights[c], 3, shared) for c in cuts)
    np.testing.assert_array_equal(made.scatter, made.scatter.transpose(0, 2, 1))
    np.testing.assert_array_equal(made.impute_means(), made.impute_means().transpose(0, 2, 1))


@pytest.mark.parametrize("shared", [False, True])
def test_imputed_scatter_is_that_of_rows_filled_by_class_means(shared: bool) -> None:
    values, labels, weights = rows(missing=0.3)
    cuts = np.array_split(np.arange(len(values)), 3)
    # The middle part is complete: plain and pair tables must add.
    values[cuts[1]] = rows(seed=1)[0][cuts[1]]
    made = add_up(ScatterMatrices.of(values[c], labels[c], weights[c], 3, shared) for c in cuts)
    filled, expected = values.copy(), []
    for c in range(3):
        inside = np.flatnonzero(labels == c)
        known = np.isfinite(values[inside])
        mean = np.nansum(values[inside] * weights[inside, None], axis=0) / (
            known * weights[inside, None]
        ).sum(axis=0)
        filled[inside] = np.where(known, values[inside], mean)
        off = filled[inside] - mean
        expected.append((off * weights[inside, None]).T @ off)
    wanted = np.sum(expected, axis=0)[None] if shared else np.array(expected)
    np.testing.assert_allclose(made.impute_means(), wanted, rtol=1e-8, atol=1e-9 * np.abs(wanted).max())
    assert not made.complete


def test_scatter_without_rows_or_attributes_is_zero() -> None:
    nothing = ScatterMatrices.of(np.empty((0, 2)), np.empty(0, dtype=np.int32), None, 2)
    assert nothing.scatter.tolist() == np.zeros((2, 2, 2)).tolist()
    no_columns = ScatterMatrices.of(np.empty((4, 0)), np.array([0, 0, 1, -1]), None, 2)
    assert no_columns.scatter.shape == (2, 0, 0)
    assert no_columns.weight.tolist() == [2, 1]
    all_missing = ScatterMatrices.of(np.full((3, 2), np.nan), np.zeros(3, dtype=np.int32), None, 2)
    assert all_missing.impute_means().tolist() == np.zeros((2, 2, 2)).tolist()
    with pytest.raises(SchemaMismatch, match="one is pooled over the classes"):
        nothing + ScatterMatrices.of(np.empty((0, 2)), np.empty(0, dtype=np.int32), None, 2, shared=True)


def test_joint_counts_of_fifty_attributes_of_a_hundred_levels_stay_small() -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(-1, 100, (3000, 50)).astype(np.int32)
    codes[1500:] = codes[:1500]
    labels = np.repeat(np.array([0, 1], dtype=np.int32), 1500)
    made = JointCounts.of(codes, labels, None, 2)
    assert len(made) == 1500
    np.testing.assert_array_equal(made.weights, np.ones((1500, 2)))
    np.testing.assert_array_equal(made.keys, np.unique(codes[:1500], axis=0))


def test_joint_find_gives_the_place_of_each_row_or_minus_one() -> None:
    rng = np.random.default_rng(1)
    codes = rng.integers(-2, 4, (300, 3)).astype(np.int32)
    made = JointCounts.of(codes[:40], np.zeros(40, dtype=np.int32), None, 1)
    keys = [tuple(key) for key in made.keys.tolist()]
    for row, place in zip(np.maximum(codes, -1).tolist(), made.find(codes), strict=True):
        assert place == (keys.index(tuple(row)) if tuple(row) in keys else -1)
    with pytest.raises(DataError, match="must be 3 columns; got 2"):
        made.find(codes[:, :2])


def test_joint_counts_without_attributes_count_the_classes() -> None:
    made = JointCounts.of([], np.array([0, 1, 1, -1]), None, 2)
    assert made.weights.tolist() == [[1, 2]]
    assert made.find([], 2).tolist() == [0, 0]
    assert (made + made).weights.tolist() == [[2, 4]]


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int32, np.uint8])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_word_counts_of_any_type_are_the_same(dtype: type, index: type) -> None:
    dense = np.array([[1, 0, 2], [0, 3, 0], [0, 0, 0]])
    matrix = csr_matrix(dense.astype(dtype))
    matrix.indptr, matrix.indices = matrix.indptr.astype(index), matrix.indices.astype(index)
    made = TokenCounts.of(matrix, np.array([0, 1, 1]), np.array([2.0, 1.0, 1.0]), 2)
    assert made.sums.tolist() == [[2, 0, 4], [0, 3, 0]]
    assert made.presence.tolist() == [[2, 0, 2], [0, 1, 0]]
    assert made.documents.tolist() == [2, 2]


def test_a_word_given_twice_is_present_once() -> None:
    twice = coo_matrix(([1.0, 2.0, 4.0], ([0, 0, 0], [1, 1, 0])), shape=(1, 2))
    raw = csr_matrix((np.array([1.0, 2.0, 4.0]), np.array([1, 1, 0]), np.array([0, 3])), shape=(1, 2))
    for matrix in (twice, raw):
        made = TokenCounts.of(matrix, np.array([0]), None, 1)
        assert made.sums.tolist() == [[4, 3]]
        assert made.presence.tolist() == [[1, 1]]
    assert raw.nnz == 3


def test_word_counts_must_be_sparse_and_of_one_vocabulary() -> None:
    with pytest.raises(DataError, match="sparse matrix of documents by words; got ndarray"):
        TokenCounts.of(np.ones((1, 2)), np.array([0]), None, 1)  # type: ignore[arg-type]
    one, two = (TokenCounts.of(csr_matrix(np.ones((1, w))), np.array([0]), None, 1) for w in (1, 2))
    with pytest.raises(SchemaMismatch, match="one has 1 words, the other 2"):
        one + two
