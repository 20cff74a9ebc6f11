"""Lift: how many positive rows are among those with the highest scores, and what contacting them earns.

lift      labels and scores -> Lift
Lift      the ranking cut into bins; .profit(...) -> Profit
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from acumen.assessment.roc import RankedScores
from acumen.errors import DataError, ParameterError
from acumen.render.text import Heading, number, percent, table
from acumen.render.views import render
from acumen.types import Floats, Label

if TYPE_CHECKING:
    from acumen.render.lift_chart import GainFigure, LiftFigure, ProfitFigure


def lift(y: Any, scores: Any, positive: Label, bins: int = 10, weights: Any = None) -> Lift:
    """Rank the rows by score, cut the ranking into bins, and count the positive rows in each.

    Bins are of one size, or differ by one row. Rows of equal scores that fall into two bins are shared
    out in proportion, so that the order in which rows come has no part in it; a count may then be a
    fraction.

    Parameters
    ----------
    y, scores, positive, weights
        As for `roc`. Weights that are not whole numbers make all bins of exactly one weight.
    bins : int, default 10
        No more than there are rows.

    Returns
    -------
    Lift
    """
    if not isinstance(bins, (int, np.integer)) or isinstance(bins, bool) or bins < 1:
        raise ParameterError(f"lift: bins must be a whole number of at least 1; got {bins!r}.")
    ranked = RankedScores.of(y, scores, positive, weights, "lift")
    thresholds, up, down = ranked.groups()
    heavy = up + down > 0
    thresholds, up, down = thresholds[heavy], up[heavy], down[heavy]
    rows = np.cumsum(up + down)
    whole = not np.any(ranked.weights % 1)
    if whole and bins > rows[-1]:
        raise DataError(f"lift: there are {rows[-1]:g} rows for {bins} bins; use fewer bins.")
    cuts = rows[-1] * np.arange(1, bins + 1) / bins
    cuts = np.rint(cuts) if whole else cuts
    cuts[-1] = rows[-1]
    # The curve of positive rows found against rows taken is straight within a group of equal scores.
    positives = np.interp(cuts, np.concatenate([[0.0], rows]), np.concatenate([[0.0], np.cumsum(up)]))
    lowest = thresholds[np.minimum(np.searchsorted(rows, cuts), len(rows) - 1)]
    return Lift(positive, np.diff(cuts, prepend=0.0), np.diff(positives, prepend=0.0), lowest)


@dataclass(frozen=True, slots=True, eq=False)
class Lift:
    """A ranking in bins, the highest scores first.

    Attributes
    ----------
    positive : label
    rows : array
        The rows of each bin.
    counts : array
        The positive rows among them.
    thresholds : array
        The lowest score in each bin.
    """

    positive: Label
    rows: Floats = field(repr=False)
    counts: Floats = field(repr=False)
    thresholds: Floats = field(repr=False)

    @property
    def shares(self) -> Floats:
        """The fraction of all positive rows that each bin holds."""
        return self.counts / self.counts.sum()

    @property
    def cumulative_shares(self) -> Floats:
        """The fraction of all positive rows in the bins up to each: the gain curve."""
        return np.cumsum(self.counts) / self.counts.sum()

    @property
    def rates(self) -> Floats:
        """The fraction of positive rows within each bin."""
        return self.counts / self.rows

    @property
    def lift(self) -> Floats:
        """The positive rate of each bin divided by the overall positive rate."""
        return self.rates * (self.rows.sum() / self.counts.sum())

    @property
    def cumulative_lift(self) -> Floats:
        """The lift of the bins up to each, together."""
        return self.cumulative_shares * (self.rows.sum() / np.cumsum(self.rows))

    def profit(self, cost_per_contact: float, gain_per_hit: float) -> Profit:
        """The profit of contacting everyone in the best bins.

        Parameters
        ----------
        cost_per_contact : float
            Spent on each row of a bin that is contacted.
        gain_per_hit : float
            Earned by each positive row among them.
        """
        for name, value in (("cost_per_contact", cost_per_contact), ("gain_per_hit", gain_per_hit)):
            if not isinstance(value, (int, float, np.number)) or not np.isfinite(value):
                raise ParameterError(f"Lift: {name} must be a finite number; got {value!r}.")
        earned = gain_per_hit * self.counts - cost_per_contact * self.rows
        return Profit(self, earned)

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready form."""
        names = (
            "rows",
            "counts",
            "thresholds",
            "shares",
            "cumulative_shares",
            "lift",
            "cumulative_lift",
        )
        return {"positive": self.positive, **{name: getattr(self, name).tolist() for name in names}}

    def figure(self) -> LiftFigure:
        """The bins as a figure value, which a notebook draws."""
        figure: LiftFigure = render(self, "figure")
        return figure

    def gain_figure(self) -> GainFigure:
        """The recall over the fraction of rows selected, as a figure value."""
        figure: GainFigure = render(self, "gains")
        return figure

    def _repr_html_(self) -> str:
        return render(self, "html")

    def __str__(self) -> str:
        heads = [Heading(t, "right") for t in ("bin", "rows", "positive", "share", "cumulative", "lift")]
        columns = zip(self.rows, self.counts, self.shares, self.cumulative_shares, self.lift, strict=True)
        rows = [
            [str(i), number(n), number(p), percent(s), percent(c), number(x)]
            for i, (n, p, s, c, x) in enumerate(columns, start=1)
        ]
        return "\n".join([f"Lift of {self.positive!r}", *table(heads, rows, 10**6)])


@dataclass(frozen=True, slots=True, eq=False)
class Profit:
    """The profit of contacting the bins of a lift curve.

    Attributes
    ----------
    lift : Lift
    per_bin : array
    """

    lift: Lift = field(repr=False)
    per_bin: Floats

    @property
    def cumulative(self) -> Floats:
        """The profit of contacting the bins up to each."""
        return np.cumsum(self.per_bin)

    @property
    def best_bins(self) -> int:
        """The number of bins to contact for the largest profit, the fewest if tied; 0 if no number earns anything."""
        with_none = np.concatenate([[0.0], self.cumulative])
        return int(np.argmax(with_none))

    @property
    def best(self) -> float:
        """The largest profit possible."""
        return float(max(0.0, self.cumulative.max()))

    @property
    def threshold(self) -> float:
        """Contact rows with at least this score; infinite if you should contact no one."""
        return float(self.lift.thresholds[self.best_bins - 1]) if self.best_bins else float("inf")

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready form; the threshold is None if you should contact no one."""
        return {
            "per_bin": self.per_bin.tolist(),
            "cumulative": self.cumulative.tolist(),
            "best_bins": self.best_bins,
            "best": self.best,
            "threshold": self.threshold if self.best_bins else None,
        }

    def figure(self) -> ProfitFigure:
        """Profit by share contacted as a figure value, which a notebook draws."""
        figure: ProfitFigure = render(self, "figure")
        return figure

    def _repr_html_(self) -> str:
        return render(self, "html")

    def __str__(self) -> str:
        if not self.best_bins:
            return "Contact no one: no number of bins is profitable."
        text = f"{self.best_bins} of {len(self.per_bin)} bins"
        return f"Contact {text} (scores of at least {number(self.threshold)}): profit {number(self.best)}."
