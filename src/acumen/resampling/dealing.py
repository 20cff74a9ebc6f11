"""Rows and groups dealt out to parts, so that each part has its share of every class.

in_turn        rows to k parts, like cards
by_share       rows to two parts, a stated number to the second
groups_dealt   whole groups to parts of stated shares
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from acumen.types import Bools, Codes, Indices


def shuffled_by_stratum(n_rows: int, strata: Indices | None, rng: np.random.Generator) -> Indices:
    """The rows in random order, those of one stratum together."""
    order = rng.permutation(n_rows)
    if strata is None:
        return order
    narrow = strata.astype(np.int16) if strata.max(initial=0) < 2**15 else strata  # sorted in linear time
    return order[np.argsort(narrow[order], kind="stable")]


def in_turn(n_rows: int, k: int, strata: Indices | None, rng: np.random.Generator) -> Codes:
    """The part of each row: sizes differ by at most one, and so do the counts of every stratum.

    The shuffled rows of one stratum after the other are dealt out without a pause between strata; which
    part is served first is drawn, so that no part always has the odd row.
    """
    codes = np.empty(n_rows, dtype=np.int32)
    turns = np.arange(n_rows) % k
    codes[shuffled_by_stratum(n_rows, strata, rng)] = rng.permutation(k)[turns]
    return codes


def by_share(n_rows: int, m: int, strata: Indices | None, rng: np.random.Generator) -> Bools:
    """Which `m` of the rows are chosen; of a stratum of s rows, s*m/n rounded up or down.

    Systematic sampling over the rows shuffled by stratum, from a random start: the p-th of them is chosen
    if (p*m + start)/n passes a whole number there.
    """
    start = int(rng.integers(n_rows))
    steps = (np.arange(n_rows + 1, dtype=np.int64) * m + start) // n_rows
    chosen = np.empty(n_rows, dtype=np.bool_)
    chosen[shuffled_by_stratum(n_rows, strata, rng)] = np.diff(steps) > 0
    return chosen


def groups_dealt(
    groups: Indices, shares: Sequence[float], strata: Indices | None, rng: np.random.Generator
) -> Codes:
    """The part of each row, no group being in two parts, and no part being empty.

    Groups are taken in random order; each goes where it least disturbs the shares, in rows and in every
    stratum: where the sum over parts and strata of (count / total)^2 / share grows least. With one
    stratum and equal shares, parts differ by no more rows than the largest group has.
    """
    n_groups = int(groups.max()) + 1
    strata = np.zeros(len(groups), dtype=np.intp) if strata is None else strata
    n_strata = int(strata.max()) + 1
    counts = np.bincount(groups * n_strata + strata, minlength=n_groups * n_strata)
    table = counts.reshape(n_groups, n_strata).astype(np.float64)
    # The size counts like one more stratum, so that rare classes do not decide it alone.
    table = np.column_stack([table, table.sum(axis=1)])
    table /= table.sum(axis=0)
    share = np.asarray(shares)
    held = np.zeros((len(share), n_strata + 1))
    empty = np.ones(len(share), dtype=np.bool_)
    part_of = np.empty(n_groups, dtype=np.int32)
    for groups_left, g in zip(range(n_groups, 0, -1), rng.permutation(n_groups), strict=True):
        growth = (2 * held @ table[g] + table[g] @ table[g]) / share
        if groups_left <= empty.sum():
            growth[~empty] = np.inf
        part = int(np.argmin(growth))
        part_of[g] = part
        held[part] += table[g]
        empty[part] = False
    return part_of[groups]
