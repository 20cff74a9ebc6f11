"""Chunking: solve the dual in working sets of several hundred rows.

    choose     the rows that violate their conditions most, and rows of the last set still between their bounds
    solve      the small problem, in C++ (`_native.smo`), to a fraction of the present violation
    update     the gradient of all rows, from the changed rows' kernel lines, which `LineCache` keeps in memory

Rows that stay firmly at a bound are set aside (shrinking); before the end their gradient is computed again and all rows
are checked. Kernels of bounded size are first computed in single precision; where that could move the answer by more
than a quarter of the tolerance, the last steps are repeated in double precision.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from acumen import _native
from acumen.engines.cores import cores
from acumen.svm.solvers.certificate import DualPoint
from acumen.svm.solvers.gram import Gram
from acumen.svm.solvers.problem import BoxProblem
from acumen.types import Array, Bools, Floats, Indices

#: Kernel lines are kept within this many bytes.
MEMORY = 1 << 28
#: Rows in a working set.
WORKING = 512
_INNER = 0.05  # a working set is solved to this share of the violation at its start
_MOST_INNER = (
    20_000_000  # steps in pairs, and a thousand a row: where they get nowhere it must end all the same
)
_SHRINK_EVERY = 10  # working sets between looks for rows to set aside
_FIRST_SHARE = 0.6  # rows are set aside only when no more than this share stays


@dataclass(slots=True)
class _State:
    """Where the solver stands: all rows' b and gradient, and which rows are looked at."""

    b: Floats
    gradient: Floats
    stale: Bools  # rows whose gradient was left behind by shrinking
    steps: int = 0
    inner: int = 0  # steps in pairs, in all working sets


def solve(
    gram: Gram, problem: BoxProblem, *, tol: float, max_iter: int | None, start: Floats | None = None
) -> DualPoint:
    """Working sets until no pair of rows violates its conditions by more than `tol`.

    `max_iter` counts working sets.
    """
    n = gram.n
    state = _State(np.zeros(n) if start is None else start.copy(), -problem.z, np.zeros(n, dtype=np.bool_))
    limit = 100_000 if max_iter is None else max_iter
    if start is not None:
        _refresh(gram, problem, state, np.ones(n, dtype=np.bool_))
    reached = _descend(gram, problem, state, tol, limit)
    if gram.dtype is np.float32 and (reached or state.steps < limit):
        off = gram.rounding * float(np.linalg.norm(state.b))
        if not reached or off > 0.25 * tol:
            gram = gram.in_double()
            _refresh(gram, problem, state, np.ones(n, dtype=np.bool_))
            _descend(gram, problem, state, tol, limit)
    if state.stale.any():
        _refresh(gram, problem, state, state.stale.copy())
    worst = problem.violation(state.b, state.gradient)
    return DualPoint(state.b, state.gradient, worst, state.steps, "" if worst <= tol else "max_iter")


def _descend(gram: Gram, problem: BoxProblem, state: _State, tol: float, limit: int) -> bool:
    """Working sets over all rows, and over fewer once many sit firmly at a bound; whether `tol` is reached."""
    whole = _Part(gram, problem, np.arange(gram.n))
    part = whole
    while True:
        done = part.descend(state, tol, limit)
        if done == "limit":
            return False
        if done == "reached":
            if len(part.rows) == gram.n:
                return True
            part = whole
            _refresh(gram, problem, state, state.stale.copy())
            if problem.violation(state.b, state.gradient) <= tol:
                return True
        else:  # shrink
            keep = part.rows[part.open]
            state.stale[:] = True
            state.stale[keep] = False
            part.cache = whole.cache = None  # one cache at a time: the budget is for all
            part = _Part(gram.take(keep), problem.take(keep), keep)


def _refresh(gram: Gram, problem: BoxProblem, state: _State, which: Bools) -> None:
    """The gradient of some rows reckoned anew from b."""
    support = np.flatnonzero(state.b)
    if which.all():
        gradient = -problem.z + problem.ridge * state.b
        gram.add_sums(support, state.b[support], gradient)
        state.gradient = gradient
    elif which.any():
        rows = np.flatnonzero(which)
        both = np.concatenate([support, rows])
        gradient = np.zeros(len(both))
        gram.take(both).add_sums(np.arange(len(support)), state.b[support], gradient)
        state.gradient[rows] = (
            gradient[len(support) :] - problem.z[rows] + problem.ridge[rows] * state.b[rows]
        )
    state.stale[:] = False


class _Part:
    """The problem restricted to some rows, the others' b staying as it is."""

    def __init__(self, gram: Gram, problem: BoxProblem, rows: Indices) -> None:
        self.gram, self.problem, self.rows = gram, problem, rows
        self.cache: LineCache | None = None
        self.open: Bools = np.ones(len(rows), dtype=np.bool_)

    def descend(self, state: _State, tol: float, limit: int) -> str:
        """Why it ended: "reached", "limit" or "shrink"."""
        problem, n = self.problem, len(self.rows)
        if self.cache is None:
            self.cache = LineCache(self.gram, MEMORY)
        b, gradient = state.b[self.rows], state.gradient[self.rows]
        last = np.empty(0, dtype=np.intp)
        sets = 0
        while True:
            up, down = problem.ways(b, gradient)
            worst = float(up.max() + down.max()) if problem.balanced else float(max(up.max(), down.max()))
            if worst <= tol or state.steps >= limit or state.inner >= max(_MOST_INNER, 1000 * n):
                return "reached" if worst <= tol else "limit"
            if sets and sets % _SHRINK_EVERY == 0 and self._may_shrink(b, up, down):
                return "shrink"
            chosen = _choose(b, up, down, problem, last, min(WORKING, n))
            small = self.gram.square(chosen)
            places = np.arange(len(chosen))
            small[places, places] += problem.ridge[chosen].astype(small.dtype)
            chosen_b, own_gradient = b[chosen], gradient[chosen]
            inner, _ = _native.smo(
                small, problem.low[chosen], problem.high[chosen], chosen_b, own_gradient, problem.epsilon,
                problem.balanced, max(_INNER * worst, 0.5 * tol), 1_000_000,
            )  # fmt: skip
            state.inner += int(inner)
            moved = chosen_b - b[chosen]
            changed = np.flatnonzero(moved)
            if not len(changed):  # rounding is all that is left
                return "limit"
            rows = chosen[changed]
            between = (chosen_b[changed] > problem.low[rows]) & (chosen_b[changed] < problem.high[rows])
            self.cache.add_sums(rows, moved[changed], gradient, between & (chosen_b[changed] != 0))
            gradient[rows] += problem.ridge[rows] * moved[changed]
            b[rows] = chosen_b[changed]
            state.b[self.rows[rows]] = chosen_b[changed]
            state.gradient[self.rows] = gradient
            state.steps += 1
            sets += 1
            last = chosen

    def _may_shrink(self, b: Floats, up: Floats, down: Floats) -> bool:
        """Whether many rows are at a bound they have no reason to leave."""
        problem = self.problem
        if problem.balanced:
            # A row that may only go up waits for a partner steeper downwards than any there is.
            firm = (up < -down.max()) & np.isinf(down) | (down < -up.max()) & np.isinf(up)
        else:
            firm = (up < 0) & (down < 0) & (np.isinf(up) | np.isinf(down))
        self.open = ~firm
        kept = np.count_nonzero(self.open)
        return bool(kept >= 2 * WORKING and kept <= _FIRST_SHARE * len(b))


def _choose(b: Floats, up: Floats, down: Floats, problem: BoxProblem, last: Indices, size: int) -> Indices:
    """A working set: rows of the last one between their bounds, then the steepest ways up and down."""
    free = (b[last] > problem.low[last]) & (b[last] < problem.high[last]) & (b[last] != 0)
    kept = last[free][: size // 2]
    taken = np.zeros(len(b), dtype=np.bool_)
    taken[kept] = True
    up, down = np.where(taken, -np.inf, up), np.where(taken, -np.inf, down)
    rising = _largest(up, (size - len(kept)) // 2)
    down[rising] = -np.inf
    falling = _largest(down, size - len(kept) - len(rising))
    return np.concatenate([rising, falling, kept])


def _largest(values: Floats, count: int) -> Array:
    """The places of the largest values that are not minus infinity, at most `count`."""
    every = count >= len(values)
    largest = np.arange(len(values)) if every else np.argpartition(-values, count)[:count]
    return largest[values[largest] > -np.inf]


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

        Storing a line takes longer than computing it a few times, so it is stored only for rows that are `between`
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
