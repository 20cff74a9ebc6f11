"""DATA and the options that say how to read it: one decorator for every command that takes a table.

    @click.command()
    @reads_data
    def inspect(reading: Reading, ...): table = reading.read()

Everything `acumen.read` can be told can be said here.
"""

from __future__ import annotations

import functools
import glob
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from acumen.cli.files import DATA_IN, ReadingOption
from acumen.messages import option as option_named

if TYPE_CHECKING:
    from acumen.data.parts import Parts
    from acumen.data.schema import Schema
    from acumen.data.table import Table

F = TypeVar("F", bound=Callable[..., Any])

#: Options that are about one source alone.
_OF_ONE_SOURCE = ("query", "params", "max_bytes")

_DIALECT = (
    "delimiter",
    "header",
    "quote",
    "decimal",
    "comment",
    "encoding",
    "format",
    "widths",
    "skip",
    "sheet",
)


@dataclass(frozen=True, slots=True)
class Reading:
    """What the command line says about DATA; nothing is opened before it is asked for."""

    data: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def read(self, like: Schema | None = None) -> Table:
        """The table; with `like` read as the table of that schema was."""
        name = self._built_in()
        if name is not None:
            from acumen.datasets import load

            return load(name, **self.options)
        from acumen.data.read import read

        return read(self._source(), like=like, **self.options)

    @property
    def display_name(self) -> str:
        """DATA as it may be shown: the address of a database without its password."""
        from acumen.data.databases.address import mask_passwords

        return mask_passwords(self.data)

    def scan(
        self, rows: int = 65_536, needs: Iterable[str] | None = None, like: Schema | None = None
    ) -> Parts:
        """The table as parts; columns that are not among `needs` may be left out, and what a text leaves open is read
        as in the table of the schema `like`.
        """
        name = self._built_in()
        if name is not None:
            from acumen.data.parts import parts_of
            from acumen.datasets import load

            return parts_of(load(name, **self.options), rows)
        from acumen.data.read import scan

        return scan(self._source(), rows=rows, needs=needs, like=like, **self.options)

    @property
    def source_independent_options(self) -> dict[str, Any]:
        """The options that hold for other files, too: all but those that ask one source for its rows."""
        return {name: value for name, value in self.options.items() if name not in _OF_ONE_SOURCE}

    def scanning(self) -> Callable[..., Parts]:
        """A function that scans DATA under the options it is given; what can be read only once is read once."""
        source_options = {name: value for name, value in self.options.items() if name in _OF_ONE_SOURCE}
        source: Any = None

        def scan_under(**options: Any) -> Parts:
            nonlocal source
            name = self._built_in()
            if name is not None:
                from acumen.data.parts import parts_of
                from acumen.datasets import load

                return parts_of(load(name, **options), 65_536)
            from acumen.data.files import open_source, read_once
            from acumen.data.read import scan

            if source is None:
                source = self._source()
                if not _is_database(self.data) and read_once(source):
                    source = open_source(source, source_options.get("max_bytes"))
            return scan(source, **source_options, **options)

        return scan_under

    def _built_in(self) -> str | None:
        """The name of a built-in table, unless a file of that name is there."""
        if (
            glob.has_magic(self.data)
            or self.data == "-"
            or _is_database(self.data)
            or Path(self.data).exists()
        ):
            return None
        from acumen.datasets import names

        return self.data if self.data in names() else None

    def _source(self) -> str | Path:
        if self.data == "-" or _is_database(self.data):
            return self.data
        path = Path(self.data)
        if not path.exists():
            from acumen.data.databases.address import is_address

            if is_address(self.data) or glob.has_magic(self.data):
                return self.data  # the readers know what to say of it, and what not to
            raise not_found(path)
        return path


def _is_database(data: str) -> bool:
    from acumen.data.databases.address import is_database

    return is_database(data)


def not_found(path: Path) -> Exception:
    """A sentence with similar names: files in the same folder and built-in tables."""
    from acumen.datasets import names
    from acumen.errors import DataError, did_you_mean

    try:
        beside = [p.name for p in path.parent.iterdir()]
    except OSError:
        beside = []
    near = did_you_mean(path.name, [*beside, *names()])
    return DataError(f"there is no file {str(path)!r} and no built-in table of that name.{near}")


def _pair(text: str, option: str, what: str) -> tuple[str, str]:
    name, equals, value = text.rpartition("=")
    if not equals or not name:
        raise click.BadParameter(f"use the form NAME={what}; got {text!r}.", param_hint=f"'{option}'")
    return name, value


def _kinds(texts: tuple[str, ...]) -> dict[str, str]:
    from acumen.errors import did_you_mean
    from acumen.types import Kind

    known: tuple[str, ...] = Kind.__args__  # type: ignore[attr-defined]
    kinds = dict(_pair(text, "--kind", "KIND") for text in texts)
    for name, kind in kinds.items():
        if kind not in known:
            raise click.BadParameter(
                f"the kind of {name!r} must be one of {', '.join(known)}; got {kind!r}.{did_you_mean(kind, known)}",
                param_hint="'--kind'",
            )
    return kinds


def _levels(texts: tuple[str, ...]) -> dict[str, list[str]]:
    """NAME=a,b,c; a level with a comma in it goes in double quotes, as in CSV."""
    import csv

    levels = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise click.BadParameter(f"use the form NAME=A,B,...; got {text!r}.", param_hint="'--levels'")
        levels[name] = next(csv.reader([value]), [])
    return levels


def _merge(texts: tuple[str, ...]) -> dict[str, dict[str, str]]:
    """NAME=a,b,c: b and c are a."""
    import csv

    merges: dict[str, dict[str, str]] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        levels = next(csv.reader([value]), [])
        if not equals or not name or len(levels) < 2:
            raise click.BadParameter(
                f"use the form NAME=A,B,... with two or more categories; got {text!r}.",
                param_hint="'--merge'",
            )
        merges.setdefault(name, {}).update(dict.fromkeys(levels[1:], levels[0]))
    return merges


def _params(texts: tuple[str, ...]) -> list[Any]:
    """Values for a query: numbers, true, false, null and quoted text as JSON has them, all else as text."""
    import json

    params = []
    for text in texts:
        try:
            value = json.loads(text)
        except ValueError:
            value = text
        params.append(text if isinstance(value, (dict, list)) else value)
    return params


def _widths(text: str | None) -> tuple[int, ...] | None:
    if text is None:
        return None
    try:
        return tuple(int(width) for width in text.split(","))
    except ValueError:
        raise click.BadParameter(f"use the form 3,10,8; got {text!r}.", param_hint="'--widths'") from None


def _delimiter(text: str | None) -> str | None:
    return {"tab": "\t", "\\t": "\t", "space": " "}.get(text, text) if text is not None else None


class NearChoice(click.ParamType):  # type: ignore[type-arg]  # generic in click's newer stubs only
    """One of a few words; of another, says what was probably meant."""

    name = "choice"

    def __init__(self, choices: Sequence[str]) -> None:
        self.choices = tuple(choices)

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        return f"[{'|'.join(self.choices)}]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value in self.choices:
            return str(value)
        from acumen.errors import did_you_mean

        near = did_you_mean(str(value), self.choices)
        return self.fail(f"must be one of {', '.join(self.choices)}; got {value!r}.{near}", param, ctx)


_reading_option = functools.partial(click.option, cls=ReadingOption)

_OPTIONS = (
    click.option("--target", metavar="NAME", help="Column to predict, by name or position (from 0)."),
    _reading_option(
        "--kind", "kinds", metavar="NAME=KIND", multiple=True,
        help="Type of a column: numeric, nominal, ordinal, text or ignored. May be repeated.",
    ),
    _reading_option(
        "--levels", metavar="NAME=A,B,...", multiple=True,
        help="Categories of a column, in order. May be repeated.",
    ),
    _reading_option("--ignore", metavar="NAME", multiple=True, help="Column to leave out. May be repeated."),
    _reading_option("--weight", metavar="NAME", help="Column with row weights."),
    _reading_option(
        "--missing", metavar="TOKEN", multiple=True,
        help="Another text that means a missing value. May be repeated.",
    ),
    _reading_option(
        "--not-missing", metavar="TOKEN", multiple=True,
        help="Text that is a real value although it looks missing, such as NA or None. May be repeated.",
    ),
    _reading_option(
        "--merge", metavar="NAME=A,B,...", multiple=True,
        help="Merge categories of a column into the first one. May be repeated.",
    ),
    _reading_option(
        "--date-order", type=NearChoice(["dmy", "mdy", "ymd"]),
        help="Order of day, month and year in ambiguous dates.",
    ),
    _reading_option(
        "--date-parts", metavar="NAME", multiple=True,
        help="Date column to split into year, month and weekday columns as well. May be repeated.",
    ),
    _reading_option("--delimiter", metavar="CHAR", help="Field delimiter; also 'tab' or 'space'.  [default: detected]"),
    _reading_option("--decimal", type=NearChoice([".", ","]), help="Decimal mark.  [default: detected]"),
    _reading_option("--quote", metavar="CHAR", help="Quote character; '' for none.  [default: \"]"),
    _reading_option("--comment", metavar="CHAR", help="Character that starts a comment line; '' for none."),
    _reading_option("--header/--no-header", default=None, help="Whether the first row contains column names.  "
    "[default: detected]"),
    _reading_option("--encoding", metavar="NAME", help="Text encoding of the file.  [default: detected]"),
    _reading_option(
        "--ragged", type=NearChoice(["error", "fill", "drop"]), default="error", show_default=True,
        help="How to handle rows that are too short or too long.",
    ),
    _reading_option(
        "--format", metavar="NAME",
        help="File format: delimited, arff, fixed, basket, binary, jsonl, svmlight, parquet, arrow or excel.  "
        "[default: from the file name and content]",
    ),
    _reading_option("--widths", metavar="N,N,...", help="Column widths of a fixed-width file, in characters."),
    _reading_option("--skip", type=int, metavar="N", help="Number of lines to skip before the table."),
    _reading_option("--sheet", metavar="NAME", help="Sheet of a workbook; needed if several sheets contain data."),
    _reading_option("--query", metavar="SQL", help="Database query; not needed if the database has only one table."),
    _reading_option(
        "--param", "params", metavar="VALUE", multiple=True,
        help="Value for the next placeholder (? or $1) of the query, bound by the database. May be repeated.",
    ),
    _reading_option(
        "--column", "columns", metavar="NAME", multiple=True,
        help="Input column to read; other columns are left out. May be repeated.",
    ),
    _reading_option("--max-bytes", type=int, metavar="N", help="Maximum size of the uncompressed file in bytes."),
)  # fmt: skip


def reads_data(command: F) -> F:
    """Give a command the argument DATA and the options of `acumen.read`, handed over as `reading`."""

    @functools.wraps(command)
    def call(data: str, **given: Any) -> Any:
        return command(reading=_reading(data, given), **given)

    wrapped: Any = call
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    decorated: F = click.argument("data", metavar="DATA", type=DATA_IN)(wrapped)
    return decorated


def may_read_data(command: F) -> F:
    """As `reads_data`, but DATA may be left out: `reading` is None then, and no option may say how to read it."""

    @functools.wraps(command)
    def call(data: str | None, **given: Any) -> Any:
        reading = _reading(data or "", given)
        if data is None and reading.options:
            raise click.UsageError(
                f"{', '.join(map(option_named, sorted(reading.options)))}: these options say how to read DATA. "
                "Remove them, or add DATA."
            )
        return command(reading=None if data is None else reading, **given)

    wrapped: Any = call
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    decorated: F = click.argument("data", metavar="[DATA]", type=DATA_IN, required=False)(wrapped)
    return decorated


def reads_several(command: F) -> F:
    """As `reads_data`, but for any number of tables that are read alike, handed over as `readings`."""

    @functools.wraps(command)
    def call(data: tuple[str, ...], **given: Any) -> Any:
        options = _reading("", given).options
        return command(readings=[Reading(each, options) for each in data], **given)

    wrapped: Any = call
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    decorated: F = click.argument("data", metavar="DATA...", type=DATA_IN, nargs=-1, required=True)(wrapped)
    return decorated


def _reading(data: str, given: dict[str, Any]) -> Reading:
    """Take the reading options out of what click gathered; those left unsaid are left out."""
    options: dict[str, Any] = {"target": given.pop("target"), "weight": given.pop("weight")}
    options["kinds"] = _kinds(given.pop("kinds"))
    options["levels"] = _levels(given.pop("levels"))
    options["ignore"] = given.pop("ignore")
    options["missing"] = given.pop("missing")
    options["not_missing"] = given.pop("not_missing")
    options["merge"] = _merge(given.pop("merge"))
    options["date_order"] = given.pop("date_order")
    options["date_parts"] = given.pop("date_parts")
    ragged = given.pop("ragged")
    options["ragged"] = ragged if ragged != "error" else None
    dialect = {name: given.pop(name) for name in _DIALECT}
    dialect["delimiter"] = _delimiter(dialect["delimiter"])
    dialect["widths"] = _widths(dialect["widths"])
    options["query"] = given.pop("query")
    options["params"] = _params(given.pop("params"))
    options["columns"] = given.pop("columns")
    options["max_bytes"] = given.pop("max_bytes")
    stated = {name: value for name, value in dialect.items() if value is not None}
    if stated:
        from acumen.data.dialect import Dialect

        options["dialect"] = Dialect(**stated)
    return Reading(data, {name: value for name, value in options.items() if value not in (None, (), {}, [])})
