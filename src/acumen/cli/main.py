"""`acumen`: finds the command, runs it, and turns whatever goes wrong into a sentence and an exit code.

A command is a line in COMMANDS and a file beside this one. Its module is imported when it is called and
not before; `acumen --help` reads nothing but this file, `console` and click.
"""

from __future__ import annotations

import errno
import importlib
import os
import signal
import sys
import warnings
from collections.abc import Sequence
from typing import Any, NoReturn

import click

import acumen
from acumen.cli import console
from acumen.cli.console import is_interrupted
from acumen.messages import speak_of_flags

#: name -> ("module:object", what it does in one line)
COMMANDS: dict[str, tuple[str, str]] = {
    "inspect": (
        "acumen.cli.inspect:inspect",
        "Summarise a table and find problems before training.",
    ),
    "split": ("acumen.cli.split:split", "Split a table into a training set and a test set."),
    "compare": (
        "acumen.cli.compare:compare",
        "Compare learners by cross-validation and find the significantly better ones.",
    ),
    "learn": ("acumen.cli.learn:learn", "Train a model that predicts a column, and save it."),
    "predict": ("acumen.cli.predict:predict", "Predict new rows with a saved model."),
    "test": ("acumen.cli.test:test", "Evaluate a model on labelled rows."),
    "curve": (
        "acumen.cli.curve:curve",
        "Draw the ROC, lift, precision-recall or calibration curve of a model.",
    ),
    "decide": (
        "acumen.cli.decide:decide",
        "Choose a probability threshold by costs, capacity or precision.",
    ),
    "cluster": (
        "acumen.cli.cluster:cluster",
        "Cluster rows, describe the clusters by rules, and save the model.",
    ),
    "mine": ("acumen.cli.mine:mine", "Find frequent itemsets and association rules in baskets."),
    "label": (
        "acumen.cli.label:label",
        "Label rows interactively, most useful rows first (active learning).",
    ),
    "complete": (
        "acumen.cli.complete:complete",
        "Fill missing values from the other columns, and measure the errors.",
    ),
    "tune": ("acumen.cli.tune:tune", "Tune the parameters of a learner, and save the model."),
    "show": ("acumen.cli.show:show", "Show or draw a model, or export it to SQL, Python, ONNX or PMML."),
    "rules": ("acumen.cli.rules:rules", "Edit the rules of a model by hand, and see the effect."),
    "shapes": (
        "acumen.cli.shapes:shapes",
        "Edit the shapes of an additive model by hand, and see the effect.",
    ),
    "studio": (
        "acumen.studio.command:studio",
        "Use acumen in the browser; every click shows its command.",
    ),
    "learners": ("acumen.cli.learners:learners", "List the learners, or the parameters of one."),
    "parts": ("acumen.cli.parts:parts", "Train one model from a table stored in several parts."),
    "datasets": ("acumen.cli.datasets:datasets", "List the built-in tables."),
    "completion": ("acumen.cli.completion:completion", "Print the completion script for your shell."),
}

#: What `--help` lists together.
SECTIONS: dict[str, tuple[str, ...]] = {
    "From a file to a decision": (
        "inspect",
        "split",
        "compare",
        "learn",
        "show",
        "test",
        "decide",
        "predict",
    ),
    "In the browser": ("studio",),
    "More commands": ("tune", "curve", "rules", "shapes", "cluster", "mine", "label", "complete"),
    "Tables in parts": ("parts",),
    "Reference": ("learners", "datasets", "completion"),
}


class Commands(click.Group):
    """The commands of COMMANDS, each loaded when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        if not any(option.name == "debug" for option in command.params):
            command.params.append(_debug_option())
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            from acumen.errors import did_you_mean

            raise click.UsageError(
                f"there is no command {args[0]!r}; the commands are {', '.join(COMMANDS)}."
                f"{did_you_mean(args[0], COMMANDS)}",
                ctx,
            )
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, names in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:10}", COMMANDS[name][1]) for name in names])


def _debug_option() -> click.Option:
    """Accepted before and after the command's name; `run` looks for it itself, since parsing may fail too."""
    return click.Option(
        ["--debug"], is_flag=True, expose_value=False, help="Show the full traceback on errors."
    )


@click.group(
    cls=Commands,
    no_args_is_help=False,
    params=[_debug_option()],
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="DATA is a file, a database address, the name of a built-in table, or - for stdin. "
    "Exit codes: 0 success, 1 warning under --strict, 2 usage error, 3 bad data, 4 bad model file, 130 Ctrl-C.",
)
@click.version_option(acumen.__version__, "--version", prog_name="acumen")
def cli() -> None:
    """Classification of tabular data: inspect, compare, learn, test, decide, predict.

    Try: acumen compare iris
    """


def main(args: Sequence[str] | None = None) -> NoReturn:
    """The console script."""
    code = None
    try:
        code = run(args)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # done: Ctrl-C can change nothing any more
    except (
        KeyboardInterrupt
    ):  # before `run` could answer it, a second one while it told the first, or too late
        if code is None:
            os.write(2, b"acumen: stopped.\n")
            code = console.STOPPED
    sys.exit(code)


def run(args: Sequence[str] | None = None) -> int:
    """Run a command line and give its exit code; nothing but a fault under --debug is raised."""
    argv = list(sys.argv[1:] if args is None else args)
    debug = "--debug" in (argv[: argv.index("--")] if "--" in argv else argv)
    console.mend_streams()
    try:
        with speak_of_flags(), warnings.catch_warnings():
            if not debug:
                warnings.showwarning = _show_warning
            code = _call(argv)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        console.give_up_stdout()  # whoever read our output has seen enough
        return console.PIPE_CLOSED
    except (click.Abort, KeyboardInterrupt):
        console.say("acumen: stopped.")
        return console.STOPPED
    except click.ClickException as error:
        return _usage(error)
    except Exception as error:
        if debug:
            raise
        if isinstance(error, OSError):
            console.give_up_stdout()  # it may be what could not be written
        try:
            code, sentence = explain(error)
            if code == console.FAULT and is_interrupted():  # what a library half loaded made of it
                code, sentence = console.STOPPED, "stopped."
            console.say(f"acumen: {sentence}")
        except MemoryError:  # not even enough to say so with
            os.write(2, b"acumen: there is not enough memory for this.\n")
            return console.BAD_DATA
        return code


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """A warning as a sentence; where in the code it was raised helps nobody who has only the command line."""
    console.say(f"acumen: warning: {message}")


def _call(argv: list[str]) -> int:
    """Click without its own handling of errors, which knows neither our codes nor our words."""
    try:
        with cli.make_context("acumen", list(argv) or ["--help"], obj=tuple(argv)) as context:
            value: Any = cli.invoke(context)
    except click.exceptions.Exit as done:
        return done.exit_code
    return value if isinstance(value, int) else console.OK


def _usage(error: click.ClickException) -> int:
    context = getattr(error, "ctx", None)
    lines = [f"acumen: {error.format_message()}"]
    if context is not None:
        lines.append(f"Try '{context.command_path} --help'.")
    console.say("\n".join(lines))
    return console.USAGE


#: If there is not so much left, it is memory that is missing.
_SOME_MEMORY = 64 << 20


def _short_of_memory(error: Exception) -> bool:
    """Whether memory was all that was missing; a library that cannot be loaded for that says so in words alone."""
    if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
        return True
    message = str(error).lower()
    if isinstance(error, ImportError):
        return "failed to map segment" in message or "cannot allocate memory" in message
    if not isinstance(error, (SystemError, RuntimeError)):
        return False
    # What is written in C sometimes loses the MemoryError that ended it, the import machinery among it.
    try:
        bytearray(_SOME_MEMORY)
    except MemoryError:
        return True
    return isinstance(error, SystemError) and "_find_and_load" in message and "null" in message


def explain(error: Exception) -> tuple[int, str]:
    """The exit code and the sentence for an error."""
    from acumen.errors import AcumenError, MissingExtra, ModelFileError, ParameterError

    if isinstance(error, ModelFileError):
        return console.BAD_MODEL, str(error)
    if isinstance(error, (ParameterError, MissingExtra)):
        return console.USAGE, str(error)
    if isinstance(error, AcumenError):
        return console.BAD_DATA, str(error)
    if _short_of_memory(error):
        message = f" ({error})" if str(error) else ""
        return console.BAD_DATA, (
            f"there is not enough memory for this{message}. Leave out columns (--ignore, --column) or rows, or close "
            "other programs; predict, and learn with --stream, read a file in parts."
        )
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        where = f" for {error.filename!r}" if error.filename else ""
        return (
            console.BAD_DATA,
            f"there is no disk space left{where}; free some, or write to another disk.",
        )
    if isinstance(error, OSError):
        what = f"{error.filename!r}: {error.strerror}" if error.filename else (error.strerror or str(error))
        return console.BAD_DATA, f"cannot read or write {what}." if error.filename else f"{what}."
    message = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return console.FAULT, f"this should not have happened ({message}). Run again with --debug to see where."
