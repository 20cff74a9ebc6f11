"""DBSCAN: against the definition and scikit-learn; the reach by the knee; new rows; no order of rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import DBSCAN as THEIRS

import acumen
from acumen.clusters.dbscan import knee_of
from acumen.errors import DataError, ParameterError
from reference import grouping as twin

RNG = np.random.default_rng(1)


def rings(n: int) -> np.ndarray:
    angle = RNG.uniform(0, 2 * np.pi, n)
    radius = np.where(np.arange(n) % 2, 1.0, 3.0) + RNG.normal(size=n) * 0.06
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


@given(st.integers(0, 10**6), st.sampled_from(["euclidean", "manhattan", "gower"]))
@settings(max_examples=25)
def test_groups_are_those_of_the_definition(seed, distance):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 9, size=(40, 2)) / 4.0
    weights = rng.integers(1, 3, 40).astype(float)
    table = acumen.read(values)
    apart = acumen.distances.resolve(distance, table.schema).between(table)
    eps = float(rng.choice([0.06, 0.13, 0.25, 0.5, 2.0]))
    cores, groups, beside = twin.dense(apart, weights, eps, 5)
    found = acumen.DBSCAN(eps=eps, distance=distance, scale=False).fit(values, sample_weight=weights)
    assert set(found.cores_.tolist()) == cores and found.n_clusters_ == len(groups)
    for group in groups:
        assert len(set(found.labels_[sorted(group)].tolist())) == 1
    for row in set(range(40)) - cores:
        if row not in beside:
            assert found.labels_[row] == -1
            continue
        own = found.labels_[row]
        assert any(found.labels_[c] == own and apart[row][c] <= beside[row] * (1 + 1e-9) for c in cores)
    assert (found.predict(values) == found.labels_).all()


@pytest.mark.parametrize("eps", [0.05, 0.15, 0.4, 5.0])
def test_cores_and_noise_are_scikit_learns(eps):
    values = rings(900)
    mine, theirs = acumen.DBSCAN(eps=eps, scale=False).fit(values), THEIRS(eps=eps).fit(values)
    assert (mine.cores_ == theirs.core_sample_indices_).all()
    assert ((mine.labels_ < 0) == (theirs.labels_ < 0)).all()
    pairs = set(zip(mine.labels_[mine.cores_].tolist(), theirs.labels_[mine.cores_].tolist(), strict=True))
    assert len(pairs) == mine.n_clusters_ == len(set(theirs.labels_.tolist()) - {-1})


@given(st.integers(0, 10**6))
@settings(max_examples=15)
def test_no_order_of_rows_decides_even_between_equally_near_cores(seed):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 7, size=(60, 2)).astype(float)
    order = rng.permutation(60)
    plain = acumen.DBSCAN(eps=1.0, min_samples=6, scale=False).fit(values).labels_
    other = acumen.DBSCAN(eps=1.0, min_samples=6, scale=False).fit(values[order]).labels_
    pairs = set(zip(plain[order].tolist(), other.tolist(), strict=True))
    assert len(pairs) == len(set(plain.tolist()))


@pytest.mark.parametrize("seed", range(4))
def test_the_knee_parts_two_crescents_and_noise(seed):
    rng = np.random.default_rng(seed)
    turn, group = rng.uniform(0, np.pi, 600), np.arange(600) % 2
    crescents = (
        np.column_stack(
            [
                np.where(group, 1 - np.cos(turn), np.cos(turn)),
                np.where(group, 0.5 - np.sin(turn), np.sin(turn)),
            ]
        )
        + rng.normal(size=(600, 2)) * 0.05
    )
    values = np.vstack([crescents, rng.uniform([-2, -2], [3, 2], size=(25, 2))])
    model = acumen.DBSCAN(scale=False).fit(values)
    assert acumen.clustering.adjusted_rand(model.labels_[:600], group) > 0.97
    assert model.eps_ in model.curve_ and (np.diff(model.curve_) <= 0).all() and "<svg" in model.to_svg()
    assert model.predict([[0.0, 1.0], [1.0, -0.5], [40.0, 40.0]]).tolist() == [
        model.labels_[0], model.labels_[1], -1
    ]  # fmt: skip


def test_the_knee_is_where_the_curve_bends_whatever_its_units():
    curve = np.concatenate([np.linspace(10, 2, 5), np.linspace(1.9, 1.0, 95)])
    assert 3 <= knee_of(curve) <= 6 and knee_of(curve * 1e9) == knee_of(curve) == knee_of(curve + 100)
    assert knee_of(np.ones(9)) == 8 and knee_of(np.array([3.0])) == 0


def test_threads_and_gaps_and_levels_change_nothing_that_they_should_not():
    values = rings(700)
    one, three = (acumen.DBSCAN(eps=0.2, scale=False, n_jobs=jobs).fit(values) for jobs in (1, 3))
    assert (one.labels_ == three.labels_).all()
    gaps = values.copy()
    gaps[::50, 0] = np.nan
    gaps[0] = np.nan
    model = acumen.DBSCAN(eps=0.2, scale=False).fit(gaps)
    assert model.labels_[0] == -1 and (model.predict(gaps) == model.labels_).all()
    loan = acumen.DBSCAN(eps=0.3, min_samples=2).fit(acumen.datasets.load("loan"))
    assert loan.distance_.name == "gower" and loan.n_clusters_ >= 2


def test_nothing_dense_is_all_noise_and_parameters_are_told():
    model = acumen.DBSCAN(eps=0.01).fit([[0.0], [5.0], [9.0]])
    assert model.n_clusters_ == 0 and model.labels_.tolist() == [-1, -1, -1]
    assert model.predict([[0.0]]).tolist() == [-1] and "3 noise rows" in model.describe()
    with pytest.raises(DataError, match="eps was given"):
        model.to_figure()
    with pytest.raises(ParameterError, match="eps must be"):
        acumen.DBSCAN(eps=-1.0).fit([[0.0]])
    assert acumen.DBSCAN().fit([[1.0]] * 6).labels_.tolist() == [0] * 6


def test_the_objective_is_how_far_rows_beside_cores_are_from_the_nearest(tmp_path):
    points = np.random.default_rng(3).normal(size=(400, 2))
    weights = np.random.default_rng(4).integers(1, 3, 400).astype(float)
    found = acumen.DBSCAN(eps=0.2, scale=False).fit(points, sample_weight=weights)
    apart = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))
    border = np.setdiff1d(np.flatnonzero(found.labels_ >= 0), found.cores_)
    assert len(border) > 20
    by_hand = (apart[np.ix_(border, found.cores_)].min(axis=1) * weights[border]).sum()
    assert found.objective_ == pytest.approx(by_hand)
    acumen.save(found, tmp_path / "dense.acm")
    assert acumen.load(tmp_path / "dense.acm").objective_ == found.objective_
    assert acumen.DBSCAN(eps=1e-9, scale=False).fit(points).objective_ == 0.0
