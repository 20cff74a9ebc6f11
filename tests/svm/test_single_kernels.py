"""The kernel of Crammer and Singer's machine: its duality gap, worked out from the definition, is nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from acumen import _native

N, WIDTH, CLASSES = 30, 3, 3


def table() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Rows of classes that overlap, with zeros among the values; costs of the rows, and shifts of the classes."""
    rng = np.random.default_rng(1)
    labels = (np.arange(N) % CLASSES).astype(np.int32)
    x = rng.normal(size=(N, WIDTH)) + np.eye(CLASSES, WIDTH)[labels]
    x[:, 1:][rng.random((N, WIDTH - 1)) < 0.3] = 0.0
    return x, labels, rng.random(N) + 0.2, np.array([0.3, 0.0, -0.2])


def train(
    rows: Any, bias: float, shift: np.ndarray, tolerance: float = 1e-9, max_sweeps: int = 10_000
) -> tuple[np.ndarray, np.ndarray, int, float]:
    x, labels, cost, _ = table()
    a, w = np.zeros((N, CLASSES)), np.zeros((WIDTH + 1, CLASSES))
    squares = (x * x).sum(axis=1)
    sweeps, violation = _native.single_machine(
        rows, labels, cost, squares, shift, bias, a, w, tolerance, max_sweeps, 7
    )
    return a, w, sweeps, violation


@pytest.mark.parametrize("bias", [0.0, 1.5])
@pytest.mark.parametrize("shifted", [False, True])
def test_single_machine_closes_the_gap_between_primal_and_dual(bias: float, shifted: bool) -> None:
    x, labels, cost, shift = table()
    shift = shift if shifted else np.zeros(CLASSES)
    a, w, sweeps, violation = train(_native.LinearRows(x), bias, shift)
    assert violation <= 1e-9 and 1 < sweeps < 10_000
    true = np.eye(CLASSES, dtype=bool)[labels]
    assert (a <= np.where(true, cost[:, None], 0.0)).all()
    np.testing.assert_allclose(a.sum(axis=1), 0.0, atol=1e-12)
    rows = np.column_stack([x, np.full(N, bias)])
    np.testing.assert_allclose(w, rows.T @ a, atol=1e-12)
    decision = rows @ w + shift
    beaten = np.where(true, 0.0, 1.0) + decision - decision[true][:, None]
    primal = 0.5 * (w * w).sum() + cost @ beaten.max(axis=1)
    dual = -0.5 * (w * w).sum() - (a * (np.where(true, 0.0, 1.0) + shift)).sum()
    assert primal == pytest.approx(dual, rel=1e-8)
    assert primal < cost.sum()  # that of no weights


def test_single_machine_gives_the_same_for_sparse_rows() -> None:
    x, _, _, shift = table()
    matrix = csr_matrix(x)
    sparse = _native.LinearRows(
        matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data, WIDTH
    )
    one, other = (train(rows, 1.0, shift) for rows in (_native.LinearRows(x), sparse))
    np.testing.assert_allclose(one[0], other[0], atol=1e-10)
    np.testing.assert_allclose(one[1], other[1], atol=1e-10)


def test_single_machine_ends_at_its_last_sweep() -> None:
    x, _, _, shift = table()
    a, w, sweeps, _ = train(_native.LinearRows(x), 1.0, shift, max_sweeps=0)
    assert sweeps == 0 and not a.any() and not w.any()
    assert train(_native.LinearRows(x), 1.0, shift, 0.0, 2)[2] == 2


def test_single_machine_refuses_arrays_that_do_not_fit() -> None:
    x, labels, cost, shift = table()
    good = {
        "rows": _native.LinearRows(x),
        "labels": labels,
        "cost": cost,
        "squares": cost,
        "shift": shift,
        "bias": 1.0,
        "a": np.zeros((N, CLASSES)),
        "w": np.zeros((WIDTH + 1, CLASSES)),
        "tolerance": 0.1,
        "max_sweeps": 1,
        "seed": 0,
    }
    for name in ("labels", "cost", "squares", "shift", "a", "w"):
        array: Any = good[name]
        with pytest.raises(ValueError, match="single_machine: the arrays' shapes"):
            _native.single_machine(**(good | {name: array[:-1]}))
    with pytest.raises(ValueError, match="single_machine: a label is no class"):
        _native.single_machine(**(good | {"labels": labels + np.int32(1)}))
