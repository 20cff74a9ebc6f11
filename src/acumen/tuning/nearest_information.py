"""Mutual information of numbers by their neighbours, in bits: nothing is cut into intervals.

    with_classes    B. C. Ross, Mutual information between discrete and continuous data sets, PLoS ONE 2014
    with_numbers    A. Kraskov, H. Stögbauer and P. Grassberger, Estimating mutual information, Phys. Rev. E 2004 (I1)

Both are deterministic: values are replaced by their ranks, which changes no mutual information, and of tied values
all that are as near count. What chance makes negative is 0.
"""

from __future__ import annotations

import math

import numpy as np

from acumen.types import Codes, Floats


def ranks(values: Floats) -> Floats:
    """Mid-ranks, halves of whole numbers: tied values share theirs, and sums and differences are exact."""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2.0)[which])


def with_classes(values: Floats, labels: Codes, k: int = 3) -> float:
    """Between finite numbers and classes."""
    from scipy.special import digamma

    x = ranks(values)
    sizes = np.bincount(labels)
    several = sizes[labels] > 1
    x, labels = x[several], labels[several]
    n = len(x)
    if n < 2:
        return 0.0
    ordered = np.sort(x)
    terms = 0.0
    for c in np.unique(labels).tolist():
        own = np.sort(x[labels == c])
        near = min(k, len(own) - 1)
        radius = _radius(own, near)
        # Strictly nearer rows of any class, and the row itself: where the k-th is tied, all that are as near count.
        inside = np.searchsorted(ordered, own + radius, side="right") - np.searchsorted(
            ordered, own - radius, side="left"
        )
        within = np.searchsorted(own, own + radius, side="right") - np.searchsorted(
            own, own - radius, side="left"
        )
        terms += float((digamma(within - 1) - digamma(inside - 1) - digamma(len(own))).sum())
    return max(0.0, (float(digamma(n)) + terms / n) / math.log(2))


def _radius(ordered: Floats, k: int) -> Floats:
    """The distance of each of ascending numbers to its k-th nearest other."""
    n = len(ordered)
    made = np.full(n, np.inf)
    for left in range(k + 1):  # so many of them lie below, the others above
        right = k - left
        at = np.arange(left, n - right)
        if len(at):
            reach = np.maximum(ordered[at] - ordered[at - left], ordered[at + right] - ordered[at])
            made[at] = np.minimum(made[at], reach)
    return made


def with_numbers(values: Floats, response: Floats, k: int = 3) -> float:
    """Between two columns of finite numbers."""
    from scipy.spatial import cKDTree
    from scipy.special import digamma

    x, y = ranks(values), ranks(response)
    n = len(x)
    if n <= k:
        return 0.0
    points = np.column_stack([x, y])
    tree = cKDTree(points)
    radius = tree.query(points, k=k + 1, p=np.inf)[0][:, -1]
    tied = (
        radius == 0
    )  # more than k rows are alike in both: these are counted, as if levels (Gao et al. 2017)
    near = np.where(tied, 0.0, radius - 0.25)
    inside = [
        np.searchsorted(o := np.sort(z), z + near, side="right") - np.searchsorted(o, z - near, side="left")
        for z in (x, y)
    ]
    alike = np.full(n, float(k))
    if tied.any():
        alike[tied] = tree.query_ball_point(points[tied], 0.1, p=np.inf, return_length=True)
    terms = digamma(alike) - digamma(inside[0]) - digamma(inside[1])
    return max(0.0, float(digamma(n) + terms.mean()) / math.log(2))
