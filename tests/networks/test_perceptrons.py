"""Chained perceptrons: gradients against finite differences, activations, solvers, schedules."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acumen.networks.neural_activations import ACTIVATIONS
from acumen.networks.neural_solvers import Solver, schedule
from acumen.networks.neural_training import held_out
from acumen.networks.perceptrons import CrossEntropyLoss, SquaredErrorLoss, WeightLayout, backward, forward


def smoothed_loss(loss, outputs, rows):
    """What is minimised, by its definition."""
    if isinstance(loss, SquaredErrorLoss):
        away = outputs[:, 0] - loss.response[rows]
        return float(np.mean(loss.weights[rows] * away**2) / 2)
    logs = outputs - outputs.max(axis=1, keepdims=True)
    logs = logs - np.log(np.exp(logs).sum(axis=1, keepdims=True))
    targets = np.full(outputs.shape, loss.smoothing / loss.k)
    targets[np.arange(len(rows)), loss.labels[rows]] += 1 - loss.smoothing
    return float(np.mean(loss.weights[rows] * -(targets * logs).sum(axis=1)))


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("outputs", [1, 2, 4])
@pytest.mark.parametrize("hidden, scaled", [((), True), ((5,), False), ((4, 3), True)])
def test_backpropagation_is_the_gradient_by_finite_differences(activation, outputs, hidden, scaled):
    rng = np.random.default_rng(3)
    n, d = 7, 3
    X, weights = rng.normal(size=(n, d)), rng.uniform(0.5, 2, n)
    layout = WeightLayout((d, *hidden, outputs), scaled)
    flat = rng.normal(size=layout.length)
    rows = np.arange(n)
    loss = (
        SquaredErrorLoss(rng.normal(size=n), weights)
        if outputs == 1
        else CrossEntropyLoss(rng.integers(0, outputs, n).astype(np.int32), weights, outputs, 0.1)
    )
    chosen = ACTIVATIONS[activation]
    gradient = np.empty(layout.length)
    way = forward(layout.parts(flat), X, chosen)
    errors, _ = loss.errors(way.outputs, rows)
    backward(layout.parts(flat), X, way, errors, chosen, layout.parts(gradient))
    step = 1e-6
    for at in range(layout.length):
        sides = []
        for sign in (1, -1):
            moved = flat.copy()
            moved[at] += sign * step
            sides.append(smoothed_loss(loss, forward(layout.parts(moved), X, chosen).outputs, rows))
        assert gradient[at] == pytest.approx((sides[0] - sides[1]) / (2 * step), abs=2e-7)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_slopes_are_derivatives_and_answers_are_finite_far_away(name):
    chosen = ACTIVATIONS[name]
    z = np.array([-4.0, -1.0, -0.1, 0.2, 1.0, 5.0])
    slope = (chosen.apply(z + 1e-6) - chosen.apply(z - 1e-6)) / 2e-6
    np.testing.assert_allclose(chosen.slope(z, chosen.apply(z)), slope, atol=1e-8)
    far = np.array([-1e4, 1e4], dtype=np.float32)
    assert np.isfinite(chosen.apply(far)).all() and np.isfinite(chosen.slope(far, chosen.apply(far))).all()
    assert chosen.apply(far).dtype == np.float32


def test_the_losses_without_smoothing_are_those_of_the_definition():
    rng = np.random.default_rng(0)
    outputs, labels = rng.normal(size=(6, 3)), rng.integers(0, 3, 6).astype(np.int32)
    weights = rng.uniform(0.5, 2, 6)
    rows = np.arange(6)
    shares = np.exp(outputs) / np.exp(outputs).sum(axis=1, keepdims=True)
    expected = float(np.average(-np.log(shares[rows, labels]), weights=weights))
    loss = CrossEntropyLoss(labels, weights, 3, 0.2)
    assert loss.mean(outputs, rows) == pytest.approx(expected)
    assert loss.errors(outputs, rows)[1] == pytest.approx(expected * weights.sum())


@given(st.lists(st.integers(1, 5), min_size=2, max_size=4), st.booleans())
def test_every_weight_has_one_place_in_the_vector(sizes, scaled):
    layout = WeightLayout(tuple(sizes), scaled)
    flat = np.zeros(layout.length)
    parts = layout.parts(flat)
    views = [*parts.weights, *parts.biases] + ([] if parts.scale is None else [parts.scale])
    for view in views:
        view += 1
    assert (flat == 1).all()


def test_the_last_layer_begins_at_zero_unless_told_otherwise():
    layout = WeightLayout((3, 4, 2), True)
    zero = layout.parts(layout.initial_weights(np.random.default_rng(0)))
    assert not zero.weights[-1].any() and zero.weights[0].any()
    assert layout.parts(layout.initial_weights(np.random.default_rng(0), "normal")).weights[-1].any()


def test_coslog4_has_four_waves_each_twice_as_long():
    # Peaks where log2(1 + 15 t) is a half, 1.5, 2.5, 3.5; zeros at whole numbers.
    for whole in range(5):
        assert schedule("coslog4", (2**whole - 1) / 15) == pytest.approx(0, abs=1e-12)
    for wave in range(4):
        assert schedule("coslog4", (2 ** (wave + 0.5) - 1) / 15) == pytest.approx(1)
    assert schedule("constant", 0.7) == 1.0


def test_solvers_step_as_their_formulas_say():
    layout = WeightLayout((2, 1), False)
    g1, g2 = np.array([0.5, -1.0, 2.0]), np.array([1.0, 0.25, -2.0])
    begun = np.array([1.0, 2.0, 3.0])

    def after(name, decay=0.0):
        flat = begun.copy()
        solver = Solver(name, layout, 0.1, decay, np.float64)
        for gradient in (g1, g2):
            solver.step(flat, gradient.copy(), 0.5)
        return flat

    np.testing.assert_allclose(after("sgd"), begun - 0.05 * g1 - 0.05 * g2)
    np.testing.assert_allclose(after("momentum"), begun - 0.05 * g1 - 0.05 * (0.9 * g1 + g2))
    m, v, expected = np.zeros(3), np.zeros(3), begun.copy()
    rates = np.array([1 / math.sqrt(2), 1 / math.sqrt(2), 0.1])
    for t, g in enumerate((g1, g2), start=1):
        m, v = 0.9 * m + 0.1 * g, 0.95 * v + 0.05 * g * g
        expected *= 1 - 0.05 * 0.4
        expected -= 0.05 * rates * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.95**t)) + 1e-8)
    np.testing.assert_allclose(after("adam", 0.4), expected, rtol=1e-6)


@settings(max_examples=30)
@given(st.lists(st.integers(0, 3), min_size=10, max_size=80), st.floats(0.05, 0.9), st.integers(0, 99))
def test_rows_held_out_are_a_share_of_each_class_and_leave_some_of_each(labels, share, seed):
    key = np.array(labels, dtype=np.int32)
    held = held_out(key, share, np.random.default_rng(seed))
    assert set(key[~held]) == set(key)
    whole = np.bincount(key)
    for code in np.flatnonzero(whole):
        assert np.count_nonzero(held[key == code]) <= share * whole[code] + 1
