"""Rows of DATA with their true classes or numbers and what a model says of them; needs no scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from acumen.cli.data import Reading

if TYPE_CHECKING:
    from acumen.base.predictor import AnyPredictor, Predictor, RegressionPredictor
    from acumen.types import Bools, Codes, Floats, Label


def judgeable(predictor: AnyPredictor, who: str) -> Predictor | RegressionPredictor:
    """The model, if there is a truth that its answers can be compared with."""
    from acumen.base.predictor import Predictor, RegressionPredictor
    from acumen.errors import ParameterError

    if not isinstance(predictor, Predictor | RegressionPredictor):
        raise ParameterError(
            f"{who}: a {predictor.model.kind} model is of {predictor.task.noun}, which have no true answers to compare "
            "with."
        )
    return predictor


@dataclass(frozen=True, slots=True)
class Judged:
    """Labelled rows: the true and the predicted class, probabilities if the model has them.

    A class that the model never saw is one more at the end of `classes`; its rows are errors.
    """

    truth: Codes
    predicted: Codes
    proba: Floats | None
    weights: Floats  # empty when all are one
    classes: tuple[Label, ...]
    unlabelled: int

    def of(self, positive: Label) -> tuple[Bools, Floats, Floats | None]:
        """Whether each row is of a class, the probability given to it, the weights."""
        place = self.classes.index(positive)
        shares = cast("Floats", self.proba)
        return self.truth == place, shares[:, place], self.weights if self.weights.size else None


def judged(predictor: Predictor, reading: Reading, who: str) -> Judged:
    """What the model says of the labelled rows of DATA, read part by part; its target is the model's."""
    import numpy as np

    from acumen.base.decision import normalised
    from acumen.data.align import align
    from acumen.errors import DataError
    from acumen.types import MISSING, UNKNOWN

    target = predictor.schema.target
    assert target is not None
    truth, predicted, proba, weights = [], [], [], []
    unlabelled = 0
    for part in _with_target(reading, target.name).scan(
        needs=(*predictor.schema.names, target.name), like=predictor.schema
    ):
        rows = align(part, predictor.schema)
        if rows.labels is None:
            raise DataError(f"{who}: DATA has no column {target.name!r}, which the model predicts.")
        known = np.flatnonzero((rows.labels != MISSING) & (part.row_weights > 0))
        unlabelled += int((rows.labels == MISSING).sum())
        scores = predictor.scores(rows.take(known))
        truth.append(rows.labels[known])
        predicted.append(predictor.choose(scores))
        weights.append(part.row_weights[known])
        if predictor.model.probabilistic:
            proba.append(normalised(scores))
    if not sum(map(len, truth)):
        raise DataError(f"{who}: no row has a known {target.name!r}.")
    labels, weight, classes = np.concatenate(truth), np.concatenate(weights), predictor.classes
    if (labels == UNKNOWN).any():
        labels = np.where(labels == UNKNOWN, len(classes), labels).astype(np.int32)
        classes = (*classes, "(never seen)")
    return Judged(
        labels,
        np.concatenate(predicted),
        np.concatenate(proba) if proba else None,
        weight if (weight != 1).any() else np.empty(0),
        classes,
        unlabelled,
    )


@dataclass(frozen=True, slots=True)
class Measured:
    """Rows of known target: the true and the predicted number."""

    truth: Floats
    predicted: Floats
    weights: Floats  # empty when all are one
    missing: int


def measured(predictor: RegressionPredictor, reading: Reading, who: str) -> Measured:
    """What the model says of the rows of DATA whose target is known, read part by part."""
    import numpy as np

    from acumen.data.align import align
    from acumen.errors import DataError

    truth, predicted, weights = [], [], []
    missing = 0
    for part in _with_target(reading, predictor.target).scan(like=predictor.schema):
        rows = align(part, predictor.schema)
        if rows.response is None:
            raise DataError(f"{who}: DATA has no column {predictor.target!r}, which the model predicts.")
        gone = ~np.isfinite(rows.response)
        known = np.flatnonzero(~gone & (part.row_weights > 0))
        missing += int(gone.sum())
        truth.append(rows.response[known])
        predicted.append(predictor.predict(rows.take(known)))
        weights.append(part.row_weights[known])
    if not sum(map(len, truth)):
        raise DataError(f"{who}: no row has a known {predictor.target!r}.")
    weight = np.concatenate(weights)
    return Measured(
        np.concatenate(truth),
        np.concatenate(predicted),
        weight if (weight != 1).any() else np.empty(0),
        missing,
    )


def _with_target(reading: Reading, name: str) -> Reading:
    """The same table with the model's target as its own, unless one was named."""
    return (
        reading if "target" in reading.options else Reading(reading.data, {**reading.options, "target": name})
    )
