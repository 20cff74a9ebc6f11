"""A Training is what a learner makes of rows: plan, summary, parts, model; trainings add where summaries do."""

from __future__ import annotations

import operator
import sys
from functools import reduce

import numpy as np
import pytest

import acumen
from acumen.base.training import Training
from acumen.cli.main import run
from acumen.engines.run import run as run_summary
from acumen.errors import DataError, ParameterError
from acumen.summaries.algebra import leave_each_out
from judged_tables import mixed

IRIS = acumen.datasets.load("iris")
FOLDS = np.arange(len(IRIS), dtype=np.int32) % 3


def bytes_of(model):
    return {name: array.tobytes() for name, array in model.to_arrays().items()}


@pytest.mark.parametrize(
    "learner",
    [
        acumen.NaiveBayes(),
        acumen.NaiveBayes(numeric="histogram"),
        acumen.OneR(),
        acumen.DecisionTree(),
        acumen.SVM(),
    ],
    ids=repr,
)
def test_a_training_ends_in_the_model_of_fit(learner):
    training = Training.of(learner, IRIS)
    assert bytes_of(training.model) == bytes_of(learner.__sklearn_clone__().fit(IRIS).model_)
    assert not hasattr(learner, "predictor_")
    assert bytes_of(training.fit_learner().model_) == bytes_of(training.model)


@pytest.mark.parametrize("engine", ["serial", "threads", "disk"])
def test_the_engine_can_be_told_and_does_not_matter(engine):
    whole = bytes_of(acumen.NaiveBayes().fit(IRIS).model_)
    assert bytes_of(Training.of(acumen.NaiveBayes(), IRIS, engine=engine).model) == whole
    with acumen.engine(engine):
        assert bytes_of(acumen.NaiveBayes().fit(IRIS).model_) == whole


def test_what_is_no_engine_is_refused():
    with pytest.raises(ParameterError, match=r"engine must be one of .*Did you mean 'threads'"):
        Training.of(acumen.NaiveBayes(), IRIS, engine="thread").summary  # noqa: B018
    with pytest.raises(ParameterError, match="engine must be one of"), acumen.engine("dusk"):
        pass


def test_the_engine_told_is_the_one_that_runs(monkeypatch):
    engines = sys.modules["acumen.engines.run"]
    seen = []
    real = dict(engines._ENGINES)
    monkeypatch.setattr(
        engines, "_ENGINES", {n: (lambda t, j, n=n: seen.append(n) or real[n](t, j)) for n in real}
    )
    parts = [IRIS.take(slice(0, 50)), IRIS.take(slice(50, 150))]
    acumen.NaiveBayes().fit_stream(parts)
    with acumen.engine("serial"):
        acumen.NaiveBayes().fit_stream(parts)
    Training.of(acumen.NaiveBayes(), parts, engine="threads").summary  # noqa: B018 - it is worked out when asked for
    assert seen == ["disk", "serial", "threads"]
    assert run_summary(lambda rows: len(rows), IRIS) == 150 and len(seen) == 3  # one block needs no engine


@pytest.mark.parametrize("learner", [acumen.NaiveBayes(), acumen.FullBayes(), acumen.OneR()], ids=repr)
def test_the_parts_of_a_training_add_up_to_it(learner):
    whole = Training.of(learner, IRIS)
    parts = whole.parts(FOLDS, 3)
    assert [part.n_rows for part in parts] == [50, 50, 50]
    together = reduce(operator.add, parts)
    assert together.n_rows == 150
    for name, array in whole.model.to_arrays().items():
        np.testing.assert_allclose(together.model.to_arrays()[name], array, rtol=1e-9, atol=1e-12)
    others = leave_each_out(parts)[0].fit_learner()
    apart = learner.__sklearn_clone__().fit(IRIS.take(np.flatnonzero(FOLDS != 0)))
    np.testing.assert_allclose(others.predict_proba(IRIS), apart.predict_proba(IRIS), rtol=1e-9, atol=1e-12)


def test_one_summary_serves_every_setting_of_solve():
    training = Training.of(acumen.FullBayes(), IRIS)
    for shrinkage in (0.0, 0.3):
        other = acumen.FullBayes(shrinkage=shrinkage)
        assert bytes_of(training.fit_learner(other).model_) == bytes_of(other.fit(IRIS).model_)


def test_class_weights_and_missing_labels_count_in_parts_as_in_fit():
    rows = mixed(5, weights=True)
    learner = acumen.NaiveBayes(class_weight={"b": 0, "a": 2.5})
    codes = (np.arange(len(rows)) % 2).astype(np.int32)
    for code, part in enumerate(Training.of(learner, rows).parts(codes, 2)):
        alone = learner.__sklearn_clone__().fit(rows.take(np.flatnonzero(codes == code)))
        assert part.n_rows == alone.training_["rows"]
        np.testing.assert_allclose(
            part.fit_learner().predict_proba(rows), alone.predict_proba(rows), rtol=1e-9
        )


def test_learners_without_a_summary_have_parts_but_no_sums():
    parts = Training.of(acumen.DecisionTree(class_weight={"Iris-setosa": 3}), IRIS).parts(FOLDS, 3)
    alone = acumen.DecisionTree(class_weight={"Iris-setosa": 3}).fit(IRIS.take(np.flatnonzero(FOLDS == 1)))
    assert bytes_of(parts[1].model) == bytes_of(alone.model_)
    with pytest.raises(ParameterError, match="the summaries of DecisionTree do not add"):
        parts[0] + parts[1]
    with pytest.raises(ParameterError, match="has no summary"):
        parts[0].summary  # noqa: B018


def test_a_stream_has_no_parts_and_what_is_wrong_is_said_at_once():
    with pytest.raises(ParameterError, match="rows in memory"):
        Training.of(acumen.NaiveBayes(), [IRIS]).parts(FOLDS, 3)
    with pytest.raises(ParameterError, match="alpha must be"):
        Training.of(acumen.NaiveBayes(alpha=-1), IRIS)
    with pytest.raises(DataError, match="a regressor needs numbers"):
        Training.of(acumen.Ridge(), [IRIS])


def test_what_adds_and_what_streams_is_declared():
    declared = {
        acumen.NaiveBayes(): (True, True),
        acumen.Ridge(): (True, True),
        acumen.DecisionTree(): (False, False),
        acumen.DecisionTree(method="histogram"): (False, True),
        acumen.SVM(): (False, False),
        acumen.Logistic(): (False, True),
        acumen.Logistic(solver="lbfgs"): (False, False),
        acumen.Tuned(acumen.NaiveBayes(), {"alpha": [1]}): (False, False),
    }
    for learner, (adds, streams) in declared.items():
        assert (learner.adds, learner.streams) == (adds, streams), learner
        assert hasattr(learner, "partial_fit") is adds and hasattr(learner, "fit_stream") is streams, learner
    with pytest.raises(
        AttributeError, match="'SVM' has no attribute 'fit_stream': it is for one machine, and must"
    ):
        _ = acumen.SVM().fit_stream
    with pytest.raises(
        AttributeError, match="With method='histogram' it learns from parts; else fit it on a table"
    ):
        _ = acumen.DecisionTree().fit_stream


@pytest.mark.parametrize("learner", [acumen.NaiveBayes(), acumen.SVM(), acumen.Ridge()], ids=repr)
def test_parts_in_the_place_of_rows_are_told_of(learner):
    with pytest.raises(DataError, match="gives are parts, from which fit_stream learns"):
        learner.fit(acumen.scan(IRIS))


def test_a_tree_of_histograms_is_tuned_at_the_command_line(capsys):
    grid = [
        "tune",
        "iris",
        "--learner",
        "decision-tree",
        "--set",
        "method=histogram",
        "--grid",
        "confidence_factor=0.1,0.25",
    ]
    assert run([*grid, "--folds", "3"]) == 0
    assert "confidence_factor" in capsys.readouterr().out


def test_leaving_one_out_is_asked_of_the_learner_and_needs_no_summary():
    class Nearest(acumen.DecisionTree):
        """Knows a way of its own, as neighbours do; it is no function of sums."""

        def can_leave_one_out(self, rows):
            return True

        def leave_one_out(self, rows):
            return np.eye(3)[rows.labels], np.zeros(len(rows), dtype=bool)

    found = acumen.assess(Nearest(), IRIS, acumen.LeaveOneOut())
    assert found.mean == 0.0 and len(found.values) == 150
