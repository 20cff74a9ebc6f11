"""The measures by name: what each needs, which way is better, and how it follows from an outcome.

MEASURES   name -> Measure
measure    the one of that name, or an error that names the nearest

value(outcome, ...)   of all rows of an outcome, which may be a sum over parts
by_row(...)           one number a row, for the measures that are means over rows
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from acumen.assessment.confusion import Confusion
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
_RowRule: TypeAlias = Callable[[Any, Any, Any, Any], Floats]


class Options(NamedTuple):
    """What a caller may say of a measure: the class that `precision` and the like speak of, and a cost matrix."""

    positive: Label | None = None
    costs: Any = None


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
    of : function
        From what it needs (a confusion matrix for labels, an outcome for probabilities or numbers, facts of a run) and
        the caller's `Options` to the value.
    by_row_of : function, optional
        For a measure that is a mean over rows: one number per row, from truth, prediction, probabilities and costs.
    least, most : float
        The range of its values.
    is_fraction : bool
        Whether texts show it in per cent.
    """

    name: str
    needs: Needs
    larger_is_better: bool
    words: str
    of: Callable[[Any, Options], float]
    by_row_of: _RowRule | None = None
    needs_costs: bool = False
    needs_scores: bool = False
    needs_order: bool = False
    least: float = 0.0
    most: float = np.inf
    is_fraction: bool = False

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
                raise ParameterError(
                    f"the measure {self.name!r} needs the times and sizes of a run; give facts=."
                )
            return float(self.of(facts, Options()))
        if outcome is None:
            raise ParameterError(f"the measure {self.name!r} needs an outcome.")
        if isinstance(outcome, NumericOutcome) or self.needs == "numbers":
            if not isinstance(outcome, NumericOutcome) or self.needs != "numbers":
                raise ParameterError(f"the measure {self.name!r} is {wrong_task(self)}.")
            return float(self.of(outcome, Options()))
        if self.needs == "probabilities" and np.isnan(outcome.brier_sum):
            raise ParameterError(
                f"the measure {self.name!r} needs probabilities, and there are none; "
                "use a measure of labels, such as 'error'."
            )
        source = outcome if self.needs == "probabilities" else outcome.confusion
        return float(
            self.of(source, Options(positive, self._require_costs(costs) if self.needs_costs else None))
        )

    @property
    def is_row_mean(self) -> bool:
        """Whether it is the mean over rows of `by_row`."""
        return self.by_row_of is not None

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
        if self.by_row_of is None:
            raise ParameterError(f"the measure {self.name!r} is not a mean over rows.")
        if self.needs == "probabilities" and proba is None:
            raise ParameterError(f"the measure {self.name!r} needs probabilities, and there are none.")
        matrix = resolve_costs(self._require_costs(costs), classes, "cost") if self.needs_costs else None
        return self.by_row_of(truth, predicted, proba, matrix)

    def _require_costs(self, costs: Any) -> Any:
        if costs is None:
            raise ParameterError(f"the measure {self.name!r} needs a cost matrix; give costs=.")
        return costs


def _wrong(truth: Codes, predicted: Codes, proba: Any, costs: Any) -> Floats:
    return (truth != predicted).astype(np.float64)


def _right(truth: Codes, predicted: Codes, proba: Any, costs: Any) -> Floats:
    return (truth == predicted).astype(np.float64)


def _ranks_apart(truth: Codes, predicted: Codes, proba: Any, costs: Any) -> Floats:
    return np.abs(np.asarray(truth, dtype=np.float64) - np.asarray(predicted, dtype=np.float64))


def _rates_of(counts: Confusion, options: Options) -> Rates | None:
    """The rates of the positive class; None where there are several classes and none of them was named."""
    if options.positive is None and len(counts.labels) != 2:
        return None
    return counts.rates(counts.labels[-1] if options.positive is None else options.positive)


def _precision(counts: Confusion, options: Options) -> float:
    rates = _rates_of(counts, options)
    return counts.macro_precision if rates is None else rates.precision


def _recall(counts: Confusion, options: Options) -> float:
    rates = _rates_of(counts, options)
    return counts.macro_recall if rates is None else rates.recall


def _f1(counts: Confusion, options: Options) -> float:
    rates = _rates_of(counts, options)
    return counts.macro_f1 if rates is None else rates.f1


_fraction = partial(Measure, most=1.0, is_fraction=True)

#: To add a measure, add it here: texts, `compare`, the command line and the studio derive all else from its fields.
MEASURES: Mapping[str, Measure] = {
    m.name: m
    for m in (
        _fraction("error", "labels", False, "fraction of wrong predictions", lambda c, _: c.error, _wrong),
        _fraction("accuracy", "labels", True, "fraction of right predictions", lambda c, _: c.accuracy, _right),
        _fraction(
            "balanced_accuracy", "labels", True, "mean recall of the classes", lambda c, _: c.balanced_accuracy
        ),
        Measure(
            "kappa", "labels", True, "agreement beyond chance (Cohen)", lambda c, _: c.kappa, least=-1.0, most=1.0
        ),
        Measure(
            "mcc", "labels", True, "correlation of predicted and true class (Matthews)", lambda c, _: c.mcc,
            least=-1.0, most=1.0,
        ),
        _fraction("precision", "labels", True, "how often a prediction of the positive class is right", _precision),
        _fraction("recall", "labels", True, "fraction of the positive class that is detected", _recall),
        _fraction("f1", "labels", True, "harmonic mean of precision and recall", _f1),
        _fraction("macro_f1", "labels", True, "mean F1 of the classes", lambda c, _: c.macro_f1),
        Measure(
            "log_loss", "probabilities", False, "mean -log probability of the true class", lambda o, _: o.log_loss,
            lambda truth, predicted, proba, costs: log_losses(truth, proba),
        ),
        Measure(
            "brier", "probabilities", False, "mean squared distance of the probabilities from the truth",
            lambda o, _: o.brier, lambda truth, predicted, proba, costs: brier_losses(truth, proba), most=2.0,
        ),
        Measure(
            "auc", "probabilities", True, "area under the ROC curve", lambda o, _: o.auc, needs_scores=True, most=1.0
        ),
        Measure(
            "cost", "labels", False, "mean cost by the cost matrix", lambda c, options: c.cost(options.costs),
            lambda truth, predicted, proba, costs: cost_of_rows(truth, predicted, costs),
            needs_costs=True, least=-np.inf,
        ),
        Measure(
            "mae_rank", "labels", False, "mean number of ranks by which predictions are wrong", lambda c, _: c.mae_rank,
            _ranks_apart, needs_order=True,
        ),
        Measure(
            "kappa_linear", "labels", True, "agreement beyond chance, by ranks (Cohen 1968)",
            lambda c, _: c.kappa_linear, needs_order=True, least=-1.0, most=1.0,
        ),
        Measure(
            "kappa_quadratic", "labels", True, "agreement beyond chance, by squared ranks",
            lambda c, _: c.kappa_quadratic, needs_order=True, least=-1.0, most=1.0,
        ),
        Measure("rmse", "numbers", False, "root mean squared error", lambda o, _: o.rmse),
        Measure(
            "mae", "numbers", False, "mean absolute error", lambda o, _: o.mae,
            lambda truth, predicted, proba, costs: errors_of("mae", truth, predicted),
        ),
        Measure(
            "r2", "numbers", True, "fraction of the variance explained", lambda o, _: o.r2, least=-np.inf, most=1.0
        ),
        Measure("fit_time", "run", False, "seconds to learn", lambda facts, _: facts.fit_time),
        Measure("predict_time", "run", False, "seconds to predict", lambda facts, _: facts.predict_time),
        Measure("memory", "run", False, "bytes", lambda facts, _: facts.memory),
        Measure("size", "run", False, "nodes, rules or parameters of the model", lambda facts, _: facts.size),
    )
}  # fmt: skip


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
    """The measure of that name, or the default of the task; refuses one of the other task."""
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
    """Refuse measures by rank for unordered classes."""
    for measure in measures:
        if measure.needs_order and (sentence := no_order(schema)) is not None:
            raise ParameterError(f"{who}: the measure {measure.name!r} cannot be taken here: {sentence}")


def wrong_task(found: Measure) -> str:
    """Say which learners a measure is for."""
    if found.needs == "numbers":
        return "for learners that predict numbers, but these are classes"
    return "for learners that predict classes, but these are numbers"
