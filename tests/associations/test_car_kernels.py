"""Class association rules: the sets they are made of and how they are judged, against every set one by one."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from acumen import _native
from reference.tree_prune import add_errs

Set = tuple[int, ...]

CLASSES, LEVELS, ATTRIBUTES, N = 2, 3, 3, 60
ATTRIBUTE = np.repeat(np.arange(ATTRIBUTES), LEVELS).astype(np.int32)


def rows(folds: int = 1, weighted: bool = False) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Items (rows, attributes) with missing ones, the segment of each row, and whole weights or none."""
    rng = np.random.default_rng(5)
    codes = rng.integers(0, LEVELS, (N, ATTRIBUTES))
    labels = (codes[:, 0] + codes[:, 1] + rng.integers(0, 3, N) > 3).astype(np.int32)
    items = (codes + np.arange(ATTRIBUTES) * LEVELS).astype(np.int32)
    items[rng.random(items.shape) < 0.1] = -1
    weights = rng.integers(1, 4, N) if weighted else np.empty(0)
    return items, (np.arange(N) % folds * CLASSES + labels).astype(np.int32), weights.astype(np.int64)


def count(items: np.ndarray, segment: np.ndarray, weights: np.ndarray, folds: int) -> dict[Set, np.ndarray]:
    """The counts (folds, classes) of every set of conditions on different attributes."""
    each = weights if len(weights) else np.ones(len(items))
    counts: dict[Set, np.ndarray] = {}
    for size in range(1, ATTRIBUTES + 1):
        for one in itertools.combinations(range(len(ATTRIBUTE)), size):
            if len(set(ATTRIBUTE[list(one)].tolist())) == size:
                held = np.all([(items == item).any(axis=1) for item in one], axis=0)
                sums = np.bincount(segment[held], each[held], minlength=folds * CLASSES)
                counts[one] = sums.reshape(folds, CLASSES).astype(np.int64)
    return counts


def is_frequent(counts: np.ndarray, least: np.ndarray, folds: int) -> bool:
    """Whether some class has its least count, without some fold."""
    without = counts.sum(axis=0) - counts if folds > 1 else counts
    return bool((without >= least.reshape(folds, CLASSES)).any())


def mine(
    items: np.ndarray, segment: np.ndarray, weights: np.ndarray, folds: int, least: np.ndarray, **options: Any
) -> tuple[Any, Any, Any, bool]:
    choices = {"max_size": 0, "limit": 10_000, "free": False} | options
    return _native.mine_cars(
        items, ATTRIBUTE, segment, weights, CLASSES, folds if folds > 1 else 0, least, *choices.values(), 1
    )


def lists(starts: np.ndarray, items: np.ndarray) -> list[Set]:
    return [tuple(items[a:b].tolist()) for a, b in itertools.pairwise(starts.tolist())]


@pytest.mark.parametrize("folds", [1, 3])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("max_size", [0, 2])
def test_mine_cars_gives_the_sets_that_are_frequent_with_some_class(
    folds: int, weighted: bool, max_size: int
) -> None:
    table = rows(folds, weighted)
    least = np.tile([4, 6], folds).astype(np.int64)
    starts, items, counts, overflow = mine(*table, folds, least, max_size=max_size)
    expected = {
        one: line.ravel().tolist()
        for one, line in count(*table, folds).items()
        if is_frequent(line, least, folds) and len(one) <= (max_size or ATTRIBUTES)
    }
    sets = lists(starts, items)
    lines = counts.reshape(len(sets), folds * CLASSES).tolist()
    assert dict(zip(sets, lines, strict=True)) == expected
    assert len(sets) == len(expected) > 10
    assert not overflow
    assert mine(*table, folds, least, max_size=max_size, limit=len(sets) - 1)[3]


def parts_of(one: Set) -> list[Set]:
    return [one[:i] + one[i + 1 :] for i in range(len(one))]


def test_mine_cars_keeps_every_free_set_and_leaves_out_only_others() -> None:
    items, segment, weights = rows()
    table = items[:20].copy(), segment[:20].copy(), weights  # so few that many sets cover the same rows
    least = np.array([1, 1], dtype=np.int64)
    every = {one: int(line.sum()) for one, line in count(*table, 1).items() if line.sum()}
    free = {
        one for one, n in every.items() if all(n < every.get(part, N + 1) for part in parts_of(one) if part)
    }
    starts, set_items, _, _ = mine(*table, 1, least, free=True)
    sets = set(lists(starts, set_items))
    assert free <= sets <= set(every)
    assert len(sets) < len(every) - 5


def test_shorter_sets_are_the_places_of_sets_without_one_item() -> None:
    sets: list[Set] = [(0,), (0, 3), (0, 3, 6), (0, 6), (3,), (3, 6)]  # (6,) is missing
    starts = np.cumsum([0, *map(len, sets)], dtype=np.int64)
    items = np.concatenate(sets).astype(np.int32)
    places = _native.shorter_sets(starts, items, 9, 3).reshape(len(sets), 3)
    for one, line in zip(sets, places.tolist(), strict=True):
        smaller = [part for part in parts_of(one) if part]
        expected = [sets.index(part) if part in sets else -2 for part in smaller]
        assert sorted(line) == sorted(expected + [-1] * (3 - len(expected)))


def judge(
    sets: dict[Set, np.ndarray], least: np.ndarray, confidence: float, prune: bool, free: bool, unit: float
) -> list[tuple[Set, int, list[int]]]:
    """Rules of counts by class in canonical order: bodies, classes and counts."""

    def upper(one: Set, c: int) -> float:
        n, e = sets[one].sum() / unit, (sets[one].sum() - sets[one][c]) / unit
        return (e + add_errs(n, e, 0.25)) / n if n else 1.0

    rules = []
    for one, counts in sets.items():
        able = [c for c in range(CLASSES) if counts[c] >= least[c]]
        if not able or not counts.sum():
            continue
        head = max(able, key=lambda c: (counts[c], -c))
        parts = [part for part in parts_of(one) if part]
        if counts[head] / counts.sum() < confidence:
            continue
        if free and any(part not in sets or counts.sum() >= sets[part].sum() for part in parts):
            continue
        if prune and any(part in sets and upper(one, head) > upper(part, head) for part in parts):
            continue
        rules.append((one, head, counts.tolist()))
    return sorted(
        rules,
        key=lambda rule: (
            -rule[2][rule[1]] / sum(rule[2]), -rule[2][rule[1]], len(rule[0]), ATTRIBUTE[list(rule[0])].tolist(),
            rule[0],
        ),
    )  # fmt: skip


@pytest.mark.parametrize("folds", [1, 3])
@pytest.mark.parametrize("prune", [False, True])
@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("unit", [1.0, 2.0])
def test_judge_cars_gives_the_rules_in_canonical_order(
    folds: int, prune: bool, free: bool, unit: float
) -> None:
    table = rows(folds, weighted=unit != 1)
    least = np.tile([3, 5], folds).astype(np.int64)
    starts, items, counts, _ = mine(*table, folds, least)
    sets = lists(starts, items)
    shorter = _native.shorter_sets(starts, items, len(ATTRIBUTE), ATTRIBUTES)
    judged = _native.judge_cars(
        starts, items, ATTRIBUTE, counts, shorter, least, 0.6, unit, 0.25, prune, free, CLASSES, 1
    )
    assert len(judged) == folds
    lines = counts.reshape(len(sets), folds, CLASSES)
    for fold, (rule_starts, rule_items, heads, rule_counts) in enumerate(judged):
        without = lines.sum(axis=1) - lines[:, fold] if folds > 1 else lines[:, 0]
        expected = judge(dict(zip(sets, without, strict=True)), least[:CLASSES], 0.6, prune, free, unit)
        rule_lines = rule_counts.reshape(-1, CLASSES).tolist()
        bodies = lists(rule_starts, rule_items)
        assert list(zip(bodies, heads.tolist(), rule_lines, strict=True)) == expected
        assert len(expected) > 4


def test_car_kernels_refuse_arrays_that_do_not_fit() -> None:
    items, segment, weights = rows()
    least = np.array([2, 2], dtype=np.int64)
    with pytest.raises(ValueError, match="mine_cars: a row holds an item of another attribute"):
        mine(items[:, ::-1].copy(), segment, weights, 1, least)
    with pytest.raises(ValueError, match="mine_cars: a segment is out of range"):
        mine(items, segment + np.int32(1), weights, 1, least)
    for arrays in [(segment[1:], weights, 1, least), (segment, weights, 1, least[1:])]:
        with pytest.raises(ValueError, match="mine_cars: the arrays' shapes"):
            mine(items, *arrays)
    starts, one = np.array([0, 2], dtype=np.int64), np.array([0, 3], dtype=np.int32)
    with pytest.raises(ValueError, match="shorter_sets: starts"):
        _native.shorter_sets(starts[:1], one, 9, 3)
    with pytest.raises(ValueError, match="shorter_sets: a set is wider"):
        _native.shorter_sets(starts, one, 9, 1)
    with pytest.raises(ValueError, match="shorter_sets: an item is out of range"):
        _native.shorter_sets(starts, one, 3, 3)
    counts, shorter = np.array([3, 1], dtype=np.int64), np.array([-2, -2], dtype=np.int32)
    for arrays, message in [
        ((starts, one[:1], ATTRIBUTE, counts, shorter, least), "starts do not go"),
        ((starts, one, ATTRIBUTE[:2], counts, shorter, least), "an item is out of range"),
        ((starts, one, ATTRIBUTE, counts[:1], shorter, least), "shapes"),
        ((starts, one, ATTRIBUTE, counts, shorter + np.int32(9), least), "a shorter set"),
        ((starts, one, ATTRIBUTE, counts, shorter, least[:1]), "thresholds"),
    ]:
        with pytest.raises(ValueError, match=f"judge_cars: .*{message}"):
            _native.judge_cars(*arrays, 0.5, 1.0, 0.25, False, False, CLASSES, 1)
