"""What an ensemble says of rows that its members did not learn from.

OutOfBag      the error, its interval and the curve over members, by both conventions for rows without a vote
Importances   what each attribute is worth to a forest, with intervals over its trees
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any, NamedTuple, Self

import numpy as np

from acumen.preprocessing.stored_arrays import require, stored_floats
from acumen.render.interval_plot import IntervalFigure, IntervalRow
from acumen.render.learning_plot import Band, LearningFigure
from acumen.render.text import many
from acumen.types import Array, Codes, Floats

_Z = NormalDist().inv_cdf(0.975)


class ErrorInterval(NamedTuple):
    """From `low` to `high`, at 95 %."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False)
class OutOfBag:
    """The error of an ensemble on rows by those members alone that did not learn from them.

    Attributes
    ----------
    error : float
        Of rows with at least one vote: the weighted share of wrong classes, or the mean squared error of numbers.
    interval : Interval
        Of `error`, at 95 %: Wilson's of a share, the normal one of squares. Rows are taken as independent.
    error_all : float
        Of all rows, those without a vote counted as of the first class (NaN of numbers): many early rows have none.
    curve, curve_all : arrays
        Both after each member.
    without_vote : int
        How many rows had no vote: every member learned from them.
    votes : array of int
        How many members spoke of each row; empty where the model was read from a file.
    predictions : array
        Of each row the probabilities of the classes, or the number; NaN where there was no vote.
    """

    curve: Floats
    curve_all: Floats
    interval: ErrorInterval
    without_vote: int
    rows: int
    votes: Codes = field(default_factory=lambda: np.empty(0, dtype=np.int32), repr=False)
    predictions: Floats = field(default_factory=lambda: np.empty(0), repr=False)

    @property
    def error(self) -> float:
        """Of rows with a vote."""
        return float(self.curve[-1])

    @property
    def error_all(self) -> float:
        """Of all rows, those without a vote counted as of the first class."""
        return float(self.curve_all[-1])

    def __str__(self) -> str:
        low, high = self.interval
        numbers = np.isnan(self.error_all)
        summary = (
            f"mean squared error {self.error:.6g} ({low:.6g} to {high:.6g})"
            if numbers
            else f"error {100 * self.error:.2f} % ({100 * low:.2f} to {100 * high:.2f} %)"
        )
        text = f"out-of-bag {summary} of {many(self.rows - self.without_vote, 'row')} with a vote"
        if self.without_vote:
            text += f"; {many(self.without_vote, 'row')} had none"
            if not numbers:
                text += f", counted as of the first class {100 * self.error_all:.2f} %"
        return text

    def figure(self, target: str = "") -> LearningFigure:
        """The error over the number of members."""
        bands = [Band("rows with a vote", self.curve)]
        if not np.isnan(self.curve_all).any():
            bands.append(Band("all rows, no vote as first class", self.curve_all))
        of = "squared error" if len(bands) == 1 else "error"
        title = "Out-of-bag error" + (f" of {target}" if target else "")
        return LearningFigure(np.arange(1.0, len(self.curve) + 1), bands, "members", of, title=title)

    # -- model files ------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Array]:
        return {
            "bag/curve": np.column_stack([self.curve, np.nan_to_num(self.curve_all, nan=-1.0)]),
            "bag/about": np.array([*self.interval, self.without_vote, self.rows], dtype=np.float64),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], members: int) -> Self:
        both = stored_floats(arrays, "bag/curve", (members, 2), low=-1.0)
        about = stored_floats(arrays, "bag/about", (4,), low=0.0, high=2.0**1000)
        require(members >= 1 and about[2] <= about[3] < 2**53, "the rows out of bag are not counted right")
        everything = np.where(both[:, 1] < 0, np.nan, both[:, 1])
        return cls(both[:, 0], everything, ErrorInterval(*about[:2].tolist()), int(about[2]), int(about[3]))


def share_interval(share: float, rows: float) -> ErrorInterval:
    """Wilson's interval of a fraction of `n` rows."""
    if not rows > 0:
        return ErrorInterval(0.0, 1.0)
    z2 = _Z * _Z
    middle = (share + z2 / (2 * rows)) / (1 + z2 / rows)
    half = _Z / (1 + z2 / rows) * np.sqrt(share * (1 - share) / rows + z2 / (4 * rows * rows))
    return ErrorInterval(float(max(middle - half, 0.0)), float(min(middle + half, 1.0)))


def mean_interval(values: Floats, weights: Floats) -> ErrorInterval:
    """The normal interval of a weighted mean of values of at least 0."""
    total = float(weights.sum())
    # Sums of products, not dot products: what BLAS makes of these depends on its threads.
    mean = float(np.sum(weights * values)) / total
    rows = total * total / float(np.sum(weights * weights))
    spread = float(np.sum(weights * (values - mean) ** 2)) / total
    half = _Z * np.sqrt(spread / rows)
    return ErrorInterval(float(max(mean - half, 0.0)), float(mean + half))


def effective_size(weights: Floats) -> float:
    """As many equal rows say as much (Kish)."""
    return float(weights.sum()) ** 2 / float(np.sum(weights * weights)) if len(weights) else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Importances:
    """What each attribute, or group of them, is worth to the trees of a forest; of the model, not of the world.

    Iterating gives (name, value), the most important first.
    """

    names: tuple[str, ...]
    by_tree: Floats  # (trees, names)
    what: str = "decrease in impurity out of bag"

    @property
    def values(self) -> Floats:
        """The mean over the trees."""
        return np.asarray(self.by_tree.mean(axis=0)) if len(self.by_tree) else np.zeros(len(self.names))

    @property
    def half(self) -> Floats:
        """Half the width of the 95 % interval of the mean, by how the trees differ."""
        n = len(self.by_tree)
        if n < 2:
            return np.full(len(self.names), np.nan)
        return np.asarray(_Z * self.by_tree.std(axis=0, ddof=1) / np.sqrt(n))

    @property
    def low(self) -> Floats:
        return self.values - self.half

    @property
    def high(self) -> Floats:
        return self.values + self.half

    @property
    def order(self) -> list[int]:
        """The places of the names, most important first."""
        return np.argsort(-self.values, kind="stable").tolist()

    def __getitem__(self, name: str) -> float:
        return float(self.values[self.names.index(name)])

    def __iter__(self) -> Iterator[tuple[str, float]]:
        values = self.values
        return ((self.names[j], float(values[j])) for j in self.order)

    def __len__(self) -> int:
        return len(self.names)

    def to_dict(self) -> dict[str, Any]:
        low, high, values = self.low, self.high, self.values
        return {
            self.names[j]: {"value": float(values[j]), "low": float(low[j]), "high": float(high[j])}
            for j in self.order
        }

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self, most: int | None = None) -> Sequence[str]:
        """One line each, the most important first."""
        values, half = self.values, self.half
        order = self.order[:most]
        width = max((len(self.names[j]) for j in order), default=0)
        return [
            f"{self.names[j]:<{width}}  {values[j]:+.4g}"
            + ("" if np.isnan(half[j]) else f" +- {half[j]:.2g}")
            for j in order
        ]

    def figure(self, most: int = 30) -> IntervalFigure:
        """Each with its interval, the most important first."""
        values, low, high = self.values, self.low, self.high
        rows = [
            IntervalRow(self.names[j], float(values[j]), float(low[j]), float(high[j])) for j in self.order
        ]
        return IntervalFigure(rows[:most], self.what, "Importances")
