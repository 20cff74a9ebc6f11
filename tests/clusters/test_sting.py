"""STING: cells against the rows in them, answers against flat counts, groups of dense cells."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import poisson

import acumen
from acumen.clusters.grid import KINDS, Grid, GridCells, dense_weight, kinds_of, layers
from acumen.errors import DataError, ParameterError


def noisy(n=20_000, seed=0):
    """Four clouds in a sixth of noise; -1 is the noise."""
    rng = np.random.default_rng(seed)
    centres = np.array([[-8.0, -8.0], [8.0, 8.0], [-8.0, 8.0], [8.0, -8.0]])
    group = rng.integers(-1, 5, n).clip(-1, 3)
    points = centres[group] + rng.normal(size=(n, 2))
    points[group < 0] = rng.uniform(-14, 14, (int((group < 0).sum()), 2))
    return points, group


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(1, 5))
def test_every_level_is_what_its_rows_say(seed, d, bits):
    rng = np.random.default_rng(seed)
    points, weights = rng.normal(size=(200, d)), rng.integers(1, 4, 200).astype(np.float64)
    grid = Grid(points.min(axis=0), points.max(axis=0), bits)
    halves = [GridCells.of(grid, points[a:b], weights[a:b]) for a, b in ((0, 90), (90, 200))]
    for layer in layers(grid, halves[0] + halves[1]):
        where = grid.places(points) >> (bits - layer.bits)
        cells = layer.cells
        for i, place in enumerate(grid.intervals(cells.number, layer.bits)):
            own = (where == place).all(axis=1)
            x, w = points[own], weights[own, None]
            mean = (w * x).sum(axis=0) / w.sum()
            assert cells.weight[i] == w.sum()
            assert np.allclose(cells.mean[i], mean) and np.allclose(
                cells.scatter[i], (w * (x - mean) ** 2).sum(axis=0)
            )
            assert np.array_equal(cells.least[i], x.min(axis=0)) and np.array_equal(
                cells.most[i], x.max(axis=0)
            )
            fine = grid.places(x, layer.bits + 3) & 7
            for j in range(d):
                assert np.array_equal(cells.bins[i, j], np.bincount(fine[:, j], w[:, 0], 8))
        assert cells.weight.sum() == weights.sum()


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_answers_equal_a_flat_count_at_every_level(seed):
    rng = np.random.default_rng(seed)
    points = np.round(rng.normal(size=(300, 2)) * [1, 100], 2)
    model = acumen.Sting(levels=5).fit(points)
    low, high = np.sort(rng.normal(size=(2, 2)) * [1, 100], axis=0)
    names = model.schema_.names
    flat = int(((points >= low) & (points <= high)).all(axis=1).sum())
    before = None
    for level in range(1, 6):
        found = model.query({n: (a, b) for n, a, b in zip(names, low, high, strict=True)}, level=level)
        assert found.certain <= flat <= found.possible
        assert found.certain <= found.low <= found.estimate <= found.high <= found.possible
        if before is not None:
            assert before.certain <= found.certain and found.possible <= before.possible
        before = found
        edges = np.array([found.edges[n] for n in names])
        if found.cells:
            inside = ((points >= edges[:, 0] - 1e-9) & (points <= edges[:, 1] + 1e-9)).all(axis=1)
            assert found.possible <= inside.sum()
    everything = model.query({}, level=3)
    assert everything.certain == everything.possible == everything.estimate == 300
    assert everything.mean[names[1]] == pytest.approx(points[:, 1].mean())
    assert everything.deviation[names[1]] == pytest.approx(points[:, 1].std())
    assert (everything.least[names[0]], everything.most[names[0]]) == pytest.approx(
        (points[:, 0].min(), points[:, 0].max())
    )


def test_an_estimate_of_many_rows_is_near_the_count():
    points, _ = noisy()
    model = acumen.Sting(levels=5).fit(points)
    a, b = model.schema_.names
    found = model.query({a: (-9.3, -6.1), b: (-10.2, 1.7)})
    flat = (
        (points[:, 0] >= -9.3) & (points[:, 0] <= -6.1) & (points[:, 1] >= -10.2) & (points[:, 1] <= 1.7)
    ).sum()
    assert abs(found.estimate - flat) < 0.1 * flat
    assert "for certain" in str(found) and found.cells < len(model.model_.cells)


def test_distributions_are_told_apart_by_goodness_of_fit():
    rng = np.random.default_rng(0)
    points = np.column_stack([rng.normal(size=4000), rng.random(4000), rng.exponential(size=4000)])
    grid = Grid(points.min(axis=0), points.max(axis=0), 2)
    top = layers(grid, GridCells.of(grid, points, np.ones(4000)))[0]
    assert [KINDS[k] for k in kinds_of(grid, top.cells, 0, 0.99)[0]] == ["normal", "uniform", "none"]
    few = layers(grid, GridCells.of(grid, points[:30], np.ones(30)))[0]
    assert not kinds_of(grid, few.cells, 0, 0.99).any()


def test_groups_of_dense_cells_stand_out_of_noise():
    points, group = noisy()
    found = acumen.Sting().fit(points)
    assert found.n_clusters_ == 4
    assert acumen.clustering.adjusted_rand(group[group >= 0], found.labels_[group >= 0]) > 0.95
    assert (found.labels_[group < 0] == -1).mean() > 0.5
    assert found.predict([[100.0, 0.0], [np.nan, 8.0]]).tolist() == [-1, -1]
    moved = acumen.Sting().fit(points + 1e8)
    assert (moved.labels_ == found.labels_).mean() > 0.999  # but for rows that rounding puts across an edge


def test_uniform_rows_have_no_dense_cell():
    dense = sum(
        acumen.Sting(confidence=0.99).fit(np.random.default_rng(s).random((2000, 2))).n_clusters_ > 0
        for s in range(20)
    )
    assert dense <= 2  # one in a hundred is expected
    grid = Grid(np.zeros(2), np.ones(2), 3)
    least = dense_weight(grid, 1000.0, 0.95)
    assert 64 * poisson.sf(least - 1, 1000 / 64) <= 0.05 < 64 * poisson.sf(least - 2, 1000 / 64)


def test_parts_of_many_blocks_give_what_one_table_gives():
    points, _ = noisy(66_000)
    table = acumen.read(points)
    whole = acumen.Sting().fit(table)
    parts = [table.take(slice(a, b)) for a, b in itertools.pairwise([0, 3, 65_999, len(table)])]
    streamed = acumen.Sting(n_jobs=1).fit_stream(parts)
    for name, array in whole.model_.to_arrays().items():
        assert array.tobytes() == streamed.model_.to_arrays()[name].tobytes(), name


def test_a_weight_of_two_is_a_repeated_row():
    points, _ = noisy(2000)
    twice = acumen.Sting(levels=5).fit(points, sample_weight=np.full(2000, 2.0))
    again = acumen.Sting(levels=5).fit(np.repeat(points, 2, axis=0))
    assert np.array_equal(np.repeat(twice.labels_, 2), again.labels_)
    assert twice.dense_weight_ == again.dense_weight_
    assert twice.objective_ == pytest.approx(again.objective_)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (np.ones((5, 2)), "no attribute varies"),
        (np.ones((1, 2)), "1 sample"),
        (np.full((4, 2), np.nan), "no attribute varies"),
        (
            np.array([[1.0, np.nan], [2.0, np.nan], [np.nan, 1.0], [np.nan, 3.0]]),
            "every row has a missing value",
        ),
        (np.zeros((4, 16)), "2\\^16 cells"),
    ],
)
def test_what_has_no_cells_is_refused_in_a_sentence(rows, said):
    with pytest.raises(DataError, match=said):
        acumen.Sting().fit(rows)


def test_questions_that_cannot_be_answered_are_refused_in_a_sentence():
    model = acumen.Sting(levels=3).fit(acumen.datasets.load("iris").select(["petal_length", "petal_width"]))
    with pytest.raises(ParameterError, match="Did you mean 'petal_width'"):
        model.query({"petal_widht": (0, 1)})
    for wrong in (3, (1,), ("a", 2), (1, 2, 3)):
        with pytest.raises(ParameterError, match="must be two numbers, or None"):
            model.query({"petal_width": wrong})
    with pytest.raises(ParameterError, match="a region is a mapping"):
        model.query([("petal_width", (0, 1))])
    with pytest.raises(ParameterError, match="whole number from 1 to 3"):
        model.query({}, level="fine")
    with pytest.raises(ParameterError, match="must ascend"):
        model.query({"petal_width": (2, 1)})
    with pytest.raises(ParameterError, match="from 1 to 3"):
        model.query({}, level=4)
    with pytest.raises(ParameterError, match="at most 32 levels"):
        acumen.Sting(levels=40).fit(np.random.default_rng(0).normal(size=(50, 2)))
    nothing = model.query({"petal_width": (50, None)})
    assert nothing.possible == nothing.estimate == 0 and nothing.cells == 0


def test_a_column_that_is_constant_or_all_missing_is_no_attribute_of_the_grid():
    points, _ = noisy(2000)
    wide = np.column_stack([points, np.full(2000, 7.0)])
    found, plain = acumen.Sting(levels=5).fit(wide), acumen.Sting(levels=5).fit(points)
    assert np.array_equal(found.labels_, plain.labels_)
    constant = found.schema_.names[2]
    assert (
        found.query({constant: (6.5, 7.5)}).possible == 2000 and found.query({constant: (8, 9)}).possible == 0
    )
