"""How well two clusterings of the same rows agree, and how well clusters agree with known classes.

    rand, adjusted_rand     pairs of rows that are together, or apart, in both; less what chance gives
    mutual_information      what one tells of the other, in nats, or as a share adjusted for chance
    purity                  rows that are of the commonest class of their group

Labels may be anything that can be compared; -1 is a group like any other, so drop rows in none of them first where they
should not count. Numbers of the groups play no part. Weights count as repeated rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from acumen.errors import DataError
from acumen.types import Array, Floats


def rand(one: Any, other: Any, weights: Any = None) -> float:
    """The fraction of row pairs that both clusterings treat alike, together or apart (Rand 1971)."""
    both, rows, columns, pairs = _pairs(table_of(one, other, weights))
    return 1.0 if pairs == 0 else (pairs + 2 * both - rows - columns) / pairs


def adjusted_rand(one: Any, other: Any, weights: Any = None) -> float:
    """The Rand index corrected for chance: 1 for identical clusterings, 0 on average for independent ones.

    >>> adjusted_rand([0, 0, 1, 1], ["a", "a", "b", "b"])
    1.0
    """
    both, rows, columns, pairs = _pairs(table_of(one, other, weights))
    if pairs == 0:
        return 1.0
    expected, most = rows * columns / pairs, (rows + columns) / 2
    return 1.0 if most == expected else (both - expected) / (most - expected)


def mutual_information(one: Any, other: Any, *, adjusted: bool = True, weights: Any = None) -> float:
    """The mutual information of two clusterings.

    In nats; with `adjusted` less what chance gives, as a share of the mean of both entropies less the same (Vinh and
    others 2010): 1 where they agree, 0 on average where they have nothing in common. Adjusted, weights must be whole.
    """
    table = table_of(one, other, weights)
    n = table.sum()
    a, b = table.sum(axis=1), table.sum(axis=0)
    filled = table[table > 0]
    expected_log = np.outer(a, b)[table > 0]
    expected = float((filled / n * (np.log(filled) + np.log(n) - np.log(expected_log))).sum())
    expected = max(expected, 0.0)
    if not adjusted:
        return expected
    if len(a) == len(b) and len(a) in (1, n):
        return 1.0  # one group, or each row its own, in both
    chance = _expected_information(a, b, n)
    mean = (_entropy(a, n) + _entropy(b, n)) / 2
    least = np.finfo(np.float64).eps
    gap = mean - chance
    return (expected - chance) / (min(gap, -least) if gap < 0 else max(gap, least))


def purity(labels: Any, classes: Any, weights: Any = None) -> float:
    """The fraction of rows that belong to the most frequent class of their cluster."""
    table = table_of(labels, classes, weights)
    return float(table.max(axis=1).sum() / table.sum())


def table_of(one: Any, other: Any, weights: Any = None) -> Floats:
    """The weight of rows in each group of the one and each of the other; groups that have rows alone."""
    a, b = _as_codes(one), _as_codes(other)
    if len(a) != len(b):
        raise DataError(f"clustering: got {len(a)} and {len(b)} labels; give two for each row.")
    if not len(a):
        raise DataError("clustering: there are no rows to compare.")
    heavy = None if weights is None else np.asarray(weights, dtype=np.float64)
    if heavy is not None and (heavy.shape != a.shape or not (heavy >= 0).all() or not heavy.sum() > 0):
        raise DataError("clustering: weights must be numbers of at least 0, one for each row, not all 0.")
    width = int(b.max()) + 1
    counts = (
        np.bincount(a * width + b, heavy, (int(a.max()) + 1) * width).reshape(-1, width).astype(np.float64)
    )
    return counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]


def _as_codes(labels: Any) -> Array:
    values = np.asarray(labels)
    if values.ndim != 1:
        raise DataError(f"clustering: labels must be one for each row; got an array of {values.shape}.")
    if values.dtype.kind == "O":
        values = np.array([str(value) for value in values.tolist()])
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


def _pairs(table: Floats) -> tuple[float, float, float, float]:
    """Pairs of rows together in both, in the one, in the other, and all of them."""

    def within(counts: Floats) -> float:
        return float((counts * (counts - 1)).sum() / 2)

    n = float(table.sum())
    return within(table), within(table.sum(axis=1)), within(table.sum(axis=0)), n * (n - 1) / 2


def _entropy(counts: Floats, n: float) -> float:
    shares = counts / n
    return float(-(shares * np.log(shares)).sum())


def _expected_information(a: Floats, b: Floats, n: float) -> float:
    """The mutual information of groups of these sizes that have nothing to do with each other, on average."""
    from scipy.special import gammaln

    if not (np.rint(a) == a).all() or not (np.rint(b) == b).all():
        raise DataError("clustering: adjusted mutual information counts rows; give whole weights.")
    total = 0.0
    logs = gammaln(np.arange(int(n) + 2, dtype=np.float64))  # logs[m + 1] = ln m!

    def ln(m: Any) -> Floats:
        return logs[np.asarray(m, dtype=np.int64) + 1]

    for x in a.tolist():
        for y in b.tolist():
            both = np.arange(max(1.0, x + y - n), min(x, y) + 1)
            weight = np.exp(
                ln(x) + ln(y) + ln(n - x) + ln(n - y) - ln(n) - ln(both) - ln(x - both) - ln(y - both)
                - ln(n - x - y + both)
            )  # fmt: skip
            total += float((both / n * np.log(n * both / (x * y)) * weight).sum())
    return total
