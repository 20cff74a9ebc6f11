"""Options and checks that several commands share: engine, threads, identifiers, warnings, labels, kinds of learners."""

from __future__ import annotations

import functools
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from acumen.cli import console
from acumen.cli.data import NearChoice, Reading
from acumen.cli.files import FILE_IN

if TYPE_CHECKING:
    from acumen.data.parts import Parts
    from acumen.data.schema import Schema
    from acumen.data.table import Table
    from acumen.models.task import Task
    from acumen.profiling.warning_lines import TableWarningLike
    from acumen.types import Label


F = TypeVar("F", bound=Callable[..., Any])


ENGINES = ("threads", "serial", "disk", "dask")


_OPTIONS = (
    click.option(
        "--engine", type=NearChoice(ENGINES),
        help="How to run: in threads, serially, reading ahead from disk, or on a Dask cluster.  [default: "
        "chosen by the data]",
    ),
    click.option("--scheduler", metavar="ADDRESS",
                 help="With --engine dask: address of the scheduler. It can run code as you, so use only one "
                 "you trust."),
    click.option("--scheduler-file", metavar="FILE", type=FILE_IN,
                 help="With --engine dask: file with the address of the scheduler."),
    click.option("--workers", type=click.IntRange(1), metavar="N",
                 help="With --engine dask: number of local worker processes.  [default: number of cores]"),
)  # fmt: skip


def on_engine(command: F) -> F:
    """Give a command `--engine` and what belongs to it; the command runs within that engine."""

    @functools.wraps(command)
    def call(
        *args: Any,
        engine: str | None,
        scheduler: str | None,
        scheduler_file: str | None,
        workers: int | None,
        **given: Any,
    ) -> Any:
        connection = {"--scheduler": scheduler, "--scheduler-file": scheduler_file, "--workers": workers}
        for flag, value in connection.items():
            if value is not None and engine != "dask":
                raise click.UsageError(f"{flag} is for --engine dask.")
        if scheduler is not None and scheduler_file is not None:
            raise click.UsageError("give only one of --scheduler and --scheduler-file.")
        if workers is not None and (scheduler or scheduler_file):
            raise click.UsageError("--workers is for a cluster on this machine; remove --scheduler.")
        if engine is None:
            return command(*args, **given)
        from acumen.engines.run import engine as within

        if engine != "dask":
            with within(engine):  # type: ignore[arg-type]
                return command(*args, **given)
        if scheduler is not None or scheduler_file is not None:
            console.say(
                "acumen: the scheduler and all its other clients can run code as you. Its workers read the rows, "
                "at the paths given here."
            )
        with within("dask", scheduler, scheduler_file=scheduler_file, workers=workers):
            return command(*args, **given)

    wrapped: Any = call
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    decorated: F = wrapped
    return decorated


def _threads(context: click.Context, parameter: click.Parameter, value: int | None) -> int | None:
    if value == 0:
        raise click.BadParameter("must be a whole number other than 0; -1 means all cores.")
    return value


threads_option = click.option(
    "--threads",
    "jobs",
    type=int,
    callback=_threads,
    help="Number of threads.  [default: all available cores]",
)


#: Number of ignored columns to name.
_NAMED = 5


def keep_ids_option(command: F) -> F:
    """Give a command the option `--keep-ids`, handed over as `keep_ids`."""
    decorated: F = click.option(
        "--keep-ids", is_flag=True, help="Also use identifier columns and constant columns."
    )(command)
    return decorated


def drop_uninformative_columns(table: Table, keep_ids: bool) -> Table:
    """The table without identifier and constant columns; prints which were left out."""
    from acumen.profiling.uninformative import uninformative_columns

    idle = {} if keep_ids else uninformative_columns(table)
    report_ignored_columns(idle)
    return table.select([name for name in table.schema.names if name not in idle]) if idle else table


def report_ignored_columns(left_out: Mapping[str, str]) -> None:
    """Print which columns are ignored, and why."""
    for name, why in list(left_out.items())[:_NAMED]:
        console.say(f"Ignored column {name!r}: {why}. Use --keep-ids to keep it.")
    if len(left_out) > _NAMED:
        console.say(f"Ignored {len(left_out) - _NAMED} more columns like these.")


def label_of(word: str | None, schema: Schema) -> Label | None:
    """The class of that name, which need not be a text itself."""
    if word is None:
        return None
    from acumen.errors import ParameterError, did_you_mean

    for label in schema.classes:
        if str(label) == word:
            return label
    known = [str(label) for label in schema.classes]
    raise ParameterError(
        f"--positive-class: there is no class {word!r}; the classes are "
        f"{', '.join(known[:8])}.{did_you_mean(word, known)}"
    )


def positive_of(word: str | None, schema: Schema, who: str) -> Label:
    """The positive class: the named one, or the second of two."""
    named = label_of(word, schema)
    if named is not None:
        return named
    if len(schema.classes) == 2:
        return schema.classes[1]
    from acumen.errors import ParameterError

    more = ", ..." if len(schema.classes) > 8 else ""
    known = ", ".join(map(str, schema.classes[:8])) + more
    raise ParameterError(
        f"{who}: name the positive class with --positive-class; the classes are {known}{'' if more else '.'}"
    )


def given_words() -> list[str]:
    """What was given after `acumen`, word by word."""
    return list(click.get_current_context().find_root().obj)


def task_of(schema: Schema) -> Task:
    """What the target asks for."""
    from acumen.errors import DataError
    from acumen.models import task

    task_wanted = task.task_of(schema)
    if task_wanted is None:
        raise DataError(
            f"name the column to predict with --target; the columns are {', '.join(schema.columns)}."
        )
    return task_wanted


def learner_for(word: str | None, schema: Schema) -> str:
    """The named learner, which must suit the target; otherwise the default one, with a message."""
    from acumen.errors import DataError
    from acumen.models.task import CLASSES
    from acumen.registry import parse_learner, usual

    if word is not None and parse_learner(word)[0].task.target is None:
        return word  # it has no use for a target
    if word is not None and schema.target is None and parse_learner(word)[0].learner.learns_without_target:
        return word  # it models all attributes then
    task = task_of(schema)
    name = schema.target.name if schema.target is not None else ""
    if word is None:
        if task is not CLASSES:
            console.say(
                f"The target {name!r} is numeric, so {task.usual} is used. If its numbers are classes, add "
                f"--kind {name}=nominal."
            )
        return usual(task).kind
    other = parse_learner(word)[0].task
    if not other.suits(schema):
        raise DataError(
            f"{word} predicts {other.noun}, but the target {name!r} is {task.target}; add --kind {name}={other.target}"
            f", or use another learner, such as {task.usual}."
        )
    return word


_STRICT = "acumen.strict"


def strict(command: F) -> F:
    """Give a command the option `--strict`, which `report_table_warnings` reads."""

    def remember(ctx: click.Context, _: click.Parameter, value: bool) -> None:
        ctx.meta[_STRICT] = value

    decorated: F = click.option(
        "--strict", is_flag=True, expose_value=False, callback=remember,
        help="Exit with 1 before training if `acumen inspect` would show a warning.",
    )(command)  # fmt: skip
    return decorated


def report_table_warnings(table: Table | Parts, reading: Reading) -> None:
    """Print data warnings; for a table read in parts those of the reader, and `fit_stream` prints the rest."""
    from acumen.data.table import Table
    from acumen.profiling.card import warnings_of
    from acumen.profiling.warning_lines import warning_summary

    if isinstance(table, Table):
        warnings: Sequence[TableWarningLike] = warnings_of(table)
        table.report.warned = True  # `fit` need not say it again
    else:
        warnings = table.report.warnings
        table.report.warnings_shown = True
    if not warnings:
        return
    named = reading.options.get("target")
    where = ["acumen", "inspect", reading.display_name, *([] if named is None else ["--target", str(named)])]
    console.say(f"{warning_summary(warnings)}; see {shlex.join(where)}")
    if click.get_current_context().meta.get(_STRICT):
        console.say("acumen: the table has warnings, so nothing is trained under --strict.")
        raise click.exceptions.Exit(console.FINDING)
