"""Slow twins of the summary and prediction kernels: one row at a time, sums exact."""

from __future__ import annotations

import math
from collections import defaultdict
from fractions import Fraction

import numpy as np


def hard_groups(labels, weights, classes, parts=None, n_parts=1):
    """(row, group, weight) for each row that counts."""
    for i, label in enumerate(labels):
        part = 0 if parts is None else int(parts[i])
        weight = float(weights[i]) if len(weights) else 1.0
        if 0 <= label < classes and 0 <= part < n_parts and weight > 0:
            yield i, part * classes + int(label), weight


def soft_groups(shares):
    for i, c in np.ndindex(shares.shape):
        if shares[i, c] > 0:
            yield i, c, float(shares[i, c])


def count_levels(codes, labels, weights, classes, levels):
    table = np.zeros((classes + 1, levels + 1))
    for i, (code, label) in enumerate(zip(codes, labels, strict=True)):
        row = label if 0 <= label < classes else classes
        column = code if 0 <= code < levels else levels
        table[row, column] += weights[i] if len(weights) else 1.0
    return table


def moments(values, groups, n_groups):
    """Weight, mean and scatter of each group and column, in exact arithmetic, rounded once."""
    d = values.shape[1]
    known = defaultdict(list)
    for i, g, w in groups:
        for j in range(d):
            if math.isfinite(values[i, j]):
                known[g, j].append((Fraction(w), Fraction(values[i, j])))
    weight, mean, scatter = np.zeros((3, n_groups, d))
    for (g, j), pairs in known.items():
        total = sum(w for w, _ in pairs)
        centre = sum(w * x for w, x in pairs) / total
        weight[g, j] = float(total)
        mean[g, j] = float(centre)
        scatter[g, j] = float(sum(w * (x - centre) ** 2 for w, x in pairs))
    return weight, mean, scatter


def scatter(values, groups, n_groups):
    """Per group and pair of columns, over rows that know both: weight, mean of the first, scatter."""
    d = values.shape[1]
    members = defaultdict(list)
    for i, g, w in groups:
        members[g].append((i, w))
    weight, mean, products = np.zeros((3, n_groups, d, d))
    for g, rows in members.items():
        for a, b in np.ndindex(d, d):
            both = [(w, values[i, a], values[i, b]) for i, w in rows if np.isfinite(values[i, [a, b]]).all()]
            total = math.fsum(w for w, _, _ in both)
            if not both:
                continue
            mean_a = math.fsum(w * x for w, x, _ in both) / total
            mean_b = math.fsum(w * y for w, _, y in both) / total
            weight[g, a, b] = total
            mean[g, a, b] = mean_a
            products[g, a, b] = math.fsum(w * (x - mean_a) * (y - mean_b) for w, x, y in both)
    return weight, mean, products


def joint(columns, groups, classes):
    """Sorted list of (key, weights)."""
    found = defaultdict(lambda: np.zeros(classes))
    for i, c, w in groups:
        found[tuple(max(int(column[i]), -1) for column in columns)][c] += w
    return sorted(found.items())


def bin_code(value, edges):
    if math.isnan(value):
        return -1
    return sum(1 for cut in edges[1:-1] if value >= cut)


def gaussian_logs(values, mean, variance):
    n, k = len(values), len(mean)
    total = np.zeros((n, k))
    for i, c in np.ndindex(n, k):
        for x, m, v in zip(values[i], mean[c], variance[c], strict=True):
            if math.isfinite(x):
                total[i, c] += -0.5 * math.log(2 * math.pi * v) - 0.5 * (x - m) ** 2 / v
    return total


def quadratic_logs(values, mean, covariance):
    total = np.zeros((len(values), len(mean)))
    for i, c in np.ndindex(total.shape):
        off = values[i] - mean[c]
        _, log_determinant = np.linalg.slogdet(2 * math.pi * covariance[c])
        total[i, c] = -0.5 * (off @ np.linalg.solve(covariance[c], off) + log_determinant)
    return total


def words(dense, groups, n_groups):
    sums, presence = np.zeros((2, n_groups, dense.shape[1]))
    for i, g, w in groups:
        for j, count in enumerate(dense[i]):
            sums[g, j] += w * count
            presence[g, j] += w if count > 0 else 0.0
    return sums, presence
