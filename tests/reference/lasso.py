"""The lasso by the plainest coordinate descent: every coordinate in turn, until nothing moves."""

from __future__ import annotations

import numpy as np


def lasso(x: np.ndarray, y: np.ndarray, penalty: float, sweeps: int = 20_000) -> np.ndarray:
    """min |y - x w|^2 / 2 + penalty |w|_1."""
    w = np.zeros(x.shape[1])
    for _ in range(sweeps):
        before = w.copy()
        for j in range(len(w)):
            square = x[:, j] @ x[:, j]
            if square == 0:
                continue
            pull = x[:, j] @ (y - x @ w + x[:, j] * w[j])
            w[j] = np.sign(pull) * max(abs(pull) - penalty, 0.0) / square
        if np.abs(w - before).max() <= 1e-14 * max(1.0, np.abs(w).max()):
            break
    return w
