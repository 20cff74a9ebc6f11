"""Maximum entropy: averages that match, the dual's derivatives, templates and functions."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import acumen
from acumen.errors import ParameterError
from acumen.linear.maxent import LocalDual
from acumen.linear.maxent_features import read_features
from acumen.preprocessing import NumericMatrix


@pytest.fixture(scope="module")
def loan():
    return acumen.datasets.load("loan")


def young_says_no(row, label):
    return float(row["Age"] == "young" and label == "No")


def dual_of(table, features, C=None):
    view = NumericMatrix.fit(table, impute="mean")
    made = read_features(features, view, table.schema, "MaxEnt")
    places = range(table.schema.n_classes)
    values = made.values(table, table.schema.classes, places)
    return LocalDual(made, view.transform(table), values, table.labels, table.row_weights, list(places), C)


@given(st.integers(0, 1000))
@settings(max_examples=15)
def test_w001_32_gradient_and_hessian_are_finite_differences_and_the_likelihood_rises_along_the_gradient(
    seed,
):
    """As printed the update goes down and the Hessian is positive: both signs are wrong. The loss is minus LL."""
    table = acumen.datasets.load("loan")
    dual = dual_of(table, ["class", "Age & Has_Job", "Credit_Rating=fair -> No", young_says_no], C=2.0)
    point = np.random.default_rng(seed).standard_normal(len(dual.features))
    value, gradient, hessian = dual.second_order(point)
    step = 1e-5
    for i in range(len(point)):
        e = np.eye(len(point))[i] * step
        (up, rising), (down, falling) = dual(point + e), dual(point - e)
        assert abs((up - down) / (2 * step) - gradient[i]) < 2e-7
        assert np.abs((rising - falling) / (2 * step) - hessian[i]).max() < 2e-7
    assert dual(point - 1e-4 * gradient)[0] < value  # minus LL falls, so LL rises along + its gradient
    assert np.linalg.eigvalsh(hessian).min() > 0  # of minus LL, with C: so LL is concave


@given(st.integers(0, 1000))
@settings(max_examples=15)
def test_templates_alone_take_the_kernels_and_these_say_what_the_formulas_say(seed):
    table = acumen.datasets.load("loan")
    dual = dual_of(table, ["class -> No", "Age & Has_Job", "Credit_Rating=fair -> Yes", "Own_house"], C=3.0)
    point = np.random.default_rng(seed).standard_normal(len(dual.features))
    quick = dual.second_order(point)
    assert dual._rows is not None
    dual._rows = None
    slow = dual.second_order(point)
    for one, two in zip(quick, slow, strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-11, atol=1e-13)


def test_classes_without_rows_and_features_beyond_the_kernels_matrix_are_learned(monkeypatch):
    iris = acumen.datasets.load("iris")
    some = iris.take(np.flatnonzero(iris.labels != 1))
    found = [acumen.MaxEnt(C=1.0).fit(some)]
    monkeypatch.setattr("acumen.linear.maxent.MOST_COEFFICIENTS", 3)
    found.append(acumen.MaxEnt(C=1.0).fit(some))
    one, two = (each.predict_proba(iris) for each in found)
    np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-12)
    assert one[0, 0] > 0.9


def test_many_words_are_given_the_steps_they_need():
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{w}" for w in rng.integers(0, 700, 8)) for _ in range(300)]
    frame = pd.DataFrame({"text": texts, "class": [f"c{i % 3}" for i in range(300)]})
    table = acumen.read(frame, target="class", kinds={"text": "text"})
    model = acumen.MaxEnt(C=100.0).fit(table)  # a warning, which is an error here, where they are not enough
    assert model.trace_.method == "L-BFGS" and len(model.predictor_.model.multipliers) > 2000


def test_observed_and_expected_averages_match(loan):
    model = acumen.MaxEnt(["class", "Own_house", "Age & Has_Job", young_says_no]).fit(loan)
    averages = model.averages_
    observed, expected = averages.column("observed"), averages.column("expected")
    assert np.abs(observed - expected).max() < 1e-7
    by_hand = np.mean(
        [young_says_no({"Age": a}, c) for a, c in zip(loan.column("Age"), loan.label_values(), strict=True)]
    )
    assert np.isclose(observed[-1], by_hand) and averages.column("class")[-1] == "any"
    said = model.describe(full=True)
    assert "observed" in said and "averages agree within 1e-" in said and "young_says_no" in said


def test_features_of_the_class_alone_give_the_class_frequencies(loan):
    model = acumen.MaxEnt(["class"]).fit(loan)
    assert np.allclose(model.predict_proba(loan), [[6 / 15, 9 / 15]] * 15)


def test_a_level_with_every_class_gives_the_frequencies_within_it(loan):
    """One nominal attribute's features fix P(class | level): there is only one distribution left."""
    model = acumen.MaxEnt(["Credit_Rating"]).fit(loan)
    rating, truth = loan.column("Credit_Rating"), loan.label_values()
    for level in ("fair", "good", "excellent"):
        rows = np.flatnonzero(rating == level)
        share = np.mean(truth[rows] == "Yes")
        assert np.allclose(model.predict_proba(loan.take(rows))[:, 1], share, atol=1e-6)


@pytest.mark.parametrize("solver", ["newton", "lbfgs", "gradient"])
def test_with_values_times_classes_it_is_logistic_regression(solver):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 3))
    y = (X @ rng.standard_normal((3, 3)) + rng.gumbel(size=(200, 3))).argmax(axis=1)
    model = acumen.MaxEnt(solver=solver, tol=1e-8).fit(X, y)
    peer = acumen.Logistic(penalty=None).fit(X, y)
    assert np.abs(model.predict_proba(X) - peer.predict_proba(X)).max() < 1e-5


def test_templates_say_what_they_look_at(loan):
    def features(*templates):
        table = acumen.MaxEnt(list(templates), C=1.0).fit(loan).averages_
        return list(zip(table.column("feature"), table.column("class"), strict=True))

    assert features("Own_house=true") == [("Own_house=true", "No"), ("Own_house=true", "Yes")]
    assert features("Own_house=true -> Yes") == [("Own_house=true", "Yes")]
    assert len(features("Age & Has_Job")) == 3 * 2 * 2
    assert features("Own_house=true & Has_Job=true -> No") == [("Has_Job=true & Own_house=true", "No")]
    assert features("class", "class") == [("class", "No"), ("class", "Yes")]
    one_text = acumen.MaxEnt("class, Own_house=true -> Yes", C=1.0).fit(loan)
    assert len(one_text.averages_) == 3


@pytest.mark.parametrize(
    ("features", "sentence"),
    [
        (["Own_hous"], "names 'Own_hous', which is no attribute.*Did you mean 'Own_house'"),
        (["Age -> Maybe"], "names the class 'Maybe'"),
        ([], "at least one feature"),
        ([3], "must be a template"),
        (young_says_no, "must be a list"),
        ([lambda row, label: "x"], "must return a finite number"),
        ([lambda row, label: float("nan")], "must return a finite number"),
    ],
)
def test_wrong_features_are_refused_in_a_sentence(loan, features, sentence):
    with pytest.raises(ParameterError, match=sentence):
        acumen.MaxEnt(features).fit(loan)


def test_words_and_gaps_are_features_too():
    import pandas as pd

    frame = pd.DataFrame(
        {
            "note": ["buy now", "see you", "buy buy", None, "you now"],
            "size": [1.0, np.nan, 3.0, 2.0, 1.0],
            "y": ["spam", "ham", "spam", "ham", "ham"],
        }
    )
    table = acumen.read(frame, target="y", kinds={"note": "text"})
    model = acumen.MaxEnt(["class", "note:buy -> spam", "size", "note & size"], C=1.0).fit(table)
    assert np.isfinite(model.predict_proba(table)).all()
    assert "note:buy" in str(model.explain(table.take([0])))


def test_explanations_add_up(loan):
    model = acumen.MaxEnt(["class", "Age", young_says_no], C=1.0).fit(loan)
    for i in range(3):
        shares = model.predict_proba(loan.take([i]))[0]
        assert np.isclose(model.explain(loan.take([i])).log_odds, np.log(shares.max() / shares.min()))


def test_templates_are_saved_and_functions_refused_in_a_sentence(loan, tmp_path):
    model = acumen.MaxEnt(["class", "Age & Has_Job"], C=1.0).fit(loan)
    acumen.save(model, tmp_path / "m.acm")
    again = acumen.load(tmp_path / "m.acm")
    assert np.array_equal(model.predict_proba(loan), again.predict_proba(loan))
    assert again.describe() == model.describe()
    with pytest.raises(ParameterError, match="features that are Python functions"):
        acumen.save(acumen.MaxEnt([young_says_no], C=1.0).fit(loan), tmp_path / "n.acm")


def test_weights_are_repeated_rows(loan):
    times = np.arange(15) % 3 + 1
    heavy = acumen.MaxEnt(["class", "Age", "Own_house=true -> Yes"], C=3.0).fit(loan, sample_weight=times)
    often = acumen.MaxEnt(["class", "Age", "Own_house=true -> Yes"], C=3.0).fit(
        loan.take(np.repeat(np.arange(15), times))
    )
    assert np.abs(heavy.predict_proba(loan) - often.predict_proba(loan)).max() < 1e-9


def test_weights_are_repeated_rows_where_columns_outnumber_rows() -> None:
    rng = np.random.default_rng(0)
    X, y, times = rng.random((12, 30)), np.arange(12) % 3, np.arange(12) % 4
    weighted = acumen.MaxEnt().fit(X, y, sample_weight=times)
    repeated = acumen.MaxEnt().fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    # Rows of weight zero are unlike all training rows, and answered by the multipliers' shortest form.
    assert np.allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-7)
