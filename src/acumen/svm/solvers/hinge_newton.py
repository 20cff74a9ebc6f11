"""An interior-point Newton method for hinge loss: many rows of few attributes, or a small kernel matrix.

    solve_linear   the method
    HeldWeights    the function as attribute weights, stored with the dual point: I + X' D X is factored
    HeldKernel     the function as the dual point itself, with the whole kernel matrix in memory

Coordinate methods are slow where rows far outnumber attributes. Here each step solves one system of d + 1 unknowns
(n d^2 operations), and about twenty steps reach any gap. The variables are a = |b|, one for each way a row can pull,
each held between 0 and its bound by multipliers (lower, upper). Steps are Mehrotra's: a predictor, then a corrector
with the same factor. If the bias is free, the sum of b is one more unknown.

    (Theta + S K S) da + s dbias = right       Theta = lower / a + upper / (bound - a)

With K = X X' the solution needs only I + X' D X, where D is the inverse of Theta summed over each row's ways
(Ferris and Munson 2002).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from acumen.geometry.kernel import Rows
from acumen.svm.solvers.certificate import DualPoint, PrimalPoint, feasible
from acumen.svm.solvers.gram import Gram
from acumen.svm.solvers.linear_rows import back, times, weighted_gram
from acumen.svm.solvers.newton_steps import solve_psd
from acumen.svm.solvers.problem import BoxProblem
from acumen.svm.solvers.smo import require_room
from acumen.types import Floats, Indices

_STEPS = 200
_BACK_OFF = 0.995  # of the way to the nearest bound
_IDLE = 5  # steps without a smaller gap before it is given up
_FLOOR = 1e-7  # a relative gap that is small enough where rounding allows no smaller one


def solve_linear(X: Rows, problem: BoxProblem, *, tol: float, max_iter: int | None) -> PrimalPoint:
    """Steps until the gap is `tol` of the primal objective."""
    ways = _Ways.of(problem)
    start = _start(ways, problem)
    held = HeldWeights(X, not problem.balanced, ways.gather(start))
    ended = _descend(problem, ways, start, held, tol, _STEPS if max_iter is None else max_iter)
    b = feasible(problem, ended.cornered)
    w, bias = (ended.w, ended.bias) if problem.balanced else (ended.w[:-1], float(ended.w[-1]))
    return PrimalPoint(w, bias, b, ended.steps, ended.stopped)


def solve_kernel(gram: Gram, problem: BoxProblem, *, tol: float, max_iter: int | None) -> DualPoint:
    """The same on a kernel matrix."""
    require_room("newton", gram.n)
    n = gram.n
    kernel = gram.in_double().square(np.arange(n))[:, :n]
    ways = _Ways.of(problem)
    limit = _STEPS if max_iter is None else max_iter
    ended = _descend(problem, ways, _start(ways, problem), HeldKernel(kernel), tol, limit)
    b = feasible(problem, ended.cornered)
    gradient = kernel @ b - problem.z
    worst = problem.violation(b, gradient)
    bias = ended.bias if problem.balanced else None
    return DualPoint(b, gradient, worst, ended.steps, ended.stopped, bias)


@dataclass(slots=True)
class _Outcome:
    cornered: Floats  # b with what is nearly at a bound put there
    w: Floats  # the weights, where they are held
    bias: float
    steps: int
    stopped: str


@dataclass(slots=True)
class _Ways:
    """The variables: for each its row, its sign, its bound and its linear cost."""

    row: Indices
    sign: Floats
    bound: Floats
    cost: Floats
    rows: int

    @classmethod
    def of(cls, problem: BoxProblem) -> _Ways:
        up, down = np.flatnonzero(problem.high > 0), np.flatnonzero(problem.low < 0)
        return cls(
            np.concatenate([up, down]),
            np.concatenate([np.ones(len(up)), -np.ones(len(down))]),
            np.concatenate([problem.high[up], -problem.low[down]]),
            np.concatenate([problem.epsilon - problem.z[up], problem.epsilon + problem.z[down]]),
            len(problem),
        )

    def gather(self, values: Floats) -> Floats:
        """The sum over each row's variables of sign x value."""
        gathered: Floats = np.bincount(self.row, self.sign * values, minlength=self.rows).astype(
            np.float64, copy=False
        )
        return gathered

    def spread(self, values: Floats) -> Floats:
        """Each variable's sign x its row's value."""
        return self.sign * values[self.row]


def _start(ways: _Ways, problem: BoxProblem) -> Floats:
    """The middle of the box, of sum zero where the bias is free."""
    return _balance(ways, 0.5 * ways.bound) if problem.balanced else 0.5 * ways.bound


def _descend(
    problem: BoxProblem, ways: _Ways, a: Floats, held: HeldFunction, tol: float, limit: int
) -> _Outcome:
    lower, upper = np.ones(len(a)), np.ones(len(a))
    bias, stopped, steps = 0.0, "max_iter", 0
    best: tuple[float, Floats, float, Floats, Floats, Floats] | None = None
    since = 0
    while steps < limit:
        b = ways.gather(a)
        held.set_dual_point(b)
        through = held.through
        gap = _relative_gap(problem, b, held, bias)
        if best is None or gap < best[0]:
            best, since = (gap, a, bias, lower, upper, held.w), steps
        if gap <= tol:
            stopped = ""
            break
        # Digits have run out, and what follows is noise.
        if best[0] < 1e-3 and (gap > 100 * best[0] or steps > since + _IDLE):
            stopped = "" if best[0] <= max(_FLOOR, 100 * tol) else "max_iter"
            break
        steps += 1
        room = np.maximum(ways.bound - a, 1e-17 * ways.bound)  # rounding may leave none
        theta = lower / a + upper / room
        inverse = 1.0 / theta
        d = ways.gather(ways.sign * inverse)
        held.factor(d)
        slope = ways.spread(through + bias) + ways.cost - lower + upper
        middle = float(a @ lower + room @ upper) / (2 * len(a))
        off = float(b.sum()) if problem.balanced else 0.0
        ones, through_ones, step_ones = held.solve(d, close_gap=False) if problem.balanced else (d, d, d)

        def direction(
            lower_goal: Floats, upper_goal: Floats, a: Floats = a, room: Floats = room,
            slope: Floats = slope, inverse: Floats = inverse, ones: Floats = ones, step_ones: Floats = step_ones,
            through_ones: Floats = through_ones, off: float = off, lower: Floats = lower,
            upper: Floats = upper,
        ) -> tuple[Floats, float, Floats, Floats, Floats]:  # fmt: skip
            """Where the conditions, made linear, put a, the bias, both multipliers and the weights."""
            right = -slope + lower_goal / a - upper_goal / room
            moved, pull, step = held.solve(ways.gather(inverse * right))
            shift = 0.0
            if problem.balanced:
                shift = (float(moved.sum()) + off) / float(ones.sum())
                pull, step = pull + shift * (1.0 - through_ones), step - shift * step_ones
            da = inverse * (right - ways.spread(pull))
            return da, shift, (lower_goal - lower * da) / a, (upper_goal + upper * da) / room, step

        da, _, dl, du, _ = direction(-a * lower, -room * upper)
        reach = min(_reach(a, da), _reach(room, -da), _reach(lower, dl), _reach(upper, du))
        hoped = float((a + reach * da) @ (lower + reach * dl) + (room - reach * da) @ (upper + reach * du))
        centre = (hoped / (2 * len(a)) / middle) ** 3 * middle
        da, shift, dl, du, step = direction(centre - a * lower - da * dl, centre - room * upper + da * du)
        first = _BACK_OFF * min(_reach(a, da), _reach(room, -da))
        second = _BACK_OFF * min(_reach(lower, dl), _reach(upper, du))
        length = min(first, second, 1.0)
        if length < 1e-12:
            break
        a, bias = a + length * da, bias + length * shift
        lower, upper = lower + length * dl, upper + length * du
        held.move(length * step)
    w = held.w
    if best is not None:
        _, a, bias, lower, upper, w = best
    # A variable is at a bound if its multiplier there is larger than its distance, both in their natural units.
    share = a / ways.bound
    cornered = np.where(share < lower, 0.0, np.where(1.0 - share < upper, ways.bound, a))
    return _Outcome(ways.gather(cornered), w, bias, steps, stopped)


def _balance(ways: _Ways, a: Floats) -> Floats:
    """The heavier side made as light as the other: a start whose b has the sum zero."""
    up, down = float(a[ways.sign > 0].sum()), float(a[ways.sign < 0].sum())
    light = min(up, down)
    return a * np.where(ways.sign > 0, light / max(up, 1e-300), light / max(down, 1e-300))


def _reach(values: Floats, moves: Floats) -> float:
    """How many times the moves fit before a value is zero, at most once."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = np.where(moves < 0, -values / moves, np.inf)
    return min(1.0, float(ratio.min(initial=np.inf)))


def _relative_gap(problem: BoxProblem, b: Floats, held: HeldFunction, bias: float) -> float:
    primal = problem.primal(held.square, held.through + bias)
    off = abs(float(b.sum())) if problem.balanced else 0.0
    dual = float(problem.z @ b) - 0.5 * held.dual_square - problem.epsilon * float(np.abs(b).sum())
    return (primal - dual) / max(abs(primal), 1e-300) + off / max(float(np.abs(b).sum()), 1e-300)


class HeldFunction(ABC):
    """The function as it stands: `through` are its values without a free bias, `square` is |w|^2.

    What rounding leaves between it and the function of b is handed to each step to be made good. Where costs are
    high it is much: rows between their bounds get a b that is right to a billionth only, and sums of large rows
    make a function of that which is far off.
    """

    through: Floats
    square: float
    w: Floats
    dual_square: float  # of the function that b makes

    @abstractmethod
    def set_dual_point(self, b: Floats) -> None:
        """Take notice of the dual point: how far its function is from the one held."""

    @abstractmethod
    def factor(self, d: Floats) -> None:
        """Prepare `solve` for steps with the diagonal D."""

    @abstractmethod
    def solve(self, h: Floats, *, close_gap: bool = True) -> tuple[Floats, Floats, Floats]:
        """(1 / D + K) v = h / D: v, K v computed without the difference that would lose digits, the move of w.

        With `close_gap` the step also closes the gap between the two functions.
        """

    @abstractmethod
    def move(self, step: Floats) -> None:
        """Add to the function's weights."""


class HeldWeights(HeldFunction):
    """Weights of attributes, and of the folded bias as the last."""

    def __init__(self, X: Rows, folded: bool, b: Floats) -> None:
        self.X, self.folded = X, folded
        self.w = self._weights(b)
        self._look()

    def _weights(self, b: Floats) -> Floats:
        weights = back(self.X, b)
        return np.append(weights, b.sum()) if self.folded else weights

    def _values(self, w: Floats) -> Floats:
        return times(self.X, w[:-1]) + w[-1] if self.folded else times(self.X, w)

    def _look(self) -> None:
        self.through = self._values(self.w)
        self.square = float(self.w @ self.w)

    def set_dual_point(self, b: Floats) -> None:
        weights = self._weights(b)
        self.off = self.w - weights
        self.dual_square = float(weights @ weights)

    def factor(self, d: Floats) -> None:
        inner = weighted_gram(self.X, d)
        self.inner = inner if self.folded else inner[:-1, :-1]
        self.inner[np.diag_indices_from(self.inner)] += 1.0
        self.d = d

    def solve(self, h: Floats, *, close_gap: bool = True) -> tuple[Floats, Floats, Floats]:
        right = self._weights(h)
        step = solve_psd(self.inner, right - self.off if close_gap else right)
        pull = self._values(step)
        return h - self.d * pull, pull, step

    def move(self, step: Floats) -> None:
        self.w = self.w + step
        self._look()


class HeldKernel(HeldFunction):
    """The function of b itself, by a kernel matrix held whole: n^3 operations a step."""

    def __init__(self, kernel: Floats) -> None:
        self.kernel = kernel
        self.w = np.empty(0)

    def set_dual_point(self, b: Floats) -> None:
        self.through = self.kernel @ b
        self.square = self.dual_square = float(b @ self.through)

    def factor(self, d: Floats) -> None:
        self.root = np.sqrt(d)
        self.inner = self.root[:, None] * self.kernel * self.root
        self.inner[np.diag_indices(len(d))] += 1.0

    def solve(self, h: Floats, *, close_gap: bool = True) -> tuple[Floats, Floats, Floats]:
        # Made symmetric and free of 1/D, which is infinite where nothing may move.
        solution = h - self.root * solve_psd(self.inner, self.root * (self.kernel @ h))
        return solution, self.kernel @ solution, solution

    def move(self, step: Floats) -> None:
        """b has moved, and `behold` sees it."""
