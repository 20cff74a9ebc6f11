"""A table as a file that reads back the same: CSV, TSV and ARFF.

    write             table, path -> None   the suffix selects the format; the file appears complete or not at all
    delimited_lines   table -> lines        an unquoted empty field is missing, anything quoted is a value
    arff_lines        table -> lines        `?` is missing, a quoted '?' is a value; levels keep their order

All columns of the source are written in order, including target and weight. Numbers are written with the fewest digits
that read back as the same number. A level that the schema does not know is written as missing.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
from collections.abc import Callable, Iterator, Mapping
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, cast

import numpy as np

from acumen.data.dialect import MISSING_TOKENS, PERHAPS_MISSING
from acumen.data.forms import is_moment, nearest_moment, shown_as
from acumen.data.out.atomic import replacing
from acumen.data.schema import Attribute
from acumen.data.table import Table
from acumen.errors import DataError, did_you_mean
from acumen.types import Array, Codes, Objects

#: Cells turned into text at a time, so that writing needs little memory beside the table.
CELLS = 250_000

#: What a reader takes, or may take, for a missing value unless it is quoted.
_MEANT_MISSING = frozenset((*MISSING_TOKENS, *PERHAPS_MISSING))
#: What needs no quotes in ARFF: letters of any alphabet, digits and marks that mean nothing there.
_BARE = re.compile(r"[\w.+/<>=:;&*()!$^~|-]+")
_ESCAPES = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_COMPRESSIONS = (".gz", ".bz2", ".xz")

Quote = Callable[[str], str]


def write(table: Table, path: str | PathLike[str]) -> None:
    """Write a table as CSV (.csv), tab-separated text (.tsv) or ARFF (.arff), by the suffix.

    A further .gz, .bz2 or .xz compresses. The file is written in the same folder and moved there when it
    is complete, so that a reader never meets half of it.
    """
    path = Path(path)
    form, compression = form_of(path)
    if form == ".arff":
        stem = path.name[: -len(form + compression)]
        lines = arff_lines(table, relation=stem)
    else:
        lines = delimited_lines(table, "," if form == ".csv" else "\t")
    _whole(path, compression, lines)


def form_of(path: str | PathLike[str]) -> tuple[str, str]:
    """The suffix that chooses the form, and that of the compression ("" for none); to be asked before long work."""
    path = Path(path)
    suffixes = [s.lower() for s in path.suffixes]
    compression = suffixes.pop() if suffixes and suffixes[-1] in _COMPRESSIONS else ""
    form = suffixes[-1] if suffixes else ""
    if form not in (".csv", ".tsv", ".arff"):
        raise DataError(
            f"write: the suffix of {path.name!r} says nothing about the form; end it in .csv, .tsv or .arff "
            f"(and .gz, .bz2 or .xz to compress).{did_you_mean(form, ('.csv', '.tsv', '.arff'))}"
        )
    return form, compression


def write_lines(path: str | PathLike[str], lines: Iterator[str]) -> None:
    """Put lines that are made already into such a file."""
    _whole(Path(path), form_of(path)[1], lines)


def _whole(path: Path, compression: str, lines: Iterator[str]) -> None:
    """Put the lines into a file that is there complete or not at all."""
    if not path.parent.is_dir():
        raise DataError(f"write: there is no folder {str(path.parent)!r} to write {path.name!r} in.")
    with replacing(str(path), "write", DataError) as raw, _compress(raw, compression) as file:
        for text in lines:
            file.write(_encode(text))


def _compress(raw: IO[bytes], compression: str) -> Any:
    if compression == ".gz":
        return gzip.GzipFile("", "wb", fileobj=raw, mtime=0)  # no name and time: same table, same bytes
    if compression == ".bz2":
        return bz2.BZ2File(raw, "wb")
    if compression == ".xz":
        return lzma.LZMAFile(raw, "wb")
    return _Open(raw)


class _Open:
    """A file as its own context that does not close it; the compressors behave so."""

    def __init__(self, file: IO[bytes]) -> None:
        self.write = file.write

    def __enter__(self) -> _Open:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def _encode(text: str) -> bytes:
    if "\0" in text:
        raise DataError("write: a name or value holds a NUL character, which no text file can carry.")
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        bad = text[error.start : error.end]
        raise DataError(f"write: {bad!r} in a name or value cannot be written as UTF-8.") from None


# -- the two forms --------------------------------------------------------------------------------


def delimited_lines(table: Table, delimiter: str) -> Iterator[str]:
    """The table as delimited text, the header first."""
    yield header(table, delimiter)
    yield from _rows(table, delimiter, make_quote(delimiter), missing_in(table), moments_of(table))


def header(table: Table, delimiter: str) -> str:
    """The names of the columns, as the first line of delimited text."""
    return delimiter.join(map(make_quote(delimiter), table.schema.columns)) + "\n"


def missing_in(table: Table) -> str:
    """A missing cell: in a file of one column an empty field would be a blank line, which readers skip."""
    return "" if len(table.schema.columns) > 1 else "?"


def make_quote(delimiter: str) -> Quote:
    """Quotes around what would be cut, or taken for something else."""

    def quote(value: str) -> str:
        plain = (
            value.strip() == value and value not in _MEANT_MISSING and not value.startswith(("#", "\ufeff"))
        )
        if plain and not any(c in value for c in (delimiter, '"', "\n", "\r")):
            return value
        return '"' + value.replace('"', '""') + '"'

    return quote


def arff_lines(table: Table, relation: str) -> Iterator[str]:
    """The table as ARFF. Order among levels has no word there, so a comment says which attributes have it."""
    yield f"@relation {quote_arff(relation)}\n\n"
    for name in table.schema.columns:
        attribute = Attribute(name) if name == table.schema.weight else table.schema[name]
        if attribute.kind == "ordinal":
            yield "% The levels of the next attribute are in their order (it is ordinal).\n"
        yield f"@attribute {quote_arff(name)} {_domain(table, attribute)}\n"
    yield "\n@data\n"
    yield from _rows(table, ",", quote_arff, "?")


def _domain(table: Table, attribute: Attribute) -> str:
    if attribute.is_nominal:
        return "{" + ",".join(quote_arff(_spell(level)) for level in attribute.levels) + "}"
    if attribute.kind == "ignored":
        return "numeric" if table.column(attribute.name).dtype.kind in "fiu" else "string"
    return "string" if attribute.kind == "text" else "numeric"


def quote_arff(value: str) -> str:
    """A name or value as ARFF spells it: bare where nothing could be misread, else in single quotes."""
    if _BARE.fullmatch(value):
        return value
    return "'" + "".join(_ESCAPES.get(c, c) for c in value) + "'"


# -- cells ----------------------------------------------------------------------------------------


def moments_of(table: Table) -> dict[str, str]:
    """The forms of dates and times that read back as the same numbers, by their column."""
    forms = {}
    for attribute, column in table.numeric_columns():
        if is_moment(attribute.form):
            known = column[~np.isnan(column)].tolist()
            if all(
                nearest_moment(attribute.form, v) == v and shown_as(attribute.form, v) is not None
                for v in known
            ):
                forms[attribute.name] = attribute.form
    return forms


def runs(table: Table) -> Iterator[tuple[int, Table]]:
    """The table in runs of rows, each with the place of its first."""
    step = max(1, CELLS // len(table.schema.columns))
    for start in range(0, len(table), step):
        yield start, table.take(slice(start, start + step))


def _rows(
    table: Table,
    delimiter: str,
    quote: Quote,
    missing: str,
    moments: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[str]:
    """The rows as text, a run of them at a time."""
    levels = level_spellings(table, quote, missing)
    for _, part in runs(table):
        cells = columns_of(part, levels, quote, missing, moments)
        lines = zip(*(cells[name] for name in part.schema.columns), strict=True)
        yield "".join(delimiter.join(line) + "\n" for line in lines)


def level_spellings(table: Table, quote: Quote, missing: str) -> dict[str, Objects]:
    """The spellings of each nominal column by code, the target's too: made once, not once a row."""
    target = table.schema.target
    nominal = [*table.schema.nominal, *([target] if target and target.is_nominal else [])]
    return {a.name: _lookup([quote(_spell(level)) for level in a.levels], missing) for a in nominal}


def columns_of(
    part: Table, levels: Mapping[str, Objects], quote: Quote, missing: str, moments: Mapping[str, str]
) -> dict[str, list[str]]:
    """The cells of each column as text."""
    codes = {a.name: column for a, column in part.nominal_columns()}
    if part.labels is not None and part.schema.target is not None:
        codes[part.schema.target.name] = part.labels
    cells = {name: _spell_codes(column, levels[name]) for name, column in codes.items()}
    numbers = {a.name: column for a, column in part.numeric_columns()}
    for name in part.schema.columns:
        if name not in cells:
            column = numbers[name] if name in numbers else part.column(name)
            if name in moments:
                form = moments[name]
                cells[name] = [missing if v != v else str(shown_as(form, v)) for v in column.tolist()]
            else:
                cells[name] = _cells(column, quote, missing)
    return cells


def _lookup(levels: list[str], missing: str) -> Objects:
    """Spellings by code, the last for every code below zero."""
    texts = np.empty(len(levels) + 1, dtype=object)
    texts[:] = [*levels, missing]
    return texts


def _spell_codes(codes: Codes, spelled: Objects) -> list[str]:
    return cast("list[str]", spelled[np.maximum(codes, -1)].tolist())


def _cells(column: Array, quote: Quote, missing: str) -> list[str]:
    values = column.tolist()
    if column.dtype.kind == "f":
        return [missing if v != v else _spell(v) for v in values]
    return [missing if v is None or v != v else quote(_spell(v)) for v in values]


def _spell(value: Any) -> str:
    """A value as text; a number with the fewest digits that read back as the same."""
    if not isinstance(value, float):
        return str(value)
    # 5 rather than 5.0, but -0.0 and what only floats can hold keep the float's own spelling.
    if value.is_integer() and abs(value) < 2**53 and (value or str(value) == "0.0"):
        return str(int(value))
    return repr(value)
