"""`feature_importances_` of forests and boosting: one number per attribute, as scikit-learn's selectors expect."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.feature_selection import RFE, RFECV, SelectFromModel

import acumen

LEARNERS: list[Any] = [
    acumen.RandomForest(30, random_state=0),
    acumen.ExtraTrees(30, random_state=0),
    acumen.Boosting(n_estimators=15, random_state=0),
    acumen.DecisionTree(),
]
REGRESSORS: list[Any] = [
    acumen.RandomForestRegressor(30, random_state=0),
    acumen.ExtraTreesRegressor(30, random_state=0),
    acumen.BoostingRegressor(n_estimators=15, random_state=0),
]


def two_of_five() -> tuple[Any, Any]:
    """Only columns 1 and 3 matter."""
    X = np.random.default_rng(0).normal(size=(240, 5))
    return X, X[:, 1] + X[:, 3]


@pytest.mark.parametrize("learner", [*LEARNERS, *REGRESSORS], ids=lambda each: type(each).__name__)
@pytest.mark.parametrize("selector", [RFE, RFECV, SelectFromModel])
def test_selectors_keep_the_columns_that_matter(learner: Any, selector: Any) -> None:
    X, y = two_of_five()
    if learner in LEARNERS:
        y = (y > 0).astype(int)
    options = {
        RFE: {"n_features_to_select": 2},
        RFECV: {"cv": 3},
        SelectFromModel: {"threshold": "mean"},
    }[selector]
    chosen = selector(learner, **options).fit(X, y).get_support()
    assert chosen[1] and chosen[3]
    if selector is not RFECV:
        assert chosen.sum() == 2


@pytest.mark.parametrize("learner", [*LEARNERS[:3], *REGRESSORS], ids=lambda each: type(each).__name__)
def test_importances_are_in_the_order_of_the_columns(learner: Any) -> None:
    X, y = two_of_five()
    if learner in LEARNERS:
        y = (y > 0).astype(int)
    order = [3, 0, 4, 1, 2]
    for columns in (list(range(5)), order):
        found = learner.fit(X[:, columns], y).feature_importances_
        assert found.shape == (5,) and (found >= 0).all()
        assert {columns[j] for j in np.argsort(-found)[:2]} == {1, 3}
    assert not hasattr(type(learner)(), "feature_importances_")


def test_forest_importances_are_the_details_by_name() -> None:
    iris = acumen.datasets.load("iris")
    forest = acumen.RandomForest(20, random_state=0).fit(iris)
    expected = [max(forest.importance_details_[name], 0.0) for name in iris.schema.names]
    assert forest.feature_importances_.tolist() == expected


def test_a_constant_column_has_importance_zero() -> None:
    X, y = two_of_five()
    X[:, 2] = 1.0
    for learner in (acumen.RandomForest(10, random_state=0), acumen.Boosting(n_estimators=5)):
        assert learner.fit(X, (y > 0).astype(int)).feature_importances_[2] == 0
