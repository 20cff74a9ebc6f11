"""Tuned: what it chooses, that it is honest, and that it is a learner like any other."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

import acumen
from acumen import FullBayes, Holdout, KFold, LeaveOneOut, Majority, NaiveBayes, OneR, Tuned
from acumen.checks import LAWS, check_learner
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError
from acumen.models.model import Model
from acumen.tuning.results import choose_setting

IRIS = acumen.datasets.load("iris")
GRID = {"covariance": ["shared", "full"], "shrinkage": [0.5, 0.1, 0.0]}
TUNED = Tuned(FullBayes(), GRID, method=KFold(5), random_state=1)


def clouds(n: int, d: int, seed: int) -> Table:
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, n).astype(np.int32)
    columns = [rng.normal(size=n) + 0.8 * labels for _ in range(d)]
    schema = Schema(tuple(Attribute(f"x{j}") for j in range(d)), Attribute("y", "nominal", ("no", "yes")))
    return Table(schema, n, numeric=columns, labels=labels)


# -- the choice -----------------------------------------------------------------------------------


def test_the_best_setting_is_fitted_on_all_rows() -> None:
    tuned = clone(TUNED).fit(IRIS)
    alone = FullBayes(**tuned.best_params_).fit(IRIS)
    np.testing.assert_array_equal(tuned.predict_proba(IRIS), alone.predict_proba(IRIS))
    assert tuned.training_ == alone.training_ and tuned.n_parameters_ == alone.n_parameters_
    assert tuned.log_likelihood(IRIS) == alone.log_likelihood(IRIS)
    assert str(tuned.explain(IRIS.take([70]))) == str(alone.explain(IRIS.take([70])))
    results = tuned.results_
    assert results.values.shape == (6, 5)
    assert results.mean[results.chosen] == results.mean.min()
    np.testing.assert_allclose(results.mean, results.values.mean(axis=1), atol=1e-15)
    expected = results.values.std(axis=1, ddof=1) / np.sqrt(5)
    np.testing.assert_allclose(results.standard_error, expected, atol=1e-15)
    assert dict(results.settings[results.chosen]) == tuned.best_params_


def test_the_values_are_those_of_models_fitted_by_hand() -> None:
    tuned = clone(TUNED).set_params(measure="log_loss").fit(IRIS)
    for i, setting in enumerate(tuned.results_.settings):
        for at, split in enumerate(KFold(5).splits(150, IRIS.labels, 1)):
            model = FullBayes(**setting).fit(IRIS.take(split.train))
            true = IRIS.labels[split.test]
            proba = model.predict_proba(IRIS.take(split.test))[np.arange(len(true)), true]
            assert tuned.results_.values[i, at] == pytest.approx(-np.log(proba).mean(), abs=1e-9)


def test_a_setting_that_cannot_be_fitted_is_passed_over_and_told() -> None:
    search = Tuned(acumen.SVM(kernel="linear"), {"C": [1.0, np.inf]}, method=KFold(3), random_state=0)
    with pytest.warns(UserWarning, match=r"1 of 2 settings .* C=inf.*: SVM: C=inf allows no row"):
        search.fit(IRIS)
    assert search.best_params_ == {"C": 1.0}
    assert np.isnan(search.results_.values[1]).all()
    assert np.isnan(search.results_.mean[1]) and not np.isnan(search.results_.mean[0])


def test_settings_that_all_fail_end_the_search() -> None:
    search = Tuned(
        acumen.SVM(kernel="linear"), {"C": [np.inf], "scale": [True, False]}, method=KFold(3), random_state=0
    )
    with pytest.raises(DataError, match="cannot be separated"):
        search.fit(IRIS)


def test_of_settings_as_good_the_simplest_is_taken() -> None:
    tuned = Tuned(Majority(), {"priors": [None, "uniform", None]}, method=KFold(3), random_state=0).fit(
        acumen.datasets.load("loan")
    )
    assert tuned.results_.mean[0] == tuned.results_.mean[2]
    assert tuned.results_.chosen == 0


def test_settings_stand_simplest_first() -> None:
    tuned = clone(TUNED).fit(IRIS)
    order = [(s["covariance"], s["shrinkage"]) for s in tuned.results_.settings]
    assert order == [
        ("shared", 0.5), ("shared", 0.1), ("full", 0.5), ("shared", 0.0), ("full", 0.1), ("full", 0.0),
    ]  # fmt: skip
    several = Tuned(FullBayes(), [{"covariance": ["diagonal"]}, {"shrinkage": [0.2, 0.0]}], random_state=0)
    assert [dict(s) for s in several.fit(IRIS).results_.settings] == [
        {"covariance": "diagonal"}, {"shrinkage": 0.2}, {"shrinkage": 0.0},
    ]  # fmt: skip


def test_one_standard_error_takes_the_simplest_that_is_near() -> None:
    mean, error = np.array([0.30, 0.24, 0.22, 0.20, 0.21]), np.array([0.1, 0.1, 0.1, 0.03, 0.1])
    assert choose_setting(mean, error, "best", False, "test") == (3, 3)
    assert choose_setting(mean, error, "one-se", False, "test") == (3, 2)
    assert choose_setting(-mean, error, "one-se", True, "test") == (3, 2)
    assert choose_setting(np.array([np.nan, 1.0]), np.zeros(2), "one-se", False, "test") == (1, 1)
    assert choose_setting(np.array([np.inf, np.nan]), np.full(2, np.nan), "best", False, "test") == (0, 0)


def test_the_rule_is_applied_to_the_results() -> None:
    rows = clouds(60, 6, seed=2)
    learner = Tuned(FullBayes(), {"shrinkage": [1.0, 0.8, 0.5, 0.2, 0.0]}, KFold(6), random_state=0)
    best, near = clone(learner).fit(rows), clone(learner).set_params(selection_rule="one-se").fit(rows)
    results = near.results_
    limit = results.mean[results.best] + results.standard_error[results.best]
    assert (results.mean[: results.chosen] > limit).all() and results.mean[results.chosen] <= limit
    assert results.best == best.results_.chosen
    np.testing.assert_array_equal(results.values, best.results_.values)


def test_larger_is_better_where_the_measure_says_so() -> None:
    tuned = clone(TUNED).set_params(measure="auc").fit(IRIS)
    assert tuned.results_.mean[tuned.results_.chosen] == tuned.results_.mean.max()


@pytest.mark.parametrize("criterion", ["aic", "bic"])
def test_criteria_are_those_of_one_fit_on_all_rows(criterion: str) -> None:
    tuned = clone(TUNED).set_params(measure=criterion, method=None).fit(IRIS)
    expected = [getattr(FullBayes(**s).fit(IRIS), criterion)(IRIS) for s in tuned.results_.settings]
    np.testing.assert_allclose(tuned.results_.mean, expected, rtol=1e-12)
    assert tuned.results_.chosen == int(np.argmin(expected))


def test_leave_one_out_is_as_by_hand() -> None:
    rows = IRIS.take(slice(0, 150, 3))
    tuned = Tuned(FullBayes(), {"covariance": ["shared", "full"]}, LeaveOneOut()).fit(rows)
    for i, setting in enumerate(tuned.results_.settings):
        wrong = [
            FullBayes(**setting).fit(rows.take(np.delete(np.arange(50), r))).score(rows.take([r])) < 1
            for r in range(50)
        ]
        np.testing.assert_array_equal(tuned.results_.values[i], wrong)


def test_kappa_by_leave_one_out_is_of_all_rows_together() -> None:
    tuned = Tuned(Majority(), {"priors": [None]}, LeaveOneOut(), measure="kappa").fit(IRIS)
    assert tuned.results_.values.shape == (1, 1)


def test_costs_are_judged_by_those_of_the_learner() -> None:
    costs = {("no", "yes"): 5.0}
    rows = clouds(80, 3, seed=1)
    learner = NaiveBayes(costs=costs)
    tuned = Tuned(learner, {"costs": [None, costs]}, Holdout(), measure="cost", random_state=0).fit(rows)
    split = next(Holdout().splits(80, rows.labels, 0))
    tested = rows.take(split.test)
    for i, setting in enumerate(tuned.results_.settings):
        said = NaiveBayes(**setting).fit(rows.take(split.train)).predict(tested)
        truth = tested.label_values()
        paid = 5.0 * ((said == "no") & (truth == "yes")) + ((said == "yes") & (truth == "no"))
        assert tuned.results_.mean[i] == pytest.approx(paid.mean())
    assert tuned.best_params_ == {"costs": costs}


# -- honesty ---------------------------------------------------------------------------------------


def test_a_tuned_learner_judged_on_chance_is_at_chance() -> None:
    """Labels are drawn apart from the attributes: within folds the best of many settings looks better than chance."""
    rng = np.random.default_rng(0)
    rows = clouds(120, 2, seed=0)
    rows.labels = rng.integers(0, 2, 120).astype(np.int32)
    grid = {"min_bucket": [40, 25, 15, 10, 6, 4, 3, 2, 1]}
    tuned = Tuned(OneR(), grid, KFold(5), random_state=3)
    judged = acumen.assess(tuned, rows, KFold(5), random_state=4)
    inside, outside = [], []
    for split in KFold(5).splits(120, rows.labels, 4):
        fitted = clone(tuned).fit(rows.take(split.train))
        inside.append(fitted.results_.mean.min())
        outside.append(1 - fitted.score(rows.take(split.test)))
        assert fitted.training_["rows"] == len(split.train)
    np.testing.assert_allclose(judged.values, outside)
    assert np.mean(inside) < judged.mean


@pytest.mark.filterwarnings("ignore:.*is the largest value tried")
def test_the_choice_depends_on_nothing_but_the_rows_given() -> None:
    some = IRIS.take(slice(0, 150, 2))
    one = clone(TUNED).fit(some)
    other = clone(TUNED).fit(IRIS).fit(some)
    np.testing.assert_array_equal(one.results_.values, other.results_.values)


# -- a learner like any other ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "learner",
    [
        Tuned(NaiveBayes(), {"alpha": [5.0, 1.0]}, Holdout()),
        Tuned(OneR(), {"min_bucket": [12, 3]}, KFold(3), selection_rule="one-se"),
        Tuned(NaiveBayes(), {"var_floor": [1e-2, 1e-9]}, measure="bic"),
    ],
    ids=["NaiveBayes", "OneR", "bic"],
)
def test_it_keeps_every_law(learner: Any) -> None:
    checked = check_learner(learner)
    assert len(checked.passed) + len(checked.not_applicable) == len(LAWS)
    assert len(checked.passed) >= 25, checked


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([Tuned(NaiveBayes(), {"var_floor": [0.1, 1e-9]}, Holdout(0.3), random_state=0)])
def test_scikit_learns_checks_pass(estimator: Any, check: Any) -> None:
    check(estimator)


def test_parameters_of_the_learner_within_can_be_set_and_searched() -> None:
    tuned = Tuned(NaiveBayes(), {"var_floor": [0.1, 1e-9]}, Holdout(), random_state=0)
    assert tuned.get_params()["learner__alpha"] == 1.0
    assert clone(tuned).set_params(learner__alpha=3.0).learner.alpha == 3.0
    X = np.column_stack(IRIS.numeric.columns)
    found = GridSearchCV(tuned, {"learner__numeric": ["gaussian", "kernel"]}, cv=3).fit(X, IRIS.labels)
    assert found.best_params_["learner__numeric"] in ("gaussian", "kernel")
    assert found.best_estimator_.best_learner_.numeric == found.best_params_["learner__numeric"]


def test_a_tuned_learner_can_be_tuned() -> None:
    inner = Tuned(FullBayes(), {"shrinkage": [0.5, 0.0]}, KFold(3), random_state=0)
    outer = Tuned(
        inner,
        {"selection_rule": ["one-se", "best"], "learner__covariance": ["shared"]},
        KFold(3),
        random_state=0,
    )
    outer.fit(IRIS)
    assert outer.best_params_["learner__covariance"] == "shared"
    assert outer.best_learner_.best_learner_.covariance == "shared"
    assert inner.learner.covariance == "full"


def test_neither_learner_nor_grid_is_changed() -> None:
    learner, grid = FullBayes(), copy.deepcopy(GRID)
    Tuned(learner, grid, KFold(3), random_state=0).fit(IRIS)
    assert not hasattr(learner, "predictor_") and grid == GRID
    assert learner.get_params() == FullBayes().get_params()


def test_rows_without_label_are_for_the_last_fit_alone() -> None:
    labels = IRIS.labels.copy()
    labels[::3] = -1
    some = Table(IRIS.schema, 150, numeric=IRIS.numeric, labels=labels)
    grid = {"var_floor": [0.1, 1e-9]}
    tuned = Tuned(NaiveBayes(unlabelled="em"), grid, KFold(3), random_state=0).fit(some)
    ignoring = Tuned(NaiveBayes(), grid, KFold(3), random_state=0).fit(some)
    np.testing.assert_array_equal(tuned.results_.values, ignoring.results_.values)
    alone = NaiveBayes(unlabelled="em", **tuned.best_params_).fit(some)
    np.testing.assert_array_equal(tuned.predict_proba(IRIS), alone.predict_proba(IRIS))


def test_arrays_are_matched_by_position_within_too() -> None:
    X = np.column_stack(IRIS.numeric.columns)
    tuned = clone(TUNED).fit(X, IRIS.labels)
    assert not hasattr(tuned.best_learner_, "feature_names_in_")
    np.testing.assert_array_equal(tuned.best_learner_.predict(X), tuned.predict(X))
    frame = pd.DataFrame(X, columns=list("abcd"))
    named = clone(TUNED).fit(frame, IRIS.labels)
    assert named.best_learner_.feature_names_in_.tolist() == list("abcd")


def test_saving_keeps_the_learner_that_was_chosen(tmp_path: Any) -> None:
    tuned = clone(TUNED).fit(IRIS)
    acumen.save(tuned, tmp_path / "a.acm", summary=True)
    acumen.save(tuned.best_learner_, tmp_path / "b.acm", summary=True)
    assert (tmp_path / "a.acm").read_bytes() == (tmp_path / "b.acm").read_bytes()
    again = acumen.load(tmp_path / "a.acm")
    assert type(again) is FullBayes
    assert {name: again.get_params()[name] for name in tuned.best_params_} == tuned.best_params_
    np.testing.assert_array_equal(again.predict_proba(IRIS), tuned.predict_proba(IRIS))
    with pytest.raises(ParameterError, match="this Tuned is not fitted"):
        acumen.save(clone(TUNED), tmp_path / "c.acm")


def test_threads_are_handed_on() -> None:
    tuned = Tuned(NaiveBayes(), {"alpha": [1.0]}, KFold(3), random_state=0, n_jobs=1).fit(IRIS)
    assert tuned.best_learner_.n_jobs == 1
    assert (
        Tuned(Majority(), {"priors": [None]}, KFold(3), random_state=0, n_jobs=1).fit(IRIS).classes_.size == 3
    )


# -- what it says ------------------------------------------------------------------------------------


def test_the_results_can_be_read() -> None:
    tuned = clone(TUNED).set_params(selection_rule="one-se").fit(IRIS)
    said = str(tuned.results_)
    assert "-> chosen" in said.splitlines()[0] and "5-fold cross-validation" in said.splitlines()[0]
    assert sum(line.startswith("->") for line in said.splitlines()) == 1
    assert "std. error" in said and "shared" in said
    assert len(said.splitlines()) == 8
    made = json.loads(json.dumps(tuned.results_.to_dict()))
    assert [line["chosen"] for line in made["settings"]].index(True) == tuned.results_.chosen
    assert pickle.loads(pickle.dumps(tuned)).results_.to_dict() == tuned.results_.to_dict()


def test_it_says_what_was_chosen_before_what_was_learned() -> None:
    tuned = clone(TUNED).fit(IRIS)
    first, *rest = tuned.describe().splitlines()
    assert first.startswith("Tuned by covariance='shared'") and "6 settings" in first
    assert rest[0] == tuned.best_learner_.describe().splitlines()[0]
    with pytest.raises(NotFittedError, match="Tuned"):
        clone(TUNED).describe()


@pytest.mark.parametrize(
    ("tuned", "words"),
    [
        (Tuned(NaiveBayes(), {"alfa": [1]}), r"names the parameter 'alfa'.*Did you mean 'alpha'"),
        (Tuned(NaiveBayes(), {"alpha": []}), "must list the values of alpha"),
        (Tuned(NaiveBayes(), {"alpha": "abc"}), "must list the values of alpha"),
        (Tuned(NaiveBayes(), []), "at least one mapping"),
        (Tuned(NaiveBayes(), ["alpha"]), "must be a mapping of parameters"),
        (Tuned(NaiveBayes(), {"alpha": [-1.0]}), "NaiveBayes: alpha must be"),
        (Tuned(NaiveBayes(), {"alpha": [1]}, measure="eror"), "Tuned: there is no measure 'eror'.*'error'"),
        (Tuned(NaiveBayes(), {"alpha": [1]}, measure="cost"), "needs costs"),
        (Tuned(NaiveBayes(), {"alpha": [1]}, measure="fit_time"), "cannot be timed separately"),
        (Tuned(NaiveBayes(), {"alpha": [1]}, acumen.Bootstrap()), "Tuned: method must be"),
        (Tuned(NaiveBayes(), {"alpha": [1]}, Holdout(), selection_rule="one-se"), "no standard error"),
        (Tuned(NaiveBayes(), {"alpha": [1]}, measure="aic", selection_rule="one-se"), "no standard error"),
        (Tuned(NaiveBayes(), {"alpha": [1]}, random_state=-1), "random_state must be"),
        (Tuned(NaiveBayes(), {"alpha": [1]}, KFold(200)), "at least 200 rows"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(tuned: Tuned, words: str) -> None:
    with pytest.raises((ParameterError, DataError), match=words):
        tuned.fit(IRIS)


def test_a_model_that_does_not_count_its_parameters_has_no_criterion(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OneR.model_type, "n_parameters", Model.n_parameters)
    with pytest.raises(ParameterError, match=r"Tuned: measure='bic' needs .* which OneR does not have"):
        Tuned(OneR(), {"alpha": [1]}, measure="bic").fit(IRIS)


def test_a_setting_that_objects_is_named() -> None:
    letters = acumen.read(
        pd.DataFrame({"said": ["a b", "c", "a", "b"], "y": ["p", "q", "p", "q"]}),
        target="y",
        kinds={"said": "text"},
    )
    with pytest.raises(DataError, match=r"Tuned: with shrinkage=0\.5, FullBayes: .*'said'"):
        Tuned(FullBayes(), {"shrinkage": [0.5]}).fit(letters)
    with pytest.raises(DataError, match="one sample"):
        Tuned(NaiveBayes(), {"alpha": [1.0]}).fit(IRIS.take([0]))
