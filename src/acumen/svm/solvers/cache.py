"""Kernel lines kept within a memory budget, the longest unused leaving first."""

from __future__ import annotations

import numpy as np

from acumen import _native
from acumen.engines.cores import cores
from acumen.svm.solvers.gram import Gram
from acumen.types import Array, Bools, Floats, Indices

#: What writing and reading a kernel value of a line cost, in nanoseconds; making one costs `Gram.effort`.
_WRITE, _READ = 5.0, 0.4


class LineCache:
    """Lines of a kernel matrix, by row. The memory is touched only as lines come in."""

    def __init__(self, gram: Gram, memory: int) -> None:
        size = max(gram.n, 1) * np.dtype(gram.dtype).itemsize
        count = min(gram.n, memory // size)
        self.gram = gram
        self.lines: Array = np.empty((count, gram.n), dtype=gram.dtype)
        self.place = np.full(gram.n, -1, dtype=np.int64)  # of each row's line, -1 for none
        self.owner = np.full(count, -1, dtype=np.int64)
        self.used = np.zeros(count, dtype=np.int64)  # when each place was last used
        self.moves = np.zeros(gram.n, dtype=np.int32)
        self.often = _WRITE / max(gram.effort - _READ, 0.01)
        self.clock = 0
        self.made = 0

    def add_sums(self, rows: Indices, coefficients: Floats, out: Floats, between: Bools) -> None:
        """out += the rows' lines times their coefficients.

        Writing a line takes longer than making it anew a few times, so it is kept only for rows that are `between`
        their bounds and have moved so often that they are likely to move as often again.
        """
        self.moves[rows] += 1
        passing = (self.place[rows] < 0) & ~(between & (self.moves[rows] > self.often))
        if passing.any():
            self.gram.add_sums(rows[passing], coefficients[passing], out)
            rows, coefficients = rows[~passing], coefficients[~passing]
        if len(rows) > len(self.lines):  # such a step is too wide to be kept
            self.gram.add_sums(rows, coefficients, out)
            return
        if not len(rows):
            return
        self.clock += 1
        places = self.place[rows]
        self.used[places[places >= 0]] = self.clock
        absent = rows[places < 0]
        if len(absent):
            self._make(absent)
        _native.add_kept_lines(self.lines, self.place[rows], coefficients, out, cores())

    def _make(self, rows: Indices) -> None:
        oldest = np.argsort(self.used, kind="stable")[: len(rows)]
        evicted = self.owner[oldest]
        self.place[evicted[evicted >= 0]] = -1
        self.owner[oldest] = -1  # until the lines are there: Ctrl-C may come before
        self.gram.lines(rows, self.lines, oldest)
        self.owner[oldest] = rows
        self.place[rows] = oldest
        self.used[oldest] = self.clock
        self.made += len(rows)
