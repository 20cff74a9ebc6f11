"""`--engine`: where a command's work is done, one decorator for every command that can share it out.

@click.command()
@reads_data
@on_engine
def learn(...): ...         # within it, `acumen.engine` is what was asked for
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import click

from acumen.cli import console
from acumen.cli.data import NearChoice
from acumen.cli.files import FILE_IN

F = TypeVar("F", bound=Callable[..., Any])

ENGINES = ("threads", "serial", "disk", "dask")

_OPTIONS = (
    click.option(
        "--engine", type=NearChoice(ENGINES),
        help="Where the work is done: in threads, one after another, reading ahead from disk, or on a Dask cluster; "
        "what suits the data unless given.",
    ),
    click.option("--scheduler", metavar="ADDRESS",
                 help="With --engine dask: the scheduler to join. It can run code as you: join those you trust."),
    click.option("--scheduler-file", metavar="FILE", type=FILE_IN,
                 help="With --engine dask: the file that holds its address."),
    click.option("--workers", type=click.IntRange(1), metavar="N",
                 help="With --engine dask: processes of a cluster on this machine; as many as cores unless given."),
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
            raise click.UsageError("--scheduler and --scheduler-file both name a scheduler; give one.")
        if workers is not None and (scheduler or scheduler_file):
            raise click.UsageError("--workers is for a cluster on this machine; leave out --scheduler.")
        if engine is None:
            return command(*args, **given)
        from acumen.engines.run import engine as within

        if engine != "dask":
            with within(engine):  # type: ignore[arg-type]
                return command(*args, **given)
        if scheduler is not None or scheduler_file is not None:
            console.say(
                "acumen: a scheduler that is joined can run code as you, and whoever else joins it can too; rows are "
                "read by its workers, at the paths given here."
            )
        with within("dask", scheduler, scheduler_file=scheduler_file, workers=workers):
            return command(*args, **given)

    wrapped: Any = call
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    decorated: F = wrapped
    return decorated
