"""`acumen tune DATA`: choose the parameters of a learner by validation, and save the model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from acumen.cli import console
from acumen.cli.data import NearChoice, Reading, reads_data
from acumen.cli.files import FILE_IN, FILE_OUT, STDOUT, Guarded, refuse_terminal
from acumen.cli.shared_options import (
    drop_uninformative_columns,
    keep_ids_option,
    learner_for,
    on_engine,
    report_table_warnings,
    strict,
    threads_option,
)

if TYPE_CHECKING:
    from acumen.registry import Entry


@click.command(cls=Guarded)
@reads_data
@click.option(
    "--learner",
    metavar="NAME",
    help="Learner to tune; see `acumen learners`.  [default: naive-bayes for classes, linear-regression for numbers]",
)
@click.option("--grid", "grids", metavar="NAME=V1,V2,...", multiple=True,
              help="Values of a parameter to try, from the simplest to the most complex. May be repeated.")  # fmt: skip
@click.option("--set", "settings", metavar="NAME=VALUE", multiple=True,
              help="Fixed value of another parameter. May be repeated.")  # fmt: skip
@click.option(
    "--folds", type=click.IntRange(2), default=10, show_default=True, help="Number of cross-validation folds."
)
@click.option(
    "--repeats",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Number of repeats of the cross-validation.",
)
@click.option("--selection-rule", "rule", type=NearChoice(["best", "one-se"]), default="best", show_default=True,
              help="Choose the best mean, or the simplest setting within one standard error of it.")  # fmt: skip
@click.option(
    "--measure",
    metavar="NAME",
    help="Measure to optimise, or aic or bic, which need no validation.  [default: error; rmse for numbers]",
)
@click.option("--costs", type=FILE_IN, metavar="FILE",
              help="CSV file of misclassification costs: one row per predicted class, one column per true "
              "class.")  # fmt: skip
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Random seed for the splits and the learner."
)
@threads_option
@click.option(
    "-o", "--output", metavar="FILE", type=FILE_OUT, help="Save the model to this file, usually NAME.acm."
)
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
@keep_ids_option
@strict
@on_engine
def tune(
    reading: Reading,
    learner: str | None,
    grids: tuple[str, ...],
    settings: tuple[str, ...],
    folds: int,
    repeats: int,
    rule: Any,
    measure: str | None,
    costs: str | None,
    seed: int,
    jobs: int | None,
    output: str | None,
    as_json: bool,
    keep_ids: bool,
) -> None:
    """Try every combination of parameter values, and train with the best one.

    DATA is a file, a database address, the name of a built-in table, or - for stdin. Put a value that
    contains a comma in double quotes.
    """
    from acumen.registry import costs_cover, parse_learner, read_costs
    from acumen.resampling import KFold
    from acumen.tuning.tuned import Tuned

    refuse_terminal(output)
    further: dict[str, Any] = {} if costs is None else {"costs": read_costs(costs)}
    if learner is not None:  # report usage errors before reading a large file
        entry, own_settings = parse_learner(learner)
        grid_of(grids, entry)
        entry.make((*own_settings, *settings), **further).check_parameters()
    with console.busy(f"reading {reading.display_name}"):
        table = reading.read()
        costs_cover(further.get("costs"), table.schema.classes)
        entry, own_settings = parse_learner(learner_for(learner, table.schema))
        grid = grid_of(grids, entry)  # report usage errors before data warnings
        report_table_warnings(table, reading)
        table = drop_uninformative_columns(table, keep_ids)
    tuned = Tuned(
        entry.make_seeded((*own_settings, *settings), seed, **further),
        grid,
        KFold(folds, n_repeats=repeats),
        rule,
        measure,
        seed,
        jobs,
    )
    with console.busy(f"tuning {entry.kind} on {reading.display_name}"):
        tuned.fit(table)
    if output is not None:
        from acumen.store import save

        save(tuned, output)
    if as_json:
        console.result_json(_facts(tuned, output))
        return
    from acumen.data.escape import printable_lines

    show = console.say if output == STDOUT else console.result  # where the model itself went to stdout
    show(printable_lines(tuned.results_.text(console.width())))
    settings_text = ", ".join(f"{name}={value!r}" for name, value in tuned.best_params_.items())
    console.say(f"Chosen: {settings_text}. Its score is optimistic because it was used to choose it.")
    if output != STDOUT:
        console.say(f"Model saved to {output}." if output else "Model not saved; add -o FILE to save it.")


def grid_of(texts: Sequence[str], found: Entry) -> dict[str, list[Any]]:
    """NAME=V1,V2,... as the parameter's own values."""
    import csv

    from acumen.errors import ParameterError
    from acumen.registry import split_list

    if not texts:
        names = ", ".join(spec.name for spec in found.parameters)
        raise ParameterError(
            f"tune: name values to try with --grid NAME=V1,V2,...; {found.name} has the parameters {names} "
            f"(see `acumen learners {found.kind}`)."
        )
    grid: dict[str, list[Any]] = {}
    for text in texts:
        name, equals, values = text.partition("=")
        if not equals or not values.strip():
            raise ParameterError(f"--grid: use the form NAME=V1,V2,...; got {text!r}.")
        spec = found.parameter(name)
        brackets = any(sign in values for sign in "([{")  # within which commas separate no values
        each = split_list(values) if brackets else next(csv.reader([values]))
        grid[spec.name] = [found.value(spec, value) for value in each]
    return grid


def _facts(tuned: Any, output: str | None) -> dict[str, Any]:
    import math

    from acumen.registry.entries import plain

    def number(value: float) -> float | None:
        return float(value) if math.isfinite(value) else None

    results = tuned.results_
    return {
        "schema_version": 1,
        "learner": tuned.best_learner_.kind,
        "measure": results.measure,
        "method": results.method,
        "rule": results.rule,
        "settings": [
            {
                "parameters": {name: plain(value) for name, value in setting.items()},
                "mean": number(mean),
                "standard_error": number(error),
            }
            for setting, mean, error in zip(
                results.settings, results.mean, results.standard_error, strict=True
            )
        ],
        "best": results.best,
        "chosen": results.chosen,
        "parameters": {name: plain(value) for name, value in tuned.best_params_.items()},
        "model_file": output,
    }
