"""Relief-F over all rows: score an attribute by how much more it differs between classes than within.

I. Kononenko, Estimating attributes: analysis and extensions of RELIEF, ECML 1994. For every row the `k` nearest rows
of its own class and of each other class are found (fewer where a class has fewer); an attribute loses its mean
difference from the first and gains that from the others, each class weighted P(c) / (1 - P(own)). All rows are gone
through, in no random order, so that the answer is one.

Numbers differ by their distance in parts of the range, levels by 0 or 1, ordered levels as numbers. A missing value
differs by what is expected of it: over the values that the rows of its class have. The distance is the sum of the
differences of all attributes; of rows as near, the first are taken.

Mutual information of numbers by their neighbours, in bits: nothing is cut into intervals.

    information_with_classes   B. C. Ross, Mutual information between discrete and continuous data sets, PLoS ONE 2014
    information_with_numbers   A. Kraskov, H. Stögbauer and P. Grassberger, Estimating mutual information, 2004 (I1)

Both are deterministic: values are replaced by their ranks, which changes no mutual information, and of tied values
all that are as near count. What chance makes negative is 0.
"""

from __future__ import annotations

import math

import numpy as np

from acumen import _native
from acumen.data.table import Table
from acumen.engines.cores import cores
from acumen.errors import DataError
from acumen.types import Codes, Floats

#: Bytes of the expectations of missing values beyond which a table is refused.
_LARGEST = 1 << 31


def relief(table: Table, labels: Codes, k: int, n_jobs: int | None = None) -> Floats:
    """The weight of each non-text attribute, numeric ones first; -1 to 1. `labels` may differ from the table's."""
    known = np.flatnonzero(labels >= 0)
    order = known[np.argsort(labels[known], kind="stable")]
    ranked = labels[order]
    present = np.unique(ranked)
    start = np.append(np.searchsorted(ranked, present), len(ranked)).astype(np.int64)
    label = np.searchsorted(present, ranked).astype(np.int32)
    values, level = _columns(table, order)
    gaps = np.flatnonzero(np.isnan(values).any(axis=1))
    size = 8 * len(gaps) * len(present) * len(order)
    if size > _LARGEST:
        raise DataError(
            f"rank_attributes: the expected distances of missing values would take {size / 2**30:.1f} GB; "
            "fill them first."
        )
    place = np.full(len(values), -1, dtype=np.int32)
    place[gaps] = np.arange(len(gaps))
    pairs = [expectations(values[a], bool(level[a]), label, len(present)) for a in gaps.tolist()]
    expected = np.ascontiguousarray([one for one, _ in pairs]).reshape(len(gaps), len(present), len(order))
    both = np.ascontiguousarray([two for _, two in pairs]).reshape(len(gaps), len(present), len(present))
    scores = np.zeros(len(values))
    if len(order) and len(present) > 1:
        _native.relief(values, level, start, place, expected, both, k, scores, cores(n_jobs))
        scores /= len(order)
    return scores


def _columns(table: Table, order: np.ndarray) -> tuple[Floats, np.ndarray]:
    """Every attribute as a line of numbers of range one, or of codes; and which are codes."""
    lines, level = [], []
    for _, column in table.numeric_columns():
        lines.append(_scale_to_range(np.where(np.isfinite(column), column, np.nan)[order]))
        level.append(False)
    for attribute, codes in table.nominal_columns():
        line = np.where(codes >= 0, codes, np.nan)[order]
        lines.append(_scale_to_range(line) if attribute.ordered else line)
        level.append(not attribute.ordered)
    values = np.ascontiguousarray(lines, dtype=np.float64).reshape(len(lines), len(order))
    return values, np.array(level, dtype=np.bool_)


def _scale_to_range(values: Floats) -> Floats:
    """Numbers scaled to a range of one; halved first so that the range cannot overflow."""
    known = ~np.isnan(values)
    if not known.any():
        return values
    low, high = float(values[known].min()) / 2, float(values[known].max()) / 2
    return (values / 2 - low) / (high - low) if high > low else np.where(known, 0.0, np.nan)


def expectations(values: Floats, level: bool, label: Codes, classes: int) -> tuple[Floats, Floats]:
    """The mean distance of each known value to a missing one of each class; and of two missing ones.

    A class that has no known value is taken for all rows.
    """
    known = ~np.isnan(values)
    samples = [values[known & (label == c)] for c in range(classes)]
    samples = [one if len(one) else values[known] for one in samples]
    one = np.zeros((classes, len(values)))
    for c, sample in enumerate(samples):
        one[c, known] = _from(values[known], sample, level)
    two = np.array([[float(_from(a, b, level).mean()) if len(a) else 0.0 for b in samples] for a in samples])
    return one, two


def _from(values: Floats, sample: Floats, level: bool) -> Floats:
    """The mean difference of each value from those of a sample."""
    if not len(sample):
        return np.zeros(len(values))
    ordered = np.sort(sample)
    below = np.searchsorted(ordered, values, side="left")
    if level:
        return 1.0 - (np.searchsorted(ordered, values, side="right") - below) / len(ordered)
    sums = np.concatenate([[0.0], np.cumsum(ordered)])
    below_total = below * values - sums[below]
    return (below_total + (sums[-1] - sums[below]) - (len(ordered) - below) * values) / len(ordered)


def ranks(values: Floats) -> Floats:
    """Mid-ranks, halves of whole numbers: tied values share theirs, and sums and differences are exact."""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2.0)[which])


def information_with_classes(values: Floats, labels: Codes, k: int = 3) -> float:
    """Mutual information between finite numbers and classes."""
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
        class_values = np.sort(x[labels == c])
        near = min(k, len(class_values) - 1)
        radius = _radius(class_values, near)
        # Strictly nearer rows of any class, and the row itself: where the k-th is tied, all that are as near count.
        inside = np.searchsorted(ordered, class_values + radius, side="right") - np.searchsorted(
            ordered, class_values - radius, side="left"
        )
        within = np.searchsorted(class_values, class_values + radius, side="right") - np.searchsorted(
            class_values, class_values - radius, side="left"
        )
        terms += float((digamma(within - 1) - digamma(inside - 1) - digamma(len(class_values))).sum())
    return max(0.0, (float(digamma(n)) + terms / n) / math.log(2))


def _radius(ordered: Floats, k: int) -> Floats:
    """The distance of each of ascending numbers to its k-th nearest other number."""
    n = len(ordered)
    radius = np.full(n, np.inf)
    for n_below in range(k + 1):  # so many of them lie below, the others above
        right = k - n_below
        at = np.arange(n_below, n - right)
        if len(at):
            reach = np.maximum(ordered[at] - ordered[at - n_below], ordered[at + right] - ordered[at])
            radius[at] = np.minimum(radius[at], reach)
    return radius


def information_with_numbers(values: Floats, response: Floats, k: int = 3) -> float:
    """Mutual information between two columns of finite numbers."""
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
