from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acumen.errors import ParameterError
from acumen.preprocessing.discretise.intervals import Intervals, along, part

numbers = st.floats(allow_nan=False, allow_infinity=False)


def test_w001_10_four_intervals_closed_on_the_left():
    cut = Intervals("v", np.array([1.0, 3.0, 5.0]), "left")
    assert len(cut) == 4
    assert cut.transform(np.array([-1, 1, 2.9, 3, 5])).tolist() == [0, 1, 1, 2, 3]
    assert cut.levels == ("(-inf, 1)", "[1, 3)", "[3, 5)", "[5, inf)")


def test_w001_10_the_same_edges_closed_on_the_right():
    cut = Intervals("v", np.array([1.0, 3.0, 5.0]))
    assert cut.transform(np.array([-1, 1, 2.9, 3, 5])).tolist() == [0, 0, 1, 1, 2]
    assert cut.levels == ("(-inf, 1]", "(1, 3]", "(3, 5]", "(5, inf)")


def test_the_training_range_names_the_outer_intervals():
    edges = np.array([5.2, 6.1])
    assert Intervals("v", edges, "right", 4.3, 7.0).levels == ("[4.3, 5.2]", "(5.2, 6.1]", "(6.1, 7]")
    assert Intervals("v", edges, "left", 4.3, 7.0).levels == ("[4.3, 5.2)", "[5.2, 6.1)", "[6.1, 7]")
    assert Intervals("v", np.empty(0), "right", 2.0, 2.0).levels == ("[2, 2]",)


@given(
    st.lists(numbers, max_size=6, unique=True),
    st.lists(numbers | st.sampled_from([-0.0, math.inf, -math.inf])),
)
def test_codes_say_in_which_interval_a_value_lies(edges, values):
    edges = sorted(edge + 0.0 for edge in edges)  # -0.0 and 0.0 are one edge
    if len(set(edges)) != len(edges):
        return
    bounds = [-math.inf, *edges, math.inf]
    for closed in ("right", "left"):
        cut = Intervals("v", np.array(edges, dtype=float), closed)
        assert len(set(cut.levels)) == len(cut)
        for value, code in zip(values, cut.transform(np.array(values, dtype=float)), strict=True):
            low, high = bounds[code], bounds[code + 1]
            if closed == "right":
                assert low < value <= high or (code == 0 and value == -math.inf)
            else:
                assert low <= value < high or (code == len(edges) and value == math.inf)


def test_missing_values_are_missing_codes():
    codes = Intervals("v", np.array([0.0])).transform(np.array([math.nan, 1.0]))
    assert codes.tolist() == [-1, 1] and codes.dtype == np.int32


def test_edges_are_reckoned_in_decimals():
    assert [along(4.3, 7.9, i, 4) for i in (1, 2, 3)] == [5.2, 6.1, 7.0]
    assert [along(0.1, 0.7, i, 6) for i in range(1, 6)] == [0.2, 0.3, 0.4, 0.5, 0.6]
    assert along(-1.7e308, 1.7e308, 1, 2) == 0.0


@given(numbers, numbers)
def test_part_keeps_two_values_apart(a, b):
    a, b = sorted([a + 0.0, b + 0.0])
    if a == b:
        return
    for closed in ("right", "left"):
        cut = Intervals("v", np.array([part(a, b, closed)]), closed)
        assert cut.transform(np.array([a, b])).tolist() == [0, 1]


def test_neighbours_in_binary_are_kept_apart():
    a, b = 1.0, math.nextafter(1.0, 2)
    assert part(a, b, "right") == a and part(a, b, "left") == b


@pytest.mark.parametrize(
    ("edges", "closed", "low"),
    [([2, 1], "right", -math.inf), ([1, 1], "right", -math.inf), ([math.nan], "right", 0), ([1], "both", 0),
     ([math.inf], "right", 0), ([[1]], "right", 0), ([1, 2], "right", 1.5), ([1], "right", math.nan)],
)  # fmt: skip
def test_intervals_that_are_none_are_refused(edges, closed, low):
    with pytest.raises(ParameterError):
        Intervals("v", np.array(edges, dtype=float), closed, low)
