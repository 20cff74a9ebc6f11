"""`acumen test MODEL DATA`: how good a model is on rows with known classes or numbers; needs no scikit-learn."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import click

from acumen.cli import console
from acumen.cli.data import Reading, reads_data
from acumen.cli.files import FILE_IN, Guarded
from acumen.cli.judged import judge_classes, judge_numbers, judgeable
from acumen.cli.matching import MatchWish, matches_columns

if TYPE_CHECKING:
    from acumen.models.predictor import RegressionPredictor


@click.command("test", cls=Guarded)
@click.argument("model", metavar="MODEL", type=FILE_IN)
@reads_data
@matches_columns
@click.option("--json", "as_json", is_flag=True, help="Print all numbers as JSON with stable keys.")
def test(model: str, reading: Reading, wish: MatchWish, as_json: bool) -> None:
    """Evaluate a model on a table with known classes or numbers.

    DATA must have the model's target column. Prints the confusion matrix, the measures, and a 95 % interval for the
    error; for numbers the measures. Warns if DATA contains training rows.
    """
    from acumen.assessment.outcome import Outcome
    from acumen.assessment.statistics.intervals import error_interval
    from acumen.data.escape import printable_lines
    from acumen.models.predictor import RegressionPredictor
    from acumen.render.confusion_plot import confusion_text
    from acumen.render.text import many
    from acumen.rows.class_order import has_class_order
    from acumen.store import open as open_model

    predictor = judgeable(open_model(model), "test")
    if isinstance(predictor, RegressionPredictor):
        _numbers(predictor, reading, wish, as_json)
        return
    with console.busy(f"testing on {reading.display_name}"):
        judgement = judge_classes(predictor, reading, "test", wish)
        outcome = Outcome.of(
            judgement.truth, judgement.predicted, judgement.classes, judgement.proba, judgement.weights,
            keep_scores=judgement.proba is not None,
        )  # fmt: skip
    counts = outcome.confusion
    around = error_interval(min(counts.error, 1.0) * counts.total, counts.total)
    names = ["error", "balanced_accuracy", "kappa", "mcc", "macro_f1"]
    measures: dict[str, float] = {name: float(getattr(counts, name)) for name in names}
    if predictor.model.probabilistic:
        measures |= {"log_loss": outcome.log_loss, "brier": outcome.brier, "auc": outcome.auc}
    if has_class_order(predictor.schema.target) and counts.labels == predictor.classes:
        measures |= {name: float(getattr(counts, name)) for name in ("mae_rank", "kappa_quadratic")}
    if predictor.costs is not None and counts.labels == predictor.classes:
        measures["cost"] = counts.cost(predictor.costs)
    if as_json:
        console.result_json(
            {
                "schema_version": 1,
                "rows": len(judgement.truth),
                "unlabelled": judgement.unlabelled,
                "trained_on": judgement.trained_on,
                "measures": {
                    name: value if math.isfinite(value) else None for name, value in measures.items()
                },
                "error_interval": {"level": around.level, "low": around.low, "high": around.high},
                "confusion": counts.to_dict(),
            }
        )
        return
    lines = [confusion_text(counts.to_dict(), console.width()), ""]
    lines += [f"{name:<18} {'undefined' if math.isnan(v) else f'{v:.4f}'}" for name, v in measures.items()]
    lines.append(f"95 % confidence interval of the error: {around.low:.4f} to {around.high:.4f}.")
    if judgement.unlabelled:
        lines.append(f"Skipped without a class: {many(judgement.unlabelled, 'row')}.")
    console.result(printable_lines("\n".join(lines)))


def _numbers(predictor: RegressionPredictor, reading: Reading, wish: MatchWish, as_json: bool) -> None:
    """How far predicted numbers are from the true ones."""
    from acumen.assessment.outcome import NumericOutcome
    from acumen.data.escape import printable_lines
    from acumen.render.text import many, number

    with console.busy(f"testing on {reading.display_name}"):
        judgement = judge_numbers(predictor, reading, "test", wish)
        outcome = NumericOutcome.of(judgement.truth, judgement.predicted, judgement.weights)
    measures = {"rmse": outcome.rmse, "mae": outcome.mae, "r2": outcome.r2}
    if as_json:
        plain = {name: value if math.isfinite(value) else None for name, value in measures.items()}
        rows = {
            "rows": len(judgement.truth),
            "missing": judgement.missing,
            "trained_on": judgement.trained_on,
        }
        console.result_json({"schema_version": 1, **rows, "measures": plain})
        return
    lines = [f"{name:<5} {'undefined' if math.isnan(v) else number(v)}" for name, v in measures.items()]
    lines.append(
        f"Measured on {many(len(judgement.truth), 'row')}; mean {predictor.target}: {number(outcome.mean)}."
    )
    if judgement.missing:
        lines.append(f"Skipped without a number: {many(judgement.missing, 'row')}.")
    console.result(printable_lines("\n".join(lines)))
