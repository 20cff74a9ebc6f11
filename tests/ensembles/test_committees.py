"""Voting, bagging, stacking and stability."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeClassifier

import acumen
from acumen.ensembles.bootstrap_draws import draw_times
from acumen.errors import AcumenWarning, DataError, ParameterError

IRIS = acumen.datasets.load("iris")


class Says:
    """A model that says one class of every row."""

    kind = "says"
    probabilistic = True

    def __init__(self, code: int, classes: int) -> None:
        self.line = np.full(classes, -20.0)
        self.line[code] = 0.0

    def scores(self, rows: Any) -> Any:
        return np.tile(self.line, (len(rows), 1))


def committee(said: list[int], weights: list[float], prior: list[float]) -> Any:
    from acumen.ensembles.committee import CommitteeModel

    members = tuple(Says(code, len(prior)) for code in said)
    return CommitteeModel(members, np.array(weights), "classes", np.array(prior))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("said", "weights", "prior", "winner"),
    [
        ([0, 1, 1], [1, 1, 1], [0.9, 0.05, 0.05], 1),  # a majority beats any prior
        ([0, 1, 1, 2, 2, 2, 0], [1] * 7, [0.5, 0.3, 0.2], 2),  # a plurality will do
        ([0, 1, 1], [2.1, 1, 1], [0.1, 0.8, 0.1], 0),  # votes weigh
        ([0, 1], [1, 1], [0.2, 0.5, 0.3], 1),  # a tie goes to the larger class
        ([0, 1], [1, 1], [0.4, 0.4, 0.2], 0),  # and then to the first
    ],
)
def test_votes_and_ties(said: list[int], weights: list[float], prior: list[float], winner: int) -> None:
    model = committee(said, weights, prior)
    assert model.scores(IRIS.take([0]))[0].argmax() == winner
    assert np.exp(model.scores(IRIS.take([0]))).sum() == pytest.approx(1.0)


def test_probabilities_are_averaged() -> None:
    parts = [acumen.NaiveBayes(), acumen.Fisher()]
    both = acumen.Voting(parts, weights=[3, 1], use="probabilities").fit(IRIS)
    first, second = (part.fit(IRIS).predict_proba(IRIS) for part in parts)
    np.testing.assert_allclose(both.predict_proba(IRIS), (3 * first + second) / 4, atol=1e-12)
    with pytest.raises(DataError, match="has no probabilities"):
        acumen.Voting([acumen.SVM()], use="probabilities").fit(IRIS)
    with pytest.raises(ParameterError, match="one number of at least 0 for each of 2"):
        acumen.Voting(parts, weights=[1, -1]).fit(IRIS)


def test_w002_23_a_bootstrap_leaves_out_what_it_should() -> None:
    rng = np.random.default_rng(0)
    shares = [(draw_times(rng, np.ones(8), np.empty(0, np.int32), 1.0) == 0).mean() for _ in range(8_000)]
    assert np.mean(shares) == pytest.approx((7 / 8) ** 8, abs=0.006)


def test_bagging_any_learner_counts_rows_out_of_bag() -> None:
    model = acumen.Bagging(acumen.DecisionTree(), n_estimators=12, random_state=0).fit(IRIS)
    bag = model.out_of_bag_
    assert 0 < bag.error < 0.15 and bag.interval.low < bag.error < bag.interval.high
    assert len(bag.curve) == 12 and bag.without_vote == int((bag.votes == 0).sum())
    assert bag.curve_all[0] > bag.curve[0]  # of the first member two thirds of the rows have no vote
    told = bag.votes > 0
    assert IRIS.labels is not None
    wrong = bag.predictions[told].argmax(axis=1) != IRIS.labels[told]
    assert bag.error == pytest.approx(wrong.mean())


def test_w000_46_bagged_machines_err_in_whole_rows() -> None:
    assert IRIS.labels is not None
    y = np.where(IRIS.labels == 1, 1, -1)
    X = np.column_stack(IRIS.numeric.columns)
    for n in (3, 5):
        model = acumen.Bagging(acumen.SVM(kernel="poly", degree=2), n_estimators=n, random_state=0).fit(X, y)
        said = model.predict(X)
        wrong = np.count_nonzero(said != y)
        assert np.mean((said - y) ** 2) == pytest.approx(4 * wrong / 150)  # odd numbers of votes have no ties
        assert model.model_.use == "classes" and wrong < 30


def test_full_trees_go_the_forests_way_and_answer_as_well() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(600, 5))
    y = (X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=600) > 0).astype(int)
    quick = acumen.Bagging(n_estimators=25, random_state=0).fit(X[:400], y[:400])
    tree = acumen.DecisionTree(measure="gini", split="binary", prune="none", missing="majority")
    slow = acumen.Bagging(tree, n_estimators=25, random_state=0).fit(X[:400], y[:400])
    assert abs(quick.score(X[400:], y[400:]) - slow.score(X[400:], y[400:])) < 0.06
    assert len(quick.model_.members[0].packed) == 25


def test_bagged_regressors_average() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = X @ [1.0, -2.0] + rng.normal(0, 0.1, 60)
    model = acumen.BaggingRegressor(LinearRegression(), n_estimators=8, random_state=0).fit(X, y)
    members = np.mean([each.predict(X) for each in model.learners_], axis=0)
    np.testing.assert_allclose(model.predict(X), members)
    assert model.out_of_bag_.error == pytest.approx(0.01, rel=0.8)
    why = model.explain(X[:1])
    assert why.start + sum(each.amount for each in why.contributions) == pytest.approx(why.value)


@pytest.mark.parametrize(
    "learner",
    [
        acumen.Bagging(DecisionTreeClassifier(random_state=0), n_estimators=2, random_state=0),
        acumen.Voting([acumen.NaiveBayes(), DecisionTreeClassifier(random_state=0)]),
        acumen.AdaBoost(DecisionTreeClassifier(max_depth=1, random_state=0), n_estimators=2),
        acumen.Stacking([acumen.NaiveBayes(), DecisionTreeClassifier(random_state=0)], random_state=0),
    ],
    ids=lambda each: type(each).__name__,
)
def test_ensembles_of_foreign_members_are_refused_by_save(learner: Any, tmp_path: Any) -> None:
    fitted = learner.fit(IRIS)
    assert fitted.predict(IRIS).shape == (150,)
    with pytest.raises(ParameterError, match="cannot hold"):
        acumen.save(fitted, tmp_path / "model.acm")


def test_parameters_of_members_are_reached_by_their_names() -> None:
    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV

    X, y = load_iris(return_X_y=True)
    pairs = acumen.Voting([("a", acumen.NaiveBayes()), ("b", acumen.OneR())])
    found = GridSearchCV(pairs, {"a__alpha": [1.0, 2.0], "b": [acumen.DecisionTree()]}, error_score="raise")
    assert isinstance(found.fit(X, y).best_estimator_.learners_["b"], acumen.DecisionTree)
    assert dict(pairs.learners)["a"].alpha == 1.0  # type: ignore[arg-type]
    by_class = acumen.Stacking([acumen.NaiveBayes(), acumen.NaiveBayes()])
    by_class.set_params(**{"NaiveBayes'__alpha": 3.0, "NaiveBayes": acumen.OneR()})
    assert [learner.alpha for _, learner in by_class.learners] == [1.0, 3.0]
    named = acumen.Voting({"use": acumen.OneR(), "x": acumen.NaiveBayes()}).set_params(use="probabilities")
    assert named.use == "probabilities" and isinstance(named.learners["use"], acumen.OneR)
    assert clone(named.set_params(x=acumen.OneR(), x__alpha=2.0)).get_params()["x__alpha"] == 2.0
    with pytest.raises(ValueError, match="nobody"):
        named.set_params(nobody__alpha=1.0)
    assert "learners" in acumen.Voting(3).get_params() and acumen.Voting().get_params()["learners"] is None


def test_members_must_have_no_costs_of_their_own() -> None:
    with pytest.raises(ParameterError, match="costs and priors are for the ensemble"):
        acumen.Bagging(acumen.NaiveBayes(priors="uniform")).fit(IRIS)
    with pytest.raises(ParameterError, match="must be a classifier"):
        acumen.Bagging(acumen.Ridge()).fit(IRIS)


# -- stacking ---------------------------------------------------------------------------------------


def test_the_combiner_learns_from_rows_that_members_did_not_see() -> None:
    """A tree that knows its rows by heart is trusted in sample, and not out of fold."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 6))
    y = (X[:, 0] + rng.normal(0, 1.0, 300) > 0).astype(int)
    parts = {"by heart": acumen.RandomTree(random_state=0), "sensible": acumen.Logistic()}
    held = rng.normal(size=(3000, 6))
    truth = (held[:, 0] + rng.normal(0, 1.0, 3000) > 0).astype(int)
    honest = acumen.Stacking(parts, random_state=0).fit(X, y).score(held, truth)
    flattered = acumen.Stacking(parts, folds=None).fit(X, y).score(held, truth)
    assert honest > flattered + 0.05


def test_free_predictions_warn_that_they_leak_and_are_those_out_of_bag() -> None:
    parts = [acumen.RandomForest(30, random_state=0), acumen.NaiveBayes()]
    with pytest.warns(AcumenWarning, match="leak into the combiner"):
        model = acumen.Stacking(parts, folds="free").fit(IRIS)
    assert model.score(IRIS) > 0.9
    with (
        pytest.warns(AcumenWarning, match="leak into the combiner"),
        pytest.raises(ParameterError, match="no free predictions"),
    ):
        acumen.Stacking([acumen.SVM()], folds="free").fit(IRIS)


def test_free_predictions_of_rows_without_a_closed_form_are_by_a_fit_each() -> None:
    """One row of it has no closed form; all are told what the model of the others says."""
    rows = acumen.datasets.load("weather")
    alone = acumen.NaiveBayes().fit(rows)
    _, anew = alone.leave_one_out(rows)
    assert 0 < anew.sum() < len(rows)
    combiner = acumen.Logistic()
    with pytest.warns(AcumenWarning, match="leak into the combiner"):
        model = acumen.Stacking([acumen.NaiveBayes()], combiner=combiner, folds="free").fit(rows)
    every = np.arange(len(rows))
    said = [acumen.NaiveBayes().fit(rows.take(every != i)).predict_proba(rows.take([i]))[0, 1] for i in every]
    taught = combiner.fit(np.array(said)[:, None], rows.labels)
    assert model.combiner_.coef_ == pytest.approx(taught.coef_, rel=1e-6)


@pytest.mark.filterwarnings("ignore:NaiveBayes. the training rows have only one value")
def test_free_predictions_are_refused_where_most_rows_would_need_a_fit() -> None:
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=400), np.zeros(400)])
    X[0, 1] = 1.0  # one class is constant here, and every row has a part in its variance
    y = np.arange(400) % 2
    with (
        pytest.warns(AcumenWarning, match="leak into the combiner"),
        pytest.raises(ParameterError, match="does not hold for 400 of these 400 rows"),
    ):
        acumen.Stacking([acumen.NaiveBayes()], folds="free").fit(X, y)


@pytest.mark.slow
def test_w000_51_stacking_is_on_average_as_good_as_the_best_of_its_members() -> None:
    parts = {"bayes": acumen.NaiveBayes(), "machine": acumen.SVM(kernel="linear"), "rule": acumen.OneR()}
    stacked, best = [], []
    for seed in range(20):
        train, test = IRIS.split(2 / 3, random_state=seed)
        single = [acumen.Voting([part]).fit(train).score(test) for part in parts.values()]
        model = acumen.Stacking(parts, random_state=seed).fit(train)
        assert (model.score(test) * 50) == pytest.approx(round(model.score(test) * 50))
        stacked.append(model.score(test))
        best.append(max(single))
    assert np.mean(stacked) > np.mean(best) - 0.02


# -- stability --------------------------------------------------------------------------------------


def test_a_stable_learner_and_an_unstable_one_are_told_apart() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 8))
    y = np.where(X.sum(axis=1) + rng.normal(0, 1, 150) > 0, "a", "b")
    table = acumen.read(np.column_stack([X.astype(object), y]), target=8)
    steady = acumen.stability(acumen.NearestMean(), table, n_repeats=10, random_state=0)
    shaky = acumen.stability(acumen.RandomTree(random_state=0), table, n_repeats=15, random_state=0)
    assert shaky.changes > steady.changes and shaky.bagging_helps and "Bagging should help" in shaky.advice
    assert shaky.error == pytest.approx(shaky.bias + shaky.variance)
    with pytest.raises(ParameterError, match="at least 2"):
        acumen.stability(acumen.Majority(), table, n_repeats=1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("learner", "least", "most"),
    [
        (acumen.NaiveBayes(), 0.8, 1.25),
        (acumen.DecisionTree(), 0.8, 1.25),
        (acumen.RandomTree(random_state=0), 0.8, 1.25),
        (acumen.KNN(1), 0.5, 0.7),
    ],
    ids=["NaiveBayes", "DecisionTree", "RandomTree", "KNN"],
)
def test_changes_are_those_between_models_of_independent_tables(
    learner: Any, least: float, most: float
) -> None:
    """20 tables of 200 rows, against 40 models of independent tables; draws share rows, which the neighbour copies."""
    rng = np.random.default_rng(0)

    def draw(n: int) -> Any:
        X = rng.normal(size=(n, 4))
        y = np.where(X[:, 0] + X[:, 1] + rng.normal(0, 0.8, n) > 0, "a", "b")
        return acumen.read(np.column_stack([X.astype(object), y]), target=4)

    new = draw(3000)
    votes = np.sum([learner.fit(draw(200)).predict(new) == "a" for _ in range(40)], axis=0)
    true_changes = np.mean(2 * votes * (40 - votes) / (40 * 39))
    answers = [acumen.stability(learner, draw(200), random_state=seed) for seed in range(20)]
    assert least <= np.mean([each.changes for each in answers]) / true_changes <= most
    true_error = np.mean(np.where(new.label_values() == "a", 40 - votes, votes) / 40)
    assert true_error * 0.95 <= np.mean([each.error for each in answers]) <= true_error * 1.2


def test_w000_52_variance_grows_with_the_freedom_of_a_machine() -> None:
    assert IRIS.labels is not None
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    y = np.where(X[:, 0] + rng.normal(0, 0.8, 90) > 0.8, "a", "b")
    table = acumen.read(np.column_stack([X.astype(object), y]), target=2)
    tight, free = (
        acumen.stability(acumen.SVM(C=C, gamma=2.0), table, n_repeats=12, random_state=0).changes
        for C in (0.01, 100.0)
    )
    assert tight < free


def test_of_huge_counts_as_many_rows_are_drawn_at_once() -> None:
    rng = np.random.default_rng(0)
    weights = np.array([1e12, 2e12, 5e12, 3.0])
    times = draw_times(rng, weights, np.empty(0, dtype=np.int32), 0.5)
    assert times.sum() == round(weights.sum() / 2)
    np.testing.assert_allclose(times[:3] / times.sum(), [0.125, 0.25, 0.625], atol=1e-5)
    X, y = rng.normal(size=(40, 2)), np.repeat(["a", "b"], 20)
    for learner in (
        acumen.Bagging(acumen.DecisionTree(), n_estimators=3, random_state=0),
        acumen.Bagging(n_estimators=3, random_state=0),
        acumen.RandomForest(3, random_state=0),
    ):
        assert learner.fit(X, y, np.full(40, 1e12)).score(X, y) == 1.0


def test_rows_of_many_counts_are_drawn_as_if_they_were_written_out() -> None:
    """Times of rows drawn at once (9 draws a row) and one by one (the same rows repeated) are of one distribution."""
    X, y = np.arange(30.0)[:, None], np.repeat(["a", "b", "c"], 10)
    counts = np.tile([1.0, 3.0, 30.0], 10)
    at_once = acumen.RandomForest(400, max_depth=1, random_state=0).fit(X, y, counts)
    absent = at_once.out_of_bag_.votes / 400
    # of 340 draws a row of count w is in none with probability (1 - w / 340) ** 340
    np.testing.assert_allclose(absent.reshape(10, 3).mean(axis=0), np.exp(-np.array([1, 3, 30])), atol=0.02)


def test_full_trees_are_explained_by_attributes_and_counted() -> None:
    model = acumen.Bagging(n_estimators=7, random_state=0).fit(IRIS)
    told = model.explain(IRIS.take([60]))
    assert {part.attribute for part in told.evidence} > {"petal_length"}
    assert sum(part.contribution for part in told.evidence) == pytest.approx(told.log_odds)
    assert "7 trees" in str(told)
    X = np.linspace(0, 1, 30)[:, None]
    regressor = acumen.BaggingRegressor(n_estimators=7, random_state=0).fit(X, X[:, 0])
    assert "the mean of 7 full trees" in regressor.describe()


@pytest.mark.parametrize("labels", [("c1", "c2"), ("no", "yes")])
def test_a_combiner_that_minds_the_names_of_its_attributes_predicts_rows_without_a_target(
    labels: tuple[str, str],
) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.where(X[:, 0] > 0, *labels)
    parts = {"bayes": acumen.NaiveBayes(), "line": acumen.SVM(kernel="linear")}
    for use in ("probabilities", "classes"):
        model = acumen.Stacking(parts, combiner=acumen.SVM(), use=use, random_state=0).fit(X, y)
        assert np.mean(model.predict(X) == y) > 0.85


@pytest.mark.parametrize(
    "ensemble",
    [
        acumen.Bagging(acumen.NaiveBayes),
        acumen.AdaBoost(acumen.NaiveBayes),
        acumen.Voting([acumen.NaiveBayes]),
        acumen.Stacking([acumen.NaiveBayes]),
        acumen.OneVsRest(acumen.NaiveBayes),
        acumen.Calibrated(acumen.NaiveBayes),
    ],
    ids=lambda each: type(each).__name__,
)
def test_a_class_in_the_place_of_a_learner_is_refused_in_a_sentence(ensemble: Any) -> None:
    with pytest.raises(ParameterError, match=r"such as NaiveBayes\(\); got <class"):
        ensemble.fit(acumen.datasets.load("iris"))


class _Interrupted(acumen.NaiveBayes):
    """A learner at whose fourth fit Ctrl-C is pressed."""

    fits = 0

    def fit(self, X: Any, y: Any = None, **more: Any) -> Any:
        _Interrupted.fits += 1
        if _Interrupted.fits == 4:
            raise KeyboardInterrupt
        return super().fit(X, y, **more)


def test_ctrl_c_leaves_the_members_that_were_finished(tmp_path: Any) -> None:
    iris = acumen.datasets.load("iris")
    _Interrupted.fits = 0
    model = acumen.Bagging(_Interrupted(), n_estimators=10, random_state=0)
    with pytest.raises(KeyboardInterrupt):
        model.fit(iris)
    three = acumen.Bagging(acumen.NaiveBayes(), n_estimators=3, random_state=0).fit(iris)
    assert len(model.learners_) == 3 and len(model.out_of_bag_.curve) == 3
    assert np.array_equal(model.predict_proba(iris), three.predict_proba(iris))
    _Interrupted.fits = 3
    first = acumen.Bagging(_Interrupted(), n_estimators=10, random_state=0)
    with pytest.raises(KeyboardInterrupt):
        first.fit(iris)
    assert not hasattr(first, "predictor_")


@pytest.mark.parametrize("regression", [False, True])
def test_ctrl_c_while_full_trees_are_grown_is_not_swallowed(
    regression: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    from acumen.ensembles import bagging

    real = bagging.grow_forest
    monkeypatch.setattr(
        bagging,
        "grow_forest",
        lambda rows, seeds, options: real(rows, seeds[:3], options)._replace(stopped=KeyboardInterrupt()),
    )
    iris = acumen.datasets.load("iris")
    model: Any = (acumen.BaggingRegressor if regression else acumen.Bagging)(n_estimators=10, random_state=0)
    given: Any = (iris.numeric[:, :2], iris.numeric[:, 2]) if regression else (iris,)
    with pytest.raises(KeyboardInterrupt):
        model.fit(*given)
    assert len(model.out_of_bag_.curve) == 3 and len(model.predict(given[0])) == 150
    monkeypatch.undo()
    model.fit(*given)
    assert len(model.out_of_bag_.curve) == 10


def test_members_that_vote_otherwise_are_named() -> None:
    model = acumen.Voting([acumen.Majority(), acumen.NaiveBayes(), acumen.Logistic()]).fit(IRIS)
    row = IRIS.take([149])
    said = "Votes of 3 members: 2 for Iris-virginica, 1 for Iris-setosa (member 1)."
    assert model.explain(row).note.endswith(said)
