"""How wide Parzen's windows are, and the one call that sums them.

    WindowRows      training rows in the order of their classes, attribute by attribute
    Windows         widths for each class and attribute, and substitutes for missing training values
    scott_windows   Scott's rule, times a factor
    fixed_windows   one width for all numeric attributes
    best_factor     the factor with the lowest leave-one-out loss

Scott's width of a numeric attribute is s n^(-1/(d + 4)), with s the standard deviation within the class, n the
weight of the class and d the number of numeric attributes (Scott 1992); a box has the side sqrt(12) times that,
so that both windows have one variance. A class in which an attribute does not vary takes the attribute's
deviation over all rows. A nominal attribute of L levels has the window (1 - g) [same level] + g / L, Aitchison
and Aitken's (1976), with g = n^(-2/(d + 4)), at most 1, the rate of Li and Racine (2003).

A missing training value is replaced by its whole class: a Gaussian of the class's mean and variance (the
window's own added), a box over the class's range (the window's side added), or the class's level shares.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from acumen import _native
from acumen.engines.cores import cores
from acumen.models.decision import softmax
from acumen.preprocessing.columns import deviation, mean, sample
from acumen.types import Array, Codes, Floats

#: Leave-one-out tries these multiples of Scott's widths: an eighth to eight, in steps of the root of two.
FACTORS: Floats = 2.0 ** (np.arange(-6, 7) / 2.0)

#: Widths are kept where their reciprocals are finite.
NARROWEST, WIDEST = 1e-300, 1e300

_NOBODY = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class WindowRows:
    """Training rows by class: class c has those from `starts[c]` to `starts[c + 1]`."""

    values: Floats  # (numeric attributes, rows), NaN where missing
    codes: Codes  # (nominal attributes, rows), -1 where missing
    weight: Floats  # (rows,)
    starts: Array  # int64, classes + 1

    @property
    def totals(self) -> Floats:
        """The weight of each class."""
        return np.array([self.weight[rows].sum() for rows in self.parts()])

    def parts(self) -> list[slice]:
        """The rows of each class."""
        bounds = self.starts.tolist()
        return [slice(a, b) for a, b in pairwise(bounds)]


@dataclass(frozen=True, slots=True)
class Windows:
    """Tables of (classes, attributes); `log_level` has one of (classes, levels) for each nominal attribute."""

    box: bool
    width: Floats  # a box's side, a Gaussian's standard deviation
    centre: Floats  # the stand-in for a missing training value: where it lies
    spread: Floats  # and how wide it is
    log_same: Floats  # log window where the level is the same
    log_other: Floats
    log_level: tuple[Floats, ...]  # the stand-in for a missing training level

    def add_logs(
        self,
        training: WindowRows,
        columns: Sequence[Floats],
        codes: Sequence[Codes],
        total: Floats,
        leave_out: Array = _NOBODY,
    ) -> None:
        """Add log P(row | class) to `total`, in place; see the kernel for rows out of reach and far away."""
        _native.add_parzen_logs(
            list(columns), list(codes), training.values, training.codes, training.weight, training.starts,
            self.box, self.width, self.centre, self.spread, self.log_same, self.log_other,
            list(self.log_level), leave_out, total, cores(),
        )  # fmt: skip


def scott_windows(training: WindowRows, levels: Sequence[int], box: bool, factor: float = 1.0) -> Windows:
    """Scott's widths times `factor`; `levels` counts those of each nominal attribute."""
    n = np.maximum(training.totals, 1.0)[:, None]
    rate = n ** (-1.0 / (len(training.values) + 4.0)) * factor
    side = np.sqrt(12.0) if box else 1.0
    return _windows(training, levels, box, _deviations(training) * rate * side, rate)


def fixed_windows(
    training: WindowRows, levels: Sequence[int], box: bool, width: float, scale: bool = False
) -> Windows:
    """The same width for every class and numeric attribute; nominal attributes as under Scott's rule.

    With `scale` widths count standard deviations of the attribute over all rows.
    """
    n = np.maximum(training.totals, 1.0)[:, None]
    widths = np.full((len(n), len(training.values)), float(width))
    if scale:
        known = [sample(column, training.weight) for column in training.values]
        spread = np.array([deviation(*each) if len(each[0]) else 0.0 for each in known])
        widths *= np.where(spread > 0, spread, 1.0)
    return _windows(training, levels, box, widths, n ** (-1.0 / (len(training.values) + 4.0)))


def best_factor(training: WindowRows, levels: Sequence[int], box: bool) -> float:
    """The factor under which rows, each left out in turn, are given their own class best.

    The loss of a row is the squared distance of its class probabilities from the truth (Brier's), which is
    bounded also where a box holds no other row of the class. Of a row that stands for several, its weight being
    above 1, one is left out. The widths are those of all rows; among equals the factor nearest to 1 is taken.
    """
    tried = FACTORS[np.argsort(np.abs(np.log(FACTORS)), kind="stable")]
    losses = [left_out_loss(training, scott_windows(training, levels, box, float(f))) for f in tried]
    return float(tried[int(np.argmin(losses))])


def left_out_loss(training: WindowRows, windows: Windows) -> float:
    """The mean squared error of the class probabilities of each row, found without it."""
    n, totals = len(training.weight), training.totals
    truth = np.repeat(np.arange(len(totals)), np.diff(training.starts))
    # P(class) P(row | class) is the sum of weighted windows over the total weight: only the sum shrinks.
    with np.errstate(divide="ignore"):
        scores = np.tile(np.log(totals), (n, 1))
    windows.add_logs(training, list(training.values), list(training.codes), scores, np.arange(n))
    alone = np.flatnonzero(~np.isfinite(scores).any(axis=1))
    rest = np.tile(totals, (len(alone), 1))
    rest[np.arange(len(alone)), truth[alone]] -= np.minimum(training.weight[alone], 1.0)
    with np.errstate(divide="ignore"):
        scores[alone] = np.log(np.maximum(rest, 0.0))
    shares = softmax(scores)
    shares[np.arange(n), truth] -= 1.0
    return float(np.average((shares**2).sum(axis=1), weights=training.weight))


def _windows(training: WindowRows, levels: Sequence[int], box: bool, width: Floats, rate: Floats) -> Windows:
    width = np.ascontiguousarray(np.clip(width, NARROWEST, WIDEST))
    centre, spread = _stand_ins(training, box, width)
    even = np.minimum(rate, 1.0) ** 2  # the share of a level drawn at random
    sizes = np.maximum(np.array(levels, dtype=np.float64), 1.0).reshape(1, -1)
    by_level = [_level_logs(training, j, size, even[:, 0]) for j, size in enumerate(levels)]
    return Windows(
        box,
        width,
        centre,
        spread,
        np.ascontiguousarray(np.log((1.0 - even) + even / sizes)),
        np.ascontiguousarray(np.log(even / sizes)),
        tuple(by_level),
    )


def _deviations(training: WindowRows) -> Floats:
    """The standard deviation of each numeric attribute in each class, never zero."""
    deviations = np.ones((len(training.starts) - 1, len(training.values)))
    for j, column in enumerate(training.values):
        known, weight = sample(column, training.weight)
        overall = deviation(known, weight) if len(known) else 0.0
        for c, rows in enumerate(training.parts()):
            known, weight = sample(column[rows], training.weight[rows])
            own_deviation = deviation(known, weight) if len(known) else 0.0
            deviations[c, j] = (
                own_deviation if own_deviation > 1e-6 * overall else overall if overall > 0 else 1.0
            )
    return deviations


def _stand_ins(training: WindowRows, box: bool, width: Floats) -> tuple[Floats, Floats]:
    """Centre and spread of the window that stands for a missing value of each class and attribute."""
    centre, spread = np.zeros_like(width), width.copy()
    for j, column in enumerate(training.values):
        for c, rows in enumerate(training.parts()):
            known, weight = sample(column[rows], training.weight[rows])
            if not len(known):
                known, weight = sample(column, training.weight)
            if not len(known):
                continue
            if box:
                low, high = float(known.min()), float(known.max())
                centre[c, j] = low / 2 + high / 2
                spread[c, j] += (high / 2 - low / 2) * 2
            else:
                centre[c, j] = mean(known, weight)
                spread[c, j] = np.hypot(deviation(known, weight), width[c, j])
    return centre, np.clip(spread, NARROWEST, WIDEST)


def _level_logs(training: WindowRows, j: int, size: int, even: Floats) -> Floats:
    """The log shares of the levels of one nominal attribute, (classes, levels), through the window."""
    counts = np.zeros((len(even), size))
    for c, rows in enumerate(training.parts()):
        codes = training.codes[j, rows]
        known = codes >= 0
        counts[c] = np.bincount(codes[known], training.weight[rows][known], size)[:size]
    totals = counts.sum(axis=1, keepdims=True)
    shares = np.where(totals > 0, counts / np.where(totals > 0, totals, 1.0), 1.0 / max(size, 1))
    return np.log((1.0 - even)[:, None] * shares + even[:, None] / max(size, 1))
