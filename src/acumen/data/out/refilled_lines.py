"""Write a table with imputed values as delimited text that keeps every known cell as it was written.

    refilled_lines    parts, table with missing values, table without -> lines

Imputed dates and formatted numbers get the format of their column: `31.12.2023`, `63,10 €`. If that is not possible, or
if the column would not read back as the same numbers (a decimal comma in comma-separated text), the whole column is
written in the plain format of `Table.write`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import cast

import numpy as np

from acumen.data.forms import ZONED, find_form, form_of, is_moment, shown_as
from acumen.data.number_forms import NumberForm
from acumen.data.out.write import (
    Quote,
    columns_of,
    header,
    level_spellings,
    make_quote,
    missing_in,
    moments_of,
    runs,
)
from acumen.data.parts import Parts
from acumen.data.schema import Attribute
from acumen.data.table import Table
from acumen.types import Bools

#: A text as it was written, or is about to be, and the number it stands for.
Written = dict[str, float]
_NUMERIC = re.compile(r"(\d{1,4})([./-])(\d{1,2})\2(\d{1,4})")


def refilled_lines(
    parts: Parts, before: Table, after: Table, delimiter: str, plain: Collection[str] = ()
) -> Iterator[str]:
    """The table `after` as delimited text, the header first; cells that `before` has, as the parts were written.

    Columns named in `plain` are written plainly. The tables have the rows and columns of the parts.
    """
    names = after.schema.columns
    spelled = _find_spellings(parts, before, after, delimiter)
    kept = [name not in plain and name not in spelled.odd for name in names]
    missing, quote = missing_in(after), make_quote(delimiter)
    levels = level_spellings(after, quote, missing)
    yield header(after, delimiter)
    written = parts.source_cells()
    for start, part in runs(after):
        cells = columns_of(part, levels, quote, missing, spelled.moments)
        gaps = [_gaps(before.take(slice(start, start + len(part))), name) for name in names]
        for i in range(len(part)):
            row = next(written)
            line = []
            for j, name in enumerate(names):
                text = cells[name][i]
                if kept[j] and not gaps[j][i]:
                    text = missing if row[j] is None else _as_written(str(row[j]), text, quote)
                elif kept[j] and text != missing and (spelling := spelled.filled.get(name)) is not None:
                    text = quote(spelling[start + i])
                line.append(text)
            yield delimiter.join(line) + "\n"


def _as_written(cell: str, plain: str, quote: Quote) -> str:
    """A cell as it was written; blanks about it, which in quotes would be part of it, only if they are its own."""
    bare = cell.strip()
    if bare == cell:
        return quote(cell)
    return plain if plain.startswith('"') else quote(bare)


class _Spellings:
    """How columns of dates and of written numbers are spelled where they were filled, and which cannot be."""

    def __init__(self, moments: dict[str, str]) -> None:
        self.moments = moments
        self.filled: dict[str, dict[int, str]] = {}
        self.odd: set[str] = set()


def _find_spellings(parts: Parts, before: Table, after: Table, delimiter: str) -> _Spellings:
    spelled = _Spellings(moments_of(after))
    columns = after.schema.columns
    forms = {name: a.form for name in columns if (a := _attribute(after, name)) is not None and a.form}
    if not forms:
        return spelled
    numbers = {name: before.column(name) for name in forms}
    texts: dict[str, Written] = {name: {} for name in forms}
    places = [(columns.index(name), name) for name in forms]
    for i, row in enumerate(parts.source_cells()):
        for j, name in places:
            if not np.isnan(value := numbers[name][i]):
                texts[name].setdefault(str(row[j]), float(value))
    for name, form in forms.items():
        rows = np.flatnonzero(np.isnan(numbers[name]) & ~np.isnan(after.column(name)))
        values = after.column(name)[rows].tolist()
        spell = _speller(form, list(texts[name]))
        filled = [spell(value) for value in values]
        every = texts[name] | {t: v for t, v in zip(filled, values, strict=True) if t is not None}
        if None in filled or not _reads_back(every, delimiter):
            spelled.odd.add(name)
        else:
            spelled.filled[name] = dict(zip(rows.tolist(), cast("list[str]", filled), strict=True))
    return spelled


def _attribute(table: Table, name: str) -> Attribute | None:
    return None if name == table.schema.weight else table.schema[name]


def _reads_back(texts: Written, delimiter: str) -> bool:
    """Whether a reader finds one form in all the texts, and by it the numbers they stand for."""
    form = find_form(texts, commas_apart=delimiter == ",")
    if form is None or form.doubt is not None:
        return not texts
    read = [form.form.number(text) for text in texts]
    return all(
        r is not None and abs(r - v) <= 1e-9 * max(1.0, abs(v))
        for r, v in zip(read, texts.values(), strict=True)
    )


def _gaps(table: Table, name: str) -> Bools:
    """Where a column was not known."""
    values = table.column(name)
    if values.dtype.kind == "f":
        return np.isnan(values)
    return np.array([v is None or v != v for v in values.tolist()], dtype=np.bool_)


# -- spelling -------------------------------------------------------------------------------------


def _speller(form: str, examples: Sequence[str]) -> Callable[[float], str | None]:
    """A number as the examples of its column are written; None where that is not known."""
    if not is_moment(form):
        known = cast(NumberForm, form_of(form))
        before, behind = _around(examples)
        return lambda value: _number(value, known.decimal, before, behind)
    order = form.removesuffix(ZONED).partition(" ")[2]
    if order in ("dmy", "mdy", "ymd") and (match := _NUMERIC.match(examples[0] if examples else "")):
        mark, years = match[2], max(len(match[1]), len(match[4]))
        short = any(len(piece) == 1 for text in examples for piece in re.split(r"[\s./T:-]", text)[:3])
        return lambda value: _date(form, value, order, mark, years, short)
    between = "T" if examples and "T" in examples[0] else " "

    def iso(value: float) -> str | None:
        shown = shown_as(form, value)
        return None if shown is None else shown.replace(" ", between)

    return iso


def _around(examples: Sequence[str]) -> tuple[str, str]:
    """What stands before and behind the digits, a currency or a unit."""
    plain = next((text for text in examples if not re.search(r"[-+\u2212\u2013()]", text)), "")
    digits = [i for i, c in enumerate(plain) if c.isdigit()]
    return (plain[: digits[0]], plain[digits[-1] + 1 :]) if digits else ("", "")


def _number(value: float, decimal: str, before: str, behind: str) -> str | None:
    shown = f"{abs(value):.15g}"
    if not shown.replace(".", "").isdigit():
        return None  # an exponent, or no number at all
    return f"{'-' if value < 0 else ''}{before}{shown.replace('.', decimal)}{behind}"


def _date(form: str, value: float, order: str, mark: str, years: int, short: bool) -> str | None:
    shown = shown_as(form, value)
    if shown is None:
        return None
    day, _, clock = shown.partition(" ")
    pieces = dict(zip("ymd", day.split("-"), strict=True))
    if short:
        pieces |= {piece: pieces[piece].lstrip("0") for piece in "md"}
    pieces["y"] = pieces["y"][-years:]
    return mark.join(pieces[piece] for piece in order) + (f" {clock}" if clock else "")
