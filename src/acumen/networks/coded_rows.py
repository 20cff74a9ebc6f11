"""Rows encoded for the counting kernels: 16-bit codes column by column, with an extra code for missing values.

CodedRows   codes, levels, which columns have missing values, weights
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Self

import numpy as np

from acumen import _native
from acumen.engines.cores import cores
from acumen.networks.scoring import Scoring
from acumen.types import Bools, Codes, Floats

#: Rows times columns below which starting threads takes longer than the work.
_WORTH_THREADS = 400_000


@dataclass(frozen=True, slots=True, eq=False)
class CodedRows:
    """(nodes, rows) codes; `total` is the weight of all rows."""

    codes: Any  # uint16
    levels: Codes
    gaps: Any  # uint8
    weights: Floats
    total: float

    @classmethod
    def of(cls, codes: Codes, sizes: Sequence[int], weights: Floats) -> Self:
        """Codes of -1 are missing; weights may be empty."""
        levels = np.array(sizes, dtype=np.int32)
        missing = codes < 0
        packed = np.where(missing, levels[:, None], codes).astype(np.uint16)
        gaps: Any = missing.any(axis=1).astype(np.uint8)
        _native.require_codes(packed, levels, gaps)
        total = float(weights.sum()) if weights.size else float(codes.shape[1])
        return cls(np.ascontiguousarray(packed), levels, gaps, np.ascontiguousarray(weights), total)

    @property
    def n_nodes(self) -> int:
        return len(self.levels)

    def counts(self, family: Sequence[int]) -> Floats:
        """The weight of each combination of levels, one axis per node, over the rows with no value missing."""
        shape = [int(self.levels[v]) for v in family]
        table = np.zeros(prod(shape))
        columns = np.array(family, dtype=np.int32)
        _native.count_family(self.codes, self.levels, self.gaps, self.weights, columns, table)
        return table.reshape(shape)

    def scores(self, child: int, parents: Sequence[int], allowed: Bools, scoring: Scoring) -> Floats:
        """For each node, the family's score with that node added or removed; at `child` the family's own score."""
        out = np.empty(self.n_nodes)
        _native.score_family(
            self.codes, self.levels, self.gaps, self.weights, self.total, child,
            np.array(parents, dtype=np.int32), allowed.astype(np.uint8), scoring.per_parameter, scoring.per_parent,
            scoring.prior, scoring.spread, self._threads, out,
        )  # fmt: skip
        return out

    def score(self, child: int, parents: Sequence[int], scoring: Scoring) -> float:
        """The score of one family."""
        return float(self.scores(child, parents, np.zeros(self.n_nodes, dtype=np.bool_), scoring)[child])

    def information(self, given: int = -1) -> Floats:
        """Mutual information of every two nodes in nats, given one or none; -1 where a table would be too large."""
        out = np.empty((self.n_nodes, self.n_nodes))
        _native.pair_information(self.codes, self.levels, self.gaps, self.weights, given, self._threads, out)
        return out

    @property
    def _threads(self) -> int:
        return cores() if self.codes.size > _WORTH_THREADS else 1
