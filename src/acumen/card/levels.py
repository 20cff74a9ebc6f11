"""A nominal column's levels and the target's classes: counts, weights, shares, entropy."""

from __future__ import annotations

import numpy as np

from acumen.card.figures import ColumnFigures, LevelCount, LevelFigures, TargetFigures, share
from acumen.data.schema import Attribute
from acumen.types import UNKNOWN, Codes, Floats, Indices

#: So many levels are listed, the most frequent first; the rest is counted.
LISTED = 50
#: So many of the levels seen once are named.
NAMED = 5


def nominal_column(attribute: Attribute, codes: Codes, weights: Floats) -> ColumnFigures:
    """The figures of one attribute; `weights` is empty when every row weighs one."""
    counts, masses = _tally(codes, weights, len(attribute.levels))
    known = float(masses.sum())
    # Stable: equally frequent levels stay in the order of their codes.
    order = np.argsort(-counts, kind="stable")[:LISTED]
    once = np.flatnonzero(counts == 1)
    figures = LevelFigures(
        top=tuple(
            LevelCount(attribute.levels[c], int(counts[c]), float(masses[c]), share(float(masses[c]), known))
            for c in order
        ),
        declared=len(counts),
        unused=int(np.count_nonzero(counts == 0)),
        once=len(once),
        lonely=tuple(attribute.levels[c] for c in once[:NAMED]),
        unknown=int(np.count_nonzero(codes == UNKNOWN)),
    )
    missing, missing_share = _missing(codes, weights)
    distinct = int(np.count_nonzero(counts))
    return ColumnFigures(attribute.name, attribute.kind, missing, missing_share, distinct, nominal=figures)


def class_figures(target: Attribute, labels: Codes, weights: Floats) -> TargetFigures:
    """The classes in the order of their codes, all of them, with the entropy of their shares."""
    counts, masses = _tally(labels, weights, len(target.levels))
    known = float(masses.sum())
    missing, missing_share = _missing(labels, weights)
    return TargetFigures(
        target.name,
        target.kind,
        missing,
        missing_share,
        classes=tuple(
            LevelCount(level, int(n), float(w), share(float(w), known))
            for level, n, w in zip(target.levels, counts, masses, strict=True)
        ),
        entropy=entropy_bits(masses),
    )


def entropy_bits(masses: Floats) -> float | None:
    """Shannon's entropy of the shares, in bits; None of nothing."""
    total = float(masses.sum())
    if not total > 0:
        return None
    shares = masses / total
    shares = shares[shares > 0]
    return max(0.0, -float((shares * np.log2(shares)).sum()))


def _tally(codes: Codes, weights: Floats, levels: int) -> tuple[Indices, Floats]:
    """Rows and weight of each level."""
    known = (codes >= 0) & (codes < levels)
    if not known.all():
        codes, weights = codes[known], weights[known] if weights.size else weights
    counts = np.bincount(codes, minlength=levels)
    if not weights.size:
        return counts, counts.astype(np.float64)
    return counts, np.asarray(np.bincount(codes, weights, minlength=levels), dtype=np.float64)


def _missing(codes: Codes, weights: Floats) -> tuple[int, float | None]:
    """Rows without a value (an unknown level is a value), and their share of the weight."""
    absent = (codes < 0) & (codes != UNKNOWN)
    rows = int(np.count_nonzero(absent))
    if weights.size:
        return rows, share(float(weights[absent].sum()), float(weights.sum()))
    return rows, share(rows, len(codes))
