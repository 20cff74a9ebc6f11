"""Rows of DATA with their true and predicted classes or numbers; needs no scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from acumen.cli.data import Reading
from acumen.cli.matching import Matching, MatchWish

if TYPE_CHECKING:
    from acumen.data.table import Table
    from acumen.models.predictor import AnyPredictor, Predictor, RegressionPredictor
    from acumen.profiling.training_profile import TrainingProfile
    from acumen.types import Bools, Codes, Floats, Label

#: The class of rows whose class the model does not know.
NEVER_SEEN = "(never seen)"


def judgeable(predictor: AnyPredictor, who: str) -> Predictor | RegressionPredictor:
    """The model, if there is a truth that its answers can be compared with."""
    from acumen.errors import ParameterError, article
    from acumen.models.predictor import Predictor, RegressionPredictor

    if not isinstance(predictor, Predictor | RegressionPredictor):
        raise ParameterError(
            f"{who}: {article(predictor.model.kind)} model produces {predictor.task.noun}, which have no true "
            "values to compare with."
        )
    return predictor


@dataclass(frozen=True, slots=True)
class ClassJudgement:
    """Labelled rows: the true and the predicted class, probabilities if the model has them.

    A class that the model never saw is one more at the end of `classes`; its rows are errors.
    """

    truth: Codes
    predicted: Codes
    proba: Floats | None
    weights: Floats  # empty when all are one
    classes: tuple[Label, ...]
    unlabelled: int
    trained_on: float = 0.0  # the fraction of training rows

    def of(self, positive: Label) -> tuple[Bools, Floats, Floats | None]:
        """Whether each row is of a class, the probability given to it, the weights."""
        from acumen.errors import DataError

        place = self.classes.index(positive)
        if not (self.truth == place).any():
            there = [self.classes[code] for code in sorted(set(self.truth.tolist()))]
            known = [repr(str(each)) for each in there if each != NEVER_SEEN]
            raise DataError(
                f"no row of DATA has the class {str(positive)!r}; its classes are "
                f"{', '.join(known) or 'unknown to the model'}. Add rows of that class"
                + (", or name another one with --positive-class." if known else ".")
            )
        shares = cast("Floats", self.proba)
        return self.truth == place, shares[:, place], self.weights if self.weights.size else None


@dataclass(slots=True)
class Overlap:
    """Number of rows of DATA that equal training rows, by the fingerprint in the model."""

    rows: int = 0
    asked: int = 0
    n_known: int = 0

    def add(self, seen: TrainingProfile | None, rows: Table) -> None:
        """Look for these rows among the training rows."""
        self.rows += len(rows)
        if seen is not None and len(rows):
            rows_checked, n_known = seen.count_known(rows)
            self.asked, self.n_known = self.asked + rows_checked, self.n_known + n_known

    def share(self, seen: TrainingProfile | None) -> float:
        """The fraction of training rows; 0 if the few matches may be chance."""
        if seen is None or self.n_known <= 1 + 5 * self.asked * seen.chance:
            return 0.0
        return self.n_known / self.asked

    def tell(self, seen: TrainingProfile | None) -> None:
        """Warn on stderr."""
        from acumen.cli import console

        share = self.share(seen)
        if not share:
            return
        if self.asked == self.rows:
            many = "All rows" if self.n_known == self.rows else f"{self.n_known:,} of the {self.rows:,} rows"
        else:
            many = "All rows" if share > 0.995 else f"About {max(1, round(100 * share))} % of the rows"
        console.say(
            f"{many} equal training rows of the model, which makes it look better than it is. Use held-out rows."
        )


def judge_classes(predictor: Predictor, reading: Reading, who: str, wish: MatchWish) -> ClassJudgement:
    """Predictions for the labelled rows of DATA, read part by part; the target is the model's."""
    import numpy as np

    from acumen.errors import DataError
    from acumen.models.decision import softmax
    from acumen.types import MISSING, UNKNOWN

    matching = _matching(predictor, reading, wish)
    target, seen = predictor.schema.target, predictor.seen
    assert target is not None
    overlap = Overlap()
    truth, predicted, proba, weights = [], [], [], []
    unlabelled = 0
    needs = (*matching.schema.names, matching.target or "")
    for part, rows in matching.tables(matching.scan(needs)):
        if rows.labels is None:
            raise DataError(f"{who}: DATA has no column {target.name!r}, which the model predicts.")
        known = np.flatnonzero((rows.labels != MISSING) & (part.row_weights > 0))
        unlabelled += int((rows.labels == MISSING).sum())
        overlap.add(seen, rows.take(known))
        scores = predictor.scores(rows.take(known))
        truth.append(rows.labels[known])
        predicted.append(predictor.choose(scores))
        weights.append(part.row_weights[known])
        if predictor.model.probabilistic:
            proba.append(softmax(scores))
    if not sum(map(len, truth)):
        raise DataError(f"{who}: no row has a known {target.name!r}.")
    matching.tell()
    overlap.tell(seen)
    labels, weight, classes = np.concatenate(truth), np.concatenate(weights), predictor.classes
    if (labels == UNKNOWN).any():
        labels = np.where(labels == UNKNOWN, len(classes), labels).astype(np.int32)
        classes = (*classes, NEVER_SEEN)
    return ClassJudgement(
        labels,
        np.concatenate(predicted),
        np.concatenate(proba) if proba else None,
        weight if (weight != 1).any() else np.empty(0),
        classes,
        unlabelled,
        overlap.share(seen),
    )


@dataclass(frozen=True, slots=True)
class NumberJudgement:
    """Rows of known target: the true and the predicted number."""

    truth: Floats
    predicted: Floats
    weights: Floats  # empty when all are one
    missing: int
    trained_on: float = 0.0  # the fraction of training rows


def judge_numbers(
    predictor: RegressionPredictor, reading: Reading, who: str, wish: MatchWish
) -> NumberJudgement:
    """Predictions for the rows of DATA with a known target, read part by part."""
    import numpy as np

    from acumen.errors import DataError

    matching = _matching(predictor, reading, wish)
    overlap, seen = Overlap(), predictor.seen
    truth, predicted, weights = [], [], []
    missing = 0
    for part, rows in matching.tables(matching.scan()):
        if rows.response is None:
            raise DataError(f"{who}: DATA has no column {predictor.target!r}, which the model predicts.")
        gone = ~np.isfinite(rows.response)
        known = np.flatnonzero(~gone & (part.row_weights > 0))
        missing += int(gone.sum())
        truth.append(rows.response[known])
        overlap.add(seen, rows.take(known))
        predicted.append(predictor.predict(rows.take(known)))
        weights.append(part.row_weights[known])
    if not sum(map(len, truth)):
        raise DataError(f"{who}: no row has a known {predictor.target!r}.")
    matching.tell()
    overlap.tell(seen)
    weight = np.concatenate(weights)
    return NumberJudgement(
        np.concatenate(truth),
        np.concatenate(predicted),
        weight if (weight != 1).any() else np.empty(0),
        missing,
        overlap.share(seen),
    )


def _matching(predictor: AnyPredictor, reading: Reading, wish: MatchWish) -> Matching:
    """The model's columns in DATA, the model's target as its own unless one was named."""
    matching = Matching(predictor, reading, wish)
    if "target" not in reading.options:
        matching.reading = Reading(reading.data, {**reading.options, "target": matching.target})
    return matching
