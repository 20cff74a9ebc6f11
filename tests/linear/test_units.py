"""The law of units: with scale=True, or without a penalty, no learner's answer depends on what its columns are in."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.base import clone

import acumen

LOGISTIC = [
    acumen.Logistic(solver=solver, random_state=0, **given)
    for solver in ("newton", "lbfgs", "gradient", "sgd")
    for given in ({}, {"penalty": "l1"}, {"penalty": None}, {"penalty": None, "scale": False})
]
CLASSIFIERS = [
    acumen.Fisher(),
    acumen.Fisher(shrinkage=0.3),
    acumen.LeastSquares(),
    acumen.MaxEnt(),
    acumen.OneVsRest(acumen.Logistic()),
    acumen.OneVsOne(acumen.Fisher()),
    acumen.OutputCodes(acumen.Logistic(), random_state=0),
    *LOGISTIC,
]
REGRESSORS = [
    acumen.LinearRegression(),
    acumen.LinearRegression(fit_intercept=False),
    acumen.Ridge(),
    acumen.Ridge(fit_intercept=False),
    acumen.Ridge(radius=0.5),
    acumen.Ridge(alpha=0.0, scale=False),
    acumen.Lasso(),
    acumen.Lasso(alpha=0.0, scale=False),
    acumen.PolynomialRegression(random_state=0),
    acumen.PolynomialRegression(degree=3),
]
UNITS = [np.full(4, 1e8), np.full(4, 1e-8), np.array([1e8, 1e-8, 1.0, 1e8])]


def rows() -> tuple[np.ndarray, np.ndarray]:
    """150 rows with gaps, columns of different origins, and values that are linear in them but for noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(loc=[0.0, 5.0, -20.0, 1.0], size=(150, 4))
    values = (X - X.mean(axis=0)) @ rng.normal(size=(4, 3)) + 2 * rng.normal(size=(150, 3))
    X[rng.random(X.shape) < 0.05] = np.nan
    return X, values


#: Mixed units are large and small ones; the others alone go with the slow tests.
each_unit = pytest.mark.parametrize(
    "units",
    [
        pytest.param(UNITS[0], id="large", marks=pytest.mark.slow),
        pytest.param(UNITS[1], id="small", marks=pytest.mark.slow),
        pytest.param(UNITS[2], id="mixed"),
    ],
)


@each_unit
@pytest.mark.parametrize("learner", CLASSIFIERS, ids=repr)
def test_units_do_not_change_classes(learner, units) -> None:
    X, values = rows()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # stochastic descent does not come to rest
        one, other = (clone(learner).fit(each, values.argmax(axis=1)) for each in (X, X * units))
    for answer in ("predict_proba", "decision_function"):
        if hasattr(one, answer):
            found, expected = getattr(other, answer)(X * units), getattr(one, answer)(X)
            np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)
            return
    pytest.fail(f"{learner} has no scores to compare")


@each_unit
@pytest.mark.parametrize("learner", REGRESSORS, ids=repr)
def test_units_do_not_change_numbers(learner, units) -> None:
    X, values = rows()
    one, other = (clone(learner).fit(each, values[:, 0]) for each in (X, X * units))
    np.testing.assert_allclose(other.predict(X * units), one.predict(X), rtol=1e-6, atol=1e-6)
