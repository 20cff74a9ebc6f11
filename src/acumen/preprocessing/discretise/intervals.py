"""The intervals of one attribute: numbers in, codes and level names out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, get_args

import numpy as np

from acumen.data.forms import is_moment, shown_as
from acumen.errors import ParameterError
from acumen.types import MISSING, Codes, Floats

Closed = Literal["right", "left"]
SIDES: tuple[str, ...] = get_args(Closed)


@dataclass(frozen=True, slots=True, eq=False)
class Intervals:
    """Neighbouring intervals that cover all numbers.

    Attributes
    ----------
    attribute : str
    edges : array of float64
        Where one interval ends and the next begins, ascending; one less than there are intervals.
    closed : {"right", "left"}
        To which side an edge belongs: `(a, b]` or `[a, b)`.
    low, high : float
        What the outer intervals are named after: the training range, or infinities. Values beyond are
        in the outer intervals all the same.
    form : str
        How the numbers are written where they are dates or times: levels are named so.
    """

    attribute: str
    edges: Floats
    closed: str = "right"
    low: float = -math.inf
    high: float = math.inf
    form: str = ""

    def __post_init__(self) -> None:
        edges = np.asarray(self.edges, dtype=np.float64)
        object.__setattr__(self, "edges", edges)
        if self.closed not in SIDES:
            raise ParameterError(f"Intervals: closed must be 'right' or 'left'; got {self.closed!r}.")
        if edges.ndim != 1 or not np.isfinite(edges).all() or (np.diff(edges) <= 0).any():
            raise ParameterError(f"Intervals of {self.attribute!r}: edges must be finite and ascend.")
        if not self.low <= self.high or (len(edges) and not self.low <= edges[0] <= edges[-1] <= self.high):
            raise ParameterError(f"Intervals of {self.attribute!r}: the edges must lie between low and high.")

    def __len__(self) -> int:
        return len(self.edges) + 1

    def transform(self, values: Floats) -> Codes:
        """The number of each value's interval, from 0; -1 where the value is missing."""
        values = np.asarray(values, dtype=np.float64)
        side: Literal["left", "right"] = "left" if self.closed == "right" else "right"
        codes = np.searchsorted(self.edges, values, side=side).astype(np.int32)
        codes[np.isnan(values)] = MISSING
        return codes

    @property
    def levels(self) -> tuple[str, ...]:
        """The intervals as people write them: `[4.3, 5.2]`, `(5.2, 6.1]`; every digit is there."""
        return self._date_labels(self.form) or self._interval_labels(
            [_number(bound) for bound in self._bounds]
        )

    def short_labels(self, form: str = "") -> tuple[str, ...]:
        """The same with as few digits, five or more, as tell the edges apart, or as dates: for descriptions."""
        if dated := self._date_labels(form or self.form):
            return dated
        bounds = self._bounds
        for digits in range(5, 17):
            texts = [f"{bound:.{digits}g}" for bound in bounds]
            if len(set(texts)) == len(set(bounds)):
                return self._interval_labels(texts)
        return self.levels

    def _date_labels(self, form: str) -> tuple[str, ...]:
        """The intervals between dates or times; nothing where their bounds are none, or not told apart by them."""
        if not is_moment(form):
            return ()
        texts: list[str] = []
        for bound in self._bounds:
            if not math.isfinite(bound):
                texts.append(_number(bound))
                continue
            if (
                form.split()[0] == "date"
            ):  # whole days: an edge between two belongs to the one on its own side
                bound = float(math.floor(bound) if self.closed == "right" else math.ceil(bound))
            moment = shown_as(form, bound)
            if moment is None:
                return ()
            texts.append(moment)
        inner = texts[1:-1]
        return self._interval_labels(texts) if len(set(inner)) == len(inner) else ()

    @property
    def _bounds(self) -> list[float]:
        return [self.low, *self.edges.tolist(), self.high]

    def _interval_labels(self, said: list[str]) -> tuple[str, ...]:
        """Each interval between two bounds; the ends of the training range belong to it."""
        last = len(self.edges)
        names = []
        for i in range(last + 1):
            opens = "[" if (i or math.isfinite(self.low)) and (self.closed == "left" or i == 0) else "("
            ends = i < last or math.isfinite(self.high)
            closes = "]" if ends and (self.closed == "right" or i == last) else ")"
            names.append(f"{opens}{said[i]}, {said[i + 1]}{closes}")
        return tuple(names)


def _number(value: float) -> str:
    return repr(value).removesuffix(".0")


def along(low: float, high: float, i: int, n: int) -> float:
    """The number i/n of the way from `low` to `high`, computed in the decimals they are written in.

    The first of four intervals over 4.3..7.9 ends at 5.2; in binary arithmetic it may end at
    5.199999999999999 instead, and then every 5.2 of the data would change sides.
    """
    a, b = Fraction(repr(low)), Fraction(repr(high))
    return float(a + (b - a) * i / n)


def part(a: float, b: float, closed: str) -> float:
    """The middle of two neighbouring values as an edge: `a` stays left of it and `b` right.

    Between neighbours in binary there is no middle; then it is the value that its side owns.
    """
    middle = along(a, b, 1, 2)
    if a < middle < b:
        return middle
    return a if closed == "right" else b
