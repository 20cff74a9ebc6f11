"""NeuralNetwork and NeuralNetworkRegressor: what is learned, kept, drawn and refused."""

from __future__ import annotations

import dataclasses
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import acumen
from acumen.checks import data
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError, ModelFileError, ParameterError
from acumen.networks import neural_learners
from acumen.networks.neural_inputs import NeuralInputs
from acumen.networks.neural_model import NeuralNetworkModel, NeuralNetworkRegressionModel
from acumen.profiling.fit_warnings import data_warnings_off

TINY = {"hidden_layer_sizes": (6,), "max_iter": 15, "batch_size": 32, "random_state": 0}


@pytest.fixture(scope="module")
def mixed():
    return data.table(rows=120)


@pytest.fixture(scope="module")
def model(mixed):
    return acumen.NeuralNetwork(**TINY).fit(mixed)


def xor(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, 2))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"activation": "tanh", "solver": "momentum", "learning_rate": 0.3, "last_layer_init": "normal"},
        {"activation": "relu", "scale": "min-max"},
        {"activation": "mish", "learned_scale": False, "scale": "z-score"},
        {"activation": "logistic", "scale": "none"},
        {
            "activation": "tanh",
            "solver": "sgd",
            "learning_rate": 1.0,
            "schedule": "constant",
            "last_layer_init": "normal",
        },
    ],
)
def test_hidden_units_learn_what_no_line_can_part(form):
    X, y = xor()
    learner = acumen.NeuralNetwork(
        hidden_layer_sizes=(24,), max_iter=120, batch_size=32, random_state=1, **form
    )
    test, truth = xor(seed=1)
    assert learner.fit(X, y).score(test, truth) > 0.9
    flat = acumen.NeuralNetwork(hidden_layer_sizes=(), max_iter=30, random_state=1).fit(X, y)
    assert flat.score(test, truth) < 0.7


@pytest.mark.parametrize("ensemble", [1, 3])
def test_the_same_seed_gives_the_same_bytes_for_any_number_of_threads(mixed, ensemble):
    one, two = (
        acumen.NeuralNetwork(**TINY, n_estimators=ensemble, n_jobs=jobs).fit(mixed).model_.to_arrays()
        for jobs in (1, 2)
    )
    assert one.keys() == two.keys()
    assert all(one[name].tobytes() == two[name].tobytes() for name in one)
    other = acumen.NeuralNetwork(**{**TINY, "random_state": 1}, n_estimators=ensemble).fit(mixed).model_
    assert not np.array_equal(other.flats[0], one["weights/0"].view(np.float32))


def test_the_kept_epoch_is_that_of_least_loss_on_rows_held_out(model):
    held = model.losses_["held out"]
    assert len(held) == 15 and model.best_epoch_ == int(np.argmin(held)) + 1
    assert model.n_iter_ == 15


def test_patience_ends_the_epochs(mixed):
    learner = acumen.NeuralNetwork(**{**TINY, "max_iter": 200}, patience=3).fit(data.table(rows=300))
    assert len(learner.losses_["held out"]) < 200
    assert len(learner.losses_["held out"]) == learner.best_epoch_ + 3
    turns = acumen.NeuralNetwork(**{**TINY, "max_iter": 200}, patience=3).fit(
        mixed
    )  # each of several ends by itself
    assert len(turns.losses_["held out"]) < 200


def test_without_early_stopping_all_rows_are_learned_from_and_the_last_epoch_is_kept(mixed):
    learner = acumen.NeuralNetwork(**TINY, early_stopping=False).fit(mixed)
    assert np.isnan(learner.losses_["held out"]).all() and learner.best_epoch_ == 15
    assert "no rows were held out" in learner.describe()
    with pytest.raises(ParameterError, match="what"):
        learner.to_figure(what="both")
    assert len(learner.to_figure().bands) == 1


def test_the_traced_step_is_what_the_formulas_give():
    X, y = xor(12)
    learner = acumen.NeuralNetwork(
        hidden_layer_sizes=(3,), activation="tanh", solver="sgd", learning_rate=0.5, schedule="constant",
        max_iter=1, batch_size=12,
        label_smoothing=0.1, last_layer_init="normal", early_stopping=False, random_state=0,
    ).fit(X, y, sample_weight=np.where(y == 1, 2.0, 1.0))  # fmt: skip
    step = learner.trace_
    weight = np.where(y == 1, 2.0, 1.0)[step.rows]
    weight = weight / np.where(y == 1, 2.0, 1.0).mean()
    inputs = step.inputs * step.factors
    hidden = np.tanh(inputs @ step.weights[0] + step.biases[0])
    np.testing.assert_allclose(step.answers[0], hidden, atol=1e-6)
    outputs = hidden @ step.weights[1] + step.biases[1]
    shares = np.exp(outputs) / np.exp(outputs).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(step.answers[1], shares, atol=1e-6)
    np.testing.assert_allclose(step.targets.sum(axis=1), 1.0)
    np.testing.assert_allclose(step.targets[np.arange(12), y[step.rows]], 0.95)
    last = (shares - step.targets) * weight[:, None] / 12
    np.testing.assert_allclose(step.deltas[1], last, atol=1e-6)
    first = last @ step.weights[1].T * (1 - hidden**2)
    np.testing.assert_allclose(step.deltas[0], first, atol=1e-6)
    np.testing.assert_allclose(step.weight_gradients[1], hidden.T @ last, atol=1e-6)
    np.testing.assert_allclose(step.bias_gradients[0], first.sum(axis=0), atol=1e-6)
    np.testing.assert_allclose(step.new_weights[0], step.weights[0] - 0.5 * inputs.T @ first, atol=1e-6)
    own = (step.inputs * (first @ step.weights[0].T)).sum(axis=0)
    np.testing.assert_allclose(step.new_factors, step.factors - 0.5 * own, atol=1e-6)
    # One epoch of one batch: what the step left is the model.
    np.testing.assert_allclose(learner.coefs_[1], step.new_weights[1])
    np.testing.assert_allclose(learner.intercepts_[0], step.new_biases[0])
    np.testing.assert_allclose(learner.factors_, step.new_factors)
    said = str(step)
    assert "deltas = (answers - targets)" in said and f"{step.sums[0][0, 0]:.6f}" in said


def test_large_networks_and_model_files_have_no_trace(model, mixed, tmp_path):
    with pytest.raises(AttributeError, match="1,000 weights"):
        _ = acumen.NeuralNetwork(hidden_layer_sizes=(99, 99), max_iter=1).fit(mixed).trace_
    assert model.trace_.solver == "adam"
    acumen.save(model, tmp_path / "n.acm")
    again = acumen.load(tmp_path / "n.acm")
    assert np.array_equal(again.predict_proba(mixed), model.predict_proba(mixed))
    np.testing.assert_array_equal(again.losses_["held out"], model.losses_["held out"])
    with pytest.raises(AttributeError, match="model file"):
        _ = again.trace_


@pytest.mark.parametrize("ensemble", [1, 2])
def test_ctrl_c_keeps_the_best_epoch_and_warns(mixed, monkeypatch, ensemble):
    def breaking(who):
        def tell(done, of, loss):
            if done == 4:
                raise KeyboardInterrupt

        return tell

    monkeypatch.setattr(neural_learners, "_teller", breaking)
    learner = acumen.NeuralNetwork(**TINY, n_estimators=ensemble, progress=True, n_jobs=1)
    with pytest.warns(ConvergenceWarning, match="interrupted; using the best epoch"):
        learner.fit(mixed)
    assert len(learner.losses_["training"]) == 4
    whole = acumen.NeuralNetwork(**TINY).fit(mixed)
    assert learner.best_epoch_ == int(np.argmin(whole.losses_["held out"][:4])) + 1
    assert np.isfinite(learner.predict_proba(mixed)).all()
    with data_warnings_off(), pytest.raises(KeyboardInterrupt):
        acumen.NeuralNetwork(**TINY, progress=True).fit(mixed)


def test_ctrl_c_before_any_epoch_leaves_a_sound_model(mixed, monkeypatch):
    def broken(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr("acumen.networks.neural_training.forward", broken)
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        learner = acumen.NeuralNetwork(**TINY).fit(mixed)
    np.testing.assert_allclose(learner.predict_proba(mixed), 1 / 3)
    assert "before the first epoch was finished" in learner.describe()
    with pytest.raises(ParameterError, match="no epoch"):
        learner.to_figure()


def test_a_rate_beyond_reason_is_told_and_the_best_epoch_kept(mixed):
    learner = acumen.NeuralNetwork(**TINY, solver="sgd", learning_rate=1e20, activation="relu")
    with pytest.warns(ConvergenceWarning, match="Lower learning_rate"):
        learner.fit(mixed)
    assert np.isfinite(learner.predict_proba(mixed)).all()


def test_progress_is_told_on_stderr(mixed, capsys):
    acumen.NeuralNetwork(**TINY, progress=True).fit(data.table(rows=300))
    assert "NeuralNetwork: epoch 10 of 15, loss" in capsys.readouterr().err


def test_explanations_are_the_mean_of_both_orders_and_add_up(model, mixed):
    inputs, net = model.model_.inputs, model.model_
    row = mixed.take([5])
    x, names = inputs.matrix(row)[0], inputs.view.schema.names
    d = len(names)
    amounts = np.zeros((d, 3))
    for order in (range(d), range(d - 1, -1, -1)):
        now = inputs.typical.copy()
        before = net.outputs(now[None])[0]
        for at in order:
            now[inputs.owner == at] = x[inputs.owner == at]
            after = net.outputs(now[None])[0]
            amounts[at] += (after - before) / 2
            before = after
    start, moved = net.moves(row)
    np.testing.assert_allclose(moved, amounts, atol=1e-12)
    np.testing.assert_allclose(start + moved.sum(axis=0), net.outputs(x[None])[0], atol=1e-12)
    why = model.explain(row)
    assert why.evidence[0].attribute is None or any(e.attribute is None for e in why.evidence)
    assert "exact occlusion" in str(why)


def test_the_robust_scale_is_the_recipe_and_is_clipped_smoothly():
    x = np.array([0.0, 1, 2, 3, 4, 1000])
    table = Table(
        Schema((Attribute("x"), Attribute("spiky")), Attribute("y")), 6,
        numeric=[x, np.array([0.0, 0, 0, 0, 0, 5])], response=x,
    )  # fmt: skip
    inputs = NeuralInputs.fit(table, "robust")
    assert inputs.centre.tolist() == [2.5, 0.0]
    assert inputs.unit.tolist() == [3.0, 2.5]  # quartiles 1 and 4; then half the range
    made = inputs.matrix(table)
    z = (x - 2.5) / 3
    np.testing.assert_allclose(made[:, 0], z / np.sqrt(1 + (z / 3) ** 2))
    assert made[-1, 0] < 3.0
    np.testing.assert_allclose(made[:5, 1], 0.0)


def test_gaps_are_the_median_and_say_so(mixed, model):
    names = model.input_names_
    assert "age is missing" in names and "colour=red" in names and any(n.startswith("note:") for n in names)
    found = model.model_.inputs.matrix(mixed)
    age = next(a for a in mixed.numeric_columns() if a[0].name == "age")[1]
    gaps = np.isnan(age)
    assert gaps.any() and (found[gaps, names.index("age")] == 0).all()
    assert (found[:, names.index("age is missing")] == gaps).all()


def test_weights_and_class_weights_move_the_answers():
    X, y = xor(150)
    X = np.zeros_like(X)  # nothing to see: only shares can be learned
    plain = acumen.NeuralNetwork(hidden_layer_sizes=(4,), max_iter=60, random_state=0, label_smoothing=0.0)
    heavy = plain.fit(X, y, sample_weight=np.where(y == 1, 9.0, 1.0)).predict_proba(X)[0, 1]
    share = 9 * (y == 1).sum() / (9 * (y == 1).sum() + (y == 0).sum())
    assert heavy == pytest.approx(share, abs=0.03)
    by_class = acumen.NeuralNetwork(
        hidden_layer_sizes=(4,),
        max_iter=60,
        random_state=0,
        label_smoothing=0.0,
        class_weight={0: 1.0, 1: 9.0},
    )
    assert by_class.fit(X, y).predict_proba(X)[0, 1] == pytest.approx(heavy, abs=1e-6)


def test_the_temperature_makes_rows_held_out_less_surprising():
    X, y = xor(300)
    cold, warm = (
        acumen.NeuralNetwork(
            hidden_layer_sizes=(24,), max_iter=80, batch_size=32, random_state=0, temperature=t
        ).fit(X, y)
        for t in (True, False)
    )
    test, truth = xor(400, seed=5)
    assert cold.model_.temperature[0] < 1.0 and warm.model_.temperature[0] == 1.0
    losses = [-np.log(m.predict_proba(test)[np.arange(400), truth]).mean() for m in (cold, warm)]
    assert losses[0] < losses[1]


def test_an_ensemble_is_the_mean_of_its_networks(mixed):
    both = acumen.NeuralNetwork(**TINY, n_estimators=2).fit(mixed).model_
    alone = [
        dataclasses.replace(both, flats=(flat,), best=both.best[:1], temperature=both.temperature[:1])
        for flat in both.flats
    ]
    mean = (alone[0].scores(mixed) + alone[1].scores(mixed)) / 2
    np.testing.assert_allclose(both.scores(mixed), mean, atol=1e-12)
    first = acumen.NeuralNetwork(**TINY).fit(mixed).model_
    assert np.array_equal(first.flats[0], both.flats[0])


def test_figures_are_of_the_loss_and_of_small_networks(model, mixed):
    figure = acumen.NeuralNetwork(**TINY).fit(*xor(60)).to_figure(what="network")
    assert figure.sizes == (2, 6, 2)
    assert "<svg" in figure._repr_svg_()
    assert model.to_figure().chosen == model.best_epoch_ - 1
    with pytest.raises(ParameterError, match="24 units"):
        acumen.NeuralNetwork(hidden_layer_sizes=(30,), max_iter=1).fit(mixed).to_figure(what="network")


def test_one_class_needs_no_network():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learner = acumen.NeuralNetwork(**TINY).fit(np.arange(12.0)[:, None], ["a"] * 12)
    assert learner.predict([[3.0]]).tolist() == ["a"]
    with pytest.raises(AttributeError, match="one class"):
        _ = learner.coefs_
    again = NeuralNetworkModel.from_arrays(learner.model_.to_arrays(), learner.schema_)
    assert not again.flats


@pytest.mark.parametrize("hidden", [(0,), (3, -1), "wide", (2.5,), (True,), (8,) * 61, None])
def test_hidden_layers_are_whole_numbers(hidden):
    with pytest.raises(ParameterError, match="hidden_layer_sizes must be whole numbers"):
        acumen.NeuralNetwork(hidden_layer_sizes=hidden).fit(*xor(20))


def test_a_number_alone_is_one_hidden_layer():
    assert acumen.NeuralNetwork(hidden_layer_sizes=3, max_iter=1).fit(*xor(20)).coefs_[0].shape == (2, 3)


@pytest.mark.parametrize(
    "name, spoil",
    [
        ("hidden", lambda a: np.array([2**23] * 3, dtype=np.int32)),
        ("hidden", lambda a: np.ones(100, dtype=np.int32)),
        ("hidden", lambda a: np.array([0], dtype=np.int32)),
        ("weights/0", lambda a: a[:-1]),
        ("weights/0", lambda a: a.astype(np.float64)),
        ("weights/0", lambda a: np.full(len(a), np.nan, dtype=np.float32).view(np.uint32)),
        ("weights/0", lambda a: np.full(len(a), 1e35, dtype=np.float32).view(np.uint32)),
        ("activation", lambda a: np.array([9], dtype=np.int32)),
        ("scaling", lambda a: np.array([-1], dtype=np.int32)),
        ("best", lambda a: np.array([1, 1], dtype=np.int32)),
        ("unit", lambda a: -np.ones_like(a)),
        ("typical", lambda a: a[1:]),
        ("seen", lambda a: np.zeros_like(a)),
        ("seen", lambda a: np.array([True, False, False])),
        ("temperature", lambda a: np.zeros_like(a)),
        ("view/fill", lambda a: np.full_like(a, np.nan)),
    ],
)
def test_forged_files_are_refused_before_anything_large_is_made(model, name, spoil):
    arrays = model.model_.to_arrays()
    with pytest.raises(ModelFileError):
        NeuralNetworkModel.from_arrays(arrays | {name: spoil(arrays[name])}, model.schema_)


def test_memory_is_asked_for_before_it_is_taken(mixed):
    learner = acumen.NeuralNetwork()
    small, large = (learner.memory(rows, mixed.schema) for rows in (1_000, 1_000_000))
    assert large > 100 * small / 10
    wide = acumen.NeuralNetwork(hidden_layer_sizes=(2**20, 2**20))
    with pytest.raises(DataError, match="would take about"):
        wide.fit(mixed)


# -- numbers ----------------------------------------------------------------------------------------


def test_the_regressor_learns_a_curve_and_its_contributions_add_up():
    x = np.linspace(0, 6, 150)[:, None]
    y = 1e6 + 50 * np.sin(x[:, 0])
    learner = acumen.NeuralNetworkRegressor(
        hidden_layer_sizes=(24, 24), max_iter=100, batch_size=64, random_state=0
    ).fit(x, y)
    assert learner.score(x, y) > 0.97
    why = learner.explain(x[:1])
    assert why.start + sum(c.amount for c in why.contributions) == pytest.approx(learner.predict(x[:1])[0])
    arrays = learner.model_.to_arrays()
    again = NeuralNetworkRegressionModel.from_arrays(arrays, learner.schema_)
    assert np.array_equal(again.values(_table(x)), learner.model_.values(_table(x)))
    with pytest.raises(ModelFileError):
        NeuralNetworkRegressionModel.from_arrays(arrays | {"place": np.array([0.0, 0.0])}, learner.schema_)


def _table(x):
    return Table(Schema((Attribute("x0"),)), len(x), numeric=[np.ascontiguousarray(x[:, 0])])


def test_the_unit_of_the_target_is_irrelevant():
    x = np.linspace(0, 6, 60)[:, None]
    y = np.sin(x[:, 0])
    one = acumen.NeuralNetworkRegressor(**TINY).fit(x, y).predict(x)
    other = acumen.NeuralNetworkRegressor(**TINY).fit(x, 1024 * y).predict(x)
    np.testing.assert_allclose(other, 1024 * one, rtol=1e-9)


def test_a_target_beyond_all_measure_is_refused():
    with pytest.raises(DataError, match="1e290"):
        acumen.NeuralNetworkRegressor(**TINY).fit(np.arange(5.0)[:, None], [0, 1, 2, 3, 1e300])
