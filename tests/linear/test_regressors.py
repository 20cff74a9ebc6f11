"""Linear regression, ridge, lasso and polynomials: worked examples, oracles, laws, and what happens at the edges."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import linear_model
from sklearn.preprocessing import PolynomialFeatures, SplineTransformer

import acumen
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import AcumenWarning, DataError, ParameterError
from reference.lasso import lasso as plain_lasso
from tables import table_of

X5 = np.arange(5.0)[:, None]
Y5 = np.array([1.0, 3.0, 2.0, 5.0, 4.0])
ONES5 = np.column_stack([np.ones(5), X5])


def noisy(n=120, d=5, seed=0, noise=1.0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 3 * rng.normal(size=d)
    return x, x @ rng.normal(size=d) + 2 + noise * rng.normal(size=n), rng.random(n) + 0.2


# -- worked examples ------------------------------------------------------------------------------


def test_w001_33_least_squares_and_ridge():
    line = acumen.LinearRegression().fit(X5, Y5)
    assert [line.intercept_, *line.coef_] == pytest.approx([1.4, 0.8], abs=1e-12)
    for alpha, w in ((1, (0.9883720930, 0.9069767442)), (10, (0.44, 0.84))):
        made = acumen.Ridge(alpha=alpha, fit_intercept=False, scale=False).fit(ONES5, Y5)
        assert made.coef_ == pytest.approx(w, abs=1e-9) and made.multiplier_ == alpha


def test_w001_33_the_constraint_has_its_multiplier_above_its_bound():
    made = acumen.Ridge(radius=0.44**2 + 0.84**2, fit_intercept=False, scale=False).fit(ONES5, Y5)
    assert made.coef_ == pytest.approx([0.44, 0.84], abs=1e-9)
    assert made.multiplier_ == pytest.approx(10, rel=1e-9)
    assert (
        made.min_multiplier_ == pytest.approx(9.5746023617, abs=1e-9)
        and made.min_multiplier_ <= made.multiplier_
    )
    assert "multiplier 10 >= 9.575" in made.describe()
    loose = acumen.Ridge(radius=100.0, fit_intercept=False, scale=False).fit(ONES5, Y5)
    assert loose.multiplier_ == 0 and loose.coef_ == pytest.approx([1.4, 0.8])


def test_w001_40_a_degree_less_than_the_points_goes_through_all_of_them():
    x = np.linspace(0, 1, 8)[:, None]
    y = np.sin(2 * np.pi * x[:, 0]) + 0.1 * np.cos(37 * x[:, 0])
    made = acumen.PolynomialRegression(degree=7).fit(x, y)
    assert made.model_.fit.rms < 1e-12
    assert np.sqrt(np.mean((made.predict(x) - y) ** 2)) < 1e-12


def test_w004_04_the_gradient_vanishes_at_the_solution():
    x, y = np.arange(1.0, 5.0), np.array([1.0, 2.0, 2.0, 4.0])
    design = np.column_stack([np.ones(4), x])
    at = np.array([0.5, 0.5])
    assert 2 / 4 * design.T @ (design @ at - y) == pytest.approx([-1, -3.5])
    made = acumen.LinearRegression().fit(x[:, None], y)
    left = y - made.predict(x[:, None])
    assert design.T @ left == pytest.approx([0, 0], abs=1e-12)


# -- oracles --------------------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("intercept", [True, False])
def test_coefficients_agree_with_scikit_learn(weighted, intercept):
    x, y, w = noisy()
    w = w if weighted else None
    for ours, theirs in (
        (
            acumen.LinearRegression(fit_intercept=intercept),
            linear_model.LinearRegression(fit_intercept=intercept),
        ),
        (
            acumen.Ridge(alpha=2.5, fit_intercept=intercept, scale=False),
            linear_model.Ridge(alpha=2.5, fit_intercept=intercept, solver="svd"),
        ),
        (
            acumen.Lasso(alpha=0.3, fit_intercept=intercept, scale=False, tol=1e-13),
            linear_model.Lasso(alpha=0.3, fit_intercept=intercept, tol=1e-12, max_iter=100_000),
        ),
    ):
        ours.fit(x, y, w)
        theirs.fit(x, y, w)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
        assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=1e-5)
        np.testing.assert_allclose(ours.predict(x), theirs.predict(x), atol=1e-5)
        assert ours.score(x, y, w) == pytest.approx(theirs.score(x, y, w), abs=1e-9)


def test_scaling_is_standardising_first():
    x, y, _ = noisy(seed=4)
    z = (x - x.mean(axis=0)) / x.std(axis=0)
    for ours, theirs in (
        (acumen.Ridge(alpha=4.0), linear_model.Ridge(alpha=4.0)),
        (acumen.Lasso(alpha=0.2, tol=1e-13), linear_model.Lasso(alpha=0.2, tol=1e-13)),
    ):
        np.testing.assert_allclose(ours.fit(x, y).predict(x), theirs.fit(z, y).predict(z), atol=1e-6)


def test_standard_errors_agree_with_the_textbook():
    x, y, _ = noisy(60, 3)
    made = acumen.LinearRegression().fit(x, y)
    design = np.column_stack([np.ones(60), x])
    left = y - made.predict(x)
    sigma2 = left @ left / (60 - 4)
    errors = np.sqrt(sigma2 * np.diagonal(np.linalg.inv(design.T @ design)))
    np.testing.assert_allclose(made.model_.error, errors, rtol=1e-9)
    from scipy.stats import t

    low, high = made.intervals(0.9)["x1"]
    assert high - low == pytest.approx(2 * t.ppf(0.95, 56) * errors[2])
    assert made.rms_ == pytest.approx(np.sqrt(np.mean(left**2)))


# -- the lasso ------------------------------------------------------------------------------------


@given(st.integers(0, 500), st.booleans())
def test_the_kernel_descends_to_where_the_twin_does(seed, wide):
    from acumen.linear.lasso import coordinate_descent

    rng = np.random.default_rng(seed)
    x = rng.normal(size=(8, 12) if wide else (30, 5))
    y = x[:, 0] * 2 + rng.normal(size=len(x))
    penalties = np.array([0.9, 0.5, 0.1]) * np.abs(x.T @ y).max()
    for columns, is_gram in ((x.T, False), (x.T @ x, True)):
        found, reached = coordinate_descent(
            columns, is_gram, x.T @ y, float(y @ y), penalties, 1e-14, 100_000
        )
        assert (reached[:, 0] <= 1e-12).all()
        for w, penalty in zip(found, penalties, strict=True):
            twin = plain_lasso(x, y, penalty)

            def loss(v, penalty=penalty):
                return np.sum((y - x @ v) ** 2) / 2 + penalty * np.abs(v).sum()

            assert loss(w) <= loss(twin) * (1 + 1e-9)
            np.testing.assert_allclose(x @ w, x @ twin, atol=1e-4)


@pytest.mark.parametrize(("n", "d"), [(200, 6), (20, 50)])
@pytest.mark.parametrize("scale", [True, False])
def test_the_path_is_the_lasso_at_each_strength(n, d, scale):
    x, y, w = noisy(n, d)
    path = acumen.Lasso(scale=scale, tol=1e-12).path(x, y, alphas=12, sample_weight=w)
    assert (path.coefficients[0] == 0).all() and path.n_used[-1] > 1
    for i in (1, 5, 11):
        one = acumen.Lasso(alpha=path.alphas[i], scale=scale, tol=1e-12).fit(x, y, w)
        fitted = path.intercepts[i] + x @ path.coefficients[i]
        np.testing.assert_allclose(fitted, one.predict(x), atol=1e-3 * y.std())
    assert "<svg" in path._repr_html_() and path.figure().log
    assert "12 strengths" in repr(path)


def test_the_path_of_a_mixed_table_goes_through_the_summary():
    rng = np.random.default_rng(0)
    colour = rng.integers(0, 3, 80)
    table = Table(
        Schema((Attribute("x"), Attribute("c", "nominal", ("r", "g", "b"))), Attribute("y")),
        80, numeric=[rng.normal(size=80)], nominal=[colour.astype(np.int32)],
        response=2.0 * colour + rng.normal(size=80),
    )  # fmt: skip
    path = acumen.Lasso().path(table, alphas=[0.5, 0.1])
    assert path.names == ("x", "c=r", "c=g", "c=b") and path.alphas.tolist() == [0.5, 0.1]
    with pytest.raises(ParameterError, match="alphas"):
        acumen.Lasso().path(table, alphas=[-1.0])


def test_too_few_sweeps_are_warned_of():
    x, y, _ = noisy()
    with pytest.warns(AcumenWarning, match="max_iter"):
        acumen.Lasso(alpha=1e-6, max_iter=1, tol=1e-14).fit(x, y)


# -- polynomials and bases ------------------------------------------------------------------------


def test_the_degree_is_chosen_on_rows_left_out():
    rng = np.random.default_rng(1)
    x = rng.uniform(1990, 2020, size=150)
    y = 0.01 * (x - 2005) ** 3 - (x - 2005) + rng.normal(size=150)
    made = acumen.PolynomialRegression(random_state=0, max_degree=6).fit(x[:, None], y)
    assert made.degree_ == 3 and made.validation_.shape == (6, 10)
    one = acumen.PolynomialRegression(degree=3).fit(x[:, None], y)
    np.testing.assert_allclose(made.predict(x[:, None]), one.predict(x[:, None]))
    assert "degree 3" in made.describe() and "Multiplied out" in made.describe()


def test_validated_errors_are_those_of_refitting():
    from acumen.linear.polynomial import cross_validate

    x, y, w = noisy(50, 2)
    x[3, 0] = np.nan
    table = acumen.read(np.column_stack([x]))
    rows = Table(
        Schema(table.schema.attributes, Attribute("y")), 50, numeric=list(x.T.copy()), response=y, weights=w
    )
    folds = (np.arange(50) % 5).astype(np.int32)
    found = cross_validate(rows, 3, folds, 5)
    for fold in range(5):
        training, test = rows.take(folds != fold), rows.take(folds == fold)
        for degree in (1, 2, 3):
            made = acumen.PolynomialRegression(degree=degree).fit(training)
            error = np.average((made.predict(test) - test.response) ** 2, weights=test.weights)
            assert found[degree - 1, fold] == pytest.approx(error, rel=1e-6)


def test_expansions_agree_with_scikit_learn_in_what_they_span():
    rng = np.random.default_rng(0)
    x = rng.random((60, 2)) * [1.0, 30.0] + [5.0, -3.0]
    y = np.sin(3 * x[:, 0]) + 0.01 * x[:, 1] ** 2
    for ours, theirs in (
        (acumen.BasisExpansion("polynomial", degree=3), PolynomialFeatures(3, include_bias=False)),
        (acumen.BasisExpansion("polynomial", degree=2, products=False), None),
        (acumen.BasisExpansion("spline", functions=5), SplineTransformer(5, degree=3, include_bias=False)),
    ):
        made = ours.fit_transform(x)
        assert made.shape[1] == len(ours.get_feature_names_out())
        if theirs is None:
            assert ours.get_feature_names_out().tolist() == ["x0", "x1", "x0^2", "x1^2"]
            continue
        mine = acumen.LinearRegression().fit(made, y).predict(made)
        other = theirs.fit_transform(x)
        np.testing.assert_allclose(mine, acumen.LinearRegression().fit(other, y).predict(other), atol=1e-7)


def test_bumps_peak_at_their_centres_and_gaps_stay_gaps():
    made = acumen.BasisExpansion("gaussian", functions=3, width=0.5).fit([[0.0], [10.0]])
    assert made.transform([[5.0]])[0] == pytest.approx([np.exp(-2), 1.0, np.exp(-2)])
    assert np.isnan(made.transform([[np.nan]])).all()
    spline = acumen.BasisExpansion("spline").fit([[0.0], [10.0]])
    np.testing.assert_allclose(spline.transform([[-5.0], [99.0]]), spline.transform([[0.0], [10.0]]))
    assert spline.transform([[10.0]]).sum() == pytest.approx(1.0)  # the first function ends before


def test_too_many_functions_are_refused_before_they_are_made():
    wide = np.ones((3, 600))
    for made, words in (
        (acumen.BasisExpansion(degree=10**9), "more than 10.15 functions"),
        (acumen.BasisExpansion("spline", functions=10**9), "600,000,000,600 functions"),
    ):
        with pytest.raises(DataError, match=words):
            made.fit(wide)
    assert acumen.BasisExpansion(degree=1, functions=10**12).fit_transform(wide).shape == (3, 600)
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]})
    for way in ("fit", "partial_fit"):
        with pytest.raises(DataError, match="column 'b' is nominal; arrays hold only numbers"):
            getattr(acumen.BasisExpansion(), way)(frame)


def test_an_expanded_table_keeps_its_other_columns_and_its_target():
    iris = acumen.datasets.load("iris", target="petal_width")
    made = acumen.BasisExpansion("polynomial", degree=2).fit_transform(iris)
    assert made.schema.target.name == "petal_width" and "class" in made.schema
    better = acumen.LinearRegression().fit(made).score(made)
    assert better > acumen.LinearRegression().fit(iris).score(iris)


# -- kinds of columns, gaps, dependence -----------------------------------------------------------


def test_nominal_attributes_are_held_against_their_first_level():
    table = table_of({"c": ["r", "r", "g", "g", "b", "b"], "x": [0.0, 1.0, 0.0, 1.0, 0.0, 1.0]})
    y = np.array([1.0, 3.0, 6.0, 8.0, -4.0, -2.0])
    made = acumen.LinearRegression().fit(table, y)
    found = dict(zip(made.columns_, made.coef_, strict=True))
    levels = [found[f"c={level}"] for level in ("r", "g", "b")]
    assert sorted(np.array(levels) - found["c=r"]) == pytest.approx([-5.0, 0.0, 5.0])
    assert 0.0 in levels and found["x"] == pytest.approx(2.0)
    np.testing.assert_allclose(made.predict(table), y, atol=1e-12)


def test_a_missing_value_is_the_mean():
    x, y, w = noisy(60, 3)
    x[::7, 1] = np.nan
    x[3, 2] = np.inf
    filled = np.where(np.isfinite(x), x, np.nan)
    means = np.nansum(filled * w[:, None], axis=0) / np.sum(~np.isnan(filled) * w[:, None], axis=0)
    filled = np.where(np.isnan(filled), means, filled)
    for learner in (acumen.LinearRegression(), acumen.Ridge(alpha=2.0), acumen.Ridge(fit_intercept=False)):
        with_gaps = learner.fit(x, y, w).predict(x)
        np.testing.assert_allclose(with_gaps, learner.fit(filled, y, w).predict(filled), atol=1e-9)


def test_dependent_columns_are_named_and_the_smallest_coefficients_taken():
    x, y, _ = noisy(40, 2)
    three = np.column_stack([x, x[:, 0] - 2 * x[:, 1]])
    with pytest.warns(AcumenWarning, match="'x2' follows from other columns"):
        made = acumen.LinearRegression().fit(three, y)
    np.testing.assert_allclose(made.predict(three), acumen.LinearRegression().fit(x, y).predict(x), atol=1e-9)
    scale = three.std(axis=0)
    pinv = np.linalg.pinv((three - three.mean(axis=0)) / scale) @ (y - y.mean()) / scale
    np.testing.assert_allclose(made.coef_, pinv, atol=1e-8)
    assert np.isnan(made.model_.error[1:]).all()


def test_text_counts_by_its_words():
    texts = ["good fine", "bad", "good", "bad bad", "fine", "good bad"]
    table = Table(
        Schema((Attribute("note", "text"),), Attribute("y")), 6,
        text=[np.array(texts, dtype=object)], response=np.array([3.0, -1.0, 2.5, -1.0, 1.0, 0.5]),
    )  # fmt: skip
    made = acumen.Ridge(alpha=0.1).fit(table)
    found = dict(zip(made.columns_, made.coef_, strict=True))
    assert found["note:good"] > 0 > found["note:bad"]


def test_wide_tables_are_refused_in_a_sentence():
    schema = Schema(tuple(Attribute(f"x{j}") for j in range(6000)), Attribute("y"))
    assert "6,000 columns" in acumen.Ridge().objection(schema)
    assert "powers" in acumen.PolynomialRegression(degree=31).objection(
        Schema((Attribute("x"),), Attribute("y"))
    )


def test_one_row_and_constant_columns():
    one = acumen.LinearRegression().fit([[2.0]], [5.0])
    assert one.predict([[9.0]]) == pytest.approx([5.0])
    flat = acumen.LinearRegression().fit([[1.0, 0.1], [1.0, 0.1], [1.0, 0.1]], [1.0, 2.0, 6.0])
    assert flat.coef_.tolist() == [0.0, 0.0] and flat.predict([[1.0, 0.1]]) == pytest.approx([3.0])
    assert np.isnan(flat.model_.fit.r2) or flat.model_.fit.r2 == pytest.approx(0.0)


def test_wrong_targets_end_in_sentences_that_say_what_to_do():
    iris = acumen.datasets.load("iris")
    with pytest.raises(DataError, match=r"kinds=.*'numeric'"):
        acumen.LinearRegression().fit(iris)
    with pytest.raises(DataError, match="take a regressor"):
        acumen.NaiveBayes().fit(acumen.datasets.load("iris", target="petal_width"))
    with pytest.raises(DataError, match="a regressor needs numbers"):
        acumen.Ridge().fit([[1.0], [2.0]], ["a", "b"])
    with pytest.raises(DataError, match="infinity"):
        acumen.Ridge().fit([[1.0], [2.0]], [1.0, np.inf])


def test_explanations_add_up_in_the_targets_unit():
    iris = acumen.datasets.load("iris", target="petal_width")
    made = acumen.LinearRegression().fit(iris)
    why = made.explain({"petal_length": 5.0, "class": "Iris-virginica"})
    assert why.start == pytest.approx(iris.response.mean())
    assert why.start + sum(each.amount for each in why.contributions) == pytest.approx(why.value)
    assert "petal_width = " in str(why) and "sepal_length is missing" in str(why)


@pytest.mark.parametrize("size", [1e300, 1e307, 1e-310])
def test_a_polynomial_of_absurd_numbers_is_kept_like_any_other(size, tmp_path):
    X = np.linspace(-1, 1, 20)[:, None] * size
    made = acumen.PolynomialRegression(degree=2).fit(X, np.linspace(0, 1, 20) ** 2)
    acumen.save(made, tmp_path / "model.acm")
    assert np.isfinite(made.predict(X)).all()
    np.testing.assert_array_equal(acumen.load(tmp_path / "model.acm").predict(X), made.predict(X))


def test_the_strength_of_a_lasso_may_be_given_first():
    assert acumen.Lasso(0.3).get_params() == acumen.Lasso(alpha=0.3).get_params()


def test_a_lasso_of_no_strength_is_least_squares(tmp_path):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(30, 3)) * [1e8, 1.0, 1e-8]
    y = rng.normal(size=30)
    made, plain = acumen.Lasso(0.0, scale=False).fit(X, y), acumen.LinearRegression().fit(X, y)
    np.testing.assert_allclose(made.coef_, plain.coef_, rtol=1e-12)
    acumen.save(made, tmp_path / "model.acm")
    np.testing.assert_array_equal(acumen.load(tmp_path / "model.acm").predict(X), made.predict(X))


def test_a_radius_holds_coefficients_of_levels_too():
    """FirstRepeat against the first level the others' coefficients are 9 and 9; about their mean they are shorter."""
    schema = Schema((Attribute("c", "nominal", ("u", "v", "w")),), Attribute("y"))
    codes, y = np.arange(12, dtype=np.int32) % 3, np.array([0.0, 9.0, 9.0] * 4)
    table = Table(schema, 12, nominal=[codes], response=y)
    made = acumen.Ridge(radius=60.0, scale=False).fit(table)
    assert made.multiplier_ == 0 and made.coef_ @ made.coef_ <= 60.0
    np.testing.assert_allclose(made.coef_, [-6.0, 3.0, 3.0], atol=1e-9)
    np.testing.assert_allclose(made.predict(table), y, atol=1e-9)
    loose = acumen.Ridge(radius=200.0, scale=False).fit(table)
    np.testing.assert_allclose(loose.coef_, [0.0, 9.0, 9.0], atol=1e-9)
