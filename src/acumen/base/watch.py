"""What `fit` says of the table it was given, once for each table and never of the folds of one.

    unwatched        within it nothing is said of tables or remembered of rows: for the many fits inside a larger task
    watching         whether somebody may be told
    tell_of_rows     rows that were left out, one class, infinite values, numbers as text, and what a glance shows

All of it is said as TableWarning. `acumen.inspect` says more, and takes its time.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np

from acumen.base.seen import Seen
from acumen.base.task import known_target
from acumen.card.brief import brief, listed
from acumen.card.findings import SMALL_CLASS, Finding
from acumen.card.glance import glance
from acumen.data.report import Note
from acumen.data.table import Table
from acumen.errors import TableWarning

#: Fewer rows are an example rather than a table, and nobody is surprised by what is in them.
ROWS = 20
#: So many sentences are remembered, so that none is said of the same table twice, however it comes.
_REMEMBERED = 4096

_watching: ContextVar[bool] = ContextVar("_watching", default=True)
_said: dict[tuple[object, ...], None] = {}


@contextmanager
def unwatched() -> Iterator[None]:
    """Within this, nothing is said of tables or remembered of rows."""
    before = _watching.set(False)
    try:
        yield
    finally:
        _watching.reset(before)


def watching() -> bool:
    """Whether what is found may be said, and is to be remembered."""
    return _watching.get()


def tell_of_rows(who: str, table: Table, rows: Table, seen: Seen) -> None:
    """Say what is odd about a table of which these rows were learned from."""
    report = table.report
    if report.told:
        return
    report.told = True
    for sentence in _sentences(table, rows, seen):
        tell(who, sentence, table.schema.names)


def tell(who: str, sentence: str, about: Sequence[str]) -> None:
    """Warn of something about a table with these columns, unless that has been said."""
    key = (sentence, *about[:64], len(about))
    if key in _said:
        return
    if len(_said) >= _REMEMBERED:
        _said.clear()
    _said[key] = None
    warnings.warn(f"{who}: {sentence}", TableWarning, stacklevel=4)


def _sentences(table: Table, rows: Table, seen: Seen) -> Iterator[str]:
    target = table.schema.target
    gone = len(table) - int(np.count_nonzero(known_target(table))) if len(rows) < len(table) else 0
    if target is not None and gone:
        said = "row has no {} and was" if gone == 1 else "rows have no {} and were"
        yield f"{gone:,} {said.format(repr(target.name))} left out."
    found: list[Finding | Note] = []
    if rows.labels is not None and target is not None:
        counts = np.bincount(rows.labels[rows.labels >= 0], minlength=len(target.levels))
        if np.count_nonzero(counts) == 1:
            only = target.levels[int(np.argmax(counts))]
            yield f"all rows are of the class {only!r}; there is nothing to tell apart."
        elif (small := (counts > 0) & (counts < SMALL_CLASS)).any():
            found.append(Finding("small-class", "", column=target.name, count=int(small.sum())))
    if infinite := [a.name for a, n in zip(rows.schema.numeric, seen.infinite, strict=True) if n]:
        yield f"there are infinite values in {listed(infinite)}."
    inputs = set(table.schema.names)
    digits = [note.column for note in table.report.about("digits") if note.column in inputs]
    if digits:
        names = [name for name in digits if name is not None]
        yield f"there are numbers written as text in {listed(names)}, taken as levels and not as numbers."
    found += [note for note in table.report.warnings if note.code not in ("digits", "missing-target")]
    found += glance(rows)
    if len(rows) >= ROWS and (said := brief(found)):
        yield f"{said}; see acumen.inspect(table)."
