"""`acumen curve KIND MODEL DATA`: a model's curves on rows with known classes; needs no scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from acumen.cli import console
from acumen.cli.data import NearChoice, Reading, reads_data
from acumen.cli.files import FILE_IN, FILE_OUT, STDOUT, Guarded
from acumen.cli.judged import ClassJudgement, NumberJudgement, judge_classes, judge_numbers, judgeable
from acumen.cli.matching import MatchWish, matches_columns
from acumen.cli.shared_options import label_of

if TYPE_CHECKING:
    from acumen.models.predictor import Predictor
    from acumen.types import Label

KINDS = ("roc", "lift", "pr", "calibration", "fit", "residuals")
#: Of models that predict numbers.
OF_NUMBERS = ("fit", "residuals")


@click.command(cls=Guarded)
@click.argument("kind", type=NearChoice(KINDS), metavar="|".join(KINDS))
@click.argument("model", metavar="MODEL", type=FILE_IN)
@reads_data
@click.option("-o", "--output", metavar="FILE", type=FILE_OUT, help="File for the drawing, usually NAME.svg.")
@click.option(
    "--positive-class", "positive", metavar="LABEL", help="Positive class.  [default: the second of two]"
)
@click.option(
    "--bins",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    help="Number of bins for lift and calibration.",
)
@matches_columns
@click.option("--json", "as_json", is_flag=True, help="Print the points of the curve as JSON.")
def curve(
    kind: str,
    model: str,
    reading: Reading,
    output: str | None,
    positive: str | None,
    bins: int,
    wish: MatchWish,
    as_json: bool,
) -> None:
    """Draw how well a model separates a class from the others, or how accurate its numbers are.

    roc: true positive rate by false positive rate. lift: recall by the fraction of rows selected, highest
    probability first. pr: precision by recall. calibration: observed frequency by predicted probability. For
    models that predict numbers, fit: predicted by actual value; residuals: error by predicted value.
    DATA must have the model's target column. Use held-out rows: training rows make the curve look better than it is.
    acumen warns you if DATA contains any.
    """
    from acumen.errors import ParameterError
    from acumen.models.predictor import RegressionPredictor
    from acumen.store import open as open_model

    if output is None and not as_json:
        raise ParameterError("curve: give a file for the drawing with -o FILE.svg, or use --json.")
    predictor = judgeable(open_model(model), "curve")
    if isinstance(predictor, RegressionPredictor) != (kind in OF_NUMBERS):
        numbers = isinstance(predictor, RegressionPredictor)
        fitting = OF_NUMBERS if numbers else [k for k in KINDS if k not in OF_NUMBERS]
        raise ParameterError(
            f"curve: the model predicts {predictor.task.noun}; use {' or '.join(fitting)}, not {kind}."
        )
    if isinstance(predictor, RegressionPredictor):
        with console.busy(f"predicting {reading.display_name}"):
            judgement = judge_numbers(predictor, reading, "curve", wish)
        n_rows = len(judgement.truth)
        figure, values = _of_numbers(kind, judgement, predictor.target)
    else:
        if not predictor.model.probabilistic:
            raise ParameterError(f"curve: {predictor.model.without_probabilities()}.")
        wanted = classes_of_interest(kind, positive, predictor)
        with console.busy(f"predicting {reading.display_name}"):
            held = judge_classes(predictor, reading, "curve", wish)
        n_rows = len(held.truth)
        figure, values = _CURVES[kind](held, wanted, bins)
    if output is not None:
        from acumen.data.out.atomic import replace_text

        replace_text(output, figure._repr_svg_(), "curve")
        if output != STDOUT:
            console.say(f"Drawing written to {output}.")
    if as_json:
        console.result_json({"schema_version": 1, "kind": kind, "rows": n_rows, "curves": values})


def classes_of_interest(kind: str, positive: str | None, predictor: Predictor) -> list[Label]:
    """The class named, the last of two, or for ROC curves each of several."""
    from acumen.errors import ParameterError

    named = label_of(positive, predictor.schema)
    if named is not None:
        return [named]
    if len(predictor.classes) == 2:
        return [predictor.classes[1]]
    if kind == "roc":
        return list(predictor.classes)
    more = ", ..." if len(predictor.classes) > 8 else ""
    known = ", ".join(map(str, predictor.classes[:8])) + more
    raise ParameterError(
        f"curve: name the positive class with --positive-class; the classes are {known}{'' if more else '.'}"
    )


# -- one function for each kind: the figure, and the plain values --------------------------------


def _roc(held: ClassJudgement, wanted: Sequence[Label], bins: int) -> tuple[Any, list[Any]]:
    from acumen.assessment.figures import roc_figure
    from acumen.assessment.roc import roc

    curves = {}
    for label in wanted:
        flags, shares, weights = held.of(label)
        if len(wanted) == 1 or (flags.any() and not flags.all()):
            curves[label] = roc(flags, shares, True, weights)
    named = {str(label): each for label, each in curves.items()}
    figure = roc_figure(named, wanted[0] if len(wanted) == 1 else "")
    return figure, [each.to_dict() | {"positive": label} for label, each in curves.items()]


def _lift(held: ClassJudgement, wanted: Sequence[Label], bins: int) -> tuple[Any, list[Any]]:
    from acumen.assessment.figures import lift_figure
    from acumen.assessment.lift import lift

    flags, shares, weights = held.of(wanted[0])
    result = lift(flags, shares, True, bins, weights)
    return lift_figure(result, wanted[0]), [result.to_dict() | {"positive": wanted[0]}]


def _pr(held: ClassJudgement, wanted: Sequence[Label], bins: int) -> tuple[Any, list[Any]]:
    from acumen.assessment.figures import pr_figure
    from acumen.assessment.roc import precision_recall

    flags, shares, weights = held.of(wanted[0])
    result = precision_recall(flags, shares, True, weights)
    return pr_figure(result, wanted[0]), [result.to_dict() | {"positive": wanted[0]}]


def _calibration(held: ClassJudgement, wanted: Sequence[Label], bins: int) -> tuple[Any, list[Any]]:
    from acumen.assessment.calibration import calibration
    from acumen.assessment.figures import calibration_figure

    flags, shares, weights = held.of(wanted[0])
    result = calibration(flags, shares, True, bins, weights=weights)
    return calibration_figure(result, wanted[0]), [result.to_dict() | {"positive": wanted[0]}]


def _of_numbers(kind: str, found: NumberJudgement, target: str) -> tuple[Any, list[Any]]:
    from acumen.assessment.figures import fit_figure, residual_figure

    draw = fit_figure if kind == "fit" else residual_figure
    figure = draw(found.truth, found.predicted, target)
    return figure, [{"x": figure.x.tolist(), "y": figure.y.tolist()}]


_CURVES = {"roc": _roc, "lift": _lift, "pr": _pr, "calibration": _calibration}
