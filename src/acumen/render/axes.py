"""Scales, ticks and the panel a figure is drawn in.

nice_ticks, log_ticks   round numbers inside a range
Linear, Log             where a value lies in the range, from 0 to 1
Panel                   a box of the drawing with two scales: places values, draws grid, ticks and labels
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from acumen.data.escape import printable
from acumen.render.svg import Markup, cut, line, measure, tag, text
from acumen.types import Floats

#: A value on an axis and what is written there.
Tick: TypeAlias = tuple[float, str]

#: The font size of numbers on axes.
SMALL = 12.0


def nice_ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Multiples of 1, 2, 2.5 or 5 times a power of ten within the range, about so many."""
    if not (math.isfinite(low) and math.isfinite(high)) or not high > low:
        return [low] if math.isfinite(low) else []
    raw = (high - low) / max(1, about)
    if not 1e-300 < raw < 1e300:
        return [low, high]
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * m for m in (1.0, 2.0, 2.5, 5.0, 10.0) if power * m >= raw * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    if not last - first < 100:  # a range too narrow for its distance from zero
        return [low, high]
    return [round(i * step, 12 - math.floor(math.log10(step))) + 0.0 for i in range(first, last + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """Powers of ten within the range; with 2 and 5 times them where there are fewer than three."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)

    def within(multiples: Sequence[float], every: int = 1) -> list[float]:
        ticks = (m * 10.0**p for p in powers if p % every == 0 for m in multiples)
        return [v for v in ticks if low * (1 - 1e-9) <= v <= high * (1 + 1e-9)]

    tens = within((1.0,), max(1, round(len(powers) / 7)))
    if len(tens) >= 3:
        return tens
    finer = within((1.0, 2.0, 5.0))
    return finer if len(finer) >= 2 else nice_ticks(low, high)


def tick_labels(values: Sequence[float]) -> list[str]:
    """Numbers with as many digits as tell neighbours apart, and no more."""
    largest = max((abs(v) for v in values), default=0.0)
    gaps = [abs(b - a) for a, b in itertools.pairwise(values) if b != a]
    step = min([*gaps, largest]) or 1.0
    if largest >= 1e6 or step < 1e-4:
        written = ([f"{v:.{digits}g}" for v in values] for digits in range(1, 18))
        near = (
            w for w in written if all(abs(float(s) - v) <= step / 20 for s, v in zip(w, values, strict=True))
        )
        return [_power(label) for label in next(near)]
    places = next(p for p in range(8) if p == 7 or all(abs(v - round(v, p)) < 1e-3 * step for v in values))
    return [f"{v + 0.0:,.{places}f}" for v in values]


def _power(written: str) -> str:
    mantissa, e, exponent = written.partition("e")
    return f"{mantissa}e{int(exponent)}" if e else mantissa


@dataclass(frozen=True, slots=True)
class LinearScale:
    """Even steps from `low` to `high`."""

    low: float
    high: float

    @classmethod
    def around(cls, *values: Floats, pad: float = 0.05) -> LinearScale:
        """A range that holds all finite values, with some room at both ends."""
        seen = np.concatenate([v[np.isfinite(v)] for v in values]) if values else np.empty(0)
        if not len(seen):
            return cls(0.0, 1.0)
        low, high = float(seen.min()), float(seen.max())
        # Halves first: the range between the largest doubles must not overflow.
        room = 2 * pad * (high / 2 - low / 2) or 0.5 * max(abs(low), 1e-9)
        return cls(max(low - room, -sys.float_info.max), min(high + room, sys.float_info.max))

    def place(self, values: Floats) -> Floats:
        """From 0 at `low` to 1 at `high`."""
        span = self.high / 2 - self.low / 2
        return (values / 2 - self.low / 2) / span if span > 0 else np.full_like(values, 0.5)

    def ticks(self, about: int = 5) -> list[Tick]:
        """Round numbers with their labels."""
        values = nice_ticks(self.low, self.high, about)
        return list(zip(values, tick_labels(values), strict=True))


@dataclass(frozen=True, slots=True)
class Log(LinearScale):
    """Even steps of the logarithm; both ends above zero. What is not has no place (NaN)."""

    def place(self, values: Floats) -> Floats:
        """From 0 at `low` to 1 at `high`."""
        logs = np.full(values.shape, np.nan)
        np.log10(values, out=logs, where=values > 0)
        low, high = math.log10(self.low), math.log10(self.high)
        return (logs - low) / (high - low) if high > low else np.where(values > 0, 0.5, np.nan)

    def ticks(self, about: int = 5) -> list[Tick]:
        """Powers of ten, or finer."""
        values = log_ticks(self.low, self.high)
        return [(v, label) for v in values for label in tick_labels([v])]


@dataclass(frozen=True, slots=True)
class Panel:
    """A box of the drawing and the scales of its two directions; `y` grows upwards."""

    left: float
    top: float
    width: float
    height: float
    x: LinearScale
    y: LinearScale

    @property
    def right(self) -> float:
        """The right edge."""
        return self.left + self.width

    @property
    def bottom(self) -> float:
        """The lower edge."""
        return self.top + self.height

    def across(self, values: Floats | float) -> Floats:
        """Values of x as pixels."""
        return self.left + self.width * self.x.place(np.asarray(values, dtype=np.float64))

    def up(self, values: Floats | float) -> Floats:
        """Values of y as pixels."""
        return self.bottom - self.height * self.y.place(np.asarray(values, dtype=np.float64))

    def axes(
        self,
        x_label: str = "",
        y_label: str = "",
        *,
        x_ticks: Sequence[Tick] | None = None,
        y_ticks: Sequence[Tick] | None = None,
        x_grid: bool = True,
    ) -> Markup:
        """Grid, base line, numbers and labels; what is below takes `AXIS_ROOM` pixels."""
        across = self.x.ticks() if x_ticks is None else x_ticks
        up = self.y.ticks() if y_ticks is None else y_ticks
        grid, labels = [], []
        for value, label in up:
            y = float(self.up(value))
            grid.append(line(self.left, y, self.right, y, stroke_opacity=0.13))
            labels.append(text(label, self.left - 7, y + 4, anchor="end", size=SMALL, faint=True))
        for value, label in space_labels(across, self):
            x = float(self.across(value))
            if x_grid:
                grid.append(line(x, self.top, x, self.bottom, stroke_opacity=0.13))
            labels.append(text(label, x, self.bottom + 17, anchor="middle", size=SMALL, faint=True))
        grid.append(line(self.left, self.bottom, self.right, self.bottom, stroke_opacity=0.55))
        if x_label:
            middle = self.left + self.width / 2
            label, whole = cut(x_label, self.width), printable(x_label)
            labels.append(text(label, middle, self.bottom + 36, anchor="middle", whole=whole))
        if y_label:
            middle = self.top + self.height / 2
            label, whole = cut(y_label, self.height), printable(y_label)
            labels.append(text(label, 14.0, middle, anchor="middle", turned=-90.0, whole=whole))
        return tag("g", *grid, *labels)


#: Room below a panel for its numbers, and for numbers and a label.
TICK_ROOM, AXIS_ROOM = 24.0, 44.0


def left_room(ticks: Sequence[Tick], labelled: bool) -> float:
    """Room at the left of a panel for its numbers and its label."""
    return max((measure(label, SMALL) for _, label in ticks), default=0.0) + (36.0 if labelled else 16.0)


def right_room(ticks: Sequence[Tick]) -> float:
    """Room at the right of a panel for the half of its last number that hangs over."""
    return max((measure(label, SMALL) / 2 + 4 for _, label in ticks), default=16.0)


def space_labels(ticks: Sequence[Tick], panel: Panel) -> list[Tick]:
    """Those ticks whose labels do not run into each other, taken evenly."""
    for every in range(1, len(ticks) + 1):
        kept = list(ticks[::every])
        centres = panel.across(np.array([value for value, _ in kept]))
        halves = np.array([measure(label, SMALL) / 2 for _, label in kept])
        gaps = np.abs(np.diff(centres)) - halves[:-1] - halves[1:]
        if not len(gaps) or gaps.min() >= 6:
            return kept
    return []
