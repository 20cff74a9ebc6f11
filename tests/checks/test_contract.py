"""Every learner keeps the contract: acumen's own laws, and scikit-learn's estimator checks.

On small tables the first form of each learner meets every law whenever tests run; all forms on the usual tables, and
the learners whose estimator checks take long, are with the slow ones.
"""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.utils.estimator_checks import check_estimator

from acumen.checks import LAWS, CheckReport, check_learner, sklearn_exceptions
from acumen.models.kinds import KINDS
from checks.contract_forms import (
    ABOUT_ANOTHER,
    AS_BUILT,
    CLUSTERERS,
    FIRST,
    LEARNERS,
    MODELLERS,
    REGRESSORS,
    TRANSFORMERS,
    public_learners,
)
from checks.declared_reasons import undeclared

#: Rows of the tables of the ordinary run: all laws for all kinds in less than a minute of one core.
FEW_ROWS = 48

#: Learners whose estimator checks take seconds: they are with the slow ones.
SLOW_TO_CHECK = {
    "Additive", "AdditiveRegressor", "Boosting", "BoostingRegressor", "Calibrated", "Fisher", "GaussianMixture",
    "NeuralNetwork", "NeuralNetworkRegressor", "Perceptron", "PolynomialRegression", "RuleFeatures", "Stacking",
    "Tuned", "Wrapper",
}  # fmt: skip


def _name(learner: Any) -> str:
    return type(learner).__name__


def _require_concerned(learner: Any, checked: CheckReport) -> None:
    """All laws were tried, and none was left out for a reason that is not declared."""
    assert len(checked.passed) + len(checked.not_applicable) == len(LAWS)
    assert not undeclared(learner, checked)


@pytest.mark.parametrize("learner", FIRST, ids=_name)
def test_every_kind_keeps_every_law_on_small_tables(learner: Any) -> None:
    _require_concerned(learner, check_learner(learner, rows=FEW_ROWS))


@pytest.mark.slow
@pytest.mark.parametrize(
    "learner", (*LEARNERS, *REGRESSORS, *TRANSFORMERS, *CLUSTERERS, *MODELLERS), ids=repr
)
def test_every_form_keeps_every_law(learner: Any) -> None:
    _require_concerned(learner, check_learner(learner))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow if name in SLOW_TO_CHECK else ()) for name in AS_BUILT],
)
def test_scikit_learns_checks_fail_where_the_table_says_and_nowhere_else(name: str) -> None:
    learner = AS_BUILT[name]()
    results = check_estimator(learner, on_skip=None, on_fail=None)
    failed = {each["check_name"]: each["exception"] for each in results if each["status"] == "failed"}
    expected = sklearn_exceptions(learner)
    unlisted = {check: error for check, error in failed.items() if check not in expected}
    assert not unlisted
    assert set(expected) == set(failed), "the table lists a check that passes"


def test_every_public_learner_and_every_kind_is_checked() -> None:
    # Those made of another learner that they fit: tests/select checks these over several.
    assert {_name(each) for each in FIRST} == set(public_learners()) - set(ABOUT_ANOTHER)
    assert {type(each).kind for each in FIRST} == set(KINDS)
