"""How row weights are read: counts where they are whole, relative to their mean elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

import acumen
from acumen import KFold, LeaveOneOut
from acumen.assessment.runs import ground, runs
from acumen.base.weights import Weighing
from acumen.checks.data import weighted

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
    assert not acumen.Logistic(penalty=None).minds_scale


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
    table = weighted(IRIS, UNEVEN * 1e-3).take(slice(0, 150, 3))
    rows = ground(learner, table, method).rows
    fast, slow = (list(runs(learner, rows, method, random_state=0, refit=refit)) for refit in (False, True))
    np.testing.assert_allclose(
        np.concatenate([run.proba for run in fast]), np.concatenate([run.proba for run in slow]), atol=1e-9
    )


def test_a_tree_from_a_stream_is_the_tree_of_all_rows():
    table = weighted(IRIS, UNEVEN / 700)
    whole = acumen.DecisionTree(method="histogram").fit(table)
    parts = [table.take(slice(0, 61)), table.take(slice(61, 150))]
    streamed = acumen.DecisionTree(method="histogram").fit_stream(parts)
    assert streamed.training_ == whole.training_
    np.testing.assert_array_equal(streamed.predict_proba(IRIS), whole.predict_proba(IRIS))


def test_weighings_add():
    table = weighted(IRIS, UNEVEN)
    whole = Weighing.of(table)
    assert Weighing.of(table.take(slice(0, 50))) + Weighing.of(table.take(slice(50, 150))) == Weighing(
        whole.rows, pytest.approx(whole.counts), whole.counted, whole.whole
    )


def test_a_tree_on_histograms_can_be_tuned():
    tuned = acumen.Tuned(acumen.DecisionTree(method="histogram"), {"cf": [0.1, 0.25]}, method=KFold(3))
    assert tuned.fit(IRIS).best_params_["cf"] in (0.1, 0.25)
