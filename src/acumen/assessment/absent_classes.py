"""Classes and categories that do not occur in the training rows: reported in a note, not an error.

Absences    made once for a table; asked what the training rows of a split lack
sentences   what many splits lacked, a sentence for each attribute
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from acumen.data.table import Table
from acumen.types import Codes, Indices, Label


class Lack(NamedTuple):
    """Categories of one attribute (of the class if it is None) that some training rows lack."""

    attribute: str | None
    levels: tuple[Label, ...]


class _Column(NamedTuple):
    attribute: str | None
    levels: tuple[Label, ...]
    codes: Codes
    counts: Indices


class Absences:
    """Find which classes and categories training sets of a table lack.

    A class is missed whether or not the table has rows of it; a level only if the table has some.
    """

    def __init__(self, rows: Table) -> None:
        self._columns = [] if rows.labels is None else [_column(None, rows.schema.classes, rows.labels)]
        self._columns += [_column(a.name, a.levels, codes) for a, codes in rows.nominal_columns()]

    def among(self, train: Indices) -> tuple[Lack, ...]:
        """Find what these training rows lack."""
        lacks = (
            _lack(column, _level_counts(column.codes[train], len(column.levels))) for column in self._columns
        )
        return tuple(lack for lack in lacks if lack is not None)

    def by_part(self, parts: Codes, n_parts: int) -> list[tuple[Lack, ...]]:
        """For each part, find what all other parts lack."""
        largest = np.bincount(parts, minlength=n_parts).max()
        lacks: list[list[Lack]] = [[] for _ in range(n_parts)]
        for column in self._columns:
            seen = column.counts[column.counts > 0]
            if column.attribute is not None and seen.size and seen.min() > largest:
                continue  # no part is large enough to hold all rows of a level
            k = len(column.levels)
            known = column.codes >= 0
            both = parts[known].astype(np.intp) * k + column.codes[known]
            table = np.bincount(both, minlength=n_parts * k).reshape(n_parts, k)
            for part in range(n_parts):
                lack = _lack(column, column.counts - table[part])
                if lack is not None:
                    lacks[part].append(lack)
        return [tuple(each) for each in lacks]

    def alone(self) -> tuple[Lack, ...]:
        """Find what leaving out one row can remove: categories of a single row, and classes without any row."""
        lacks = (_lack(column, np.where(column.counts == 1, 0, column.counts)) for column in self._columns)
        return tuple(lack for lack in lacks if lack is not None)


def _column(attribute: str | None, levels: tuple[Label, ...], codes: Codes) -> _Column:
    return _Column(attribute, levels, codes, _level_counts(codes, len(levels)))


def _level_counts(codes: Codes, levels: int) -> Indices:
    return np.bincount(codes[codes >= 0], minlength=levels)


def _lack(column: _Column, counts: Indices) -> Lack | None:
    gone = counts == 0
    if column.attribute is not None:
        gone &= column.counts > 0
    places = np.flatnonzero(gone)
    if not places.size:
        return None
    return Lack(column.attribute, tuple(column.levels[place] for place in places.tolist()))


def sentences(lacks: Iterable[tuple[Lack, ...]], *, each_row: bool = False) -> tuple[str, ...]:
    """Describe what the training rows of some splits lacked, an entry of `lacks` for each; the class comes first.

    With `each_row` there is one entry for all splits of leave-one-out.
    """
    splits: Counter[str | None] = Counter()
    levels: dict[str | None, dict[Label, None]] = {}
    n_splits = 0
    for each in lacks:
        n_splits += 1
        for lack in each:
            splits[lack.attribute] += 1
            levels.setdefault(lack.attribute, {}).update(dict.fromkeys(lack.levels))
    notes = []
    for attribute in sorted(levels, key=lambda name: name is not None):
        named = list(levels[attribute])
        where = "some splits" if each_row else f"{splits[attribute]} of {n_splits} splits"
        nouns = ("class", "classes") if attribute is None else (f"{attribute}: level", f"{attribute}: levels")
        verb = "does" if len(named) == 1 else "do"
        notes.append(f"{_level_names(named, *nouns)} {verb} not occur among the training rows of {where}")
    return tuple(notes)


def _level_names(levels: list[Label], one: str, many: str) -> str:
    if len(levels) == 1:
        return f"{one} {levels[0]!r}"
    shown = ", ".join(repr(level) for level in levels[:3])
    return f"{many} {shown}" + (f" and {len(levels) - 3:,} more" if len(levels) > 3 else "")
