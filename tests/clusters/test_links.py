"""Rows that must, or must not, be in one group."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import acumen
from acumen.clusters.constrained_means import lloyd_constrained
from acumen.clusters.pair_constraints import Links, cheapest
from acumen.clusters.space import Points
from acumen.errors import DataError, ParameterError
from reference import linked_groups

LINKED = [acumen.KMeans, acumen.KMedoids]


@st.composite
def linked_rows(draw, most: int = 6) -> tuple[np.ndarray, list, list]:
    n = draw(st.integers(3, most))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    pair = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda p: p[0] != p[1])
    return rng.normal(size=(n, 2)), draw(st.lists(pair, max_size=2)), draw(st.lists(pair, max_size=4))


@given(linked_rows(), st.integers(2, 3), st.integers(0, 1000))
def test_the_cheapest_groups_are_those_found_by_trying_all(rows: tuple, k: int, seed: int) -> None:
    values, must, cannot_link = rows
    costs = np.random.default_rng(seed).random((len(values), k))
    best = linked_groups.cheapest(costs, must, cannot_link)
    try:
        links = Links.of(must, cannot_link, len(values), "KMeans")
        found = cheapest(links.sum_sets(costs), links, "KMeans")[links.sets]
    except (ParameterError, DataError):
        assert best is None
        return
    assert linked_groups.allowed(tuple(found.tolist()), must, cannot_link)
    assert costs[np.arange(len(values)), found].sum() == pytest.approx(best)


@settings(max_examples=30, deadline=None)
@given(linked_rows(), st.integers(1, 3))
def test_no_pass_raises_the_sum_of_squares_and_links_hold(rows: tuple, k: int) -> None:
    values, must, cannot_link = rows
    try:
        links = Links.of(must, cannot_link, len(values), "KMeans")
        found = lloyd_constrained(Points(values, np.empty(0)), links, values[:k].copy(), 50, 0.0, "KMeans")
    except (ParameterError, DataError):
        assert linked_groups.best_means(values, np.ones(len(values)), k, must, cannot_link) is None
        return
    assert (np.diff(found.objectives) <= 1e-12).all()
    assert linked_groups.allowed(tuple(found.labels.tolist()), must, cannot_link)


def test_k_means_under_links_finds_the_best_groups_of_all_on_tiny_tables() -> None:
    rng = np.random.default_rng(4)
    for _ in range(6):
        values, weights = rng.normal(size=(7, 2)), rng.integers(1, 3, 7).astype(float)
        must, cannot_link = [(0, 1)], [(2, 3), (3, 4), (0, 2)]
        learner = acumen.KMeans(
            3, scale=False, n_init=30, random_state=0, must_link=must, cannot_link=cannot_link
        ).fit(values, sample_weight=weights)
        best = linked_groups.best_means(values, weights, 3, must, cannot_link)
        assert learner.objective_ == pytest.approx(best)
        assert linked_groups.allowed(tuple(learner.labels_.tolist()), must, cannot_link)


def test_k_medoids_under_links_finds_the_best_rows_of_all_on_tiny_tables() -> None:
    rng = np.random.default_rng(5)
    for _ in range(6):
        values = rng.normal(size=(7, 2))
        must, cannot_link = [(0, 1)], [(2, 3), (3, 4), (0, 2)]
        learner = acumen.KMedoids(
            2, scale=False, n_init=20, random_state=0, must_link=must, cannot_link=cannot_link
        ).fit(values)
        away = np.linalg.norm(values[:, None] - values[None], axis=2)
        assert learner.objective_ == pytest.approx(linked_groups.best_medoids(away, 2, must, cannot_link))
        assert linked_groups.allowed(tuple(learner.labels_.tolist()), must, cannot_link)
        assert (np.diff(learner.losses_) <= 0).all()
        assert learner.losses_[-1] == pytest.approx(learner.objective_)


@pytest.mark.parametrize("learner", LINKED)
def test_links_that_hold_anyway_change_nothing(learner: type) -> None:
    iris = acumen.datasets.load("iris")
    plain = learner(3, scale=False, random_state=0).fit(iris)
    linked = learner(3, scale=False, random_state=0, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 60)]).fit(
        iris
    )
    assert np.array_equal(plain.labels_, linked.labels_)
    assert linked.objective_ == pytest.approx(plain.objective_)
    assert np.array_equal(linked.predict(iris), linked.labels_)


@pytest.mark.parametrize("learner", LINKED)
def test_links_hold_whatever_the_distances_and_the_file_keeps_the_model(learner: type, tmp_path) -> None:
    iris = acumen.datasets.load("iris")
    far = learner(
        3, random_state=0, must_link=[(0, 149), (149, 70)], cannot_link=[(3, 4), (4, 5), (3, 5)]
    ).fit(iris)
    found = far.labels_
    assert found[0] == found[149] == found[70]
    assert len({found[3], found[4], found[5]}) == 3
    assert np.unique(found).tolist() == [0, 1, 2]
    first = [int(np.flatnonzero(found == g)[0]) for g in range(3)]
    assert first == sorted(first)
    sizes = [int((found == g).sum()) for g in range(3)]
    assert far.model_.sizes.tolist() == sizes
    acumen.save(far, tmp_path / "m.acm")
    again = acumen.load(tmp_path / "m.acm")
    assert np.array_equal(again.predict(iris), far.predict(iris))
    assert again.describe() == far.describe()


@pytest.mark.parametrize("learner", LINKED)
@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            {"must_link": [(0, 1), (1, 2)], "cannot_link": [(0, 2)]},
            "cannot_link keeps rows 0 and 2 apart, which must_link puts",
        ),
        ({"must_link": [(0, 9)]}, "must_link names row 9; rows are counted from 0 to 5"),
        ({"cannot_link": [(-1, 2)]}, "cannot_link names row -1"),
        ({"cannot_link": [(2, 2)]}, "pairs row 2 with itself"),
        ({"must_link": [(0, 1, 2)]}, "must_link must be pairs of row numbers"),
        ({"must_link": [(0.5, 1)]}, "must_link must be pairs of row numbers"),
        ({"cannot_link": None}, "cannot_link must be pairs of row numbers"),
        ({"must_link": "0,1"}, "must_link must be pairs of row numbers"),
    ],
)
def test_pairs_that_cannot_be_are_refused_in_a_sentence(learner: type, given: dict, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        learner(2, **given).fit(np.arange(12.0).reshape(6, 2) ** 2)


@pytest.mark.parametrize("learner", LINKED)
def test_what_no_groups_can_keep_to_is_said(learner: type) -> None:
    rows = np.arange(12.0).reshape(6, 2) ** 2
    with pytest.raises(
        DataError, match="separate rows among 0, 1, 2, and there is none; give a larger n_clusters"
    ):
        learner(2, cannot_link=[(0, 1), (1, 2), (0, 2)]).fit(rows)
    with pytest.raises(DataError, match="must leaves only 1 set of rows; ask for at most 1"):
        learner(2, must_link=[(i, i + 1) for i in range(5)]).fit(rows)
    with pytest.raises(DataError, match="row 2, of which nothing is known"):
        learner(2, must_link=[(0, 2)]).fit(np.where(np.arange(6)[:, None] == 2, np.nan, rows))
    with pytest.raises(DataError, match="one of them has weight 0"):
        learner(2, must_link=[(0, 2)]).fit(rows, sample_weight=[1, 0, 1, 1, 1, 1])


def test_k_medoids_under_links_leaves_a_row_of_nothing_known_in_no_group() -> None:
    rows = np.arange(12.0).reshape(6, 2) ** 2
    rows[5] = np.nan
    for learner in LINKED:
        found = learner(2, must_link=[(0, 4)], random_state=0).fit(rows).labels_
        assert found[5] == -1 and found[0] == found[4] and (found[:5] >= 0).all()


def test_streams_choices_of_k_and_shares_of_rows_refuse_links() -> None:
    iris = acumen.datasets.load("iris")
    linked = acumen.KMeans(3, must_link=[(0, 1)], random_state=0)
    with pytest.raises(ParameterError, match="use fit, not fit_stream"):
        linked.fit_stream([iris])
    with pytest.raises(ParameterError, match='do not go with n_clusters="mdl"'):
        acumen.KMeans("mdl", cannot_link=[(0, 1)]).fit(iris)
    with pytest.raises(ParameterError, match="choose_n_clusters: KMeans has must_link or cannot_link"):
        acumen.choose_n_clusters(linked, iris, n_clusters=range(2, 4))
    with pytest.raises(ParameterError, match="stability: KMeans has must_link or cannot_link"):
        acumen.clustering.stability(linked, iris)


def test_centres_that_are_given_and_missing_values_go_with_links() -> None:
    rows = np.array([[0.0, 0.0], [0.1, np.nan], [5.0, 5.0], [5.1, 4.9]])
    found = acumen.KMeans(2, scale=False, init=[[0.0, 0.0], [5.0, 5.0]], cannot_link=[(0, 1)]).fit(rows)
    assert found.labels_.tolist() == [0, 1, 1, 1] or found.labels_.tolist() == [0, 1, 0, 0]
    assert found.objective_ <= 25.0 * 2
