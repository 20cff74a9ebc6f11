"""Files that commands read and write, and the guard between them: no output takes the place of an input.

    DATA_IN, FILE_IN   the types of arguments and options that name what is read
    FILE_OUT           the type of options that name what is written; `-` is stdout
    FILES_OUT          the same for several files, with commas between their names
    Guarded            the class of every command: looks at all of these before the command does anything
    ReadingOption      an option that says how DATA is read; the help has these apart

Files are told apart by device and inode, so that links and other spellings of a path count as the same file. Nothing
heavy is imported here.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from typing import Any

import click

from acumen.cli import console

STDOUT = "-"
Identity = tuple[int, int]


class FileIn(click.ParamType):  # type: ignore[type-arg]  # generic in click's newer stubs only
    """A file that is read."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return str(value)


class DataIn(FileIn):
    """A table: a file, `-`, the address of a database, or the name of a built-in table."""

    name = "data"


class FileOut(FileIn):
    """A file that is written; an empty name is none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if not str(value):
            self.fail("give the name of a file to write, or - for stdout; got an empty one.", param, ctx)
        return str(value)


class FilesOut(FileOut):
    """Several files that are written, with commas between them."""

    name = "files"


FILE_IN, DATA_IN, FILE_OUT, FILES_OUT = FileIn(), DataIn(), FileOut(), FilesOut()


class ReadingOption(click.Option):
    """An option that says how DATA is read, the same for every command that takes a table."""


class Guarded(click.Command):
    """A command that refuses to overwrite its input; its help lists its own options first."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Its own options, then those that say how DATA is read."""
        groups: dict[str, list[tuple[str, str]]] = {"Options": [], "How DATA is read": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if record is not None:
                reading = isinstance(parameter, ReadingOption)
                groups["How DATA is read" if reading else "Options"].append(record)
        for name, records in groups.items():
            if records:
                with formatter.section(name):
                    formatter.write_dl(records)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            # A shell makes many files of a pattern that is not in quotes.
            reads = any(parameter.name == "data" for parameter in self.get_params(ctx))
            extra = error.message.partition("(")[2].rstrip(")").split(" ")
            if reads and "extra argument" in error.message and os.path.isfile(extra[-1]):  # noqa: PTH113
                several = "To read several files as one table, quote the pattern: 'parts/*.csv'."
                raise click.UsageError(f"{error.message}. {several}", ctx) from None
            raise

    def invoke(self, ctx: click.Context) -> Any:
        refuse_overwriting(ctx)
        return super().invoke(ctx)


def refuse_overwriting(ctx: click.Context) -> None:
    """Raise if an output is also an input, or if two results go to stdout."""
    inputs = list(_inputs(ctx))
    written = list(_parameters_of_types(ctx, FileOut))
    to_stdout = [option for option, path in written if path == STDOUT]
    if to_stdout and ctx.params.get("as_json"):
        to_stdout.append("--json")
    if len(to_stdout) > 1:
        raise click.UsageError(
            f"{' and '.join(to_stdout)} both write to stdout; give a file name for one of them.", ctx
        )
    for option, path in written:
        same = None if path == STDOUT else _identity(path)
        for what, shown, identity in inputs:
            if same is not None and same == identity:
                raise click.UsageError(
                    f"{option} {path} is also {what}{shown} and would be overwritten; give another output file.",
                    ctx,
                )
    ours = _identity_of(1)
    for what, shown, identity in inputs:
        if ours is not None and ours == identity:
            raise click.UsageError(
                f"stdout is also {what}{shown}, which would be overwritten; redirect the output to another file.",
                ctx,
            )


def refuse_terminal(output: str | None) -> None:
    """Raise if a model file would be written to a terminal."""
    if output == STDOUT and console.is_terminal(sys.stdout):
        raise click.UsageError(
            "a model file is binary; redirect stdout to a file or a pipe, or give a file name."
        )


def _inputs(ctx: click.Context) -> Iterator[tuple[str, str, Identity]]:
    """What is read: its name on the command line, how it is called there, and which file it is."""
    for name, path in _parameters_of_types(ctx, FileIn):
        is_data = name == "DATA"
        if is_data and path == "-":
            identity, shown = _identity_of(0), " (stdin)"
        else:
            place = _place(path) if is_data else path
            identity, shown = (None if place is None else _identity(place)), f" ({path})"
        if identity is not None:
            yield name, shown, identity


def _parameters_of_types(ctx: click.Context, kind: type[FileIn]) -> Iterator[tuple[str, str]]:
    """The parameters of one of the types here: as the user writes them, and what was given."""
    for param in ctx.command.params:
        of_kind = isinstance(param.type, kind) and isinstance(param.type, FileOut) == (kind is FileOut)
        value = ctx.params.get(param.name or "")
        if of_kind and value is not None:
            shown = param.opts[-1] if isinstance(param, click.Option) else str(param.metavar).strip("[].")
            several = isinstance(param.type, FilesOut)
            values = (
                value if isinstance(value, tuple) else str(value).split(",") if several else (str(value),)
            )
            yield from ((shown, str(path)) for path in values)


def _place(data: str) -> str | None:
    """The file that DATA is in; None for a server."""
    from acumen.data.databases.address import is_database, sqlite_file

    return sqlite_file(data) if is_database(data) else os.path.expanduser(data)  # noqa: PTH111


def _identity(path: str) -> Identity | None:
    """Which file a path leads to; None where there is none, or what is there cannot be overwritten (a device)."""
    try:
        return _of(os.stat(path))  # noqa: PTH116
    except (OSError, ValueError):
        return None


def _identity_of(descriptor: int) -> Identity | None:
    stream = (sys.stdin, sys.stdout)[descriptor]
    try:
        return None if stream is None else _of(os.fstat(stream.fileno()))
    except (OSError, ValueError, AttributeError):  # closed, or no file at all
        return None


def _of(status: os.stat_result) -> Identity | None:
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) and status.st_ino else None
