"""Results as figure values: what `acumen.show` needs to draw them, as SVG or as matplotlib axes.

Each result's own `figure()` comes through here; a figure value shows itself in a notebook.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from acumen.show.calibration_plot import CalibrationCurve, CalibrationFigure
from acumen.show.cd_diagram import CdFigure
from acumen.show.confusion_plot import ConfusionFigure
from acumen.show.curves import Curve
from acumen.show.interval_plot import IntervalFigure, IntervalRow
from acumen.show.lift_chart import GainFigure, LiftFigure, ProfitFigure
from acumen.show.pr_curve import PrFigure
from acumen.show.roc_curve import RocFigure

if TYPE_CHECKING:
    from acumen.assessment.calibration import Calibration
    from acumen.assessment.compare import Comparison
    from acumen.assessment.confusion import Confusion
    from acumen.assessment.lift import Lift, Profit
    from acumen.assessment.precision_recall import PrecisionRecall
    from acumen.assessment.roc import Roc
    from acumen.assessment.statistics import Ranking


def roc_figure(curves: Mapping[str, Roc]) -> RocFigure:
    """ROC curves of one class, by name."""
    positive = str(next(iter(curves.values())).positive)
    return RocFigure([Curve(name, roc.fpr, roc.tpr, roc.auc) for name, roc in curves.items()], positive)


def pr_figure(curves: Mapping[str, PrecisionRecall], prevalence: float) -> PrFigure:
    """Precision-recall curves of one class, by name; `prevalence` is what chance achieves."""
    positive = str(next(iter(curves.values())).positive)
    drawn = [Curve(name, pr.recall, pr.precision, pr.average_precision) for name, pr in curves.items()]
    return PrFigure(drawn, prevalence, positive)


def lift_figure(lift: Lift) -> LiftFigure:
    """The rows and hits of each bin."""
    return LiftFigure(lift.counts, lift.positives, str(lift.positive))


def gain_figure(curves: Mapping[str, Lift]) -> GainFigure:
    """Share of hits found by share of rows contacted, by name."""
    drawn = []
    for name, lift in curves.items():
        rows = np.cumsum(lift.counts) / lift.counts.sum()
        drawn.append(Curve(name, np.append(0.0, rows), np.append(0.0, lift.cumulative_shares)))
    return GainFigure(drawn, str(next(iter(curves.values())).positive))


def profit_figure(profit: Profit) -> ProfitFigure:
    """Profit by share of rows contacted."""
    counts = profit.lift.counts
    shares = np.append(0.0, np.cumsum(counts) / counts.sum())
    return ProfitFigure(np.minimum(shares, 1.0), np.append(0.0, profit.cumulative))


def confusion_figure(confusion: Confusion) -> ConfusionFigure:
    """The matrix with its labels."""
    return ConfusionFigure(confusion.matrix, [str(label) for label in confusion.labels])


def calibration_figure(curves: Mapping[str, Calibration]) -> CalibrationFigure:
    """Observed against predicted shares, by name, with Wilson's interval of each bin."""
    from acumen.assessment.statistics import error_interval

    drawn = []
    for name, found in curves.items():
        used = found.counts > 0
        rows, hits = found.counts[used], found.positives[used]
        around = [error_interval(min(hit, n), n) for hit, n in zip(hits.tolist(), rows.tolist(), strict=True)]
        low, high = (np.array([getattr(each, end) for each in around]) for end in ("low", "high"))
        drawn.append(CalibrationCurve(name, found.predicted[used], found.observed[used], rows, low, high))
    return CalibrationFigure(drawn, str(next(iter(curves.values())).positive))


def interval_figure(comparison: Comparison) -> IntervalFigure:
    """Every learner's mean with its interval, and the verdict on it against the best (or the baseline)."""
    against = comparison.baseline or comparison.names[0]
    verdicts: dict[str, Any] = {against: "baseline" if comparison.baseline else ""}
    for pair in comparison.pairs:
        if pair.b == against:
            verdicts[pair.a] = pair.verdict
        elif pair.a == against:
            verdicts[pair.b] = _TURNED[pair.verdict]
    measure = comparison.measure
    rows = [
        IntervalRow(row["learner"], row[measure], row["low"], row["high"], verdicts[row["learner"]])
        for row in comparison.table
    ]
    return IntervalFigure(rows, measure)


_TURNED = {"better": "worse", "worse": "better", "no difference": "no difference"}


def cd_figure(ranking: Ranking) -> CdFigure:
    """Demsar's diagram of mean ranks over several tables."""
    return CdFigure(list(ranking.names), ranking.ranks, ranking.difference)


def drawn(figure: Any) -> str:
    """A figure value as HTML, for notebooks."""
    return f'<div style="max-width:44rem">{figure._repr_svg_()}</div>'
