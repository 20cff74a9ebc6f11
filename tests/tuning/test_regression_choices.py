"""Parameters of regressors chosen: one pass for all strengths, and the same answers as fitting each anew."""

from __future__ import annotations

import numpy as np
import pytest

import acumen
from acumen.data.table import Table
from acumen.errors import ParameterError
from acumen.linear import linear_systems

IRIS = acumen.datasets.load("iris", target="petal_width")
GRID = {"alpha": [100.0, 10.0, 1.0, 0.1]}


def test_every_strength_on_every_fold_comes_from_one_pass(monkeypatch):
    passes = []
    plain = linear_systems.summarise_parts

    def counted(rows: Table, plan, parts, n_parts):
        passes.append(len(rows))
        return plain(rows, plan, parts, n_parts)

    monkeypatch.setattr(acumen.Ridge, "summarise_parts", staticmethod(counted))
    monkeypatch.setattr(
        acumen.Ridge, "summarise", staticmethod(lambda rows, plan: pytest.fail("another pass"))
    )
    tuned = acumen.Tuned(acumen.Ridge(), GRID, random_state=0).fit(IRIS)
    assert passes == [150]
    assert tuned.results_.measure == "rmse" and tuned.results_.values.shape == (4, 10)


@pytest.mark.filterwarnings("ignore:.*value tried")
@pytest.mark.parametrize("learner", [acumen.Ridge(), acumen.Lasso(tol=1e-12)], ids=repr)
def test_values_and_model_equal_those_of_fitting_anew(learner):
    tuned = acumen.Tuned(learner, GRID, acumen.KFold(5), random_state=1).fit(IRIS)
    for i, alpha in enumerate(GRID["alpha"]):
        one = acumen.assess(type(learner)(alpha=alpha), IRIS, acumen.KFold(5), "rmse", 1, refit=True)
        np.testing.assert_allclose(tuned.results_.values[i], one.values, rtol=1e-6)
    again = type(learner)(**tuned.best_params_).fit(IRIS)
    np.testing.assert_allclose(tuned.predict(IRIS), again.predict(IRIS), rtol=1e-8)
    assert tuned.best_learner_.training_ == again.training_
    assert list(tuned.best_learner_.feature_names_in_) == list(again.feature_names_in_)


def test_a_tuned_regressor_is_a_regressor(tmp_path):
    from sklearn.base import is_regressor

    tuned = acumen.Tuned(acumen.Ridge(), GRID, random_state=0)
    assert is_regressor(tuned) and not hasattr(tuned, "predict_proba")
    tuned.fit(IRIS)
    assert not hasattr(tuned, "classes_") and tuned.score(IRIS) > 0.9
    assert acumen.assess(tuned, IRIS, acumen.KFold(3), random_state=0).mean < 0.3
    acumen.save(tuned, tmp_path / "m.acm")
    np.testing.assert_array_equal(acumen.load(tmp_path / "m.acm").predict(IRIS), tuned.predict(IRIS))
    with pytest.raises(ParameterError, match="rmse, mae, r2"):
        acumen.Tuned(acumen.Ridge(), GRID, measure="error").fit(IRIS)


def test_curves_are_of_numbers_too():
    swept = acumen.sweep(
        acumen.PolynomialRegression(), IRIS, "degree", [1, 2, 3], acumen.KFold(4), random_state=0
    )
    assert swept.measure == "rmse" and (np.diff(swept.training_mean) <= 1e-12).all()
    grown = acumen.learning_curve(
        acumen.LinearRegression(), IRIS, [30, 60, 100], acumen.KFold(4), random_state=0
    )
    assert grown.test_mean.shape == (3,) and "<svg" in grown._repr_html_()
