"""Chameleon: groups of any form beside the truth, its cuts beside METIS' and beside all cuts, its joins by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_circles, make_moons
from sklearn.metrics import adjusted_rand_score

import acumen
from acumen import _native
from acumen.clusters.chameleon import Joins
from acumen.clusters.row_distances import RowsApart
from acumen.clusters.row_graph import LOOSE, RowGraph, neighbour_graph
from acumen.clusters.sampling import distinct_rows
from acumen.errors import DataError, MissingExtra


def graph_of(edges, n, sizes=None):
    both = sorted([(a, b, w) for a, b, w in edges] + [(b, a, w) for a, b, w in edges])
    starts = np.searchsorted([a for a, _, _ in both], np.arange(n + 1)).astype(np.int64)
    ends = np.array([b for _, b, _ in both], dtype=np.int32)
    weights = np.array([w for _, _, w in both], dtype=np.float64)
    return RowGraph(
        starts, ends, weights, np.ones(n) if sizes is None else np.asarray(sizes, dtype=np.float64)
    )


def shapes(seed):
    """Moons, rings and touching blobs; a twentieth more rows are scattered over them."""
    rng = np.random.default_rng(seed)

    def with_noise(X, y, k):
        low, high = X.min(axis=0), X.max(axis=0)
        noise = rng.uniform(low, high, (len(X) // 20, 2))
        return np.vstack([X, noise]), np.concatenate([y, np.full(len(noise), -1)]), k

    yield with_noise(*make_moons(1000, noise=0.08, random_state=seed), 2)
    yield with_noise(*make_circles(1000, noise=0.05, factor=0.5, random_state=seed), 2)
    centres = np.array([[0, 0], [4.2, 0], [0, 4.2], [4.2, 4.2]])
    blobs = np.vstack([rng.normal(size=(250, 2)) * 0.75 + c for c in centres])
    yield with_noise(blobs, np.repeat(np.arange(4), 250), 4)


@pytest.mark.parametrize(
    "seed", [0, pytest.param(1, marks=pytest.mark.slow), pytest.param(2, marks=pytest.mark.slow)]
)
def test_rings_moons_and_touching_blobs_are_found_among_noise(seed):
    for X, y, k in shapes(seed):
        found = acumen.Chameleon(k, random_state=seed).fit_predict(X)
        assert adjusted_rand_score(y[y >= 0], found[y >= 0]) >= 0.95


def test_groups_of_unequal_density_and_size_are_found():
    rng = np.random.default_rng(0)
    dense, sparse = rng.normal(size=(300, 2)) * 0.15, rng.normal(size=(100, 2)) * 1.2 + [4.5, 0]
    groups = acumen.Chameleon(2, random_state=0).fit_predict(np.vstack([dense, sparse]))
    assert adjusted_rand_score(np.repeat([0, 1], [300, 100]), groups) > 0.95


def test_groups_of_mixed_rows_with_gaps_are_found():
    rng = np.random.default_rng(4)
    import pandas as pd

    truth = np.repeat([0, 1, 2], 60)
    frame = pd.DataFrame(
        {
            "size": truth * 5.0 + rng.normal(size=180),
            "colour": np.array(["red", "green", "blue"])[truth],
            "form": np.array(["round", "long"])[truth % 2],
        }
    )
    frame.loc[rng.choice(180, 30, replace=False), "size"] = np.nan
    found = acumen.Chameleon(3, random_state=0).fit(frame)
    assert adjusted_rand_score(truth, found.labels_) > 0.95
    assert np.array_equal(found.predict(frame), found.labels_)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(4, 9))
def test_a_small_graph_is_cut_as_lightly_as_can_be(seed, n):
    rng = np.random.default_rng(seed)
    edges = [
        (a, b, float(rng.uniform(0.1, 1)))
        for a, b in itertools.combinations(range(n), 2)
        if rng.random() < 0.6
    ]
    graph = graph_of(edges, n)
    side, weight, count = _native.cut_graph(*graph.arrays, LOOSE, seed)
    assert weight == pytest.approx(sum(w for a, b, w in edges if side[a] != side[b]))
    assert count == sum(side[a] != side[b] for a, b, _ in edges)
    best = min(
        sum(w for a, b, w in edges if (a in some) != (b in some))
        for size in range(int(np.ceil(LOOSE * n)), n // 2 + 1)
        for some in itertools.combinations(range(n), size)
    )
    assert weight <= best + 1e-9
    assert min(side.sum(), n - side.sum()) >= LOOSE * n


def test_cuts_are_within_a_tenth_of_metis():
    pymetis = pytest.importorskip("pymetis")
    for X, _, _ in shapes(3):
        rows = RowsApart.of("test", _table(X), "auto", True)
        graph = neighbour_graph(rows, 10)
        whole = np.rint(graph.weights * 1000).astype(np.int32)
        for parts, least in ((2, 0.49), (40, 0.49)):
            theirs = np.array(
                pymetis.part_graph(
                    parts, pymetis.CSRAdjacency(graph.starts.astype(np.int32), graph.ends), eweights=whole
                )[1]
            )
            mine = _native.partition_graph(*graph.arrays, parts, np.inf, least, 1)
            assert len(np.unique(mine)) == parts
            assert graph.cut_weight(mine) <= 1.1 * graph.cut_weight(theirs.astype(np.int32))


def _table(X):
    import pandas as pd

    return acumen.read(pd.DataFrame(X, columns=["a", "b"]))


def test_metis_can_cut_instead():
    pytest.importorskip("pymetis")
    *_, (X, y, k) = shapes(0)
    found = acumen.Chameleon(k, cutter="metis", random_state=0).fit_predict(X)
    assert adjusted_rand_score(y[y >= 0], found[y >= 0]) >= 0.95


def test_without_metis_a_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pymetis", None)
    with pytest.raises(MissingExtra, match=r"acumen-learn\[graph\]"):
        acumen.Chameleon(2, cutter="metis").fit(np.random.default_rng(0).normal(size=(50, 2)))


def test_ratios_are_those_worked_out_by_hand():
    # Two squares of weights 1 (the cheapest even cut of each takes two edges), tied by two edges of 0.5.
    square = [(0, 1), (1, 2), (2, 3), (3, 0)]
    edges = [(a, b, 1.0) for a, b in square] + [(a + 4, b + 4, 1.0) for a, b in square]
    edges += [(0, 4, 0.5), (1, 5, 0.5)]
    joins = Joins(graph_of(edges, 8), 1, 2.0, 0.0, 0, np.repeat([0, 1], 4).astype(np.int32))
    assert joins.inner.tolist() == [2.0, 2.0] and joins.mean.tolist() == [1.0, 1.0]
    connectivity, closeness = joins.ratios()
    assert connectivity[0, 1] == 1.0 / 2.0  # EC(i, j) = 1 over the mean of 2 and 2
    assert closeness[0, 1] == 0.5  # SEC(i, j) = 0.5 over the mean of 1 and 1
    best = joins.best()
    assert best is not None and (best.one, best.other, best.sizes) == (0, 1, (4.0, 4.0))
    joins.k = 2
    assert joins.best() is None  # both are groups, and there are no more than k of them


def test_ratios_weigh_the_cut_of_each_part_by_its_size():
    # Two paths of 4 and 6 rows, cut in their middle: 0.2 and 0.4. Other edges inside the parts play no role.
    edges = [(0, 1, 1.0), (1, 2, 0.2), (2, 3, 3.0)]
    edges += [(4 + i, 5 + i, weight) for i, weight in enumerate((1.0, 1.0, 0.4, 1.0, 1.0))]
    edges += [(0, 4, 0.5), (3, 9, 0.3)]
    joins = Joins(graph_of(edges, 10), 1, 2.0, 0.0, 0, np.repeat([0, 1], [4, 6]).astype(np.int32))
    connectivity, closeness = joins.ratios()
    assert connectivity[0, 1] == pytest.approx((0.5 + 0.3) / ((0.2 + 0.4) / 2))
    assert closeness[0, 1] == pytest.approx(0.4 / (0.4 * 0.2 + 0.6 * 0.4))


def test_parts_that_nothing_ties_are_joined_to_what_is_nearest():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(40, 2)) * 0.1 + c for c in ([0, 0], [10, 0], [13, 0])])
    found = acumen.Chameleon(2, n_neighbors=5, random_state=0).fit(X)
    assert set(found.labels_[40:].tolist()) == {1} and set(found.labels_[:40].tolist()) == {0}
    assert found.joins_[-1, 2:].tolist() == [0.0, 0.0]


def test_equal_rows_are_one_vertex():
    X = np.repeat(np.random.default_rng(1).normal(size=(30, 2)), 3, axis=0)
    first, which = distinct_rows(RowsApart.of("test", _table(X), "auto", True).raw)
    assert first.tolist() == list(range(0, 90, 3)) and which.tolist() == np.repeat(np.arange(30), 3).tolist()
    labels = acumen.Chameleon(2, random_state=0).fit_predict(X)
    assert (labels.reshape(30, 3) == labels[::3, None]).all()


def test_more_groups_than_different_rows_are_refused_in_a_sentence():
    with pytest.raises(DataError, match="9 clusters were asked for"):
        acumen.Chameleon(9).fit(np.repeat(np.eye(3), 4, axis=0))


def test_the_smallest_tables_are_grouped():
    assert acumen.Chameleon(1).fit_predict(np.array([[1.0, 2.0]])).tolist() == [0]
    assert acumen.Chameleon(2).fit_predict(np.array([[1.0], [5.0]])).tolist() == [0, 1]
    assert acumen.Chameleon(1).fit_predict(np.zeros((5, 2))).tolist() == [0] * 5


def test_the_same_seed_gives_the_same_groups():
    X, _, k = next(shapes(5))
    one, other = (acumen.Chameleon(k, random_state=3, n_jobs=jobs).fit(X) for jobs in (1, 2))
    assert np.array_equal(one.labels_, other.labels_) and one.objective_ == other.objective_
