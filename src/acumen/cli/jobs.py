"""--jobs: how many threads."""

from __future__ import annotations

import click


def _threads(context: click.Context, parameter: click.Parameter, value: int | None) -> int | None:
    if value == 0:
        raise click.BadParameter("a whole number other than 0 is wanted; -1 is all cores.")
    return value


takes_jobs = click.option(
    "--jobs", type=int, callback=_threads, help="Threads; all permitted cores unless given."
)
