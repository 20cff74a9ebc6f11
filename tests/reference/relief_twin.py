"""Relief-F by its definition, row by row."""

from __future__ import annotations

import math

import numpy as np


def difference(column, level, labels, i, j):
    x, y = column[i], column[j]
    if not math.isnan(x) and not math.isnan(y):
        return float(x != y) if level else abs(x - y)

    def values_of(c):
        own = column[(labels == c) & ~np.isnan(column)]
        return own if len(own) else column[~np.isnan(column)]

    first = [x] if not math.isnan(x) else values_of(labels[i])
    second = [y] if not math.isnan(y) else values_of(labels[j])
    pairs = [(float(a != b) if level else abs(a - b)) for a in first for b in second]
    return sum(pairs) / len(pairs) if pairs else 0.0


def relief(columns, levels, labels, k):
    """`columns` are of range one, or codes where `levels` says so; NaN is missing."""
    n, d = len(labels), len(columns)
    made = np.zeros(d)
    order = [a for a in range(d) if not levels[a]] + [a for a in range(d) if levels[a]]
    order = [a for a in order if not np.isnan(columns[a]).any()] + [
        a for a in range(d) if np.isnan(columns[a]).any()
    ]
    for i in range(n):
        diffs = [
            [difference(columns[a], levels[a], labels, i, j) for a in range(d)] if j != i else None
            for j in range(n)
        ]
        apart = [math.inf if row is None else sum(row[a] for a in order) for row in diffs]
        others = sum(labels != labels[i])
        for c in sorted(set(labels.tolist())):
            near = sorted((apart[j], j) for j in range(n) if labels[j] == c and j != i)[:k]
            if not near:
                continue
            share = -1.0 if c == labels[i] else sum(labels == c) / others
            for a in range(d):
                made[a] += share * sum(diffs[j][a] for _, j in near) / len(near) / n
    return made
