"""Medoids: reference numbers, all sets of medoids on small tables, and laws of the search."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

import acumen
from acumen import _native
from acumen.clusters.row_distances import RowsApart
from acumen.errors import DataError, ParameterError
from reference import grouping as twin

IRIS = acumen.datasets.load("iris")
KINDS = (acumen.KMedoids, acumen.Clara, acumen.Clarans)


def blobs(n: int, d: int, k: int, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(k, d))[rng.integers(0, k, n)] * 4 + rng.normal(size=(n, d))


@pytest.mark.parametrize(("k", "best", "medoids"), [(2, 129.412911, [7, 126]), (3, 98.213677, [7, 78, 112])])
def test_medoids_of_iris_are_the_optimum_of_all_sets(k, best, medoids):
    # Found by enumeration of all sets of rows (Euclidean distances of UCI's iris).
    found = acumen.KMedoids(k, scale=False, random_state=0).fit(IRIS)
    assert round(found.objective_, 6) == best and found.medoids_.tolist() == medoids


@pytest.mark.parametrize(
    ("k", "mean", "medoids"),
    [(3, 21.59293, [16, 31, 51]), (4, 11.48637, [9, 31, 51, 69]), (5, 10.39579, None)],
)
def test_medoids_of_ruspini_are_rs_pam(shared_data: Path, k, mean, medoids):
    # R 4, cluster 2.1.8.2: pam(ruspini, k)$objective after the swaps, and its medoids counted from 1.
    table = acumen.read(shared_data / "clusters" / "ruspini.csv", columns=["x", "y"])
    found = acumen.KMedoids(k, scale=False, random_state=0).fit(table)
    assert round(found.objective_ / 75, 5) == mean
    assert medoids is None or sorted(found.medoids_.tolist()) == medoids


@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(5, 11))
@settings(max_examples=25)
def test_no_swap_is_better_and_restarts_find_the_best_set(seed, k, n):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 6, size=(n, 2)).astype(float)
    weights = rng.integers(1, 4, n).astype(float)
    apart = acumen.distances.Manhattan().between(acumen.read(values))
    model = acumen.KMedoids(k, distance="manhattan", scale=False, n_init=12, random_state=0)
    if len(np.unique(values, axis=0)) < k:
        with pytest.raises(DataError, match="clusters were asked for"):
            model.fit(values, sample_weight=weights)
        return
    model.fit(values, sample_weight=weights)
    found = model.objective_
    assert found == pytest.approx(twin.loss(apart, weights, model.medoids_))
    assert found <= twin.best_swap(apart, weights, model.medoids_.tolist()) * (1 + 1e-9)
    assert found == pytest.approx(twin.best_medoids(apart, weights, k))


@pytest.mark.parametrize("k", [2, 7])
@pytest.mark.parametrize("distance", ["euclidean", "manhattan"])
def test_single_precision_leaves_out_no_swap(k, distance):
    # Enough rows for the screen: where it says no, double precision must say so too.
    values = blobs(260, 4, 5) + 1e7
    model = acumen.KMedoids(k, distance=distance, scale=False, n_init=1, random_state=3).fit(values)
    apart = acumen.distances.resolve(distance, acumen.read(values).schema).between(acumen.read(values))
    medoids = model.medoids_.tolist()
    near = np.sort(apart[medoids], axis=0)
    first = apart[medoids].argmin(axis=0)
    for row in range(0, 260, 3):  # all k swaps with a row at once
        kept = np.minimum(near[0], apart[row]).sum()
        for out in range(k):
            lost = first == out
            least = kept + (np.minimum(near[1], apart[row]) - np.minimum(near[0], apart[row]))[lost].sum()
            assert least >= model.objective_ * (1 - 1e-9)
    assert (np.diff(model.losses_) < 0).all() and model.losses_[-1] == pytest.approx(model.objective_)


@pytest.mark.parametrize("kind", KINDS)
def test_any_number_of_threads_finds_the_same(kind):
    values = blobs(700, 3, 4)
    one = kind(5, random_state=1, n_jobs=1).fit(values)
    three = kind(5, random_state=1, n_jobs=3).fit(values)
    assert one.objective_ == three.objective_ and (one.labels_ == three.labels_).all()
    assert (one.losses_ == three.losses_).all()


def test_weights_repeat_rows_in_every_search():
    values = np.round(blobs(180, 3, 4), 1)
    weights = np.random.default_rng(4).integers(1, 4, 180)
    repeated = np.repeat(values, weights, axis=0)
    for kind in KINDS:
        heavy = kind(4, random_state=0).fit(values, sample_weight=weights)
        plain = kind(4, random_state=0).fit(repeated)
        assert (np.repeat(heavy.labels_, weights) == plain.labels_).all(), kind
        assert heavy.objective_ == pytest.approx(plain.objective_, rel=1e-9)


def test_clarans_makes_improving_swaps_alone_and_finds_the_best_medoids_of_a_few_rows():
    for seed in range(8):
        rng = np.random.default_rng(seed)
        n, k = int(rng.integers(8, 14)), int(rng.integers(2, 4))
        values = np.round(rng.normal(size=(n, 2)), 2)
        apart = np.sqrt(((values[:, None] - values) ** 2).sum(axis=2))
        model = acumen.Clarans(k, max_neighbors=300, n_init=3, scale=False, random_state=0).fit(values)
        assert model.objective_ == pytest.approx(apart[model.medoids_].min(axis=0).sum())
        assert (model.labels_ == apart[model.medoids_].argmin(axis=0)).all()
        assert model.objective_ == pytest.approx(twin.best_medoids(apart, np.ones(n), k))
        hasty = acumen.Clarans(k, max_neighbors=1, n_init=1, scale=False, random_state=seed).fit(values)
        assert hasty.objective_ >= model.objective_ - 1e-12
        for search in (model, hasty):
            assert (np.diff(search.losses_) < 0).all()


def test_clara_and_clarans_come_close_to_all_swaps():
    values = blobs(3000, 3, 6)
    best = acumen.KMedoids(6, n_init=2, random_state=0).fit(values).objective_
    assert best * (1 - 1e-9) <= acumen.Clara(6, random_state=0).fit(values).objective_ < 1.08 * best
    assert best * (1 - 1e-9) <= acumen.Clarans(6, random_state=0).fit(values).objective_ < 1.03 * best


def test_clara_judges_by_all_rows_under_the_ranges_of_all_rows():
    titanic = acumen.datasets.load("loan")
    model = acumen.Clara(2, 3, 6, random_state=0).fit(titanic)
    apart = acumen.distances.Gower().between(acumen.datasets.load("loan"))
    assert model.distance_.name == "gower"
    assert model.objective_ == pytest.approx(apart[model.medoids_].min(axis=0).sum())


def test_one_medoid_is_the_row_of_the_least_sum():
    values = blobs(400, 3, 3)
    apart = acumen.distances.Euclidean().between(acumen.read(values), scale=True)
    for distance in ("euclidean", "cosine"):
        if distance == "cosine":
            apart = acumen.distances.Cosine().between(acumen.read(values), scale=True)
        found = acumen.KMedoids(1, distance=distance, random_state=0).fit(values)
        assert found.medoids_[0] == apart.sum(axis=0).argmin()
        assert found.objective_ == pytest.approx(apart.sum(axis=0).min())


def test_distances_of_words_and_functions_will_do():
    def steps(a: Any, b: Any) -> float:
        return abs(a[0] - b[0])

    values = np.array([[0.0], [1.0], [2.0], [50.0], [51.0], [53.0]])
    found = acumen.KMedoids(2, distance=steps, random_state=0).fit(values)
    assert found.labels_.tolist() == [0, 0, 0, 1, 1, 1] and found.objective_ == 5
    texts = acumen.read(
        pd.DataFrame(
            {"t": ["red apple", "green apple", "red apple pie", "fast car", "slow car", "fast red car"]}
        ),
        kinds={"t": "text"},
    )
    for kind in (*KINDS, acumen.Agglomerative, acumen.Divisive):
        labels = kind(2).fit(texts).labels_
        assert labels[0] == labels[1] == labels[2] != labels[3] == labels[4], kind


def test_rows_that_know_nothing_belong_nowhere_and_gaps_are_bridged():
    values = np.array([[0.0, 0.0], [0.2, np.nan], [np.nan, 9.0], [8.8, 9.1], [np.nan, np.nan]])
    for kind in (*KINDS, acumen.Agglomerative, acumen.Divisive):
        model = kind(2, scale=False)
        labels = model.fit(values).labels_
        assert labels.tolist() == [0, 0, 1, 1, -1], kind
        assert model.predict(values).tolist() == labels.tolist()
        assert model.predict([[np.nan, np.nan]]).tolist() == [-1]


@pytest.mark.parametrize("kind", KINDS)
def test_degenerate_tables_are_told_in_a_sentence(kind):
    with pytest.raises(DataError, match="2 clusters were asked for, and there is only one row"):
        kind(2).fit([[1.0, 2.0]])
    with pytest.raises(DataError, match="hold only 1 different one; ask for at most 1"):
        kind(2).fit([[1.0], [1.0], [1.0]])
    assert kind(1).fit([[1.0]]).labels_.tolist() == [0]
    with pytest.raises(DataError, match="all values are missing"):
        kind(1).fit([[np.nan], [np.nan]])
    with pytest.raises(DataError, match="compares levels by the classes"):
        kind(2, distance="value-difference").fit(IRIS)


def test_too_few_passes_are_told_and_samples_must_hold_the_medoids():
    with pytest.warns(ConvergenceWarning, match="did not come to its end in 1 pass"):
        acumen.KMedoids(6, max_iter=1, n_init=1, random_state=0).fit(blobs(400, 2, 3))
    with pytest.raises(ParameterError, match="sample_size must be at least n_clusters"):
        acumen.Clara(5, sample_size=3).fit(IRIS)


def test_a_matrix_of_words_is_asked_for_before_it_is_taken():
    texts = acumen.read(
        pd.DataFrame({"t": [f"word{i % 7} other{i % 11}" for i in range(3000)]}), kinds={"t": "text"}
    )
    from acumen.engines.memory import limited_memory

    with limited_memory("50MB"), pytest.raises(DataError, match=r"GB|MB"):
        acumen.KMedoids(2).fit(texts)


def test_the_kernel_asks_for_different_rows_as_medoids():
    rows = RowsApart.of("x", IRIS, "euclidean", False)
    for wrong in ([0, 0], [-1], [150], []):
        with pytest.raises(ValueError, match="medoids"):
            _native.search_medoids(*rows.pairs, np.array(wrong, dtype=np.int64), False, 0, 0, 0)
    with pytest.raises(ValueError, match="extra"):
        _native.search_medoids(rows.search.index, np.zeros((2, 2)), 0.0, np.array([0]), False, 0, 0, 0)
