"""Logistic regression: against scikit-learn, its laws, and data on which it has no answer."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

import acumen
from acumen.errors import AcumenWarning, DataError, ParameterError
from acumen.linear.design import design_of
from acumen.linear.logistic_loss import LogisticLoss

SOLVERS = ("newton", "lbfgs", "gradient", "sgd")


def rows(n=300, d=4, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * np.linspace(0.5, 2.0, d)
    scores = X @ rng.standard_normal((d, classes)) + rng.gumbel(size=(n, classes)) + np.arange(classes) / 2
    return X, scores.argmax(axis=1), rng.random(n) + 0.2


def objective(X, y, weights, coef, intercept, C, power=2):
    n = X.shape[0]
    scores = X @ coef.T + intercept
    if len(coef) == 1:
        scores = np.c_[np.zeros(n), scores]
    logs = scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)
    held = (coef**2).sum() / 2 if power == 2 else np.abs(coef).sum()
    return held / C - weights @ logs[np.arange(n), y]


# -- against scikit-learn -------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("C", [0.1, 1.0, np.inf])
@pytest.mark.parametrize("solver", ["newton", "lbfgs"])
def test_without_scaling_it_is_scikit_learns_to_six_digits(classes, C, solver):
    X, y, weights = rows(classes=classes)
    peer = LogisticRegression(C=C, solver="newton-cg", tol=1e-12, max_iter=10_000).fit(X, y, weights)
    penalty = None if np.isinf(C) else "l2"
    given = {} if penalty is None else {"C": C}
    ours = acumen.Logistic(penalty=penalty, scale=False, solver=solver, tol=1e-9, **given).fit(X, y, weights)
    assert np.abs(ours.coef_ - peer.coef_).max() < 1e-6
    assert np.abs(ours.intercept_ - peer.intercept_).max() < 1e-6
    assert np.abs(ours.predict_proba(X) - peer.predict_proba(X)).max() < 1e-6


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("solver", ["newton", "lbfgs", "gradient"])
def test_l1_reaches_scikit_learns_loss(classes, solver):
    X, y, weights = rows(classes=classes)
    peer = LogisticRegression(C=0.05, l1_ratio=1.0, solver="saga", tol=1e-10, max_iter=100_000)
    peer.fit(X, y, weights)
    ours = acumen.Logistic(penalty="l1", C=0.05, scale=False, solver=solver, tol=1e-9).fit(X, y, weights)
    losses = [objective(X, y, weights, m.coef_, m.intercept_, 0.05, power=1) for m in (ours, peer)]
    assert losses[0] <= losses[1] * (1 + 1e-9)
    assert np.abs(ours.predict_proba(X) - peer.predict_proba(X)).max() < 1e-5
    assert np.array_equal(ours.coef_ == 0, np.abs(peer.coef_) < 1e-7)


def test_many_rows_with_a_sample_as_guide_reach_the_same_optimum():
    X, y, weights = rows(60_000, 9, 6, seed=3)
    ours = acumen.Logistic(scale=False, tol=1e-8).fit(X, y, weights)
    assert ours.trace_.method == "sampled Newton"
    peer = LogisticRegression(solver="newton-cholesky", tol=1e-9).fit(X, y, weights)
    losses = [objective(X, y, weights, m.coef_, m.intercept_, 1.0) for m in (ours, peer)]
    assert losses[0] <= losses[1] * (1 + 1e-12)
    assert np.abs(ours.coef_ - peer.coef_).max() < 1e-4


@pytest.mark.parametrize("weighted", [False, True])
def test_second_derivatives_of_all_rows_are_had_on_the_way_and_once(weighted, monkeypatch):
    X, y, weights = rows(150_000, 30, 2, seed=5)
    weights = weights if weighted else None
    seen = []
    one_pass = LogisticLoss._pass

    def counted(loss, point, hessian):
        seen.append((loss.n_rows, hessian is not None))
        return one_pass(loss, point, hessian)

    monkeypatch.setattr(LogisticLoss, "_pass", counted)
    quick = acumen.Logistic(scale=False).fit(X, y, sample_weight=weights)
    assert seen.count((len(y), True)) == 1 and seen.count((len(y), False)) <= 5
    monkeypatch.setattr("acumen.linear.logistic_solve.CHEAP", np.inf)
    exact = acumen.Logistic(scale=False, tol=1e-10).fit(X, y, sample_weight=weights)
    one, two = quick.predictor_.model, exact.predictor_.model
    np.testing.assert_allclose(one.coefficients, two.coefficients, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(one.errors, two.errors, rtol=1e-3)
    assert one.log_likelihood == pytest.approx(two.log_likelihood, rel=1e-10)


def test_sorted_rows_do_not_mislead_the_sample():
    X, y, weights = rows(40_000, 3, 2, seed=4)
    order = np.lexsort((X[:, 0], y))
    one = acumen.Logistic(tol=1e-9).fit(X, y, weights)
    other = acumen.Logistic(tol=1e-9).fit(X[order], y[order], weights[order])
    assert np.abs(one.coef_ - other.coef_).max() < 1e-8


@pytest.mark.parametrize("penalty", ["l2", "l1", None])
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("classes", [2, 3])
def test_every_penalty_goes_with_every_solver(penalty, solver, classes):
    X, y, _ = rows(classes=classes)
    best = acumen.Logistic(penalty=penalty, C=0.5).fit(X, y)
    found = acumen.Logistic(penalty=penalty, C=0.5, solver=solver, random_state=0, max_iter=2000).fit(X, y)
    assert found.trace_.loss[-1] <= best.trace_.loss[-1] * (1.001 if solver == "sgd" else 1 + 1e-9)
    assert np.abs(found.predict_proba(X) - best.predict_proba(X)).max() < (0.05 if solver == "sgd" else 1e-3)


def test_batches_are_for_stochastic_descent_alone():
    X, y, _ = rows()
    with pytest.raises(ParameterError, match="batch_size=8 is for solver='sgd'"):
        acumen.Logistic(batch_size=8).fit(X, y)
    one, two = (acumen.Logistic(solver="sgd", batch_size=8, random_state=5, tol=1e-2).fit(X, y) for _ in "12")
    assert one.trace_.method == "mini-batches of 8"
    assert np.array_equal(one.coef_, two.coef_)


# -- laws -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_gradient_and_second_derivatives_are_finite_differences(classes, sparse, seed):
    X, y, weights = rows(40, 3, classes, seed)
    table = acumen.read(csr_matrix(X) if sparse else X)
    design = design_of(table)
    lines = 1 if classes == 2 else classes
    loss = LogisticLoss(
        design, y.astype(np.int32), weights, lines, np.array([0.3, 0.1, 0.2, 0.0]), float(weights.sum())
    )
    point = np.random.default_rng(seed).standard_normal(loss.size)
    _, gradient, hessian = loss.second_order(point)
    step = 1e-5
    for i in range(loss.size):
        e = np.eye(loss.size)[i] * step
        (up, rising), (down, falling) = loss(point + e), loss(point - e)
        assert abs((up - down) / (2 * step) - gradient[i]) < 1e-8
        column = (rising - falling) / (2 * step)
        extra = hessian[i] - column
        if lines > 1:  # the intercepts' common direction is given a slope of its own
            extra[3::4] -= extra[3::4].mean()
        assert np.abs(extra).max() < 1e-8


@pytest.mark.parametrize("given", [{"scale": True}, {"penalty": None}, {"penalty": "l1", "C": 0.3}])
@pytest.mark.parametrize("solver", ["newton", "lbfgs"])
def test_units_of_columns_do_not_matter(given, solver):
    X, y, _ = rows(classes=3, seed=1)
    units = np.array([1e8, 1e-8, 1.0, 1e4])
    one = acumen.Logistic(solver=solver, tol=1e-10, **given).fit(X, y)
    other = acumen.Logistic(solver=solver, tol=1e-10, **given).fit(X * units, y)
    assert np.abs(one.predict_proba(X) - other.predict_proba(X * units)).max() < 1e-6
    assert np.allclose(one.coef_, other.coef_ * units, rtol=1e-5, atol=1e-8)


def test_origin_of_columns_does_not_matter():
    X, y, _ = rows(seed=2)
    one, other = acumen.Logistic(scale=False).fit(X, y), acumen.Logistic(scale=False).fit(X + 1e6, y)
    assert np.abs(one.predict_proba(X) - other.predict_proba(X + 1e6)).max() < 1e-6


@pytest.mark.parametrize("penalty", ["l2", "l1", None])
def test_weights_are_repeated_rows(penalty):
    X, y, _ = rows(classes=3)
    times = np.random.default_rng(0).integers(0, 4, len(X))
    heavy = acumen.Logistic(penalty=penalty).fit(X, y, sample_weight=times)
    often = acumen.Logistic(penalty=penalty).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert np.abs(heavy.predict_proba(X) - often.predict_proba(X)).max() < 1e-9
    assert np.allclose(heavy.model_.errors, often.model_.errors, rtol=1e-6)


def test_sparse_rows_are_answered_as_dense_ones_and_stay_sparse():
    rng = np.random.default_rng(0)
    X = np.where(rng.random((300, 6)) < 0.7, 0.0, rng.random((300, 6)))
    y = (X[:, 0] + 0.3 * rng.standard_normal(300) > 0.2).astype(int)
    for given in ({}, {"scale": False}, {"penalty": "l1"}, {"penalty": None}):
        dense = acumen.Logistic(tol=1e-10, **given).fit(X, y)
        sparse = acumen.Logistic(tol=1e-10, **given).fit(csr_matrix(X), y)
        assert np.abs(dense.predict_proba(X) - sparse.predict_proba(csr_matrix(X))).max() < 1e-8
        assert np.allclose(dense.coef_, sparse.coef_, atol=1e-6)


def test_more_coefficients_than_a_matrix_can_hold_are_found_too():
    rng = np.random.default_rng(0)
    X = csr_matrix((rng.random(6000) + 0.1, rng.integers(0, 1200, 6000), np.arange(0, 6001, 20)), (300, 1200))
    y = rng.integers(0, 3, 300)
    ours = acumen.Logistic(scale=False, tol=1e-8).fit(X, y)
    peer = LogisticRegression(tol=1e-9, max_iter=5000).fit(X, y)
    losses = [objective(X, y, np.ones(300), m.coef_, m.intercept_, 1.0) for m in (ours, peer)]
    assert losses[0] <= losses[1] * (1 + 1e-8)
    assert not len(ours.model_.errors) and "not computed" in ours.describe()


def test_mixed_tables_with_gaps_and_texts_are_learned_from():
    n = 200
    rng = np.random.default_rng(0)
    import pandas as pd

    frame = pd.DataFrame(
        {
            "age": np.where(rng.random(n) < 0.1, np.nan, rng.normal(40, 10, n)),
            "colour": rng.choice(["red", "blue", None], n),
            "note": rng.choice(["good fine words here today", "bad awful words there now"], n),
            "answer": rng.choice(["yes", "no"], n),
        }
    )
    frame.loc[frame.note.str.startswith("good"), "answer"] = "yes"
    table = acumen.read(frame, target="answer", kinds={"note": "text"})
    model = acumen.Logistic().fit(table)
    assert {"age", "colour=red", "note:good"} <= set(model.column_names_)
    assert model.score(table) > 0.7
    said = str(model.explain(table.take([0])))
    assert "age" in said and "colour" in said
    explained = model.explain(table.take([0]))
    shares = model.predict_proba(table.take([0]))[0]
    assert np.isclose(explained.log_odds, np.log(shares.max() / shares.min()))


# -- what it says ---------------------------------------------------------------------------------


def test_standard_errors_are_those_of_the_observed_information():
    X, y, _ = rows(500)
    model = acumen.Logistic(penalty=None).fit(X * 3 + 100, y)
    Z = np.c_[X * 3 + 100, np.ones(len(X))]
    p = model.predict_proba(X * 3 + 100)[:, 1]
    information = (Z * (p * (1 - p))[:, None]).T @ Z
    assert np.allclose(model.model_.errors[0], np.sqrt(np.diag(np.linalg.inv(information))), rtol=1e-6)
    held = acumen.Logistic(scale=False, C=0.5).fit(X, y)
    Z = np.c_[X, np.ones(len(X))]
    p = held.predict_proba(X)[:, 1]
    information = (Z * (p * (1 - p))[:, None]).T @ Z + np.diag([2, 2, 2, 2, 0])
    assert np.allclose(held.model_.errors[0], np.sqrt(np.diag(np.linalg.inv(information))), rtol=1e-6)


def test_standard_errors_of_softmax_are_those_of_contrasts():
    """With lines that sum to zero the difference of two lines has the variance of the two-class contrast."""
    X, y, _ = rows(400, 2, 3)
    model = acumen.Logistic(penalty=None).fit(X, y)
    p = model.predict_proba(X)
    Z = np.c_[X, np.ones(len(X))]
    # The information of the first two classes against the third, whose inverse is known to be their covariance.
    blocks = [[(Z * (p[:, a] * ((a == b) - p[:, b]))[:, None]).T @ Z for b in (0, 1)] for a in (0, 1)]
    covariance = np.linalg.inv(np.block(blocks))
    turn = np.array([[2, -1], [-1, 2], [-1, -1]]) / 3  # contrasts against the third -> lines that sum to zero
    whole = np.kron(turn, np.eye(3)) @ covariance @ np.kron(turn, np.eye(3)).T
    assert np.allclose(model.model_.errors.ravel(), np.sqrt(np.diag(whole)), rtol=1e-5)


def test_description_has_tests_odds_ratios_and_criteria():
    X, y, _ = rows(500)
    model = acumen.Logistic(penalty=None).fit(X, y)
    said = model.describe()
    for words in ("std. error", "p-value", "odds ratio", "AIC", "BIC", "observed information"):
        assert words in said
    assert f"AIC {model.aic(X, y):.4g}" in said and f"BIC {model.bic(X, y):.4g}" in said
    assert "penalised (l2)" in acumen.Logistic().fit(X, y).describe()
    assert "l1 chose them" in acumen.Logistic(penalty="l1").fit(X, y).describe()


@pytest.mark.parametrize("penalty", ["l2", "l1"])
@pytest.mark.parametrize("classes", [2, 3])
def test_under_a_penalty_there_are_no_p_values(penalty, classes):
    X, y, _ = rows(300, 3, classes)
    said = acumen.Logistic(penalty=penalty, C=0.01).fit(X, y).describe(full=True)
    heads = [line for line in said.splitlines() if line.strip().startswith("column")]
    assert heads and all("p-value" not in line and " z " not in line for line in heads)
    assert "odds ratio" in heads[0] and "penalty=None" in said


def test_inference_is_against_a_reference_level():
    rng = np.random.default_rng(3)
    colour = rng.choice(["blue", "green", "red"], 600)
    y = rng.random(600) < np.where(colour == "red", 0.8, 0.2)
    table = acumen.read(pd.DataFrame({"colour": colour, "y": y}), target="y")
    model = acumen.Logistic(penalty=None).fit(table)
    line = next(line for line in model.describe().splitlines() if "colour=red" in line)
    assert "<0.0001" in line
    assert "colour=blue" in model.column_names_ and model.coef_[0][0] == 0.0  # the reference of the others


# -- no answer ------------------------------------------------------------------------------------


def test_separated_classes_end_in_a_warning_and_numbers():
    X = np.array([[0.0, 3], [1, 1], [2, 2], [3, 1], [4, 3], [5, 0]])
    y = np.array([0, 0, 0, 1, 1, 1])
    with pytest.warns(AcumenWarning, match=r"separate the classes perfectly \(above all 'x0'"):
        model = acumen.Logistic(penalty=None).fit(X, y)
    assert np.isfinite(model.coef_).all() and np.isfinite(model.predict_proba(X)).all()
    assert model.score(X, y) == 1.0
    y[4] = 0
    X = np.c_[X[:, 0], y * (X[:, 0] > 4)]  # one value occurs with one class alone
    with pytest.warns(AcumenWarning, match="separate the classes in part"):
        model = acumen.Logistic(penalty=None).fit(X, y)
    assert np.isfinite(model.coef_).all()


def test_overlapping_classes_are_not_called_separated():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for classes in (2, 3):
            for seed in range(5):
                X, y, weights = rows(80, 3, classes, seed)
                acumen.Logistic(penalty=None).fit(X, y, weights)


def test_collinear_columns_are_named_and_left_out():
    X, y, _ = rows()
    X = np.c_[X, X[:, 0] - 2 * X[:, 1] + 5]
    with pytest.warns(AcumenWarning, match="collinear: 'x4' follows from the columns before"):
        model = acumen.Logistic(penalty=None).fit(X, y)
    assert np.array_equal(model.coef_[:, 4], [0.0])
    alone = acumen.Logistic(penalty=None).fit(X[:, :4], y)
    assert np.allclose(model.predict_proba(X), alone.predict_proba(X[:, :4]), atol=1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isfinite(acumen.Logistic().fit(X, y).coef_).all()


def test_first_levels_are_references_without_penalty():
    rng = np.random.default_rng(0)
    colour = rng.choice(["a", "b", "c"], 300)
    y = (rng.random(300) < np.where(colour == "a", 0.2, 0.6)).astype(int)
    import pandas as pd

    table = acumen.read(pd.DataFrame({"colour": colour, "y": y.astype(str)}), target="y")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = acumen.Logistic(penalty=None).fit(table)
    assert model.coef_[0, 0] == 0.0
    shares = [y[colour == level].mean() for level in "abc"]
    odds = np.log(np.array(shares) / (1 - np.array(shares)))
    assert np.allclose(model.coef_[0], odds - odds[0], atol=1e-6)


def test_too_few_steps_are_told():
    X, y, _ = rows(classes=3)
    with pytest.warns(ConvergenceWarning, match="2 steps of solver='gradient' were not enough"):
        model = acumen.Logistic(solver="gradient", max_iter=2).fit(X, y)
    assert model.n_iter_ == 2
    with pytest.warns(
        ConvergenceWarning, match="2 epochs of solver='sgd' were not enough for the loss to come to rest"
    ):
        acumen.Logistic(solver="sgd", max_iter=2, random_state=0).fit(X, y)


def test_one_class_and_constant_columns_are_learned_from():
    model = acumen.Logistic().fit(np.ones((5, 2)), ["a"] * 5)
    assert model.predict(np.zeros((2, 2))).tolist() == ["a", "a"]
    assert "only class" in model.describe()
    flat = acumen.Logistic(penalty=None).fit(np.ones((6, 2)), [0, 0, 1, 1, 1, 1])
    assert np.allclose(flat.predict_proba(np.zeros((1, 2))), [[1 / 3, 2 / 3]])


def test_models_survive_a_file(tmp_path):
    X, y, _ = rows(classes=3)
    model = acumen.Logistic(penalty="l1", C=0.2).fit(X, y)
    acumen.save(model, tmp_path / "m.acm")
    again = acumen.load(tmp_path / "m.acm")
    assert np.array_equal(model.predict_proba(X), again.predict_proba(X))
    assert np.array_equal(model.coef_, again.coef_) and again.describe() == model.describe()


def test_w004_06_the_score_over_the_length_of_the_line_is_the_signed_distance():
    """w = (3, 4), w0 = -5: the point (3, 4) is 4 away, on the positive side."""
    X, y, _ = rows(d=2)
    model = acumen.Logistic().fit(X, y).model_
    from dataclasses import replace

    line = replace(model, coefficients=np.array([[3.0, 4.0]]), offset=np.array([-5.0]), centre=np.zeros(2))
    scores = line.linear(np.array([[3.0, 4.0], [0.0, 0.0]]))[:, 0]
    assert (scores / np.linalg.norm(line.coefficients)).tolist() == [4.0, -1.0]


@pytest.mark.parametrize("learner", [acumen.Logistic(tol=1e-10), acumen.MaxEnt(tol=1e-10)])
def test_parts_give_the_optimum_of_one_fit_and_bytes_that_do_not_depend_on_the_parts(learner):
    rows = acumen.datasets.load("iris")
    models = []
    for size in (150, 64, 7):
        parts = [rows.take(slice(at, at + size)) for at in range(0, len(rows), size)]
        models.append(clone(learner).fit_stream(parts))
    first = models[0].model_.to_arrays()
    for model in models[1:]:
        assert all(
            array.tobytes() == first[name].tobytes() for name, array in model.model_.to_arrays().items()
        )
    whole = clone(learner).fit(rows)
    np.testing.assert_allclose(models[0].predict_proba(rows), whole.predict_proba(rows), atol=1e-7)


def test_parts_with_words_are_refused_in_a_sentence():
    texts = np.array([["good day"], ["bad day"], ["good night"], ["bad night"]] * 5, dtype=object)
    rows = acumen.read((texts, np.arange(20) % 2), kinds={"x0": "text"})
    with pytest.raises(DataError, match="text"):
        acumen.Logistic().fit_stream([rows])
