"""The documents' examples of judgement that need a learner; those of figures alone stand beside their measures."""

from __future__ import annotations

import numpy as np
import pytest

import acumen
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.resampling import Bootstrap, KFold
from iris_tables import TEST_ROWS, components


@pytest.fixture(scope="module")
def sepals() -> Table:
    """Three classes, length and width of sepals."""
    return acumen.datasets.load("iris").select(["sepal_length", "sepal_width"])


@pytest.fixture(scope="module")
def parts() -> tuple[Table, Table]:
    """The recovered split: 120 rows to learn from and 30 to test on."""
    table = components()
    tested = np.isin(np.arange(1, 151), TEST_ROWS)
    return table.take(~tested), table.take(tested)


def test_w000_35_naive_bayes_on_the_recovered_split(parts):
    train, test = parts
    predicted = acumen.NaiveBayes().fit(train).predict(test)
    found = acumen.confusion(test.label_values(), predicted)
    rates = found.rates("c1")
    assert (rates.TP, rates.FP, rates.FN, rates.TN) == (7, 7, 3, 13)
    assert found.error == pytest.approx(1 / 3)
    assert (rates.precision, rates.sensitivity, rates.specificity) == (0.5, 0.7, 0.65)


def test_w000_37_area_of_naive_bayes_on_the_recovered_split(parts):
    train, test = parts
    scores = acumen.NaiveBayes().fit(train).predict_proba(test)[:, 0]
    assert acumen.roc(test.label_values(), scores, "c1").auc == pytest.approx(31 / 40)


def test_w000_40_resubstitution_errors_of_the_sepals(sepals):
    for learner, errors in ((acumen.FullBayes(), 30), (acumen.NaiveBayes(), 33)):
        assert round(150 * (1 - learner.fit(sepals).score(sepals))) == errors


def test_w000_40_ten_five_fold_runs_lie_in_the_simulated_spread(sepals):
    found = acumen.assess(acumen.FullBayes(), sepals, KFold(5, n_repeats=10), random_state=0)
    runs = found.values.reshape(10, 5)
    means, variances = runs.mean(axis=1), runs.var(axis=1, ddof=1)
    assert means.min() >= 0.18 and means.max() <= 0.29  # of a hundred runs .1867 to .2800
    assert abs(means.mean() - 0.2303) < 0.0144  # one standard deviation of a run; ten are meant
    assert 0.002 < variances.mean() < 0.010  # .0057 on average
    assert found.variance == pytest.approx(found.values.var(ddof=1))


def test_w000_42_fifty_bootstrap_samples_lie_in_the_simulated_spread(sepals):
    found = acumen.assess(acumen.FullBayes(), sepals, Bootstrap(50, "plain"), random_state=0)
    assert len(found.values) == 50
    assert 0.203 < found.mean < 0.222  # of ten repetitions .2083 to .2171
    assert 2e-4 < found.variance < 7e-4  # 2.6e-4 to 5.5e-4


def test_w000_43_and_44_intervals_of_an_assessment(monkeypatch):
    errors = np.array([8, 4, 7, 11, 5]) / 30
    found = acumen.assess(acumen.Majority(), _five(errors), _Five(), random_state=0)
    np.testing.assert_allclose(found.values, errors)
    assert found.mean == pytest.approx(7 / 30) and found.variance == pytest.approx(0.0083333333)
    assert tuple(found.interval(0.95, "normal")) == pytest.approx((0.1533181387, 0.3133485279))
    assert tuple(found.interval(0.99, "t")) == pytest.approx((0.0453719473, 0.4212947194))


class _Five(KFold):
    """Five folds of thirty rows, as they stand."""

    def __init__(self):
        super().__init__(5)

    def _codes(self, n_rows, labels, random_state):
        yield np.repeat(np.arange(5, dtype=np.int32), 30)


def _five(errors) -> Table:
    """150 rows of which the majority's answer is wrong in so many of each thirty."""
    labels = np.concatenate([np.repeat([1, 0], [round(30 * e), 30 - round(30 * e)]) for e in errors])
    schema = Schema((Attribute("x"),), Attribute("class", "nominal", ("right", "wrong")))
    return Table(schema, 150, numeric=[np.zeros(150)], labels=labels.astype(np.int32))


def test_w002_26_and_w003_07_the_majority_of_one_in_a_hundred():
    labels = ["rare"] * 2 + ["common"] * 198
    table = acumen.read((np.zeros((200, 1)), np.array(labels)))
    found = acumen.assess(
        acumen.Majority(), table, KFold(2), ("accuracy", "precision"), random_state=0, positive="rare"
    )
    assert found.mean == pytest.approx(0.99)
    assert np.isnan(found.table["precision"]).all() and np.isnan(found.mean_of("precision"))


def test_w004_01_the_632_estimate_of_an_assessment(sepals):
    found = acumen.assess(acumen.FullBayes(), sepals, Bootstrap(20), random_state=0)
    assert found.mean == pytest.approx(0.368 * (30 / 150) + 0.632 * found.values.mean())


def test_w004_03_criteria_of_a_learner():
    flowers = acumen.datasets.load("iris")
    setosa = flowers.take(flowers.labels == 0).select("sepal_width")
    fitted = acumen.NaiveBayes().fit(setosa)
    # The density of three classes is counted as three times two parameters; here one class has rows.
    assert fitted.log_likelihood(setosa) == pytest.approx(-22.1972655133)
