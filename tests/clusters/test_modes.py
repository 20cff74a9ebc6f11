"""k-modes and k-prototypes: brute force, a twin, laws of their own."""

from __future__ import annotations

import itertools

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import acumen
from acumen import _native
from acumen.clusters import prototypes
from acumen.clusters.mixed_space import MixedSpace
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.rows.persisted import Persisted
from acumen.rows.training_rows import TableRows
from oracles import kmodes
from reference.mixture import naive_prototypes


def nominal(codes, levels=3):
    """A table of nominal columns."""
    codes = np.asarray(codes, dtype=np.int32)
    schema = acumen.Schema(
        tuple(acumen.Attribute(f"a{j}", "nominal", tuple("abcdefgh"[:levels])) for j in range(codes.shape[1]))
    )
    return Table(schema, len(codes), nominal=[np.ascontiguousarray(c) for c in codes.T])


def unlike(codes, labels):
    """How many levels are not the mode of their group, over all groups."""
    total = 0.0
    for group in set(labels):
        own = codes[np.array(labels) == group]
        for column in own.T:
            known = column[column >= 0]
            total += len(known) - (np.bincount(known).max() if len(known) else 0)
    return total


def test_no_partition_of_a_few_rows_is_better_and_most_searches_find_the_best():
    best = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        codes, k = rng.integers(0, 3, (7, 3)), 2
        found = acumen.KModes(k, n_init=20, random_state=0).fit(nominal(codes))
        every = min(unlike(codes, (0, *rest)) for rest in itertools.product(range(k), repeat=6))
        assert found.objective_ >= every
        assert unlike(codes, found.labels_.tolist()) <= found.objective_
        best += found.objective_ == every
    assert best >= 9  # passes end where no row is nearer to another mode, which need not be the best


@pytest.mark.parametrize("oracle", kmodes.SEARCHED, ids=lambda oracle: str(oracle.seed))
def test_searches_end_no_higher_than_those_of_kmodes(oracle):
    rows, mixed = kmodes.tables_of(oracle.seed)
    codes = np.array(rows.nominal.columns).T
    model = acumen.KModes(3, n_init=20, random_state=0).fit(rows)
    assert model.objective_ <= oracle.modes
    assert model.objective_ == unlike(codes, model.labels_.tolist())
    modes = np.array([[int(mode[f"a{j}"][1:]) for j in range(codes.shape[1])] for mode in model.modes_])
    differences = (codes[:, None] != modes).sum(axis=2)
    assert (differences[np.arange(len(codes)), model.labels_] == differences.min(axis=1)).all()
    model = acumen.KPrototypes(3, gamma=0.7, scale=False, n_init=20, random_state=0).fit(mixed)
    assert model.objective_ <= oracle.prototypes * (1 + 1e-12)
    numbers, codes = np.array(mixed.numeric.columns).T, np.array(mixed.nominal.columns).T
    total = 0.7 * unlike(codes, model.labels_.tolist()) + sum(
        ((numbers[model.labels_ == c] - numbers[model.labels_ == c].mean(axis=0)) ** 2).sum()
        for c in range(3)
    )
    assert model.objective_ == pytest.approx(total, rel=1e-12)
    assert acumen.KPrototypes(3, scale=False, random_state=0).fit(mixed).gamma_ == pytest.approx(
        oracle.gamma, rel=1e-12
    )


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6))
def test_the_kernel_is_the_naive_loop(seed):
    rng = np.random.default_rng(seed)
    n, p, q, k = (int(rng.integers(a, b)) for a, b in ((1, 200), (0, 4), (0, 5), (1, 6)))
    if p + q == 0:
        p = 1
    numbers, codes = np.round(rng.normal(size=(n, p)), 1), rng.integers(-2, 4, (q, n)).astype(np.int32)
    numbers[rng.random(numbers.shape) < 0.2] = np.nan
    centres, modes = np.round(rng.normal(size=(k, p)), 1), rng.integers(0, 4, (k, q)).astype(np.int32)
    weights, gamma = rng.integers(1, 4, n).astype(np.float64), float(rng.integers(0, 3))
    starts = np.arange(q + 1, dtype=np.int64) * 4
    labels, away = np.full(n, -1, dtype=np.int32), np.zeros(n)
    sums = np.zeros((k, p)), np.zeros((k, p)), np.zeros((k, 4 * q)), np.zeros(k)
    _native.prototype_pass(numbers, codes, weights, centres, modes, gamma, starts, labels, away, *sums)
    expected, far = naive_prototypes(numbers, codes, centres, modes, gamma)
    assert np.array_equal(labels, expected) and np.allclose(away, far, atol=1e-12)
    for c in range(k):
        own = labels == c
        assert sums[3][c] == weights[own].sum()
        assert np.allclose(sums[0][c], np.nansum(numbers[own] * weights[own, None], axis=0))
        for j in range(q):
            counts = [weights[own & (codes[j] == level)].sum() for level in range(4)]
            assert sums[2][c, 4 * j : 4 * j + 4].tolist() == counts


def test_the_sum_of_distances_never_rises_with_gaps_and_weights():
    rng = np.random.default_rng(1)
    frame = pandas.DataFrame({"x": rng.normal(size=300), "y": rng.normal(size=300)})
    for name in "abc":
        frame[name] = rng.choice([*"pqrs", None], 300)
    frame.loc[rng.random(300) < 0.2, "x"] = np.nan
    weights = rng.integers(1, 4, 300).astype(np.float64)
    left = [
        acumen.KPrototypes(5, n_init=1, max_iter=passes, random_state=3)
        .fit(frame, sample_weight=weights)
        .objective_
        for passes in range(1, 15)
    ]
    assert all(later <= before * (1 + 1e-12) for before, later in itertools.pairwise(left))
    assert left[-1] < left[0]


def test_gaps_are_neither_like_nor_unlike_and_known_attributes_count_for_all():
    table = nominal([[0, 0, 0, 0], [0, 0, -1, -1], [1, 1, 1, 1], [1, -1, 2, 1]])
    found = acumen.KModes(2, random_state=0).fit(table)
    assert found.labels_.tolist() == [0, 0, 1, 1]
    # Row 3 knows three attributes and one of them is unlike (whichever way the tie goes): 4 / 3.
    assert found.objective_ in (pytest.approx(4 / 3), pytest.approx(1.0))
    assert acumen.KModes(1).fit(nominal([[0, 1], [-1, -1]])).labels_.tolist() == [0, -1]


def test_ties_go_to_the_first_level_and_the_first_prototype():
    found = acumen.KModes(1).fit(nominal([[2], [1], [1], [2], [0]]))
    assert found.modes_ == [{"a0": "b"}]
    space = MixedSpace.fit(TableRows(nominal([[0], [1]])), False, True, "x")
    rows = space.write(nominal([[2]]))
    measure = prototypes.MixedMeasure(1.0, np.array([0, 3]), np.zeros(1, dtype=np.int32))
    two = prototypes.Prototypes(np.empty((2, 0)), np.array([[0], [1]], dtype=np.int32))
    assert prototypes.nearest(rows, two, measure)[0].tolist() == [0]


def test_a_prototype_without_rows_takes_the_worst_row():
    codes = np.array([[0, 0, 0], [0, 0, 0], [0, 0, 0], [1, 1, 1], [0, 0, 1]])
    space = MixedSpace.fit(TableRows(nominal(codes)), False, True, "x")
    source = Persisted.of([space.write(nominal(codes))])
    measure = prototypes.MixedMeasure.of(source, [3, 3, 3], 1.0)
    start = prototypes.Prototypes(np.empty((2, 0)), np.array([[0, 0, 0], [2, 2, 2]], dtype=np.int32))
    found = prototypes.descend(source, start, measure, 20)
    assert found.prototypes.modes.tolist() == [[0, 0, 0], [1, 1, 1]] and found.objective == 1.0


def test_huangs_gamma_is_half_the_mean_deviation_and_scaling_makes_it_a_half():
    frame = pandas.DataFrame({"x": [0.0, 4.0, 0.0, 4.0], "y": [0.0, 0.0, 8.0, 8.0], "c": list("aabb")})
    assert acumen.KPrototypes(2, scale=False, random_state=0).fit(frame).gamma_ == pytest.approx(1.5)
    assert acumen.KPrototypes(2, random_state=0).fit(frame).gamma_ == pytest.approx(0.5)
    assert acumen.KPrototypes(2, 7.0, random_state=0).fit(frame).gamma_ == 7.0
    assert acumen.KPrototypes(2, random_state=0).fit(frame[["c"]]).gamma_ == 1.0


def test_prototypes_of_complete_numbers_are_the_means_of_k_means():
    iris = acumen.datasets.load("iris")
    found = acumen.KPrototypes(3, scale=False, n_init=20, random_state=0).fit(iris)
    assert found.objective_ == pytest.approx(78.940841, abs=1e-6)


def test_parts_of_many_blocks_and_a_sample_give_what_one_table_gives():
    rng = np.random.default_rng(1)
    n = 70_000
    group = rng.integers(0, 4, n)
    codes = np.where(rng.random((n, 4)) < 0.7, group[:, None], rng.integers(0, 4, (n, 4)))
    table = nominal(codes, levels=4)
    whole = acumen.KModes(4, n_init=2, random_state=4).fit(table)
    parts = [table.take(slice(a, b)) for a, b in itertools.pairwise([0, 3, 69_999, n])]
    streamed = acumen.KModes(4, n_init=2, random_state=4).fit_stream(parts)
    alone = acumen.KModes(4, n_init=2, random_state=4, n_jobs=1).fit(table)
    for name, array in whole.model_.to_arrays().items():
        assert array.tobytes() == streamed.model_.to_arrays()[name].tobytes(), name
        assert array.tobytes() == alone.model_.to_arrays()[name].tobytes(), name
    assert acumen.clustering.adjusted_rand(group, whole.labels_) > 0.6


@pytest.mark.parametrize("learner", [acumen.KModes, acumen.KPrototypes])
@pytest.mark.parametrize(
    ("rows", "k", "said"),
    [
        (np.ones((5, 2)), 2, "its 5 rows hold only 1 different one; ask for at most 1"),
        (np.ones((1, 2)), 2, "there is only one row"),
        (np.full((4, 2), np.nan), 1, "all values are missing"),
    ],
)
def test_more_groups_than_different_rows_are_refused_in_a_sentence(learner, rows, k, said):
    with pytest.raises(DataError, match=said):
        learner(k).fit(rows)


def test_a_column_that_is_all_missing_changes_no_group():
    codes = np.array([[0, 0], [0, 0], [1, 2], [1, 2]])
    found = acumen.KModes(2, random_state=0).fit(nominal(np.column_stack([codes, [-1] * 4])))
    assert found.labels_.tolist() == [0, 0, 1, 1] and found.modes_[0]["a2"] is None


def test_kernels_refuse_arrays_that_do_not_fit():
    rows = np.zeros((4, 1)), np.full((1, 4), 3, dtype=np.int32), np.ones(4)
    found = np.zeros(4, dtype=np.int32), np.zeros(4)
    sums = np.zeros((2, 1)), np.zeros((2, 1)), np.zeros((2, 3)), np.zeros(2)
    at = np.zeros((2, 1)), np.zeros((2, 1), dtype=np.int32)
    with pytest.raises(ValueError, match="of no level"):
        _native.prototype_pass(*rows, *at, 1.0, np.array([0, 3]), *found, *sums)
    with pytest.raises(ValueError, match="a start for each"):
        _native.prototype_pass(*rows, *at, 1.0, np.array([0]), *found, *sums)
