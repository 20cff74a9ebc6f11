"""The naive twin of additive models: zeros and ones written out, dense Newton steps, penalties by their definition."""

from __future__ import annotations

import numpy as np


def design(slots: list[list[int]], sizes: list[int]) -> np.ndarray:
    """A column of ones, then a 0/1 column for each slot of each attribute; `slots` has a line for each attribute."""
    n = len(slots[0])
    matrix = np.zeros((n, 1 + sum(sizes)))
    matrix[:, 0] = 1.0
    start = 1
    for line, size in zip(slots, sizes, strict=True):
        for i, slot in enumerate(line):
            matrix[i, start + slot] = 1.0
        start += size
    return matrix


def penalty(beta: np.ndarray, known: int, ordered: bool, weight: np.ndarray) -> float:
    """What one shape is charged: squared differences of ordered slots, of others squared distances from the mean."""
    mean = float(weight @ beta / weight.sum())
    total = 0.0
    for s in range(len(beta)):
        if ordered and s < known:
            if s:
                total += (beta[s] - beta[s - 1]) ** 2
        else:
            total += (beta[s] - mean) ** 2
    return total


def form(known: int, size: int, ordered: bool, weight: np.ndarray) -> np.ndarray:
    """The same as a matrix, entry by entry: a quadratic form is known by its values at sums of unit vectors."""
    made = np.zeros((size, size))
    unit = np.eye(size)
    for i in range(size):
        for j in range(size):
            both = penalty(unit[i] + unit[j], known, ordered, weight)
            made[i, j] = (
                both - penalty(unit[i], known, ordered, weight) - penalty(unit[j], known, ordered, weight)
            ) / 2
    return made


def logistic(matrix: np.ndarray, y: np.ndarray, weights: np.ndarray, charge: np.ndarray) -> np.ndarray:
    """Newton's steps for two classes until nothing moves; the null directions are left where pinv leaves them."""
    beta = np.zeros(matrix.shape[1])
    for _ in range(100):
        p = 1 / (1 + np.exp(-matrix @ beta))
        gradient = matrix.T @ (weights * (p - y)) + charge @ beta
        hessian = matrix.T @ (matrix * (weights * p * (1 - p))[:, None]) + charge
        step = np.linalg.pinv(hessian, rcond=1e-11) @ gradient
        beta = beta - step
        if np.abs(step).max() < 1e-13:
            break
    return beta


def softmax(matrix: np.ndarray, labels: np.ndarray, k: int, charge: np.ndarray) -> np.ndarray:
    """The same for several classes, one dense system for all lines together."""
    p = matrix.shape[1]
    beta = np.zeros((p, k))
    truth = np.eye(k)[labels]
    for _ in range(100):
        scores = matrix @ beta
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        gradient = matrix.T @ (shares - truth) + charge @ beta
        hessian = np.zeros((p * k, p * k))
        for a in range(k):
            for b in range(k):
                bent = shares[:, a] * ((a == b) - shares[:, b])
                block = matrix.T @ (matrix * bent[:, None]) + (charge if a == b else 0)
                hessian[a * p : (a + 1) * p, b * p : (b + 1) * p] = block
        step = np.linalg.pinv(hessian, rcond=1e-11) @ gradient.T.ravel()
        beta = beta - step.reshape(k, p).T
        if np.abs(step).max() < 1e-13:
            break
    return beta


def squares(matrix: np.ndarray, y: np.ndarray, weights: np.ndarray, charge: np.ndarray) -> np.ndarray:
    """Penalised least squares."""
    left = matrix.T @ (matrix * weights[:, None]) + charge
    return np.linalg.pinv(left, rcond=1e-12) @ (matrix.T @ (weights * y))
