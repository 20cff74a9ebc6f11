"""JSON lines: one flat object per line with one key per column; or one array of such objects.

A key that a line lacks is a missing value. Values are numbers, strings, true, false and null; a nested list or object
is an error that names the line. Strings are never parsed as numbers. Repeated keys, NaN and numbers beyond doubles are
read and reported (`json_oddities`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from acumen.data.batches.batched import Batches, read_whole, scan_batches
from acumen.data.batches.cell_rows import CellRows
from acumen.data.batches.json_oddities import JsonOddities
from acumen.data.batches.spool import Spool
from acumen.data.delimited.sniff import check_width
from acumen.data.files import Source, open_source
from acumen.data.lines import line_blocks, no_text, utf8_of
from acumen.data.naming import column_names
from acumen.data.parts import Parts
from acumen.data.raw_table import RawTable
from acumen.data.report import Report
from acumen.data.request import Request
from acumen.data.table import Table
from acumen.errors import DataError

_SPACE = re.compile(r"[ \t\r\n]*")
#: Lines converted to columns at a time.
ROWS = 8_192
#: The most cells of a batch.
CELLS = 1 << 22
#: A table with more cells than this is refused if fewer than one in RARE has a value: lines that each have their own
#: keys would fill memory with missing values.
MANY_CELLS, RARE = 1 << 25, 100


def read(source: Any, request: Request) -> Table:
    """The whole file as one table."""
    file, report = _open_lines(source, request)
    rows = _rows(file, request, CellRows([]), report)
    return read_whole(rows.whole(report), request, report)


def scan(source: Any, request: Request, rows: int) -> Parts:
    """Read the file in parts; it is parsed once and its columns are stored in a temporary file."""
    file, report = _open_lines(source, request)
    batches = _rows(file, request, CellRows(Spool()), report)
    names = column_names(batches.names, report)
    return scan_batches(Batches(batches.batches), RawTable(0, names, {}), request, report, rows)


def _open_lines(source: Any, request: Request) -> tuple[Source, Report]:
    request.require_no_query()
    request.require_text("a file of JSON lines")
    file = open_source(source, request.max_bytes)
    return file, Report(file.name)


def _rows(file: Source, request: Request, rows: CellRows, report: Report) -> CellRows:
    """Add all lines to `rows`."""
    blank = n_rows = 0
    odd = JsonOddities()
    for lines, texts in _batches(file, request):
        objects = _parse_lines(file.name, lines, texts, odd)
        blank += len(lines) - len(objects)
        names = _names(rows.names, [record for _, record in objects])
        check_width(len(names), file.name)
        n_rows += sum(len(record) for _, record in objects)
        _check_given(rows.n_rows + len(objects), len(names), n_rows, file.name)
        # Lines that each have their own keys would make a large and nearly empty batch.
        step = max(1, CELLS // max(1, len(names)))
        for start in range(0, len(objects), step):
            _add(rows, names, objects[start : start + step], file.name, odd)
    odd.note(report)
    if blank:
        verb = "line was" if blank == 1 else "lines were"
        report.note("blank-lines", f"{blank:,} blank {verb} skipped.", count=blank)
    if rows.n_rows and not rows.names:
        raise DataError(f"{file.name} has no columns: all its objects are empty.")
    return rows


def _check_given(n_rows: int, n_columns: int, n_values: int, name: str) -> None:
    """Refuse a nearly empty table."""
    cells = n_rows * n_columns
    if cells > MANY_CELLS and cells > RARE * n_values:
        raise DataError(
            f"{name}: the first {n_rows:,} lines have {n_columns:,} different keys but only {n_values:,} values, so a "
            f"table of {cells:,} cells would be nearly empty. Write each value as its own object, such as "
            '{"row": 1, "key": "a", "value": 2}, or use svmlight if absent keys mean zero.'
        )


def _add(
    rows: CellRows, names: list[str], objects: list[tuple[int, dict[str, Any]]], file: str, odd: JsonOddities
) -> None:
    """Add a batch of objects to `rows` as columns."""
    columns = ([record.get(name) for _, record in objects] for name in names)
    forms = rows.add_columns(names, columns, len(objects))
    odd.numbers(names, forms, [line for line, _ in objects])
    nested = [(form.nested, name) for form, name in zip(forms, names, strict=True) if form.nested >= 0]
    if nested:
        row, name = min(nested)
        line, record = objects[row]
        raise DataError(
            f"{file}: line {line} holds {_kind(record[name])} under {name!r}; objects must be flat, so move the nested "
            "values to keys of the outer object."
        )


def _names(before: list[str], objects: list[dict[str, Any]]) -> list[str]:
    """The previous names, followed by new ones in order of appearance."""
    if set().union(*objects) <= set(before):
        return before
    names = dict.fromkeys(before)
    for record in objects:
        if not record.keys() <= names.keys():
            names.update(dict.fromkeys(record))
    return list(names)


def _batches(file: Source, request: Request) -> Iterator[tuple[list[int], list[str]]]:
    """Lines with their numbers, up to ROWS at a time; for an array, its objects with the line where each begins."""
    begun = False
    decoded = (
        (first, _text(file.name, first, block))
        for first, block in line_blocks(utf8_of(file, request), file.name)
    )
    for first, text in decoded:
        if not begun and text.lstrip().startswith("["):  # a line that holds an object cannot start like this
            yield from _of_array(file.name, first, text + "".join(more for _, more in decoded))
            return
        begun = begun or bool(text.strip())
        texts = text.split("\n")
        if texts[-1] == "":
            texts.pop()
        for start in range(0, len(texts), ROWS):
            part = texts[start : start + ROWS]
            yield list(range(first + start, first + start + len(part))), part


def _text(name: str, first: int, block: bytes) -> str:
    try:
        return block.decode("utf-8")
    except UnicodeDecodeError as error:
        raise no_text(name, first + block[: error.start].count(b"\n")) from None


def _of_array(name: str, first: int, text: str) -> Iterator[tuple[list[int], list[str]]]:
    """The texts of the objects in an array; the whole text must be in memory."""
    objects = json.JSONDecoder()
    at, counted, line, is_found = text.index("[") + 1, 0, first, False
    lines: list[int] = []
    texts: list[str] = []
    while True:
        at = _SPACE.match(text, at).end()  # type: ignore[union-attr]
        line, counted = line + text.count("\n", counted, at), at
        if text.startswith("]", at) and not is_found:
            break
        try:
            _, end = objects.raw_decode(text, at)
        except (ValueError, RecursionError):
            raise _no_array(name, line) from None
        is_found = True
        lines.append(line)
        texts.append(text[at:end])
        at = _SPACE.match(text, end).end()  # type: ignore[union-attr]
        more = text.startswith(",", at)
        if len(texts) == ROWS or not more:
            yield lines, texts
            lines, texts = [], []
        if not more:
            break
        at += 1
    line += text.count("\n", counted, at)
    if not text.startswith("]", at) or text[at + 1 :].strip():
        raise _no_array(name, line)


def _no_array(name: str, line: int) -> DataError:
    return DataError(
        f"{name}: line {line} does not continue the array of objects [{{...}}, {{...}}]; fix that line, or write one "
        "object per line."
    )


def _parse_lines(
    name: str, lines: list[int], texts: list[str], odd: JsonOddities
) -> list[tuple[int, dict[str, Any]]]:
    """Parse lines to objects with their line numbers; skip blank lines."""
    kept = [(line, text) for line, text in zip(lines, texts, strict=True) if text.strip()]
    constants: list[str] = []

    def constant(word: str) -> float:
        constants.append(word)
        return float(word)

    objects = _objects(name, kept, constant)
    if odd.may_be_odd("\n".join(text for _, text in kept), [record for _, record in objects], constants):
        for line, text in kept:
            odd.look(line, text)
    return objects


def _objects(
    name: str, kept: list[tuple[int, str]], constant: Callable[[str], float]
) -> list[tuple[int, dict[str, Any]]]:
    """The object on each line; `constant` converts NaN and Infinity."""
    try:  # parsing all lines at once is twice as fast; line by line then locates any error
        values = json.loads(_array(text for _, text in kept), parse_constant=constant)
        if len(values) == len(kept) and all(type(each) is dict for each in values):
            return [(line, each) for (line, _), each in zip(kept, values, strict=True)]
    except (ValueError, RecursionError):
        pass
    objects = []
    for line, text in kept:
        try:
            each = json.loads(text, parse_constant=constant)
        except RecursionError:
            raise DataError(f"{name}: line {line} is nested too deeply to be read.") from None
        except ValueError as error:
            reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
            where = f", character {error.colno}" if isinstance(error, json.JSONDecodeError) else ""
            raise DataError(f"{name}: line {line}{where} is not valid JSON: {reason}.") from None
        if type(each) is not dict:
            raise DataError(
                f'{name}: line {line} holds {_kind(each)}; each line must be an object such as {{"a": 1}}.'
            )
        objects.append((line, each))
    return objects


def _array(texts: Iterable[str]) -> str:
    """Join lines into one array such that no line can be completed by the next.

    A string cannot continue after the end of a line, and an object or list cannot continue with a brace. So a value
    spread over several lines is a syntax error or nested.
    """
    begun = [text.lstrip() for text in texts]
    if not all(text.startswith("{") for text in begun):
        raise ValueError("a line is not an object")
    return "[" + ",\n".join(begun) + "]"


def _kind(value: Any) -> str:
    words = {dict: "an object", list: "a list", str: "a string", bool: "a Boolean", type(None): "null"}
    return words.get(type(value), "a number")
