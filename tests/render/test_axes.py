"""Ticks are round and inside, labels tell them apart, panels place values."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acumen.render.axes import LinearScale, Log, Panel, log_ticks, nice_ticks, space_labels, tick_labels
from acumen.render.svg import measure

finite = st.floats(allow_nan=False, allow_infinity=False)


@given(finite, finite)
def test_ticks_lie_in_any_range_and_are_labelled(a, b):
    low, high = min(a, b), max(a, b)
    ticks = LinearScale(low, high).ticks()
    slack = 1e-9 * (abs(low) + abs(high))
    assert 1 <= len(ticks) < 101
    assert all(low - slack <= value <= high + slack for value, _ in ticks)
    assert all(label.isprintable() and label for _, label in ticks)


@given(st.floats(-1e9, 1e9), st.floats(1e-6, 1e9))
def test_labels_of_a_usual_range_differ_and_read_back(low, span):
    ticks = nice_ticks(low, low + span)
    if span < 1e-9 * abs(low):
        return  # too narrow for its distance from zero
    labels = tick_labels(ticks)
    assert len(set(labels)) == len(labels) >= 2
    step = ticks[1] - ticks[0]
    for value, label in zip(ticks, labels, strict=True):
        assert float(label.replace(",", "")) == pytest.approx(value, abs=step / 10)


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (0, 1, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        (0, 10_000, ["0", "2,000", "4,000", "6,000", "8,000", "10,000"]),
        (-3, 2, ["-3", "-2", "-1", "0", "1", "2"]),
        (0, 5e6, ["0", "1e6", "2e6", "3e6", "4e6", "5e6"]),
        (0.1, 0.32, ["0.10", "0.15", "0.20", "0.25", "0.30"]),
    ],
)
def test_ticks_are_round_numbers(low, high, labels):
    assert [label for _, label in LinearScale(low, high).ticks()] == labels


@given(st.floats(1e-12, 1e12), st.floats(1.001, 1e9))
def test_log_ticks_lie_in_the_range(low, factor):
    ticks = log_ticks(low, low * factor)
    assert ticks and all(low * (1 - 1e-6) <= t <= low * factor * (1 + 1e-6) for t in ticks)
    assert ticks == sorted(set(ticks))


def test_log_scale_is_even_in_the_logarithm_and_has_no_place_for_zero():
    places = Log(1.0, 100.0).place(np.array([1.0, 10.0, 100.0, 0.0, -5.0, np.nan]))
    assert places[:3].tolist() == [0, 0.5, 1]
    assert np.isnan(places[3:]).all()


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=8))
def test_a_range_around_values_holds_them(values):
    scale = LinearScale.around(np.array(values))
    known = [v for v in values if math.isfinite(v)]
    assert scale.high > scale.low
    assert all(scale.low <= v <= scale.high for v in known)
    assert all(0 <= place <= 1 for place in scale.place(np.array(known)))
    assert scale.ticks()


def test_a_panel_places_low_at_the_bottom_left():
    panel = Panel(50, 10, 200, 100, LinearScale(0, 4), LinearScale(-1, 1))
    assert panel.across(np.array([0.0, 1.0, 4.0])).tolist() == [50, 100, 250]
    assert panel.up(np.array([-1.0, 0.0, 1.0])).tolist() == [110, 60, 10]


@given(st.integers(1, 60), st.floats(40, 600))
def test_spaced_labels_do_not_run_into_each_other(n, width):
    panel = Panel(0, 0, width, 10, LinearScale(0, n), LinearScale(0, 1))
    kept = space_labels([(float(i), f"label {i}") for i in range(n)], panel)
    assert kept
    for (a, said), (b, other) in itertools.pairwise(kept):
        assert (b - a) * width / n >= (measure(said, 12) + measure(other, 12)) / 2
