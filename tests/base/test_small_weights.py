"""Row weights that sum to about 1, as a survey's may, are warned of where a penalty stands beside them."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import acumen
from acumen.errors import TableWarning
from acumen.profiling import fit_warnings

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
Y = np.where(X[:, 0] + RNG.normal(0, 0.5, 60) > 0, "yes", "no")
SURVEY = RNG.uniform(0.5, 1.5, 60)
SURVEY /= SURVEY.sum()
PENALISED = [
    acumen.Logistic(), acumen.SVM(), acumen.OrderedLogistic(), acumen.Calibrated(acumen.Logistic()),
    acumen.Stacking([acumen.NaiveBayes(), acumen.Logistic()], random_state=0), acumen.OneVsRest(acumen.Logistic()),
    acumen.SVR(), acumen.Ridge(),
]  # fmt: skip


def _fit(learner, weights):
    """The warnings of one training."""
    fit_warnings._reported.clear()
    target = X[:, 1] + X[:, 0] if learner.task.target == "numeric" else Y
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        learner.fit(X, target, sample_weight=weights)
    return [str(each.message) for each in caught if issubclass(each.category, TableWarning)]


@pytest.mark.parametrize("learner", PENALISED, ids=lambda each: type(each).__name__)
def test_weights_that_sum_to_one_are_warned_of_once_and_the_cure_helps(learner) -> None:
    told = [text for text in _fit(learner, SURVEY) if "sum to 1" in text]
    assert len(told) == 1
    assert "Multiply the weights by 60 " in told[0]
    assert not [text for text in _fit(learner, SURVEY * 60) if "sum to" in text]


@pytest.mark.parametrize(
    "learner",
    [acumen.NaiveBayes(), acumen.DecisionTree(), acumen.Logistic(penalty=None)],
    ids=["bayes", "tree", "free"],
)
def test_learners_without_a_penalty_are_silent_about_small_weights(learner) -> None:
    assert not [text for text in _fit(learner, SURVEY) if "sum to" in text]


def test_the_cure_gives_back_what_the_penalty_took() -> None:
    small = acumen.Logistic().fit(X, Y, sample_weight=SURVEY * 0.01)
    cured = acumen.Logistic().fit(X, Y, sample_weight=SURVEY * 60)
    assert np.ptp(small.predict_proba(X)[:, 1]) < 0.1 < 0.8 < np.ptp(cured.predict_proba(X)[:, 1])


def test_each_learner_of_one_session_is_warned_of_for_itself() -> None:
    fit_warnings._reported.clear()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for learner in (acumen.Logistic(), acumen.SVM(), acumen.SVM()):
            learner.fit(X, Y, sample_weight=SURVEY)
    told = [str(each.message).partition(":")[0] for each in caught if "sum to 1" in str(each.message)]
    assert told == ["Logistic", "SVM"]
