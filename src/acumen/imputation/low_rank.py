"""Ratings and other wide tables full of gaps: every cell is its column's mean, and what few hidden traits of its row
and column add.

    LowRank.fit    matrix with NaN -> column means, spreads and factors, by alternating least squares with a penalty
                   that grows with the number of known cells (Zhou, Wilkinson, Schreiber and Pan 2008)
    predict        rows -> all their cells: a row's factors are solved from its known cells, so rows need not be those
                   that were learned from

The number of factors and the penalty are those that do best on a tenth of the known cells.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from acumen.engines.cores import blas_threads
from acumen.types import Bools, Floats

#: Factors and penalties that are tried.
RANKS, PENALTIES = (1, 2, 3, 5, 8), (0.01, 0.05, 0.2)
_STEPS = 15
#: Cells of a block of rows whose systems are solved together.
_CELLS = 1 << 22


@dataclass(frozen=True, slots=True, eq=False)
class LowRank:
    """Column means and spreads, and the factors of the columns, the first of which is one: a row's own level."""

    mean: Floats
    spread: Floats
    factors: Floats  # (columns, rank + 1)
    penalty: float

    @classmethod
    def fit(cls, values: Floats, seed: int = 0) -> LowRank:
        """Choose rank and penalty on hidden known cells, then fit on all cells."""
        known = np.isfinite(values)
        count = known.sum(axis=0)
        mean = np.where(
            count > 0, np.nansum(np.where(known, values, 0.0), axis=0) / np.maximum(count, 1), 0.0
        )
        away = np.where(known, values - mean, 0.0)
        spread = np.sqrt((away**2).sum(axis=0) / np.maximum(count, 1))
        spread = np.where(spread > 0, spread, 1.0)
        scaled = away / spread
        rng = np.random.default_rng(seed)
        hidden = known & (rng.random(values.shape) < 0.1)
        best, least = (1, PENALTIES[-1]), np.inf
        if not hidden.any():
            return cls(
                mean, spread, _factors(scaled, known, 1, PENALTIES[-1], np.random.default_rng(seed)), best[1]
            )
        with blas_threads(1):  # many small systems: threads of BLAS would but wait for each other
            for rank in (r for r in RANKS if r < min(values.shape)):
                for penalty in PENALTIES:
                    columns = _factors(scaled, known & ~hidden, rank, penalty, np.random.default_rng(seed))
                    estimate = _rows(scaled, known & ~hidden, columns, penalty) @ columns.T
                    wrong = float(((estimate - scaled)[hidden] ** 2).mean())
                    if wrong < least * (1 - 1e-3):
                        best, least = (rank, penalty), wrong
            columns = _factors(scaled, known, *best, np.random.default_rng(seed))
        return cls(mean, spread, columns, best[1])

    @property
    def rank(self) -> int:
        return self.factors.shape[1] - 1

    def predict(self, values: Floats) -> Floats:
        """Predict every cell of rows from the known ones."""
        known = np.isfinite(values)
        scaled = np.where(known, (values - self.mean) / self.spread, 0.0)
        return np.asarray(
            _rows(scaled, known, self.factors, self.penalty) @ self.factors.T * self.spread + self.mean
        )


def _factors(scaled: Floats, known: Bools, rank: int, penalty: float, rng: np.random.Generator) -> Floats:
    """The factors of the columns; the first is constant."""
    columns = np.column_stack([np.ones(scaled.shape[1]), rng.normal(0, 0.3, (scaled.shape[1], rank))])
    for _ in range(_STEPS):
        rows = _rows(scaled, known, columns, penalty)
        rest = np.where(known, scaled - rows[:, :1], 0.0)
        columns[:, 1:] = _rows(rest.T, known.T, rows[:, 1:], penalty)
    return columns


def _rows(scaled: Floats, known: Bools, columns: Floats, penalty: float) -> Floats:
    """The factors of each row by least squares over its known cells, shrunk more towards 0 the fewer these are."""
    k = columns.shape[1]
    squares = (columns[:, :, None] * columns[:, None, :]).reshape(len(columns), k * k)
    scores = np.zeros((len(scaled), k))
    step = max(1, _CELLS // max(len(columns), k * k))
    for start in range(0, len(scaled), step):
        part = slice(start, start + step)
        mask = known[part].astype(np.float64)
        system = (mask @ squares).reshape(-1, k, k)
        system[:, np.arange(k), np.arange(k)] += (penalty * mask.sum(axis=1) + 1e-3)[:, None]
        right = (scaled[part] * mask) @ columns
        scores[part] = np.linalg.solve(system, right[:, :, None])[:, :, 0]
    return scores
