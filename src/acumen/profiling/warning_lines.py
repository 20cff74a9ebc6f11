"""The warnings of a table in one or two lines: how many columns have which problem.

warning_summary   findings and the reader's notes -> "3 warnings: like an identifier: id; ..."
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from acumen.data.escape import printable, shorten

#: So many columns are named for one reason, and so many characters are spent on all reasons.
NAMED, ROOM = 3, 200


class TableWarningLike(Protocol):
    """A finding or a reader's note."""

    @property
    def code(self) -> str: ...
    @property
    def column(self) -> str | None: ...
    @property
    def count(self) -> int | None: ...


#: What is said of columns, the most harmful first.
_COLUMNS = {
    "leak": "determines the class on its own",
    "near-leak": "predicts the class by being missing",
    "id-like": "like an identifier",
    "one-class": "only one class",
    "small-class": "rare classes",
    "constant": "constant",
    "infinite": "infinite values",
    "all-missing": "empty",
    "mostly-missing": "mostly missing",
    "placeholder": "a number that may mean missing",
    "digits": "numbers written as text",
    "written": "numbers or dates written as text",
    "mixed-types": "a few non-numeric values",
    "mixed-forms": "mixed number formats",
    "decimal-marks": "ambiguous decimal marks",
    "decimal-points": "ambiguous decimal points",
    "decimal-comma": "ambiguous decimal commas",
    "date-order": "ambiguous order of day and month",
    "zones": "times with and without a time zone",
    "big-integers": "whole numbers too large to be exact",
    "alike-levels": "categories that look alike",
    "missing-tokens": "values that look missing",
    "level-once": "categories in one row only",
    "unknown-level": "values that are not categories",
}
#: What is said of the table; `{}` is how many rows.
_ROWS = {
    "missing-target": "{} without a label",
    "duplicate-rows": "{} duplicated",
    "conflicting-rows": "{} with equal inputs but different classes",
}
_TABLE = {
    "encoding": "uncertain encoding",
    "no-rows": "no rows",
    "footer": "a row of totals at the end",
    "second-header": "a second header line",
    "preamble": "lines above the header",
    "header-length": "too many or too few column names",
    "item-lists": "lists of items",
    "ragged": "rows too short or too long",
}
_ORDER = {code: place for place, code in enumerate((*_COLUMNS, *_ROWS, *_TABLE))}


def warning_summary(found: Sequence[TableWarningLike]) -> str:
    """How many warnings there are and what about, in one or two lines; nothing if there are none."""
    if not found:
        return ""
    groups: dict[str, list[TableWarningLike]] = {}
    for each in sorted(found, key=lambda one: _ORDER.get(one.code, len(_ORDER))):
        groups.setdefault(each.code, []).append(each)
    phrases: list[str] = []
    for code, group in groups.items():
        phrase = _phrase(code, group)
        if phrases and sum(map(len, phrases)) + len(phrase) > ROOM:
            break
        phrases.append(phrase)
    n_more = len(groups) - len(phrases)
    more = [f"and {n_more} more"] if n_more else []
    return f"{len(found)} {'warning' if len(found) == 1 else 'warnings'}: {'; '.join([*phrases, *more])}"


def _phrase(code: str, group: Sequence[TableWarningLike]) -> str:
    if code in _ROWS:
        n = sum(each.count or 0 for each in group)
        return _ROWS[code].format(f"{n:,} {'row' if n == 1 else 'rows'}")
    words = _COLUMNS.get(code) or _TABLE.get(code) or code.replace("-", " ")
    names = list(dict.fromkeys(each.column for each in group if each.column is not None))
    return f"{words}: {name_list(names)}" if names and code in _COLUMNS else words


def name_list(names: Iterable[str], most: int = NAMED) -> str:
    """Some names, and the number of others."""
    every = [shorten(printable(name), 40) for name in names]
    more = f" and {len(every) - most:,} more" if len(every) > most else ""
    return ", ".join(every[:most]) + more
