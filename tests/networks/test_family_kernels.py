"""Kernels of families of networks against counts by loops."""

from __future__ import annotations

from itertools import product
from math import lgamma, log
from typing import Any

import numpy as np
import pytest

from acumen import _native

LEVELS = np.array([2, 3, 2], dtype=np.int32)
#: The second column has a level for missing values.
GAPS = np.array([0, 1, 0], dtype=np.uint8)


def coded(n: int, seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    codes = np.stack([rng.integers(0, high, n) for high in LEVELS + GAPS]).astype(np.uint16)
    return codes, rng.integers(1, 4, n).astype(np.float64)


def naive_counts(codes: Any, weights: Any, columns: list[int]) -> np.ndarray:
    made = np.zeros([LEVELS[c] for c in columns])
    for row in range(codes.shape[1]):
        key = tuple(int(codes[c, row]) for c in columns)
        if all(k < LEVELS[c] for k, c in zip(key, columns, strict=True)):
            made[key] += weights[row]
    return made


def test_count_family_counts_rows_that_know_all_its_values() -> None:
    codes, weights = coded(60, 0)
    for columns in ([0], [1, 0], [2, 1, 0]):
        table = np.zeros(int(np.prod(LEVELS[columns])))
        _native.count_family(codes, LEVELS, GAPS, weights, np.array(columns, dtype=np.int32), table)
        expected = naive_counts(codes, weights, columns)
        assert np.array_equal(table.reshape(expected.shape), expected)


@pytest.mark.parametrize("given", [-1, 2])
def test_pair_information_is_that_of_the_definition(given: int) -> None:
    codes, weights = coded(80, 1)
    out = np.empty((3, 3))
    _native.pair_information(codes, LEVELS, GAPS, weights, given, 1, out)
    for a, b in ((0, 1), (0, 2), (1, 2)):
        if given in (a, b):
            continue
        third = [] if given < 0 else [given]
        joint = naive_counts(codes, weights, [a, b, *third])
        joint = (joint if third else joint[:, :, None]) / joint.sum()
        expected = sum(
            p * log(p * joint[:, :, k].sum() / (joint[i, :, k].sum() * joint[:, j, k].sum()))
            for i, j, k in product(*map(range, joint.shape))
            if (p := joint[i, j, k]) > 0
        )
        assert np.isclose(out[a, b], expected) and np.isclose(out[b, a], expected)


def naive_score(
    counts: np.ndarray, raised: float, per_parameter: float, per_parent: float, prior: float, spread: bool
) -> float:
    """Of counts whose last axis is the child."""
    table = counts.reshape(-1, counts.shape[-1]) * raised
    each = prior / table.size if spread else prior
    if prior:
        return sum(
            lgamma(each * len(line)) - lgamma(each * len(line) + line.sum())
            + sum(lgamma(each + n) - lgamma(each) for n in line)
            for line in table
        )  # fmt: skip
    likelihood = sum(n * log(n / line.sum()) for line in table for n in line if n > 0)
    parameters = len(table) * (table.shape[1] - 1)
    return likelihood - per_parameter * parameters - per_parent * (counts.ndim - 1)


@pytest.mark.parametrize(
    "rule", [(0.0, 0.0, 0.0, False), (1.5, 0.7, 0.0, False), (0.0, 0.0, 1.0, False), (0.0, 0.0, 4.0, True)]
)
def test_score_family_is_that_of_the_definition(rule: tuple[float, float, float, bool]) -> None:
    codes, weights = coded(70, 2)
    total, out = float(weights.sum()), np.empty(3)
    _native.score_family(
        codes, LEVELS, GAPS, weights, total, 0, np.array([2], dtype=np.int32), np.ones(3, dtype=np.uint8),
        *rule, 1, out,
    )  # fmt: skip
    # At the child that of the family itself, at its parent that without it, elsewhere that with one more.
    for place, parents in ((0, [2]), (1, [1, 2]), (2, [])):
        counts = naive_counts(codes, weights, [*parents, 0])
        assert np.isclose(out[place], naive_score(counts, total / counts.sum(), *rule)), place


def test_require_codes_refuses_a_code_of_no_level() -> None:
    codes, _ = coded(5, 3)
    _native.require_codes(codes, LEVELS, GAPS)
    codes[0, 3] = 2
    with pytest.raises(ValueError, match="level"):
        _native.require_codes(codes, LEVELS, GAPS)
