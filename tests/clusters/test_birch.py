"""Birch: features against the moments of their rows, and laws of its own."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import acumen
from acumen import _native
from acumen.clusters.cluster_features import Features, grow_features, join_features
from acumen.clusters.space import Points
from acumen.errors import DataError
from acumen.rows.persisted import Persisted

NONE = np.empty(0)


def clouds(n=600, k=5, d=3, seed=0):
    rng = np.random.default_rng(seed)
    group = rng.integers(0, k, n)
    return rng.normal(size=(n, d)) + 15 * rng.normal(size=(k, d))[group], group


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.5, 2.0]), st.sampled_from([2, 3, 8]), st.booleans())
def test_features_add_up_to_the_moments_of_all_rows_and_keep_the_threshold(
    seed, threshold, branching, weighted
):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 300)), int(rng.integers(1, 4))
    points = np.round(rng.normal(size=(n, d)) * 3, 1) + 1e6
    weights = rng.integers(1, 4, n).astype(np.float64) if weighted else NONE
    found = grow_features(Persisted.of([Points(points, weights)]), d, threshold, branching, 0)
    own = weights if weighted else np.ones(n)
    assert found.weight.sum() == own.sum()
    mean = (own[:, None] * points).sum(axis=0) / own.sum()
    assert found.weight @ found.mean / own.sum() == pytest.approx(mean)
    between = (found.weight[:, None] * (found.mean - mean) ** 2).sum()
    assert found.scatter.sum() + between == pytest.approx(
        (own[:, None] * (points - mean) ** 2).sum(), rel=1e-6, abs=1e-6
    )
    assert (found.scatter <= threshold**2 * found.weight * (1 + 1e-9)).all()
    if threshold == 0.0:  # equal rows share a subcluster unless a split parted their way
        assert len(np.unique(found.mean, axis=0)) == len(np.unique(points, axis=0))


def test_equal_rows_are_one_subcluster_and_never_split():
    found = grow_features(
        Persisted.of([Points(np.tile([[1.0, 2.0], [3.0, 4.0]], (5000, 1)), NONE)]), 2, "auto", 2, 50
    )
    assert len(found) == 2 and found.weight.tolist() == [5000, 5000] and found.rebuilt == 0
    assert not found.scatter.any()


def test_the_automatic_threshold_keeps_subclusters_in_bounds():
    points, _ = clouds(20_000)
    found = grow_features(Persisted.of([Points(points, NONE)]), 3, "auto", 10, 100)
    assert len(found) <= 100 and found.rebuilt > 0 and found.threshold > 0
    assert found.weight.sum() == len(points)
    few = grow_features(Persisted.of([Points(points[:90], NONE)]), 3, "auto", 10, 100)
    assert few.threshold == 0.0 and len(few) == 90


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.5, "auto"]), st.integers(1, 5))
def test_trees_of_blocks_join_without_losing_a_row_or_the_threshold(seed, threshold, n_blocks):
    rng = np.random.default_rng(seed)
    blocks = [
        Points(np.round(rng.normal(size=(int(rng.integers(1, 200)), 2)), 2), NONE) for _ in range(n_blocks)
    ]
    found = grow_features(Persisted.of(blocks), 2, threshold, 4, 40)
    points = np.concatenate([block.values for block in blocks])
    assert found.weight.sum() == len(points)
    assert found.weight @ found.mean / len(points) == pytest.approx(points.mean(axis=0))
    between = (found.weight[:, None] * (found.mean - points.mean(axis=0)) ** 2).sum()
    assert found.scatter.sum() + between == pytest.approx(((points - points.mean(axis=0)) ** 2).sum())
    assert (found.scatter <= found.threshold**2 * found.weight * (1 + 1e-9)).all()
    assert threshold != "auto" or len(found) <= 40
    # Subclusters are put into one tree in the order of the blocks; of one block it is that block's own tree.
    each = [grow_features(Persisted.of([block]), 2, threshold, 4, 40) for block in blocks]
    assert found.threshold >= max(one.threshold for one in each)
    if n_blocks == 1:
        assert np.array_equal(found.mean, each[0].mean)
        return
    tree = _native.FeatureTree(
        2, 0.0 if threshold == "auto" else threshold, 4, 40 if threshold == "auto" else 0
    )
    for one in each:
        tree.join(one.weight, one.mean, one.scatter, one.threshold)
    mean = np.zeros((tree.size, 2))
    tree.read(np.zeros(tree.size), mean, np.zeros(tree.size))
    assert np.array_equal(found.mean, mean)


def test_moving_rows_by_1e8_changes_no_group():
    points, group = clouds(3000)
    points = np.round(points, 3)
    plain = acumen.Birch(n_clusters=5, max_subclusters=200).fit(points)
    moved = acumen.Birch(n_clusters=5, max_subclusters=200).fit(points + 1e8)
    assert np.array_equal(plain.labels_, moved.labels_)
    assert acumen.clustering.adjusted_rand(group, plain.labels_) > 0.99


def ward(weight, mean, k):
    """Ward's rule by comparing all pairs each time."""
    lots = [[i] for i in range(len(weight))]
    while len(lots) > k:

        def cost(pair, lots=lots):
            a, b = pair
            n = [weight[lots[i]].sum() for i in (a, b)]
            m = [(weight[lots[i], None] * mean[lots[i]]).sum(axis=0) / weight[lots[i]].sum() for i in (a, b)]
            return n[0] * n[1] / (n[0] + n[1]) * ((m[0] - m[1]) ** 2).sum()

        a, b = min(itertools.combinations(range(len(lots)), 2), key=cost)
        lots[a] += lots.pop(b)
    made = np.empty(len(weight), dtype=int)
    for g, lot in enumerate(lots):
        made[lot] = g
    return made


@pytest.mark.parametrize("seed", range(8))
def test_subclusters_are_joined_as_by_comparing_all_pairs(seed):
    rng = np.random.default_rng(seed)
    n, k = 14, 1 + seed % 5
    features = Features(rng.integers(1, 9, n).astype(float), rng.normal(size=(n, 2)), np.zeros(n), 0.0, 0)
    assert (
        acumen.clustering.adjusted_rand(join_features(features, k), ward(features.weight, features.mean, k))
        == 1.0
    )


def test_the_objective_is_the_squares_about_the_groups_centres():
    points, _ = clouds()
    found = acumen.Birch(n_clusters=5, scale=False).fit(points)
    by_hand = sum(((points[found.labels_ == g] - found.cluster_centers_[g]) ** 2).sum() for g in range(5))
    assert found.objective_ == pytest.approx(by_hand)


def test_parts_of_many_blocks_give_what_one_table_gives():
    points, _ = clouds(66_000)
    table = acumen.read(points)
    whole = acumen.Birch(n_clusters=5, max_subclusters=300).fit(table)
    parts = [table.take(slice(a, b)) for a, b in itertools.pairwise([0, 3, 65_999, len(table)])]
    streamed = acumen.Birch(n_clusters=5, max_subclusters=300, n_jobs=1).fit_stream(parts)
    for name, array in whole.model_.to_arrays().items():
        assert array.tobytes() == streamed.model_.to_arrays()[name].tobytes(), name


def test_gaps_take_the_value_of_the_nearest_subcluster():
    points, group = clouds(400, 3)
    points[np.arange(0, 400, 7), 1] = np.nan
    found = acumen.Birch(n_clusters=3).fit(points)
    assert acumen.clustering.adjusted_rand(group, found.labels_) > 0.95
    assert acumen.Birch(n_clusters=None).fit([[1.0, 2.0], [np.nan, np.nan]]).labels_.tolist() == [0, -1]


@pytest.mark.parametrize(
    ("rows", "asked", "said"),
    [
        (np.ones((5, 2)), {"n_clusters": 2}, "its 5 rows hold only 1 different one; ask for at most 1"),
        (np.ones((1, 2)), {"n_clusters": 2}, "there is only one row"),
        (np.arange(8.0).reshape(4, 2), {"n_clusters": 3, "threshold": 9.0}, "leaves only 1 subcluster"),
        (np.full((4, 2), np.nan), {}, "all values are missing"),
    ],
)
def test_what_cannot_be_grouped_is_refused_in_a_sentence(rows, asked, said):
    with pytest.raises(DataError, match=said):
        acumen.Birch(**asked).fit(rows)


def test_trees_refuse_arrays_that_do_not_fit():
    tree = _native.FeatureTree(2, 0.0, 5, 0)
    with pytest.raises(ValueError, match="as wide"):
        tree.add(np.zeros((3, 1)), NONE)
    with pytest.raises(ValueError, match="one weight"):
        tree.add(np.zeros((3, 2)), np.ones(2))
    with pytest.raises(ValueError, match="branches of at least 2"):
        _native.FeatureTree(2, 0.0, 1, 0)
