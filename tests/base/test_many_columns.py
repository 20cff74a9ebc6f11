"""What models say of tables of many columns takes time in proportion to the columns."""

from __future__ import annotations

import numpy as np
import pytest

import acumen
from acumen.data.schema import Attribute
from acumen.preprocessing.matrix import NumericMatrix


def numbers(columns):
    rng = np.random.default_rng(0)
    return rng.normal(size=(12, columns)), np.where(np.arange(12) % 2, "yes", "no")


def calls_of(monkeypatch, owner, name, work):
    """How often a property is asked for."""
    plain, calls = getattr(owner, name).fget, [0]

    def counted(self):
        calls[0] += 1
        return plain(self)

    with monkeypatch.context() as patched:
        patched.setattr(owner, name, property(counted))
        work()
    return calls[0]


def test_modes_are_described_in_one_walk(monkeypatch):
    few, many = (acumen.KModes(2, random_state=0).fit(numbers(d)[0]) for d in (10, 100))
    counts = [calls_of(monkeypatch, Attribute, "is_numeric", each.describe) for each in (few, many)]
    assert counts[1] <= 12 * counts[0], counts


@pytest.mark.parametrize("columns", [20])
def test_owners_of_features_are_named_at_once(monkeypatch, columns):
    X, y = numbers(columns)
    model = acumen.MaxEnt().fit(X, y)
    assert calls_of(monkeypatch, NumericMatrix, "blocks", lambda: model.explain(X[:1])) < columns


@pytest.mark.parametrize("hidden", [(), (4,), (5, 3)])
@pytest.mark.parametrize("learned_scale", [True, False])
def test_moves_of_a_network_are_differences_of_its_outputs(hidden, learned_scale):
    table = acumen.datasets.load("iris")
    learner = acumen.NeuralNetwork(
        hidden_layer_sizes=hidden,
        max_iter=20,
        n_estimators=2,
        learned_scale=learned_scale,
        last_layer_init="normal",
        random_state=0,
    ).fit(table)
    model, row = learner.model_, table.take(slice(70, 71))
    start, moves = model.moves(row)
    x, typical, owner = model.inputs.matrix(row)[0], model.inputs.typical, model.inputs.owner
    d = len(moves)
    up = model.outputs(np.where(owner[None, :] < np.arange(d + 1)[:, None], x, typical))
    down = model.outputs(np.where(owner[None, :] >= np.arange(d, -1, -1)[:, None], x, typical))
    assert start == pytest.approx(up[0])
    assert moves == pytest.approx((np.diff(up, axis=0) + np.diff(down, axis=0)[::-1]) / 2, abs=1e-9)
