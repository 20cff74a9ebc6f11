"""Histogram Bayes: the joint distribution of all attributes as a histogram over a grid of cells.

    plan        parts   -> HistogramBayesPlan        where each numeric attribute is cut, and its range
    summarise   rows    -> HistogramBayesSummary     the weight of each class in each occupied cell
    solve       summary -> HistogramBayesModel
    scores      rows    -> log P(class, cell)   the cell's volume is the same for all classes

A cell is one interval of each numeric attribute and one level of each nominal one. P(cell | class) is
(n + alpha) / (N + alpha M), M being the number of all cells; only occupied ones are stored. The density within
a cell is its probability over its volume. Rows with a missing value do not enter the histogram; in prediction
missing values and unknown levels are summed out. Values beyond the training range are in the outer cells.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np

from acumen.bayes.factors.binned import bin_widths
from acumen.bayes.factors.factor import chain_terms, evidence_of
from acumen.bayes.joint_table import JointTable
from acumen.bayes.naive import MOST_BINS
from acumen.data.escape import printable
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.engines.blocks import Source
from acumen.engines.run import run_over
from acumen.errors import ParameterError, did_you_mean
from acumen.explain.explanation import Evidence
from acumen.models.decision import log_prior
from acumen.models.model import Model
from acumen.models.summary_arrays import empty_table, restored_summary
from acumen.preprocessing.discretise.base import Binning, BinningSummary
from acumen.preprocessing.discretise.counts import Extent
from acumen.preprocessing.discretise.intervals import Intervals
from acumen.preprocessing.discretise.unsupervised import EqualWidth
from acumen.preprocessing.stored_arrays import require, stored_floats, stored_log_shares
from acumen.summaries.algebra import Each, Summary, plan_difference
from acumen.summaries.counts import JointCounts, LevelCounts
from acumen.types import Array, Bools, Codes, Floats

Bins = int | Literal["auto"] | Mapping[str, Any]

_SHOWN = 12  # cells described


@dataclass(frozen=True, slots=True)
class HistogramBayesPlan:
    """The intervals of every numeric attribute, in the schema's order."""

    binning: Binning

    def to_arrays(self) -> dict[str, Array]:
        return {f"binning/{name}": array for name, array in self.binning.to_arrays().items()}


def plan(parts: Source, *, bins: Bins, size: Callable[[float], float] = float) -> HistogramBayesPlan:
    """Find the range of each numeric attribute in one pass, and cut it; `size` reads the weight of the rows."""
    observed = run_over(_observe, parts)
    extents: BinningSummary | None = None if observed is None else observed.things[0]
    weight = 0.0 if observed is None else observed.things[1]
    columns: tuple[Extent, ...] = () if extents is None else extents.columns
    wishes = bins if isinstance(bins, Mapping) else dict.fromkeys((e.attribute for e in columns), bins)
    names = [e.attribute for e in columns]
    for name in wishes:
        if extents is not None and name not in names:
            raise ParameterError(
                f"HistogramBayes: bins names {name!r}, which is not a numeric "
                f"attribute.{did_you_mean(name, names)}"
            )
    auto = min(rice(size(weight), len(columns)), MOST_BINS)
    return HistogramBayesPlan(Binning(tuple(_cut(e, wishes.get(e.attribute, "auto"), auto) for e in columns)))


def _observe(part: Table) -> Each[Any]:
    """The ranges of some rows, and what they weigh."""
    return Each((EqualWidth().summarise(part), part.total_weight))


def rice(weight: float, attributes: int) -> int:
    """How many intervals an attribute gets by itself: 2 n^(1 / (d + 2)), which for one attribute is Rice's rule.

    The width of a histogram's cells should shrink with n as n^(-1 / (d + 2)) (Scott 1992); `plan` stops at MOST_BINS.
    """
    return max(1, int(np.ceil(2.0 * max(weight, 1.0) ** (1.0 / (attributes + 2)) - 1e-9)))


def _cut(extent: Extent, wish: Any, auto: int) -> Intervals:
    if isinstance(wish, str) and wish == "auto":
        wish = auto
    if isinstance(wish, (int, np.integer)) and not isinstance(wish, bool):
        if wish > MOST_BINS:
            raise ParameterError(
                f"HistogramBayes: bins of {extent.attribute!r} must be at most {MOST_BINS:,}; got {wish:,}."
            )
        return EqualWidth(int(wish)).solve_column(extent)
    try:
        edges = np.unique(np.asarray(wish, dtype=np.float64))
        if edges.ndim != 1 or not len(edges) or not np.isfinite(edges).all():
            raise ValueError(wish)
    except (TypeError, ValueError):
        raise ParameterError(
            f"HistogramBayes: bins of {extent.attribute!r} must be a whole number or the finite edges between "
            f"its intervals; got {wish!r}."
        ) from None
    low, high = min(extent.low, edges[0]), max(extent.high, edges[-1])
    return Intervals(extent.attribute, edges, "right", float(low), float(high))


@dataclass(frozen=True, slots=True, eq=False)
class HistogramBayesSummary(Summary):
    """Class counts, and the weight of each class in each occupied cell."""

    schema: Schema
    plan: HistogramBayesPlan
    classes: LevelCounts
    cells: JointCounts  # numeric attributes first, then nominal ones

    @property
    def class_totals(self) -> Floats:
        """The weight of each class."""
        return self.classes.known_counts[:, 0]

    def widen(self, schema: Schema) -> HistogramBayesSummary:
        """The same under a schema with more levels: codes stay what they were."""
        return replace(self, schema=schema)

    def _difference(self, other: Self) -> str | None:
        sentence = None if self.schema is other.schema else self.schema.difference(other.schema)
        return sentence or plan_difference(self.plan, other.plan)


def summarise(rows: Table, plan: HistogramBayesPlan) -> HistogramBayesSummary:
    """Count some rows."""
    labels, weights, k = rows.class_codes, rows.weights, rows.schema.n_classes
    cells = in_cells(rows, plan.binning)
    return HistogramBayesSummary(
        rows.schema,
        plan,
        LevelCounts.of(np.zeros_like(labels), labels, weights, k, 1),
        JointCounts.of(cells.nominal, labels, weights, k),
    )


def summarise_parts(
    rows: Table, plan: HistogramBayesPlan, parts: Codes, n_parts: int
) -> list[HistogramBayesSummary]:
    """The same for every part in one pass."""
    labels, weights, k = rows.class_codes, rows.weights, rows.schema.n_classes
    classes = LevelCounts.of_parts(np.zeros_like(labels), labels, weights, k, 1, parts, n_parts)
    cells = in_cells(rows, plan.binning).nominal
    joint = JointCounts.of_parts(cells, labels, weights, k, parts, n_parts)
    pairs = zip(classes, joint, strict=True)
    return [HistogramBayesSummary(rows.schema, plan, counts, cell_counts) for counts, cell_counts in pairs]


def cell_attributes(schema: Schema, binning: Binning) -> tuple[Attribute, ...]:
    """Numeric attributes as intervals, then the nominal ones."""
    cut = tuple(Attribute(one.attribute, "ordinal", one.levels) for one in binning.intervals)
    return (*cut, *schema.nominal)


def in_cells(rows: Table, binning: Binning) -> Table:
    """The rows with an interval's code for each number.

    Where an attribute has one interval only, a missing value can be nowhere else.
    """
    codes = []
    for (_, values), one in zip(rows.numeric_columns(), binning.intervals, strict=True):
        codes.append(one.transform(values) if len(one) > 1 else np.zeros(len(rows), dtype=np.int32))
    inputs = Schema(cell_attributes(rows.schema, binning))
    return Table(inputs, len(rows), nominal=[*codes, *rows.nominal.columns])


def solve(summary: HistogramBayesSummary, *, alpha: float) -> HistogramBayesModel:
    """Compute the smoothed proportions of the cells."""
    attributes = cell_attributes(summary.schema, summary.plan.binning)
    return HistogramBayesModel(
        log_prior=log_prior(summary.class_totals),
        weight=summary.class_totals,
        binning=summary.plan.binning,
        joint=JointTable.of(summary.cells, attributes, alpha),
    )


@dataclass(frozen=True, slots=True)
class HistogramBayesModel(Model):
    """Class priors, the grid, and the weights of its occupied cells."""

    kind: ClassVar[str] = "histogram-bayes"
    generative: ClassVar[bool] = True

    log_prior: Floats  # (classes,)
    weight: Floats  # training weight of each class
    binning: Binning
    joint: JointTable

    # -- predicting -------------------------------------------------------------------------------

    def shares(self, rows: Table) -> Floats:
        """log P(cell | class), one line per row."""
        logs = np.zeros((len(rows), len(self.log_prior)))
        self.joint.add_logs(in_cells(rows, self.binning), logs)
        return logs

    def scores(self, rows: Table) -> Floats:
        """log P(class, cell), one line per row; log P(class) where the cell is empty and alpha is 0."""
        total = self.shares(rows)
        total += self.log_prior
        total[self._empty(total)] = self.log_prior
        return total

    def common(self, rows: Table) -> Floats:
        """Less the log of the cell's volume; minus infinity where no class has been in the cell."""
        logs = np.zeros(len(rows))
        for (_, values), one in zip(rows.numeric_columns(), self.binning.intervals, strict=True):
            codes = one.transform(values)
            logs -= np.append(np.log(bin_widths(one)), 0.0)[codes]  # code -1, a missing value, has no width
        if self.joint.alpha <= 0:
            logs[self._empty(self.shares(rows) + self.log_prior)] = -np.inf
        return logs

    @staticmethod
    def _empty(logs: Floats) -> Bools:
        return np.asarray(~np.isfinite(logs).any(axis=1))

    # -- telling ----------------------------------------------------------------------------------

    @property
    def n_parameters(self) -> int:
        cells = round(float(np.exp(min(self.joint.log_size.sum(), 40.0)))) - 1
        return int(min(cells, 2**53)) * len(self.log_prior)

    @property
    def size(self) -> int:
        """The cells that hold rows, class by class: most of those that the edges allow are empty."""
        return min(self.n_parameters, self.joint.n_combinations)

    def evidence(self, row: Table, schema: Schema, winner: int, rival: int) -> tuple[Evidence, ...]:
        terms = chain_terms(row, schema, self.shares)
        if self._empty(self.shares(row) + self.log_prior)[0]:
            terms = iter(())
        return evidence_of(self.log_prior, self.weight, terms, winner, rival)

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        target = schema.target.name if schema.target else "class"
        classes = [str(c) for c in schema.classes]
        shares = ", ".join(f"{c}: {p:.4f}" for c, p in zip(classes, np.exp(self.log_prior), strict=True))
        size = float(np.exp(min(self.joint.log_size.sum(), 700.0)))
        lines = [
            f"Histogram Bayes for {target}, from {self.weight.sum():g} rows",
            f"P({target})  {shares}",
            f"{len(self.joint.keys)} of {size:.6g} cells are occupied; pseudo-count {self.joint.alpha:g}",
        ]
        # The schema may call an attribute as it is shown, the binning never does.
        known = {printable(a.name): a for a in schema.attributes}
        known_intervals = [(known[printable(one.attribute)], one) for one in self.binning.intervals]
        sides = [(attribute.name, one.short_labels(attribute.form)) for attribute, one in known_intervals]
        lines += [f"  {name}: {', '.join(intervals)}" for name, intervals in sides]
        sides += [(a.name, tuple(map(str, a.levels))) for a in schema.nominal]
        heavy = np.argsort(-self.joint.weight.sum(axis=1), kind="stable")
        shown = heavy if full else heavy[:_SHOWN]
        lines.append("Weight of the fullest cells:" if len(shown) < len(heavy) else "Weight of the cells:")
        for at in shown.tolist():
            pairs = zip(sides, self.joint.keys[at].tolist(), strict=True)
            cell = ", ".join(f"{name} {parts[code]}" for (name, parts), code in pairs)
            counts = ", ".join(
                f"{c}: {w:g}" for c, w in zip(classes, self.joint.weight[at], strict=True) if w
            )
            lines.append(f"  {cell}:  {counts}")
        return "\n".join(lines)

    # -- storing ----------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Array]:
        return {
            "log_prior": self.log_prior,
            "weight": self.weight,
            **{f"binning/{name}": array for name, array in self.binning.to_arrays().items()},
            **self.joint.to_arrays(),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        k = schema.n_classes
        binning = restore_plan(arrays, schema).binning
        return cls(
            log_prior=stored_log_shares(arrays, "log_prior", (k,)),
            weight=stored_floats(arrays, "weight", (k,), low=0.0, high=1e300),
            binning=binning,
            joint=JointTable.from_arrays(arrays, cell_attributes(schema, binning), k),
        )


def restore_plan(arrays: Mapping[str, Array], schema: Schema) -> HistogramBayesPlan:
    """Restore a plan, validating every part."""
    inner = {n.removeprefix("binning/"): a for n, a in arrays.items() if n.startswith("binning/")}
    binning = Binning.from_arrays(inner)
    names = [one.attribute for one in binning.intervals]
    require(
        names == [a.name for a in schema.numeric], "the intervals are not those of the numeric attributes"
    )
    return HistogramBayesPlan(binning)


def restore_summary(
    arrays: Mapping[str, Array], schema: Schema, plan: HistogramBayesPlan
) -> HistogramBayesSummary:
    """Restore a summary, validating shapes, codes and weights."""
    summary = restored_summary(summarise(empty_table(schema), plan), arrays)
    sizes = np.array([len(a.levels) for a in cell_attributes(schema, plan.binning)], dtype=np.int64)
    require(np.all((summary.cells.keys >= -1) & (summary.cells.keys < sizes)), "a cell names no level")
    require((summary.cells.weights >= 0).all() and (summary.classes.table >= 0).all(), "a weight is negative")
    return summary
