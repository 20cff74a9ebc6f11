"""Nominal and ordinal attributes: a table of level probabilities for each class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from acumen import _native
from acumen.bayes.factors.factor import Factor, Term, table_lines
from acumen.bayes.smoothing import CountsBehind, Estimator, log_shares
from acumen.data.schema import Attribute
from acumen.data.table import Table
from acumen.engines.cores import cores
from acumen.preprocessing.stored_arrays import stored_floats
from acumen.summaries.counts import LevelCounts
from acumen.types import UNKNOWN, Array, Floats, Label


def solve(
    counts: Sequence[LevelCounts], alphas: Sequence[Floats], estimator: Estimator, only_zeros: bool
) -> LevelsFactor:
    """Turn each attribute's counts into log probabilities."""
    return LevelsFactor(
        tuple(
            np.ascontiguousarray(log_shares(c.known_counts, alpha, estimator, only_zeros))
            for c, alpha in zip(counts, alphas, strict=True)
        ),
        tuple(c.known_counts.sum(axis=0) for c in counts),
        tuple(
            CountsBehind.of(c.known_counts, alpha, estimator) for c, alpha in zip(counts, alphas, strict=True)
        ),
    )


@dataclass(frozen=True, slots=True)
class LevelsFactor(Factor):
    """log P(level | class) for each nominal attribute.

    A level the schema does not know is predicted by the prior alone, 1 / (levels + 1) for every class, so
    that it speaks for none of them.
    """

    log_level: tuple[Floats, ...]  # (classes, levels) for each attribute
    weight: tuple[Floats, ...]  # training weight behind each level
    counted: tuple[CountsBehind, ...]  # to show the arithmetic

    def add_logs(self, rows: Table, total: Floats) -> None:
        if self.log_level:
            _native.add_level_logs(list(rows.nominal.columns), list(self.log_level), total, cores())

    def unknown_logs(self, rows: Table) -> Floats | float:
        """log P of the levels the schema does not know, the same for every class."""
        total: Floats | float = 0.0
        for codes, logs in zip(rows.nominal.columns, self.log_level, strict=True):
            if codes.size and codes.min() == UNKNOWN:
                total = total - np.where(codes == UNKNOWN, np.log(logs.shape[1] + 1.0), 0.0)
        return total

    def terms(self, row: Table) -> Iterator[Term]:
        for j, (attribute, codes) in enumerate(row.nominal_columns()):
            code = int(codes[0])
            if code >= 0:
                support = float(self.weight[j][code])
                yield Term(
                    attribute.name,
                    f"{attribute.name} = {attribute.levels[code]}",
                    self.log_level[j][:, code],
                    support,
                )

    @property
    def n_parameters(self) -> int:
        return sum(logs.shape[0] * max(logs.shape[1] - 1, 0) for logs in self.log_level)

    def lines(self, attributes: tuple[Attribute, ...], classes: tuple[Label, ...]) -> list[str]:
        lines: list[str] = []
        for attribute, logs in zip(attributes, self.log_level, strict=True):
            rows = [
                (str(level), [f"{np.exp(v):.4f}" for v in logs[:, code]])
                for code, level in enumerate(attribute.levels)
            ]
            lines += table_lines(f"P({attribute.name} | class)", [str(c) for c in classes], rows)
        return lines

    def to_arrays(self) -> dict[str, Array]:
        arrays: dict[str, Array] = {}
        for j, (logs, weight) in enumerate(zip(self.log_level, self.weight, strict=True)):
            arrays[f"nominal/{j}/log"] = logs
            arrays[f"nominal/{j}/weight"] = weight
        for j, counted in enumerate(self.counted):
            arrays |= counted.to_arrays(f"nominal/{j}/")
        return arrays

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, Array], attributes: Sequence[Attribute], classes: int
    ) -> LevelsFactor:
        logs, weights, counted = [], [], []
        for j, attribute in enumerate(attributes):
            shape = (classes, len(attribute.levels))
            counted.append(CountsBehind.from_arrays(arrays, f"nominal/{j}/", shape))
            logs.append(stored_floats(arrays, f"nominal/{j}/log", shape, high=0.0, finite=False))
            weights.append(stored_floats(arrays, f"nominal/{j}/weight", shape[1:], low=0.0))
        return cls(tuple(logs), tuple(weights), tuple(counted))
