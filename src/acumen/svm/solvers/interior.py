"""The function an interior-point method has in hand, and the systems its steps solve.

HeldWeights   weights of attributes, kept beside the dual point: I + X' D X is factored
HeldKernel    the function of the dual point itself, by a kernel matrix held whole
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from acumen.geometry.kernel import Rows
from acumen.svm.solvers.linear_rows import back, times, weighted_gram
from acumen.svm.solvers.newton_steps import solve_psd
from acumen.types import Floats


class FirstRepeat(ABC):
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
    def behold(self, b: Floats) -> None:
        """Take notice of the dual point: how far its function is from the one held."""

    @abstractmethod
    def factor(self, d: Floats) -> None:
        """Prepare `solve` for steps with the diagonal D."""

    @abstractmethod
    def solve(self, h: Floats, *, mend: bool = True) -> tuple[Floats, Floats, Floats]:
        """(1 / D + K) v = h / D: v, K v reckoned without the difference that would lose its digits, the move of w.

        With `mend` the step closes what is between the two functions as well.
        """

    @abstractmethod
    def move(self, step: Floats) -> None:
        """Add to the function's weights."""


class HeldWeights(FirstRepeat):
    """Weights of attributes, and of the folded bias as the last."""

    def __init__(self, X: Rows, folded: bool, b: Floats) -> None:
        self.X, self.folded = X, folded
        self.w = self._weights(b)
        self._look()

    def _weights(self, b: Floats) -> Floats:
        made = back(self.X, b)
        return np.append(made, b.sum()) if self.folded else made

    def _values(self, w: Floats) -> Floats:
        return times(self.X, w[:-1]) + w[-1] if self.folded else times(self.X, w)

    def _look(self) -> None:
        self.through = self._values(self.w)
        self.square = float(self.w @ self.w)

    def behold(self, b: Floats) -> None:
        own = self._weights(b)
        self.off = self.w - own
        self.dual_square = float(own @ own)

    def factor(self, d: Floats) -> None:
        inner = weighted_gram(self.X, d)
        self.inner = inner if self.folded else inner[:-1, :-1]
        self.inner[np.diag_indices_from(self.inner)] += 1.0
        self.d = d

    def solve(self, h: Floats, *, mend: bool = True) -> tuple[Floats, Floats, Floats]:
        right = self._weights(h)
        step = solve_psd(self.inner, right - self.off if mend else right)
        pull = self._values(step)
        return h - self.d * pull, pull, step

    def move(self, step: Floats) -> None:
        self.w = self.w + step
        self._look()


class HeldKernel(FirstRepeat):
    """The function of b itself, by a kernel matrix held whole: n^3 operations a step."""

    def __init__(self, kernel: Floats) -> None:
        self.kernel = kernel
        self.w = np.empty(0)

    def behold(self, b: Floats) -> None:
        self.through = self.kernel @ b
        self.square = self.dual_square = float(b @ self.through)

    def factor(self, d: Floats) -> None:
        self.root = np.sqrt(d)
        self.inner = self.root[:, None] * self.kernel * self.root
        self.inner[np.diag_indices(len(d))] += 1.0

    def solve(self, h: Floats, *, mend: bool = True) -> tuple[Floats, Floats, Floats]:
        # Made symmetric and free of 1/D, which is infinite where nothing may move.
        found = h - self.root * solve_psd(self.inner, self.root * (self.kernel @ h))
        return found, self.kernel @ found, found

    def move(self, step: Floats) -> None:
        """b has moved, and `behold` sees it."""
