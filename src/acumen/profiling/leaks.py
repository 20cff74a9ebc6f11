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

The same is asked of whether a value is missing at all, which is how many real leaks show. That is filled in by hand,
and so it is also named where it has exceptions: where telling the class by it alone leaves at most a tenth of the
errors of always saying the most frequent class, and saves as many bits, the exceptions written down too.
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
#: The share of the errors of always saying the most frequent class that exceptions may have.
EXCEPTIONS = 0.1
#: Rows looked at first, evenly spread: what already fails on them fails on all.
_SAMPLE = 4096


@dataclass(frozen=True, slots=True)
class Leak:
    """How an attribute determines the class: in how many rows and pieces, and in how many rows it is wrong."""

    by: Literal["levels", "intervals", "missing"]
    rows: int
    pieces: int
    wrong: int = 0


def nominal_leak(codes: Codes, labels: Codes, attributes: int) -> Leak | None:
    """Whether a nominal attribute, or whether it is missing, determines the class."""
    classed = labels >= 0
    known = codes >= 0
    chosen = classed & known
    if pieces := _by_levels(codes[chosen], labels[chosen], attributes):
        return Leak("levels", int(chosen.sum()), pieces)
    return _missing_leak(known, labels, attributes)


def numeric_leak(values: Floats, labels: Codes, distinct: int, attributes: int) -> Leak | None:
    """Whether a numeric attribute with `distinct` values, or whether it is missing, determines the class."""
    known = ~np.isnan(values)
    chosen = (labels >= 0) & known
    v, c = values[chosen], labels[chosen]
    if leak := _by_values(v, c, distinct, attributes):
        return leak
    return _missing_leak(known, labels, attributes)


def _missing_leak(known: Bools, labels: Codes, attributes: int) -> Leak | None:
    if known.all():
        return None
    there, gone = labels[known & (labels >= 0)], labels[~known & (labels >= 0)]
    return missing_leak(np.bincount(there), np.bincount(gone), attributes)


def missing_leak(there: Array, gone: Array, attributes: int) -> Leak | None:
    """Whether a missing value determines the class, from class counts where the attribute is known and missing."""
    sizes = np.array([there.sum(), gone.sum()])
    if sizes.min() < SUPPORT:
        return None
    cells = np.zeros((2, max(len(there), len(gone))), dtype=np.int64)
    cells[0, : len(there)], cells[1, : len(gone)] = there, gone
    if (np.count_nonzero(cells, axis=1) > 1).any():
        return _nearly_by_missing(cells, attributes)
    pieces = pure_levels(2, int(sizes.sum()), cells.sum(axis=0), attributes)
    return Leak("missing", int(sizes.sum()), pieces) if pieces else None


def _nearly_by_missing(cells: Array, attributes: int) -> Leak | None:
    """Whether a missing value determines the class with few exceptions."""
    classes, rows = cells.sum(axis=0), int(cells.sum())
    guessed, wrong = cells.argmax(axis=1), rows - int(cells.max(axis=1).sum())
    if guessed[0] == guessed[1] or wrong > EXCEPTIONS * (rows - int(classes.max())):
        return None
    rule = sum(map(_label_bits, cells)) + (np.count_nonzero(classes) - 1) * math.log2(rows + 1)
    enough = _label_bits(classes) - rule >= BITS + math.log2(attributes)
    return Leak("missing", rows, 2, wrong) if enough else None


def _by_levels(codes: Codes, labels: Codes, attributes: int) -> int:
    """The number of levels, if each has one class and the three conditions hold; else 0."""
    if not _pure(codes, labels):
        return 0
    sizes = np.bincount(codes)
    return pure_levels(
        int(np.count_nonzero(sizes)), int(sizes[sizes >= SUPPORT].sum()), np.bincount(labels), attributes
    )


def pure_levels(levels: int, covered: int, classes: Array, attributes: int) -> int:
    """The number of single-class levels, if the conditions hold; else 0. `covered` rows are in large enough levels."""
    classes = classes[classes > 0]
    if len(classes) < 2 or covered < COVERED * int(classes.sum()):
        return 0
    rule = levels * math.log2(len(classes))
    return levels if _label_bits(classes) - rule >= BITS + math.log2(attributes) else 0


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
    cuts, apart = every_row
    sizes = np.diff(np.concatenate([[0], cuts, [len(values)]]))
    covered = 0
    if max(distinct, apart) * SUPPORT <= len(values):
        of_values = np.unique(values, return_counts=True)[1]
        covered = int(of_values[of_values >= SUPPORT].sum())
    return pure_values(sizes, max(distinct, apart), apart, covered, classes, attributes)


def pure_values(
    sizes: Array | None, distinct: int, apart: int, covered: int, classes: Array, attributes: int
) -> Leak | None:
    """What numbers with a single class each show about the class, if the conditions hold.

    `sizes` are the rows of each interval of one class, None where there are too many of them; `apart` numbers differ
    in the rows that have a class, `distinct` in all; `covered` rows are in numbers of enough rows.
    """
    classes = classes[classes > 0]
    rows = int(classes.sum())
    if sizes is not None and len(sizes) <= INTERVALS * len(classes) and sizes.min() >= SUPPORT:
        rule = _choose_bits(apart - 1, len(sizes) - 1) + math.log2(len(classes))
        rule += (len(sizes) - 1) * math.log2(len(classes) - 1)
        if _label_bits(classes) - rule >= BITS + math.log2(attributes):
            return Leak("intervals", rows, len(sizes))
    if distinct * SUPPORT <= rows and (pieces := pure_levels(apart, covered, classes, attributes)):
        return Leak("levels", rows, pieces)
    return None


def _cuts(values: Floats, labels: Codes) -> tuple[Array, int] | None:
    """Where the class changes along the sorted values, and the number of distinct values.

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
    """log2 of the number of ways to assign the labels: n! / prod n_c!."""
    ways = math.lgamma(int(classes.sum()) + 1) - sum(math.lgamma(int(n) + 1) for n in classes)
    return ways / math.log(2)


def _choose_bits(n: int, k: int) -> float:
    """log2 of n over k."""
    return (math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)) / math.log(2)
