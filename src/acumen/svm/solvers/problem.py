"""The dual problem all kernel machines of two sides are: a quadratic one in a box.

    minimise   1/2 b'(K + D) b - z'b + epsilon sum |b|
    subject to low <= b <= high, and sum b = 0 where the bias is free

    classes     z = y, b = y alpha, no epsilon; 0 <= alpha <= cost of the row
    numbers     z = the response, b = alpha - alpha*, |b| <= cost of the row

Hinge loss bounds b by the row's cost; squared loss has no bound but the diagonal D = 1 / (2 cost). A folded
bias is a constant added to the kernel, and leaves b without the sum. Costs are C times the rows' weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from acumen.optimise.trace import dot
from acumen.types import Bools, Floats, Indices

Loss = Literal["hinge", "squared"]


@dataclass(frozen=True, slots=True)
class BoxProblem:
    """The problem but for its kernel matrix."""

    z: Floats
    low: Floats
    high: Floats
    ridge: Floats  # the diagonal D
    cost: Floats  # what a unit of loss costs in each row
    epsilon: float
    balanced: bool
    loss: Loss
    numbers: bool = False  # whether rows have numbers rather than sides

    def __len__(self) -> int:
        return len(self.z)

    @classmethod
    def of_classes(cls, sides: Floats, cost: Floats, loss: Loss, *, balanced: bool) -> BoxProblem:
        """Rows on two sides, +1 and -1."""
        bound = np.full(len(sides), np.inf) if loss == "squared" else cost
        return cls(
            z=sides,
            low=np.where(sides > 0, 0.0, -bound),
            high=np.where(sides > 0, bound, 0.0),
            ridge=_ridge(cost, loss),
            cost=cost,
            epsilon=0.0,
            balanced=balanced,
            loss=loss,
        )

    @classmethod
    def of_numbers(
        cls, response: Floats, cost: Floats, epsilon: float, loss: Loss, *, balanced: bool
    ) -> BoxProblem:
        """Rows with a number each, of which errors up to `epsilon` cost nothing."""
        bound = np.full(len(response), np.inf) if loss == "squared" else cost
        return cls(response, -bound, bound, _ridge(cost, loss), cost, epsilon, balanced, loss, True)

    def slack(self, decision: Floats) -> Floats:
        """How far each row is from costing nothing: its loss, before it is squared."""
        if self.numbers:
            return np.maximum(np.abs(self.z - decision) - self.epsilon, 0.0)
        return np.maximum(1.0 - self.z * decision, 0.0)

    def pull(self, decision: Floats) -> Floats:
        """By how much, and which way, each row pulls at its decision value: minus the slope of its cost."""
        slack = self.slack(decision)
        side = np.sign(self.z - decision) if self.numbers else self.z
        return self.cost * side * (2.0 * slack if self.loss == "squared" else (slack > 0))

    def primal(self, square: float, decision: Floats) -> float:
        """The primal objective of a function of squared norm `square` that decides so."""
        slack = self.slack(decision)
        loss = slack * slack if self.loss == "squared" else slack
        return 0.5 * square + dot(self.cost, loss)

    def dual(self, b: Floats, kernel_times_b: Floats) -> float:
        """The dual objective, to be maximised: never above the primal one."""
        value = dot(self.z, b) - 0.5 * dot(b, kernel_times_b)
        if self.epsilon:
            value -= self.epsilon * float(np.abs(b).sum())
        return value - 0.5 * dot(self.ridge * b, b) if self.loss == "squared" else value

    def take(self, rows: Indices) -> BoxProblem:
        """The problem of some rows, the others staying where they are."""
        return BoxProblem(
            self.z[rows], self.low[rows], self.high[rows], self.ridge[rows], self.cost[rows],
            self.epsilon, self.balanced, self.loss, self.numbers,
        )  # fmt: skip

    def ways(self, b: Floats, gradient: Floats) -> tuple[Floats, Floats]:
        """How steep the way up is for each row (minus infinity where barred), and the same downwards."""
        up = np.where(b < self.high, -gradient, -np.inf)
        down = np.where(b > self.low, gradient, -np.inf)
        if self.epsilon:
            up += np.where(b < 0, self.epsilon, -self.epsilon)
            down += np.where(b > 0, self.epsilon, -self.epsilon)
        return up, down

    def violation(self, b: Floats, gradient: Floats) -> float:
        """By how much the Karush-Kuhn-Tucker conditions are violated at most."""
        up, down = self.ways(b, gradient)
        if self.balanced:
            worst = up.max(initial=-np.inf) + down.max(initial=-np.inf)
        else:
            worst = max(up.max(initial=-np.inf), down.max(initial=-np.inf))
        return max(float(worst), 0.0)

    def bias(self, b: Floats, gradient: Floats) -> float:
        """The free bias: the mean over rows within their bounds, else the middle of what is possible.

        `gradient` is (K + D) b - z; at the optimum its negative is the bias wherever b may move both ways.
        """
        if not self.balanced:
            return 0.0
        up, down = self.ways(b, gradient)
        free: Bools = (b != 0) & np.isfinite(up) & np.isfinite(down)
        if free.any():
            return float(np.mean(0.5 * (up[free] - down[free])))
        high, low = float(up.max(initial=-np.inf)), -float(down.max(initial=-np.inf))
        if not np.isfinite(high) or not np.isfinite(low):
            return high if np.isfinite(high) else low if np.isfinite(low) else 0.0
        return 0.5 * (high + low)


def _ridge(cost: Floats, loss: Loss) -> Floats:
    """The diagonal that squared loss adds: 1 / (2 cost), none for a hard margin."""
    return 0.5 / cost if loss == "squared" else np.zeros(len(cost))
