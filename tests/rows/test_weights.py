"""How row weights are read: counts where they are whole, relative to their mean elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

import acumen
from acumen import KFold, LeaveOneOut
from acumen.assessment.runs import ground, runs
from acumen.checks import Subject
from acumen.checks.data import with_weights
from acumen.errors import DataError
from acumen.rows.weights import Weighing

IRIS = acumen.datasets.load("iris")
UNEVEN = np.random.default_rng(1).uniform(0.2, 3.0, len(IRIS))


@pytest.mark.parametrize("learner", [acumen.DecisionTree, acumen.RandomTree, acumen.OneR])
def test_weights_that_sum_to_one_do_not_end_in_the_majority_class(learner):
    given = {"random_state": 0} if learner is acumen.RandomTree else {}
    model = learner(**given).fit(IRIS, sample_weight=np.full(len(IRIS), 1 / len(IRIS)))
    np.testing.assert_allclose(model.predict_proba(IRIS), learner(**given).fit(IRIS).predict_proba(IRIS))


def test_whole_weights_are_counts_and_are_not_noted():
    model = acumen.NaiveBayes().fit(IRIS, sample_weight=np.full(len(IRIS), 3.0))
    assert model.training_ == {"rows": 150, "weight": 450.0}


def test_the_reading_is_kept_in_the_model_file(tmp_path):
    model = acumen.NaiveBayes().fit(IRIS, sample_weight=UNEVEN)
    assert model.training_ == {"rows": 150, "weight": pytest.approx(150.0), "weights": "relative"}
    acumen.save(model, tmp_path / "m.acm", summary=True)
    loaded = acumen.load(tmp_path / "m.acm")
    assert loaded.training_["weights"] == "relative"
    further = IRIS.take(slice(0, 150, 2))
    own = np.random.default_rng(5).uniform(0.2, 3.0, len(further))
    on, direct = loaded.partial_fit(further, sample_weight=own), model.partial_fit(further, sample_weight=own)
    np.testing.assert_allclose(on.predict_proba(IRIS), direct.predict_proba(IRIS), rtol=1e-12)


def test_beside_a_penalty_weights_count_as_given():
    twice = acumen.Logistic(C=1.0, tol=1e-10).fit(IRIS, sample_weight=np.full(len(IRIS), 2.5))
    other = acumen.Logistic(C=2.5, tol=1e-10).fit(IRIS)
    np.testing.assert_allclose(twice.predict_proba(IRIS), other.predict_proba(IRIS), atol=1e-6)
    assert twice.training_["weights"] == "as given"
    assert not acumen.Logistic(penalty=None).scale_sensitive


def test_class_weights_that_are_not_whole_shift_weight_between_classes_alone():
    counts = np.where(np.arange(len(IRIS)) % 2, 2.0, 1.0)
    names = IRIS.schema.classes
    one, other = ({names[0]: a, names[1]: b} for a, b in ((0.5, 0.25), (0.05, 0.025)))
    models = [
        acumen.NaiveBayes(class_weight={**wish, names[2]: last}).fit(IRIS, sample_weight=counts)
        for wish, last in ((one, 0.75), (other, 0.075))
    ]
    np.testing.assert_allclose(models[0].predict_proba(IRIS), models[1].predict_proba(IRIS), rtol=1e-9)
    assert models[0].training_ == {"rows": 150, "weight": pytest.approx(225.0), "weights": "relative classes"}
    repeated = IRIS.take(np.repeat(np.arange(len(IRIS)), counts.astype(int)))
    again = acumen.NaiveBayes(class_weight={**one, names[2]: 0.75}).fit(repeated)
    np.testing.assert_allclose(again.predict_proba(IRIS), models[0].predict_proba(IRIS), rtol=1e-9)


@pytest.mark.parametrize(
    "learner", [acumen.NaiveBayes(), acumen.NaiveBayes(class_weight={"Iris-setosa": 0.3})]
)
@pytest.mark.parametrize("method", [KFold(4), LeaveOneOut()], ids=["folds", "leave one out"])
def test_folds_in_one_pass_are_those_of_refitting(learner, method):
    table = with_weights(IRIS, UNEVEN * 1e-3).take(slice(0, 150, 3))
    rows = ground(learner, table, method).rows
    fast, slow = (list(runs(learner, rows, method, random_state=0, refit=refit)) for refit in (False, True))
    np.testing.assert_allclose(
        np.concatenate([run.proba for run in fast]), np.concatenate([run.proba for run in slow]), atol=1e-9
    )


def test_a_tree_from_a_stream_is_the_tree_of_all_rows():
    table = with_weights(IRIS, UNEVEN / 700)
    whole = acumen.DecisionTree(method="histogram").fit(table)
    parts = [table.take(slice(0, 61)), table.take(slice(61, 150))]
    streamed = acumen.DecisionTree(method="histogram").fit_stream(parts)
    assert streamed.training_ == whole.training_
    np.testing.assert_array_equal(streamed.predict_proba(IRIS), whole.predict_proba(IRIS))


def test_weighings_add():
    table = with_weights(IRIS, UNEVEN)
    whole = Weighing.of(table)
    assert Weighing.of(table.take(slice(0, 50))) + Weighing.of(table.take(slice(50, 150))) == Weighing(
        whole.rows, pytest.approx(whole.counts), whole.counted, whole.whole
    )


def test_a_tree_on_histograms_can_be_tuned():
    tuned = acumen.Tuned(
        acumen.DecisionTree(method="histogram"), {"confidence_factor": [0.1, 0.25]}, method=KFold(3)
    )
    assert tuned.fit(IRIS).best_params_["confidence_factor"] in (0.1, 0.25)


@pytest.mark.parametrize("weight", [1e10, 2.0**53, 1e100, 1e300])
def test_a_histogram_of_heavy_rows_ends_and_gives_right_answers(weight):
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(0.0, 1.0, (50, 2)), rng.normal(2.0, 1.0, (50, 2))])
    y = np.repeat(["a", "b"], 50)
    made = acumen.HistogramBayes().fit(X, y, sample_weight=np.full(100, weight))
    found = made.predict_proba(X)
    assert np.isfinite(found).all() and made.score(X, y) > 0.8
    if weight > 2.0**53:  # no longer counts, so their unit does not matter
        np.testing.assert_allclose(found, acumen.HistogramBayes().fit(X, y).predict_proba(X), atol=1e-12)
        assert made.training_["weights"] == "relative" and made.training_["weight"] == pytest.approx(100.0)


@pytest.mark.parametrize(
    "learner", [acumen.NaiveBayes(), acumen.Ridge(), acumen.DecisionTree(), acumen.SVM()], ids=repr
)
def test_weights_whose_sum_is_no_number_to_reckon_with_are_refused_in_a_sentence(learner):
    X, y = np.arange(20.0)[:, None], np.arange(20) % 2
    with pytest.raises(
        DataError, match=r"the weights of the rows come to 2e\+307, .*divide them by a constant"
    ):
        learner.fit(X, y, sample_weight=np.full(20, 1e306))
    if learner.streams:
        table = Subject(learner).with_target(
            X, y.astype(np.int32) if learner.task == "classification" else y * 1.0
        )
        with pytest.raises(DataError, match="divide them by a constant"):
            learner.fit_stream([with_weights(table, np.full(20, 1e306))])


def test_what_a_division_takes_from_a_row_does_not_cost_a_bucket_its_size():
    X, y = np.arange(24.0)[:, None], np.repeat([0, 1], 12)
    plain = acumen.OneR(min_bucket=12).fit(X, y)
    for weight in (1e200, 1 / 49, 1e300):
        assert str(acumen.OneR(min_bucket=12).fit(X, y, sample_weight=np.full(24, weight))) == str(plain)


@pytest.mark.parametrize("weight", [3.7, 0.1, 1 / 90, 0.7, 1e-7])
@pytest.mark.parametrize(
    "learner",
    [
        acumen.KNN(1),
        acumen.KNN(3, weights="distance"),
        acumen.KNN(),
        acumen.Condense(),
        acumen.Edit(),
        acumen.LabelSpreading(1, folds=None),
    ],
    ids=repr,
)
def test_one_weight_for_all_rows_is_no_weight_to_neighbours(learner, weight):
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 9, (90, 2)).astype(float), rng.integers(0, 3, 90)  # ties everywhere
    asked = np.clip(X[rng.permutation(90)] + rng.uniform(-1, 1, (90, 2)), X.min(axis=0), X.max(axis=0))
    plain = learner.fit(X, y).predict_proba(asked)
    even = learner.fit(X, y, sample_weight=np.full(90, weight)).predict_proba(asked)
    np.testing.assert_allclose(even, plain, rtol=0, atol=1e-12)
