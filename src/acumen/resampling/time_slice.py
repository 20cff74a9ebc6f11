"""Rows in time order: train on the past, test on what came next."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from acumen.errors import ParameterError, did_you_mean
from acumen.resampling.plan import ResamplingPlan, Split, require_rows, require_whole

Window = Literal["expanding", "sliding"]


@dataclass(frozen=True, slots=True, eq=False)
class TimeSlice(ResamplingPlan):
    """Train on the past and test on the next slice, `n_splits` times; rows must be in time order.

    The rows are cut into k + 1 slices of one size, the first taking the rows that are left over. The i-th
    model is tested on slice i + 1 and trained on rows before it. Nothing is random.

    Parameters
    ----------
    n_splits : int, default 5
        Number of test slices.
    window : {"expanding", "sliding"}, default "expanding"
        Train on all rows before the test slice, or only on the latest ones, in the number that the first model had.
    gap : int, default 0
        Number of rows just before each test slice to leave out of training.
    """

    n_splits: int = 5
    window: Window = "expanding"
    gap: int = 0

    def __post_init__(self) -> None:
        require_whole("TimeSlice", "n_splits", self.n_splits, 1)
        require_whole("TimeSlice", "gap", self.gap, 0)
        if self.window not in get_args(Window):
            raise ParameterError(
                f"TimeSlice: window must be 'expanding' or 'sliding'; got {self.window!r}."
                + did_you_mean(self.window, get_args(Window))
            )

    def splits(self, n_rows: int, labels: Any = None, random_state: Any = None) -> Iterator[Split]:
        require_rows("TimeSlice", n_rows, self.n_splits + 1, f"for {self.n_splits} slices after the first")
        size = n_rows // (self.n_splits + 1)
        first = n_rows - self.n_splits * size - self.gap
        if first < 1:
            raise ParameterError(
                f"TimeSlice: a gap of {self.gap} leaves no row to train on before the first test slice; "
                f"{n_rows} rows in {self.n_splits + 1} slices allow a gap of at most {first + self.gap - 1}."
            )
        for fold in range(self.n_splits):
            start = n_rows - (self.n_splits - fold) * size
            end = start - self.gap
            begin = 0 if self.window == "expanding" else end - first
            yield Split(np.arange(begin, end), np.arange(start, start + size), 0, fold)

    def len_for(self, n_rows: int) -> int:
        return self.n_splits

    def __str__(self) -> str:
        return f"{self.n_splits} time slices, {self.window} window"
