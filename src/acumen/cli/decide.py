"""`acumen decide MODEL DATA`: from which probability on rows are called, and what that costs or finds."""

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
              help="What a missed row and a false alarm cost; takes the cheapest threshold.")  # fmt: skip
@click.option("--capacity", type=float, metavar="N", help="The most rows of DATA that can be called.")
@click.option(
    "--precision", type=float, metavar="P", help="The minimum proportion of called rows that must be right."
)
@click.option("--positive", metavar="LABEL", help="The class that is called; of two the last unless given.")
@matches_columns
@click.option(
    "--svg",
    metavar="FILE",
    type=FILE_OUT,
    help="Draw what is found, and at what cost, by how many are called.",
)
@click.option(
    "-o", "--output", metavar="FILE", type=FILE_OUT, help="Keep the model with this decision in it."
)
@click.option("--json", "as_json", is_flag=True, help="All figures as JSON, under stable keys.")
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
    """Choose the probability from which rows (customers, say) are called: by costs, capacity or precision.

    DATA must have the model's target column. Its rows should not be those the model was learned from, or the choice
    looks better than it is; acumen says so where it notices. Prints the threshold with an interval, what it finds and
    misses, and what it costs beside calling everyone and no one. `acumen predict --threshold` predicts by it; with -o
    the model decides so by itself.
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
            "say what matters by one of --costs missed=5,alarm=1, --capacity 500 and --precision 0.8; got "
            f"{' and '.join(wishes) or 'none'}."
        )
    cost_table = None if costs is None else _costs(costs)
    predictor = judgeable(open_model(model), "decide")
    if isinstance(predictor, RegressionPredictor):
        raise ParameterError("decide: the model predicts numbers, which have no classes to call.")
    if not predictor.model.probabilistic:
        raise ParameterError(f"decide: {predictor.model.without_probabilities()}.")
    called = positive_of(positive, predictor.schema, "decide")
    if output is not None and len(predictor.classes) != 2:
        raise ParameterError(
            f"--output: a decision about one of {len(predictor.classes)} classes cannot be kept in the model; predict "
            "by it with --threshold and --positive."
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
            console.say(f"{'drawn' if path == svg else 'kept'} in {path}")


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
            raise ParameterError(f"--costs: write it as missed=5,alarm=1; got {text!r}.")
        costs[name.strip()] = cost
    resolved_costs(costs)  # what is wrong with them is said before a large file is read
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
            f"--output: a {type(learner).__name__} does not decide by costs; predict by the threshold with --threshold."
        )
    classes = learner.predictor_.classes
    threshold = min(max(found.threshold, 0.0), 1.0)
    costs = threshold_costs(classes, positive, threshold)
    learner.set_params(costs=costs)
    learner.predictor_ = replace(learner.predictor_, costs=resolve_costs(costs, classes, "decide"))
    save(learner, output)
