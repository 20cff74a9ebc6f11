"""Attributes that alone determine the class: often a copy or a consequence of it, a leak.

An attribute is named when three things hold among the rows where it and the class are known:

1. It determines the class without exception: every level has one class; or a numeric attribute's range
   falls into intervals of one class each, at most two a class on average.
2. Each piece is seen often enough to say so: every interval has 5 rows; levels of 5 rows or more hold
   95 % of the rows. An identifier fails here.
3. It is no accident. Writing the labels down takes log2(n! / prod n_c!) bits. Writing them by way of the
   attribute takes one class a level, K^L possibilities; or, of g distinct values and R intervals, the
   cuts and the classes between them, C(g-1, R-1) K (K-1)^(R-1). If labels were shuffled, saving b bits
   would have a chance of at most 2^-b; at least 10 + log2(attributes) bits must be saved, so that of
   a thousand tables without a leak at most one is accused.

The same is asked of whether a value is missing at all, which is how many real leaks show.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from acumen.types import Array, Bools, Codes, Floats

#: A piece (level or interval) speaks for itself from this many rows on ...
SUPPORT = 5
#: ... and levels of that many must hold this share of the rows.
COVERED = 0.95
#: A thousandth, in bits.
BITS = 10.0
#: Intervals a class may take, on average.
INTERVALS = 2
#: Rows looked at first, evenly spread: what already fails on them fails on all.
_SAMPLE = 4096


@dataclass(frozen=True, slots=True)
class Leak:
    """How an attribute determines the class, over how many rows, in how many levels or intervals."""

    by: Literal["levels", "intervals", "missing"]
    rows: int
    pieces: int


def nominal_leak(codes: Codes, labels: Codes, attributes: int) -> Leak | None:
    """Whether a nominal attribute, or its being missing, determines the class."""
    classed = labels >= 0
    known = codes >= 0
    chosen = classed & known
    if found := _by_levels(codes[chosen], labels[chosen], attributes):
        return Leak("levels", int(chosen.sum()), found)
    return _missing_leak(known, labels, attributes)


def numeric_leak(values: Floats, labels: Codes, distinct: int, attributes: int) -> Leak | None:
    """Whether a numeric attribute of so many distinct values, or its being missing, determines the class."""
    known = ~np.isnan(values)
    chosen = (labels >= 0) & known
    v, c = values[chosen], labels[chosen]
    if found := _by_values(v, c, distinct, attributes):
        return found
    return _missing_leak(known, labels, attributes)


def _missing_leak(known: Bools, labels: Codes, attributes: int) -> Leak | None:
    if known.all():
        return None
    classed = labels >= 0
    codes = known[classed].astype(np.int32)
    if np.count_nonzero(codes) < SUPPORT or np.count_nonzero(codes == 0) < SUPPORT:
        return None
    found = _by_levels(codes, labels[classed], attributes)
    return Leak("missing", len(codes), found) if found else None


def _by_levels(codes: Codes, labels: Codes, attributes: int) -> int:
    """The number of levels, if each has one class and the three conditions hold; else 0."""
    if not _pure(codes, labels):
        return 0
    sizes = np.bincount(codes)
    sizes = sizes[sizes > 0]
    classes = np.bincount(labels)
    classes = classes[classes > 0]
    if len(classes) < 2 or sizes[sizes >= SUPPORT].sum() < COVERED * len(codes):
        return 0
    rule = len(sizes) * math.log2(len(classes))
    return len(sizes) if _label_bits(classes) - rule >= BITS + math.log2(attributes) else 0


def _pure(codes: Codes, labels: Codes) -> bool:
    """Whether each level has rows of one class only."""
    if not codes.size:
        return False
    last = np.zeros(int(codes.max()) + 1, dtype=labels.dtype)
    last[codes] = labels
    return bool(np.array_equal(last[codes], labels))


def _by_values(values: Floats, labels: Codes, distinct: int, attributes: int) -> Leak | None:
    """Intervals of one class each, or a few values of one class each."""
    classes = np.bincount(labels) if labels.size else np.zeros(0, dtype=np.intp)
    classes = classes[classes > 0]
    if len(classes) < 2:
        return None
    allowed = INTERVALS * len(classes)
    step = -(-len(values) // _SAMPLE)
    some_rows = _cuts(values[::step], labels[::step])
    if some_rows is None:
        return None
    if len(some_rows[0]) >= allowed and distinct * SUPPORT > len(values):
        return None
    every_row = _cuts(values, labels)
    if every_row is None:
        return None
    cuts, distinct = every_row
    needed = BITS + math.log2(attributes)
    runs = len(cuts) + 1
    sizes = np.diff(np.concatenate([[0], cuts, [len(values)]]))
    if runs <= allowed and sizes.min() >= SUPPORT:
        rule = _choose_bits(distinct - 1, runs - 1) + math.log2(len(classes))
        rule += (runs - 1) * math.log2(len(classes) - 1)
        if _label_bits(classes) - rule >= needed:
            return Leak("intervals", len(values), runs)
    if distinct * SUPPORT <= len(values):
        codes = np.unique(values, return_inverse=True)[1].astype(np.int32)
        if found := _by_levels(codes, labels, attributes):
            return Leak("levels", len(values), found)
    return None


def _cuts(values: Floats, labels: Codes) -> tuple[Array, int] | None:
    """Where the class changes along the sorted values, and how many values differ.

    None if some value has rows of two classes.
    """
    order = np.argsort(values, kind="stable")
    v, c = values[order], labels[order]
    steps = v[1:] != v[:-1]
    changes = c[1:] != c[:-1]
    if np.any(changes & ~steps):
        return None
    return np.flatnonzero(changes) + 1, 1 + int(np.count_nonzero(steps))


def _label_bits(classes: Array) -> float:
    """log2 of the ways to hand out the labels: n! / prod n_c!."""
    ways = math.lgamma(int(classes.sum()) + 1) - sum(math.lgamma(int(n) + 1) for n in classes)
    return ways / math.log(2)


def _choose_bits(n: int, k: int) -> float:
    """log2 of n over k."""
    return (math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)) / math.log(2)
