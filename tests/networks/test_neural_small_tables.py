"""Networks of small tables: rows held out in turn, then all learned from, and never too sure."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import acumen
from acumen.base.scikit import ConvergenceWarning
from acumen.networks.neural_members import FEW, held_out_folds
from acumen.networks.neural_solvers import Solver


@given(
    st.lists(st.integers(0, 3), min_size=2, max_size=40),
    st.sampled_from([0.1, 0.2, 0.5, 0.9]),
    st.integers(0, 99),
)
def test_each_row_is_held_out_once_but_for_classes_that_would_be_lost(labels, share, seed):
    key = np.unique(np.array(labels), return_inverse=True)[1].astype(np.int32)
    masks = held_out_folds(key, share, np.random.default_rng(seed))
    times = np.sum(masks, axis=0)
    assert times.max() <= 1
    alone = np.bincount(key)[key] == 1
    assert (times[alone] == 0).all()
    for held in masks:
        assert np.isin(key[held], key[~held]).all()
    many = np.bincount(key) > len(masks)  # such a class is in no mask alone
    assert (times[many[key]] == 1).all()


def test_classes_are_spread_evenly_over_the_masks():
    key = np.repeat(np.arange(3, dtype=np.int32), 20)
    masks = held_out_folds(key, 0.2, np.random.default_rng(0))
    assert len(masks) == 5
    assert all((np.bincount(key[held]) == 4).all() for held in masks)
    numbers = np.random.default_rng(1).normal(size=50)
    assert (
        np.ptp([numbers[held].mean() for held in held_out_folds(numbers, 0.2, np.random.default_rng(0))])
        < 0.5
    )


@pytest.mark.parametrize(
    ("rows", "batch", "trainings"), [(FEW, 256, 6), (FEW + 1, 256, 1), (40, 5, 6), (41, 5, 1), (9, 1, 1)]
)
def test_only_small_tables_are_trained_several_times(rows, batch, trainings, capsys):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 2))
    model = acumen.NeuralNetwork(
        hidden_layer_sizes=(4,), max_iter=10, batch_size=batch, progress=True, random_state=0
    )
    model.fit(X, X[:, 0] > 0)
    assert f"epoch 10 of {10 * trainings}, loss" in capsys.readouterr().err
    curve = model.losses_["held out"]
    if rows < 10:
        assert np.isnan(curve).all()
        return
    assert np.isfinite(curve).all() and model.best_epoch_ == np.argmin(curve) + 1
    assert "by rows held out" in model.describe()


def test_the_last_network_has_learned_from_every_row():
    """A row whose level no other has is answered by what it said itself; held out for good it could not be."""
    level = np.array(["a", "b"] * 10 + ["c", "c"], dtype=object)[:, None]
    y = np.array([0, 1] * 10 + [1, 1])
    for seed in range(4):
        model = acumen.NeuralNetwork(hidden_layer_sizes=(8,), max_iter=60, random_state=seed).fit(level, y)
        assert model.predict(np.array([["c"]], dtype=object))[0] == 1


def test_of_few_rows_of_noise_nobody_becomes_sure():
    """Fresh rows of pure noise cost ln 2 at best; networks that learn a dozen rows by heart lose far more."""
    rng, lost, by_heart = np.random.default_rng(5), [], []
    for seed in range(20):
        X, y = rng.normal(size=(112, 4)), rng.integers(0, 2, 112)
        y[:2] = 0, 1
        for found, form in ((lost, {}), (by_heart, {"early_stopping": False, "label_smoothing": 0.0})):
            model = acumen.NeuralNetwork(
                hidden_layer_sizes=(32,), max_iter=60, random_state=seed, **form
            ).fit(X[:12], y[:12])
            own = model.predict_proba(X[12:])[np.arange(100), y[12:]]
            found.append(-np.log(np.maximum(own, 1e-12)).mean())
    assert np.mean(lost) < 0.9 < 1.5 < np.mean(by_heart)


def test_numbers_are_held_out_in_turn_too():
    x = np.linspace(0, 3, 60)[:, None]
    model = acumen.NeuralNetworkRegressor(hidden_layer_sizes=(16,), max_iter=80, random_state=0).fit(
        x, np.sin(x[:, 0])
    )
    assert model.score(x, np.sin(x[:, 0])) > 0.9
    assert model.best_epoch_ == np.argmin(model.losses_["held out"]) + 1


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_a_handful_of_rows_is_learned_from(n):
    X = np.arange(float(n))[:, None]
    model = acumen.NeuralNetwork(hidden_layer_sizes=(4,), max_iter=5, random_state=0).fit(X, np.arange(n) % 2)
    assert np.isfinite(model.predict_proba(X)).all()


def test_weights_that_grow_beyond_all_numbers_in_one_of_the_turns_are_told():
    X = np.random.default_rng(0).normal(size=(60, 3))
    learner = acumen.NeuralNetwork(
        hidden_layer_sizes=(4,),
        solver="sgd",
        schedule="constant",
        learning_rate=1e36,
        max_iter=20,
        last_layer_init="normal",
        random_state=0,
    )
    with pytest.warns(ConvergenceWarning, match="Lower learning_rate"):
        learner.fit(X, X[:, 0] > 0)
    assert np.isfinite(learner.predict_proba(X)).all()


@pytest.mark.parametrize("at", [0, 3, 12, 55])
def test_ctrl_c_keeps_what_was_best_till_then(at, monkeypatch):
    X = np.random.default_rng(0).normal(size=(60, 3))
    steps, step = [], Solver.step

    def interrupted(*told):
        steps.append(1)
        if len(steps) == at + 1:
            raise KeyboardInterrupt
        step(*told)

    monkeypatch.setattr(Solver, "step", interrupted)
    learner = acumen.NeuralNetwork(hidden_layer_sizes=(4,), max_iter=10, random_state=0)
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        learner.fit(X, X[:, 0] > 0)
    assert np.isfinite(learner.predict_proba(X)).all()
