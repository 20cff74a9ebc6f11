"""`acumen shapes`: what an additive model learned of an attribute, where a person knows better.

edit MODEL          shapes dropped, or flattened where nobody believes them
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
    """Shapes of an additive model by hand."""


@shapes.command(cls=Guarded, short_help="Change a model's shapes, and see what that does.")
@click.argument("model", metavar="MODEL", type=FILE_IN)
@click.option(
    "--drop", multiple=True, metavar="NAME", help="Drop the shape of an attribute. May be repeated."
)
@click.option("--flatten", multiple=True, metavar="NAME=A,B",
              help="One value from A to B, or for the levels A, B, ... May be repeated.")  # fmt: skip
@click.option("-o", "--output", metavar="FILE", type=FILE_OUT, help="Where to keep the edited model.")
@click.option(
    "--effect",
    metavar="DATA",
    type=FILE_IN,
    help="A table: which of its rows are answered otherwise, and a test.",
)
@click.option("--folds", type=click.IntRange(2),
              help="Judge both on so many folds of --effect too, each learned anew.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="For the folds.")
@click.option("--json", "as_json", is_flag=True, help="The changes and the effect, as JSON.")
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
    """Change the shapes of an additive model, and tell what the change does to a table's rows.

    A shape that is dropped adds nothing any more; one that is flattened has one value from A to B, the mean of its
    training rows there, or one for several levels. The edited model says in its file what was done. With --folds both
    are learned anew in each fold, one of them with the change.
    """
    from acumen.data.escape import printable_lines
    from acumen.store import load

    refuse_terminal(output)
    if folds is not None and effect is None:
        raise click.UsageError("--folds judges the rows of a table; give it by --effect DATA.")
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
        console.say("not kept; give -o FILE to keep the edited model.")
    elif output != STDOUT:
        console.say(f"kept in {output}")


def edit_shapes(learner: Any, drop: tuple[str, ...], flatten: tuple[str, ...]) -> Any:
    """A copy with the changes made, those of --flatten first."""
    from acumen.errors import ParameterError, did_you_mean
    from acumen.explain.questions import HasShapes

    has_shapes = isinstance(learner, HasShapes)
    if not has_shapes:
        raise ParameterError(f"{type(learner).__name__} has no shapes; Additive and AdditiveRegressor have.")
    if not drop and not flatten:
        raise click.UsageError("say what to change: --drop or --flatten.")
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
        raise click.UsageError(f"--flatten: write it as NAME=A,B; got {text!r}.")
    if name not in schema.names:
        return name, ()
    attribute = schema[name]
    if attribute.is_numeric:
        if len(values) != 2:
            raise click.UsageError(f"--flatten: {name!r} is a number; give two, the smaller first.")
        return name, tuple(_number(value, attribute) for value in values)
    levels = {str(level): level for level in attribute.levels}
    return name, tuple(levels.get(value, value) for value in values)


def _number(text: str, attribute: Attribute) -> float:
    from acumen.rulelist.parsing import parse_number

    try:
        return parse_number(text, attribute)
    except ValueError:
        what = "date or number" if attribute.form else "number"
        raise click.UsageError(f"--flatten: {text!r} is no {what} for {attribute.name!r}.") from None


# -- What commands share that change a model by hand: rows that a change is looked at with, and its
# judgement on folds
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
        sentence, renamed, _ = str(error).partition(" Say --rename")
        if not renamed:
            raise
        # These commands have no such options: what a change does is looked at on the model's own columns.
        raise DataError(f"{sentence} Give a table that has the columns it was learned from.") from None
    matching.tell()
    return table


def held_out(before: Any, after: Any, table: Table, folds: int, seed: int, who: str) -> Any:
    """Both on the same folds."""
    from acumen.assessment.held_out_effect import held_out_effect
    from acumen.profiling.fit_warnings import data_warnings_off

    require_known_classes(table, who)
    with console.busy("judging on folds"), data_warnings_off():
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
            f"{who}: no row of DATA has a known {target.name!r}, so no answer can be right or wrong."
        )
    raise DataError(
        f"{who}: no row of DATA is of a class that the model knows ({', '.join(map(str, target.levels))}); give "
        "the table that it was learned from."
    )
