"""The kernels against twins written row by row: whole lists, rule for rule."""

from __future__ import annotations

import numpy as np
import pytest

from acumen import _native
from acumen.rules.cn2 import MEASURES
from reference import rules_twin

NONE = np.empty(0, dtype=np.int32)


def drawn(seed: int, n: int = 60, classes: int = 3, weighted: bool = False):
    """Codes with missing values, of two nominal and two ordered columns, and labels that follow from them a little."""
    rng = np.random.default_rng(seed)
    # A column of many codes is walked through in their order, one of few is counted by them.
    sizes, ordered = [3, 4, 9 if seed % 3 else 90, 6], [False, False, True, True]
    columns = [rng.integers(-1, size, n).astype(np.int32) for size in sizes]
    score = (columns[0] == 1) + (columns[2] > sizes[2] // 2) * 1 + (rng.random(n) < 0.2)
    labels = np.minimum(score, classes - 1).astype(np.int32)
    weights = rng.choice([0.5, 1.0, 2.0, 3.25], n) if weighted else np.empty(0)
    return columns, labels, weights, sizes, ordered


def native_rows(columns, labels, weights, sizes, ordered, classes):
    return _native.CodedRows(
        columns,
        np.array(sizes, dtype=np.int32),
        np.array(ordered, dtype=np.uint8),
        np.arange(len(sizes), dtype=np.int32),
        np.full(classes * len(sizes), 3, dtype=np.uint8),
        labels,
        weights,
        classes,
    )


def told(found):
    labels, tests, *_ = found
    rules = [[] for _ in labels]
    for rule, column, op, value in tests.reshape(-1, 4).tolist():
        rules[rule].append((column, op, value))
    return [(rule, label) for rule, label in zip(rules, labels.tolist(), strict=True)]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    "how",
    [
        {},
        {"optimise": 0},
        {"subsets": True, "by_error": True, "all_classes": True, "optimise": 0, "smoothed": False},
        {"by_error": True},
        {"prune_share": 0.0, "min_covered": 1},
    ],
    ids=["ripper", "irep", "documents", "by-error", "unpruned"],
)
def test_ripper_finds_the_rules_of_its_twin(seed, how):
    columns, labels, weights, sizes, ordered = drawn(seed, weighted=seed % 2 == 1)
    conditions = float(sum(2 * s if o else s for s, o in zip(sizes, ordered, strict=True)))
    rows = list(zip(*(c.tolist() for c in columns), strict=True))
    twin = rules_twin.Ripper(
        rows, labels.tolist(), sizes, ordered, 3, conditions, weights.tolist(), seed=seed + 5, **how
    )
    own = np.ones(len(labels)) if not weights.size else weights
    order = np.argsort(np.bincount(labels, own, minlength=3), kind="stable").astype(np.int32)
    if not twin.all_classes:
        order = order[:-1]
    found = native_rows(columns, labels, weights, sizes, ordered, 3).ripper(
        order, twin.smoothed, False, float(twin.min_covered), 0, NONE, twin.prune_share, twin.optimise,
        twin.all_classes, twin.subsets, twin.by_error, conditions, seed + 5, np.empty(0), 1,
    )  # fmt: skip
    assert told(found) == twin.learn(order.tolist())
    assert found[3] > 0


@pytest.mark.parametrize("in_order", [True, False], ids=["ordered", "unordered"])
@pytest.mark.parametrize("measure", MEASURES)
def test_cn2_finds_the_rules_of_its_twin(measure, in_order):
    for seed, critical in ((1, 0.0), (2, 3.84), (3, 5.99)):
        columns, labels, weights, sizes, ordered = drawn(seed, n=40)
        rows = list(zip(*(c.tolist() for c in columns), strict=True))
        twin = rules_twin.CN2(
            rows, labels.tolist(), ordered, 3, measure, in_order, beam=3, critical=critical, most=3
        )
        found = native_rows(columns, labels, weights, sizes, ordered, 3).cn2(
            MEASURES.index(measure), in_order, 3, critical, 2.0, 3, 2.0, 0.0, NONE, 1
        )
        assert told(found) == twin.learn()
