"""`acumen learn DATA`: learn a model, show it, and keep it in a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from acumen.cli import console
from acumen.cli.choosing import (
    SUITE_TIME,
    choose_learners,
    report_left_out,
    run_comparison,
    save_best,
    saved_model_messages,
)
from acumen.cli.data import Reading, may_read_data
from acumen.cli.files import FILE_IN, FILE_OUT, STDOUT, Guarded, refuse_terminal
from acumen.cli.shared_options import (
    drop_uninformative_columns,
    keep_ids_option,
    learner_for,
    on_engine,
    report_table_warnings,
    strict,
    task_of,
)

if TYPE_CHECKING:
    pass


#: Files larger than this are learned from part by part, where the learner can.
STREAM_BEYOND = 256 << 20


@click.command(cls=Guarded)
@may_read_data
@click.option(
    "--learner",
    metavar="NAME",
    help="Learner to train; see `acumen learners`. `best` compares the usual ones for a minute and uses the best.  "
    "[default: naive-bayes for classes, linear-regression for numbers]",
)
@click.option(
    "--set",
    "settings",
    metavar="NAME=VALUE",
    multiple=True,
    help="Set a parameter of the learner. May be repeated.",
)
@click.option("--costs", type=FILE_IN, metavar="FILE",
              help="CSV file of misclassification costs: one row per predicted class, one column per true "
              "class.")  # fmt: skip
@click.option("--from-summary", "sums", metavar="FILE", type=FILE_IN,
              help="Train from a summary file written by `acumen parts merge` instead of DATA.")  # fmt: skip
@click.option(
    "--stream/--whole",
    default=None,
    help="Train part by part, or on the whole table at once.  [default: by file size]",
)
@click.option(
    "-o", "--output", metavar="FILE", type=FILE_OUT, help="Save the model to this file, usually NAME.acm."
)
@click.option(
    "--keep-summary",
    is_flag=True,
    help="Store training summaries in the model file so that you can update the model with more rows later.",
)
@click.option("--steps", is_flag=True,
              help="Also show the training steps: gains at each node of a tree, every update of a "
              "perceptron.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the model as JSON.")
@keep_ids_option
@on_engine
@strict
def learn(
    reading: Reading | None,
    learner: str | None,
    settings: tuple[str, ...],
    costs: str | None,
    sums: str | None,
    stream: bool | None,
    output: str | None,
    keep_summary: bool,
    steps: bool,
    as_json: bool,
    keep_ids: bool,
) -> int:
    """Train a model that predicts the target column of a table: a class or a number. Clusterers need no target.

    DATA is a file, a database address, the name of a built-in table, or - for stdin. Files of more than
    256 MB are read part by part, so they need not fit into memory.
    """
    from acumen.base.availability import require_parts
    from acumen.data.concat import concat
    from acumen.data.table import Table
    from acumen.engines.run import cluster
    from acumen.registry import costs_cover, read_costs

    refuse_terminal(output)
    further: dict[str, Any] = {} if costs is None else {"costs": read_costs(costs)}
    if sums is not None:
        from acumen.cli.parts import fit_from_summary

        if reading is not None or stream is not None or keep_ids:
            raise click.UsageError("--from-summary replaces DATA, --stream and --keep-ids; remove these.")
        if click.get_current_context().params.get("engine") is not None:
            raise click.UsageError(
                "--engine has no effect with --from-summary, which reads no rows; remove it."
            )
        model = fit_from_summary(sums, learner, settings, further)
        return _save_and_show(model, output, keep_summary, as_json, steps)
    if reading is None:
        raise click.UsageError("give DATA to train on, or --from-summary FILE.")
    if learner == "best":
        if settings or stream or keep_summary or steps:
            raise click.UsageError(
                "--learner best cannot be combined with --set, --stream, --keep-summary or --steps."
            )
        return learn_best(reading, further, output, as_json, keep_ids)
    spread = cluster() is not None
    if spread and stream is False:
        raise click.UsageError("--whole loads the table on one machine; remove --engine dask.")
    if learner is not None:  # report usage errors before reading a large file
        fitted = _learner_from(learner, settings, further)
        fitted.check_parameters()
        if spread:
            require_parts(fitted)
    with console.busy(f"training on {reading.display_name}"):
        source: Any = reading.scan() if spread or _is_large(reading, stream) else reading.read()
        # Report usage errors before data warnings.
        costs_cover(further.get("costs"), source.schema.classes)
        model = _learner_from(learner_for(learner, source.schema), settings, further)
        model.check_parameters()
        if spread:
            require_parts(model)
        if steps:
            _check_steps(model)
        # Without --stream, what parts cannot give is read whole: unlabelled rows, and words without summaries of them.
        whole = model.learns_unlabelled or (bool(source.schema.text) and not model.adds)
        streamed = not isinstance(source, Table) and model.streams and (stream or not whole)
        streamed = streamed or spread
        if not streamed and not isinstance(source, Table):
            source = concat(list(source))
        report_table_warnings(source, reading)
        if streamed:
            model.fit_stream(source)
        else:
            model.fit(drop_uninformative_columns(source, keep_ids))
    return _save_and_show(model, output, keep_summary, as_json, steps)


def _save_and_show(
    model: Any, output: str | None, keep_summary: bool, as_json: bool, steps: bool = False
) -> int:
    """Keep the model where that is wanted, and show it."""
    if output is not None:
        from acumen.store import save

        save(model, output, summary=keep_summary)
    if as_json:
        further = {"steps": model.describe(full=True, steps=True)} if steps else {}
        console.result_json(facts_of(model, output) | further)
        return console.OK
    from acumen.data.escape import printable_lines

    text = printable_lines(model.describe(steps=True) if steps else model.describe())
    if output == STDOUT:
        console.say(text)  # the model itself went to stdout
        return console.OK
    console.result(text)
    console.say(f"Model saved to {output}." if output else "Model not saved; add -o FILE to save it.")
    return console.OK


def _check_steps(model: Any) -> None:
    """Raise if the learner does not record its training steps."""
    from inspect import signature

    if "steps" not in signature(model.describe).parameters:
        raise click.UsageError(
            f"--steps: {type(model).kind} does not record its training steps; naive-bayes, decision-tree, "
            "random-tree and "
            "perceptron do. To see how a prediction is computed, use `acumen predict MODEL DATA --steps`."
        )


def _learner_from(word: str, settings: Sequence[str], given: dict[str, Any]) -> Any:
    """The learner that a text names, with the settings behind its name and those of --set."""
    from acumen.registry import parse_learner

    entry, settings_in_name = parse_learner(word)
    return entry.make((*settings_in_name, *settings), **given)


def _is_large(reading: Reading, wish: bool | None) -> bool:
    """Whether the rows should not be held all at once to see what is in them."""
    if wish is not None:
        return wish
    from acumen.data.databases.address import is_database, sqlite_file

    place = reading.data
    if is_database(place):
        if not place.lower().startswith("sqlite:"):
            return True  # the number of rows is unknown
        place = sqlite_file(place) or ""
    path = Path(place)
    return path.is_file() and path.stat().st_size > STREAM_BEYOND


def facts_of(model: Any, output: str | None) -> dict[str, Any]:
    """The model, for JSON."""
    return {
        "schema_version": 1,
        "learner": type(model).kind,
        "task": model.task.name,
        "target": None if model.schema_.target is None else model.schema_.target.name,
        "classes": list(model.schema_.classes),
        "attributes": list(model.schema_.names),
        "rows": model.training_["rows"],
        "weight": model.training_["weight"],
        "model_file": output,
        "description": model.describe(full=True),
    }


def learn_best(
    reading: Reading, given: dict[str, Any], output: str | None, as_json: bool, keep_ids: bool
) -> int:
    """Compare as `acumen compare` does, report the result on stderr, and show the model."""
    from acumen.assessment.comparison_text import comparison_text
    from acumen.assessment.probing import seconds
    from acumen.data.escape import printable_lines

    with console.busy(f"reading {reading.display_name}"):
        table = reading.read()
        task_of(table.schema)
        report_table_warnings(table, reading)
    choice = choose_learners("usual", None, None, table, given, 0, keep_ids=keep_ids)
    comparison = run_comparison(
        choice, table, folds=None, repeats=10, seed=0, costs=given.get("costs"),
        time_limit=seconds(SUITE_TIME, "--time-limit"),
        keep_ids=keep_ids,
    )  # fmt: skip
    report_left_out(choice, comparison, "usual", "acumen compare")
    console.say(comparison_text(comparison, console.width()))
    if not comparison.complete:
        console.say("acumen: stopped; showing the finished part. No model was written.")
        return console.STOPPED
    model = save_best(comparison, output)
    if as_json:
        if output != STDOUT:
            console.result_json({**facts_of(model, output), "comparison": comparison.record()})
    elif output == STDOUT:
        console.say(printable_lines(model.describe()))
    else:
        console.result(printable_lines(model.describe()))
    for line in saved_model_messages(comparison, output):
        console.say(line)
    if output is None:
        console.say("Model not saved; add -o FILE to save it.")
    return console.OK
