"""The measures by name: what each needs, which way is better, and how it follows from an outcome.

MEASURES   name -> Measure
measure    the one of that name, or an error that names the nearest

value(outcome, ...)   of all rows of an outcome, which may be a sum over parts
by_row(...)           one number a row, for the measures that are means over rows
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from acumen.assessment.losses import brier_losses, cost_of_rows, log_losses
from acumen.assessment.outcome import NumericOutcome, Outcome, RunFacts, errors_of
from acumen.assessment.rates import Rates
from acumen.data.schema import Schema
from acumen.errors import ParameterError, did_you_mean
from acumen.models.decision import resolve_costs
from acumen.models.task import NUMBERS, Task
from acumen.rows.class_order import no_order
from acumen.types import Codes, Floats, Label

Needs: TypeAlias = Literal["labels", "probabilities", "numbers", "run"]


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure of predictions, or of the run that made them.

    Attributes
    ----------
    name : str
    needs : {"labels", "probabilities", "numbers", "run"}
        Predicted labels, predicted probabilities, predicted numbers, or facts of the run.
    larger_is_better : bool
    words : str
        What it is, in a few words.
    needs_costs, needs_scores : bool
        Whether a cost matrix must be given, and whether the outcome must keep its scores.
    needs_order : bool
        Whether the classes must lie in an order; the labels of an outcome are then in it.
    least, most : float
        Between which its values lie.
    """

    name: str
    needs: Needs
    larger_is_better: bool
    words: str
    needs_costs: bool = False
    needs_scores: bool = False
    needs_order: bool = False
    least: float = 0.0
    most: float = np.inf

    def value(
        self,
        outcome: Outcome | NumericOutcome | None = None,
        *,
        facts: RunFacts | None = None,
        costs: Any = None,
        positive: Label | None = None,
    ) -> float:
        """The measure of an outcome, or of a run.

        Parameters
        ----------
        outcome : Outcome or NumericOutcome
            For the measures of predictions: of classes, or of numbers.
        facts : RunFacts
            For the measures of a run.
        costs : matrix or mapping
            For `cost`: rows predicted, columns true.
        positive : label, optional
            The class of which `precision`, `recall` and `f1` speak. Without it they speak of the last
            class where there are two, and are macro means where there are more.
        """
        if self.needs == "run":
            if facts is None:
                raise ParameterError(f"the measure {self.name!r} needs the facts of a run; give facts=.")
            return float(getattr(facts, self.name))
        if outcome is None:
            raise ParameterError(f"the measure {self.name!r} needs an outcome.")
        if isinstance(outcome, NumericOutcome) or self.needs == "numbers":
            if not isinstance(outcome, NumericOutcome) or self.needs != "numbers":
                raise ParameterError(f"the measure {self.name!r} is {wrong_task(self)}.")
            return float(getattr(outcome, self.name))
        if self.needs == "probabilities" and np.isnan(outcome.brier_sum):
            raise ParameterError(
                f"the measure {self.name!r} needs probabilities, and there are none; "
                "choose a measure of labels, such as 'error'."
            )
        if self.name in _OF_ONE_CLASS:
            return _of_one_class(outcome, self.name, positive)
        if self.needs_costs:
            return outcome.confusion.cost(self._require_costs(costs))
        source = outcome if self.needs == "probabilities" else outcome.confusion
        return float(getattr(source, self.name))

    @property
    def is_row_mean(self) -> bool:
        """Whether it is the mean over rows of `by_row`."""
        return self.name in _BY_ROW

    def by_row(
        self,
        truth: Codes | Floats,
        predicted: Codes | Floats,
        proba: Floats | None = None,
        *,
        costs: Any = None,
        classes: tuple[Label, ...] = (),
    ) -> Floats:
        """One number a row, whose weighted mean the measure is; truth and prediction are codes from 0, or numbers."""
        try:
            rule = _BY_ROW[self.name]
        except KeyError:
            raise ParameterError(f"the measure {self.name!r} is no mean over rows.") from None
        if self.needs == "probabilities" and proba is None:
            raise ParameterError(f"the measure {self.name!r} needs probabilities, and there are none.")
        matrix = resolve_costs(self._require_costs(costs), classes, "cost") if self.needs_costs else None
        return rule(truth, predicted, proba, matrix)

    def _require_costs(self, costs: Any) -> Any:
        if costs is None:
            raise ParameterError(f"the measure {self.name!r} needs a cost matrix; give costs=.")
        return costs


MEASURES: Mapping[str, Measure] = {
    m.name: m
    for m in (
        Measure("error", "labels", False, "share of wrong predictions", most=1.0),
        Measure("accuracy", "labels", True, "share of right predictions", most=1.0),
        Measure("balanced_accuracy", "labels", True, "mean recall of the classes", most=1.0),
        Measure("kappa", "labels", True, "agreement beyond chance (Cohen)", least=-1.0, most=1.0),
        Measure(
            "mcc", "labels", True, "correlation of predicted and true class (Matthews)", least=-1.0, most=1.0
        ),
        Measure(
            "precision", "labels", True, "how often a prediction of the positive class is right", most=1.0
        ),
        Measure("recall", "labels", True, "share of the positive class that is found", most=1.0),
        Measure("f1", "labels", True, "harmonic mean of precision and recall", most=1.0),
        Measure("macro_f1", "labels", True, "mean F1 of the classes", most=1.0),
        Measure("log_loss", "probabilities", False, "mean -log probability of the true class"),
        Measure(
            "brier",
            "probabilities",
            False,
            "mean squared distance of the probabilities from the truth",
            most=2.0,
        ),
        Measure("auc", "probabilities", True, "area under the ROC curve", needs_scores=True, most=1.0),
        Measure("cost", "labels", False, "mean cost by the cost matrix", needs_costs=True, least=-np.inf),
        Measure(
            "mae_rank", "labels", False, "mean number of ranks by which predictions are off", needs_order=True
        ),
        Measure(
            "kappa_linear",
            "labels",
            True,
            "agreement beyond chance, by ranks (Cohen 1968)",
            needs_order=True,
            least=-1.0,
            most=1.0,
        ),
        Measure(
            "kappa_quadratic",
            "labels",
            True,
            "agreement beyond chance, by squared ranks",
            needs_order=True,
            least=-1.0,
            most=1.0,
        ),
        Measure("rmse", "numbers", False, "root of the mean squared error"),
        Measure("mae", "numbers", False, "mean size of the errors"),
        Measure("r2", "numbers", True, "share of the variance explained", least=-np.inf, most=1.0),
        Measure("fit_time", "run", False, "seconds to learn"),
        Measure("predict_time", "run", False, "seconds to predict"),
        Measure("memory", "run", False, "bytes"),
        Measure("size", "run", False, "nodes, rules or parameters of the model"),
    )
}

_OF_ONE_CLASS = ("precision", "recall", "f1")

_RowRule: TypeAlias = Callable[[Any, Any, Any, Any], Floats]
_BY_ROW: Mapping[str, _RowRule] = {
    "error": lambda truth, predicted, proba, costs: (truth != predicted).astype(np.float64),
    "accuracy": lambda truth, predicted, proba, costs: (truth == predicted).astype(np.float64),
    "log_loss": lambda truth, predicted, proba, costs: log_losses(truth, proba),
    "brier": lambda truth, predicted, proba, costs: brier_losses(truth, proba),
    "cost": lambda truth, predicted, proba, costs: cost_of_rows(truth, predicted, costs),
    "mae_rank": lambda truth, predicted, proba, costs: np.abs(
        np.asarray(truth, dtype=np.float64) - np.asarray(predicted, dtype=np.float64)
    ),
    "mae": lambda truth, predicted, proba, costs: errors_of("mae", truth, predicted),
}


def measure(name: str) -> Measure:
    """The measure of that name."""
    try:
        return MEASURES[name]
    except (KeyError, TypeError):
        known = ", ".join(MEASURES)
        raise ParameterError(
            f"there is no measure {name!r}; the measures are {known}.{did_you_mean(name, MEASURES)}"
        ) from None


def measure_for(name: str | None, task: Task) -> Measure:
    """The measure of that name, or the task's own; one of the other task is refused."""
    if not task.measures:
        raise ParameterError(
            f"there is no measure of {task.noun}, which have no true answers to compare with."
        )
    chosen = measure(task.measures[0] if name is None else name)
    if chosen.needs != "run" and (chosen.needs == "numbers") != (task is NUMBERS):
        fitting = ", ".join(m.name for m in MEASURES.values() if (m.needs == "numbers") == (task is NUMBERS))
        raise ParameterError(f"the measure {chosen.name!r} is {wrong_task(chosen)}; take one of {fitting}.")
    return chosen


def require_order(measures: Iterable[Measure], schema: Schema, who: str) -> None:
    """Refuse measures by rank of classes that are in no order."""
    for measure in measures:
        if measure.needs_order and (sentence := no_order(schema)) is not None:
            raise ParameterError(f"{who}: the measure {measure.name!r} cannot be taken here: {sentence}")


def wrong_task(found: Measure) -> str:
    """Whom a measure is for, where it was asked of the others."""
    if found.needs == "numbers":
        return "for learners that predict numbers, and here are classes"
    return "for learners that predict classes, and here are numbers"


def _of_one_class(outcome: Outcome, name: str, positive: Label | None) -> float:
    counts = outcome.confusion
    if positive is None and len(counts.labels) != 2:
        return float(getattr(counts, f"macro_{name}"))
    rates: Rates = counts.rates(counts.labels[-1] if positive is None else positive)
    return float(getattr(rates, name))
