"""The first body that holds for each row, against conditions judged one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acumen import _native

N = 150
BELOW, ABOVE, BETWEEN, CODES, BITS = range(5)

#: Kind, column, ends, and the codes that are allowed (of unknown, missing and three levels).
PROBES: list[tuple[int, int, float, float, list[int]]] = [
    (BELOW, 0, 0.5, 0.5, []),
    (ABOVE, 1, 0.0, 0.0, []),
    (BETWEEN, 0, -0.5, 0.5, []),
    (CODES, 0, 0.0, 0.0, [0, 1, 1, 0, 0]),
    (CODES, 0, 0.0, 0.0, [1, 0, 0, 0, 1]),
    (BITS, 0, 0.0, 0.0, []),
    (BITS, 1, 0.0, 0.0, []),
]
BODIES = [[0, 1, 3], [2, 5], [4, 6], [1, 4], [2, 3]]


def table() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Numbers (rows, 2) with missing ones, on a grid that meets the ends; codes from -2 to 2; truth values."""
    rng = np.random.default_rng(12)
    values = np.round(rng.normal(size=(N, 2)) * 2) / 2
    values[rng.random((N, 2)) < 0.1] = np.nan
    return values, rng.integers(-2, 3, N).astype(np.int32), rng.random((2, N)) < 0.3


def pack(truth: np.ndarray) -> np.ndarray:
    """Truth values (conditions, rows) as words of 64 bits."""
    padded = np.zeros((len(truth), -(-N // 64) * 64), dtype=bool)
    padded[:, :N] = truth
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64)


def arguments(bodies: list[list[int]]) -> dict[str, Any]:
    values, codes, truth = table()
    kinds, columns, low, high, allowed = zip(*PROBES, strict=True)
    return {
        "numbers": list(values.T),
        "codes": [codes],
        "kinds": np.array(kinds, dtype=np.int32),
        "columns": np.array(columns, dtype=np.int32),
        "low": np.array(low),
        "high": np.array(high),
        "allowed_at": np.cumsum([0, *map(len, allowed)], dtype=np.int64),
        "allowed": np.concatenate(allowed).astype(np.uint8),
        "given": pack(truth),
        "starts": np.cumsum([0, *map(len, bodies)], dtype=np.int64),
        "places": np.array([place for body in bodies for place in body], dtype=np.int32),
        "n": N,
    }


def holds(probe: tuple[int, int, float, float, list[int]], row: int) -> bool:
    values, codes, truth = table()
    kind, column, low, high, allowed = probe
    if kind == CODES:
        return bool(allowed[codes[row] + 2])
    if kind == BITS:
        return bool(truth[column, row])
    value = values[row, column]
    if kind == BETWEEN:
        return bool(low < value <= high)
    return bool(value <= low) if kind == BELOW else bool(value > low)


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("bodies", [BODIES, BODIES[::-1], [[6], [], [0]], []])
def test_cover_first_gives_the_first_body_whose_conditions_all_hold(
    bodies: list[list[int]], n_threads: int
) -> None:
    truth = [[holds(probe, row) for probe in PROBES] for row in range(N)]
    expected = [
        next((b for b, body in enumerate(bodies) if all(line[place] for place in body)), -1) for line in truth
    ]
    assert _native.cover_first(**arguments(bodies), n_threads=n_threads).tolist() == expected
    assert bodies != BODIES or set(expected) == {-1, 0, 1, 2, 3, 4}


def test_cover_first_refuses_arrays_that_do_not_fit() -> None:
    good = arguments(BODIES)
    for name, value, message in [
        ("n", N - 1, "columns are of different rows"),
        ("low", good["low"][1:], "the conditions' arrays differ in length"),
        ("given", good["given"][:, 1:].copy(), "given bits are of other rows"),
        ("given", good["given"][1:], "a condition is out of range"),
        ("starts", good["starts"][1:], "starts do not go with the conditions"),
        ("starts", good["starts"][[0, 2, 1, 3, 4, 5]], "a body ends before it begins"),
        ("places", good["places"] + np.int32(1), "a condition is out of range"),
        ("columns", good["columns"] + np.int32(2), "a condition is out of range"),
        ("allowed_at", np.minimum(good["allowed_at"], 9), "a code is out of range"),
    ]:
        with pytest.raises(ValueError, match=f"cover_first: {message}"):
            _native.cover_first(**(good | {name: value}))
