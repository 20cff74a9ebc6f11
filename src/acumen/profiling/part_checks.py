"""Profile training rows that come in parts: what a model keeps about them, and what to warn about.

    PartChecks.add(given, rows)    one part, and its training rows
      .seen                        ranges and a fingerprint, as `fit` keeps them for a table
      .notices()                   what to warn about after the last part

Every row passes once, so only what needs no second pass is detected: constants, columns without a value, identifiers
that rise or fall from row to row or have about as many levels as there are rows, classes, infinite values. The first
rows clear nearly every column, and a cleared column costs nothing from then on.
"""

from __future__ import annotations

import numpy as np

from acumen.data.columns import id_like
from acumen.data.report import Report
from acumen.data.table import Table
from acumen.profiling.findings import Finding, StepPattern
from acumen.profiling.fit_warnings import TableNotices
from acumen.profiling.training_profile import TrainingProfile
from acumen.types import MISSING, Codes, Floats

#: Rows of a part that are examined first.
_SOME = 48


class PartChecks:
    """Profile and warnings of the parts seen so far; checks of consecutive parts add."""

    def __init__(self) -> None:
        self.seen: TrainingProfile | None = None
        self._rows = self._unlabelled = 0
        self._first: Table | None = None  # no row of it: its schema, and the reader's report
        self._classes = np.zeros(0, dtype=np.int64)
        #: Nominal columns that have had one level so far, by place: its code, MISSING while there was none.
        self._single: dict[int, int] = {}
        #: Numeric columns of whole numbers that have risen or fallen with every row so far, by place.
        self._stairs: dict[int, StepPattern] = {}

    def add(self, given: Table, rows: Table) -> None:
        """Include a part and its training rows."""
        seen = TrainingProfile.of(rows)
        self.seen = seen if self.seen is None else self.seen + seen
        if self._first is None:
            self._first = rows.take(slice(0, 0))
            self._classes = np.zeros(len(rows.schema.classes), dtype=np.int64)
            self._single = dict.fromkeys(range(len(rows.schema.nominal)), int(MISSING))
            if rows.sparse is None:
                self._stairs = dict.fromkeys(range(len(rows.schema.numeric)), StepPattern(0, True))
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
        for place, before in list(self._stairs.items()):
            self._set_stairs(place, before + _steps(rows.numeric.columns[place]))

    def _set_stairs(self, place: int, pattern: StepPattern) -> None:
        """Continue a column while it rises or falls with every row."""
        if pattern.is_staircase:
            self._stairs[place] = pattern
        else:
            self._stairs.pop(place, None)

    def __add__(self, later: PartChecks) -> PartChecks:
        """The checks of both; the parts of `later` come after these."""
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
            total._set_stairs(place, self._stairs[place] + later._stairs[place])
        return total

    def of_source(self, report: Report) -> PartChecks:
        """The same checks with the report of the reader."""
        if self._first is not None:
            self._first.report = report
        return self

    def notices(self) -> TableNotices | None:
        """What to warn about after the last part; None if there were no parts."""
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
    """The only level of a column so far, MISSING if there is none yet; None if there are two."""
    for some in (codes[:_SOME], codes):
        known = some[some >= 0] if some.min() < 0 else some
        if not known.size:
            continue
        if before == MISSING:
            before = int(known[0])
        if (known != before).any():
            return None
    return before


def _steps(values: Floats) -> StepPattern:
    """How the numbers of a part continue; only the first rows are checked if they settle it."""
    first = StepPattern.of(values[:_SOME])
    return StepPattern.of(values) if first.is_staircase and len(values) > _SOME else first
