"""Test sets that are a stated share of the rows: one (Holdout, ThreeWay) or many (Subsample)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from acumen.errors import DataError, ParameterError
from acumen.resampling.plan import (
    ResamplingPlan,
    Split,
    as_groups,
    by_share,
    codes_of,
    groups_dealt,
    require_flag,
    require_rows,
    require_share,
    require_whole,
    streams,
)
from acumen.types import Codes, Floats, Indices


@dataclass(frozen=True, slots=True, eq=False)
class Holdout(ResamplingPlan):
    """One split: hold out `fraction` of the rows for testing.

    Parameters
    ----------
    fraction : float, default 1/3
        The fraction of the rows to test on; the number is rounded, and is at least 1.
    stratified : bool, default True
        Of each class the same share is kept back, rounded up or down.
    groups : array, optional
        One value a row; rows of one group are never in training and test set both. The share is then met
        as far as whole groups allow.
    """

    fraction: float = 1 / 3
    stratified: bool = True
    groups: Any = field(default=None, repr=False)

    def __post_init__(self) -> None:
        require_share("Holdout", "fraction", self.fraction)
        require_flag("Holdout", "stratified", self.stratified)
        object.__setattr__(self, "groups", as_groups("Holdout", self.groups))

    def splits(self, n_rows: int, labels: Any = None, random_state: Any = None) -> Iterator[Split]:
        dealer = _Dealer("Holdout", n_rows, labels if self.stratified else None, self.groups, 2)
        codes = dealer.deal((1 - self.fraction, self.fraction), next(streams(random_state, "Holdout")))
        yield Split(np.flatnonzero(codes == 0), np.flatnonzero(codes == 1))

    def len_for(self, n_rows: int) -> int:
        return 1

    def __str__(self) -> str:
        return f"holdout of {self.fraction:.3g} of the rows"


@dataclass(frozen=True, slots=True, eq=False)
class ThreeWay(ResamplingPlan):
    """One split into training, validation and test rows.

    Parameters
    ----------
    train, validation : float, default 1/2 and 1/4
        Fractions of the rows; together less than 1, as the rest is the test set.
    stratified, groups
        As in `Holdout`.
    """

    train: float = 0.5
    validation: float = 0.25
    stratified: bool = True
    groups: Any = field(default=None, repr=False)

    def __post_init__(self) -> None:
        require_share("ThreeWay", "train", self.train)
        require_share("ThreeWay", "validation", self.validation)
        if not self.train + self.validation < 1 - 1e-9:
            raise ParameterError(
                "ThreeWay: train and validation must sum to less than 1, as the rest is the test set; got "
                f"{self.train!r} and {self.validation!r}."
            )
        require_flag("ThreeWay", "stratified", self.stratified)
        object.__setattr__(self, "groups", as_groups("ThreeWay", self.groups))

    def splits(self, n_rows: int, labels: Any = None, random_state: Any = None) -> Iterator[Split]:
        dealer = _Dealer("ThreeWay", n_rows, labels if self.stratified else None, self.groups, 3)
        shares = (self.train, self.validation, 1 - self.train - self.validation)
        codes = dealer.deal(shares, next(streams(random_state, "ThreeWay")))
        train, validation, test = (np.flatnonzero(codes == part) for part in range(3))
        yield Split(train, test, validation=validation)

    def len_for(self, n_rows: int) -> int:
        return 1

    def __str__(self) -> str:
        return (
            f"three-way split: {self.train:.3g} to train, {self.validation:.3g} to validate, the rest to test"
        )


@dataclass(frozen=True, slots=True, eq=False)
class Subsample(ResamplingPlan):
    """Random subsampling: `n_repeats` independent holdout splits.

    Parameters
    ----------
    n_repeats : int, default 10
    fraction : float, default 0.1
        The fraction of the rows to test on.
    stratified, groups
        As in `Holdout`.
    """

    n_repeats: int = 10
    fraction: float = 0.1
    stratified: bool = True
    groups: Any = field(default=None, repr=False)

    def __post_init__(self) -> None:
        require_whole("Subsample", "n_repeats", self.n_repeats, 1)
        require_share("Subsample", "fraction", self.fraction)
        require_flag("Subsample", "stratified", self.stratified)
        object.__setattr__(self, "groups", as_groups("Subsample", self.groups))

    def splits(self, n_rows: int, labels: Any = None, random_state: Any = None) -> Iterator[Split]:
        dealer = _Dealer("Subsample", n_rows, labels if self.stratified else None, self.groups, 2)
        for repeat, rng in zip(range(self.n_repeats), streams(random_state, "Subsample"), strict=False):
            codes = dealer.deal((1 - self.fraction, self.fraction), rng)
            yield Split(np.flatnonzero(codes == 0), np.flatnonzero(codes == 1), repeat)

    def len_for(self, n_rows: int) -> int:
        return self.n_repeats

    def __str__(self) -> str:
        return f"{self.n_repeats} random subsamples, {self.fraction:.3g} of the rows to test on"


class _Dealer:
    """Deals out rows, or groups of them, to parts of stated shares."""

    def __init__(self, who: str, n_rows: int, labels: Any, groups: Any, parts: int) -> None:
        require_rows(who, n_rows, parts, f"for {parts} parts")
        self.n_rows = n_rows
        self.strata: Indices | None = None if labels is None else codes_of(who, "labels", labels, n_rows)
        self.groups: Indices | None = None if groups is None else codes_of(who, "groups", groups, n_rows)
        if self.groups is not None and self.groups.max() + 1 < parts:
            raise ParameterError(
                f"{who}: there must be at least {parts} groups; all rows belong to {self.groups.max() + 1}."
            )

    def deal(self, shares: Sequence[float], rng: np.random.Generator) -> Codes:
        """The part of each row. Every part but the first gets its share rounded, and at least one row."""
        if self.groups is not None:
            return groups_dealt(self.groups, shares, self.strata, rng)
        codes = np.zeros(self.n_rows, dtype=np.int32)
        for part in range(len(shares) - 1, 0, -1):
            rest = np.flatnonzero(codes == 0)
            m = min(max(1, round(shares[part] * self.n_rows)), len(rest) - part)
            strata = None if self.strata is None else self.strata[rest]
            codes[rest[by_share(len(rest), m, strata, rng)]] = part
        return codes


# -- rows split by time ---------------------------------------------------------------------------
#
# Rows cut by time: the earliest to learn from, what came later to test on.
#
# cut_by_time   moments of the rows, shares of all parts -> the part of each row


def cut_by_time(moments: Floats, shares: Sequence[float], who: str) -> Codes:
    """The part of each row, the first part being the earliest; rows of one moment are never cut apart.

    Each cut is made where the share is met best between two different moments, so that parts may be larger or smaller
    than their share where many rows have the same one.
    """
    if np.isnan(moments).any():
        gone = int(np.isnan(moments).sum())
        raise DataError(
            f"{who}: {gone:,} of {len(moments):,} rows have no time; leave them out, or give them one."
        )
    times, counts = np.unique(moments, return_counts=True)
    if len(times) < len(shares):
        raise DataError(
            f"{who}: {len(shares)} parts need as many different times; the rows have {len(times)}."
        )
    before = np.cumsum(counts)  # rows up to each moment, it included
    ends: list[int] = []
    for part in range(len(shares) - 1):
        wanted = sum(shares[: part + 1]) * len(moments)
        first = ends[-1] + 1 if ends else 0
        last = len(times) - (len(shares) - 1 - part)  # every later part needs a moment of its own
        ends.append(first + int(np.argmin(np.abs(before[first:last] - wanted))))
    codes: Codes = np.searchsorted(times[ends], moments, side="left").astype(np.int32)
    return codes
