"""Estimators and pipelines of scikit-learn where a learner of acumen is taken."""

from __future__ import annotations

import copy
import importlib.util
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

import acumen
from acumen.base.foreign_estimators import ForeignClassifier, ForeignRegressor, adapt
from acumen.errors import DataError, ParameterError


def people(n: int = 150, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    age, plan = rng.normal(40, 10, n).round(1), rng.choice(["basic", "plus", "pro"], n)
    rich = np.where(age + 8 * (plan == "pro") + rng.normal(0, 4, n) > 42, "yes", "no")
    age = np.where(rng.random(n) < 0.1, np.nan, age)
    return pd.DataFrame({"age": age, "plan": np.where(rng.random(n) < 0.1, None, plan), "rich": rich})


def mixed_pipeline() -> Pipeline:
    columns = ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), ["age"]),
            ("levels", OneHotEncoder(handle_unknown="ignore"), ["plan"]),
        ]
    )
    return Pipeline([("columns", columns), ("learner", LogisticRegression())])


def test_forests_pipelines_and_own_learners_are_compared_on_a_mixed_table() -> None:
    table = acumen.read(people(), target="rich")
    forest = RandomForestClassifier(n_estimators=5, random_state=0)
    found = acumen.compare(
        [forest, mixed_pipeline(), acumen.NaiveBayes()], table, acumen.KFold(3), random_state=0
    )
    assert set(found.names) == {
        "RandomForestClassifier", "ColumnTransformer + LogisticRegression", "NaiveBayes", "Majority",
    }  # fmt: skip
    means = {name: found[name].mean for name in found.names} if hasattr(found, "__getitem__") else {}
    assert not means or max(v for k, v in means.items() if k != "Majority") < means["Majority"]
    assert not hasattr(forest, "estimators_")  # copies were fitted
    str(found)


class Contrary(DecisionTreeClassifier):
    """Its labels are not its likeliest classes; as of machines whose probabilities are fitted apart."""

    def predict(self, X: Any) -> Any:
        return self.classes_[(self.predict_proba(X).argmax(axis=1) + 1) % len(self.classes_)]


def test_assess_gives_scikit_learns_own_predictions() -> None:
    iris = acumen.datasets.load("iris")
    X, y = np.asarray(iris.numeric), iris.label_values()
    for estimator in (
        DecisionTreeClassifier(max_depth=2, random_state=0), LogisticRegression(max_iter=500), LinearSVC(),
        RidgeClassifier(), Contrary(max_depth=2, random_state=0), SVC(), make_pipeline(StandardScaler(), SVC()),
        GridSearchCV(DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2]}, cv=3),
    ):  # fmt: skip
        ours = adapt(estimator).fit(iris)
        theirs = copy.deepcopy(estimator).fit(X, y.astype(str))
        assert ours.predict(iris).tolist() == theirs.predict(X).tolist()
        assert hasattr(ours, "predict_proba") == hasattr(theirs, "predict_proba")
        if hasattr(theirs, "predict_proba") and not isinstance(estimator, Contrary):
            assert np.allclose(ours.predict_proba(iris), theirs.predict_proba(X))
        assert ours.explain(iris.take([0])).label == ours.predict(iris)[0]
    forest = RandomForestClassifier(n_estimators=5, random_state=0)
    run = acumen.assess(forest, iris, acumen.KFold(3), ["error", "log_loss"], 0)
    assert run.learner == "RandomForestClassifier(n_estimators=5, random_state=0)" and run.mean < 0.2


def test_a_class_that_a_fold_lacks_has_probability_zero() -> None:
    iris = acumen.datasets.load("iris")
    learner = adapt(DecisionTreeClassifier()).fit(iris.take(np.arange(100)))
    assert learner.predict_proba(iris).shape == (150, 3) and not learner.predict_proba(iris)[:, 2].any()


def test_equal_estimators_are_told_apart_by_their_parameters() -> None:
    iris = acumen.datasets.load("iris")
    both = [DecisionTreeClassifier(max_depth=1), DecisionTreeClassifier(max_depth=3)]
    found = acumen.compare(both, iris, acumen.KFold(3), random_state=0)
    assert {"DecisionTreeClassifier(max_depth=1)", "DecisionTreeClassifier(max_depth=3)"} < set(found.names)


def test_regressors_are_compared_too() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(y=X[:, 0] * 2)
    table = acumen.read(frame, target="y")
    learners = [
        LinearRegression(),
        acumen.LinearRegression(),
        make_pipeline(StandardScaler(), LinearRegression()),
    ]
    found = acumen.compare(learners, table, acumen.KFold(3), random_state=0)
    assert {"LinearRegression", "sklearn.LinearRegression", "StandardScaler + LinearRegression"} < set(
        found.names
    )
    assert isinstance(adapt(LinearRegression()), ForeignRegressor)
    assert adapt(LinearRegression()).fit(table).predict(table) == pytest.approx(X[:, 0] * 2)


def test_weights_reach_the_estimator_and_the_last_step_of_a_pipeline() -> None:
    iris = acumen.datasets.load("iris")
    weights = np.where(iris.labels == 0, 1e-6, 1.0)
    heavy = acumen.read(iris.to_pandas().assign(w=weights), target="class", weight="w")
    stump = DecisionTreeClassifier(max_depth=1)
    for estimator in (stump, make_pipeline(StandardScaler(), stump)):
        learner = adapt(estimator).fit(heavy)
        assert "Iris-setosa" not in set(learner.predict(iris))
    from sklearn.neighbors import KNeighborsClassifier

    with pytest.raises(DataError, match="KNeighborsClassifier does not take them"):
        adapt(KNeighborsClassifier()).fit(heavy)


def test_estimators_that_take_categories_get_a_frame() -> None:
    table = acumen.read(people(), target="rich")
    learner = adapt(HistGradientBoostingClassifier(max_iter=5, categorical_features="from_dtype"))
    learner.set_params(columns="frame")
    assert learner.fit(table).score(table) > 0.7
    frame = people(20, 3).drop(columns="rich")
    frame.loc[0, "plan"] = "unheard of"
    assert len(learner.predict(frame)) == 20
    with pytest.raises(DataError, match="Put what it needs before it in a Pipeline"):
        ForeignClassifier(LogisticRegression(), columns="frame").fit(table)


def test_without_pandas_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    table, iris = acumen.read(people(), target="rich"), acumen.datasets.load("iris")
    there = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *a: None if name == "pandas" else there(name, *a)
    )
    with pytest.raises(DataError, match="pip install pandas"):
        acumen.assess(mixed_pipeline(), table)
    with pytest.raises(DataError, match="pip install pandas"):
        acumen.compare([mixed_pipeline()], table)
    for estimator in (
        make_pipeline(StandardScaler(), LogisticRegression()),
        DecisionTreeClassifier(max_depth=2),
    ):
        assert acumen.assess(estimator, iris, acumen.KFold(2), random_state=0).mean < 0.4
    assert (
        acumen.assess(RandomForestClassifier(n_estimators=3), table, acumen.KFold(2), random_state=0).mean
        < 0.5
    )


def test_save_refuses_in_a_sentence(tmp_path: Any) -> None:
    iris = acumen.datasets.load("iris")
    fitted = adapt(DecisionTreeClassifier()).fit(iris)
    with pytest.raises(ParameterError, match="acumen's own learners; got DecisionTreeClassifier"):
        acumen.save(fitted, tmp_path / "m.acm")
    piped = make_pipeline(StandardScaler(), SVC())
    for ensemble in (acumen.OneVsRest(DecisionTreeClassifier()), acumen.OneVsOne(piped)):
        with pytest.raises(ParameterError, match="which is not acumen's"):
            acumen.save(ensemble.fit(iris), tmp_path / "m.acm")
        acumen.assess(ensemble, iris, acumen.KFold(2), random_state=0)
    assert not list(tmp_path.iterdir())


def test_copies_and_pickles_predict_the_same() -> None:
    table = acumen.read(people(), target="rich")
    for estimator in (mixed_pipeline(), RandomForestClassifier(n_estimators=3, random_state=0)):
        fitted = adapt(estimator).fit(table)
        for again in (copy.deepcopy(fitted), pickle.loads(pickle.dumps(fitted))):
            assert again.predict(table).tolist() == fitted.predict(table).tolist()
        assert "another library" in fitted.describe() and fitted.estimator_.predict is not None


def test_what_is_no_estimator_is_refused() -> None:
    iris = acumen.datasets.load("iris")
    for wrong in (3, "tree", DecisionTreeClassifier, acumen.NaiveBayes, StandardScaler()):
        with pytest.raises(ParameterError, match="is no learner"):
            acumen.assess(wrong, iris)
        with pytest.raises(ParameterError, match="is no learner"):
            acumen.compare([wrong], iris)
    from sklearn.cluster import KMeans

    with pytest.raises(ParameterError, match="neither"):
        adapt(KMeans())
    assert adapt(acumen.NaiveBayes()).alpha == 1.0
