"""What a slip of the pen is answered with: parameters, names, files and methods that are not there."""

from __future__ import annotations

import pytest
from sklearn.base import clone

import acumen
from acumen.errors import DataError

IRIS = acumen.datasets.load("iris")


@pytest.mark.parametrize(
    ("learner", "given", "meant"),
    [
        (acumen.NaiveBayes, {"alhpa": 1}, "alpha"),
        (acumen.KMeans, {"n_inti": 3}, "n_init"),
        (acumen.RandomForest, {"max_feature": 3}, "max_features"),
        (acumen.Ridge, {"alhpa": 1}, "alpha"),
    ],
)
def test_a_parameter_that_there_is_not_names_the_one_that_was_meant(learner, given, meant):
    with pytest.raises(
        TypeError, match=f"{learner.__name__}: there is no parameter .*Did you mean '{meant}'"
    ):
        learner(**given)


@pytest.mark.parametrize(
    ("learner", "given", "meant"),
    [
        (acumen.NaiveBayes(), {"alhpa": 1}, "alpha"),
        (acumen.OneVsRest(acumen.SVM()), {"lerner__C": 1}, "learner"),
        (acumen.OneVsRest(acumen.SVM()), {"learner__c": 1}, "C"),
        (acumen.Voting(learners={"bayes": acumen.NaiveBayes()}), {"byes__alpha": 1}, "bayes"),
    ],
)
def test_so_does_one_that_is_set_later(learner, given, meant):
    with pytest.raises(ValueError, match=f"Invalid parameter .*Did you mean '{meant}'"):
        learner.set_params(**given)
    assert acumen.OneVsRest(acumen.SVM()).set_params(learner__C=3).learner.C == 3


def test_other_faults_of_a_call_stay_what_they_are():
    with pytest.raises(TypeError, match="positional"):
        acumen.NaiveBayes(1, 2, 3)
    assert clone(acumen.NaiveBayes(alpha=3)).alpha == 3


def test_a_public_name_that_there_is_not_names_the_one_that_was_meant():
    with pytest.raises(AttributeError, match="Did you mean 'NaiveBayes'"):
        acumen.NaiveBayess  # noqa: B018


def test_dir_shows_public_names_only():
    assert dir(acumen) == sorted(acumen.__all__)


@pytest.mark.parametrize("learner", [acumen.NaiveBayes(), acumen.Ridge(), acumen.KMeans()])
def test_the_name_of_a_file_is_no_rows(learner):
    with pytest.raises(DataError, match=r"acumen\.read"):
        learner.fit("customers.csv")


def test_compare_says_how_a_file_is_read():
    with pytest.raises(DataError, match=r"acumen\.read\('customers\.csv', target"):
        acumen.compare([acumen.NaiveBayes()], "customers.csv")


def test_margins_say_how_they_get_probabilities():
    machine = acumen.SVM().fit(IRIS)
    assert not hasattr(machine, "predict_proba")
    with pytest.raises(AttributeError, match="learn it with probability='platt'"):
        machine.predict_proba(IRIS)
    assert hasattr(acumen.SVM(probability="platt").fit(IRIS), "predict_proba")
