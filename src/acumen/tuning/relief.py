"""Relief-F over all rows: an attribute is worth how much more it differs between classes than within.

I. Kononenko, Estimating attributes: analysis and extensions of RELIEF, ECML 1994. For every row the `k` nearest rows
of its own class and of each other class are found (fewer where a class has fewer); an attribute loses its mean
difference from the first and gains that from the others, each class weighted P(c) / (1 - P(own)). All rows are gone
through, in no random order, so that the answer is one.

Numbers differ by their distance in parts of the range, levels by 0 or 1, ordered levels as numbers. A missing value
differs by what is expected of it: over the values that the rows of its class have. The distance is the sum of the
differences of all attributes; of rows as near, the first are taken.
"""

from __future__ import annotations

import numpy as np

from acumen import _native
from acumen.data.table import Table
from acumen.engines.cores import cores
from acumen.errors import DataError
from acumen.types import Codes, Floats

#: Bytes of the expectations of missing values beyond which a table is refused.
_LARGEST = 1 << 31


def relief(table: Table, labels: Codes, k: int, n_jobs: int | None = None) -> Floats:
    """The weight of each attribute that is no text, numeric ones first; -1 to 1. `labels` may be other than its own."""
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
            f"rank_attributes: what is expected of missing values would take {size / 2**30:.1f} GB; fill them first."
        )
    place = np.full(len(values), -1, dtype=np.int32)
    place[gaps] = np.arange(len(gaps))
    pairs = [expectations(values[a], bool(level[a]), label, len(present)) for a in gaps.tolist()]
    expected = np.ascontiguousarray([one for one, _ in pairs]).reshape(len(gaps), len(present), len(order))
    both = np.ascontiguousarray([two for _, two in pairs]).reshape(len(gaps), len(present), len(present))
    made = np.zeros(len(values))
    if len(order) and len(present) > 1:
        _native.relief(values, level, start, place, expected, both, k, made, cores(n_jobs))
        made /= len(order)
    return made


def _columns(table: Table, order: np.ndarray) -> tuple[Floats, np.ndarray]:
    """Every attribute as a line of numbers of range one, or of codes; and which are codes."""
    lines, level = [], []
    for _, column in table.numeric_columns():
        lines.append(_ranged(np.where(np.isfinite(column), column, np.nan)[order]))
        level.append(False)
    for attribute, codes in table.nominal_columns():
        line = np.where(codes >= 0, codes, np.nan)[order]
        lines.append(_ranged(line) if attribute.ordered else line)
        level.append(not attribute.ordered)
    values = np.ascontiguousarray(lines, dtype=np.float64).reshape(len(lines), len(order))
    return values, np.array(level, dtype=np.bool_)


def _ranged(values: Floats) -> Floats:
    """Numbers in parts of their range, halved first so that the range cannot overflow."""
    known = ~np.isnan(values)
    if not known.any():
        return values
    low, high = float(values[known].min()) / 2, float(values[known].max()) / 2
    return (values / 2 - low) / (high - low) if high > low else np.where(known, 0.0, np.nan)


def expectations(values: Floats, level: bool, label: Codes, classes: int) -> tuple[Floats, Floats]:
    """How far each known value is from a missing one of each class on the mean; and two missing ones from each other.

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
    left = below * values - sums[below]
    return (left + (sums[-1] - sums[below]) - (len(ordered) - below) * values) / len(ordered)
