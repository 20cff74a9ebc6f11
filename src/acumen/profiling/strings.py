"""A text column's figures: how long its texts are and how many differ."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from acumen.profiling.figures import ColumnFigures, TextFigures, share
from acumen.types import Floats, Indices, Objects


@dataclass(frozen=True, slots=True, eq=False)
class TextTally:
    """How long the texts of some rows are, and how many are missing; adds."""

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
