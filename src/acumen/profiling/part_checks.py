"""What is noticed of rows that come in parts, while they pass: what a model remembers of them, and what is odd.

    Passed.add(given, rows)    one part, and those of its rows that are learned from
      .seen                    ranges and a fingerprint, as `fit` keeps them of a table
      .noticed()               what is to be said of all of them, once they have passed

Every row passes once, so only what needs no second look is found: constants, columns without a value, identifiers that
rise or fall from row to row or have about as many levels as there are rows, classes, infinite values. A column is
acquitted by the first rows that speak for it, after which it costs nothing.
"""

from __future__ import annotations

import numpy as np

from acumen.data.columns import id_like
from acumen.data.report import Report
from acumen.data.table import Table
from acumen.profiling.findings import Finding
from acumen.profiling.fit_warnings import TableNotices
from acumen.profiling.training_profile import TrainingProfile
from acumen.types import MISSING, Codes, Floats

#: Rows of a part that are looked at first.
_SOME = 48


class PartChecks:
    """What is noticed of parts as they pass."""

    def __init__(self) -> None:
        self.seen: TrainingProfile | None = None
        self._rows = self._unlabelled = 0
        self._first: Table | None = None  # no row of it: its schema, and the reader's report
        self._classes = np.zeros(0, dtype=np.int64)
        #: Nominal columns that have had one level so far, by place: its code, MISSING while there was none.
        self._single: dict[int, int] = {}
        #: Numeric columns of whole numbers that have risen (1) or fallen (-1) so far: the last one, and which.
        self._stairs: dict[int, tuple[float, int]] = {}
        #: The first number of each of these, from which an earlier part must go on.
        self._heads: dict[int, float] = {}

    def add(self, given: Table, rows: Table) -> None:
        """A part, and the rows of it that are learned from."""
        seen = TrainingProfile.of(rows)
        self.seen = seen if self.seen is None else self.seen + seen
        if self._first is None:
            self._first = rows.take(slice(0, 0))
            self._classes = np.zeros(len(rows.schema.classes), dtype=np.int64)
            self._single = dict.fromkeys(range(len(rows.schema.nominal)), int(MISSING))
            if rows.sparse is None:
                self._stairs = dict.fromkeys(range(len(rows.schema.numeric)), (np.nan, 0))
        if len(rows) < len(given):
            self._unlabelled += len(given) - int(np.count_nonzero(given.known_target()))
        if rows.labels is not None:
            self._classes += np.bincount(rows.labels[rows.labels >= 0], minlength=len(self._classes))
        if len(rows):
            self._look(rows)
        self._rows += len(rows)

    def _look(self, rows: Table) -> None:
        for place, code in list(self._single.items()):
            only_level = _one_level(rows.nominal.columns[place], code)
            if only_level is None:
                del self._single[place]
            else:
                self._single[place] = only_level
        for place, (last, way) in list(self._stairs.items()):
            if place not in self._heads:
                self._heads[place] = float(rows.numeric.columns[place][0])
            step = _stairs(rows.numeric.columns[place], last, way)
            if step is None:
                del self._stairs[place]
            else:
                self._stairs[place] = step

    def __add__(self, later: PartChecks) -> PartChecks:
        """What is noticed of the parts of both, those of `later` coming after ours."""
        if self._first is None or later._first is None:
            return later if self._first is None else self
        assert self.seen is not None
        assert later.seen is not None
        total = PartChecks()
        total.seen, total._first = self.seen + later.seen, self._first
        total._rows, total._unlabelled = self._rows + later._rows, self._unlabelled + later._unlabelled
        total._classes = self._classes + later._classes
        for place in self._single.keys() & later._single.keys():
            codes = {code for code in (self._single[place], later._single[place]) if code != MISSING}
            if len(codes) < 2:
                total._single[place] = codes.pop() if codes else int(MISSING)
        for place in self._stairs.keys() & later._stairs.keys():
            if (step := self._joined(later, place)) is not None:
                total._stairs[place] = step
        total._heads = {**later._heads, **self._heads}
        return total

    def _joined(self, later: PartChecks, place: int) -> tuple[float, int] | None:
        """Where a column comes that went on in later parts; None where it is no stairs over both."""
        mine, theirs = self._stairs[place], later._stairs[place]
        if place not in self._heads or place not in later._heads:
            return theirs if place not in self._heads else mine
        step = later._heads[place] - mine[0]
        way = 1 if step > 0 else -1
        straight = step != 0 and all(known in (0, way) for known in (mine[1], theirs[1]))
        return (theirs[0], way) if straight else None

    def of_source(self, report: Report) -> PartChecks:
        """The same, where the reader's report is known."""
        if self._first is not None:
            self._first.report = report
        return self

    def noticed(self) -> TableNotices | None:
        """What is to be said of all parts; None where there were none."""
        if self._first is None or self.seen is None:
            return None
        schema = self._first.schema
        return TableNotices(
            schema, self._rows, self._unlabelled, self._classes, self.seen.infinite, self._first.report,
            tuple(self._findings(self.seen)),
        )  # fmt: skip

    def _findings(self, seen: TrainingProfile) -> list[Finding]:
        assert self._first is not None
        findings: list[Finding] = []
        if self._first.sparse is None:
            for place, attribute in enumerate(self._first.schema.numeric):
                low, high, endless = seen.low[place], seen.high[place], seen.infinite[place]
                if low > high and not endless:
                    findings.append(Finding("all-missing", "", column=attribute.name))
                elif low == high and not endless:
                    findings.append(Finding("constant", "", column=attribute.name))
                elif place in self._stairs:
                    findings.append(Finding("id-like", "", column=attribute.name))
        for place, attribute in enumerate(self._first.schema.nominal):
            if place in self._single:
                code = "all-missing" if self._single[place] == MISSING else "constant"
                findings.append(Finding(code, "", column=attribute.name))
            elif id_like(self._rows, len(attribute.levels)):
                findings.append(Finding("id-like", "", column=attribute.name))
        return findings


def _one_level(codes: Codes, before: int) -> int | None:
    """The only level of a column so far, MISSING where there is none yet; None where there are two."""
    for some in (codes[:_SOME], codes):
        known = some[some >= 0] if some.min() < 0 else some
        if not known.size:
            continue
        if before == MISSING:
            before = int(known[0])
        if (known != before).any():
            return None
    return before


def _stairs(values: Floats, last: float, way: int) -> tuple[float, int] | None:
    """Where a column of whole numbers has come that rises or falls with every row; None where it is none."""
    for some in (values[:_SOME], values):
        if not np.isfinite(some).all() or not np.array_equal(some, np.floor(some)):
            return None
        steps = np.diff(some if np.isnan(last) else np.concatenate(([last], some)))
        if not steps.size:
            continue
        way = way or (1 if steps[0] > 0 else -1)
        if not (steps * way > 0).all():
            return None
    return float(values[-1]), way
