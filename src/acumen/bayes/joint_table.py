"""The joint distribution of all nominal attributes within a class, stored as the combinations that occur.

P(combination | class) = (n + alpha) / (N + alpha M), M being the number of combinations the domains allow; it
may be astronomical, so only its logarithm is kept. Rows with a missing value in a nominal attribute do not
enter the table; when predicting, missing and unknown values are summed out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from acumen.data.schema import Attribute
from acumen.data.table import Table
from acumen.preprocessing.stored_arrays import require, stored_codes, stored_floats
from acumen.summaries.counts import JointCounts
from acumen.types import Array, Codes, Floats


@dataclass(frozen=True, slots=True)
class JointTable:
    """Weights of combinations, and the pseudo-count of each."""

    keys: Codes  # (combinations, attributes), complete ones only
    weight: Floats  # (combinations, classes)
    log_size: Floats  # log of the number of levels of each attribute
    alpha: float

    @classmethod
    def of(cls, counts: JointCounts, attributes: Sequence[Attribute], alpha: float) -> JointTable:
        complete = (counts.keys >= 0).all(axis=1)
        sizes = np.array([max(len(a.levels), 1) for a in attributes], dtype=np.float64)
        return cls(counts.keys[complete], counts.weights[complete], np.log(sizes), alpha)

    @property
    def n_combinations(self) -> int:
        """The combinations that occur, class by class."""
        return int(np.count_nonzero(self.weight))

    def add_logs(self, rows: Table, total: Floats) -> None:
        """Add log P(combination | class), row by row; rows alike in what is missing are done together."""
        columns = rows.nominal.columns
        if not columns:
            return
        known = np.column_stack([codes >= 0 for codes in columns])
        if known.all():
            total += self._logs(columns, np.arange(len(columns)))
            return
        patterns, which = np.unique(known, axis=0, return_inverse=True)
        for p, pattern in enumerate(patterns):
            some = np.flatnonzero(which.ravel() == p)
            used = np.flatnonzero(pattern)
            if used.size:
                total[some] += self._logs([codes[some] for codes in columns], used)

    def _logs(self, columns: Sequence[Codes], used: Array) -> Floats:
        """log P of the attributes at positions `used`, the others summed out."""
        marginal = JointCounts(self.keys, self.weight)
        if len(used) < self.keys.shape[1]:
            marginal = _marginal(self.keys[:, used], self.weight)
        place = marginal.find([np.ascontiguousarray(columns[j]) for j in used], len(columns[0]))
        counts = np.concatenate([marginal.weights, np.zeros((1, self.weight.shape[1]))])[place]
        totals = self.weight.sum(axis=0)
        if self.alpha <= 0:
            with np.errstate(divide="ignore"):
                return np.log(counts) - np.log(np.where(totals > 0, totals, 1.0))
        # Each combination of the used attributes stands for exp(rest) whole ones.
        log_alpha = np.log(self.alpha)
        rest = self.log_size.sum() - self.log_size[used].sum()
        with np.errstate(divide="ignore"):
            above = np.logaddexp(np.log(counts), log_alpha + rest)
            below = np.logaddexp(np.log(totals), log_alpha + self.log_size.sum())
        return above - below

    def to_arrays(self) -> dict[str, Array]:
        return {
            "joint/keys": self.keys,
            "joint/weight": self.weight,
            "joint/alpha": np.array([self.alpha]),
        }

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, Array], attributes: Sequence[Attribute], classes: int
    ) -> JointTable:
        sizes = [len(a.levels) for a in attributes]
        keys = stored_codes(arrays, "joint/keys", (None, len(sizes)), low=0, below=2**31 - 1)
        require(np.all(keys < np.array(sizes, dtype=np.int64).reshape(1, -1)), "a combination names no level")
        later = keys[1:] > keys[:-1]
        differs = keys[1:] != keys[:-1]
        first = np.argmax(differs, axis=1) if len(sizes) and len(keys) > 1 else np.zeros(0, dtype=np.intp)
        ordered = (
            differs.any(axis=1) & later[np.arange(len(first)), first]
            if len(first)
            else np.ones(0, dtype=bool)
        )
        require(ordered.all() and (len(sizes) > 0 or len(keys) <= 1), "combinations must ascend")
        weight = stored_floats(arrays, "joint/weight", (len(keys), classes), low=0.0)
        alpha = float(stored_floats(arrays, "joint/alpha", (1,), low=0.0)[0])
        return cls(keys, weight, np.log(np.maximum(np.array(sizes, dtype=np.float64), 1.0)), alpha)


def _marginal(keys: Codes, weight: Floats) -> JointCounts:
    """The table with some attributes left out and equal combinations added up."""
    distinct, inverse = np.unique(keys, axis=0, return_inverse=True)
    summed = np.zeros((len(distinct), weight.shape[1]))
    np.add.at(summed, inverse.ravel(), weight)
    return JointCounts(np.ascontiguousarray(distinct, dtype=np.int32), summed)
