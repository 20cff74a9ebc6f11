"""`acumen learn DATA`: learn a model, show it, and keep it in a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from acumen.cli import console
from acumen.cli.data import Reading, reads_data

if TYPE_CHECKING:
    from acumen.data.schema import Schema

#: Files larger than this are learned from part by part, where the learner can.
STREAM_BEYOND = 256 << 20


@click.command()
@reads_data
@click.option(
    "--learner", default="naive-bayes", show_default=True, metavar="NAME", help="See `acumen learners`."
)
@click.option("--set", "settings", metavar="NAME=VALUE", multiple=True, help="A parameter. May be repeated.")
@click.option("--costs", type=click.Path(path_type=Path), metavar="FILE",
              help="A CSV of costs: a row for each predicted class, a column for each true one.")  # fmt: skip
@click.option("--stream/--whole", default=None, help="Learn part by part, or from the whole table at once.")
@click.option("-o", "--output", metavar="FILE", help="Where to keep the model, usually NAME.acm.")
@click.option("--keep-summary", is_flag=True, help="Keep what is needed to go on learning later.")
@click.option("--json", "as_json", is_flag=True, help="What was learned, as JSON.")
def learn(
    reading: Reading,
    learner: str,
    settings: tuple[str, ...],
    costs: Path | None,
    stream: bool | None,
    output: str | None,
    keep_summary: bool,
    as_json: bool,
) -> None:
    """Learn to predict the target column of a table.

    DATA is a file, the name of a built-in table, or - for stdin. Files of more than 256 MB are read part by
    part, so that they need not fit into memory.
    """
    from acumen.catalogue import entry

    given: dict[str, Any] = {} if costs is None else {"costs": read_costs(costs)}
    model = entry(learner).make(settings, **given)
    model._check_parameters()
    with console.busy(f"learning from {reading.shown}"):
        if _streams(reading, model, stream):
            parts = reading.scan()
            require_classes(parts.schema)
            model.fit_stream(parts)
        else:
            table = reading.read()
            require_classes(table.schema)
            model.fit(table)
    if output is not None:
        from acumen.store import save

        save(model, output, summary=keep_summary)
    if as_json:
        console.result_json(_facts(model, output))
        return
    from acumen.show.escape import printable_lines

    console.result(printable_lines(model.describe()))
    console.say(f"kept in {output}" if output else "not kept; give -o FILE to keep the model.")


def require_classes(schema: Schema) -> None:
    """A classifier needs a nominal target."""
    from acumen.errors import DataError

    if schema.target is None:
        raise DataError(
            f"name the column to be predicted with --target; the columns are {', '.join(schema.columns)}."
        )
    if not schema.target.is_nominal:
        raise DataError(
            f"the target {schema.target.name!r} is numeric; to learn classes say --kind {schema.target.name}=nominal."
        )


def _streams(reading: Reading, model: Any, wish: bool | None) -> bool:
    if wish is not None or not hasattr(model, "fit_stream"):
        return bool(wish) and hasattr(model, "fit_stream")
    path = Path(reading.data)
    large = path.is_file() and path.stat().st_size > STREAM_BEYOND
    return large and getattr(model, "unlabelled", "ignore") == "ignore"


def read_costs(path: Path) -> dict[tuple[str, str], float]:
    """Costs from a CSV whose first row names the true classes and whose first column the predicted ones."""
    import csv

    from acumen.errors import DataError

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
        "target": model.schema_.target.name,
        "classes": list(model.schema_.classes),
        "attributes": list(model.schema_.names),
        "rows": model.training_["rows"],
        "weight": model.training_["weight"],
        "model_file": output,
        "description": model.describe(full=True),
    }
