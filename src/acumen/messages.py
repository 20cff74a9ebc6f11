"""Who is spoken to: in Python an option is a parameter, at the command line a flag.

    option("date_order", "dmy")        date_order='dmy'           or    --date-order dmy
    option("calibrate", True)          calibrate=True             or    --calibrate
    dialect("decimal", ",")            Dialect(decimal=',')       or    --decimal ,
    setting("probability", True)       probability=True           or    --set probability=true; among learners that
                                       are compared --learners 'LEARNER(probability=true)'
    spoken("say {kernel=rbf}")         say kernel='rbf'           or    say --set kernel=rbf
    the_rest()                         describe(full=True)        or    acumen show MODEL --full
    reader("x.csv")                    acumen.read('x.csv', target=...), whoever is spoken to
    writer()                           acumen.save                or    acumen learn -o FILE
    learner_of_sums()                  acumen.parts.read_sum(path).fit()    or    acumen learn --from-summary FILE
    at_the_command_line(text)          nothing                    or    the text
    in_python(text)                    the text                   or    nothing

A sentence that names an option is made with these, whoever will read it. `speak_of_flags` is what the command line
says when it begins.
"""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

_flags: ContextVar[bool] = ContextVar("_flags", default=False)
_compared: ContextVar[bool] = ContextVar("_compared", default=False)
_SETTING = re.compile(r"\{(\w+)=([^{}]*)\}")
#: Options that are called otherwise at the command line.
_CALLED = {"kinds": "kind", "params": "param", "columns": "column"}


@contextmanager
def speak_of_flags() -> Iterator[None]:
    """Within this, messages speak of flags."""
    before = _flags.set(True)
    try:
        yield
    finally:
        _flags.reset(before)


@contextmanager
def settings_behind_names() -> Iterator[None]:
    """Inside this block, flags are worded as settings after a learner's name, as in a list of learners."""
    before = _compared.set(True)
    try:
        yield
    finally:
        _compared.reset(before)


def at_the_command_line(text: str) -> str:
    """Text for the command line only."""
    return text if _flags.get() else ""


def in_python(text: str) -> str:
    """Text for Python only."""
    return "" if _flags.get() else text


def option(name: str, value: Any = None) -> str:
    """An option of `acumen.read` with what to say, or without: its name alone."""
    if not _flags.get():
        return f"{name}=" if value is None else f"{name}={value!r}"
    flag = "--" + _CALLED.get(name, name).replace("_", "-")
    if value is None or value is True:
        return flag
    if isinstance(value, Mapping):
        options = [f"{key}={text}" for key, what in value.items() for text in _option_values(what)]
        return " ".join(f"{flag} {shlex.quote(each)}" for each in options)
    return f"{flag} {shlex.quote(_text(value))}"


def _option_values(what: Any) -> list[str]:
    """What is said of one column: a kind; levels; levels that are called as another is, a group at a time."""
    if isinstance(what, Mapping):
        groups: dict[Any, list[Any]] = {}
        for old, new in what.items():
            groups.setdefault(new, [new]).append(old)
        return [listed_fields(group) for group in groups.values()]
    return [listed_fields(what) if isinstance(what, (list, tuple)) else str(what)]


def listed_fields(values: Sequence[Any]) -> str:
    """Values as the fields of a line of CSV."""
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow(values)
    return out.getvalue()


def dialect(name: str, value: Any = None) -> str:
    """What a Dialect can be told."""
    if not _flags.get():
        return f"Dialect({name}=...)" if value is None else f"Dialect({name}={value!r})"
    if name == "header" and value is not None:
        return "--header" if value else "--no-header"
    flag = f"--{name}"
    return flag if value is None else f"{flag} {shlex.quote(_text(value))}"


def setting(name: str, value: Any = None) -> str:
    """A parameter of a learner."""
    if not _flags.get():
        return name if value is None else f"{name}={value!r}"
    text = f"{name}=..." if value is None else f"{name}={_text(value)}"
    if _compared.get():
        return "--learners " + shlex.quote(f"LEARNER({text})")
    return "--set " + (text if value is None else shlex.quote(text))


def fill_template(template: str) -> str:
    """A sentence with settings in braces, for texts that are written down before anybody is spoken to."""
    return _SETTING.sub(_fill_setting, template)


def _fill_setting(found: re.Match[str]) -> str:
    name, value = found[1], found[2]
    if _flags.get():
        return setting(name, value)
    plain = value in ("None", "True", "False") or value.replace(".", "", 1).isdigit()
    return f"{name}={value}" if plain else setting(name, value)


def the_rest() -> str:
    """How to see all of a description."""
    return "acumen show MODEL --full" if _flags.get() else "describe(full=True)"


def reader(path: str) -> str:
    """How a file is read in Python."""
    return f"acumen.read({path!r}, target=...)"


def writer() -> str:
    """What writes model files."""
    return "acumen learn -o FILE" if _flags.get() else "acumen.save"


def learner_of_sums() -> str:
    """What makes a model of summaries that were added up."""
    return "acumen learn --from-summary FILE" if _flags.get() else "acumen.parts.read_sum(path).fit()"


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value) if isinstance(value, (bool, Mapping, list, tuple)) else str(value)
