"""`acumen learn DATA`: learn a model, show it, and keep it in a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from acumen.cli import console
from acumen.cli.data import Reading, reads_data
from acumen.cli.files import FILE_IN, FILE_OUT, STDOUT, Guarded, refuse_terminal

if TYPE_CHECKING:
    from acumen.base.model import Task
    from acumen.data.schema import Schema

#: Files larger than this are learned from part by part, where the learner can.
STREAM_BEYOND = 256 << 20


@click.command(cls=Guarded)
@reads_data
@click.option(
    "--learner",
    metavar="NAME",
    help="See `acumen learners`; naive-bayes for classes and linear-regression for numbers, unless given.",
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
def learn(
    reading: Reading,
    learner: str | None,
    settings: tuple[str, ...],
    costs: str | None,
    stream: bool | None,
    output: str | None,
    keep_summary: bool,
    as_json: bool,
) -> None:
    """Learn to predict the target column of a table: its class, or its number.

    DATA is a file, a database's address, the name of a built-in table, or - for stdin. Files of more than
    256 MB are read part by part, so that they need not fit into memory.
    """
    from acumen.catalogue import entry
    from acumen.data.concat import concat
    from acumen.data.table import Table

    refuse_terminal(output)
    given: dict[str, Any] = {} if costs is None else {"costs": read_costs(costs)}
    if learner is not None:  # what is wrong with it is said before a large file is read
        entry(learner).make(settings, **given)._check_parameters()
    with console.busy(f"learning from {reading.shown}"):
        source: Any = reading.scan() if _is_large(reading, stream) else reading.read()
        model = entry(learner_for(learner, source.schema)).make(settings, **given)
        model._check_parameters()
        if isinstance(source, Table):
            model.fit(source)
        elif hasattr(model, "fit_stream") and (stream or getattr(model, "unlabelled", "ignore") == "ignore"):
            model.fit_stream(source)
        else:
            model.fit(concat(list(source)))
    if output is not None:
        from acumen.store import save

        save(model, output, summary=keep_summary)
    if as_json:
        console.result_json(_facts(model, output))
        return
    from acumen.show.escape import printable_lines

    said = printable_lines(model.describe())
    if output == STDOUT:
        console.say(said)  # the model itself went to stdout
        return
    console.result(said)
    console.say(f"kept in {output}" if output else "not kept; give -o FILE to keep the model.")


#: What learns where nothing is said.
_USUAL: dict[str, str] = {"classification": "naive-bayes", "regression": "linear-regression"}


def task_of(schema: Schema) -> Task:
    """Whether classes or numbers are to be predicted."""
    from acumen.errors import DataError

    if schema.target is None:
        raise DataError(
            f"name the column to be predicted with --target; the columns are {', '.join(schema.columns)}."
        )
    return "classification" if schema.target.is_nominal else "regression"


def learner_for(word: str | None, schema: Schema) -> str:
    """The learner asked for, which must suit the target; or the usual one, and it is said which."""
    from acumen.catalogue import entry
    from acumen.errors import DataError

    task = task_of(schema)
    name = schema.target.name if schema.target is not None else ""
    if word is None:
        if task == "regression":
            console.say(
                f"the target {name!r} is numeric, so {_USUAL[task]} is learned; for classes say --kind {name}=nominal."
            )
        return _USUAL[task]
    if entry(word).task != task:
        wanted, others = ("classes", "nominal") if task == "regression" else ("numbers", "numeric")
        kind = "numeric" if task == "regression" else "nominal"
        raise DataError(
            f"{word} predicts {wanted}, but the target {name!r} is {kind}; say --kind {name}={others}, or take another "
            f"learner, such as {_USUAL[task]}."
        )
    return word


def _is_large(reading: Reading, wish: bool | None) -> bool:
    """Whether the rows should not be held all at once to see what is in them."""
    if wish is not None:
        return wish
    from acumen.data.address import is_database, sqlite_file

    place = reading.data
    if is_database(place):
        if not place.lower().startswith("sqlite:"):
            return True  # nobody knows how many rows a server will send
        place = sqlite_file(place) or ""
    path = Path(place)
    return path.is_file() and path.stat().st_size > STREAM_BEYOND


def read_costs(name: str) -> dict[tuple[str, str], float]:
    """Costs from a CSV whose first row names the true classes and whose first column the predicted ones."""
    import csv

    from acumen.errors import DataError

    path = Path(name)
    with path.open(newline="", encoding="utf-8-sig") as file:
        rows = [row for row in csv.reader(file) if row]
    if len(rows) < 2 or any(len(row) != len(rows[0]) for row in rows):
        raise DataError(
            f"{path}: a cost table needs a header of true classes and one full row for each predicted class."
        )
    made: dict[tuple[str, str], float] = {}
    for row in rows[1:]:
        for true, cost in zip(rows[0][1:], row[1:], strict=True):
            try:
                made[row[0].strip(), true.strip()] = float(cost)
            except ValueError:
                raise DataError(
                    f"{path}: the cost of {row[0]!r} for {true!r} is {cost!r}, not a number."
                ) from None
    return made


def _facts(model: Any, output: str | None) -> dict[str, Any]:
    return {
        "schema_version": 1,
        "learner": model.kind,
        "task": model.task,
        "target": model.schema_.target.name,
        "classes": list(model.schema_.classes),
        "attributes": list(model.schema_.names),
        "rows": model.training_["rows"],
        "weight": model.training_["weight"],
        "model_file": output,
        "description": model.describe(full=True),
    }
