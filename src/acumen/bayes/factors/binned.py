"""Numeric attributes cut into intervals: a histogram under fixed edges, or supervised discretisation.

histogram    edges are planned over all rows (equal width); P is a density, constant within a bin
discretise   edges are a *solve* step over the counts of each distinct value (Fayyad and Irani's MDL cuts,
             or equal frequencies), so that they follow the training rows of every fold and never leak
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from acumen.bayes.factors.factor import Factor, Term, table_lines
from acumen.bayes.smoothing import CountsBehind, Estimator, log_shares
from acumen.data.schema import Attribute
from acumen.data.table import Table
from acumen.preprocessing.discretise.base import Binning, BinningSummary
from acumen.preprocessing.discretise.counts import ValueCounts
from acumen.preprocessing.discretise.intervals import Intervals
from acumen.preprocessing.stored_arrays import require, stored_floats
from acumen.summaries.algebra import Summary
from acumen.summaries.counts import LevelCounts
from acumen.types import Array, Floats, Label

#: How many bins a histogram has unless told.
HISTOGRAM_BINS = 10


@dataclass(frozen=True, slots=True)
class BinCounts(Summary):
    """Row weight per class and bin, one table for each numeric attribute, under planned edges."""

    tables: tuple[LevelCounts, ...]

    def __add__(self, other: BinCounts) -> BinCounts:
        return BinCounts(tuple(a + b for a, b in zip(self.tables, other.tables, strict=True)))


def count_bins(rows: Table, binning: Binning) -> BinCounts:
    """Count the rows of each class in each planned bin."""
    k = rows.schema.n_classes
    return BinCounts(
        tuple(
            LevelCounts.of(cut.transform(values), rows.class_codes, rows.weights, k, len(cut.edges) + 1)
            for (_, values), cut in zip(rows.numeric_columns(), binning.intervals, strict=True)
        )
    )


def count_values(rows: Table) -> BinningSummary:
    """The weight of each class at each distinct value of each numeric attribute."""
    from acumen.preprocessing.discretise.entropy import EntropyMDL

    return EntropyMDL().summarise(rows)


def solve_histogram(
    counts: BinCounts, binning: Binning, alpha: float, estimator: Estimator, only_zeros: bool
) -> BinnedFactor:
    """Smoothed shares of the bins over their widths."""
    logs, counted = [], []
    for table, cut in zip(counts.tables, binning.intervals, strict=True):
        widths = bin_widths(cut)
        counted.append(CountsBehind.of(table.known_counts, alpha, estimator))
        logs.append(log_shares(table.known_counts, alpha, estimator, only_zeros) - np.log(widths))
    return BinnedFactor(binning, tuple(logs), densities=True, counted=tuple(counted))


def solve_discretised(
    summary: BinningSummary, bins: int | None, alpha: float, estimator: Estimator, only_zeros: bool
) -> BinnedFactor:
    """Cut by MDL (or into `bins` equally frequent intervals), then take the shares of the intervals."""
    from acumen.preprocessing.discretise.entropy import EntropyMDL
    from acumen.preprocessing.discretise.unsupervised import EqualFrequency

    binning = (EntropyMDL() if bins is None else EqualFrequency(bins)).solve(summary)
    logs, counted = [], []
    for column, cut in zip(summary.columns, binning.intervals, strict=True):
        counts = binned_values(column, cut)
        counted.append(CountsBehind.of(counts, alpha, estimator))
        logs.append(log_shares(counts, alpha, estimator, only_zeros))
    return BinnedFactor(binning, tuple(logs), densities=False, counted=tuple(counted))


def binned_values(column: ValueCounts, cut: Intervals) -> Floats:
    """Class weights in each interval: (classes, intervals)."""
    counts = np.zeros((len(cut.edges) + 1, column.weights.shape[1]))
    np.add.at(counts, cut.transform(column.values), column.weights)
    return np.ascontiguousarray(counts[:, :-1].T)


def bin_widths(cut: Intervals) -> Floats:
    """The width of each bin; an attribute of one value only has a bin of width one."""
    ends = np.concatenate([[cut.low], cut.edges, [cut.high]])
    widths = np.diff(ends)
    return np.where(np.isfinite(widths) & (widths > 0), widths, 1.0)


@dataclass(frozen=True, slots=True)
class BinnedFactor(Factor):
    """log P(interval | class), or the log density within it."""

    binning: Binning
    log_bin: tuple[Floats, ...]  # (classes, intervals) for each numeric attribute
    densities: bool
    counted: tuple[CountsBehind, ...]  # to show the arithmetic

    def add_logs(self, rows: Table, total: Floats) -> None:
        pairs = zip(rows.numeric_columns(), self.binning.intervals, self.log_bin, strict=True)
        for (_, values), cut, logs in pairs:
            codes = cut.transform(values)
            known = codes >= 0
            if known.all():
                total += logs.T[codes]
            else:
                total[known] += logs.T[codes[known]]

    def terms(self, row: Table) -> Iterator[Term]:
        pairs = zip(row.numeric_columns(), self.binning.intervals, self.log_bin, strict=True)
        for (attribute, values), cut, logs in pairs:
            code = int(cut.transform(values)[0])
            if code >= 0:
                yield Term(
                    attribute.name,
                    f"{attribute.name} in {cut.short_labels(attribute.form)[code]}",
                    logs[:, code],
                )

    @property
    def n_parameters(self) -> int:
        return sum(logs.shape[0] * (logs.shape[1] - 1) for logs in self.log_bin)

    def lines(self, attributes: tuple[Attribute, ...], classes: tuple[Label, ...]) -> list[str]:
        lines: list[str] = []
        for attribute, cut, logs in zip(attributes, self.binning.intervals, self.log_bin, strict=True):
            shares = np.exp(logs + np.log(bin_widths(cut))) if self.densities else np.exp(logs)
            rows = [
                (name, [f"{v:.4f}" for v in shares[:, b]])
                for b, name in enumerate(cut.short_labels(attribute.form))
            ]
            lines += table_lines(f"P({attribute.name} | class)", [str(c) for c in classes], rows)
        return lines

    def to_arrays(self) -> dict[str, Array]:
        word = "histogram" if self.densities else "discretise"
        arrays = {f"numeric/{word}/binning/{name}": array for name, array in self.binning.to_arrays().items()}
        arrays |= {f"numeric/{word}/{j}/log": logs for j, logs in enumerate(self.log_bin)}
        for j, counted in enumerate(self.counted):
            arrays |= counted.to_arrays(f"numeric/{word}/{j}/")
        return arrays

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, Array], attributes: Sequence[Attribute], classes: int, word: str
    ) -> BinnedFactor:
        head = f"numeric/{word}/binning/"
        binning = Binning.from_arrays(
            {n.removeprefix(head): a for n, a in arrays.items() if n.startswith(head)}
        )
        names = [one.attribute for one in binning.intervals]
        require(
            names == [a.name for a in attributes], "the intervals are not those of the numeric attributes"
        )
        logs, counted = [], []
        for j, cut in enumerate(binning.intervals):
            shape = (classes, len(cut.edges) + 1)
            logs.append(stored_floats(arrays, f"numeric/{word}/{j}/log", shape, high=800.0, finite=False))
            counted.append(CountsBehind.from_arrays(arrays, f"numeric/{word}/{j}/", shape))
        return cls(binning, tuple(logs), word == "histogram", tuple(counted))
