"""Proportional odds: the optimum, its standard errors, what it refuses, and that it is a learner like any other."""

from __future__ import annotations

import doctest
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import acumen
from acumen import Logistic, OrderedLogistic, messages
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import AcumenWarning, DataError, ModelFileError, ParameterError
from acumen.linear import ordered_learner
from acumen.linear.ordered_fit import OrderedLoss, design_of
from reference import proportional_odds

LEVELS = ("low", "middle", "high", "top")


def graded(n=120, seed=0, k=4, slope=(1.0, -0.5)):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, len(slope)))
    y = np.digitize(X @ np.array(slope) + rng.logistic(size=n), np.linspace(-1, 1.5, k - 1)).astype(np.int32)
    return X, y


def table_of(X, y, k=4, weights=None):
    names = tuple(Attribute(f"x{j}") for j in range(X.shape[1]))
    schema = Schema(names, Attribute("grade", "ordinal", LEVELS[:k]))
    extra = {} if weights is None else {"weights": weights}
    return Table(schema, len(X), numeric=[*X.T.copy()], labels=y, **extra)


def test_the_optimum_and_its_errors_are_those_of_a_general_minimiser():
    X, y = graded()
    model = OrderedLogistic(penalty=None).fit(table_of(X, y))
    slope, cuts, value = proportional_odds.fit(X, y)
    np.testing.assert_allclose(model.coef_, slope, atol=1e-5)
    np.testing.assert_allclose(model.thresholds_, cuts, atol=1e-5)
    assert model.model_.log_likelihood == pytest.approx(-value, abs=1e-8)
    assert model.log_likelihood(table_of(X, y)) == pytest.approx(-value, abs=1e-8)
    information = proportional_odds.information(np.r_[slope, cuts], X, y, np.ones(len(y)))
    errors = np.sqrt(np.diag(np.linalg.inv(information)))
    np.testing.assert_allclose(np.r_[model.coef_errors_, model.threshold_errors_], errors, rtol=1e-4)
    assert 0 <= model.gap_ < 1e-15 and model.n_parameters_ == 5


def test_the_penalty_and_weights_are_those_of_a_general_minimiser():
    X, y = graded(80, 3, 3)
    weights = np.random.default_rng(1).integers(1, 4, 80).astype(float)
    model = OrderedLogistic(C=0.3, scale=False).fit(table_of(X, y, 3, weights))
    slope, cuts, _ = proportional_odds.fit(X, y, weights, 0.3)
    np.testing.assert_allclose(model.coef_, slope, atol=1e-5)
    np.testing.assert_allclose(model.thresholds_, cuts, atol=1e-5)


@given(st.integers(0, 10**6), st.integers(2, 4))
@settings(max_examples=15)
def test_gradient_and_second_derivatives_are_those_of_differences(seed, k):
    X, _ = graded(12, seed)
    y = np.random.default_rng(seed).permutation(np.arange(12) % k).astype(np.int32)
    table = table_of(X, y, k)
    loss = OrderedLoss.of(design_of(table), table, y, k, np.array([0.3, 0.7]))
    point = np.r_[np.random.default_rng(seed + 1).normal(size=2), np.linspace(-1, 1.3, k - 1)]
    _, gradient, hessian = loss.second_order(point)
    for j, step in enumerate(np.eye(len(point)) * 1e-5):
        up, down = loss(point + step), loss(point - step)
        assert gradient[j] == pytest.approx((up[0] - down[0]) / 2e-5, abs=1e-6)
        np.testing.assert_allclose(hessian[j], (up[1] - down[1]) / 2e-5, atol=1e-5)


@pytest.mark.parametrize("penalty", [None, "l2"])
def test_of_two_classes_it_is_logistic_regression(penalty):
    X, y = graded(90, 5, 2)
    rows = table_of(X, y, 2)
    ours, theirs = OrderedLogistic(penalty=penalty).fit(rows), Logistic(penalty=penalty, tol=1e-10).fit(rows)
    np.testing.assert_allclose(ours.coef_, theirs.coef_[0], atol=1e-7)
    np.testing.assert_allclose(-ours.thresholds_, theirs.intercept_, atol=1e-7)
    np.testing.assert_allclose(ours.model_.errors, theirs.model_.errors[0], rtol=1e-5)


def test_the_classes_turned_round_turn_the_signs():
    X, y = graded()
    one, other = OrderedLogistic().fit(table_of(X, y)), OrderedLogistic().fit(table_of(X, 3 - y))
    np.testing.assert_allclose(one.coef_, -other.coef_, atol=1e-7)
    np.testing.assert_allclose(one.thresholds_, -other.thresholds_[::-1], atol=1e-7)


def test_classes_without_an_order_are_refused_with_a_way_out():
    iris = acumen.datasets.load("iris")
    with pytest.raises(DataError, match=r"classes in an order.*kinds=\{'class': 'ordinal'\} and levels="):
        OrderedLogistic().fit(iris)
    with messages.speak_of_flags(), pytest.raises(DataError, match=r"--kind class=ordinal --levels class="):
        OrderedLogistic().fit(iris)


def test_an_ordered_categorical_and_declared_levels_are_in_order(tmp_path):
    X, y = graded()
    words = np.array(LEVELS)[y]
    y_given = pd.Series(pd.Categorical(words, LEVELS, ordered=True))
    by_frame = OrderedLogistic().fit(X, y_given)
    (tmp_path / "t.csv").write_text(
        "a,b,grade\n" + "".join(f"{a:.17g},{b:.17g},{w}\n" for (a, b), w in zip(X, words, strict=True))
    )
    read = acumen.read(
        tmp_path / "t.csv", target="grade", kinds={"grade": "ordinal"}, levels={"grade": list(LEVELS)}
    )
    by_file = OrderedLogistic().fit(read)
    assert by_frame.classes_.tolist() == list(LEVELS) == by_file.classes_.tolist()
    np.testing.assert_allclose(by_frame.coef_, by_file.coef_, atol=1e-9)


def test_separated_classes_without_a_penalty_are_warned_of():
    X = np.arange(12.0)[:, None]
    rows = table_of(X, (np.arange(12) // 4).astype(np.int32), 3)
    with pytest.warns(AcumenWarning, match="separate some classes"):
        OrderedLogistic(penalty=None).fit(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert OrderedLogistic().fit(rows).score(rows) == 1.0


def test_wide_tables_are_solved_without_second_derivatives(monkeypatch):
    X, y = graded()
    rows = table_of(X, y)
    exact = OrderedLogistic().fit(rows)
    monkeypatch.setattr("acumen.linear.ordered_fit.MOST_COEFFICIENTS", 2)
    found = OrderedLogistic().fit(rows)
    np.testing.assert_allclose(found.coef_, exact.coef_, atol=1e-5)
    assert not len(found.coef_errors_) and "too many columns" in found.describe()


def test_sparse_rows_are_those_of_dense_ones():
    from scipy.sparse import csr_matrix

    X, y = graded(60, 2, 3)
    X = np.where(np.abs(X) > 0.7, X, 0.0)
    dense = OrderedLogistic(scale=False, C=2.0).fit(X, y)
    sparse = OrderedLogistic(scale=False, C=2.0).fit(csr_matrix(X), y)
    np.testing.assert_allclose(dense.predict_proba(X), sparse.predict_proba(csr_matrix(X)), atol=1e-6)


def test_far_away_rows_have_probabilities():
    X, y = graded()
    model = OrderedLogistic().fit(X, y)
    found = model.predict_proba([[1e300, 0.0], [-1e300, 1e300], [1e5, -1e5], [np.nan, np.inf]])
    assert np.isfinite(found).all() and np.allclose(found.sum(axis=1), 1)
    assert found[0].argmax() == 3 and found[1].argmax() == 0


def test_files_with_falling_thresholds_are_refused():
    X, y = graded()
    model = OrderedLogistic().fit(table_of(X, y))
    arrays = model.model_.to_arrays()
    arrays["thresholds"] = arrays["thresholds"][::-1].copy()
    with pytest.raises(ModelFileError, match="thresholds do not rise"):
        type(model.model_).from_arrays(arrays, model.schema_)


def test_an_infinite_c_is_refused():
    with pytest.raises(ParameterError, match="no penalty"):
        OrderedLogistic(C=np.inf).fit(*graded())


@pytest.mark.slow
def test_intervals_of_coefficients_cover_in_simulations():
    covered, runs = 0, 400
    for seed in range(runs):
        X, y = graded(150, 1000 + seed, 3)
        model = OrderedLogistic(penalty=None).fit(X, y)
        covered += abs(model.coef_[0] - 1.0) <= 1.96 * model.coef_errors_[0]
    assert 0.915 <= covered / runs <= 0.98


def test_documented_examples_are_true():
    assert doctest.testmod(ordered_learner).failed == 0
