"""The ROC curve, the area under it, and a test of whether one area is larger than another.

roc    labels and scores -> Roc
auc    the area alone, for millions of rows

A row counts as predicted positive at a threshold if its score is at least the threshold. Rows of equal
scores step together, so that ties are drawn as slopes and count one half in the area.

The precision-recall curve and average precision.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from acumen import _native
from acumen.assessment.inputs import (
    positive_rows,
    refuse_nan,
    require_both_classes,
    row_weights,
    score_vector,
)
from acumen.assessment.statistics.areas import AucDifference, area_interval, auc_difference, auc_variance
from acumen.engines.cores import cores
from acumen.errors import DataError, ParameterError
from acumen.render.views import render
from acumen.types import Bools, Floats, Indices, Label

if TYPE_CHECKING:
    from acumen.render.curves import PrFigure, RocFigure


def auc(y: Any, scores: Any, positive: Label, weights: Any = None) -> float:
    """The area under the ROC curve: the share of pairs of a positive and a negative row in which the
    positive row has the higher score, a tie counting one half.

    Parameters are those of `roc`. Ten million rows take a fraction of a second.
    """
    ranked = RankedScores.of(y, scores, positive, weights, "auc")
    return ranked.area()


def roc(y: Any, scores: Any, positive: Label, weights: Any = None) -> Roc:
    """The ROC curve of scores for one class against all others.

    Parameters
    ----------
    y : array of labels
    scores : array of numbers
        The higher, the more the row looks positive. Infinite scores may be; NaN is an error.
    positive : label
        The positive class, which must occur.
    weights : array, optional
        Row weights; a weight of 2 is a repeated row.

    Returns
    -------
    Roc
    """
    ranked = RankedScores.of(y, scores, positive, weights, "roc")
    thresholds, up, down = ranked.groups()
    return Roc(
        ranked,
        np.concatenate([[np.inf], thresholds]),
        np.concatenate([[0.0], np.cumsum(up)]),
        np.concatenate([[0.0], np.cumsum(down)]),
    )


@dataclass(frozen=True, slots=True, eq=False)
class RankedScores:
    """Checked input of a ranking measure: there are positive and negative rows."""

    scores: Floats
    flags: Bools  # the row is positive
    weights: Floats  # empty: ones
    positive: Label
    who: str

    @classmethod
    def of(cls, y: Any, scores: Any, positive: Label, weights: Any, who: str) -> RankedScores:
        """Check what a caller gave."""
        flags = positive_rows(y, positive, who)
        values = score_vector(scores, len(flags), who)
        weight = row_weights(weights, len(flags), who)
        require_both_classes(flags, weight, positive, who)
        return cls(values, flags, weight, positive, who)

    def area(self) -> float:
        """The area under the ROC curve."""
        try:
            up, down, pairs = _native.pair_sums(self.scores, self.flags, self.weights, cores())
        except ValueError:
            refuse_nan(self.scores, self.who)
            raise
        return pairs / (up * down)

    def groups(self) -> tuple[Floats, Floats, Floats]:
        """The distinct scores, highest first, and the positive and negative weight at each."""
        try:
            return _native.tie_groups(self.scores, self.flags, self.weights, cores())
        except ValueError:
            refuse_nan(self.scores, self.who)
            raise


@dataclass(frozen=True, slots=True, eq=False)
class Roc:
    """A ROC curve: one point for every distinct score, highest first, after the origin.

    Attributes
    ----------
    thresholds : array
        Rows with at least this score count as positive; the first is infinite, so that none does.
    true_positives, false_positives : arrays
        The weight of positive and negative rows at or above each threshold.
    """

    ranked: RankedScores = field(repr=False)
    thresholds: Floats = field(repr=False)
    true_positives: Floats = field(repr=False)
    false_positives: Floats = field(repr=False)

    @property
    def positive(self) -> Label:
        """The positive class."""
        return self.ranked.positive

    @property
    def tpr(self) -> Floats:
        """True positive rate (sensitivity) at each threshold."""
        return self.true_positives / self.true_positives[-1]

    @property
    def fpr(self) -> Floats:
        """False positive rate (1 - specificity) at each threshold."""
        return self.false_positives / self.false_positives[-1]

    @property
    def auc(self) -> float:
        """The area under the curve, by trapezoids."""
        tp, fp = self.true_positives, self.false_positives
        twice = np.diff(fp) @ (tp[1:] + tp[:-1])  # whole numbers, hence exact, without weights
        return float(twice / 2 / (tp[-1] * fp[-1]))

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """A confidence interval of the area: Newcombe's method 5 (2006) with the variance of DeLong et al. (1988).

        It covers near 1 and with few positive rows too, and has a width at an area of 1; see `area_interval`.
        """
        variance = auc_variance(self.true_positives, self.false_positives)
        rows = float(self.true_positives[-1]), float(self.false_positives[-1])
        return tuple(area_interval(self.auc, *rows, variance, level))  # type: ignore[return-value]

    @property
    def standard_error(self) -> float:
        """The standard error of the area, by DeLong; weights count as repeated rows."""
        return float(np.sqrt(auc_variance(self.true_positives, self.false_positives)))

    def compare(self, other: Roc, level: float = 0.95) -> AucDifference:
        """Test whether two scores of the same rows have the same area (DeLong et al. 1988).

        Parameters
        ----------
        other : Roc
            Of the same rows in the same order, with the same positive class.
        level : float, default 0.95
            Of the interval of the difference.
        """
        mine, theirs = self.ranked, other.ranked
        if not np.array_equal(mine.flags, theirs.flags) or not np.array_equal(mine.weights, theirs.weights):
            raise DataError(
                "Roc: compare needs two curves over the same rows in the same order; labels or weights differ."
            )
        return auc_difference(self.placements(), other.placements(), mine.flags, mine.weights, level)

    def placements(self) -> Floats:
        """For each row the share of the other kind that is on the right side of it, ties counting one half:
        of negative rows below a positive one, of positive rows above a negative one. Both mean the area."""
        tp, fp = self.true_positives, self.false_positives
        above = (tp[1:] + tp[:-1]) / 2 / tp[-1]
        below = 1 - (fp[1:] + fp[:-1]) / 2 / fp[-1]
        group = len(above) - 1 - np.searchsorted(self.thresholds[:0:-1], self.ranked.scores)
        return np.where(self.ranked.flags, below[group], above[group])

    def corners(self) -> tuple[Floats, Floats]:
        """The points (fpr, tpr) at which the curve turns: all a drawing needs."""
        kept = self._turns()
        return self.fpr[kept], self.tpr[kept]

    def _turns(self) -> Indices:
        """Where the curve turns, among its points."""
        run, rise = np.diff(self.false_positives), np.diff(self.true_positives)
        moved = np.flatnonzero((run > 0) | (rise > 0))  # rows that weigh nothing lead nowhere
        run, rise = run[moved], rise[moved]
        turns = run[1:] * rise[:-1] != run[:-1] * rise[1:]
        return np.concatenate([[0], moved[:-1][turns] + 1, [len(self.thresholds) - 1]])

    def corner_thresholds(self) -> Floats:
        """The threshold at each of `corners`; the first is infinite."""
        return self.thresholds[self._turns()]

    def steps(self, most: int = 500, keep: float | None = None) -> tuple[Floats, Floats, Floats]:
        """Thresholds with the weight of true and false positives at each, at most this number of steps, for a slider.

        Of more different scores, some evenly among the rows are kept; the first (nobody is called) and the last
        (everyone is) always, and so is the one that a threshold of `keep` calls the same rows as.
        """
        if not isinstance(most, (int, np.integer)) or isinstance(most, bool) or most < 2:
            raise ParameterError(f"Roc: most must be a whole number of at least 2; got {most!r}.")
        n = len(self.thresholds)
        kept = np.arange(n)
        if n > most:
            called = self.true_positives + self.false_positives
            wanted = np.linspace(0, called[-1], most)
            kept = np.minimum(np.searchsorted(called, wanted), n - 1)
            if keep is not None and most > 2:
                # In place of its neighbour, so that there are not more of them; the ends stay.
                at = int(np.count_nonzero(self.thresholds >= keep)) - 1
                kept[min(max(int(np.searchsorted(kept, at)), 1), most - 2)] = at
            kept = np.unique(np.r_[0, kept, n - 1])
        return self.thresholds[kept], self.true_positives[kept], self.false_positives[kept]

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready form: the area, its interval and the corners of the curve; None where undefined."""
        low, high = (None if np.isnan(x) else x for x in self.interval())
        fpr, tpr = self.corners()
        return {
            "positive": self.positive,
            "auc": self.auc,
            "low": low,
            "high": high,
            "fpr": fpr.tolist(),
            "tpr": tpr.tolist(),
        }

    def figure(self) -> RocFigure:
        """The curve as a figure value, which a notebook draws."""
        figure: RocFigure = render(self, "figure")
        return figure

    def _repr_html_(self) -> str:
        return render(self, "html")

    def __str__(self) -> str:
        low, high = self.interval()
        within = "interval undefined" if np.isnan(low) else f"95 % interval {low:.4f} to {high:.4f}"
        return (
            f"ROC curve of {self.positive!r}: area {self.auc:.4f} ({within}), {len(self.thresholds)} points"
        )


def precision_recall(y: Any, scores: Any, positive: Label, weights: Any = None) -> PrecisionRecall:
    """Precision and recall at every threshold; parameters are those of `roc`."""
    ranked = RankedScores.of(y, scores, positive, weights, "precision_recall")
    thresholds, up, down = ranked.groups()
    positives = np.cumsum(up)
    called = positives + np.cumsum(down)
    seen = called > 0  # rows that weigh nothing may lead
    return PrecisionRecall(
        positive, thresholds[seen], positives[seen] / called[seen], positives[seen] / positives[-1]
    )


@dataclass(frozen=True, slots=True, eq=False)
class PrecisionRecall:
    """A precision-recall curve: one point for every distinct score, highest first.

    There is no point for "nothing is called positive", as precision is undefined there.

    Attributes
    ----------
    positive : label
    thresholds, precision, recall : arrays
        Of the rows with at least this score, the share that is positive; of the positive rows, the share
        with at least this score.
    """

    positive: Label
    thresholds: Floats = field(repr=False)
    precision: Floats = field(repr=False)
    recall: Floats = field(repr=False)

    @property
    def average_precision(self) -> float:
        """Precision averaged over the positive rows: the sum of (recall gained) x precision, without
        interpolation, which would be optimistic."""
        return float(np.diff(self.recall, prepend=0.0) @ self.precision)

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready form."""
        return {
            "positive": self.positive,
            "average_precision": self.average_precision,
            "precision": self.precision.tolist(),
            "recall": self.recall.tolist(),
        }

    def figure(self) -> PrFigure:
        """The curve as a figure value, which a notebook draws."""
        figure: PrFigure = render(self, "figure")
        return figure

    def _repr_html_(self) -> str:
        return render(self, "html")

    def __str__(self) -> str:
        points = f"{len(self.thresholds)} points"
        return f"Precision-recall curve of {self.positive!r}: average precision {self.average_precision:.4f}, {points}"
