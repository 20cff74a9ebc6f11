"""The slow twin of ChiMerge: every pair tested anew after every merger, by the textbook's formula."""

from __future__ import annotations

from itertools import pairwise

from scipy.stats import chi2, chi2_contingency


def chi_merge(values, labels, significance, least=1, most=None):
    """The edges, in the middle between the values on both sides."""
    classes = sorted(set(labels))
    groups = [([v], [sum(x == v and y == c for x, y in zip(values, labels, strict=True)) for c in classes])
              for v in sorted(set(values))]  # fmt: skip
    threshold = chi2.ppf(significance, len(classes) - 1) if len(classes) > 1 else 0.0
    most = len(groups) if most is None else most
    while len(groups) > least:
        tests = [statistic(a[1], b[1]) for a, b in pairwise(groups)]
        best = min(range(len(tests)), key=lambda i: (round(tests[i], 9), i))
        if tests[best] > threshold and len(groups) <= most:
            break
        a, b = groups[best], groups[best + 1]
        groups[best : best + 2] = [(a[0] + b[0], [x + y for x, y in zip(a[1], b[1], strict=True)])]
    return [(a[0][-1] + b[0][0]) / 2 for a, b in pairwise(groups)]


def statistic(first, second):
    """Pearson's chi-square of two lines, over the classes that occur in them."""
    lines = [[a for a, b in zip(first, second, strict=True) if a + b],
             [b for a, b in zip(first, second, strict=True) if a + b]]  # fmt: skip
    return chi2_contingency(lines, correction=False).statistic
