"""Calibration: of the rows that were given a probability of 0.8, are 80 % positive?

calibration   labels and probabilities -> Calibration
Calibration   sums by bin, which add over parts of the same edges
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

import numpy as np

from acumen.assessment.inputs import positive_rows, ratio, refuse_nan, row_weights, score_vector
from acumen.assessment.statistics.intervals import error_interval
from acumen.errors import DataError, ParameterError, did_you_mean
from acumen.render.text import Heading, number, table
from acumen.render.views import render
from acumen.summaries.algebra import Summary, frozen
from acumen.types import Floats, Label

if TYPE_CHECKING:
    from acumen.render.calibration_plot import CalibrationFigure

Strategy = Literal["width", "quantile"]


def calibration(
    y: Any,
    probabilities: Any,
    positive: Label,
    bins: int = 10,
    strategy: Strategy = "width",
    weights: Any = None,
) -> Calibration:
    """Compare predicted probabilities with observed frequencies, bin by bin.

    Parameters
    ----------
    y : array of labels
    probabilities : array
        Of the positive class, one a row, from 0 to 1.
    positive : label
    bins : int, default 10
    strategy : {"width", "quantile"}, default "width"
        Bins of one width from 0 to 1, or bins of about equally many rows. A bin holds its upper end, not
        its lower one, but that the first holds both. Quantiles are values that occur; where many rows
        share a value there are fewer bins.
    weights : array, optional
        Row weights; a weight of 2 is a repeated row.

    Returns
    -------
    Calibration
    """
    who = "calibration"
    if not isinstance(bins, (int, np.integer)) or isinstance(bins, bool) or bins < 1:
        raise ParameterError(f"{who}: bins must be a whole number of at least 1; got {bins!r}.")
    if strategy not in get_args(Strategy):
        raise ParameterError(
            f"{who}: strategy must be 'width' or 'quantile'; got {strategy!r}."
            + did_you_mean(strategy, get_args(Strategy))
        )
    flags = positive_rows(y, positive, who)
    p = score_vector(probabilities, len(flags), who)
    refuse_nan(p, who)
    if not (p.min() >= 0 and p.max() <= 1):
        raise DataError(f"{who}: probabilities must be from 0 to 1; got {p.min():g} to {p.max():g}.")
    row_mass = row_weights(weights, len(flags), who)
    weight = row_mass if row_mass.size else np.ones(len(flags))
    edges = np.linspace(0.0, 1.0, bins + 1) if strategy == "width" else _quantiles(p, weight, bins)
    place = np.searchsorted(edges[1:-1], p)

    def sums(values: Floats) -> Floats:
        return np.asarray(np.bincount(place, values, minlength=len(edges) - 1), dtype=np.float64)

    return Calibration(positive, edges, sums(weight), sums(weight * p), sums(weight * flags))


def _quantiles(p: Floats, weight: Floats, bins: int) -> Floats:
    """Edges from 0 to 1 that split the weight into equal parts."""
    order = np.argsort(p, kind="stable")
    reached = np.cumsum(weight[order])
    targets = reached[-1] * np.arange(1, bins) / bins
    inner = p[order][np.minimum(np.searchsorted(reached, targets), len(p) - 1)]
    inner = np.unique(inner)
    return np.concatenate([[0.0], inner[(inner > 0) & (inner < 1)], [1.0]])


@dataclass(frozen=True, slots=True, eq=False)
class Calibration(Summary):
    """A calibration curve, as sums by bin; those of parts with the same edges add.

    Attributes
    ----------
    positive : label
    edges : array
        Of the bins, from 0 to 1.
    counts, probability_sums, positives : arrays
        By bin: the weight of rows, the sum of their probabilities, the weight of positive rows.
    """

    positive: Label
    edges: Floats
    counts: Floats
    probability_sums: Floats
    positives: Floats

    def __post_init__(self) -> None:
        for name in ("edges", "counts", "probability_sums", "positives"):
            object.__setattr__(self, name, frozen(getattr(self, name)))

    @property
    def mean_probability(self) -> Floats:
        """The mean probability of each bin's rows; NaN in an empty bin."""
        return ratio(self.probability_sums, self.counts)

    @property
    def positive_rate(self) -> Floats:
        """The fraction of positive rows in each bin; NaN in an empty bin."""
        return ratio(self.positives, self.counts)

    @property
    def low(self) -> Floats:
        """The lower end of Wilson's 95 % interval of `positive_rate`, for each bin on its own; NaN in an empty bin."""
        return self._ends()[0]

    @property
    def high(self) -> Floats:
        """The upper end of Wilson's 95 % interval of `positive_rate`, for each bin on its own; NaN in an empty bin."""
        return self._ends()[1]

    def _ends(self) -> Floats:
        ends = np.full((2, len(self.counts)), np.nan)
        for at in np.flatnonzero(self.counts > 0):
            rows = float(self.counts[at])
            around = error_interval(min(float(self.positives[at]), rows), rows)
            ends[:, at] = around.low, around.high
        return ends

    @property
    def expected_error(self) -> float:
        """The expected calibration error: the mean over rows of their bin's |observed - predicted|."""
        return float(ratio(np.abs(self.positives - self.probability_sums).sum(), self.counts.sum()))

    @property
    def largest_error(self) -> float:
        """The largest |observed - predicted| of a bin."""
        gaps = np.abs(self.positive_rate - self.mean_probability)[self.counts > 0]
        return float(gaps.max()) if gaps.size else float("nan")

    def _difference(self, other: Self) -> str | None:
        if self.positive != other.positive:
            return f"the positive class is {self.positive!r} in one and {other.positive!r} in the other"
        if not np.array_equal(self.edges, other.edges):
            return "their bins have different edges; bins of equal width always agree"
        return None

    def _merge(self, other: Self) -> Self:
        return type(self)(
            self.positive,
            self.edges,
            self.counts + other.counts,
            self.probability_sums + other.probability_sums,
            self.positives + other.positives,
        )

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready form; None in empty bins."""
        curves = {"predicted": self.mean_probability, "observed": self.positive_rate}
        by_bin = {
            name: each.tolist() for name, each in {**curves, "low": self.low, "high": self.high}.items()
        }
        return {
            "positive": self.positive,
            "edges": self.edges.tolist(),
            "counts": self.counts.tolist(),
            **{name: [None if np.isnan(x) else x for x in values] for name, values in by_bin.items()},
            "expected_error": self.expected_error,
        }

    def figure(self) -> CalibrationFigure:
        """The curve as a figure value, which a notebook draws."""
        figure: CalibrationFigure = render(self, "figure")
        return figure

    def _repr_html_(self) -> str:
        return render(self, "html")

    def __str__(self) -> str:
        heads = [Heading("from", "right"), Heading("to", "right"), Heading("rows", "right")]
        heads += [Heading(name, "right") for name in ("predicted", "observed", "95 % from", "to")]
        edges = self.edges[:-1], self.edges[1:]
        columns = (*edges, self.counts, self.mean_probability, self.positive_rate, *self._ends())
        rows = [[number(x) for x in line] for line in zip(*columns, strict=True)]
        title = f"Calibration of {self.positive!r}: expected error {number(self.expected_error)}"
        return "\n".join([title, *table(heads, rows, 10**6)])
