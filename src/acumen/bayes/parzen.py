"""Parzen's windows: P(row | class) is the mean of windows on the training rows of the class.

    summarise   rows    -> ParzenSummary        the rows themselves; two add by standing together
    solve       summary -> ParzenModel          rows by class, and how wide the windows are
    scores      rows    -> log P(class, row)

With one width for all classes, P(class) P(row | class) is the weight of the class's rows in reach over all
weight, so that the posterior under a box is K_j / K: the class's share of what the box holds (W001-31). A box
that holds nothing leaves the class prior. A value missing in a row to be predicted, or a level never seen, is
left out; how missing training values are dealt with stands in `parzen_windows`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, Self

import numpy as np

from acumen.bayes.factors.factor import chain_terms, evidence_of, table_lines
from acumen.bayes.parzen_windows import (
    NARROWEST,
    WIDEST,
    WindowRows,
    Windows,
    best_factor,
    fixed_windows,
    scott_windows,
)
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.explain.explanation import Evidence, Grounds
from acumen.models.decision import log_prior
from acumen.models.model import Model
from acumen.preprocessing.sparse import dense_slices
from acumen.preprocessing.stored_arrays import (
    require,
    stored_array,
    stored_codes,
    stored_floats,
    stored_log_shares,
)
from acumen.summaries.algebra import Summary, frozen
from acumen.types import MISSING, Array, Bools, Codes, Floats

#: A sparse part that would take more bytes than this when written out is refused.
_LARGEST = 4 << 30


@dataclass(frozen=True, slots=True, eq=False)
class ParzenSummary(Summary):
    """Training rows as they are, in their order."""

    schema: Schema
    values: Floats  # (rows, numeric attributes), NaN where missing
    codes: Codes  # (rows, nominal attributes), -1 where missing
    labels: Codes
    weights: Floats

    def __post_init__(self) -> None:
        for name in ("values", "weights"):
            object.__setattr__(self, name, frozen(getattr(self, name)))
        for name in ("codes", "labels"):
            object.__setattr__(self, name, frozen(getattr(self, name), np.int32))

    @property
    def class_totals(self) -> Floats:
        """The weight of each class."""
        return np.bincount(self.labels, self.weights, self.schema.n_classes).astype(np.float64)

    def widen(self, schema: Schema) -> ParzenSummary:
        """The same under a schema with more levels: codes stay what they were."""
        return replace(self, schema=schema)

    def scale_weights(self, factor: float) -> Self:
        """The same of rows so many times as heavy."""
        return replace(self, weights=self.weights * factor)

    def _difference(self, other: Self) -> str | None:
        return None if self.schema is other.schema else self.schema.difference(other.schema)

    def _merge(self, other: Self) -> Self:
        return type(self)(
            self.schema,
            np.concatenate([self.values, other.values]),
            np.concatenate([self.codes, other.codes]),
            np.concatenate([self.labels, other.labels]),
            np.concatenate([self.weights, other.weights]),
        )


def summarise(rows: Table, plan: None = None) -> ParzenSummary:
    """Summarise some rows: the labelled rows themselves."""
    n, d = len(rows), len(rows.schema.numeric)
    if rows.sparse is not None and 8 * n * d > _LARGEST:
        raise DataError(
            f"Parzen: stored densely, {n} sparse rows of {d} attributes would take "
            f"{8 * n * d / 2**30:.0f} GB; choose fewer attributes, or use NaiveBayes."
        )
    values = np.empty((n, d))
    for part, block in dense_slices(rows):
        for j, column in enumerate(block.columns):
            values[part, j] = column
    values[np.isinf(values)] = np.nan
    codes = np.empty((n, len(rows.schema.nominal)), dtype=np.int32)
    for j, levels in enumerate(rows.nominal.columns):
        np.maximum(levels, MISSING, out=codes[:, j])
    return ParzenSummary(rows.schema, values, codes, rows.class_codes, rows.row_weights)


def solve(
    summary: ParzenSummary,
    *,
    window: Literal["gaussian", "box"],
    bandwidth: Literal["scott", "loo"] | float,
    scale: bool,
) -> ParzenModel:
    """Sort the rows by class and choose the widths."""
    order = np.argsort(summary.labels, kind="stable")
    starts = np.searchsorted(summary.labels[order], np.arange(summary.schema.n_classes + 1))
    training = WindowRows(
        np.ascontiguousarray(summary.values[order].T),
        np.ascontiguousarray(summary.codes[order].T),
        summary.weights[order],
        starts.astype(np.int64),
    )
    levels = [len(a.levels) for a in summary.schema.nominal]
    box = window == "box"
    if isinstance(bandwidth, str):
        factor = best_factor(training, levels, box) if bandwidth == "loo" else 1.0
        windows = scott_windows(training, levels, box, factor)
    else:
        factor, windows = 0.0, fixed_windows(training, levels, box, bandwidth, scale)
    return ParzenModel(log_prior(summary.class_totals), training, windows, factor)


@dataclass(frozen=True, slots=True)
class ParzenModel(Model):
    """The training rows and their windows."""

    kind: ClassVar[str] = "parzen"
    generative: ClassVar[bool] = True

    log_prior: Floats  # (classes,)
    training: WindowRows
    windows: Windows
    factor: float  # of Scott's widths; 0 where the width was given

    # -- predicting -------------------------------------------------------------------------------

    def densities(self, rows: Table) -> Floats:
        """log P(row | class), one line per row; minus infinity where nothing is in reach."""
        logs = np.zeros((len(rows), len(self.log_prior)))
        for part, values in dense_slices(rows):
            codes = [column[part] for column in rows.nominal.columns]
            self.windows.add_logs(self.training, values.columns, codes, logs[part])
        return logs

    def scores(self, rows: Table) -> Floats:
        """log P(class, row), one line per row; log P(class) where no training row is in reach."""
        total = self.densities(rows)
        total += self.log_prior
        if self.windows.box:
            total[self._alone(total)] = self.log_prior
        return total

    def common(self, rows: Table) -> Floats | float:
        """Minus infinity where no training row is in reach, zero elsewhere."""
        if not self.windows.box:
            return 0.0
        return np.where(self._alone(self.densities(rows)), -np.inf, 0.0)

    @staticmethod
    def _alone(logs: Floats) -> Bools:
        return np.asarray(~np.isfinite(logs).any(axis=1))

    # -- telling ----------------------------------------------------------------------------------

    @property
    def n_parameters(self) -> int:
        """Every value kept counts."""
        return int(self.training.values.size + self.training.codes.size)

    def evidence(self, row: Table, schema: Schema, winner: int, rival: int) -> tuple[Evidence, ...]:
        if self.windows.box and self._alone(self.densities(row))[0]:
            return evidence_of(self.log_prior, self.training.totals, iter(()), winner, rival)
        terms = chain_terms(row, schema, self.densities)
        return evidence_of(self.log_prior, self.training.totals, terms, winner, rival)

    def grounds(self, row: Table, schema: Schema) -> Grounds:
        if self.windows.box and self._alone(self.densities(row))[0]:
            return Grounds(note="No training row is within reach, so the answer is the class frequencies.")
        return Grounds()

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        classes = [str(c) for c in schema.classes]
        target = schema.target.name if schema.target else "class"
        shares = ", ".join(f"{c}: {p:.4f}" for c, p in zip(classes, np.exp(self.log_prior), strict=True))
        rule = f"{self.factor:.4g} times Scott's widths" if self.factor else "one width for all attributes"
        shape = "boxes" if self.windows.box else "Gaussians"
        lines = [
            f"Parzen windows for {target}: {shape} on {len(self.training.weight)} rows, {rule}",
            f"P({target})  {shares}",
        ]
        rows = [
            (a.name, [f"{w:.4g}" for w in self.windows.width[:, j]]) for j, a in enumerate(schema.numeric)
        ]
        lines += table_lines("side" if self.windows.box else "standard deviation", classes, rows)
        same = np.exp(self.windows.log_same)
        rows = [(a.name, [f"{s:.4f}" for s in same[:, j]]) for j, a in enumerate(schema.nominal)]
        return "\n".join([*lines, *table_lines("weight of the same level", classes, rows)])

    # -- storing ----------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Array]:
        windows, training = self.windows, self.training
        return {
            "log_prior": self.log_prior,
            "values": training.values,
            "codes": training.codes,
            "weight": training.weight,
            "starts": training.starts,
            "box": np.array([windows.box], dtype=np.uint8),
            "factor": np.array([self.factor]),
            "width": windows.width,
            "centre": windows.centre,
            "spread": windows.spread,
            "log_same": windows.log_same,
            "log_other": windows.log_other,
            **{f"nominal/{j}/log": logs for j, logs in enumerate(windows.log_level)},
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        k, d, q = schema.n_classes, len(schema.numeric), len(schema.nominal)
        require(not schema.text, "its schema has text, of which it knows nothing")
        weight = stored_floats(arrays, "weight", (None,), low=0.0, high=1e300)
        starts = stored_array(arrays, "starts", np.int64, (k + 1,))
        ends = [0, *starts.tolist(), len(weight)]
        require(starts[0] == 0 and ends == sorted(ends) and starts[-1] == len(weight), "starts do not ascend")
        box = stored_array(arrays, "box", np.uint8, (1,))
        require(box[0] in (0, 1), "a flag is neither 0 nor 1")
        widths = [
            stored_floats(arrays, name, (k, d), low=NARROWEST, high=WIDEST) for name in ("width", "spread")
        ]
        logs = [stored_floats(arrays, name, (k, q), high=1e-12) for name in ("log_same", "log_other")]
        levels = tuple(
            stored_floats(arrays, f"nominal/{j}/log", (k, len(a.levels)), high=1e-12)
            for j, a in enumerate(schema.nominal)
        )
        centre = stored_floats(arrays, "centre", (k, d))
        factor = float(stored_floats(arrays, "factor", (1,), low=0.0, high=1e6)[0])
        return cls(
            stored_log_shares(arrays, "log_prior", (k,)),
            WindowRows(
                _stored_values(arrays, (d, len(weight))),
                _stored_levels(arrays, schema, (q, len(weight)), axis=0),
                weight,
                starts,
            ),
            Windows(bool(box[0]), widths[0], centre, widths[1], logs[0], logs[1], levels),
            factor,
        )


def _stored_values(arrays: Mapping[str, Array], shape: tuple[int | None, ...]) -> Floats:
    values: Floats = stored_array(arrays, "values", np.float64, shape)
    require(not np.isinf(values).any(), "the array 'values' holds infinity")
    return values


def _stored_levels(
    arrays: Mapping[str, Array], schema: Schema, shape: tuple[int | None, ...], axis: int
) -> Codes:
    """Codes of nominal attributes, which lie along `axis`."""
    codes = stored_codes(arrays, "codes", shape, low=MISSING, below=2**31 - 1)
    sizes = np.array([len(a.levels) for a in schema.nominal], dtype=np.int64)
    require(np.all(codes < np.expand_dims(sizes, 1 - axis)), "the array 'codes' names no level")
    return codes


def restore_summary(arrays: Mapping[str, Array], schema: Schema, plan: None) -> ParzenSummary:
    """Restore stored rows, validating shapes, codes and weights."""
    weights = stored_floats(arrays, "weights", (None,), low=0.0, high=1e300)
    n = len(weights)
    return ParzenSummary(
        schema,
        _stored_values(arrays, (n, len(schema.numeric))),
        _stored_levels(arrays, schema, (n, len(schema.nominal)), axis=1),
        stored_codes(arrays, "labels", (n,), low=0, below=schema.n_classes),
        weights,
    )
