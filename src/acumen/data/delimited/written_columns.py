"""Decimal marks, and columns that are no plain numbers but numbers or dates written for people.

    judge_marks     columns -> Marks, and the columns with those read again whose marks are ambiguous
    find_written    columns, Marks -> Written: for each column written for people its form, over all distinct values

What other columns show decides where a column alone leaves two readings open: which mark stands before decimals, which
of day and month comes first. So does the schema that new rows are read like.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from acumen import _native
from acumen.data.columns import PERHAPS
from acumen.data.date_forms import DateForm
from acumen.data.delimited.passes import TextColumns
from acumen.data.forms import TRIED, ColumnForm, find_form, form_of, looks_written
from acumen.data.number_forms import NumberForm

_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")


@dataclass(frozen=True, slots=True)
class Marks:
    """The columns, by position, whose commas and points do not speak for themselves."""

    ambiguous: frozenset[int] = frozenset()  # decimal commas that may be none; kept as strings
    like_thousands: frozenset[int] = frozenset()  # those of them that look like thousands
    grouped: frozenset[int] = frozenset()  # points between thousands, as commas elsewhere show
    doubtful: frozenset[int] = frozenset()  # points read as decimals that may stand between thousands


@dataclass(frozen=True, slots=True)
class WrittenColumns:
    """The outcome of `find_written`."""

    columns: TextColumns
    marks: Marks
    forms: Mapping[int, ColumnForm]
    #: For a column asked to be numeric the first value that is no number, however it is written.
    no_number: Mapping[int, str] = field(default_factory=dict)


def is_number_column(columns: TextColumns, column: int) -> bool:
    """Whether a column holds plain numbers under either decimal mark, also where it was read as strings."""
    form, stats = columns.form(column), columns.stats(column)
    if form == _native.FORM_NUMBER:
        return True
    strings_of_numbers = form == _native.FORM_STRING and columns.modes[column] == _native.MODE_STRING
    return (
        strings_of_numbers
        and stats.missing != columns.n_rows
        and stats.first_other is None
        and not stats.distinct_dates
    )


# -- decimal marks -------------------------------------------------------------------------------------


def judge_marks(columns: TextColumns, record: str) -> tuple[Marks, TextColumns]:
    """Find the columns of which nobody can tell what their commas are, and read them as strings.

    Other columns have decimal points instead of their commas, or (quoted, between commas) look like thousands.
    """
    if columns.text.request.dialect.decimal is not None:
        return Marks(), columns
    numbers = [
        c for c in range(len(columns.modes)) if c not in columns.named.bound and is_number_column(columns, c)
    ]
    one_mark = [c for c in numbers if columns.stats(c).point != columns.stats(c).comma]
    commas = {c for c in one_mark if columns.stats(c).comma and columns.modes[c] != _native.MODE_NUMERIC}
    like_thousands = {c for c in commas if _commas_like_thousands(columns, c)}
    pointed = {c for c in one_mark if columns.stats(c).point}
    grouped: set[int] = set()
    if commas - like_thousands and all(columns.stats(c).thousands for c in pointed):
        # Decimal commas for certain, and every point could stand between thousands: then it does.
        grouped, pointed = {c for c in pointed if columns.modes[c] != _native.MODE_STRING}, set()
    between_commas = like_thousands if columns.text.layout.delimiter == "," else set()
    marks = Marks(
        ambiguous=frozenset(commas if pointed else between_commas),
        like_thousands=frozenset(between_commas),
        grouped=frozenset(grouped),
        doubtful=frozenset(_doubtful_points(columns, [c for c in pointed if c not in commas])),
    )
    return marks, columns.reread(
        {
            c: _native.MODE_STRING
            for c in (*marks.ambiguous, *marks.grouped)
            if columns.modes[c] == _native.MODE_AUTO
        },
        record,
    )


def _doubtful_points(columns: TextColumns, positions: list[int]) -> set[int]:
    """Columns whose every point has three digits behind it, where no other column shows what points are.

    Beside short whole numbers (950, 1.234) they are thousands more often than not. Alone they are doubtful where
    commas are not the delimiter, for then they may well be decimal marks.
    """
    pointed = [c for c in positions if columns.stats(c).point]
    if any(not columns.stats(c).thousands for c in pointed):
        return set()
    semicolons = columns.text.layout.delimiter == ";"
    return {c for c in pointed if (not columns.stats(c).long_whole if columns.stats(c).whole else semicolons)}


def _commas_like_thousands(columns: TextColumns, column: int) -> bool:
    """Whether every comma of a column of numbers has three digits behind it, and at most three before."""
    stats = columns.stats(column)
    if columns.form(column) != _native.FORM_STRING:
        return stats.thousands
    if stats.capped:
        return False
    return all(_THOUSANDS.fullmatch(level.strip()) for level in columns.levels(column) if "," in level)


# -- forms ---------------------------------------------------------------------------------------------


def find_written(columns: TextColumns, marks: Marks, record: str) -> WrittenColumns:
    """Find the numbers and dates written for people among the columns that are no plain numbers."""
    numeric = {
        c
        for c in range(len(columns.names))
        if columns.modes[c] == _native.MODE_NUMERIC and columns.stats(c).turn is not None
    }
    free = [c for c in range(len(columns.names)) if c not in columns.named.bound]
    again = numeric | {c for c in free if _has_other_marks(columns, c)}
    before = {c: (columns.tables[c], columns.modes[c]) for c in again}
    columns = columns.reread(dict.fromkeys(again, _native.MODE_STRING), record)
    candidates = [c for c in free if c in again or _may_be_written(columns, c, marks)]
    forms = _find_forms(columns, candidates, frozenset(numeric), marks)
    columns, marks, forms = _settle_doubts(columns, marks, forms, record)
    failed = {c: table for c, table in before.items() if c not in forms}
    # Of values written for people it is not the first that is at fault, but the first that is no number.
    no_number = {
        c: next((value for value in values_of(columns, c) if not looks_written(value)), "") for c in failed
    }
    return WrittenColumns(columns.replace_tables(failed), marks, forms, no_number)


def _settle_doubts(
    columns: TextColumns, marks: Marks, forms: dict[int, ColumnForm], record: str
) -> tuple[TextColumns, Marks, dict[int, ColumnForm]]:
    """Let the decimal marks that numbers written for people show settle what points among plain ones are."""
    shown = _shown_marks(forms.values())
    if len(shown) != 1 or columns.text.request.dialect.decimal is not None:
        return columns, marks, forms
    if shown != {","}:
        return columns, replace(marks, doubtful=frozenset()), forms
    points = frozenset(c for c in marks.doubtful if columns.modes[c] == _native.MODE_AUTO)
    marks = replace(marks, grouped=marks.grouped | points)
    again = {c: _native.MODE_STRING for c in marks.doubtful if c in marks.grouped}
    columns = columns.reread(again, record)
    forms = forms | _find_forms(columns, again, frozenset(), marks)
    return columns, replace(marks, doubtful=marks.doubtful - marks.grouped), forms


def _may_be_written(columns: TextColumns, column: int, marks: Marks) -> bool:
    """Whether a column of strings about which the caller said nothing is worth a look."""
    name, stats, roles = columns.names[column], columns.stats(column), columns.named.roles
    if columns.modes[column] == _native.MODE_FIXED or columns.form(column) != _native.FORM_STRING:
        return False
    if roles.kinds.get(name) is not None or name in roles.merge or stats.capped:
        return False
    if column in marks.grouped or _schema_form(columns, column) is not None:
        return True
    if column in marks.ambiguous:
        return False
    # Where all are plain numbers or dates there is another reason why they are strings, unless it is the marks.
    codes = stats.leading_zero or stats.big_integer or (stats.distinct_dates and not stats.distinct_numbers)
    return (
        stats.first_other is not None
        or bool(stats.maybe_missing)
        or (stats.point and stats.comma and not codes)
    )


def _has_other_marks(columns: TextColumns, column: int) -> bool:
    """Whether numbers were read with marks that mean something else in the schema they are to be read like."""
    known = _schema_form(columns, column) if columns.form(column) == _native.FORM_NUMBER else None
    stats = columns.stats(column)
    return isinstance(known, NumberForm) and (
        (stats.point and known.decimal != ".") or (stats.comma and known.decimal != ",")
    )


def _find_forms(
    columns: TextColumns, positions: Iterable[int], lenient: frozenset[int], marks: Marks
) -> dict[int, ColumnForm]:
    """The forms of those columns that have one; the caller asked that `lenient` ones be numeric."""
    hints = _Hints(columns)
    forms: dict[int, ColumnForm] = {}
    doubtful: list[int] = []
    for column in positions:
        form = _find_form(columns, column, column in lenient, marks, hints)
        if form is None:
            continue
        forms[column] = form
        if form.doubt is not None:
            doubtful.append(column)
        else:
            hints.learn(form)
    for column in doubtful:  # what other columns settle settles these
        form = _find_form(columns, column, column in lenient, marks, hints)
        if form is not None:
            forms[column] = form
    return forms


class _Hints:
    """What the columns of a file show of its marks and of the order of its dates."""

    def __init__(self, columns: TextColumns) -> None:
        self.marks: set[str] = set()
        self.orders: set[str] = set()
        for column in range(len(columns.names)):
            stats = columns.stats(column)
            if columns.form(column) == _native.FORM_NUMBER and not stats.thousands:
                self.marks |= ({","} if stats.comma else set()) | ({"."} if stats.point else set())

    def learn(self, form: ColumnForm) -> None:
        self.marks |= _shown_marks([form])
        if isinstance(form.form, DateForm):
            self.orders |= {form.form.order} & {"dmy", "mdy"}

    @property
    def decimal(self) -> str | None:
        return next(iter(self.marks)) if len(self.marks) == 1 else None

    @property
    def order(self) -> str | None:
        return next(iter(self.orders)) if len(self.orders) == 1 else None


def _shown_marks(forms: Iterable[ColumnForm]) -> set[str]:
    """The decimal marks that forms beyond doubt show."""
    sure = [one.form for one in forms if one.doubt is None and isinstance(one.form, NumberForm)]
    return {form.decimal for form in sure if form.group in (".", ",") or form.decimal == ","}


def _find_form(
    columns: TextColumns, column: int, lenient: bool, marks: Marks, hints: _Hints
) -> ColumnForm | None:
    request = columns.text.request
    decimal = "," if column in marks.grouped else request.dialect.decimal
    known = _schema_form(columns, column)
    few = values_of(columns, column, 2 * TRIED)
    if known is None and not lenient and few and find_form(few, decimal=decimal) is None:
        return None  # nearly every column of words, without a look at all of them
    levels = values_of(columns, column)
    if not levels and _only_tokens(columns, column):
        return ColumnForm(NumberForm())  # as a column of which all is missing
    if known is not None and all(known.number(level) is not None for level in levels):
        return ColumnForm(known)
    if not lenient and all(
        _native.parse_number(level.strip(), decimal or ".") is not None for level in levels
    ):
        return None  # plain numbers, kept as strings for another reason
    return find_form(
        levels,
        decimal=decimal,
        decimal_hint=known.decimal if isinstance(known, NumberForm) else hints.decimal,
        commas_apart=columns.text.layout.delimiter == ",",
        order=request.date_order,
        order_hint=known.order if isinstance(known, DateForm) else hints.order,
        lenient=lenient or known is not None,
    )


def _only_tokens(columns: TextColumns, column: int) -> bool:
    """Whether a column that is no target has nothing but tokens that may be missing."""
    levels = columns.levels(column)
    return (
        bool(levels)
        and columns.names[column] != columns.named.roles.target
        and all(level.startswith(PERHAPS) for level in levels)
    )


def _schema_form(columns: TextColumns, column: int) -> NumberForm | DateForm | None:
    """How the schema that rows are to be read like has this column."""
    like, name = columns.text.request.like, columns.names[column]
    if like is None or name not in like:
        return None
    return form_of(like[name].form)


# -- values --------------------------------------------------------------------------------------------


def values_of(columns: TextColumns, column: int, most: int = -1) -> list[str]:
    """The distinct values of a column of strings without missing tokens; of the first `most`."""
    request = columns.text.request
    tokens = {*request.dialect.missing, *request.perhaps_missing, *request.missing}
    return [
        level
        for level in columns.levels(column, most)
        if not level.startswith(PERHAPS) and level not in tokens
    ]


def begins_written(columns: TextColumns, column: int) -> bool:
    """Whether the first values of a column of strings look like numbers or dates: for detecting a header."""
    if columns.form(column) != _native.FORM_STRING or columns.modes[column] == _native.MODE_FIXED:
        return False
    values = values_of(columns, column, TRIED)
    return bool(values) and find_form(values) is not None


def mostly_written(levels: list[str]) -> bool:
    """Whether most of some values look like numbers or dates written for people, each in its own way."""
    return bool(levels) and 2 * sum(map(looks_written, levels)) > len(levels)


def first_unwritten(levels: list[str], most: int) -> list[str]:
    """The first `most` of some values that look like no number and no date."""
    return list(itertools.islice((level for level in levels if not looks_written(level)), most))
