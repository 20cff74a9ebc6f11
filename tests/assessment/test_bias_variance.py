"""Bias and variance: terms that add up, against hand-computed cases and simulations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.base import BaseEstimator

import acumen
from acumen import datasets
from acumen.assessment.bias_variance import advice, bias_variance
from acumen.assessment.decompose import kohavi_wolpert, squared_terms, zero_one_terms
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError


@st.composite
def cases(draw):
    """Predictions of some models, labels, row weights and chances of the classes."""
    models, rows, classes = draw(st.integers(1, 7)), draw(st.integers(1, 8)), draw(st.integers(2, 4))
    codes = st.integers(0, classes - 1)
    said = draw(hnp.arrays(np.int32, (models, rows), elements=codes))
    truth = draw(hnp.arrays(np.int32, rows, elements=codes))
    weights = draw(hnp.arrays(np.float64, rows, elements=st.integers(1, 4).map(float)))
    chances = draw(hnp.arrays(np.float64, (rows, classes), elements=st.integers(1, 9).map(float)))
    return said, truth, weights, chances / chances.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("terms", [zero_one_terms, kohavi_wolpert])
@given(cases())
def test_zero_one_terms_add_up_to_the_mean_loss(terms, case):
    said, truth, weights, chances = case
    found = terms(said, truth, weights=weights)
    loss = np.average((said != truth).mean(axis=0), weights=weights)
    assert found.loss == pytest.approx(loss, abs=1e-12)
    assert found.noise == pytest.approx(0, abs=1e-12)
    assert found.bias + found.variance == pytest.approx(loss, abs=1e-12)
    assert found.unbiased - found.biased == pytest.approx(found.variance, abs=1e-12)
    known = terms(said, truth, chances, weights)
    loss = np.average(
        [np.mean([1 - chances[i, c] for c in said[:, i]]) for i in range(len(truth))], weights=weights
    )
    assert known.loss == pytest.approx(loss, abs=1e-12)
    assert known.noise + known.bias + known.variance == pytest.approx(loss, abs=1e-12)


@given(cases())
def test_in_two_classes_domingos_terms_are_the_papers(case):
    said, truth, _, _ = case
    said, truth = said % 2, truth % 2
    found = zero_one_terms(said, truth)
    main = (said.mean(axis=0) > 0.5).astype(int)
    wavering = (said != main).mean(axis=0)
    biased = main != truth
    assert found.bias == pytest.approx(biased.mean())
    assert found.unbiased == pytest.approx((wavering * ~biased).mean())
    assert found.biased == pytest.approx((wavering * biased).mean())


@given(cases())
def test_domingos_noise_is_c1_times_the_chance_of_another_label(case):
    said, truth, _, chances = case
    said, truth, chances = said % 2, truth % 2, chances[:, :2] / chances[:, :2].sum(axis=1, keepdims=True)
    best = chances.argmax(axis=1)
    c1 = 2 * (said == best).mean(axis=0) - 1  # two classes
    found = zero_one_terms(said, truth, chances)
    assert found.noise == pytest.approx((c1 * (1 - chances.max(axis=1))).mean(), abs=1e-12)


@pytest.mark.parametrize("terms", [zero_one_terms, kohavi_wolpert])
@given(cases())
def test_models_that_agree_have_no_variance(terms, case):
    said, truth, _, _ = case
    said = np.repeat(said[:1], 5, axis=0)
    found = terms(said, truth)
    assert found.variance == pytest.approx(0, abs=1e-12)
    assert found.unbiased == pytest.approx(0, abs=1e-12)
    assert found.bias == pytest.approx((said[0] != truth).mean())


def test_kohavi_wolpert_by_hand():
    # one row of class 0; of four models two say 0, one 1, one 2: P = 1/2 1/4 1/4
    found = kohavi_wolpert([[0], [0], [1], [2]], [0])
    assert found.bias == pytest.approx((1 / 4 + 1 / 16 + 1 / 16) / 2)
    assert found.variance == pytest.approx((1 - 1 / 4 - 1 / 16 - 1 / 16) / 2)
    assert found.loss == pytest.approx(1 / 2)


def test_stray_predictions_help_on_a_biased_row_only_when_they_hit():
    # class 2 is right; three of five say 0, one 1, one 2
    found = zero_one_terms([[0], [0], [0], [1], [2]], [2])
    assert (found.bias, found.unbiased) == (1.0, 0.0)
    assert found.biased == pytest.approx(1 / 5)
    assert found.loss == pytest.approx(4 / 5)


@given(
    hnp.arrays(np.float64, st.tuples(st.integers(1, 6), st.integers(1, 6), st.integers(1, 3)),
               elements=st.floats(-10, 10)),
    st.floats(0, 2),
)  # fmt: skip
def test_squared_terms_add_up(said, noise):
    truth = np.linspace(-1, 1, said.shape[1] * said.shape[2]).reshape(said.shape[1:])
    found = squared_terms(said, truth, noise)
    loss = ((said - truth) ** 2).sum(axis=2).mean() + noise
    assert found.loss == pytest.approx(loss)
    assert found.noise + found.bias + found.variance == pytest.approx(loss, abs=1e-9)


def test_w004_05_squared_loss_is_bias_variance_and_noise():
    # expectation 1, mean prediction 1.2, predictions 1.2 +- 0.5, noise of variance .09
    found = squared_terms([[0.7], [1.7]], [1.0], noise=0.09)
    assert (found.bias, found.variance, found.noise) == pytest.approx((0.04, 0.25, 0.09))
    assert found.loss == pytest.approx(0.38)


def test_w004_05_by_simulation():
    rng = np.random.default_rng(4)
    predictions = rng.normal(1.2, 0.5, 200_000)
    seen = rng.normal(1.0, 0.3, 200_000)
    found = squared_terms(predictions[:, None], [1.0], noise=0.09)
    assert found.loss == pytest.approx(((predictions - seen) ** 2).mean(), abs=0.005)
    assert found.loss == pytest.approx(0.38, abs=0.005)


# -- of a learner ---------------------------------------------------------------------------------


@pytest.mark.parametrize("decomposition", ["domingos", "kohavi-wolpert"])
@pytest.mark.parametrize("draws", ["bootstrap", "half"])
def test_terms_of_a_learner_add_up(decomposition, draws):
    iris = datasets.load("iris").select(["sepal_length", "sepal_width"])
    found = bias_variance(
        acumen.NaiveBayes(), iris, 20, decomposition=decomposition, random_state=1, draws=draws
    )
    assert sum(found.terms.values()) == pytest.approx(found.mean_loss, abs=1e-12)
    assert 0.1 < found.mean_loss < 0.4
    assert (found.rounds, found.train_rows + found.test_rows) == (20, 150)
    again = bias_variance(acumen.NaiveBayes(), iris, 20, "zero-one", decomposition, 1, draws=draws)
    assert again == found


def test_squared_loss_of_probabilities_adds_up():
    found = bias_variance(acumen.NaiveBayes(), datasets.load("iris"), 10, loss="squared", random_state=0)
    assert found.bias + found.variance == pytest.approx(found.mean_loss, abs=1e-12)
    assert found.decomposition == "squared"
    assert 0 < found.variance < 0.2


@pytest.mark.parametrize("decomposition", ["domingos", "kohavi-wolpert"])
def test_a_constant_learner_has_no_variance(decomposition):
    table = datasets.load("iris").take(np.r_[0:50, 50:70])  # setosa stays the majority in every draw
    found = bias_variance(acumen.Majority(), table, 15, decomposition=decomposition, random_state=0)
    assert found.variance == pytest.approx(0, abs=1e-12)
    assert found.bias == pytest.approx(found.mean_loss, abs=1e-12)
    assert "bias" in found.advice


def test_a_learner_of_noise_has_more_variance_than_one_that_ignores_it():
    rng = np.random.default_rng(8)
    schema = Schema(
        tuple(Attribute(f"x{j}", "numeric") for j in range(10)), Attribute("class", "nominal", ("no", "yes"))
    )
    labels = (rng.random(150) < 0.3).astype(np.int32)
    table = Table(schema, 150, numeric=[rng.normal(size=150) for _ in range(10)], labels=labels)
    wild = bias_variance(acumen.FullBayes(), table, 20, random_state=0)
    tame = bias_variance(acumen.Majority(), table, 20, random_state=0)
    assert wild.unbiased > 0.05
    assert tame.unbiased < 0.01


def test_rows_without_label_or_weight_are_left_out():
    iris = datasets.load("iris")
    labels = iris.labels.copy()
    labels[::10] = -1
    weights = np.where(np.arange(150) % 10 == 1, 0.0, 1.0)
    made = Table(iris.schema, 150, numeric=iris.numeric, labels=labels, weights=weights)
    found = bias_variance(acumen.NaiveBayes(), made, 3, random_state=0)
    assert found.train_rows + found.test_rows == 120


class Line(BaseEstimator):
    """Least squares on the first numeric attribute."""

    def fit(self, table):
        x = np.column_stack([np.ones(len(table)), table.numeric.columns[0]])
        self.weights_ = np.linalg.lstsq(x, table.response, rcond=None)[0]
        return self

    def predict(self, table):
        return self.weights_[0] + self.weights_[1] * table.numeric.columns[0]


def test_numeric_targets_have_squared_loss():
    x = np.random.default_rng(0).uniform(-1, 1, 120)
    schema = Schema((Attribute("x", "numeric"),), Attribute("y", "numeric"))
    found = bias_variance(
        Line(), Table(schema, 120, numeric=[x], response=x**2), 20, loss="squared", random_state=0
    )
    assert sum(found.terms.values()) == pytest.approx(found.mean_loss, abs=1e-12)
    assert found.bias > 5 * found.variance  # no line fits a parabola
    straight = bias_variance(
        Line(), Table(schema, 120, numeric=[x], response=1 + 2 * x), 5, loss="squared", random_state=0
    )
    assert straight.mean_loss == pytest.approx(0, abs=1e-20)


def test_advice_follows_the_larger_term():
    assert "variance" in advice(0.05, 0.2, 0.25).split(":")[0]
    assert "bias" in advice(0.2, 0.05, 0.25).split(":")[0]
    assert "bias" in advice(0.3, -0.05, 0.25).split(":")[0]
    assert "both" in advice(0.1, 0.1, 0.2)
    assert "No errors" in advice(0, 0, 0)


def test_result_reads_as_a_sentence():
    found = acumen.bias_variance(acumen.Majority(), datasets.load("iris"), 5, random_state=0)
    assert str(found).startswith("Majority: mean zero-one loss 0.")
    assert found.advice in str(found)
    assert found.to_dict()["advice"] == found.advice


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"n_repeats": 1}, ParameterError, "n_repeats must be a whole number of at least 2; got 1"),
        ({"n_repeats": 2.5}, ParameterError, "got 2.5"),
        ({"loss": "hinge"}, ParameterError, "'zero-one' or 'squared'; got 'hinge'"),
        ({"decomposition": "other"}, ParameterError, "'domingos' or 'kohavi-wolpert'"),
        ({"loss": "squared", "decomposition": "domingos"}, ParameterError, "leave it out"),
        ({"draws": "all"}, ParameterError, "'bootstrap' or 'half'"),
        ({"test_fraction": 1.0}, ParameterError, "test_fraction"),
        ({"test_fraction": 0.999}, DataError, "too few"),
    ],
)
def test_objections_are_sentences(given, error, words):
    with pytest.raises(error, match=words):
        bias_variance(acumen.Majority(), datasets.load("weather"), **given)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: zero_one_terms([[0, 1]], [0]), "one class code from 0 on for each row"),
        (lambda: zero_one_terms([0, 1], [0, 1]), "one line for each model"),
        (lambda: zero_one_terms([[-1]], [0]), "codes from 0 on"),
        (lambda: kohavi_wolpert([[0]], [0], [[0.5, 0.6]]), "adds up to 1"),
        (lambda: kohavi_wolpert([[0]], [0], weights=[-1.0]), "weights"),
        (lambda: squared_terms([[1.0, 2.0]], [1.0]), "a prediction for every row"),
    ],
)
def test_terms_object_to_what_does_not_fit(call, words):
    with pytest.raises(DataError, match=words):
        call()
