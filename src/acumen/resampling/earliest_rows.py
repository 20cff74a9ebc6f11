"""Rows cut by time: the earliest to learn from, what came later to test on.

cut_by_time   moments of the rows, shares of all parts -> the part of each row
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from acumen.errors import DataError
from acumen.types import Codes, Floats


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
