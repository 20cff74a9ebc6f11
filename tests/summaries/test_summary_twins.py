"""Each kernel against its slow twin."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from scipy.sparse import csr_matrix

from acumen import _native
from acumen.summaries import ClassMoments, JointCounts, LevelCounts, ScatterMatrices, TokenCounts
from reference import summaries as twin
from summary_cases import CLASSES, LEVELS, Rows, close, some_rows

law = settings(deadline=None)


def groups(rows: Rows) -> list[tuple[int, int, float]]:
    return list(twin.hard_groups(rows.labels, rows.weights, CLASSES))


@law
@given(rows=some_rows())
def test_level_counts_equal_the_twin(rows: Rows) -> None:
    made = LevelCounts.of(rows.codes[:, 0], rows.labels, rows.weights, CLASSES, LEVELS)
    expected = twin.count_levels(rows.codes[:, 0], rows.labels, rows.weights, CLASSES, LEVELS)
    np.testing.assert_array_equal(made.table, expected)


def test_many_unweighted_rows_equal_the_twin_in_either_path() -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(-2, LEVELS + 1, 1003).astype(np.int32)
    labels = rng.integers(-1, CLASSES, 1003).astype(np.int32)
    expected = twin.count_levels(codes, labels, [], CLASSES, LEVELS)
    np.testing.assert_array_equal(LevelCounts.of(codes, labels, None, CLASSES, LEVELS).table, expected)
    weighted = LevelCounts.of(codes, labels, np.ones(1003), CLASSES, LEVELS)
    np.testing.assert_array_equal(weighted.table, expected)


@law
@given(rows=some_rows())
def test_moments_equal_the_twin(rows: Rows) -> None:
    made = ClassMoments.of(rows.values, rows.labels, rows.weights, CLASSES)
    for mine, exact in zip(
        (made.weight, made.mean, made.scatter), twin.moments(rows.values, groups(rows), CLASSES), strict=True
    ):
        assert close(mine, exact)


def test_moments_of_many_tiles_and_chunks_equal_numpy() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(loc=1e5, size=(5000, 300))
    labels = rng.integers(0, 2, 5000).astype(np.int32)
    made = ClassMoments.of(values, labels, None, 2)
    for c in range(2):
        inside = values[labels == c]
        np.testing.assert_allclose(made.mean[c], inside.mean(axis=0), rtol=1e-14)
        np.testing.assert_allclose(
            made.scatter[c], ((inside - inside.mean(axis=0)) ** 2).sum(axis=0), rtol=1e-11
        )


@law
@given(rows=some_rows())
def test_scatter_equals_the_twin(rows: Rows) -> None:
    made = ScatterMatrices.of(rows.values, rows.labels, rows.weights, CLASSES)
    weight, mean, scatter = twin.scatter(rows.values, groups(rows), CLASSES)
    my_weight, my_mean = made._pairs()
    assert close(my_weight, weight)
    assert close(np.where(weight > 0, my_mean, 0.0), mean)
    assert close(made.scatter, scatter)


@law
@given(rows=some_rows())
def test_joint_counts_equal_the_twin(rows: Rows) -> None:
    made = JointCounts.of(rows.codes, rows.labels, rows.weights, CLASSES)
    expected = twin.joint(rows.codes.T, groups(rows), CLASSES)
    assert [tuple(key) for key in made.keys.tolist()] == [key for key, _ in expected]
    assert close(made.weights, np.array([w for _, w in expected]).reshape(-1, CLASSES))


@law
@given(rows=some_rows())
def test_bin_codes_equal_the_twin(rows: Rows) -> None:
    edges = np.array([-50.0, -1.0, 0.0, 0.5, 7.0, 1e6])
    codes = np.array([twin.bin_code(x, edges) for x in rows.values[:, 0]], dtype=np.int32)
    binned = np.empty(len(codes), dtype=np.int32)
    _native.bin_codes(rows.values[:, 0], edges[1:-1], binned)
    np.testing.assert_array_equal(binned, codes)


@law
@given(rows=some_rows())
def test_token_counts_equal_the_twin(rows: Rows) -> None:
    dense = np.maximum(rows.codes, 0).astype(float)
    made = TokenCounts.of(csr_matrix(dense), rows.labels, rows.weights, CLASSES)
    sums, presence = twin.words(dense, groups(rows), CLASSES)
    assert close(made.sums, sums)
    assert close(made.presence, presence)
    documents = np.zeros(CLASSES)
    for _, c, w in groups(rows):
        documents[c] += w
    assert close(made.documents, documents)
