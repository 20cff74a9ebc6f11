"""`acumen test MODEL DATA`: how good a model is on rows with known classes; needs no scikit-learn."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import click

from acumen.cli import console
from acumen.cli.data import Reading, reads_data

if TYPE_CHECKING:
    from acumen.assessment.outcome import Outcome
    from acumen.base.predictor import Predictor


@click.command("test")
@click.argument("model", metavar="MODEL")
@reads_data
@click.option("--json", "as_json", is_flag=True, help="All figures as JSON, under stable keys.")
def test(model: str, reading: Reading, as_json: bool) -> None:
    """Compare a model's predictions with the true classes in a table.

    DATA must have the model's target column. Prints the confusion matrix, the measures, and an interval for the
    error.
    """
    from acumen.assessment.statistics.intervals import error_interval
    from acumen.show.escape import printable_lines
    from acumen.store import open as open_model

    predictor = open_model(model)
    with console.busy(f"testing on {reading.data}"):
        outcome = judged(predictor, reading)
    counts = outcome.confusion
    around = error_interval(counts.error * counts.total, counts.total)
    names = ["error", "balanced_accuracy", "kappa", "mcc", "macro_f1"]
    measures: dict[str, float] = {name: float(getattr(counts, name)) for name in names}
    if predictor.model.probabilistic:
        measures |= {"log_loss": outcome.log_loss, "brier": outcome.brier, "auc": outcome.auc}
    if as_json:
        console.result_json(
            {
                "schema_version": 1,
                "rows": counts.total,
                "measures": {
                    name: value if math.isfinite(value) else None for name, value in measures.items()
                },
                "error_interval": {"level": around.level, "low": around.low, "high": around.high},
                "confusion": counts.to_dict(),
            }
        )
        return
    lines = [str(counts), ""]
    lines += [f"{name:<18} {'undefined' if math.isnan(v) else f'{v:.4f}'}" for name, v in measures.items()]
    lines.append(f"The error lies between {around.low:.4f} and {around.high:.4f} with a confidence of 95 %.")
    console.result(printable_lines("\n".join(lines)))


def judged(predictor: Predictor, reading: Reading) -> Outcome:
    """The outcome over all parts of DATA; its target is the model's."""
    from acumen.assessment.outcome import Outcome
    from acumen.data.align import align
    from acumen.errors import DataError

    target = predictor.schema.target
    assert target is not None
    total: Outcome | None = None
    for part in with_target(reading, target.name).scan():
        rows = align(part, predictor.schema)
        if rows.labels is None:
            raise DataError(f"test: DATA has no column {target.name!r}, which the model predicts.")
        shares = predictor.proba(rows) if predictor.model.probabilistic else None
        codes = predictor.predict(rows) if shares is None else predictor.decide(shares)
        labels, classes = known_classes(rows.labels, predictor.classes)
        one = Outcome.of(labels, codes, classes, shares, part.weights, keep_scores=shares is not None)
        total = one if total is None else total + one
    if total is None or not total.confusion.total > 0:
        raise DataError(f"test: no row has a known {target.name!r}.")
    return total


def with_target(reading: Reading, name: str) -> Reading:
    """The same table with the model's target as its own, unless one was named."""
    return (
        reading if "target" in reading.options else Reading(reading.data, {**reading.options, "target": name})
    )


def known_classes(labels: Any, classes: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
    """Codes in which a class the model never saw is one more class at the end: its rows count as errors."""
    import numpy as np

    from acumen.types import UNKNOWN

    return np.where(labels == UNKNOWN, len(classes), labels).astype(np.int32), (*classes, "(never seen)")
