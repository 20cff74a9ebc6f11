"""What is lost on rows: log-odds of two classes, softmax of several, squares of numbers.

Each gives, for the scores of rows, the loss, its slope for each row and line, and the curvature of a line by itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from acumen.types import Codes, Floats, Indices


@dataclass(frozen=True, slots=True, eq=False)
class LogOdds:
    """Two classes: `truth` is the share of the second in each row."""

    truth: Floats
    weight: Floats
    lines: int = 1

    def take(self, places: Indices) -> LogOdds:
        return LogOdds(self.truth[places], self.weight[places])

    def value(self, scores: Floats) -> float:
        s = scores[:, 0]
        # log(1 + e^s) - truth * s
        lost = np.log1p(np.exp(-np.abs(s))) + np.maximum(s, 0.0) - self.truth * s
        return float(self.weight @ lost)

    def slope(self, scores: Floats) -> Floats:
        made: Floats = (self.weight * (self.shares(scores)[:, 1] - self.truth))[:, None]
        return made

    def curvature(self, scores: Floats) -> Floats:
        """Of the one line, for each row."""
        p = self.shares(scores)
        made: Floats = (self.weight * p[:, 0] * p[:, 1])[:, None]
        return made

    def shares(self, scores: Floats) -> Floats:
        """P(class | row), one column a class."""
        s = scores[:, 0]
        small = np.exp(-np.abs(s))
        near, far = 1.0 / (1.0 + small), small / (1.0 + small)
        second = np.where(s >= 0, near, far)
        return np.column_stack([np.where(s >= 0, far, near), second])


@dataclass(frozen=True, slots=True, eq=False)
class Softmax:
    """K classes: `labels` are the places of the rows' lines."""

    labels: Codes
    weight: Floats
    lines: int

    def take(self, places: Indices) -> Softmax:
        return Softmax(self.labels[places], self.weight[places], self.lines)

    def value(self, scores: Floats) -> float:
        top = scores.max(axis=1)
        total = np.log(np.exp(scores - top[:, None]).sum(axis=1)) + top
        return float(self.weight @ (total - scores[np.arange(len(scores)), self.labels]))

    def slope(self, scores: Floats) -> Floats:
        made = self.shares(scores)
        made[np.arange(len(made)), self.labels] -= 1.0
        made *= self.weight[:, None]
        return made

    def curvature(self, scores: Floats) -> Floats:
        p = self.shares(scores)
        made: Floats = self.weight[:, None] * p * (1.0 - p)
        return made

    def shares(self, scores: Floats) -> Floats:
        made = np.exp(scores - scores.max(axis=1, keepdims=True))
        made /= made.sum(axis=1, keepdims=True)
        return made


@dataclass(frozen=True, slots=True, eq=False)
class Squares:
    """Numbers: half the squared error."""

    truth: Floats
    weight: Floats
    lines: int = 1

    def take(self, places: Indices) -> Squares:
        return Squares(self.truth[places], self.weight[places])

    def value(self, scores: Floats) -> float:
        return 0.5 * float(self.weight @ (scores[:, 0] - self.truth) ** 2)

    def slope(self, scores: Floats) -> Floats:
        made: Floats = (self.weight * (scores[:, 0] - self.truth))[:, None]
        return made

    def curvature(self, scores: Floats) -> Floats:
        return self.weight[:, None]


Loss = LogOdds | Softmax | Squares
