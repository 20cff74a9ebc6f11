"""What is new in rows compared with a model's training rows: missing columns, levels, values out of range.

    Unfamiliar           counts new values column by column as rows pass, and describes them
    unfamiliar_warning   the same for rows in memory in half a line, if it is worth a warning

A model answers such rows all the same; how sure it is of them, it does not know.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from acumen import _native
from acumen.data.escape import shorten
from acumen.data.forms import value_text
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.engines.cores import cores
from acumen.profiling.training_profile import TrainingProfile
from acumen.profiling.warning_lines import name_list
from acumen.render.text import many
from acumen.types import UNKNOWN, Indices

#: So many levels are named, and so many columns spoken of.
NAMED, COLUMNS = 3, 12
#: Rows outside a range are spoken of unasked when they are so many, and such a share.
FEW, SHARE = 5, 0.1


@dataclass(slots=True)
class Unfamiliar:
    """What rows contained that was not in the model's training rows."""

    schema: Schema
    seen: TrainingProfile | None
    rows: int = 0
    #: Columns that were not there, and are taken as missing.
    absent: tuple[str, ...] = ()
    #: How many rows have a level that the model does not know, by attribute; and some of these levels.
    unknown: dict[str, int] = field(default_factory=dict)
    levels: dict[str, dict[Any, None]] = field(default_factory=dict)
    #: How many rows have a number outside the range learned from, by attribute; and the furthest.
    outside: dict[str, int] = field(default_factory=dict)
    furthest: dict[str, float] = field(default_factory=dict)

    def add(self, rows: Table, given: Table | None = None, names: dict[str, str] | None = None) -> None:
        """Count rows under the model's schema; `given` are the same rows as they came, under `names`."""
        self.rows += len(rows)
        outside, unknown = counts(rows, self.seen)
        for place in np.flatnonzero(unknown).tolist():
            name, codes = rows.schema.nominal[place].name, rows.nominal.columns[place]
            strange = codes == UNKNOWN
            self.unknown[name] = self.unknown.get(name, 0) + int(np.count_nonzero(strange))
            source_name = (names or {}).get(name, name)
            if given is not None and source_name in given.schema:
                some = self.levels.setdefault(name, {})
                for value in given.column(source_name)[strange][:1000].tolist():
                    if len(some) <= NAMED:
                        some.setdefault(value)
        for place in np.flatnonzero(outside).tolist():
            name = rows.schema.numeric[place].name
            self._out(name, int(outside[place]), rows.numeric.columns[place], place)

    def _out(self, name: str, n: int, values: Any, place: int) -> None:
        assert self.seen is not None
        low, high = self.seen.low[place], self.seen.high[place]
        self.outside[name] = self.outside.get(name, 0) + n
        beyond = np.fmax(low - values, values - high)
        worst = float(values[int(np.nanargmax(beyond))])
        before = self.furthest.get(name)
        if before is None or max(low - worst, worst - high) > max(low - before, before - high):
            self.furthest[name] = worst

    def include(self, other: Unfamiliar) -> None:
        """Add the counts of other rows."""
        self.rows += other.rows
        for name, n in other.unknown.items():
            self.unknown[name] = self.unknown.get(name, 0) + n
            some = self.levels.setdefault(name, {})
            for value in other.levels.get(name, {}):
                if len(some) <= NAMED:
                    some.setdefault(value)
        for name, n in other.outside.items():
            self.outside[name] = self.outside.get(name, 0) + n
            place = self.schema.numeric.index(self.schema[name])
            assert self.seen is not None
            low, high = self.seen.low[place], self.seen.high[place]
            both = [worst for worst in (self.furthest.get(name), other.furthest[name]) if worst is not None]
            self.furthest[name] = max(both, key=lambda worst: max(low - worst, worst - high))

    def __bool__(self) -> bool:
        return bool(self.absent or self.unknown or self.outside)

    def sentences(self) -> list[str]:
        """Describe the findings, one sentence per column, the most common first."""
        sentences = list(self._sentences())
        return (
            sentences
            if len(sentences) <= COLUMNS
            else [*sentences[:COLUMNS], f"and {many(len(sentences) - COLUMNS, 'more column')}."]
        )

    def _sentences(self) -> Iterator[str]:
        for name in self.absent:
            yield f"column {name!r} is absent; its values are treated as missing."
        for name, n in self.unknown.items():
            some = list(self.levels.get(name, {}))
            named = f" ({_value_list(some)})" if some else ""
            yield f"column {name!r}: {_rows(n)} a value that is new to the model{named}."
        for name, n in self.outside.items():
            attribute = self.schema[name]
            place = next(j for j, each in enumerate(self.schema.numeric) if each is attribute)
            assert self.seen is not None
            low, high, worst = (
                _number_text(attribute, value)
                for value in (self.seen.low[place], self.seen.high[place], self.furthest[name])
            )
            what = (
                "time" if attribute.form.startswith("time") else "date" if attribute.is_moment else "number"
            )
            yield (
                f"column {name!r}: {_rows(n)} a {what} outside the training range {low} to {high}; "
                f"the furthest is {worst}."
            )

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready form."""
        return {
            "rows": self.rows,
            "missing_columns": list(self.absent),
            "unseen_levels": dict(self.unknown),
            "outside_range": dict(self.outside),
        }

    def __str__(self) -> str:
        return "\n".join(self.sentences())


def counts(rows: Table, seen: TrainingProfile | None) -> tuple[Indices, Indices]:
    """For each numeric attribute the number of values out of range, for each nominal one the unknown levels."""
    ranged = seen is not None and rows.sparse is None
    numbers = rows.numeric.columns if ranged else ()
    low, high = (seen.low, seen.high) if seen is not None and ranged else (np.empty(0), np.empty(0))
    outside = np.zeros(len(numbers), dtype=np.int64)
    unknown = np.zeros(len(rows.nominal.columns), dtype=np.int64)
    _native.count_strange(list(numbers), low, high, list(rows.nominal.columns), outside, unknown, cores())
    return outside, unknown


def unfamiliar_warning(rows: Table, seen: TrainingProfile | None) -> str:
    """Warn if some rows are unusual beyond a few values at the end of a range; else return nothing."""
    outside, unknown = counts(rows, seen)
    parts = []
    if unknown.any():
        names = [rows.schema.nominal[j].name for j in np.flatnonzero(unknown).tolist()]
        parts.append(f"unseen categories of {name_list(names)}")
    far = (outside >= FEW) & (outside > SHARE * len(rows))
    if far.any():
        names = [rows.schema.numeric[j].name for j in np.flatnonzero(far).tolist()]
        parts.append(f"values of {name_list(names)} outside the training range")
    return f"there are {' and '.join(parts)}; unfamiliar(X) counts them." if parts else ""


def _rows(n: int) -> str:
    return f"{n:,} row has" if n == 1 else f"{n:,} rows have"


def _value_list(some: Sequence[Any]) -> str:
    more = ", ..." if len(some) > NAMED else ""
    return ", ".join(shorten(repr(each), 40) for each in some[:NAMED]) + more


def _number_text(attribute: Attribute, value: float) -> str:
    return value_text(attribute.form, float(value))
