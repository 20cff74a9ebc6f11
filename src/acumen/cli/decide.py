"""`acumen decide MODEL DATA`: choose a probability threshold by costs, capacity or precision."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from acumen.cli import console
from acumen.cli.data import Reading, reads_data
from acumen.cli.files import FILE_IN, FILE_OUT, STDOUT, Guarded, refuse_terminal
from acumen.cli.judged import judge_classes, judgeable
from acumen.cli.matching import MatchWish, matches_columns
from acumen.cli.shared_options import positive_of

if TYPE_CHECKING:
    from acumen.assessment.decide import Decision


@click.command(cls=Guarded)
@click.argument("model", metavar="MODEL", type=FILE_IN)
@reads_data
@click.option("--costs", metavar="missed=M,alarm=A",
              help="Cost of a missed positive and of a false alarm; chooses the threshold with the lowest "
              "cost.")  # fmt: skip
@click.option(
    "--capacity", type=float, metavar="N", help="Maximum number of rows of DATA that you can act on."
)
@click.option("--precision", type=float, metavar="P", help="Minimum precision of the selected rows.")
@click.option(
    "--positive-class", "positive", metavar="LABEL", help="Positive class.  [default: the second of two]"
)
@matches_columns
@click.option(
    "--svg",
    metavar="FILE",
    type=FILE_OUT,
    help="Draw recall and cost by the number of rows selected.",
)
@click.option("-o", "--output", metavar="FILE", type=FILE_OUT, help="Save the model with this threshold.")
@click.option("--json", "as_json", is_flag=True, help="Print all numbers as JSON with stable keys.")
def decide(
    model: str,
    reading: Reading,
    costs: str | None,
    capacity: float | None,
    precision: float | None,
    positive: str | None,
    wish: MatchWish,
    svg: str | None,
    output: str | None,
    as_json: bool,
) -> None:
    """Choose the probability threshold for acting on a row: by costs, capacity or precision.

    DATA must have the model's target column. Use held-out rows: training rows make the result look better than it is.
    acumen warns you if DATA contains any. Prints the threshold with an interval, the positives it finds and misses,
    and its cost compared with acting on everyone or on no one. `acumen predict --threshold` applies a threshold;
    with -o the saved model applies this one itself.
    """
    from acumen.assessment.decide import decide as decided
    from acumen.data.escape import printable_lines
    from acumen.errors import ParameterError
    from acumen.models.predictor import RegressionPredictor
    from acumen.store import open as open_model

    refuse_terminal(output)
    wishes = [name for name, value in (("--costs", costs), ("--capacity", capacity), ("--precision", precision))
              if value is not None]  # fmt: skip
    if len(wishes) != 1:
        raise click.UsageError(
            "give exactly one of --costs missed=5,alarm=1, --capacity 500 and --precision 0.8; got "
            f"{' and '.join(wishes) or 'none'}."
        )
    cost_table = None if costs is None else _costs(costs)
    predictor = judgeable(open_model(model), "decide")
    if isinstance(predictor, RegressionPredictor):
        raise ParameterError("decide: the model predicts numbers, not classes.")
    if not predictor.model.probabilistic:
        raise ParameterError(f"decide: {predictor.model.without_probabilities()}.")
    called = positive_of(positive, predictor.schema, "decide")
    if output is not None and len(predictor.classes) != 2:
        raise ParameterError(
            f"--output: a threshold for one of {len(predictor.classes)} classes cannot be saved in the model; use "
            "acumen predict --threshold and --positive-class."
        )
    with console.busy(f"deciding on {reading.display_name}"):
        judgement = judge_classes(predictor, reading, "decide", wish)
        truth, shares, weights = judgement.of(called)
        decision = decided(
            truth, shares, True, costs=cost_table, capacity=capacity,
            precision=precision, weights=weights,
        )  # fmt: skip
        decision = _name_decision(decision, called)
    if svg is not None:
        from acumen.data.out.atomic import replace_text

        replace_text(svg, decision.figure()._repr_svg_(), "decide")
    if output is not None:
        _keep(model, decision, predictor.classes.index(called), output)
    if as_json:
        rows = {"unlabelled": judgement.unlabelled, "trained_on": judgement.trained_on, "model_file": output}
        console.result_json({"schema_version": 1, **rows, **decision.to_dict()})
    else:
        (console.say if STDOUT in (output, svg) else console.result)(printable_lines(str(decision)))
    for path in (svg, output):
        if path is not None and path != STDOUT:
            console.say(f"{'Drawing written' if path == svg else 'Model saved'} to {path}.")


def _costs(text: str) -> Mapping[str, float]:
    """`missed=5,alarm=1`."""
    from acumen.assessment.decide import resolved_costs
    from acumen.errors import ParameterError

    costs: dict[str, float] = {}
    for part in text.split(","):
        name, equals, value = part.partition("=")
        try:
            cost = float(value)
        except ValueError:
            cost = math.nan
        if not equals or not math.isfinite(cost) or name.strip() in costs:
            raise ParameterError(f"--costs: use the form missed=5,alarm=1; got {text!r}.")
        costs[name.strip()] = cost
    resolved_costs(costs)  # report errors before reading a large file
    return costs


def _name_decision(found: Decision, positive: Any) -> Decision:
    from dataclasses import replace

    return replace(found, positive=positive)


def _keep(model: str, found: Decision, positive: int, output: str) -> None:
    """The model in a new file, deciding at the threshold from now on."""
    from dataclasses import replace

    from acumen.errors import ParameterError
    from acumen.models.decision import resolve_costs, threshold_costs
    from acumen.store import load, save

    learner = load(model)
    if "costs" not in learner.get_params(deep=False):
        raise ParameterError(
            f"--output: {type(learner).__name__} does not support costs; use acumen predict --threshold."
        )
    classes = learner.predictor_.classes
    threshold = min(max(found.threshold, 0.0), 1.0)
    costs = threshold_costs(classes, positive, threshold)
    learner.set_params(costs=costs)
    learner.predictor_ = replace(learner.predictor_, costs=resolve_costs(costs, classes, "decide"))
    save(learner, output)
