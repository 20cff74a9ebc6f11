"""What to check in a table before training, as sentences with stable codes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from acumen import messages
from acumen.data.columns import id_like
from acumen.data.forms import is_moment
from acumen.profiling.duplicates import Duplicates
from acumen.profiling.figures import ColumnFigures, TargetFigures
from acumen.profiling.leaks import Leak
from acumen.types import Floats

#: A class with fewer rows cannot be cross-validated, and hardly learned.
SMALL_CLASS = 5
#: So many classes or columns are named in one sentence.
_NAMED = 5
#: A whole-numbered column needs this many rows to be called an identifier.
_ID_ROWS = 20


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding. `code` is a stable word for programs; `rows` are row numbers from 1."""

    code: str
    text: str
    level: Literal["note", "warning"] = "warning"
    column: str | None = None
    count: int | None = None
    rows: tuple[int, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "level": self.level,
            "text": self.text,
            "column": self.column,
            "count": self.count,
            "rows": list(self.rows),
        }

    def __str__(self) -> str:
        return f"{self.level}: {self.text}"


@dataclass(frozen=True, slots=True)
class StepPattern:
    """Whether the numbers of consecutive rows rise or fall steadily; patterns of consecutive parts add."""

    rows: int
    whole: bool  # each is a whole number, none is missing or infinite
    first: float = 0.0
    last: float = 0.0
    low: float = math.inf
    high: float = -math.inf
    rising: bool = True
    falling: bool = True

    @classmethod
    def of(cls, values: Floats) -> StepPattern:
        """The pattern of a column, or of a stretch of one."""
        if not len(values):
            return cls(0, True)
        if not np.all(np.isfinite(values)) or not np.array_equal(values, np.floor(values)):
            return cls(len(values), False)
        return cls(
            len(values), True, float(values[0]), float(values[-1]), float(values.min()), float(values.max()),
            bool(np.all(values[1:] > values[:-1])), bool(np.all(values[1:] < values[:-1])),
        )  # fmt: skip

    def __add__(self, other: StepPattern) -> StepPattern:
        if not self.rows or not other.rows:
            return other if not self.rows else self
        rows = self.rows + other.rows
        if not (self.whole and other.whole):
            return StepPattern(rows, False)
        return StepPattern(
            rows, True, self.first, other.last, min(self.low, other.low), max(self.high, other.high),
            self.rising and other.rising and self.last < other.first,
            self.falling and other.falling and self.last > other.first,
        )  # fmt: skip

    @property
    def is_staircase(self) -> bool:
        """Whether all numbers are whole and rise, or fall, with every row."""
        return self.whole and (self.rising or self.falling)

    def identify(self, distinct: int) -> bool:
        """Whether these numbers look like identifiers or row numbers; see `is_identifier`."""
        n = self.rows
        if n < _ID_ROWS or not nearly_all(distinct, n) or not self.whole:
            return False
        pairs = n * n / (2 * (self.high - self.low + 1))
        if distinct < n:
            return pairs >= 20 and n - distinct <= pairs / 4
        return pairs >= 5 or self.rising or self.falling


def is_identifier(values: Floats, distinct: int, form: str = "") -> bool:
    """Whether a numeric column looks like an identifier or a row number.

    Its values are whole, every row has one of its own, and that is no accident: they rise or fall from
    row to row, or are so densely packed that, drawn at random, some would have met (five or more pairs
    expected). Where a few have met, as of rows that are there twice, they must be at most a quarter of the pairs
    that chance would bring, and these twenty or more: by chance that happens once in ten thousand times.
    Measurements with decimals, and dates and times, are all different by nature and are never suspected.
    """
    n = len(values)
    if is_moment(form) or n < _ID_ROWS or not nearly_all(distinct, n):
        return False
    return StepPattern.of(values).identify(distinct)


def nearly_all(distinct: int, rows: int) -> bool:
    """Whether so few rows share a value that the column may still be an identifier."""
    return distinct >= 0.95 * rows


def column_findings(
    column: ColumnFigures, n_rows: int, identifier: bool, leak: Leak | None
) -> Iterator[Finding]:
    """Find what is unusual about one attribute."""
    name, known = column.name, n_rows - column.missing
    if not n_rows:
        return
    if not known:
        yield Finding("all-missing", f"column {name!r} is empty; leave it out.", column=name)
        return
    if column.missing_share is not None and column.missing_share > 0.5:
        share = min(99.9, round(100 * column.missing_share, 1))
        yield Finding(
            "mostly-missing",
            f"column {name!r} is {share:.1f} % missing ({column.missing:,} of {n_rows:,} rows).",
            column=name,
            count=column.missing,
        )
    if column.distinct == 1 and n_rows > 1:
        scope = "wherever it is known" if column.missing else "in every row"
        yield Finding(
            "constant", f"column {name!r} has the same value {scope}, so it is not informative.", column=name
        )
    unique = column.nominal is not None and id_like(known, column.distinct)
    if identifier or unique:
        yield Finding(
            "id-like",
            f"column {name!r} has {column.distinct:,} distinct values in {known:,} rows: this looks like an "
            "identifier, which a model would just memorise (not checked for leakage); leave it out.",
            column=name,
            count=column.distinct,
        )
    if leak is not None:
        yield _leak_finding(name, n_rows, leak)
    yield from _value_findings(column, unique)


def _leak_finding(name: str, n_rows: int, leak: Leak) -> Finding:
    pieces = {
        "levels": f"each of its {leak.pieces:,} values occurs with one class only",
        "intervals": f"its values fall into {leak.pieces:,} intervals of one class each",
        "missing": "",
    }[leak.by]
    scope = "" if leak.rows == n_rows else f" in the {leak.rows:,} rows where both are known"
    if leak.wrong:
        right = math.floor(1000 * (1 - leak.wrong / leak.rows)) / 10
        return Finding(
            "near-leak",
            f"possible leak: whether column {name!r} is missing predicts the class in {right:.1f} % of the "
            f"rows{scope}. "
            "Check that it is known before the class, and is not a consequence of it.",
            column=name,
            count=leak.rows - leak.wrong,
        )
    if leak.by == "missing":
        sentence = f"whether column {name!r} is missing determines the class on its own{scope}"
    else:
        sentence = f"column {name!r} determines the class on its own{scope}: {pieces}"
    return Finding(
        "leak",
        f"{sentence}. Check that it is known before the class, and is not a copy of it.",
        column=name,
        count=leak.rows,
    )


def _value_findings(column: ColumnFigures, unique: bool) -> Iterator[Finding]:
    """Find infinite numbers, numbers that mean missing, levels seen once, and levels never seen."""
    name = column.name
    if column.numeric is not None and column.numeric.placeholder is not None:
        value, n = column.numeric.placeholder
        yield Finding(
            "placeholder",
            f"column {name!r}: the value {value:g} appears in {_rows(n, 'row')} and is far from all others; if it "
            f'means "missing", add {messages.option("missing", f"{value:g}")}.',
            column=name,
            count=n,
        )
    if column.numeric is not None and column.numeric.infinite:
        n = column.numeric.infinite
        yield Finding(
            "infinite",
            f"column {name!r} holds {_rows(n, 'infinite value')}; its statistics use only the finite ones.",
            column=name,
            count=n,
        )
    figures = column.nominal
    if figures is None:
        return
    if figures.once and not unique:
        named = _list([repr(level) for level in figures.lonely], figures.once)
        yield Finding(
            "level-once",
            f"column {name!r}: {_rows(figures.once, 'category', 'categories')} in one row only: {named}.",
            column=name,
            count=figures.once,
        )
    if figures.unused:
        yield Finding(
            "level-unused",
            f"column {name!r}: {figures.unused:,} of its {figures.declared:,} categories do not occur.",
            level="note",
            column=name,
            count=figures.unused,
        )


def target_findings(target: TargetFigures | None, n_rows: int) -> Iterator[Finding]:
    """Find what is unusual about the target."""
    if target is None:
        yield Finding(
            "no-target",
            "no target column was given, so classes and leaks were not checked; name one with "
            f"{messages.option('target')}.",
            level="note",
        )
        return
    name = target.name
    if target.missing:
        yield Finding(
            "missing-target",
            f"target {name!r} is missing in {_rows(target.missing, 'row')}, which cannot be used for training.",
            column=name,
            count=target.missing,
        )
    if target.kind == "numeric" or not n_rows:
        return
    seen = [c for c in target.classes if c.count]
    if len(seen) < 2:
        only = f"only class {seen[0].level!r} occurs" if seen else "no class occurs"
        yield Finding("one-class", f"target {name!r}: {only}, so there is nothing to predict.", column=name)
    small = [c for c in target.classes if c.count < SMALL_CLASS]
    if small:
        named = _list([f"{c.level!r} ({c.count})" for c in small[:_NAMED]], len(small))
        yield Finding(
            "small-class",
            f"target {name!r}: {_rows(len(small), 'class has', 'classes have')} fewer than {SMALL_CLASS} rows: "
            f"{named}.",
            column=name,
            count=len(small),
        )


def duplicate_findings(found: Duplicates, columns: Sequence[ColumnFigures], n_rows: int) -> Iterator[Finding]:
    """Rows that repeat or contradict earlier ones."""
    combinations = math.prod(max(1, c.distinct + (c.missing > 0)) for c in columns)
    bound = (
        f" (these values allow only {combinations:,} different rows, so some must repeat)"
        if combinations < n_rows
        else ""
    )
    if found.rows:
        pairs = ", ".join(f"{b} repeats {a}" for a, b in found.pairs)
        more = ", and more" if found.rows > len(found.pairs) else ""
        yield Finding(
            "duplicate-rows",
            f"{_rows(found.rows, 'row repeats', 'rows repeat')} an earlier row exactly: row {pairs}{more}{bound}.",
            count=found.rows,
            rows=tuple(b for _, b in found.pairs),
        )
    if found.conflict_groups:
        pairs = ", ".join(f"{a} and {b}" for a, b in found.conflict_pairs)
        more = ", and more" if found.conflict_groups > len(found.conflict_pairs) else ""
        yield Finding(
            "conflicting-rows",
            f"{_rows(found.conflict_rows, 'row')} in {_rows(found.conflict_groups, 'group')} have equal "
            f"inputs but different classes: rows {pairs}{more}. No classifier can predict all of them.",
            count=found.conflict_rows,
            rows=tuple(row for pair in found.conflict_pairs for row in pair),
        )


def _rows(n: int, one: str, more: str | None = None) -> str:
    return f"{n:,} {one if n == 1 else (more or one + 's')}"


def _list(named: Sequence[str], total: int) -> str:
    return ", ".join(named) + (f" and {total - len(named):,} more" if total > len(named) else "")
