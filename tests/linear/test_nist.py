"""NIST's reference sets: certified digits of coefficients, errors and residuals, from one part and from eight."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.linalg import lstsq

import acumen
from oracles.nist_linear import SETS, digits, exact_fit


@pytest.mark.parametrize("name", SETS)
def test_the_data_are_typed_right(name):
    found = SETS[name]
    for exact, certified in zip(exact_fit(found), found.estimate, strict=True):
        assert float(exact) == pytest.approx(certified, rel=1e-12)


def fewest(found, certified):
    return min(digits(a, b) for a, b in zip(found, certified, strict=True))


@pytest.mark.parametrize("name", SETS)
def test_digits_are_no_fewer_than_those_of_lstsq(name):
    certified = SETS[name]
    x, y = certified.arrays()
    theirs = fewest(lstsq(np.column_stack([np.ones(len(y)), x]), y)[0], certified.estimate)
    whole = acumen.LinearRegression().fit(x, y)
    assert fewest([whole.intercept_, *whole.coef_], certified.estimate) >= theirs - 0.5
    assert fewest(whole.model_.error, certified.error) >= theirs - 0.5
    assert digits(whole.model_.fit.deviation(True), certified.residual) >= theirs - 0.5
    parts = acumen.LinearRegression()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", acumen.errors.AcumenWarning)  # the first parts have too few rows
        for some, target in zip(np.array_split(x, 8), np.array_split(y, 8), strict=True):
            parts.partial_fit(some, target)
    assert fewest([parts.intercept_, *parts.coef_], certified.estimate) >= theirs - 0.5


def test_filip_keeps_seven_digits_as_powers_and_more_as_a_polynomial():
    certified = SETS["Filip"]
    x, y = certified.arrays()
    plain = acumen.LinearRegression().fit(x, y)
    assert fewest([plain.intercept_, *plain.coef_], certified.estimate) > 7
    centred = acumen.PolynomialRegression(degree=10).fit(x[:, :1], y)
    assert fewest(centred.model_.powers(), certified.estimate) > 8
    assert np.sqrt(np.mean((centred.predict(x[:, :1]) - plain.predict(x)) ** 2)) < 1e-9


@pytest.mark.parametrize("name", ["Norris", "Longley", "Wampler4"])
@pytest.mark.parametrize("unit", [1e8, 1e-8])
@pytest.mark.parametrize(
    "learner", [acumen.LinearRegression(), acumen.Ridge(alpha=0.1), acumen.Lasso(alpha=1e-3)], ids=repr
)
def test_units_do_not_change_predictions(name, unit, learner):
    from sklearn.base import clone

    x, y = SETS[name].arrays()
    factors = np.ones(x.shape[1])
    factors[::2] = unit
    plain = clone(learner).fit(x, y).predict(x)
    other = clone(learner).fit(x * factors, y).predict(x * factors)
    np.testing.assert_allclose(other, plain, rtol=1e-6, atol=1e-6 * np.abs(y).max())
