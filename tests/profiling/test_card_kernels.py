"""Kernels that look through columns: how often codes occur, and which values are out of the ordinary."""

from __future__ import annotations

import numpy as np

from acumen import _native


def test_count_codes_counts_unknown_missing_and_each_level() -> None:
    codes = np.array([-2, -1, 0, 2, 2, -1, 1, 2], dtype=np.int32)
    counts = np.zeros(5, dtype=np.int64)
    _native.count_codes(codes, counts)
    assert counts.tolist() == [1, 2, 1, 1, 3]


def test_count_strange_counts_values_out_of_range_and_unknown_codes() -> None:
    numbers = [np.array([0.0, 1.5, 3.0, np.nan, -0.1]), np.array([5.0, 5.0, 5.1, 4.9, 5.0])]
    codes = [np.array([0, -2, -1, 1, -2], dtype=np.int32)]
    outside, unknown = np.zeros(2, dtype=np.int64), np.zeros(1, dtype=np.int64)
    _native.count_strange(numbers, np.array([0.0, 5.0]), np.array([2.0, 5.0]), codes, outside, unknown, 1)
    assert outside.tolist() == [2, 2] and unknown.tolist() == [2]


def test_suspect_columns_are_constant_identifiers_or_leaks() -> None:
    labels = (np.arange(40) % 2).astype(np.int32)
    columns = [np.full(40, 3.0), np.arange(40.0), np.where(labels == 1, 5.0, 1.0), np.arange(40) % 3.0]
    found = _native.suspect_numbers(columns, labels, 40, 2)
    assert found[0] & 1 and found[1] & 2 and found[2] & 4
    assert not found[3]
    codes = [np.zeros(40, dtype=np.int32), labels.copy(), (np.arange(40) % 3).astype(np.int32)]
    once = codes[2].copy()
    once[5] = 3
    told = _native.suspect_codes([*codes, once], labels, np.array([1, 2, 3, 4], dtype=np.int32), True)
    assert told[0] & 1 and told[1] & 4
    assert not told[2] & 5 and not told[2] & 8 and told[3] & 8


def test_scramble_moves_half_of_the_bits_for_one_that_changes() -> None:
    numbers = np.arange(1000, dtype=np.uint64)
    mixed, other = numbers.copy(), numbers ^ np.uint64(1)
    _native.scramble(mixed)
    _native.scramble(other)
    assert len(set(mixed.tolist())) == 1000  # no two words become one
    moved = [(a ^ b).bit_count() for a, b in zip(mixed.tolist(), other.tolist(), strict=True)]
    assert 28 < np.mean(moved) < 36
