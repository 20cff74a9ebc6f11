"""The kernels of forests against twins: trees from the same draws, walked node by node."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from acumen import _native
from ensembles.coded_rows import NO_CODES, SLOTS, N, Rows, rows, wide
from reference import forest as twin
from reference.forest_walk import value, way

TREES = 5
SEEDS = np.arange(11, 11 + TREES, dtype=np.uint64) * np.uint64(2**40 + 7)
OPTIONS = {
    "max_attributes": 2, "extra": False, "bootstrap": True, "sample": 1.0, "leaf_size": 1.0, "purity": 1.0,
    "max_depth": 0, "out_of_bag": True, "patience": 0, "most_words": 0,
}  # fmt: skip


def grow(some: Rows, seeds: np.ndarray = SEEDS, **choices: Any) -> tuple[dict[str, Any], Any]:
    """What the kernel gives, and its trees as the walking kernels take them."""
    options = OPTIONS | choices
    arrays = _native.grow_forest(
        **some.arguments(), prior=some.prior, seeds=seeds, options=options, tell=None, n_threads=2
    )
    names = "node", "value", "sets", "start", "set_start"
    nominal = np.array(some.nominal, dtype=np.uint8)
    return arrays, SimpleNamespace(**{name: arrays[name] for name in names}, nominal=nominal)


def query_rows() -> np.ndarray:
    """Rows with missing codes and with a level that no training row has."""
    codes = wide(np.vstack([rows(2).codes, rows(2, 1).codes]))
    codes[::9, 2] = 70
    return codes


# -- growing ------------------------------------------------------------------------------------------


def grow_twins(some: Rows) -> list[tuple[twin.Node, list[int]]]:
    middles = [list(map(float, range(slots))) for slots in SLOTS]
    y = some.y.tolist()
    return [
        twin.grown(some.cells(), some.nominal, middles, y, some.classes, seed, 2) for seed in SEEDS.tolist()
    ]


def judge(some: Rows, answers: np.ndarray, bags: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sums and votes of rows out of bag; after each tree the wrong, the voted and the unvoted wrong rows."""
    sums, votes, errors = np.zeros(answers.shape[1:]), np.zeros(N, dtype=int), []
    for answer, bag in zip(answers, bags, strict=True):
        out = bag == 0
        sums[out] += answer[out]
        votes += out
        voted = votes > 0
        if some.classes:
            wrong = (sums + some.prior).argmax(axis=1) != some.y
            unvoted = np.count_nonzero(some.y[~voted])
        else:
            wrong = (sums[:, 0] / np.maximum(votes, 1) - some.y) ** 2
            unvoted = 0
        errors.append([wrong[voted].sum(), voted.sum(), unvoted])
    return sums, votes, np.array(errors, dtype=np.float64)


@pytest.mark.parametrize("classes", [0, 2, 3])
def test_grow_forest_grows_the_trees_of_its_twin_and_judges_rows_out_of_bag(classes: int) -> None:
    some = rows(classes)
    arrays, forest = grow(some)
    twins = grow_twins(some)
    answers = np.array([[twin.answer(root, row) for row in some.cells()] for root, _ in twins])
    for t in range(TREES):
        walked = [value(forest, t, way(forest, t, row)[-1]) for row in wide(some.codes)]
        np.testing.assert_allclose(walked, answers[t], atol=1e-9)
    sums, votes, errors = judge(some, answers, np.array([times for _, times in twins]))
    np.testing.assert_allclose(arrays["sum"], sums, atol=1e-9)
    assert arrays["votes"].tolist() == votes.tolist()
    for name, column in zip(("error", "voted", "unvoted_wrong"), errors.T, strict=True):
        np.testing.assert_allclose(arrays[name], column, atol=1e-9)


def test_grow_forest_tells_how_many_trees_there_are() -> None:
    some, done = rows(2), []
    _native.grow_forest(
        **some.arguments(), prior=some.prior, seeds=SEEDS, options=OPTIONS, tell=done.append, n_threads=1
    )
    assert done[-1] == TREES and done == sorted(done)


@pytest.mark.parametrize("classes", [0, 2])
def test_forest_kept_goes_on_from_what_earlier_trees_have_said(classes: int) -> None:
    some = rows(classes)
    arrays, _ = grow(some)
    sums, votes, errors = np.empty((0, 0)), NO_CODES, np.empty((0, 3))
    for part in (slice(0, 2), slice(2, TREES)):
        _, forest = grow(some, SEEDS[part])
        kept = _native.forest_kept(
            forest, **some.arguments(), prior=some.prior, seeds=SEEDS[part], options=OPTIONS, sum=sums,
            votes=votes, errors=errors,
        )  # fmt: skip
        sums, votes, errors = kept["sum"], kept["votes"], kept["errors"]
        assert not kept["enough"]
    assert np.array_equal(sums, arrays["sum"]) and np.array_equal(votes, arrays["votes"])
    expected = np.column_stack([arrays[name] for name in ("error", "voted", "unvoted_wrong")])
    np.testing.assert_allclose(errors, expected, atol=1e-12)


def test_forest_kept_has_enough_where_the_error_no_longer_falls() -> None:
    some = rows(2)
    seeds = np.arange(60, dtype=np.uint64)
    _, forest = grow(some, seeds)
    kept = _native.forest_kept(
        forest, **some.arguments(), prior=some.prior, seeds=seeds, options=OPTIONS | {"patience": 4},
        sum=np.empty((0, 0)), votes=NO_CODES, errors=np.empty((0, 3)),
    )  # fmt: skip
    share = kept["errors"][:, 0] / kept["errors"][:, 1]
    best = [int(np.argmin(share[: t + 1])) for t in range(len(share))]
    assert kept["enough"] and len(share) < 60
    assert [t - best[t] >= 4 for t in range(len(share))] == [False] * (len(share) - 1) + [True]


def permute(n: int, draw: twin.Draw) -> list[int]:
    order = list(range(n))
    for i in range(n, 1, -1):
        other = draw.below(i)
        order[i - 1], order[other] = order[other], order[i - 1]
    return order


@pytest.mark.parametrize("classes", [0, 3])
def test_forest_permuted_is_the_error_that_permuted_columns_add(classes: int) -> None:
    some = rows(classes)
    _, forest = grow(some, max_depth=1)  # so shallow that a tree leaves columns out
    groups = [[0], [1], [2], [0, 2], []]
    worse = np.full((TREES, len(groups)), -9.0)
    options = OPTIONS | {"max_depth": 1}
    _native.forest_permuted(
        forest, **some.arguments(), seeds=SEEDS, options=options, groups=groups, out=worse, n_threads=2
    )

    def error(tree: int, codes: np.ndarray, y: np.ndarray) -> float:
        leaves = np.array([value(forest, tree, way(forest, tree, row)[-1]) for row in codes])
        return float((leaves.argmax(axis=1) != y).mean() if classes else ((leaves[:, 0] - y) ** 2).mean())

    expected = np.zeros_like(worse)
    for t, seed in enumerate(SEEDS.tolist()):
        out = np.array(twin.in_bag(twin.Draw(seed), N)) == 0
        codes, y = wide(some.codes)[out], some.y[out]
        for g, group in enumerate(groups):
            order = permute(len(y), twin.Draw(seed ^ (0x9E3779B97F4A7C15 * (g + 1) & twin.MASK)))
            moved = codes.copy()
            moved[:, group] = codes[order][:, group]
            expected[t, g] = error(t, moved, y) - error(t, codes, y)
    np.testing.assert_allclose(worse, expected, atol=1e-12)
    assert (worse[:, :4] == 0).any() and (worse > 0).any()


# -- walking ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [0, 2])
def test_forest_kernels_walk_rows_to_the_leaves_of_the_twin(classes: int) -> None:
    _, forest = grow(rows(classes))
    codes = query_rows()
    ways = [[way(forest, t, row) for t in range(TREES)] for row in codes]
    leaves = np.zeros((len(codes), TREES), dtype=np.int32)
    _native.forest_leaves(forest, codes, leaves, 2)
    assert leaves.tolist() == [[nodes[-1] for nodes in each] for each in ways]
    values = np.full((len(codes), max(classes, 1)), 0.5)
    _native.forest_values(forest, codes, values, 2)
    ends = [sum(value(forest, t, nodes[-1]) for t, nodes in enumerate(each)) for each in ways]
    np.testing.assert_allclose(values, 0.5 + np.array(ends), rtol=1e-12)


@pytest.mark.parametrize("classes", [0, 2])
def test_forest_contributions_are_the_steps_of_a_row_by_column(classes: int) -> None:
    _, forest = grow(rows(classes))
    for row in query_rows()[:6]:
        moved, start = np.ones((3, max(classes, 1))), np.ones(max(classes, 1))
        _native.forest_contributions(forest, row[None], moved, start)
        expected = np.zeros_like(moved)
        for t in range(TREES):
            nodes = way(forest, t, row)
            for at, to in itertools.pairwise(nodes):
                column = int(forest.node[forest.start[t] + at, 0]) & 0xFFFF
                expected[column] += value(forest, t, to) - value(forest, t, at)
        np.testing.assert_allclose(moved, expected, atol=1e-12)
        np.testing.assert_allclose(start, sum(value(forest, t, 0) for t in range(TREES)))


# -- bad arrays ---------------------------------------------------------------------------------------


def test_forest_kernels_refuse_rows_that_do_not_fit() -> None:
    some = rows(2)
    _, forest = grow(some)
    good = some.arguments()
    growing = {"prior": some.prior, "seeds": SEEDS, "options": OPTIONS, "tell": None}
    for name, array, message in [
        ("columns", good["columns"][:2], "columns of codes and what is known of them"),
        ("columns", [column[1:] for column in good["columns"]], "does not fit its rows"),
        ("slots", good["slots"] - np.int32(1), "does not fit its rows or its slots"),
        ("low", [np.zeros(2)] * 3, "does not fit its rows or its slots"),
        ("weights", np.ones(3), "rows, weights and groups"),
        ("units", np.zeros(3, dtype=np.int32), "rows, weights and groups"),
        ("units", np.full(N, -1, dtype=np.int32), "a group is below zero"),
        ("labels", some.y + np.int32(1), "a label is no class"),
        ("prior", some.prior[1:], "grow_forest: a prior"),
    ]:
        with pytest.raises(ValueError, match=message):
            _native.grow_forest(**(good | growing | {name: array}))
    kept = {"sum": np.empty((0, 0)), "votes": NO_CODES, "errors": np.empty((0, 3))}
    kept |= {"prior": some.prior, "seeds": SEEDS, "options": OPTIONS}
    for name, array, message in [
        ("prior", some.prior[1:], "a prior for each class"),
        ("seeds", SEEDS[1:], "the forest is of other columns or classes"),
        ("errors", np.zeros((1, 3)), "what trees before have said"),
        ("options", OPTIONS | {"out_of_bag": False}, "there are no rows out of bag"),
    ]:
        with pytest.raises(ValueError, match=f"forest_kept: {message}"):
            _native.forest_kept(forest, **(good | kept | {name: array}))
    for groups, width, message in [
        ([[3]], 1, "there is no such column"),
        ([[0]], 2, "the forest is of other"),
    ]:
        with pytest.raises(ValueError, match=f"forest_permuted: {message}"):
            _native.forest_permuted(
                forest, **good, seeds=SEEDS, options=OPTIONS, groups=groups, out=np.zeros((TREES, width))
            )


def test_forest_kernels_refuse_codes_that_do_not_fit() -> None:
    _, forest = grow(rows(2))
    codes = query_rows()
    n = len(codes)
    with pytest.raises(ValueError, match="other columns of codes"):
        _native.forest_values(forest, codes[:, :2].copy(), np.zeros((n, 2)))
    with pytest.raises(ValueError, match="forest_values: out has another shape"):
        _native.forest_values(forest, codes, np.zeros((n, 3)))
    with pytest.raises(ValueError, match="forest_leaves: out has another shape"):
        _native.forest_leaves(forest, codes, np.zeros((n, 1), dtype=np.int32))
    with pytest.raises(ValueError, match="forest_contributions: one row"):
        _native.forest_contributions(forest, codes, np.zeros((3, 2)), np.zeros(2))
    short = SimpleNamespace(**(vars(forest) | {"value": forest.value[1:]}))
    with pytest.raises(ValueError, match="arrays differ in length"):
        _native.forest_values(short, codes, np.zeros((n, 2)))
