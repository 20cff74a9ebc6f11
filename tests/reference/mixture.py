"""Slow twins of the kernels of mixtures and prototypes: a loop over rows."""

from __future__ import annotations

import numpy as np


def naive_expectation(values, weights, shares, means, covariances):
    """Sums of each component about its mean, and the log-likelihood, of complete rows."""
    k, d = means.shape
    weight, first, second, likelihood = np.zeros(k), np.zeros((k, d)), np.zeros((k, d, d)), 0.0
    for x, w in zip(values, weights, strict=True):
        logs = np.empty(k)
        for c in range(k):
            y = x - means[c]
            square = y @ np.linalg.solve(covariances[c], y)
            logs[c] = np.log(shares[c]) - 0.5 * (square + np.linalg.slogdet(2 * np.pi * covariances[c])[1])
        most = logs.max()
        total = np.exp(logs - most).sum()
        likelihood += w * (most + np.log(total))
        for c in range(k):
            share, y = w * np.exp(logs[c] - most) / total, x - means[c]
            weight[c] += share
            first[c] += share * y
            second[c] += share * np.outer(y, y)
    return weight, first, second, likelihood


def naive_prototypes(numbers, codes, centres, modes, gamma):
    """The nearest prototype of each row (the first of equal ones; -1: nothing is known) and its distance."""
    labels, away = [], []
    for i in range(len(numbers)):
        best, least = 0, np.inf
        for c in range(len(centres)):
            total = sum((x - m) ** 2 for x, m in zip(numbers[i], centres[c], strict=True) if x == x)
            unlike = sum(a not in (-1, b) for a, b in zip(codes[:, i], modes[c], strict=True))
            if total + gamma * unlike < least:
                best, least = c, total + gamma * unlike
        known = (numbers[i] == numbers[i]).any() or (codes[:, i] != -1).any()
        labels.append(best if known else -1)
        away.append(least if known else 0.0)
    return np.array(labels), np.array(away)
