"""A nominal column's levels and the target's classes: counts, weights, proportions, entropy.

A text column's figures: how long its texts are and how many differ.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from acumen.data.schema import Attribute
from acumen.profiling.figures import (
    ColumnFigures,
    LevelCount,
    LevelFigures,
    TargetFigures,
    TextFigures,
    share,
)
from acumen.types import UNKNOWN, Codes, Floats, Indices, Objects

#: So many levels are listed, the most frequent first; the rest is counted.
LISTED = 50
#: So many of the levels seen once are named.
NAMED = 5


@dataclass(frozen=True, slots=True, eq=False)
class LevelTally:
    """Rows and weight of each level, and of rows without one; tallies add."""

    counts: Indices
    masses: Floats
    rows: int
    total: float
    missing: int
    missing_mass: float
    unknown: int

    @classmethod
    def of(cls, codes: Codes, weights: Floats, levels: int) -> LevelTally:
        """Of codes; `weights` is empty when every row weighs one. An unknown level is a value."""
        counts, masses = _tally(codes, weights, levels)
        absent = (codes < 0) & (codes != UNKNOWN)
        missing = int(np.count_nonzero(absent))
        return cls(
            counts,
            masses,
            len(codes),
            float(weights.sum()) if weights.size else float(len(codes)),
            missing,
            float(weights[absent].sum()) if weights.size else float(missing),
            int(np.count_nonzero(codes == UNKNOWN)),
        )

    def __add__(self, other: LevelTally) -> LevelTally:
        return LevelTally(
            self.counts + other.counts,
            self.masses + other.masses,
            self.rows + other.rows,
            self.total + other.total,
            self.missing + other.missing,
            self.missing_mass + other.missing_mass,
            self.unknown + other.unknown,
        )

    @property
    def missing_share(self) -> float | None:
        return share(self.missing_mass, self.total)

    @property
    def distinct(self) -> int:
        """The number of levels that occur."""
        return int(np.count_nonzero(self.counts))


def nominal_column(attribute: Attribute, codes: Codes, weights: Floats) -> ColumnFigures:
    """The figures of one attribute; `weights` is empty when every row weighs one."""
    return nominal_figures(attribute, LevelTally.of(codes, weights, len(attribute.levels)))


def nominal_figures(attribute: Attribute, tally: LevelTally) -> ColumnFigures:
    """The figures of an attribute whose levels have been counted."""
    counts, masses = tally.counts, tally.masses
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
        unknown=tally.unknown,
    )
    return ColumnFigures(
        attribute.name, attribute.kind, tally.missing, tally.missing_share, tally.distinct, nominal=figures
    )


def class_figures(target: Attribute, labels: Codes, weights: Floats) -> TargetFigures:
    """The classes in the order of their codes, all of them, with the entropy of their shares."""
    return counted_classes(target, LevelTally.of(labels, weights, len(target.levels)))


def counted_classes(target: Attribute, tally: LevelTally) -> TargetFigures:
    """The same of classes that have been counted."""
    known = float(tally.masses.sum())
    return TargetFigures(
        target.name,
        target.kind,
        tally.missing,
        tally.missing_share,
        classes=tuple(
            LevelCount(level, int(n), float(w), share(float(w), known))
            for level, n, w in zip(target.levels, tally.counts, tally.masses, strict=True)
        ),
        entropy=entropy_bits(tally.masses),
    )


def entropy_bits(masses: Floats) -> float | None:
    """Shannon's entropy of the proportions, in bits; None if there are none."""
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


@dataclass(frozen=True, slots=True, eq=False)
class TextTally:
    """The lengths of the texts of some rows, and the number of missing ones; tallies add."""

    missing: int
    missing_mass: float
    total: float
    lengths: Indices  # each length that occurs, in rising order
    often: Indices  # and in how many rows

    @classmethod
    def of(cls, strings: Objects, weights: Floats) -> TextTally:
        """Of a column; `weights` is empty when every row weighs one."""
        absent = np.fromiter((s is None for s in strings), np.bool_, len(strings))
        missing = int(np.count_nonzero(absent))
        known = strings[~absent]
        lengths, often = np.unique(np.fromiter(map(len, known), np.int64, len(known)), return_counts=True)
        if not weights.size:
            return cls(missing, float(missing), float(len(strings)), lengths, often)
        return cls(missing, float(weights[absent].sum()), float(weights.sum()), lengths, often)

    def __add__(self, other: TextTally) -> TextTally:
        lengths, which = np.unique(np.concatenate([self.lengths, other.lengths]), return_inverse=True)
        often = np.zeros(len(lengths), dtype=np.int64)
        np.add.at(often, which, np.concatenate([self.often, other.often]))
        return TextTally(
            self.missing + other.missing,
            self.missing_mass + other.missing_mass,
            self.total + other.total,
            lengths,
            often,
        )

    def column(self, name: str, distinct: int) -> ColumnFigures:
        """The figures of the attribute, of whose texts so many differ."""
        figures = TextFigures()
        if self.lengths.size:
            reached = np.cumsum(self.often)
            middle = (int(reached[-1]) - 1) // 2, int(reached[-1]) // 2
            low, high = self.lengths[np.searchsorted(reached, middle, side="right")].tolist()
            figures = TextFigures(
                shortest=int(self.lengths[0]),
                median=(low + high) / 2,
                longest=int(self.lengths[-1]),
                empty=int(self.often[0]) if not self.lengths[0] else 0,
            )
        lacking = share(self.missing_mass, self.total)
        return ColumnFigures(name, "text", self.missing, lacking, distinct, text=figures)


def text_column(name: str, strings: Objects, weights: Floats) -> ColumnFigures:
    """The figures of one attribute; `weights` is empty when every row weighs one."""
    distinct = len({s for s in strings if s is not None})
    return TextTally.of(strings, weights).column(name, distinct)
