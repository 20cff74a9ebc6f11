"""`acumen shapes`: edit the shapes of an additive model by hand.

edit MODEL          remove shapes, or flatten implausible parts
"""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

import click

from acumen.cli import console
from acumen.cli.data import Reading
from acumen.cli.files import FILE_IN, FILE_OUT, STDOUT, Guarded, refuse_terminal

if TYPE_CHECKING:
    from acumen.data.schema import Attribute, Schema
    from acumen.data.table import Table


@click.group(no_args_is_help=False)
def shapes() -> None:
    """Edit the shapes of an additive model by hand."""


@shapes.command(cls=Guarded, short_help="Edit the shapes of a model, and see the effect.")
@click.argument("model", metavar="MODEL", type=FILE_IN)
@click.option(
    "--remove",
    "drop",
    multiple=True,
    metavar="NAME",
    help="Remove the shape of an attribute. May be repeated.",
)
@click.option("--flatten", multiple=True, metavar="NAME=A,B",
              help="Use one value from A to B, or for the categories A, B, ... May be repeated.")  # fmt: skip
@click.option("-o", "--output", metavar="FILE", type=FILE_OUT, help="Save the edited model to this file.")
@click.option(
    "--effect",
    metavar="DATA",
    type=FILE_IN,
    help="Table on which to show changed predictions, with a significance test.",
)
@click.option("--folds", type=click.IntRange(2),
              help="Also compare both models by cross-validation on --effect, retrained in each fold.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Random seed for the folds.")
@click.option("--json", "as_json", is_flag=True, help="Print the edits and the effect as JSON.")
def edit(
    model: str,
    drop: tuple[str, ...],
    flatten: tuple[str, ...],
    output: str | None,
    effect: str | None,
    folds: int | None,
    seed: int,
    as_json: bool,
) -> None:
    """Edit the shapes of an additive model, and show the effect on the rows of a table.

    A removed shape no longer contributes. A flattened shape has one value from A to B, the mean of its
    training rows there, or one value for several categories. The model file records the edits. With --folds both
    models are retrained in each fold, one of them with the edits.
    """
    from acumen.data.escape import printable_lines
    from acumen.store import load

    refuse_terminal(output)
    if folds is not None and effect is None:
        raise click.UsageError("--folds evaluates the rows of a table; add --effect DATA.")
    learner = load(model)
    new = edit_shapes(learner, drop, flatten)
    table = None if effect is None else table_of(effect, learner.predictor_)
    difference = None
    if table is not None and hasattr(learner.predictor_, "classes"):
        from acumen.assessment.effect import effect as effect_of

        difference = effect_of(learner, new, table)
    held = (
        None if table is None or folds is None else held_out(learner, new, table, folds, seed, "shapes edit")
    )
    if output is not None:
        from acumen.store import save

        save(new, output)
    if as_json:
        facts = {
            name: None if each is None else each.to_dict()
            for name, each in (("effect", difference), ("held_out", held))
        }
        console.result_json({"schema_version": 1, "edits": new.edits, "model_file": output, **facts})
        return
    say = console.say if output == STDOUT else console.result
    say(printable_lines(new.describe()))
    for each in (difference, held):
        if each is not None:
            say(f"\n{each}")
    if output is None:
        console.say("Model not saved; add -o FILE to save the edited model.")
    elif output != STDOUT:
        console.say(f"Model saved to {output}.")


def edit_shapes(learner: Any, drop: tuple[str, ...], flatten: tuple[str, ...]) -> Any:
    """A copy with the changes made, those of --flatten first."""
    from acumen.errors import ParameterError, did_you_mean
    from acumen.explain.questions import HasShapes

    has_shapes = isinstance(learner, HasShapes)
    if not has_shapes:
        raise ParameterError(
            f"{type(learner).__name__} has no shapes; only Additive and AdditiveRegressor have them."
        )
    if not drop and not flatten:
        raise click.UsageError("give at least one of --remove and --flatten.")
    schema: Schema = learner.predictor_.schema
    copy = learner
    for name, what in [*(_parse_flatten(text, schema) for text in flatten), *((name, ()) for name in drop)]:
        if name not in schema.names:
            raise click.UsageError(f"there is no attribute {name!r}.{did_you_mean(name, schema.names)}")
        copy = copy.edit(name, *what)
    return copy


def _parse_flatten(text: str, schema: Schema) -> tuple[str, tuple[Any, ...]]:
    """NAME=A,B as the arguments of `edit`; a level with a comma in it goes in double quotes, as in CSV."""
    known = [name for name in schema.names if text.startswith(f"{name}=")]
    name = max(known, key=len) if known else text.partition("=")[0]
    values = next(csv.reader([text[len(name) + 1 :]]), [])
    if "=" not in text or len(values) < 2:
        raise click.UsageError(f"--flatten: use the form NAME=A,B; got {text!r}.")
    if name not in schema.names:
        return name, ()
    attribute = schema[name]
    if attribute.is_numeric:
        if len(values) != 2:
            raise click.UsageError(f"--flatten: {name!r} is numeric; give two numbers, the smaller first.")
        return name, tuple(_number(value, attribute) for value in values)
    levels = {str(level): level for level in attribute.levels}
    return name, tuple(levels.get(value, value) for value in values)


def _number(text: str, attribute: Attribute) -> float:
    from acumen.rulelist.parsing import parse_number

    try:
        return parse_number(text, attribute)
    except ValueError:
        what = "date or number" if attribute.form else "number"
        raise click.UsageError(f"--flatten: {text!r} is not a {what} for {attribute.name!r}.") from None


# -- helpers of the commands that edit a model ----------------------------------------------------
#
# Helpers of commands that edit a model: the rows that show an effect, and its evaluation on folds.
#
# table_of               DATA under a model's schema, labels included
# held_out               a model before and after a change, on the same folds
# require_known_classes  or a sentence: no row could be right or wrong


def table_of(data: str, predictor: Any) -> Table:
    """The rows of DATA under the model's schema, labels included where it has them."""
    from acumen.cli.matching import Matching, MatchWish
    from acumen.data.concat import concat
    from acumen.errors import DataError

    matching = Matching(predictor, Reading(data, {}), MatchWish())
    try:
        with console.busy(f"reading {data}"):
            table = concat([rows for _, rows in matching.tables(matching.scan())])
    except DataError as error:
        sentence, renamed, _ = str(error).partition(" Use --rename")
        if not renamed:
            raise
        # These commands have no such options: what a change does is looked at on the model's own columns.
        raise DataError(f"{sentence} Give a table with the training columns of the model.") from None
    matching.tell()
    return table


def held_out(before: Any, after: Any, table: Table, folds: int, seed: int, who: str) -> Any:
    """Both on the same folds."""
    from acumen.assessment.held_out_effect import held_out_effect
    from acumen.profiling.fit_warnings import data_warnings_off

    require_known_classes(table, who)
    with console.busy("evaluating on folds"), data_warnings_off():
        return held_out_effect(before, after, table, folds=folds, random_state=seed)


def require_known_classes(table: Table, who: str) -> None:
    """Some row must be of a class that the model knows."""
    from acumen.errors import DataError
    from acumen.types import MISSING

    target = table.schema.target
    if target is None or table.labels is None or (table.labels >= 0).any():
        return
    if (table.labels == MISSING).all():
        raise DataError(
            f"{who}: no row of DATA has a known {target.name!r}, so no prediction can be checked."
        )
    raise DataError(
        f"{who}: no row of DATA has a class that the model knows ({', '.join(map(str, target.levels))}); give "
        "the table it was trained on."
    )
