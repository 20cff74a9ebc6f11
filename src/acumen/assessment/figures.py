"""Results as figure values: what `acumen.render` needs to draw them, as SVG or as matplotlib axes.

Each result's own `figure()` comes through here (`acumen.render.views`); a figure value shows itself in a notebook.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from acumen.assessment.calibration import Calibration
from acumen.assessment.comparison import Comparison
from acumen.assessment.confusion import Confusion
from acumen.assessment.decide import Decision
from acumen.assessment.lift import Lift, Profit
from acumen.assessment.roc import PrecisionRecall, Roc
from acumen.assessment.statistics import Ranking
from acumen.render.calibration_plot import CalibrationCurve, CalibrationFigure
from acumen.render.cd_diagram import CdFigure
from acumen.render.confusion_plot import ConfusionFigure
from acumen.render.curves import PlotCurve, PrFigure, RocFigure
from acumen.render.decision_plot import DecisionFigure
from acumen.render.interval_plot import IntervalFigure, IntervalRow
from acumen.render.lift_chart import GainFigure, LiftFigure, ProfitFigure
from acumen.render.points_plot import PointsFigure
from acumen.render.views import register_renderers
from acumen.types import Floats, Label


def roc_figure(curves: Mapping[str, Roc], positive: Label = "") -> RocFigure:
    """ROC curves by name."""
    drawn = [
        PlotCurve(name, *roc.corners(), roc.auc, roc.corner_thresholds()) for name, roc in curves.items()
    ]
    return RocFigure(drawn, str(positive))


def pr_figure(found: PrecisionRecall, positive: Label) -> PrFigure:
    """A precision-recall curve; a random classifier has the fraction of positive rows as precision."""
    drawn = PlotCurve("model", found.recall, found.precision, found.average_precision)
    return PrFigure([drawn], float(found.precision[-1]), str(positive))


def lift_figure(lift: Lift, positive: Label) -> LiftFigure:
    """The rows and hits of each bin."""
    return LiftFigure(lift.rows, lift.counts, str(positive))


def gain_figure(lift: Lift) -> GainFigure:
    """The fraction of hits found against the fraction of rows contacted."""
    rows = np.minimum(np.cumsum(lift.rows) / lift.rows.sum(), 1.0)
    recall = np.minimum(lift.cumulative_shares, 1.0)
    return GainFigure([PlotCurve("model", np.append(0.0, rows), np.append(0.0, recall))], str(lift.positive))


def profit_figure(profit: Profit) -> ProfitFigure:
    """Profit against the fraction of rows contacted."""
    rows = profit.lift.rows
    shares = np.append(0.0, np.cumsum(rows) / rows.sum())
    return ProfitFigure(np.minimum(shares, 1.0), np.append(0.0, profit.cumulative))


def decision_figure(found: Decision) -> DecisionFigure:
    """What is found, and what it costs, against the fraction of rows flagged."""
    steps = found.steps
    if found.by == "costs":
        costs = found.asked["missed"] * (steps.positives - steps.found) + found.asked["alarm"] * steps.alarms
        worth = 1000 * costs / steps.rows
    else:
        with np.errstate(invalid="ignore"):
            worth = steps.found / steps.selected_weight
    chosen = int(np.searchsorted(steps.selected_weight, found.called))
    return DecisionFigure(
        np.minimum(steps.selected_weight / steps.rows, 1.0),
        np.minimum(steps.found / steps.positives, 1.0),
        worth,
        chosen,
        found.threshold,
        "cost" if found.by == "costs" else "precision",
        str(found.positive),
    )


def confusion_figure(confusion: Confusion, title: str = "Predicted and true") -> ConfusionFigure:
    """The matrix with its labels."""
    return ConfusionFigure(confusion.matrix, [str(label) for label in confusion.labels], title=title)


def calibration_figure(found: Calibration, positive: Label, name: str = "model") -> CalibrationFigure:
    """Observed against predicted fractions for bins that hold rows, each with Wilson's interval."""
    used = found.counts > 0
    low, high = found.low[used], found.high[used]
    ends = found.edges[:-1][used], found.edges[1:][used]
    drawn = CalibrationCurve(
        name, found.mean_probability[used], found.positive_rate[used], found.counts[used], low, high, *ends
    )
    return CalibrationFigure([drawn], str(positive))


def fit_figure(truth: Floats, predicted: Floats, target: str) -> PointsFigure:
    """Predicted against actual numbers."""
    return PointsFigure(
        truth, predicted, f"actual {target}", f"predicted {target}", "equal", "Predicted and actual"
    )


def residual_figure(truth: Floats, predicted: Floats, target: str) -> PointsFigure:
    """Residuals, actual minus predicted, against predictions."""
    residuals = np.asarray(truth) - np.asarray(predicted)
    return PointsFigure(
        predicted, residuals, f"predicted {target}", "actual less predicted", "zero", "Residuals"
    )


def ranking_figure(comparison: Comparison) -> IntervalFigure:
    """The learners' means with their intervals, best first."""
    rows = []
    for row in comparison.table:
        verdict: Any = row["verdict"]
        if row["learner"] == comparison.baseline:
            verdict = "baseline"
        elif comparison.baseline is None:
            verdict = ""  # colours speak of a baseline, and there is none
        rows.append(IntervalRow(row["learner"], row[comparison.measure], row["low"], row["high"], verdict))
    return IntervalFigure(rows, comparison.measure, "Ranking")


def cd_figure(ranking: Ranking) -> CdFigure:
    """Demsar's diagram of mean ranks over several tables."""
    return CdFigure(list(ranking.names), ranking.ranks, ranking.difference)


register_renderers(
    "figure",
    {
        Roc: lambda roc: roc_figure({"model": roc}, roc.positive),
        PrecisionRecall: lambda curve: pr_figure(curve, curve.positive),
        Lift: lambda lift: lift_figure(lift, lift.positive),
        Profit: profit_figure,
        Decision: decision_figure,
        Confusion: confusion_figure,
        Calibration: lambda found: calibration_figure(found, found.positive),
        Comparison: ranking_figure,
        Ranking: cd_figure,
    },
)
register_renderers("gains", {Lift: gain_figure})
