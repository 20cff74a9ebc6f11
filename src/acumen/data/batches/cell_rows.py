"""Rows of Python values, as SQLite and JSON deliver them, with a type per column decided over all batches.

    Form            one column of a batch as the kernel parsed it
    CellRows        batches of forms, in memory or on disk, and the families of values that each column holds in total
    join_batches    concatenate the batches of a column

A column is numeric, Boolean or strings if all its values are; otherwise every value is read as text. If the type of a
column changes after the first batch, nothing is lost or rejected: the earlier numbers are converted to text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from acumen import _native
from acumen.data.batches.batched import by_column
from acumen.data.columns import RawColumn
from acumen.data.memory import cells
from acumen.data.naming import column_names
from acumen.data.raw_table import RawTable
from acumen.data.report import Report
from acumen.types import MISSING, Codes, Floats

WHOLE, REAL, BIG = _native.CELL_WHOLE, _native.CELL_REAL, _native.CELL_BIG
TEXT, BYTES, TRUTH = _native.CELL_TEXT, _native.CELL_BYTES, _native.CELL_TRUTH
_NUMBERS = WHOLE | REAL | BIG
_NAMES = {TRUTH: "bool", BYTES: "bytes", REAL: "float", WHOLE: "int", TEXT: "str"}


class Form(NamedTuple):
    """One column of one batch: numbers (`whole` where some are integers and some not), or codes over `texts`."""

    families: int
    nested: int
    values: Floats | None
    whole: np.ndarray[Any, np.dtype[np.uint8]] | None
    codes: Codes | None
    texts: list[str]


class CellRows:
    """Batches of rows; `kept` stores them and is a list or anything else that can be appended to and iterated again."""

    def __init__(self, kept: Any) -> None:
        self.names: list[str] = []  # of the columns, in order of appearance
        self.n_rows = 0
        self._families: list[int] = []
        self._kept = kept

    def add_rows(self, names: Sequence[str], rows: list[tuple[Any, ...]]) -> None:
        """Add a batch of tuples with one cell per name."""
        self._add(names, [Form(*fields) for fields in _native.read_rows(rows, len(names))], len(rows))

    def add_columns(self, names: Sequence[str], columns: Iterable[list[Any]], n_rows: int) -> list[Form]:
        """Add a batch of columns; later batches may have names that earlier ones lack."""
        forms = [Form(*_native.read_cells(column)) for column in columns]
        self._add(names, forms, n_rows)
        return forms

    def _add(self, names: Sequence[str], forms: list[Form], n_rows: int) -> None:
        new = len(names) - len(self.names)
        self.names += names[len(self.names) :]
        self._families += [0] * new
        for j, form in enumerate(forms):
            self._families[j] |= form.families
        self.n_rows += n_rows
        if isinstance(self._kept, list):
            self._kept.append((n_rows, forms))
        else:
            self._kept.add((n_rows, [tuple(form) for form in forms]))

    @property
    def families(self) -> tuple[int, ...]:
        """The kinds of value that each column holds so far."""
        return tuple(self._families)

    def settle(self, families: Sequence[int]) -> bool:
        """Take over the kinds of value of the whole source, of which these rows are a part.

        Returns False if these rows hold a kind of value that the whole source does not.
        """
        if any(
            batch_families & ~all_rows
            for batch_families, all_rows in zip(self._families, families, strict=True)
        ):
            return False
        self._families = list(families)
        return True

    def batches(self, report: Report, only: frozenset[str] | None = None) -> Iterator[RawTable]:
        """Every batch, each column in the type that all its values allow."""
        names = column_names(self.names, Report())
        wanted = [(j, name) for j, name in enumerate(names) if only is None or name in only]
        for n_rows, forms in self._kept:
            columns = []
            for j, name in wanted:
                form = Form(*forms[j]) if j < len(forms) else None
                columns.append(_column(name, form, n_rows, self._families[j], report))
            yield RawTable.of_columns(columns, n_rows)

    def whole(self, report: Report) -> RawTable:
        """All batches as one."""
        names = column_names(self.names, report)
        notes = Report()
        batches = list(self.batches(notes))
        report.notes += by_column(notes, names)
        columns = (
            [join_batches([batch.columns[name] for batch in batches]) for name in names] if batches else []
        )
        return RawTable.of_columns(columns, self.n_rows)


def _column(name: str, form: Form | None, n_rows: int, families: int, report: Report) -> RawColumn:
    """One column of a batch, typed by the values of the column in all batches."""
    if form is None:
        form = Form(0, -1, np.full(n_rows, np.nan), None, None, [])
    if not families & ~_NUMBERS:
        if families & BIG and not families & REAL:
            return _big(name, form, report)
        assert form.values is not None
        return RawColumn(name, "numeric", values=form.values, whole=float if families & REAL else int)
    if families == TRUTH:
        assert form.values is not None
        return cells.booleans(name, form.values == 1, ~np.isnan(form.values))
    if families & ~(TEXT | BYTES):
        shown = ", ".join(sorted(word for bit, word in _NAMES.items() if families & bit))
        report.warn(
            "mixed-types", f"column {name!r} holds values of type {shown}, read as text.", column=name
        )
    if form.codes is not None:
        return RawColumn(name, "nominal", codes=form.codes, levels=tuple(form.texts))
    return _spell_numbers(name, form)


def _big(name: str, form: Form, report: Report) -> RawColumn:
    """Build a nominal column of integers; some, in this batch or another, are too large for a float."""
    report.warn(
        "big-integers",
        f"column {name!r} is nominal because it holds integers beyond 2^53, which a float cannot represent exactly.",
        column=name,
    )
    if form.codes is not None:
        return RawColumn(name, "nominal", codes=form.codes, levels=tuple(int(text) for text in form.texts))
    assert form.values is not None
    known = ~np.isnan(form.values)
    levels, place = np.unique(form.values[known], return_inverse=True)
    codes = np.full(len(form.values), MISSING, dtype=np.int32)
    codes[known] = place
    return RawColumn(name, "nominal", codes=codes, levels=tuple(int(level) for level in levels.tolist()))


def _spell_numbers(name: str, form: Form) -> RawColumn:
    """Spell out numbers or Booleans of a column that also holds strings, as Python writes them."""
    assert form.values is not None
    known = ~np.isnan(form.values)
    codes = np.full(len(form.values), MISSING, dtype=np.int32)
    if form.families == TRUTH:
        codes[known] = form.values[known].astype(np.int32)
        return RawColumn(name, "nominal", codes=codes, levels=("False", "True"))
    all_whole = not form.families & REAL
    whole = np.full(len(codes), all_whole) if form.whole is None else form.whole.astype(np.bool_)
    texts = [
        str(int(value)) if is_whole else repr(value)
        for value, is_whole in zip(form.values[known].tolist(), whole[known].tolist(), strict=True)
    ]
    place = {text: code for code, text in enumerate(dict.fromkeys(texts))}
    codes[known] = [place[text] for text in texts]
    return RawColumn(name, "nominal", codes=codes, levels=tuple(place))


def join_batches(columns: Sequence[RawColumn]) -> RawColumn:
    """Concatenate the batches of one column, all of one type."""
    first = columns[0]
    if len(columns) == 1:
        return first
    if first.values is not None:
        values = np.concatenate([column.values for column in columns if column.values is not None])
        return RawColumn(first.name, first.kind, values=values, whole=first.whole, form=first.form)
    place: dict[Any, int] = {}
    pieces = []
    for column in columns:
        assert column.codes is not None
        table = [place.setdefault((type(level), level), len(place)) for level in column.levels]
        pieces.append(np.array([*table, MISSING], dtype=np.int32)[column.codes])  # -1 reaches the last slot
    levels = tuple(level for _, level in place)
    return RawColumn(
        first.name, first.kind, codes=np.concatenate(pieces), levels=levels, declared=first.declared
    )
