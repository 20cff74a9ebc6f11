"""What may come next on a command line: commands, options, and the values of each.

    candidates(["learn", "iris", "--learner"], "dec")   [Candidate("decision-tree", "Classify by a tree ...")]

The command's own parameters are asked, so that a new option is completed without a word here; only what stands in
place of NAME must be said: columns of DATA, learners, their parameters. Nothing is imported but click and the command.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import click

from acumen.cli.files import DataIn, FileIn
from acumen.cli.headings import headings
from acumen.data.formats import FORMATS


class Completion(NamedTuple):
    """A word that may stand there, and what it means; `open` where more is to follow it at once, as behind NAME=."""

    word: str
    help: str = ""
    open: bool = False


#: Stands for the files of the folder, which shells list better.
FILES = Completion("", "file")

KINDS = ("numeric", "nominal", "ordinal", "text", "ignored")


@dataclass
class CommandLine:
    """A command line as far as it was typed."""

    command: click.Command
    #: What was given to each option, by its parameter's name, and to each argument.
    given: dict[str, list[str]] = field(default_factory=dict)
    #: The option whose value is being typed, and the arguments still without one.
    option: click.Option | None = None
    arguments: list[click.Argument] = field(default_factory=list)
    #: Whether options have ended (--).
    ended: bool = False

    def first(self, name: str) -> str | None:
        values = self.given.get(name)
        return values[-1] if values else None

    def columns(self) -> list[str]:
        """The columns of DATA, if it was given already."""
        for parameter in self.command.params:
            if isinstance(parameter.type, DataIn) and parameter.name and self.given.get(parameter.name):
                return headings(self.given[parameter.name][0], self.first("delimiter"))
        return []


def candidates(words: Sequence[str], incomplete: str) -> list[Completion]:
    """What may stand in place of `incomplete`, behind the finished words (without the program's own)."""
    from acumen.cli.main import COMMANDS, cli

    rest = list(words)
    command: click.Command = cli
    while isinstance(command, click.Group):
        rest = [word for i, word in enumerate(rest) if i or not word.startswith("-")]
        while rest and rest[0].startswith("-"):
            rest.pop(0)
        if not rest:
            if incomplete.startswith("-"):
                return _options(CommandLine(command), incomplete)
            lines = (
                {name: line for name, (_, line) in COMMANDS.items()}
                if command is cli
                else {name: each.get_short_help_str(80) for name, each in command.commands.items()}
            )
            return _starting([Completion(name, line) for name, line in lines.items()], incomplete)
        subcommand = command.get_command(click.Context(command), rest.pop(0))
        if subcommand is None:
            return []
        command = subcommand
    line = _read(command, rest)
    if line.option is not None:
        return _values(line, line.option, incomplete)
    if incomplete.startswith("-") and not line.ended:
        name, equals, value = incomplete.partition("=")
        option = _parameter_named(command, name) if equals else None
        if option is not None:
            found_values = _values(line, option, value)
            return [
                each if each == FILES else each._replace(word=f"{name}={each.word}") for each in found_values
            ]
        return _options(line, incomplete)
    if line.arguments:
        return _values(line, line.arguments[0], incomplete)
    return [] if line.ended else _options(line, incomplete)


def _read(command: click.Command, words: Sequence[str]) -> CommandLine:
    """What was given to which option and argument."""
    line = CommandLine(command, arguments=[p for p in command.params if isinstance(p, click.Argument)])
    waiting = 0
    for word in words:
        if waiting and line.option is not None:
            line.given.setdefault(line.option.name or "", []).append(word)
            waiting -= 1
            if not waiting:
                line.option = None
        elif word == "--" and not line.ended:
            line.ended = True
        elif word.startswith("-") and word != "-" and not line.ended:
            name, equals, value = word.partition("=")
            option = _parameter_named(command, name)
            if option is None or option.is_flag or option.count:
                continue
            if equals:
                line.given.setdefault(option.name or "", []).append(value)
            else:
                line.option, waiting = option, option.nargs
        elif line.arguments:
            argument = line.arguments[0]
            line.given.setdefault(argument.name or "", []).append(word)
            if argument.nargs == 1:
                line.arguments.pop(0)
    return line


def _parameter_named(command: click.Command, name: str) -> click.Option | None:
    for parameter in command.params:
        if isinstance(parameter, click.Option) and name in (*parameter.opts, *parameter.secondary_opts):
            return parameter
    return None


def _options(line: CommandLine, incomplete: str) -> list[Completion]:
    """The options not given yet, and those that may be repeated; long names, unless a short one was begun."""
    options = []
    for parameter in line.command.params:
        if not isinstance(parameter, click.Option) or parameter.hidden:
            continue
        if line.given.get(parameter.name or "") and not parameter.multiple:
            continue
        options += [
            Completion(name, parameter.help or "")
            for name in (*parameter.opts, *parameter.secondary_opts)
            if name.startswith("--") or incomplete == name
        ]
    options.append(Completion("--help", "Show what there is to say."))
    return _starting(options, incomplete)


def _starting(found: Sequence[Completion], incomplete: str) -> list[Completion]:
    return [each for each in found if each.word.startswith(incomplete)]


# -- values -----------------------------------------------------------------------------------------


def _values(line: CommandLine, parameter: click.Parameter, incomplete: str) -> list[Completion]:
    """What a parameter may be."""
    for name in parameter.opts:
        if name in _BY_OPTION:
            known = _BY_OPTION[name](line, incomplete)
            if known is not None:
                return _starting(known, incomplete)
    if isinstance(parameter, click.Argument) and parameter.name == "name" and line.command.name == "learners":
        return _starting(_learners(), incomplete)
    kind = parameter.type
    choices: Sequence[Any] | None = getattr(kind, "choices", None)
    if choices is not None:
        return _starting([Completion(str(choice)) for choice in choices], incomplete)
    if isinstance(kind, DataIn):
        from acumen.datasets import describe, names

        tables = [Completion(name, describe(name).partition(" (source")[0]) for name in names()]
        return [*_starting(tables, incomplete), FILES]
    return [FILES] if isinstance(kind, FileIn) else []


def _table() -> dict[str, Any]:
    words: dict[str, Any] = json.loads((Path(__file__).parent / "words.json").read_text(encoding="utf-8"))
    return words


def _learners(*tasks: str) -> list[Completion]:
    return [
        Completion(kind, about["summary"])
        for kind, about in _table()["learners"].items()
        if not tasks or about["task"] in tasks
    ]


def _columns(line: CommandLine, incomplete: str) -> list[Completion]:
    return [Completion(name) for name in line.columns()]


def _column_and(words: Sequence[str]) -> Callable[[CommandLine, str], list[Completion]]:
    """NAME=WORD of a column."""

    def complete_value(line: CommandLine, incomplete: str) -> list[Completion]:
        name, equals, _ = incomplete.rpartition("=")
        if equals:
            return [Completion(f"{name}={word}") for word in words]
        return [Completion(f"{column}=", open=True) for column in line.columns()]

    return complete_value


def _learner(line: CommandLine, incomplete: str) -> list[Completion] | None:
    name = line.command.name
    if name == "complete":
        return None  # a few words of its own
    names = _learners("clustering") if name == "cluster" else _learners()
    return (
        [Completion("best", "Compare the usual learners for a minute and use the best."), *names]
        if name == "learn"
        else names
    )


def _several_learners(line: CommandLine, incomplete: str) -> list[Completion]:
    """A,B,...: the last of them."""
    before, comma, _ = incomplete.rpartition(",")
    chosen_names = set(before.split(","))
    return [
        each._replace(word=f"{before}{comma}{each.word}", open=True)
        for each in (
            *_learners(),
            *([] if comma else [Completion("all", "Every learner suitable for the table.")]),
        )
        if each.word not in chosen_names
    ]


def _settings(line: CommandLine, incomplete: str) -> list[Completion]:
    """NAME=VALUE of the learner that was named, or of those usual where none was."""
    learners = _table()["learners"]
    named = line.first("learner")
    usual = ("k-means",) if line.command.name == "cluster" else ("naive-bayes", "linear-regression")
    kinds = (named.partition("(")[0],) if named else usual
    parameters: dict[str, list[str]] = {}
    for kind in kinds:
        parameters |= learners.get(kind, {}).get("parameters", {})
    name, equals, value = incomplete.partition("=")
    if not equals:
        return [Completion(f"{name}=", ", ".join(words), open=True) for name, words in parameters.items()]
    before, comma, _ = value.rpartition(",")  # --grid takes several
    return [
        Completion(f"{name}={before}{comma}{word}") for word in parameters.get(name.replace("-", "_"), [])
    ]


def _measures(line: CommandLine, incomplete: str) -> list[Completion]:
    return [Completion(name) for name in _table()["measures"]]


#: By the option's name, whatever the command; None where the option is another thing there.
_BY_OPTION: dict[str, Callable[[CommandLine, str], list[Completion] | None]] = {
    "--target": _columns,
    "--ignore": _columns,
    "--weight": _columns,
    "--column": _columns,
    "--date-parts": _columns,
    "--group-column": _columns,
    "--discretise": _columns,
    "--time-column": _columns,
    "--kind": _column_and(KINDS),
    "--levels": _column_and(()),
    "--merge": _column_and(()),
    "--rename": _column_and(()),
    "--learner": _learner,
    "--baseline": lambda line, incomplete: _learners(),
    "--learners": _several_learners,
    "--set": _settings,
    "--grid": _settings,
    "--measure": _measures,
    "--format": lambda line, incomplete: [Completion(word) for word in FORMATS],
    "--delimiter": lambda line, incomplete: [Completion("tab"), Completion("space")],
}
