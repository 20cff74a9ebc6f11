"""The confusion matrix, predicted by true, and everything that follows from it.

confusion   true and predicted labels -> Confusion
Confusion   adds over parts
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from acumen.assessment.inputs import common_codes, defined_mean, plain, ratio, row_weights
from acumen.assessment.rates import Rates
from acumen.data.columns import sorted_levels
from acumen.errors import ParameterError, did_you_mean
from acumen.models.decision import resolve_costs
from acumen.render.views import render
from acumen.rows.class_order import rank_costs
from acumen.summaries.algebra import Summary, frozen
from acumen.summaries.counts import LevelCounts
from acumen.types import Codes, Floats, Label

if TYPE_CHECKING:
    from acumen.render.confusion_plot import ConfusionFigure


def confusion(
    y_true: Any, y_pred: Any, weights: Any = None, *, labels: Sequence[Label] | None = None
) -> Confusion:
    """Count predictions by predicted and true class.

    Parameters
    ----------
    y_true, y_pred : arrays of labels
        Text, numbers or booleans. A row whose true label is missing cannot be judged: it is counted in
        `unlabelled` and nowhere else. A missing prediction is an error.
    weights : array, optional
        Row weights; a weight of 2 is a repeated row.
    labels : sequence, optional
        The classes in the order they are to be shown, all that occur among them. By default the sorted
        union of both arrays, so that a class which was never predicted, or never true, has its line.

    Returns
    -------
    Confusion
    """
    truth, predicted, order = common_codes(y_true, y_pred, labels, "confusion")
    return Confusion.of_codes(truth, predicted, row_weights(weights, len(truth), "confusion"), order)


@dataclass(frozen=True, slots=True, eq=False)
class Confusion(Summary):
    """Row weight by predicted class (rows) and true class (columns).

    Confusions of parts add; where their labels differ the sum is over all of them.

    What would divide by nothing is undefined: NaN, and printed so. Precision is undefined for a class that
    was never predicted, recall for a class that no row is of, F1 for a class of which both are true. The
    `macro_` means are over the classes for which the measure is defined, the `weighted_` means too, with
    the classes' true weights.

    Attributes
    ----------
    labels : tuple of labels
    matrix : array of (labels, labels)
    unlabelled : float
        Weight of rows that could not be judged, as their true label is missing.
    """

    labels: tuple[Label, ...]
    matrix: Floats
    unlabelled: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "labels", tuple(self.labels))
        object.__setattr__(self, "matrix", frozen(self.matrix))
        k = len(self.labels)
        if self.matrix.shape != (k, k) or not np.all(self.matrix >= 0):
            raise ParameterError(
                f"Confusion: matrix must be {k} x {k}, a row and a column for each label, of numbers of at "
                f"least 0; got an array of shape {self.matrix.shape}."
            )

    @classmethod
    def of_codes(cls, truth: Codes, predicted: Codes, weights: Floats, labels: Sequence[Label]) -> Self:
        """Create a matrix from codes over `labels`; rows with a true code outside them are unlabelled."""
        k = len(labels)
        table = LevelCounts.of(truth, predicted, weights, k, k).table
        return cls(tuple(labels), table[:k, :k], float(table[:k, k].sum()))

    # -- totals -----------------------------------------------------------------------------------

    @property
    def total(self) -> float:
        """Total weight of the evaluated rows."""
        return float(self.matrix.sum())

    @property
    def predicted_totals(self) -> Floats:
        """Total weight of the rows predicted as each class."""
        return self.matrix.sum(axis=1)

    @property
    def true_totals(self) -> Floats:
        """Total weight of the rows of each true class."""
        return self.matrix.sum(axis=0)

    # -- one number -------------------------------------------------------------------------------

    @property
    def accuracy(self) -> float:
        """The fraction of rows predicted correctly."""
        return float(ratio(np.trace(self.matrix), self.total))

    @property
    def error(self) -> float:
        """The fraction of rows predicted incorrectly."""
        wrong = self.matrix.sum(where=~np.eye(len(self.labels), dtype=np.bool_))
        return float(ratio(wrong, self.total))

    @property
    def balanced_accuracy(self) -> float:
        """The mean of the classes' recalls, over the classes that occur."""
        return defined_mean(self.recall)

    @property
    def kappa(self) -> float:
        """Cohen's kappa: agreement beyond chance as a fraction of the maximum. 0 is chance, 1 is perfect.

        Undefined when chance alone agrees always: one class, always predicted.
        """
        n = self.total
        chance = float(ratio(self.predicted_totals @ self.true_totals, n * n))
        return float(ratio(self.accuracy - chance, 1.0 - chance)) if chance < 1 else math.nan

    @property
    def mcc(self) -> float:
        """Matthews' correlation of predicted and true class, for any number of classes (Gorodkin 2004).

        0, the value of chance, where only one class is predicted or true; NaN without rows.
        """
        n, p, t = self.total, self.predicted_totals, self.true_totals
        others = 1.0 - np.eye(
            len(self.labels)
        )  # n^2 - p.p as p.(all other p): nothing is left of a single class
        spread = math.sqrt(float(p @ others @ p)) * math.sqrt(float(t @ others @ t))
        if not n:
            return math.nan
        return float(np.trace(self.matrix) * n - p @ t) / spread if spread else 0.0

    # -- where the classes are in order -----------------------------------------------------------

    @property
    def mae_rank(self) -> float:
        """Mean absolute difference of ranks between prediction and truth; for ordered classes."""
        return float(ratio((rank_costs(len(self.labels)) * self.matrix).sum(), self.total))

    @property
    def kappa_linear(self) -> float:
        """Weighted kappa with linear weights (Cohen 1968): errors count by the number of ranks."""
        return self._weighted_kappa(rank_costs(len(self.labels)))

    @property
    def kappa_quadratic(self) -> float:
        """Weighted kappa with quadratic weights: errors count by the squared number of ranks."""
        return self._weighted_kappa(rank_costs(len(self.labels)) ** 2)

    def _weighted_kappa(self, costs: Floats) -> float:
        """1 - cost / cost of chance; undefined where chance alone costs nothing."""
        if not self.total:
            return math.nan
        chance = float(self.predicted_totals @ costs @ self.true_totals) / self.total
        return 1.0 - float((costs * self.matrix).sum()) / chance if chance > 0 else math.nan

    # -- by label ---------------------------------------------------------------------------------

    @property
    def precision(self) -> Floats:
        """Precision of each class: the fraction of its predictions that are right."""
        return ratio(np.diag(self.matrix), self.predicted_totals)

    @property
    def recall(self) -> Floats:
        """Recall of each class: the fraction of its rows that were predicted as it."""
        return ratio(np.diag(self.matrix), self.true_totals)

    @property
    def f1(self) -> Floats:
        """The harmonic mean of precision and recall: 2 n_ii / (true + predicted)."""
        return self.fbeta(1.0)

    def fbeta(self, beta: float) -> Floats:
        """(1 + b^2) n_ii / (b^2 true + predicted), by label: recall weighs b times as much as precision."""
        if not (isinstance(beta, (int, float, np.number)) and 0 <= beta < np.inf):
            raise ParameterError(f"Confusion: beta must be a number of at least 0; got {beta!r}.")
        square = float(beta) ** 2
        return ratio((1 + square) * np.diag(self.matrix), square * self.true_totals + self.predicted_totals)

    # -- means ------------------------------------------------------------------------------------

    @property
    def macro_precision(self) -> float:
        return defined_mean(self.precision)

    @property
    def macro_recall(self) -> float:
        return defined_mean(self.recall)

    @property
    def macro_f1(self) -> float:
        """The mean F1; a class that was never predicted counts 0 here."""
        return defined_mean(self.f1)

    @property
    def weighted_precision(self) -> float:
        return defined_mean(self.precision, self.true_totals)

    @property
    def weighted_recall(self) -> float:
        return defined_mean(self.recall, self.true_totals)

    @property
    def weighted_f1(self) -> float:
        return defined_mean(self.f1, self.true_totals)

    # -- one class, and costs ---------------------------------------------------------------------

    def rates(self, positive: Label) -> Rates:
        """The measures of one class against all others: TP, FP, sensitivity, specificity and so on."""
        if positive not in self.labels:
            known = ", ".join(repr(label) for label in self.labels[:8])
            raise ParameterError(
                f"Confusion: there is no class {positive!r}; the classes are {known}."
                + did_you_mean(str(positive), map(str, self.labels))
            )
        i = self.labels.index(positive)
        tp = float(self.matrix[i, i])
        fp, fn = float(self.matrix[i].sum() - tp), float(self.matrix[:, i].sum() - tp)
        others = [j for j in range(len(self.labels)) if j != i]
        return Rates(self.labels[i], tp, fp, fn, float(self.matrix[np.ix_(others, others)].sum()))

    def cost(self, costs: Any) -> float:
        """The mean cost of a row, given a cost matrix (rows predicted, columns true) or a mapping
        {(predicted, true): cost}; pairs not in a mapping cost 1, right answers 0."""
        matrix = resolve_costs(costs, self.labels, "Confusion")
        if matrix is None:
            raise ParameterError("Confusion: costs must be a matrix or a mapping; got None.")
        return float(ratio((matrix * self.matrix).sum(), self.total))

    # -- adding -----------------------------------------------------------------------------------

    def with_labels(self, labels: Sequence[Label]) -> Self:
        """The same counts for a larger set of labels."""
        place = [list(labels).index(label) for label in self.labels]
        matrix = np.zeros((len(labels), len(labels)))
        matrix[np.ix_(place, place)] = self.matrix
        return type(self)(tuple(labels), matrix, self.unlabelled)

    def _difference(self, other: Self) -> str | None:
        if len({isinstance(label, str) for label in (*self.labels, *other.labels)}) > 1:
            return "the labels of one are text, those of the other numbers"
        return None

    def _merge(self, other: Self) -> Self:
        labels = joint_labels(self.labels, other.labels)
        a, b = (part if part.labels == labels else part.with_labels(labels) for part in (self, other))
        return type(self)(labels, a.matrix + b.matrix, a.unlabelled + b.unlabelled)

    # -- showing ----------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON-ready values; undefined values become None."""
        one = ("error", "accuracy", "balanced_accuracy", "kappa", "mcc", "macro_precision", "macro_recall",
               "macro_f1", "weighted_precision", "weighted_recall", "weighted_f1")  # fmt: skip
        figures = zip(self.precision, self.recall, self.f1, strict=True)
        return {
            "labels": list(self.labels),
            "matrix": self.matrix.tolist(),
            "total": self.total,
            "unlabelled": self.unlabelled,
            **{name: plain(getattr(self, name)) for name in one},
            "by_label": [
                {"label": label, "precision": plain(p), "recall": plain(r), "f1": plain(f)}
                for label, (p, r, f) in zip(self.labels, figures, strict=True)
            ],
        }

    def figure(self) -> ConfusionFigure:
        """The matrix as a figure; notebooks draw it."""
        figure: ConfusionFigure = render(self, "figure")
        return figure

    def __str__(self) -> str:
        from acumen.render.confusion_plot import confusion_text

        return confusion_text(self.to_dict())

    def _repr_html_(self) -> str:
        return render(self, "html")


def joint_labels(a: tuple[Label, ...], b: tuple[Label, ...]) -> tuple[Label, ...]:
    """All labels of both: sorted if both are, else the first's order and then what the second adds."""
    if a == b:
        return a
    union = tuple(dict.fromkeys((*a, *b)))
    return sorted_levels(union) if sorted_levels(a) == a and sorted_levels(b) == b else union
