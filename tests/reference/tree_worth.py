"""Whether a split is worth making, one table at a time: twins of what trees and kernels do for all nodes at once."""

from __future__ import annotations

import math

import numpy as np

from acumen.trees.split_worth import class_bits, critical_values
from acumen.types import Array

_LN2 = math.log(2.0)


def chi_square(table: Array) -> tuple[float, int]:
    """The statistic of a table of branches x classes and its degrees of freedom; empty lines do not count."""
    table = np.asarray(table, dtype=np.float64)
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    if table.size == 0 or min(table.shape) < 2:
        return 0.0, 0
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    df = (table.shape[0] - 1) * (table.shape[1] - 1)
    return float(np.sum((table - expected) ** 2 / expected)), df


def branch_fit(counts: Array, shares: Array) -> tuple[float, int]:
    """The goodness of fit of one branch to class shares, and its degrees of freedom: classes there less one."""
    counts, shares = np.asarray(counts, dtype=np.float64), np.asarray(shares, dtype=np.float64)
    there = shares > 0
    expected = counts.sum() * shares[there]
    if counts.sum() <= 0 or there.sum() < 2:
        return 0.0, 0
    return float(np.sum((counts[there] - expected) ** 2 / expected)), int(there.sum() - 1)


def chance_of(statistic: float, df: int) -> float:
    """The probability that chance alone gives a statistic at least as large."""
    from scipy.special import chdtrc

    return float(chdtrc(df, statistic)) if df > 0 else 1.0


def is_significant(table: Array, significance: float) -> bool:
    """Whether the branches' classes differ by more than chance."""
    statistic, df = chi_square(table)
    return df > 0 and statistic > critical_values(significance, df)[df]


def bits_of_test(
    weight: float, *, inputs: int, cuts: int, levels: int, ordered: bool, multiway: bool
) -> float:
    """The bits that tell one test at a node of this weight, and that it is a test."""
    bits = 1.0 + math.log2(max(inputs, 1))
    if cuts:
        places = max(weight - 1.0, float(cuts))
        return (
            bits + (math.lgamma(places + 1) - math.lgamma(cuts + 1) - math.lgamma(places - cuts + 1)) / _LN2
        )
    if multiway:
        return bits
    if ordered:
        return bits + math.log2(max(levels - 1, 1))
    return bits + _subset_bits(levels)


def saves_bits(table: Array, *, inputs: int, cuts: int, levels: int, ordered: bool, multiway: bool) -> bool:
    """Whether a split into leaves tells the classes in fewer bits than one leaf does."""
    table = np.asarray(table, dtype=np.float64)
    together = table.sum(axis=0)
    told = bits_of_test(
        float(together.sum()), inputs=inputs, cuts=cuts, levels=levels, ordered=ordered, multiway=multiway
    )
    return float(class_bits(table).sum()) + len(table) + told < float(class_bits(together)) + 1.0


def _subset_bits(levels: int) -> float:
    """log2(2^(levels - 1) - 1), for any number of levels."""
    return math.log2(max(2.0 ** (levels - 1) - 1, 1.0)) if levels < 60 else levels - 1.0
