"""The file of a labelling session: every label, every skipped row, every remark on an attribute.

    LabelAnswer, Remark   one line each: about a row, or about an attribute
    file_text             lines -> the text of a CSV file
    read_labels           such a file -> its lines, checked against their table

The columns are `row` (from 1), the target's name, `attribute`, `weight` and `check`. A row without a label was passed
over; a line without a row says what an attribute is worth. `check` is a short digest of the row as it was shown, so
that labels never go to other rows than those they were given to. The lines are in the order in which they were said.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from acumen.base.attribute_weights import WORDS, weight_of
from acumen.data.escape import printable
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError, did_you_mean
from acumen.labelling.pool import row_of
from acumen.types import Label

_ROW, _ATTRIBUTE, _WEIGHT, _CHECK = "row", "attribute", "weight", "check"
#: Digits of the digest: that two rows share one by chance is one in 2**48.
_DIGITS: Final = 12


@dataclass(frozen=True, slots=True)
class LabelAnswer:
    """The label of a row (from 0); None if it was skipped."""

    row: int
    label: Label | None


@dataclass(frozen=True, slots=True)
class Remark:
    """The weight of an attribute: "use", "ignore" or a number."""

    attribute: str
    what: str | float


Line: TypeAlias = LabelAnswer | Remark


def columns_of(target: str) -> list[str]:
    """The names of the columns."""
    taken = (_ROW, _ATTRIBUTE, _WEIGHT, _CHECK)
    return [_ROW, "label" if target in taken else target, _ATTRIBUTE, _WEIGHT, _CHECK]


def digest(table: Table, row: int) -> str:
    """A short digest of a row's names and values."""
    record = json.dumps(row_of(table, row), default=str, allow_nan=True)
    return hashlib.sha256(record.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def file_text(lines: Sequence[Line], target: str, check: Callable[[int], str]) -> str:
    """The whole file."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns_of(target))
    for line in lines:
        if isinstance(line, LabelAnswer):
            label = "" if line.label is None else line.label
            writer.writerow([line.row + 1, label, "", "", check(line.row)])
        else:
            weight = line.what if isinstance(line.what, str) else f"{line.what!r}".removesuffix(".0")
            writer.writerow(["", "", line.attribute, weight, ""])
    return out.getvalue()


def read_labels(path: Path, table: Table, target: str, classes: Sequence[Label]) -> list[Line]:
    """Read the lines of such a file; raises DataError if it is not one, or belongs to another table."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        raise _wrong(path, f"it cannot be read as CSV ({error})") from None
    if not rows:
        return []
    names = columns_of(target)
    if rows[0] != names:
        raise _wrong(
            path, f"its columns are {', '.join(map(printable, rows[0][:8]))} instead of {', '.join(names)}"
        )
    known = {str(label): label for label in classes}
    return [_line(path, at, cells, table, known) for at, cells in enumerate(rows[1:], 2) if cells]


def _line(path: Path, at: int, cells: list[str], table: Table, known: dict[str, Label]) -> Line:
    if len(cells) != 5:
        raise _wrong(path, f"line {at} has {len(cells)} cells instead of 5")
    row, label, attribute, weight, check = cells
    if attribute:
        names = table.schema.names
        if attribute not in names:
            raise DataError(
                f"label: line {at} of {path} names the attribute {attribute!r}, which the table does not have."
                f"{did_you_mean(attribute, names)}"
            )
        return Remark(attribute, _weight(path, at, attribute, weight))
    if not (row.isascii() and row.isdigit() and 1 <= int(row[:18]) <= len(table)):
        raise _wrong(path, f"line {at} is about row {printable(row)!r} of {len(table)} rows")
    place = int(row) - 1
    if check != digest(table, place):
        raise DataError(
            f"label: line {at} of {path} labels row {row}, but that row of the table is another one by now. Read the "
            "table as it was then (the same file, the same options), or write to another file."
        )
    return LabelAnswer(place, known.get(label, label) if label else None)


def _weight(path: Path, at: int, attribute: str, text: str) -> str | float:
    try:
        return read_weight(text, attribute)
    except ParameterError as error:
        raise _wrong(path, f"of line {at}: {error}") from None


def read_weight(text: str, attribute: str) -> str | float:
    """Read the weight of an attribute: a word, or a number."""
    value: Any = text.strip().lower()
    if value not in WORDS:
        try:
            value = float(value)
        except ValueError:
            value = text
        weight_of(value, attribute, "feedback")
    return value if isinstance(value, str) else float(value)


def _wrong(path: Path, why: str) -> DataError:
    return DataError(
        f"label: {path} exists but is not a file of labels: {why}. Write to another file, or move that one away."
    )
