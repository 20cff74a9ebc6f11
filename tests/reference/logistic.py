"""Logistic regression's pass over the rows, row by row: the slow twin of the kernels."""

from __future__ import annotations

import math

import numpy as np

from acumen.types import Codes, Floats


def logistic_pass(
    X: Floats, labels: Codes, weights: Floats, coefficients: Floats
) -> tuple[float, Floats, Floats]:
    """Loss, gradient (lines x columns and intercept) and second derivatives; one line means two classes."""
    lines, each = coefficients.shape
    loss, gradient = 0.0, np.zeros((lines, each))
    hessian = np.zeros((lines * each, lines * each))
    for x, label, weight in zip(X, labels.tolist(), weights.tolist(), strict=True):
        row = [0.0 if not math.isfinite(v) else v for v in x.tolist()] + [1.0]
        scores = [sum(w * v for w, v in zip(line, row, strict=True)) for line in coefficients.tolist()]
        every = [0.0, scores[0]] if lines == 1 else scores
        top = max(every)
        shares = [math.exp(s - top) for s in every]
        total = sum(shares)
        loss -= weight * (every[label] - top - math.log(total))
        p = [s / total for s in shares]
        own = p[1:] if lines == 1 else p
        truth = [float(label == 1)] if lines == 1 else [float(label == k) for k in range(lines)]
        for a in range(lines):
            gradient[a] += weight * (own[a] - truth[a]) * np.array(row)
            for b in range(lines):
                heavy = weight * (own[a] * (a == b) - own[a] * own[b])
                hessian[a * each : (a + 1) * each, b * each : (b + 1) * each] += heavy * np.outer(row, row)
    return loss, gradient, hessian
