"""Figure values made of comparisons and of what was predicted; `show` draws them.

ranking_figure       a comparison   -> means with intervals
confusion_figure     an assessment  -> its confusion matrix
Held                 the first repeat's test rows together: truth, probabilities, weights
roc_figure, ...      of a class against the others
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from acumen.assessment.assessment import Assessment
from acumen.assessment.calibration import Calibration, calibration
from acumen.assessment.lift import Lift
from acumen.assessment.precision_recall import PrecisionRecall
from acumen.assessment.roc import Roc, roc
from acumen.assessment.statistics.intervals import error_interval
from acumen.show.calibration_plot import CalibrationCurve
from acumen.show.confusion_plot import ConfusionFigure
from acumen.show.curves import Curve
from acumen.show.interval_plot import IntervalFigure, IntervalRow, interval_svg
from acumen.show.lift_chart import LiftFigure
from acumen.show.pr_curve import PrFigure
from acumen.show.roc_curve import RocFigure
from acumen.types import Codes, Floats, Label

if TYPE_CHECKING:
    from acumen.assessment.comparison import Comparison
    from acumen.assessment.confusion import Confusion


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


def ranking_svg(comparison: Comparison) -> str:
    """The ranking, drawn."""
    return interval_svg(ranking_figure(comparison))


def confusion_figure(counts: Confusion, title: str) -> ConfusionFigure:
    """A confusion matrix to be drawn."""
    return ConfusionFigure(counts.matrix, [str(label) for label in counts.labels], title=title)


@dataclass(frozen=True, slots=True)
class Held:
    """Rows that were tested once each: what is true, and the probabilities given to each class."""

    truth: Codes
    proba: Floats
    weights: Floats
    classes: tuple[Label, ...]

    @classmethod
    def of(cls, found: Assessment) -> Held:
        """The first repeat of an assessment with probabilities."""
        runs = [run for run in found.runs if run.repeat == 0]
        return cls(
            np.concatenate([run.truth for run in runs]),
            np.concatenate([cast(Floats, run.proba) for run in runs]),
            np.concatenate([run.weights for run in runs]),
            found.confusion.labels,
        )

    def has_both(self, positive: Label) -> bool:
        """Whether rows of the class and of others are there."""
        flags = self.truth == self.classes.index(positive)
        return bool(flags.any() and not flags.all())

    def roc(self, positive: Label) -> Roc:
        """The curve of one class against the others."""
        place = self.classes.index(positive)
        return roc(self.truth == place, self.proba[:, place], True, self._weights())

    def calibration(self, positive: Label | None = None) -> Calibration:
        """Of one class against the others; without one, of the class predicted: how often it is right."""
        place = self.proba.argmax(axis=1) if positive is None else self.classes.index(positive)
        shares = self.proba[np.arange(len(self.truth)), place]
        return calibration((self.truth == place).astype(np.int8), shares, 1, weights=self._weights())

    def _weights(self) -> Floats | None:
        return self.weights if self.weights.size else None


def roc_figure(curves: dict[str, Roc], positive: Label) -> RocFigure:
    """ROC curves by name."""
    made = [Curve(name, *found.corners(), found.auc) for name, found in curves.items()]
    return RocFigure(made, str(positive))


def pr_figure(name: str, found: PrecisionRecall, prevalence: float, positive: Label) -> PrFigure:
    """A precision-recall curve."""
    return PrFigure(
        [Curve(name, found.recall, found.precision, found.average_precision)], prevalence, str(positive)
    )


def lift_figure(found: Lift, positive: Label) -> LiftFigure:
    """A lift chart."""
    return LiftFigure(found.counts, found.positives, positive=str(positive))


def calibration_curve(name: str, found: Calibration) -> CalibrationCurve:
    """A calibration curve over the bins that hold rows, each with an interval for its share (Wilson's)."""
    used = np.flatnonzero(found.counts > 0)
    ends = [error_interval(min(found.positives[i], found.counts[i]), found.counts[i]) for i in used.tolist()]
    return CalibrationCurve(
        name,
        found.predicted[used],
        found.observed[used],
        found.counts[used],
        np.array([end.low for end in ends]),
        np.array([end.high for end in ends]),
    )
