"""Cross-validation: every row is tested once in each repeat."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from acumen.errors import ParameterError
from acumen.resampling.plan import (
    ResamplingPlan,
    Split,
    as_groups,
    codes_of,
    groups_dealt,
    in_turn,
    require_flag,
    require_rows,
    require_whole,
    streams,
)
from acumen.types import Codes, Indices


@dataclass(frozen=True, slots=True, eq=False)
class KFold(ResamplingPlan):
    """K-fold cross-validation: each of `n_splits` folds is the test set once.

    Parameters
    ----------
    n_splits : int, default 10
        The number of folds, at least 2.
    n_repeats : int, default 1
        Number of repeats, each with a new random assignment to folds.
    stratified : bool, default True
        Assign class by class: the counts of a class differ by at most one between folds, and so do the
        sizes of the folds. A class with fewer rows than folds is absent from some folds.
    groups : array, optional
        One value per row; the rows of a group are never both in the training and the test set. Classes are
        then balanced as far as whole groups allow.
    """

    n_splits: int = 10
    n_repeats: int = 1
    stratified: bool = True
    groups: Any = field(default=None, repr=False)

    def __post_init__(self) -> None:
        require_whole("KFold", "n_splits", self.n_splits, 2)
        require_whole("KFold", "n_repeats", self.n_repeats, 1)
        require_flag("KFold", "stratified", self.stratified)
        object.__setattr__(self, "groups", as_groups("KFold", self.groups))

    def part_codes(self, n_rows: int, labels: Any = None, random_state: Any = None) -> Codes:
        """The fold in which each row is tested, as an array (repeats, rows), for one-pass cross-validation.

        `splits` with the same labels and seed has the very same folds.
        """
        return np.stack(list(self._codes(n_rows, labels, random_state)))

    def splits(self, n_rows: int, labels: Any = None, random_state: Any = None) -> Iterator[Split]:
        for repeat, codes in enumerate(self._codes(n_rows, labels, random_state)):
            for fold in range(self.n_splits):
                tested = codes == fold
                yield Split(np.flatnonzero(~tested), np.flatnonzero(tested), repeat, fold)

    def len_for(self, n_rows: int) -> int:
        return self.n_splits * self.n_repeats

    def _codes(self, n_rows: int, labels: Any, random_state: Any) -> Iterator[Codes]:
        require_rows("KFold", n_rows, self.n_splits, f"for {self.n_splits} folds")
        strata = codes_of("KFold", "labels", labels, n_rows) if self._stratifies(labels) else None
        groups = None if self.groups is None else codes_of("KFold", "groups", self.groups, n_rows)
        if groups is not None and groups.max() + 1 < self.n_splits:
            raise ParameterError(
                f"KFold: there must be at least as many groups as folds; got {groups.max() + 1} groups and "
                f"n_splits={self.n_splits}."
            )
        for _, rng in zip(range(self.n_repeats), streams(random_state, "KFold"), strict=False):
            if groups is None:
                yield in_turn(n_rows, self.n_splits, strata, rng)
            else:
                yield groups_dealt(groups, np.full(self.n_splits, 1 / self.n_splits).tolist(), strata, rng)

    def _stratifies(self, labels: Any) -> bool:
        return self.stratified and labels is not None

    def __str__(self) -> str:
        words = f"{self.n_splits}-fold cross-validation"
        if self.n_repeats > 1:
            words += f", {self.n_repeats} times"
        if self.stratified:
            words += ", stratified"
        return words + (", by groups" if self.groups is not None else "")


@dataclass(frozen=True, slots=True, eq=False)
class LeaveOneOut(ResamplingPlan):
    """Leave-one-out: each row is tested by a model of all the others.

    Parameters
    ----------
    groups : array, optional
        One value a row; each fold is then a whole group, tested by a model of all the others.
    """

    groups: Any = field(default=None, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "groups", as_groups("LeaveOneOut", self.groups))

    def splits(self, n_rows: int, labels: Any = None, random_state: Any = None) -> Iterator[Split]:
        require_rows("LeaveOneOut", n_rows, 2, "so that one can be left out")
        if self.groups is not None:
            yield from self._by_group(codes_of("LeaveOneOut", "groups", self.groups, n_rows))
            return
        for i in range(n_rows):
            train = np.arange(n_rows - 1)
            train[i:] += 1
            yield Split(train, np.array([i]), 0, i)

    @property
    def by_row(self) -> bool:
        """Whether each fold is a single row: always without groups."""
        return self.groups is None

    def _by_group(self, groups: Indices) -> Iterator[Split]:
        n_groups = int(groups.max()) + 1
        if n_groups < 2:
            raise ParameterError(
                "LeaveOneOut: there must be at least 2 groups, so that one can be left out; got 1."
            )
        for group in range(n_groups):
            tested = groups == group
            yield Split(np.flatnonzero(~tested), np.flatnonzero(tested), 0, group)

    def len_for(self, n_rows: int) -> int:
        if self.groups is None:
            return n_rows
        return int(codes_of("LeaveOneOut", "groups", self.groups, n_rows).max(initial=-1)) + 1

    def __str__(self) -> str:
        return "leave-one-out" if self.groups is None else "leave-one-group-out"
