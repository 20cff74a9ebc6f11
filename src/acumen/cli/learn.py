"""`acumen learn DATA`: learn a model, show it, and keep it in a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from acumen.cli import console
from acumen.cli.data import Reading, reads_data
from acumen.cli.files import FILE_IN, FILE_OUT, STDOUT, Guarded, refuse_terminal
from acumen.cli.idle import keeps_ids, without_idle_columns
from acumen.cli.warned import said_of, strict

if TYPE_CHECKING:
    from acumen.base.task import Task
    from acumen.data.schema import Schema

#: Files larger than this are learned from part by part, where the learner can.
STREAM_BEYOND = 256 << 20


@click.command(cls=Guarded)
@reads_data
@click.option(
    "--learner",
    metavar="NAME",
    help="See `acumen learners`; naive-bayes for classes and linear-regression for numbers, unless given. "
    "`best` compares the usual ones for a minute and takes the best.",
)
@click.option("--set", "settings", metavar="NAME=VALUE", multiple=True, help="A parameter. May be repeated.")
@click.option("--costs", type=FILE_IN, metavar="FILE",
              help="A CSV of costs: a row for each predicted class, a column for each true one.")  # fmt: skip
@click.option("--stream/--whole", default=None, help="Learn part by part, or from the whole table at once.")
@click.option(
    "-o", "--output", metavar="FILE", type=FILE_OUT, help="Where to keep the model, usually NAME.acm."
)
@click.option("--keep-summary", is_flag=True, help="Keep what is needed to go on learning later.")
@click.option("--json", "as_json", is_flag=True, help="What was learned, as JSON.")
@keeps_ids
@strict
def learn(
    reading: Reading,
    learner: str | None,
    settings: tuple[str, ...],
    costs: str | None,
    stream: bool | None,
    output: str | None,
    keep_summary: bool,
    as_json: bool,
    keep_ids: bool,
) -> int:
    """Learn to predict the target column of a table: its class, or its number; or to find groups without one.

    DATA is a file, a database's address, the name of a built-in table, or - for stdin. Files of more than
    256 MB are read part by part, so that they need not fit into memory.
    """
    from acumen.catalogue import costs_cover, entry, read_costs
    from acumen.data.concat import concat
    from acumen.data.table import Table

    refuse_terminal(output)
    given: dict[str, Any] = {} if costs is None else {"costs": read_costs(costs)}
    if learner == "best":
        from acumen.cli.best import learn_best

        if settings or stream or keep_summary:
            raise click.UsageError("--learner best does not go with --set, --stream or --keep-summary.")
        return learn_best(reading, given, output, as_json, keep_ids)
    if learner is not None:  # what is wrong with it is said before a large file is read
        entry(learner).make(settings, **given).check_parameters()
    with console.busy(f"learning from {reading.shown}"):
        source: Any = reading.scan() if _is_large(reading, stream) else reading.read()
        # What is wrong with the command is said before what is odd about the table.
        costs_cover(given.get("costs"), source.schema.classes)
        model = entry(learner_for(learner, source.schema)).make(settings, **given)
        model.check_parameters()
        streamed = not isinstance(source, Table) and model.streams and (stream or not model.learns_unlabelled)
        if not streamed and not isinstance(source, Table):
            source = concat(list(source))
        said_of(source, reading)
        if streamed:
            model.fit_stream(source)
        else:
            model.fit(without_idle_columns(source, keep_ids))
    if output is not None:
        from acumen.store import save

        save(model, output, summary=keep_summary)
    if as_json:
        console.result_json(facts_of(model, output))
        return console.OK
    from acumen.show.escape import printable_lines

    said = printable_lines(model.describe())
    if output == STDOUT:
        console.say(said)  # the model itself went to stdout
        return console.OK
    console.result(said)
    console.say(f"kept in {output}" if output else "not kept; give -o FILE to keep the model.")
    return console.OK


def task_of(schema: Schema) -> Task:
    """What the target asks for."""
    from acumen.base import task
    from acumen.errors import DataError

    asked = task.task_of(schema)
    if asked is None:
        raise DataError(
            f"name the column to be predicted with --target; the columns are {', '.join(schema.columns)}."
        )
    return asked


def learner_for(word: str | None, schema: Schema) -> str:
    """The learner asked for, which must suit the target; or the usual one, and it is said which."""
    from acumen.base.task import CLASSES
    from acumen.catalogue import parsed, usual
    from acumen.errors import DataError

    if word is not None and parsed(word)[0].task.target is None:
        return word  # it has no use for a target
    if word is not None and schema.target is None and parsed(word)[0].learner.targetless:
        return word  # it models all attributes then
    task = task_of(schema)
    name = schema.target.name if schema.target is not None else ""
    if word is None:
        if task is not CLASSES:
            console.say(
                f"the target {name!r} is numeric, so {task.usual} is learned; for classes say --kind {name}=nominal."
            )
        return usual(task).kind
    other = parsed(word)[0].task
    if not other.suits(schema):
        raise DataError(
            f"{word} predicts {other.noun}, but the target {name!r} is {task.target}; say --kind {name}={other.target}"
            f", or take another learner, such as {task.usual}."
        )
    return word


def _is_large(reading: Reading, wish: bool | None) -> bool:
    """Whether the rows should not be held all at once to see what is in them."""
    if wish is not None:
        return wish
    from acumen.data.databases.address import is_database, sqlite_file

    place = reading.data
    if is_database(place):
        if not place.lower().startswith("sqlite:"):
            return True  # nobody knows how many rows a server will send
        place = sqlite_file(place) or ""
    path = Path(place)
    return path.is_file() and path.stat().st_size > STREAM_BEYOND


def facts_of(model: Any, output: str | None) -> dict[str, Any]:
    """What was learned, for JSON."""
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
