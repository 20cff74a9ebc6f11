"""A setting that rows will not do for is passed over, wherever that turns out; only if all fail does the search."""

from __future__ import annotations

import numpy as np
import pytest

import acumen
from acumen import KFold, LeaveOneOut, Subsample, TimeSlice
from acumen.errors import DataError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 2))
Y = X[:, 0] + 0.8 * RNG.normal(size=40) > 0  # no line separates them
GRID = {"C": [0.1, 1.0, np.inf]}


@pytest.mark.parametrize("rule", ["best", "one-se"])
@pytest.mark.parametrize("method", [KFold(4), LeaveOneOut(), Subsample(3)])
def test_a_hard_margin_that_does_not_exist_is_passed_over_by_every_method(method, rule):
    search = acumen.Tuned(acumen.SVM(kernel="linear"), GRID, method, rule, random_state=0)
    with pytest.warns(UserWarning, match="1 of 3 settings could not be fitted on every split"):
        search.fit(X, Y)
    others = acumen.Tuned(acumen.SVM(kernel="linear"), {"C": [0.1, 1.0]}, method, rule, random_state=0).fit(
        X, Y
    )
    assert search.best_params_ == others.best_params_
    assert np.isnan(search.results_.mean[2])
    assert search.results_.values[:2].tolist() == others.results_.values.tolist()


def test_a_criterion_passes_over_a_setting_too():
    search = acumen.Tuned(
        acumen.SVM(kernel="linear", probability="platt"), {"C": [1.0, np.inf]}, measure="aic"
    )
    with pytest.warns(UserWarning, match="1 of 2 settings could not be fitted on all rows"):
        search.fit(X, Y)
    assert search.best_params_ == {"C": 1.0}


@pytest.mark.parametrize("method", [KFold(4), LeaveOneOut()])
def test_where_every_setting_fails_the_first_failure_is_told(method):
    search = acumen.Tuned(acumen.SVM(kernel="linear", C=np.inf), {"tol": [1e-3, 1e-4]}, method)
    with pytest.raises(DataError, match="C=inf allows no row"):
        search.fit(X, Y)


def test_the_best_setting_gives_way_where_all_rows_together_will_not_do_for_it():
    rows = np.r_[np.tile([1.0, 1.0, 1.0, -1.0, 1.0], 2), np.tile([-1.0, 1.0], 5)][:, None]
    labels = rows[:, 0] > 0
    labels[-1] = False  # in the slice that is tested only
    grid, method = {"C": [1e-9, np.inf]}, TimeSlice(1)
    search = acumen.Tuned(acumen.SVM(kernel="linear"), grid, method)
    with pytest.warns(UserWarning, match="C=inf would be chosen, but could not be fitted on all rows"):
        search.fit(rows, labels)
    assert search.best_params_ == {"C": 1e-9}
    assert search.best_learner_.C == 1e-9
    assert np.isnan(search.results_.mean[1])
    alone = acumen.Tuned(acumen.SVM(kernel="linear"), {"C": [np.inf]}, method)
    with pytest.raises(DataError, match="C=inf allows no row"):
        alone.fit(rows, labels)
