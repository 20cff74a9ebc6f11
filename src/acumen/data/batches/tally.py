"""Statistics of one column over batches, small enough for memory, that decide its kind and levels at the end.

Tally    takes the batches of a column one by one; `describe` then returns what `assemble.plan` needs

A column may be numbers in one batch and levels in another, for example if one integer exceeds 2^53. `needs_again` tells
whether earlier batches must be read again for that reason.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from acumen.data.columns import MANY_CLASSES, RawColumn, label_of
from acumen.data.memory.cells import strings_kind
from acumen.data.report import Report
from acumen.data.request import Roles
from acumen.types import UNKNOWN, Codes, Floats, Label

#: A column with more distinct strings, or bytes of them, becomes text unless the caller made it nominal.
MANY_STRINGS = 500_000
MANY_BYTES = 64 << 20


class Tally:
    """One column, batch by batch."""

    def __init__(self, name: str, roles: Roles) -> None:
        wish = roles.kinds.get(name)
        self.name = name
        self.unasked = name in roles.ignored or name == roles.weight or wish == "text"
        self.given = roles.levels.get(name)
        self.unknown = 0  # values that are not among the caller's levels
        self.rows = 0
        self.n_known = 0
        self.capped = False
        self._wish = wish
        self._is_target = name == roles.target
        self._must_be_nominal = wish in ("nominal", "ordinal")
        self._collects = self.given is None and (self._must_be_nominal or (self._is_target and wish is None))
        self._numbers: Floats = np.empty(0)
        self._many_numbers = False
        self._saw_numbers = self._saw_levels = self._declared = self._ordered = False
        self._whole: type[Any] | None = None
        self._levels: dict[Any, Label] = {}
        self._bytes = 0
        self._form = ""

    def add(self, column: RawColumn) -> None:
        """Add one batch."""
        if self.given is not None:
            self.unknown += int(np.count_nonzero(column.to_codes(self.given) == UNKNOWN))
        if column.values is not None:
            self.rows += len(column.values)
            self._saw_numbers = True
            self._form = column.form
            self._whole = column.whole if self._whole in (None, column.whole) else float
            if self._collects and not self._many_numbers:
                self.collect(column.values)
            return
        if column.codes is not None:
            self.rows += len(column.codes)
            self.n_known += int(np.count_nonzero(column.codes >= 0))
            if column.declared:
                self._declared, self._ordered = True, column.kind == "ordinal"
            distinct: Any = column.levels
        else:
            assert column.strings is not None
            self.rows += len(column.strings)
            known = [string for string in column.strings if string is not None]
            self.n_known += len(known)
            distinct = known
        if self.unasked:
            return
        self._saw_levels = True
        if not self.capped:
            self._add_levels(distinct)

    def _add_levels(self, new_levels: Any) -> None:
        levels = self._levels
        for level in new_levels:
            key = level if type(level) is str else (type(level), level)
            if key not in levels:
                levels[key] = level
                self._bytes += len(level) if type(level) is str else 8
        free = self._declared or self._is_target or self._must_be_nominal
        if not free and (len(levels) > MANY_STRINGS or self._bytes > MANY_BYTES):
            self.capped = True
            levels.clear()

    def collect(self, values: Floats) -> None:
        """Collect the distinct numbers; for a target without a stated kind, stop once they cannot be class labels."""
        known = values[~np.isnan(values)]
        self._numbers = np.union1d(self._numbers, known)
        if self._must_be_nominal or self._saw_levels:
            return
        numbers = self._numbers
        self._many_numbers = len(numbers) > MANY_CLASSES or not (
            np.all(np.isfinite(numbers)) and np.array_equal(numbers, np.floor(numbers))
        )

    @property
    def needs_again(self) -> bool:
        """Whether numbers of earlier batches turned out to be levels but were not collected."""
        mixed = self._saw_numbers and self._saw_levels and self.given is None and not self.unasked
        return mixed and (not self._collects or self._many_numbers)

    def describe(self, report: Report) -> RawColumn:
        """Describe the column without its rows: its kind, its levels or distinct numbers, and its number of values."""
        name = self.name
        if self._saw_numbers and not self._saw_levels:
            return RawColumn(
                name, "numeric", values=self._numbers, whole=self._whole or float, form=self._form
            )
        if self.capped or self.unasked:
            if self.capped:
                report.note(
                    "many-values",
                    f"column {name!r} has more than {MANY_STRINGS:,} distinct values (or 64 MB of them) and is text.",
                    column=name,
                )
            return RawColumn(name, "text", strings=np.empty(0, dtype=object))
        if self._saw_numbers:
            self._add_levels([label_of(v, self._whole or float) for v in self._numbers.tolist()])
        levels = tuple(self._levels.values())
        codes: Codes = np.broadcast_to(np.int32(0), (self.n_known,))  # in no memory: they are only counted
        if self._declared:
            kind = "ordinal" if self._ordered else "nominal"
            return RawColumn(name, kind, codes=codes, levels=levels, declared=True)  # type: ignore[arg-type]
        texts = [level for level in levels if isinstance(level, str)]
        if len(texts) == len(levels) and self._wish is None and not self._is_target:
            kind = strings_kind(name, self.n_known, texts, report)
            if kind == "text":
                return RawColumn(name, "text", strings=np.empty(0, dtype=object))
        return RawColumn(name, "nominal", codes=codes, levels=levels)
