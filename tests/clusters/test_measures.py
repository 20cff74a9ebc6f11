"""Measures of groups against scikit-learn, definitions and hand-made cases."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import pdist
from sklearn import metrics

import acumen
from acumen import clustering
from acumen.errors import DataError, ParameterError

RNG = np.random.default_rng(7)
POINTS = RNG.normal(size=(90, 3)) + np.repeat(np.arange(3), 30)[:, None] * 1.7
LABELS = (np.arange(90) // 30 + (RNG.random(90) < 0.2)).astype(np.int32)


def test_measures_of_points_are_scikit_learns():
    table = acumen.read(POINTS)
    found = clustering.silhouette(table, LABELS, scale=False)
    assert found.mean == pytest.approx(metrics.silhouette_score(POINTS, LABELS), abs=1e-12)
    assert found.values == pytest.approx(metrics.silhouette_samples(POINTS, LABELS), abs=1e-12)
    assert found.groups[0] == pytest.approx(found.values[LABELS == 0].mean())
    ours = clustering.davies_bouldin(table, LABELS, scale=False)
    assert ours == pytest.approx(metrics.davies_bouldin_score(POINTS, LABELS), rel=1e-12)
    ours = clustering.calinski_harabasz(table, LABELS, scale=False)
    assert ours == pytest.approx(metrics.calinski_harabasz_score(POINTS, LABELS), rel=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_agreement_of_two_groupings_is_scikit_learns(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 4, 60), rng.integers(-1, 3, 60)
    assert clustering.rand(a, b) == pytest.approx(metrics.rand_score(a, b), abs=1e-12)
    assert clustering.adjusted_rand(a, b) == pytest.approx(metrics.adjusted_rand_score(a, b), abs=1e-12)
    assert clustering.mutual_information(a, b, adjusted=False) == pytest.approx(
        metrics.mutual_info_score(a, b), abs=1e-12
    )
    assert clustering.mutual_information(a, b) == pytest.approx(
        metrics.adjusted_mutual_info_score(a, b), abs=1e-10
    )
    table = metrics.cluster.contingency_matrix(a, b)
    assert clustering.purity(a, b) == pytest.approx(table.max(axis=1).sum() / 60)
    names = np.array(["x", "y", "z", "w"], dtype=object)
    assert clustering.adjusted_rand(names[a], a) == 1.0
    assert clustering.mutual_information(a, a) == pytest.approx(1.0, abs=1e-12)


def test_a_weight_of_two_is_a_repeated_row_in_every_measure():
    weights = np.where(np.arange(90) % 4 == 0, 2.0, 1.0)
    heavy = acumen.read(POINTS)
    heavy = type(heavy)(heavy.schema, 90, numeric=heavy.numeric, weights=weights)
    again = np.repeat(np.arange(90), weights.astype(int))
    repeated = acumen.read(POINTS[again])
    for measure in (
        lambda t, at: clustering.silhouette(t, at, scale=False).mean,
        clustering.davies_bouldin,
        clustering.calinski_harabasz,
        clustering.dunn,
        clustering.description_length,
    ):
        assert measure(heavy, LABELS) == pytest.approx(measure(repeated, LABELS[again]), rel=1e-9)
    other = np.roll(LABELS, 7)
    assert clustering.adjusted_rand(LABELS, other, weights) == pytest.approx(
        clustering.adjusted_rand(LABELS[again], other[again])
    )


def test_dunn_is_its_definition_and_rows_in_no_group_are_left_out():
    table, labels = acumen.read([[0.0], [1.0], [4.0], [6.0], [100.0]]), np.array([0, 0, 1, 1, -1])
    assert clustering.dunn(table, labels, scale=False) == pytest.approx(3 / 2)
    assert clustering.silhouette(table, labels, scale=False).mean == pytest.approx(
        metrics.silhouette_score([[0.0], [1.0], [4.0], [6.0]], labels[:4])
    )


def test_a_sampled_silhouette_has_an_interval_that_holds_the_exact_one():
    table = acumen.read(POINTS)
    exact = clustering.silhouette(table, LABELS).mean
    held = 0
    for seed in range(40):
        some = clustering.silhouette(table, LABELS, sample=30, random_state=seed)
        assert len(some.rows) == 30 and some.low < some.mean < some.high
        held += some.low <= exact <= some.high
    assert held >= 34  # of 40, at 95 per cent
    for wrong in (1, -3, 2.5, "all"):
        with pytest.raises(ParameterError, match="sample must be a whole number of at least 2"):
            clustering.silhouette(table, LABELS, sample=wrong)


def test_the_silhouette_of_mixed_rows_is_by_gower():
    loan = acumen.datasets.load("loan")
    labels = np.arange(len(loan)) % 2
    apart = acumen.distances.Gower().between(loan)
    a = [apart[i][(labels == labels[i]) & (np.arange(len(loan)) != i)].mean() for i in range(len(loan))]
    b = [apart[i][labels != labels[i]].mean() for i in range(len(loan))]
    values = [(y - x) / max(x, y) for x, y in zip(a, b, strict=True)]
    assert clustering.silhouette(loan, labels).values == pytest.approx(values)


def test_the_cophenetic_correlation_is_scipys():
    merges = linkage(POINTS[:40], "average")
    expected = cophenet(merges, pdist(POINTS[:40]))[0]
    found = clustering.cophenetic_correlation(merges, acumen.read(POINTS[:40]), scale=False)
    fitted = acumen.Agglomerative(2, scale=False).fit(POINTS[:40])
    own = clustering.cophenetic_correlation(fitted, acumen.read(POINTS[:40]))
    assert own == clustering.cophenetic_correlation(fitted.merges_, acumen.read(POINTS[:40]), scale=False)
    assert found == pytest.approx(expected, abs=1e-12)
    with pytest.raises(DataError, match="39 merges"):
        clustering.cophenetic_correlation(merges[:5], acumen.read(POINTS[:40]))


UNEVEN = POINTS[:40] * np.array([1.0, 50.0, 0.02])


@pytest.mark.parametrize("scale", [False, True])
@pytest.mark.parametrize("distance", ["manhattan", "euclidean"])
def test_a_model_brings_its_own_distance_and_scale(scale, distance):
    rows = acumen.read(UNEVEN)
    model = acumen.Agglomerative(3, distance=distance, scale=scale).fit(rows)
    how = {"distance": distance, "scale": scale}
    other = {"distance": "chebyshev", "scale": not scale}
    merges = model.merges_
    assert clustering.cophenetic_correlation(model, rows) == pytest.approx(
        clustering.cophenetic_correlation(merges, rows, **how), rel=1e-12
    )
    scaled = UNEVEN / UNEVEN.std(axis=0) if scale else UNEVEN
    apart = pdist(scaled, "cityblock" if distance == "manhattan" else distance)
    by_hand = cophenet(linkage(apart, "average"), apart)[0]
    assert clustering.cophenetic_correlation(model, rows) == pytest.approx(by_hand, abs=1e-9)
    assert clustering.cophenetic_correlation(model, rows, **other) == pytest.approx(
        clustering.cophenetic_correlation(merges, rows, **other), rel=1e-12
    )
    for measure in (lambda *a, **k: clustering.silhouette(*a, **k).mean, clustering.dunn):
        assert measure(rows, model) == pytest.approx(measure(rows, model.labels_, **how), rel=1e-12)
        assert measure(rows, model, **other) == pytest.approx(
            measure(rows, model.labels_, **other), rel=1e-12
        )


@pytest.mark.parametrize("scale", [False, True])
def test_measures_of_points_take_the_scale_of_a_model(scale):
    rows = acumen.read(UNEVEN)
    model = acumen.KMeans(3, scale=scale, random_state=0).fit(rows)
    for measure in (clustering.davies_bouldin, clustering.calinski_harabasz, clustering.description_length):
        assert measure(rows, model) == measure(rows, model.labels_, scale=scale)
    found = clustering.silhouette(rows, model).mean
    assert found == clustering.silhouette(rows, model.labels_, scale=scale).mean
    with pytest.raises(DataError, match=r"one for each of the 20 rows.*fitted on these rows"):
        clustering.silhouette(rows.take(np.arange(20)), model)


def test_clear_groups_are_stable_and_none_are_not():
    learner = acumen.KMeans(3, random_state=0, n_init=3)
    clear = clustering.stability(learner, acumen.read(POINTS * 0.2 + np.repeat(np.arange(3), 30)[:, None] * 9),
                                 resamples=5)  # fmt: skip
    assert clear.mean == pytest.approx(1.0) and clear.groups == pytest.approx(np.ones(3))
    vague = clustering.stability(learner, acumen.read(RNG.normal(size=(90, 3))), resamples=5)
    assert vague.mean < 0.8 and (vague.groups < 0.9).all()


def test_what_cannot_be_judged_is_refused_in_a_sentence():
    table = acumen.read(POINTS)
    for measure in (clustering.silhouette, clustering.dunn, clustering.davies_bouldin):
        with pytest.raises(DataError, match="at least two clusters"):
            measure(table, np.zeros(90, dtype=int))
    with pytest.raises(DataError, match="one for each of the 90 rows"):
        clustering.silhouette(table, [0, 1])
    with pytest.raises(DataError, match="no row is in a cluster"):
        clustering.dunn(table, np.full(90, -1))


def test_groups_may_be_whole_numbers_as_floats():
    groups = np.arange(90) % 3
    assert clustering.dunn(POINTS, groups.astype(float)) == clustering.dunn(POINTS, groups)
    with pytest.raises(DataError, match="labels must be whole numbers"):
        clustering.dunn(POINTS, groups + 0.5)
    with pytest.raises(DataError, match="labels must be whole numbers"):
        clustering.dunn(POINTS, np.where(groups, groups, np.nan))


@pytest.mark.parametrize(
    "learner", [acumen.KMeans(2), acumen.KModes(2), acumen.KPrototypes(2), acumen.KMedoids(2)]
)
def test_rows_of_which_nothing_is_known_have_no_groups(learner):
    with pytest.raises(DataError, match="all values are missing"):
        learner.fit(np.full((20, 2), np.nan))
