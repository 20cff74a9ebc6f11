"""Proportional odds by scipy's general minimiser: no derivative of ours, thresholds as they are."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit


def loss(point, X, y, weights, C):
    """The sum of -log P, and the penalty."""
    width = X.shape[1]
    ends = np.r_[-np.inf, point[width:], np.inf]
    heights = X @ point[:width]
    shares = expit(ends[y + 1] - heights) - expit(ends[y] - heights)
    if not (shares > 0).all():
        return 1e12
    held = 0.0 if C is None else 0.5 * point[:width] @ point[:width] / C
    return -weights @ np.log(shares) + held


def fit(X, y, weights=None, C=None):
    """Coefficients, thresholds and the loss there."""
    weights = np.ones(len(y)) if weights is None else weights
    k = int(y.max()) + 1
    start = np.r_[np.zeros(X.shape[1]), np.linspace(-1, 1, k - 1)]
    for _ in range(3):
        found = minimize(
            loss,
            start,
            (X, y, weights, C),
            method="Nelder-Mead",
            options={"maxiter": 20_000, "xatol": 1e-9, "fatol": 1e-12},
        )
        start = minimize(loss, found.x, (X, y, weights, C), method="BFGS", options={"gtol": 1e-9}).x
    return start[: X.shape[1]], start[X.shape[1] :], loss(start, X, y, weights, C)


def information(point, X, y, weights):
    """Second derivatives of the loss by differences."""
    n, step = len(point), 1e-4
    made = np.zeros((n, n))
    eye = np.eye(n) * step
    for i in range(n):
        for j in range(n):
            made[i, j] = (
                loss(point + eye[i] + eye[j], X, y, weights, None)
                - loss(point + eye[i] - eye[j], X, y, weights, None)
                - loss(point - eye[i] + eye[j], X, y, weights, None)
                + loss(point - eye[i] - eye[j], X, y, weights, None)
            ) / (4 * step * step)
    return made
