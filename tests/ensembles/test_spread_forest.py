"""A forest grown piece by piece is the one grown at once: what a cluster's tasks do, here one after the other."""

from __future__ import annotations

import numpy as np
import pytest

import acumen
from acumen.ensembles.column_codes import CodedColumns
from acumen.ensembles.distributed_forest import grow_on_cluster
from acumen.ensembles.forest import ForestOptions, ForestRows, grow_forest
from acumen.ensembles.packed_forest import PackedForest


class _Here:
    """A value that is here: tasks are calls."""

    def __init__(self, value):
        self.value = value

    def then(self, function, *given, alone=False):
        return _Here(
            function(self.value, *(each.value if isinstance(each, _Here) else each for each in given))
        )

    def fetch(self):
        return self.value


def _rows(numbers: bool, weighed: bool) -> ForestRows:
    rng = np.random.default_rng(5)
    n = 400
    x = rng.normal(size=(n, 3)).round(1)
    x[rng.random(x.shape) < 0.1] = np.nan
    y = np.nan_to_num(x[:, 0]) + rng.normal(size=n)
    target = y if numbers else np.digitize(y, [-0.5, 0.5])
    learner = acumen.RandomForestRegressor() if numbers else acumen.RandomForest()
    table, _ = learner.task.intake(x, target, rng.integers(1, 9, n) / 4 if weighed else None, "test")
    return ForestRows.of(table, CodedColumns.of(table, 255))


@pytest.mark.parametrize("some", [1, 3, 50])
@pytest.mark.parametrize("numbers", [False, True])
@pytest.mark.parametrize("weighed", [False, True])
@pytest.mark.parametrize("patience", [None, 4])
def test_pieces_make_the_whole(some, numbers, weighed, patience):
    rows = _rows(numbers, weighed)
    seeds = np.random.default_rng(1).integers(0, 2**64, 11, dtype=np.uint64)
    options = ForestOptions(2, leaf_size=20.0, patience=patience)
    whole = grow_forest(rows, seeds, options)
    told: list[int] = []
    found = grow_on_cluster(_Here(rows), rows.coded, seeds, options, some, told.append)
    for name, array in whole.packed.to_arrays().items():
        assert np.array_equal(array, found.packed.to_arrays()[name])
    assert np.array_equal(whole.gain, found.gain)
    assert found.bag is not None
    for name, array in whole.bag.to_arrays().items():
        assert np.array_equal(array, found.bag.to_arrays()[name])
    assert told == sorted(told)
    assert patience or told[-1] == 11


def test_patience_looks_back_over_pieces():
    rows = _rows(False, False)
    seeds = np.random.default_rng(2).integers(0, 2**64, 60, dtype=np.uint64)
    options = ForestOptions(3, leaf_size=60.0, patience=5)
    whole = grow_forest(rows, seeds, options)
    assert len(whole.packed) < 60
    asked: list[int] = []
    found = grow_on_cluster(_Here(rows), rows.coded, seeds, options, 2, asked.append)
    assert len(found.packed) == len(whole.packed)
    assert asked[-1] < 60  # pieces behind the end are not grown


def test_joined_trees_are_walked_as_they_were():
    rows = _rows(False, False)
    seeds = np.random.default_rng(3).integers(0, 2**64, 5, dtype=np.uint64)
    options = ForestOptions(2, leaf_size=30.0)
    whole = grow_forest(rows, seeds, options).packed
    parts = [grow_forest(rows, seeds[a:b], options).packed for a, b in ((0, 1), (1, 4), (4, 5))]
    joined = PackedForest.concatenate(parts)
    codes = np.stack([np.where(c == 255, 65_535, c) for c in rows.coded.columns], axis=1).astype(np.uint16)
    assert np.array_equal(joined.sum_leaves(codes), whole.sum_leaves(codes))
    assert np.array_equal(joined.depths(), whole.depths())
