"""k-means: numbers of the literature, brute force, laws of its own."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import acumen
from acumen import _native
from acumen.clusters import lloyd
from acumen.clusters.space import Points
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError
from acumen.rows.persisted import Persisted
from clusters.cluster_tables import IRIS, ruspini
from reference.means import naive_lloyd


def squares(points, labels):
    """The sum of squared distances to the means of groups, over known values."""
    total = 0.0
    for group in set(labels.tolist()) - {-1}:
        own = points[labels == group]
        with np.errstate(all="ignore"):
            total += np.nansum((own - np.nanmean(own, axis=0)) ** 2)
    return total


def test_w001_28_the_objective_of_two_pairs_is_one_and_no_partition_has_less():
    points = np.array([[0.0], [1.0], [4.0], [5.0]])
    found = acumen.KMeans(2, scale=False, random_state=0).fit(points)
    assert found.objective_ == 1.0 and found.labels_.tolist() == [0, 0, 1, 1]
    every = [squares(points, np.array(labels)) for labels in itertools.product([0, 1], repeat=4)]
    assert min(every) == found.objective_


@pytest.mark.parametrize(("k", "expected"), [(2, 152.368706), (3, 78.940841), (4, 57.317873), (5, 46.535582)])
def test_iris_gives_the_best_sums_of_sixty_starts(k, expected):
    found = acumen.KMeans(k, scale=False, n_init=30, random_state=0).fit(IRIS)
    assert found.objective_ == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("k", "expected"), [(2, 89337.832143), (3, 51063.475046), (4, 12881.051236), (5, 10126.719788)]
)
def test_ruspini_gives_the_best_sums_of_sixty_starts(k, expected, shared_data):
    found = acumen.KMeans(k, scale=False, n_init=30, random_state=0).fit(ruspini(shared_data))
    assert found.objective_ == pytest.approx(expected, abs=1e-5)


def test_no_partition_of_a_few_rows_is_better_and_most_searches_find_the_best():
    best = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        points, k = np.round(rng.normal(size=(7, 2)), 1), 2 + seed % 2
        found = acumen.KMeans(k, scale=False, n_init=20, random_state=0).fit(points)
        every = min(squares(points, np.array((0, *rest))) for rest in itertools.product(range(k), repeat=6))
        assert found.objective_ == pytest.approx(squares(points, found.labels_), abs=1e-9)
        assert found.objective_ >= every - 1e-9
        best += found.objective_ <= every + 1e-9
    assert (
        best >= 9
    )  # Lloyd's passes end where no row is nearer to another centre, which need not be the best


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.booleans(), st.booleans())
def test_a_search_is_the_naive_one_with_bounds_gaps_and_weights(seed, gaps, weighted):
    rng = np.random.default_rng(seed)
    n, d, k = int(rng.integers(20, 400)), int(rng.integers(1, 6)), int(rng.integers(1, 7))
    points = np.round(rng.normal(size=(n, d)), int(rng.integers(0, 3)))
    if gaps:
        points[rng.random((n, d)) < 0.1] = np.nan
    weights = rng.integers(1, 4, n).astype(np.float64) if weighted else np.ones(n)
    start = np.nan_to_num(points[rng.choice(n, k, replace=False)])
    for passes in (1, 2, 5, 60):
        block = Points(points, weights if weighted else np.empty(0))
        found = lloyd.lloyd(Persisted.of([block]), start.copy(), passes)
        centres, labels, left = naive_lloyd(points, weights, start, passes)
        assert np.allclose(found.centres, centres, atol=1e-9)
        assert found.objective == pytest.approx(left, abs=1e-8)
        ties = np.sort(lloyd.squared_distances(points, found.centres), axis=1)
        clear = (ties[:, 1] - ties[:, 0] > 1e-9) if k > 1 else np.ones(n, dtype=bool)
        assert (block.labels == labels)[clear].all()


@pytest.mark.parametrize("gaps", [False, True])
def test_the_objective_never_rises_from_pass_to_pass(gaps):
    rng = np.random.default_rng(3)
    points = rng.normal(size=(400, 4))
    if gaps:
        points[rng.random(points.shape) < 0.2] = np.nan
    left = [
        acumen.KMeans(7, n_init=1, max_iter=passes, random_state=5, init="random").fit(points).objective_
        for passes in range(1, 25)
    ]
    assert all(later <= before * (1 + 1e-12) for before, later in itertools.pairwise(left))


def test_bounds_change_no_label_and_spare_the_distances():
    rng = np.random.default_rng(0)
    points = np.round(rng.normal(size=(5000, 3)), 1)  # many ties
    start = points[:9].copy()
    block = Points(points, np.empty(0))
    found = lloyd.lloyd(Persisted.of([block]), start, 100)
    assert (block.labels == lloyd.nearest(points, found.centres)).all()


def test_a_centre_without_rows_is_put_on_the_farthest_one():
    points = np.array([[0.0], [0.1], [0.2], [10.0], [10.1], [50.0]])
    found = lloyd.lloyd(Persisted.of([Points(points, np.empty(0))]), np.array([[0.0], [100.0], [-100.0]]), 50)
    assert sorted(np.round(found.centres.ravel(), 6).tolist()) == [0.1, 10.05, 50.0]


def test_parts_of_many_blocks_and_a_sample_give_what_one_table_gives():
    rng = np.random.default_rng(1)
    n = 140_000
    points = rng.normal(size=(n, 3)) + rng.integers(0, 4, n)[:, None] * 3.0
    points[rng.random(points.shape) < 0.01] = np.nan
    table = acumen.read(points)
    asked = {"n_init": 2, "random_state": 4, "tol": 1e-3}
    whole = acumen.KMeans(4, **asked).fit(table)
    parts = [table.take(slice(a, b)) for a, b in itertools.pairwise([0, 3, 70_000, 99_999, n])]
    streamed = acumen.KMeans(4, **asked).fit_stream(parts)
    alone = acumen.KMeans(4, **asked, n_jobs=1).fit(table)
    for name, array in whole.model_.to_arrays().items():
        assert array.tobytes() == streamed.model_.to_arrays()[name].tobytes(), name
        assert array.tobytes() == alone.model_.to_arrays()[name].tobytes(), name
    assert streamed.n_iter_ == whole.n_iter_ and not hasattr(streamed, "labels_")
    assert acumen.KMeans(4, random_state=4).fit(table).objective_ <= whole.objective_
    with pytest.raises(DataError, match="used only once"):
        acumen.KMeans(4).fit_stream(iter(parts))


def test_k_by_description_length_finds_what_is_there_and_gamma_is_the_documents_penalty():
    rng = np.random.default_rng(2)
    points = np.concatenate([rng.normal(size=(60, 3)) + 12 * np.eye(3)[c] for c in range(3)])
    found = acumen.KMeans("mdl", random_state=0).fit(points)
    assert found.n_clusters_ == 3 and found.criterion_values_.argmin() == 2 and len(found.inertias_) == 10
    assert (np.diff(found.inertias_) < 0).all()
    length = acumen.clustering.description_length(acumen.read(points), found.labels_)
    assert length == pytest.approx(found.criterion_values_[2])
    dear = acumen.KMeans("mdl", gamma=1e6, random_state=0).fit(points)
    assert dear.n_clusters_ == 1 and dear.criterion_values_ == pytest.approx(
        dear.inertias_ + 1e6 * np.arange(1, 11)
    )
    assert acumen.KMeans("mdl", gamma=0.0, random_state=0).fit(points).n_clusters_ == 10
    alone = acumen.KMeans(3, random_state=0).fit(points)
    assert alone.objective_ == found.objective_


def test_mixed_rows_have_a_coordinate_for_each_level():
    loan = acumen.datasets.load("loan")
    found = acumen.KMeans(3, random_state=0).fit(loan)
    assert found.labels_.shape == (len(loan),) and found.n_clusters_ == 3
    assert found.schema_.target is None
    rows = Table(
        acumen.Schema((acumen.Attribute("c", "nominal", ("a", "b")), acumen.Attribute("x"))), 4,
        numeric=[np.array([0.0, 0.0, 0.0, 5.0])], nominal=[np.array([0, 0, 1, 1], dtype=np.int32)],
    )  # fmt: skip
    space = acumen.KMeans(2, scale=False, random_state=0).fit(rows).model_.space
    points = space.write(rows)
    assert ((points[0] - points[2]) ** 2).sum() == pytest.approx(1.0)
    scaled = acumen.KMeans(2, random_state=0).fit(rows).model_.space.write(rows)
    assert scaled[:, :2].var(axis=0).sum() == pytest.approx(1.0) == scaled[:, 2].var()


def test_given_centres_are_taken_in_the_units_of_the_columns():
    start = np.array([[5.0, 3.4, 1.5, 0.2], [6.0, 2.8, 4.3, 1.3], [6.6, 3.0, 5.6, 2.0]])
    found = acumen.KMeans(3, init=start).fit(IRIS)
    again = acumen.KMeans(3, init=found.cluster_centers_).fit(IRIS)
    assert again.n_iter_ <= 2 and np.allclose(again.cluster_centers_, found.cluster_centers_)
    with pytest.raises(ParameterError, match="3 lines of 4"):
        acumen.KMeans(3, init=start[:2]).fit(IRIS)
    with pytest.raises(ParameterError, match="say how many"):
        acumen.KMeans("mdl", init=start).fit(IRIS)


@pytest.mark.parametrize(
    ("rows", "k", "said"),
    [
        (np.ones((5, 2)), 2, "its 5 rows hold only 1 different one; ask for at most 1"),
        (np.ones((1, 2)), 2, "there is only one row"),
        (np.arange(6.0).reshape(3, 2), 4, "there are only 3 rows; ask for at most 3"),
        (np.full((4, 2), np.nan), 1, "all values are missing"),
    ],
)
def test_more_groups_than_different_rows_are_refused_in_a_sentence(rows, k, said):
    with pytest.raises(DataError, match=said):
        acumen.KMeans(k).fit(rows)


def test_rows_of_which_nothing_is_known_are_in_no_group():
    points = np.array([[0.0, 1.0], [np.nan, np.nan], [5.0, np.nan], [5.0, 4.0]])
    found = acumen.KMeans(2, scale=False, random_state=0).fit(points)
    assert found.labels_.tolist() == [0, -1, 1, 1]
    assert "all its values are missing" in str(found.explain([np.nan, np.nan])).lower()


def test_kernels_refuse_arrays_that_do_not_fit():
    points, none = np.zeros((4, 2)), np.empty(0)
    labels = np.zeros(4, dtype=np.int32)
    sums = np.zeros((3, 2)), np.zeros(3), np.zeros((3, 2))
    with pytest.raises(ValueError, match="as wide as rows"):
        _native.means_pass(points, none, np.zeros((3, 1)), none, labels, none, none, *sums)
    with pytest.raises(ValueError, match="no centre"):
        _native.means_pass(points, none, np.zeros((3, 2)), none, labels + 3, none, none, *sums)
    with pytest.raises(ValueError, match="no centre"):
        _native.own_squares(points, np.zeros((3, 2)), labels + 3, np.zeros(4))
