"""Kernels that give each row a hash and each column its range, against the same arithmetic in whole numbers."""

from __future__ import annotations

import math
import struct

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from acumen import _native

WORD = 2**64
Ranges = tuple[np.ndarray, np.ndarray, np.ndarray]


def scramble(x: int) -> int:
    """The finaliser of splitmix64."""
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB % WORD
    return x ^ (x >> 31)


def bits(value: float) -> int:
    """The bits of a number, with one zero and one missing value."""
    plain = math.nan if math.isnan(value) else value + 0.0
    return int(struct.unpack("<Q", struct.pack("<d", plain))[0])


def number_hash(value: float, place: int) -> int:
    return (bits(value) ^ (bits(value) >> 32)) * (scramble(place + 1) | 1) % WORD


def entry_hash(value: float, column: int) -> int:
    return scramble((bits(value) + column * 0x9E3779B97F4A7C15) % WORD) if value else 0


def no_ranges(n: int) -> Ranges:
    return np.full(n, np.inf), np.full(n, -np.inf), np.zeros(n, dtype=np.int64)


def finite_ranges(values: np.ndarray) -> list[list[float]]:
    finite = np.where(np.isfinite(values), values, np.nan)
    return [np.nanmin(finite, axis=0).tolist(), np.nanmax(finite, axis=0).tolist()]


def numbers(n: int = 300) -> np.ndarray:
    """Numbers of three columns: with infinite and missing values, with both zeros, and plain ones."""
    rng = np.random.default_rng(2)
    values = np.round(rng.normal(size=(n, 3)), 2)
    values[::7, 0] = [np.nan, np.inf, -np.inf][n % 3]
    values[1::7, 0] = np.nan
    values[::5, 1] = -0.0
    values[1::5, 1] = 0.0
    return values


@pytest.mark.parametrize("side_by_side", [False, True])
def test_trace_rows_adds_the_hashes_of_numbers_and_codes(side_by_side: bool) -> None:
    values = numbers() if not side_by_side else np.nan_to_num(numbers(), posinf=3.0, neginf=-3.0)
    n = len(values)
    columns = list(values.T) if side_by_side else [np.ascontiguousarray(column) for column in values.T]
    codes = np.random.default_rng(3).integers(-3, 6, n).astype(np.int32)  # some outside the levels
    keys = np.arange(5, dtype=np.uint64) * np.uint64(10**18) + np.uint64(7)
    ranges, hashes = no_ranges(3), np.full(n, WORD - 5, dtype=np.uint64)
    _native.trace_rows(columns, [codes], [keys], 4, *ranges, hashes, 2)
    for row, code, hashed in zip(values.tolist(), codes.tolist(), hashes.tolist(), strict=True):
        key = keys[code + 2 if -2 <= code < 3 else 0]
        whole = sum(number_hash(value, 4 + j) for j, value in enumerate(row))
        assert hashed == (WORD - 5 + int(key) + whole) % WORD
    assert [ranges[0].tolist(), ranges[1].tolist()] == finite_ranges(values)
    assert ranges[2].tolist() == np.isinf(values).sum(axis=0).tolist()


def test_trace_rows_widens_ranges_and_gives_equal_rows_equal_hashes() -> None:
    low, high = np.array([-1.0, 0.5]), np.array([1.0, 0.75])
    columns = [np.array([0.0, -0.0, 2.0]), np.array([np.nan, -np.nan, 0.25])]
    hashes = np.zeros(3, dtype=np.uint64)
    _native.trace_rows(columns, [], [], 0, low, high, np.zeros(2, dtype=np.int64), hashes)
    assert (low.tolist(), high.tolist()) == ([-1.0, 0.25], [2.0, 0.75])
    assert hashes[0] == hashes[1] != hashes[2]


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_trace_sparse_adds_the_hashes_of_entries(index: type) -> None:
    rng = np.random.default_rng(6)
    dense = np.where(rng.random((200, 4)) < 0.4, np.round(rng.normal(size=(200, 4)), 1), 0.0)
    dense[:, 3] = np.abs(dense[:, 3]) + 1.0  # a column without gaps: zero is not in its range
    dense[[5, 9, 11], 0] = [np.inf, -np.inf, np.nan]
    matrix = csr_matrix(dense)
    matrix.data[3] = 0.0  # written, and worth nothing
    dense = matrix.toarray()
    ranges, hashes = no_ranges(4), np.zeros(200, dtype=np.uint64)
    _native.trace_sparse(
        matrix.indptr.astype(index), matrix.indices.astype(index), matrix.data, *ranges, hashes, 1
    )
    expected = [sum(entry_hash(v, j) for j, v in enumerate(row)) % WORD for row in dense.tolist()]
    assert hashes.tolist() == expected
    assert [ranges[0].tolist(), ranges[1].tolist()] == finite_ranges(dense)
    assert ranges[2].tolist() == [2, 0, 0, 0]


def test_trace_kernels_refuse_arrays_that_do_not_fit() -> None:
    hashes, column = np.zeros(3, dtype=np.uint64), np.zeros(3)
    codes, keys = np.zeros(3, dtype=np.int32), np.zeros(3, dtype=np.uint64)
    for some, message in [
        (([column], [], [], 0, *no_ranges(1), hashes[1:]), "a hash for each row"),
        (([], [codes], [], 0, *no_ranges(0), hashes), "keys for each column"),
        (([], [codes], [keys[:1]], 0, *no_ranges(0), hashes), "keys of unknown and missing"),
        (([column], [], [], 0, *no_ranges(2), hashes), "a range for each column"),
    ]:
        with pytest.raises(ValueError, match=f"trace_rows: .*{message}"):
            _native.trace_rows(*some)
    starts, columns = np.array([0, 1, 1, 2], dtype=np.int32), np.zeros(2, dtype=np.int32)
    values = np.ones(2)
    with pytest.raises(ValueError, match="trace_sparse: a hash for each row"):
        _native.trace_sparse(starts[1:], columns, values, *no_ranges(1), hashes)
    with pytest.raises(ValueError, match="trace_sparse: a range for each column"):
        _native.trace_sparse(starts, columns, values, np.zeros(1), np.zeros(2), keys.astype(np.int64), hashes)
