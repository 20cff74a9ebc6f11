"""How many groups: found where they are clear, and admitted where there are none."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import acumen
from acumen.clusters.k_choice import ClusterCount, Opinion
from acumen.clusters.quality import within_clusters
from acumen.errors import ParameterError
from clusters.cluster_tables import IRIS

KMEANS = acumen.KMeans(random_state=0, n_init=3)


def blobs(k, seed, n=40, d=3, apart=12.0):
    """k groups whose centres are at least `apart` deviations from each other."""
    rng = np.random.default_rng(seed)
    centres = np.empty((0, d))
    while len(centres) < k:
        point = rng.uniform(-4 * apart, 4 * apart, d)
        if all(np.linalg.norm(point - each) >= apart for each in centres):
            centres = np.vstack([centres, point])
    return np.repeat(centres, n, axis=0) + rng.normal(size=(k * n, d))


def structureless(seed):
    """Rows without groups: even over a square, and one round cloud."""
    rng = np.random.default_rng(seed)
    return [rng.random((120, 2)), rng.normal(size=(120, 3))]


@pytest.mark.parametrize("k", [2, 4])
def test_the_number_of_clear_groups_stands_out(k):
    found = acumen.choose_n_clusters(KMEANS, blobs(k, k), n_clusters=range(2, 7))
    assert found.n_clusters == k == found.leading
    agree = [opinion.measure for opinion in found.opinions if opinion.k == k]
    assert {"silhouette", "gap", "stability"} <= set(agree)
    assert found.sentence.startswith(f"{k} clusters stand out")


def test_rows_without_groups_are_admitted_to_have_none():
    for rows in structureless(0):
        found = acumen.choose_n_clusters(KMEANS, rows, n_clusters=range(2, 6))
        assert found.n_clusters is None
        assert found.sentence.startswith("Nothing stands out")


@pytest.mark.slow
def test_over_many_draws_clear_groups_are_found_and_none_are_admitted():
    hits = sum(
        acumen.choose_n_clusters(KMEANS, blobs(2 + s % 4, s), n_clusters=range(2, 8)).n_clusters == 2 + s % 4
        for s in range(12)
    )
    assert hits >= 11
    false = [
        acumen.choose_n_clusters(KMEANS, rows, n_clusters=range(2, 8)).n_clusters
        for s in range(8)
        for rows in structureless(s)
    ]
    assert sum(k is not None for k in false) <= 1


@pytest.mark.parametrize(
    "learner",
    [acumen.KMedoids(random_state=0, n_init=2), acumen.Agglomerative(), acumen.Chameleon(random_state=0)],
    ids=lambda each: type(each).__name__,
)
def test_any_learner_with_k_is_asked(learner):
    found = acumen.choose_n_clusters(
        learner, blobs(3, 1, n=25), n_clusters=[2, 3, 4], by=["mdl", "silhouette", "gap"]
    )
    assert found.n_clusters == 3
    assert sorted(found.models) == [2, 3, 4]
    assert type(found.models[3]) is type(learner) and found.models[3].n_clusters_ == 3


def test_the_information_criterion_is_that_of_round_gaussian_groups():
    found = acumen.choose_n_clusters(KMEANS, IRIS, n_clusters=[3], by="bic")
    labels = found.models[3].labels_
    within = within_clusters(IRIS, labels, True, "test")
    n, d, sizes = 150, 4, np.bincount(labels)
    variance = within.squares / (n * d)
    log = 0.0
    for size in sizes:
        log += size * np.log(size / n)
    log += -n * d / 2 * np.log(2 * np.pi * variance) - n * d / 2
    assert found.opinions[0].values[0] == pytest.approx(-2 * log + (3 * d + 3) * np.log(n))


def test_a_likelihood_of_the_learners_own_is_taken_before_the_round_one():
    class Own(acumen.KMeans):
        @property
        def log_likelihood_(self):
            return -100.0 * abs(self.n_clusters - 3) - 1000.0 * (self.n_clusters == 1)

    found = acumen.choose_n_clusters(Own(random_state=0, n_init=1), IRIS, n_clusters=[2, 3, 4], by=["bic"])
    assert found.n_clusters == 3
    width = 4
    assert found.opinions[0].values[1] == pytest.approx(3 * width * np.log(150))


def test_mixed_rows_with_gaps_and_a_target_are_asked_too():
    rng = np.random.default_rng(0)
    group = np.repeat([0, 1, 2], 30)
    import pandas as pd

    frame = pd.DataFrame(
        {
            "x": np.where(rng.random(90) < 0.1, np.nan, 8.0 * group + rng.normal(size=90)),
            "c": np.array(["a", "b", "c"])[group],
            "t": rng.random(90),
        }
    )
    table = acumen.read(frame, target="t")
    found = acumen.choose_n_clusters(
        acumen.KMedoids(random_state=0), table, n_clusters=range(2, 6), by=["silhouette", "stability"]
    )
    assert found.n_clusters == 3


def test_more_groups_than_different_rows_are_left_out_and_told():
    rows = np.array([[0.0], [0.1], [5.0], [5.1], [9.0]]).repeat(4, axis=0)
    found = acumen.choose_n_clusters(KMEANS, rows, n_clusters=range(2, 9), by=["mdl"])
    assert found.ks == (2, 3, 4, 5)
    assert "k = 6" in found.left_out[0] and found.left_out[0] in str(found)


def test_what_cannot_be_asked_is_refused_in_a_sentence():
    for wrong, said in (
        ({"by": "elbow"}, "by must name"),
        ({"by": []}, "by must name"),
        ({"n_clusters": [1, 2]}, "whole numbers of at least 2"),
        ({"n_clusters": []}, "whole numbers of at least 2"),
        ({"sample": 3}, "sample must be"),
    ):
        with pytest.raises(ParameterError, match=said):
            acumen.choose_n_clusters(KMEANS, IRIS, **wrong)
    with pytest.raises(ParameterError, match="DBSCAN has no parameter for the number"):
        acumen.choose_n_clusters(acumen.DBSCAN(), IRIS)
    with pytest.raises(ParameterError, match=r"KMeans\(\) instead of KMeans"):
        acumen.choose_n_clusters(acumen.KMeans, IRIS)
    for other in (acumen.Ripper(), acumen.KNN(), 3):
        with pytest.raises(ParameterError, match=r"finds no clusters; give a clusterer"):
            acumen.choose_n_clusters(other, IRIS)
        with pytest.raises(ParameterError, match=r"finds no clusters; give a clusterer"):
            acumen.clustering.stability(other, IRIS)


def test_the_table_the_picture_and_the_progress_tell_of_every_k():
    seen = []
    found = acumen.choose_n_clusters(
        KMEANS,
        blobs(3, 2, n=20),
        n_clusters=[2, 3],
        by=["gap", "stability"],
        watch=lambda *said: seen.append(said),
    )
    assert [line["k"] for line in found.table()] == [2, 3]
    assert set(found.table()[0]) == {"k", "gap", "stability"}
    assert seen[-1][0] == seen[-1][1] and all(a[0] <= b[0] for a, b in itertools.pairwise(seen))
    figure = found.to_figure()
    assert [each.name for each in figure.measures] == ["gap", "stability"]
    assert "3 clusters stand out" in figure._repr_svg_()
    assert "the largest k tried" in found.sentence
    again = acumen.choose_n_clusters(KMEANS, blobs(3, 2, n=20), n_clusters=[2, 3], by=["gap", "stability"])
    assert again.to_dict() == found.to_dict(), "the same seed says the same"


def opinion(measure, k, *, unended=False, same_as=None):
    return Opinion(measure, np.zeros(9), k, True, "", unended=unended, same_as=same_as)


def chosen(*opinions):
    return ClusterCount("KMeans", tuple(range(2, 11)), opinions, {})


def test_a_measure_that_has_not_ended_is_for_the_last_k_only_beside_another():
    falling = (opinion("mdl", 10, unended=True), opinion("bic", 10, unended=True, same_as="mdl"))
    none = (opinion("gap", None), opinion("stability", None))
    found = chosen(*falling, opinion("silhouette", 2), *none)
    assert (found.n_clusters, found.leading) == (None, 2)
    assert "mdl and bic are still improving at 10, the largest k tried" in found.sentence
    found = chosen(*falling, opinion("silhouette", None), opinion("gap", None))
    assert (found.n_clusters, found.leading) == (None, 1)
    found = chosen(*falling, opinion("silhouette", 10), opinion("stability", 10))
    assert (found.n_clusters, found.leading) == (10, 10)
    assert "there may be more" in found.sentence
    found = chosen(falling[0])
    assert (found.n_clusters, found.leading) == (None, 10)


def test_two_measures_that_say_the_same_have_one_voice():
    found = chosen(
        opinion("mdl", 7), opinion("silhouette", 2), opinion("bic", 7, same_as="mdl"), opinion("gap", 7),
        opinion("stability", 2),
    )  # fmt: skip
    assert found.n_clusters is None and found.votes == {7: 2, 2: 2} and found.leading == 2
    assert chosen(opinion("bic", 7, same_as="mdl"), opinion("gap", 7)).n_clusters == 7


def test_bic_of_round_groups_is_the_description_length_in_other_units():
    found = acumen.choose_n_clusters(KMEANS, IRIS, n_clusters=range(2, 7), by=("mdl", "bic"))
    bits, bic = (each.values for each in found.opinions)
    assert bic - bic[0] == pytest.approx(2 * np.log(2) * (bits - bits[0]))
    assert found.opinions[1].same_as == "mdl" and len(found.voices) == 1


def test_where_most_voices_find_no_groups_all_rows_are_one():
    found = chosen(
        opinion("mdl", None), opinion("silhouette", None), opinion("gap", None), opinion("stability", 6)
    )
    assert found.leading == 1 and found.sentence.startswith("Nothing stands out: according to mdl")


def test_as_many_blobs_stand_out_as_were_tried_at_most():
    found = acumen.choose_n_clusters(
        acumen.KMeans(random_state=0, n_init=3), blobs(5, 3), n_clusters=range(2, 6)
    )
    assert found.n_clusters == 5 and "there may be more" in found.sentence
