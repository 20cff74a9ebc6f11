"""Settings that only `solve` knows are swept in one pass, and the answers are those of fitting each anew."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acumen
from acumen import (
    FullBayes,
    HistogramBayes,
    Holdout,
    KFold,
    Majority,
    NaiveBayes,
    OneR,
    Parzen,
    Subsample,
    TimeSlice,
    Tuned,
)
from acumen.data.table import Table
from acumen.tuning.grid import families, learners_of, settings_of, solve_only
from acumen.tuning.search import trials

IRIS = acumen.datasets.load("iris")
LOAN = acumen.datasets.load("loan")
WEATHER = acumen.datasets.load("weather")
COSTS = {("Yes", "No"): 3.0}


def tried(learner: Any, grid: Any, rows: Table, method: Any, seed: int = 0) -> list[Any]:
    settings = settings_of(grid, learner, "test")
    learners = learners_of(learner, settings, "test", rows.schema)
    return list(trials(learners, families(learners, settings), rows, method, seed))


CASES = [
    (NaiveBayes(), {"alpha": [5.0, 1.0, 0.1], "var_floor": [0.1, 1e-9]}, WEATHER, KFold(3, n_repeats=2)),
    (NaiveBayes(), {"numeric": ["gaussian", "kernel", "discretise"], "alpha": [2.0, 1.0]}, WEATHER, KFold(3)),
    (NaiveBayes(numeric="histogram"), {"alpha": [2.0, 1.0]}, IRIS, KFold(3)),
    (NaiveBayes(class_weight="balanced"), {"var_floor": [0.1, 1e-9]}, IRIS, KFold(3)),
    (NaiveBayes(class_weight={"Iris-setosa": 0.0}), {"var_floor": [0.1, 1e-9]}, IRIS, KFold(3)),
    (FullBayes(), {"covariance": ["shared", "full"], "shrinkage": [0.5, 0.1]}, IRIS, KFold(4)),
    (FullBayes(), {"class_weight": [None, {"Iris-setosa": 3.0}], "shrinkage": [0.5]}, IRIS, KFold(4)),
    (NaiveBayes(), {"costs": [None, COSTS], "priors": ["uniform", None]}, LOAN, KFold(3)),
    (OneR(), {"min_bucket": [20, 3], "alpha": [1.0, 0.0]}, IRIS, Holdout()),
    (Parzen(), {"bandwidth": [2.0, 0.5]}, IRIS, KFold(3)),
    (HistogramBayes(), {"bins": [2, 5], "alpha": [1.0, 0.1]}, IRIS, Subsample(3)),
    (Majority(), {"priors": ["uniform", None]}, LOAN, TimeSlice(3)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("learner", "grid", "rows", "method"), CASES, ids=lambda v: "" if isinstance(v, dict) else str(v)[:40]
)
def test_every_trial_predicts_as_a_learner_fitted_anew(
    learner: Any, grid: Any, rows: Table, method: Any
) -> None:
    settings = settings_of(grid, learner, "test")
    found = tried(learner, grid, rows, method)
    splits = list(method.splits(len(rows), rows.labels, 0))
    assert sorted((t.setting, t.at) for t in found) == [
        (s, at) for s in range(len(settings)) for at in range(len(splits))
    ]
    for trial in found:
        np.testing.assert_array_equal(trial.split.test, splits[trial.at].test)
        anew = learners_of(learner, [settings[trial.setting]], "test", rows.schema)[0]
        anew.fit(rows.take(splits[trial.at].train))
        tested = rows.take(trial.split.test)
        mine, theirs = trial.fitted.predictor_, anew.predictor_
        np.testing.assert_array_equal(mine.predict(tested), theirs.predict(tested))
        np.testing.assert_allclose(mine.proba(tested), theirs.proba(tested), atol=1e-9)


class Counted(NaiveBayes):
    """Naive Bayes that counts how many rows were summarised."""

    rows = 0

    @staticmethod
    def summarise(rows: Table, plan: Any) -> Any:
        Counted.rows += len(rows)
        return NaiveBayes.summarise(rows, plan)

    @staticmethod
    def summarise_parts(rows: Table, plan: Any, parts: Any, n_parts: int) -> Any:
        Counted.rows += len(rows)
        return NaiveBayes.summarise_parts(rows, plan, parts, n_parts)


@pytest.mark.parametrize(
    ("grid", "method", "passes"),
    [
        ({"alpha": [9.0, 3.0, 1.0, 0.3], "var_floor": [0.1, 1e-9]}, KFold(10), 1),
        ({"alpha": [9.0, 3.0, 1.0, 0.3]}, KFold(10, n_repeats=3), 3),
        ({"alpha": [9.0, 1.0], "numeric": ["gaussian", "kernel"]}, KFold(10), 2),
        ({"alpha": [9.0, 3.0, 1.0]}, Holdout(1 / 3), 2 / 3),
        ({"class_weight": [None, "balanced"]}, KFold(5), 1 + 4),
    ],
)
def test_what_only_solve_uses_is_swept_without_another_pass(grid: Any, method: Any, passes: float) -> None:
    Counted.rows = 0
    tuned = Tuned(Counted(), grid, method, random_state=0).fit(IRIS)
    assert Counted.rows == 150 * passes + 150  # and once more for the last fit
    assert len(tuned.results_.settings) >= 2


def test_a_criterion_needs_one_pass_for_all_settings() -> None:
    Counted.rows = 0
    Tuned(Counted(), {"alpha": [9.0, 3.0, 1.0]}, measure="bic").fit(IRIS)
    assert Counted.rows == 150 + 150


def test_parameters_of_the_plan_and_of_the_rows_are_not_solve_only() -> None:
    assert {"alpha", "estimator", "costs", "priors", "var_floor"} <= solve_only(NaiveBayes())
    assert not {"numeric", "bins", "class_weight", "unlabelled", "n_jobs"} & solve_only(NaiveBayes())
    assert "covariance" not in solve_only(FullBayes()) and "shrinkage" in solve_only(FullBayes())


def test_one_and_true_are_different_settings() -> None:
    learner = NaiveBayes()
    settings = ({"n_jobs": 1}, {"n_jobs": True}, {"n_jobs": 1})
    assert families([learner] * 3, settings) == [[0, 2], [1]]
    arrays = ({"class_weight": np.ones(2)}, {"class_weight": np.ones(3)}, {"class_weight": np.ones(2)})
    assert families([learner] * 3, arrays) == [[0, 2], [1]]
