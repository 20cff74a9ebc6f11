"""What is lost on rows: log-odds of two classes, softmax of several, squares of numbers.

Each gives, for the scores of rows, the loss, its slope for each row and line, and the shares P(class | row) (of numbers
nothing); of these the curvature of a line by itself, and that of all lines along a direction.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from acumen.types import Codes, Floats, Indices

Answer = tuple[float, Floats, Floats]


@dataclass(frozen=True, slots=True, eq=False)
class LogOdds:
    """Two classes: `truth` is the share of the second in each row."""

    truth: Floats
    weight: Floats
    lines: int = 1

    def take(self, places: Indices) -> LogOdds:
        return LogOdds(self.truth[places], self.weight[places])

    def at(self, scores: Floats) -> Answer:
        """Loss, slopes (rows, 1) and shares of both classes."""
        s = scores[:, 0]
        small = np.exp(-np.abs(s))
        near = 1.0 / (1.0 + small)
        # log(1 + e^s) - truth * s
        lost = np.log1p(small)
        lost += np.maximum(s, 0.0)
        lost -= self.truth * s
        shares = np.empty((len(s), 2))
        above = s >= 0
        far = small * near
        shares[:, 1] = np.where(above, near, far)
        shares[:, 0] = np.where(above, far, near)
        slope: Floats = (self.weight * (shares[:, 1] - self.truth))[:, None]
        return float(self.weight @ lost), slope, shares

    def curvature(self, shares: Floats) -> Floats:
        """Of the one line, for each row."""
        made: Floats = (self.weight * shares[:, 0] * shares[:, 1])[:, None]
        return made

    def bent(self, shares: Floats, direction: Floats) -> Floats:
        return self.curvature(shares) * direction


@dataclass(frozen=True, slots=True, eq=False)
class Softmax:
    """K classes: `labels` are the places of the rows' lines."""

    labels: Codes
    weight: Floats
    lines: int

    def take(self, places: Indices) -> Softmax:
        return Softmax(self.labels[places], self.weight[places], self.lines)

    def at(self, scores: Floats) -> Answer:
        """Loss, slopes and shares, (rows, lines) both."""
        own = np.arange(len(scores)), self.labels
        left = scores - scores.max(axis=1, keepdims=True)
        shares = np.exp(left)
        total = shares.sum(axis=1, keepdims=True)
        shares /= total
        slope = shares.copy()
        slope[own] -= 1.0
        slope *= self.weight[:, None]
        return float(self.weight @ (np.log(total[:, 0]) - left[own])), slope, shares

    def curvature(self, shares: Floats) -> Floats:
        made: Floats = self.weight[:, None] * shares * (1.0 - shares)
        return made

    def bent(self, shares: Floats, direction: Floats) -> Floats:
        made = direction - np.einsum("nk,nk->n", shares, direction)[:, None]
        made *= shares
        made *= self.weight[:, None]
        return made


@dataclass(frozen=True, slots=True, eq=False)
class Squares:
    """Numbers: half the squared error."""

    truth: Floats
    weight: Floats
    lines: int = 1

    def take(self, places: Indices) -> Squares:
        return Squares(self.truth[places], self.weight[places])

    def at(self, scores: Floats) -> Answer:
        """Loss and slopes (rows, 1)."""
        left = scores[:, 0] - self.truth
        slope = self.weight * left
        return 0.5 * float(slope @ left), slope[:, None], np.empty((len(left), 0))

    def curvature(self, shares: Floats) -> Floats:
        return self.weight[:, None]

    def bent(self, shares: Floats, direction: Floats) -> Floats:
        made: Floats = self.weight[:, None] * direction
        return made


Loss = LogOdds | Softmax | Squares
