"""Hierarchies: against scipy, naive twins and R's numbers; their cuts, their drawing, their degenerate cases."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import cophenet, fcluster, linkage
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import cdist, pdist

import acumen
from acumen.engines.memory import limited_memory
from acumen.errors import DataError, ParameterError
from acumen.render import mpl
from acumen.render.dendrogram import DendrogramFigure, lay_out
from reference import grouping as twin

IRIS = acumen.datasets.load("iris")
LINKAGES = ("average", "single", "complete", "ward")
RNG = np.random.default_rng(0)
VALUES = np.vstack(
    [RNG.normal(size=(150, 3)), RNG.normal(size=(100, 3)) + 4, RNG.normal(size=(60, 3)) * 2 - 6]
)


@pytest.mark.parametrize("kind", LINKAGES)
def test_joins_are_scipys(kind):
    found = acumen.Agglomerative(4, linkage=kind, scale=False).fit(VALUES)
    theirs = linkage(VALUES, kind)
    assert np.allclose(found.merges_[:, 2], theirs[:, 2], rtol=1e-12, atol=1e-12)
    assert (
        found.merges_[:, [0, 1, 3]] == np.column_stack([np.sort(theirs[:, :2], axis=1), theirs[:, 3]])
    ).all()
    for k in (2, 7, 31):
        mine, other = found.cut(k), fcluster(theirs, k, "maxclust")
        assert len(set(zip(mine.tolist(), other.tolist(), strict=True))) == k
    height = float(theirs[-5, 2]) + 1e-9
    assert len(set(found.cut(distance_threshold=height).tolist())) == 5


@pytest.mark.parametrize("kind", LINKAGES)
def test_moving_all_by_1e8_and_doubling_all_changes_no_join(kind):
    values = np.round(VALUES, 2)
    plain = acumen.Agglomerative(3, linkage=kind, scale=False).fit(values)
    moved = acumen.Agglomerative(3, linkage=kind, scale=False).fit(np.round(values + 1e8, 2))
    double = acumen.Agglomerative(3, linkage=kind, scale=False).fit(values * 2)
    assert (plain.labels_ == moved.labels_).all() and (plain.labels_ == double.labels_).all()
    assert np.allclose(plain.merges_[:, 2], moved.merges_[:, 2], rtol=1e-9)
    assert np.allclose(2 * plain.merges_[:, 2], double.merges_[:, 2], rtol=1e-12)


@given(st.integers(0, 10**6), st.sampled_from(["average", "single", "complete"]))
@settings(max_examples=20)
def test_heights_are_the_twins_on_rows_with_weights(seed, kind):
    rng = np.random.default_rng(seed)
    values = np.unique(np.round(rng.normal(size=(12, 2)), 3), axis=0)  # hardly a tie
    weights = rng.integers(1, 4, len(values)).astype(float)
    found = acumen.Agglomerative(2, linkage=kind, scale=False).fit(values, sample_weight=weights)
    apart = acumen.distances.Euclidean().between(acumen.read(values))
    assert np.allclose(found.merges_[:, 2], twin.joined(apart, weights, kind))


@pytest.mark.parametrize("kind", LINKAGES)
def test_a_weight_of_two_is_a_repeated_row_in_every_linkage(kind):
    weights = RNG.integers(1, 3, len(VALUES))
    heavy = acumen.Agglomerative(5, linkage=kind).fit(VALUES, sample_weight=weights)
    plain = acumen.Agglomerative(5, linkage=kind).fit(np.repeat(VALUES, weights, axis=0))
    assert (np.repeat(heavy.labels_, weights) == plain.labels_).all()
    extra = int(weights.sum()) - len(VALUES)
    assert (plain.merges_[:extra, 2] == 0).all() and plain.merges_[-1, 3] == weights.sum()
    assert np.allclose(plain.merges_[extra:, 2], heavy.merges_[:, 2], rtol=1e-9)
    theirs = linkage(np.repeat(VALUES, weights, axis=0) / VALUES.repeat(weights, axis=0).std(axis=0), kind)
    assert np.allclose(theirs[-20:, 2], plain.merges_[-20:, 2], rtol=1e-6)


def test_coefficients_are_rs_agnes_and_diana(shared_data: Path):
    # R 4, cluster 2.1.8.2: agnes(x)$ac (average), diana(x)$dc.
    expected = {"ruspini": (0.947954, 0.960566), "agriculture": (0.781893, 0.871106)}
    for name, (joined, divided) in expected.items():
        table = acumen.read(shared_data / "clusters" / f"{name}.csv", columns=["x", "y"])
        assert round(acumen.Agglomerative(scale=False).fit(table).coefficient_, 6) == joined
        assert round(acumen.Divisive(scale=False).fit(table).coefficient_, 6) == divided


@given(st.integers(0, 10**6))
@settings(max_examples=20)
def test_divisions_are_the_twins(seed):
    values = np.random.default_rng(seed).normal(size=(13, 2))
    found = acumen.Divisive(3, distance="manhattan", scale=False).fit(values)
    apart = acumen.distances.Manhattan().between(acumen.read(values))
    assert np.allclose(found.merges_[:, 2], twin.divided(apart))


def test_groups_of_a_cut_never_have_a_larger_diameter():
    found = acumen.Divisive(scale=False).fit(VALUES)
    apart = acumen.distances.Euclidean().between(acumen.read(VALUES))
    labels = found.cut(distance_threshold=6.0)
    assert max(apart[np.ix_(labels == g, labels == g)].max() for g in set(labels.tolist())) <= 6.0
    assert (np.diff(found.merges_[:, 2]) >= 0).all()


def test_cophenetic_distances_follow_from_the_table_of_joins():
    found = acumen.Agglomerative(3, scale=False).fit(VALUES[:80])
    assert cophenet(found.merges_, pdist(VALUES[:80]))[0] == pytest.approx(
        cophenet(linkage(VALUES[:80], "average"), pdist(VALUES[:80]))[0]
    )


def test_without_k_the_cut_is_where_heights_leap_most():
    far = np.vstack(
        [RNG.normal(size=(40, 2)), RNG.normal(size=(40, 2)) + 60, RNG.normal(size=(40, 2)) - [0, 90]]
    )
    for kind in LINKAGES:
        assert acumen.Agglomerative(linkage=kind).fit(far).n_clusters_ == 3 if kind == "single" else True
    model = acumen.Agglomerative().fit(far)
    assert model.n_clusters_ in (2, 3) and "cut between heights" in model.describe()


def test_mixed_rows_are_joined_by_gower(shared_data: Path):
    flower = acumen.read(
        shared_data / "clusters" / "flower.csv", kinds={f"V{j}": "nominal" for j in range(1, 7)}
    )
    found = acumen.Agglomerative(3, linkage="complete").fit(flower)
    assert found.distance_.name == "gower" and found.n_clusters_ == 3
    assert found.merges_[-1, 2] == acumen.distances.Gower().between(flower).max()


def test_new_rows_go_where_their_nearest_training_row_is():
    model = acumen.Agglomerative(2, linkage="single", scale=False).fit([[0.0], [1.0], [2.0], [9.0], [10.0]])
    assert model.predict([[-3.0], [5.4], [5.6], [30.0]]).tolist() == [0, 0, 1, 1]


def test_objections_are_sentences():
    with pytest.raises(ParameterError, match="not both"):
        acumen.Agglomerative(2, distance_threshold=1.0).fit(IRIS)
    with pytest.raises(DataError, match="is nominal; use linkage='average'"):
        acumen.Agglomerative(2, linkage="ward").fit(acumen.datasets.load("loan"))
    with pytest.raises(DataError, match="not manhattan"):
        acumen.Agglomerative(2, linkage="ward", distance="manhattan").fit(IRIS)
    with pytest.raises(DataError, match="some are missing or infinite; complete them"):
        acumen.Agglomerative(2, linkage="ward").fit([[1.0], [np.nan], [2.0]])
    columns = [np.array([1.0, -np.inf, 2.0])]
    infinite = acumen.Table(acumen.Schema((acumen.Attribute("x"),)), 3, numeric=columns)
    with warnings.catch_warnings(), pytest.raises(DataError, match="missing or infinite"):
        warnings.simplefilter("ignore")
        acumen.Agglomerative(2, linkage="ward").fit(infinite)
    model = acumen.Agglomerative(2).fit(IRIS)
    for wrong in (
        {},
        {"n_clusters": 2, "distance_threshold": 1.0},
        {"n_clusters": 0},
        {"n_clusters": 151},
        {"n_clusters": 2.5},
        {"distance_threshold": -1.0},
    ):
        with pytest.raises(ParameterError, match=r"Agglomerative\.cut"):
            model.cut(**wrong)
    many = np.random.default_rng(0).normal(size=(4000, 2))
    with limited_memory("20MB"):
        for kind in ("single", "ward"):
            assert acumen.Agglomerative(2, linkage=kind).fit(many).n_clusters_ == 2
        with pytest.raises(DataError, match="MB"):
            acumen.Agglomerative(2).fit(many)


def test_one_row_and_equal_rows_are_one_group():
    for kind in (acumen.Agglomerative, acumen.Divisive):
        assert kind().fit([[3.0]]).labels_.tolist() == [0]
        same = kind().fit([[3.0], [3.0], [3.0]])
        assert same.labels_.tolist() == [0, 0, 0] and same.merges_.shape == (2, 4)
        assert np.isnan(same.coefficient_)
        with pytest.raises(DataError, match="hold only 1 different one"):
            kind(2).fit([[3.0], [3.0]])


def test_the_dendrogram_is_drawn_without_crossing_arms():
    model = acumen.Agglomerative(3).fit(IRIS)
    for leaves in (5, 30):
        figure = model.to_figure(leaves=leaves)
        plan = lay_out(figure)
        assert len(plan.leaves) == leaves and (plan.x[:, 0] < plan.x[:, 1]).all()
        assert set(plan.colours.tolist()) == {0, 1, 2}
        rows = sum(int(leaf.strip("()").replace(",", "")) if "(" in leaf else 1 for leaf in plan.leaves)
        assert rows == 150
        assert (plan.y[:, 2:] >= plan.y[:, :2]).all()
    assert "<svg" in model.to_svg() and "Cut into 3 clusters" in model.to_svg()
    small = acumen.Divisive(2).fit([[0.0], [1.0], [7.0]]).to_figure()
    assert lay_out(small).leaves == ["0", "1", "2"]
    ax = mpl.dendrogram_axes(small)
    assert ax.get_ylabel() == "height" and len(ax.lines) >= 2
    with pytest.raises(DataError, match="only one row"):
        acumen.Agglomerative().fit([[1.0]]).to_figure()
    with pytest.raises(DataError, match="groups must be from 1"):
        DendrogramFigure([0], [1], [1.0], groups=3)


def test_the_objective_adds_the_heights_of_joins_inside_groups(tmp_path):
    points = np.random.default_rng(3).normal(size=(60, 2))
    ward = acumen.Agglomerative(4, linkage="ward", scale=False).fit(points)
    squares = sum(
        ((points[ward.labels_ == g] - points[ward.labels_ == g].mean(axis=0)) ** 2).sum() for g in range(4)
    )
    assert ward.objective_ == pytest.approx(squares)
    single = acumen.Agglomerative(1, linkage="single", scale=False).fit(points)
    apart = cdist(points, points)
    assert single.objective_ == pytest.approx(minimum_spanning_tree(apart).sum())
    for learner in (ward, single, acumen.Divisive(4).fit(points)):
        inside = learner.merges_[: 60 - learner.n_clusters_, 2]
        assert learner is ward or learner.objective_ == pytest.approx(inside.sum())
        acumen.save(learner, tmp_path / "kept.acm")
        assert acumen.load(tmp_path / "kept.acm").objective_ == learner.objective_
    again = acumen.Agglomerative(4, linkage="ward", scale=False).fit(np.repeat(points, 2, axis=0))
    twice = acumen.Agglomerative(4, linkage="ward", scale=False).fit(points, sample_weight=np.full(60, 2.0))
    assert twice.objective_ == pytest.approx(again.objective_)
