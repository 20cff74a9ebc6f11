"""The precision-recall curve and average precision."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from acumen.assessment.roc import Ranked
from acumen.render.views import render
from acumen.types import Floats, Label

if TYPE_CHECKING:
    from acumen.render.pr_curve import PrFigure


def precision_recall(y: Any, scores: Any, positive: Label, weights: Any = None) -> PrecisionRecall:
    """Precision and recall at every threshold; parameters are those of `roc`."""
    ranked = Ranked.of(y, scores, positive, weights, "precision_recall")
    thresholds, up, down = ranked.groups()
    found = np.cumsum(up)
    called = found + np.cumsum(down)
    seen = called > 0  # rows that weigh nothing may lead
    return PrecisionRecall(positive, thresholds[seen], found[seen] / called[seen], found[seen] / found[-1])


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
        interpolation, which would flatter."""
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
