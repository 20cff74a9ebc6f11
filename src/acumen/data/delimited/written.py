"""Columns of a delimited file that are no plain numbers, but numbers or dates written for people.

    find_written    survey -> for each such column its form, found over all of its distinct values

What other columns show decides where a column alone leaves two readings open: which mark stands before decimals, which
of day and month comes first. So does the schema that new rows are read like.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import TYPE_CHECKING

from acumen import _native
from acumen.data.columns import PERHAPS
from acumen.data.date_forms import DateForm
from acumen.data.forms import TRIED, Found, find_form, form_of, looks_written
from acumen.data.number_forms import NumberForm

if TYPE_CHECKING:
    from acumen.data.delimited.survey import Survey


def find_written(found: Survey, columns: Iterable[int], lenient: frozenset[int]) -> dict[int, Found]:
    """The forms of those columns that have one; of `lenient` ones the caller says that they are numeric."""
    decimal = found.request.dialect.decimal
    hints = _Hints(found)
    made: dict[int, Found] = {}
    doubtful: list[int] = []
    for column in columns:
        one = _form(found, column, column in lenient, decimal, hints)
        if one is None:
            continue
        made[column] = one
        if one.doubt is not None:
            doubtful.append(column)
        else:
            hints.learn(one)
    for column in doubtful:  # what other columns settle settles these
        again = _form(found, column, column in lenient, decimal, hints)
        if again is not None:
            made[column] = again
    return made


class _Hints:
    """What the columns of a file show of its marks and of the order of its dates."""

    def __init__(self, found: Survey) -> None:
        self.marks: set[str] = set()
        self.orders: set[str] = set()
        for column in range(len(found.names)):
            stats = found.stats(column)
            if found.form(column) == _native.FORM_NUMBER and not stats.thousands:
                self.marks |= ({","} if stats.comma else set()) | ({"."} if stats.point else set())

    def learn(self, one: Found) -> None:
        self.marks |= shown_marks([one])
        if isinstance(one.form, DateForm):
            self.orders |= {one.form.order} & {"dmy", "mdy"}

    @property
    def decimal(self) -> str | None:
        return next(iter(self.marks)) if len(self.marks) == 1 else None

    @property
    def order(self) -> str | None:
        return next(iter(self.orders)) if len(self.orders) == 1 else None


def shown_marks(forms: Iterable[Found]) -> set[str]:
    """The decimal marks that forms beyond doubt show."""
    sure = [one.form for one in forms if one.doubt is None and isinstance(one.form, NumberForm)]
    return {form.decimal for form in sure if form.group in (".", ",") or form.decimal == ","}


def _form(found: Survey, column: int, lenient: bool, decimal: str | None, hints: _Hints) -> Found | None:
    decimal = "," if column in found.grouped else decimal
    known = kept_form(found, column)
    few = values_of(found, column, 2 * TRIED)
    if known is None and not lenient and few and find_form(few, decimal=decimal) is None:
        return None  # nearly every column of words, without a look at all of them
    levels = values_of(found, column)
    if not levels and _only_tokens(found, column):
        return Found(NumberForm())  # as a column of which all is missing
    if known is not None and all(known.number(level) is not None for level in levels):
        return Found(known)
    if not lenient and all(
        _native.parse_number(level.strip(), decimal or ".") is not None for level in levels
    ):
        return None  # plain numbers, kept as strings for another reason
    return find_form(
        levels,
        decimal=decimal,
        decimal_hint=known.decimal if isinstance(known, NumberForm) else hints.decimal,
        commas_apart=found.layout.delimiter == ",",
        order=found.request.date_order,
        order_hint=known.order if isinstance(known, DateForm) else hints.order,
        lenient=lenient or known is not None,
    )


def _only_tokens(found: Survey, column: int) -> bool:
    """Whether a column that is no target has nothing but tokens that may be missing."""
    levels = found.tables[column].levels(column)
    return (
        bool(levels)
        and found.names[column] != found.roles.target
        and all(level.startswith(PERHAPS) for level in levels)
    )


def kept_form(found: Survey, column: int) -> NumberForm | DateForm | None:
    """How the schema that rows are to be read like has this column."""
    like, name = found.request.like, found.names[column]
    if like is None or name not in like:
        return None
    return form_of(like[name].form)


def values_of(found: Survey, column: int, most: int = -1) -> list[str]:
    """The distinct values of a column of strings, without what stands for a missing one; of the first `most`."""
    tokens = {*found.request.dialect.missing, *found.request.perhaps_missing, *found.request.missing}
    return [level for level in found.tables[column].levels(column, most) if not _is_token(level, tokens)]


def _is_token(level: str, tokens: set[str]) -> bool:
    return level.startswith(PERHAPS) or level in tokens


def begins_written(found: Survey, column: int) -> bool:
    """Whether the first values of a column of strings look like numbers or dates: for telling a header."""
    if found.form(column) != _native.FORM_STRING or found.modes[column] == _native.MODE_FIXED:
        return False
    values = values_of(found, column, TRIED)
    return bool(values) and find_form(values) is not None


def mostly_written(levels: list[str]) -> bool:
    """Whether most of some values look like numbers or dates written for people, each in its own way."""
    return bool(levels) and 2 * sum(map(looks_written, levels)) > len(levels)


def unwritten(levels: list[str], most: int) -> list[str]:
    """The first `most` of some values that look like no number and no date."""
    return list(itertools.islice((level for level in levels if not looks_written(level)), most))
