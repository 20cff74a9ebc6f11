"""Rows cut by time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acumen.errors import DataError
from acumen.resampling.holdout import cut_by_time

SHARES = st.sampled_from([(0.7, 0.3), (0.5, 0.5), (0.6, 0.2, 0.2), (0.1, 0.9)])


@given(st.lists(st.integers(0, 12), min_size=3, max_size=60), SHARES)
def test_parts_follow_one_another_and_no_moment_is_cut_apart(moments, shares):
    times = np.array(moments, dtype=np.float64)
    if len(set(moments)) < len(shares):
        with pytest.raises(DataError, match="as many different times"):
            cut_by_time(times, shares, "split")
        return
    part = cut_by_time(times, shares, "split")
    assert set(part.tolist()) == set(range(len(shares)))
    for each in range(len(shares) - 1):
        assert times[part == each].max() < times[part == each + 1].min()


def test_a_cut_between_different_moments_meets_the_share():
    part = cut_by_time(np.arange(100.0)[::-1], (0.7, 0.3), "split")
    assert part.tolist() == [1] * 30 + [0] * 70


def test_rows_without_a_time_are_refused():
    with pytest.raises(DataError, match="1 of 3 rows have no time"):
        cut_by_time(np.array([1.0, np.nan, 3.0]), (0.5, 0.5), "split")
