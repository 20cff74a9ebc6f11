"""One class against all others: the four counts, and the rates computed from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from acumen.assessment.inputs import plain
from acumen.data.escape import printable
from acumen.render.text import number
from acumen.types import Label


def _share(part: float, whole: float) -> float:
    """part / whole; NaN (undefined) if the whole is 0."""
    return part / whole if whole else float("nan")


@dataclass(frozen=True, slots=True)
class Rates:
    """The measures of a positive class, all others together being the negative one.

    A share that would divide by nothing is undefined and NaN: the precision of a class that was never
    predicted is neither 0 nor 100 %.

    Attributes
    ----------
    positive : label
    TP, FP, FN, TN : float
        Row weights: true positives (predicted positive, and so), false positives (predicted positive, but
        negative), false negatives, true negatives.
    """

    positive: Label
    TP: float
    FP: float
    FN: float
    TN: float

    @property
    def sensitivity(self) -> float:
        """TP / (TP + FN), also recall and true positive rate."""
        return _share(self.TP, self.TP + self.FN)

    @property
    def specificity(self) -> float:
        """TN / (TN + FP), also true negative rate."""
        return _share(self.TN, self.TN + self.FP)

    @property
    def false_positive_rate(self) -> float:
        """FP / (FP + TN), also probability of false alarm, PF."""
        return _share(self.FP, self.FP + self.TN)

    @property
    def false_negative_rate(self) -> float:
        """FN / (FN + TP)."""
        return _share(self.FN, self.FN + self.TP)

    @property
    def precision(self) -> float:
        """TP / (TP + FP): how often a positive prediction is right."""
        return _share(self.TP, self.TP + self.FP)

    @property
    def negative_precision(self) -> float:
        """TN / (TN + FN): how often a negative prediction is right."""
        return _share(self.TN, self.TN + self.FN)

    @property
    def error(self) -> float:
        """(FP + FN) / all."""
        return _share(self.FP + self.FN, self.TP + self.FP + self.FN + self.TN)

    @property
    def accuracy(self) -> float:
        """(TP + TN) / all."""
        return _share(self.TP + self.TN, self.TP + self.FP + self.FN + self.TN)

    def fbeta(self, beta: float) -> float:
        """(1 + b^2) TP / ((1 + b^2) TP + b^2 FN + FP): recall counts b times as much as precision."""
        square = beta * beta
        return _share((1 + square) * self.TP, (1 + square) * self.TP + square * self.FN + self.FP)

    @property
    def f1(self) -> float:
        """2 TP / (2 TP + FN + FP)."""
        return self.fbeta(1.0)

    # The literature's other names for the same.
    recall = TPR = sensitivity
    TNR = specificity
    FPR = PF = false_positive_rate
    FNR = false_negative_rate
    PPV = precision
    NPV = negative_precision

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON-ready values; undefined values become None."""
        shares = ("sensitivity", "specificity", "false_positive_rate", "false_negative_rate", "precision",
                  "negative_precision", "f1", "error", "accuracy")  # fmt: skip
        counts = {name: float(getattr(self, name)) for name in ("TP", "FP", "FN", "TN")}
        return {"positive": self.positive, **counts, **{name: plain(getattr(self, name)) for name in shares}}

    def __str__(self) -> str:
        values = self.to_dict()
        lines = [f"Rates of the positive class {printable(self.positive)}"]
        for name, value in list(values.items())[1:]:
            lines.append(f"  {name.replace('_', ' '):20s} {number(value, none='undefined')}")
        return "\n".join(lines)
