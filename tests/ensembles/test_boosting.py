"""AdaBoost: the kernel against its twin, the documents' numbers, resampling with new draws, weights."""

from __future__ import annotations

import contextlib
import math
from typing import Any

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

import acumen
from acumen.checks import Subject
from acumen.checks.laws_weight import a_weight_of_two_is_a_repeated_row
from acumen.ensembles.adaboost_rounds import AdaBoostOptions, boost
from acumen.ensembles.committee import CommitteeModel
from acumen.errors import AcumenWarning, DataError
from acumen.resampling.plan import streams
from ctrl_c_pressed import pressed_after
from reference import adaboost as twin

IRIS = acumen.datasets.load("iris")


def cloud(rows: int, classes: int, seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(rows, 3)), 1)
    score = X[:, 0] ** 2 + X[:, 1] + rng.normal(0, 0.3, rows)
    return X, np.searchsorted(np.quantile(score, np.arange(1, classes) / classes), score).astype(int)


@pytest.mark.parametrize(("classes", "variant"), [(2, "m1"), (3, "samme"), (3, "m1")])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_kernel_boosts_as_its_twin_does(classes: int, variant: str, seed: int) -> None:
    X, y = cloud(60, classes, seed)
    model = acumen.AdaBoost(n_estimators=12, variant=variant).fit(X, y)
    expected = twin.boosted(X.tolist(), y.tolist(), classes, 12, variant == "samme")
    found = [(r.error, r.vote, r.combined) for r in model.trace_]
    assert len(found) == len(expected)
    np.testing.assert_allclose(found, [line[1:] for line in expected], rtol=1e-6, atol=1e-9)
    votes = np.zeros((len(y), classes))
    for rule, _, vote, _ in expected:
        for line, row in zip(votes, X.tolist(), strict=True):
            line[twin.says(rule, row)] += vote
    np.testing.assert_allclose(model.model_.votes_for(model._query(X)), votes, rtol=1e-6)


def test_stumps_of_the_kernel_are_trees_of_one_test() -> None:
    tree = acumen.DecisionTree(measure="gini", split="binary", prune="none", max_depth=1, missing="majority")
    kernel, trees = (
        acumen.AdaBoost(learner, n_estimators=10, variant="samme").fit(IRIS).trace_
        for learner in (None, tree)
    )
    np.testing.assert_allclose(kernel.error, trees.error)
    np.testing.assert_allclose(kernel.combined, trees.combined)


def test_w000_49_votes_of_documented_errors() -> None:
    how = AdaBoostOptions(10, "reweight", "m1", 10)
    for error, vote in (
        (0.280, 0.9444616088),
        (0.305, 0.8236000690),
        (0.174, 1.5575394743),
        (0.282, 0.9345624981),
    ):
        assert how.vote(error, 2) == pytest.approx(vote, abs=1e-10)


def test_w002_24_weights_after_a_round_leave_the_classifier_at_one_half() -> None:
    """beta, the vote and the new weights of document 002's update."""
    w = np.array([0.1, 0.2, 0.3, 0.25, 0.15])
    wrong = np.array([False, True, False, False, True])
    error = float(w[wrong].sum())
    assert error / (1 - error) == pytest.approx(0.5384615385)
    assert AdaBoostOptions(1, "reweight", "m1", 0).vote(error, 2) == pytest.approx(0.6190392084)
    new = np.where(wrong, w / (2 * error), w / (2 * (1 - error)))  # what both kernels do
    np.testing.assert_allclose(new, [1 / 13, 2 / 7, 3 / 13, 5 / 26, 3 / 14])
    assert new[wrong].sum() == pytest.approx(0.5)


def test_w000_50_the_first_error_is_the_combined_one_and_training_error_falls() -> None:
    assert IRIS.labels is not None
    y = (IRIS.labels == 1).astype(int)
    X = np.column_stack(IRIS.numeric.columns)[:, 1:2]
    trace = acumen.AdaBoost(n_estimators=30).fit(X, y).trace_
    assert trace[0].error == pytest.approx(trace[0].combined)
    both = acumen.AdaBoost(n_estimators=30).fit(np.column_stack(IRIS.numeric.columns), y).trace_
    assert both.combined[-1] < both.combined[0] / 2


def test_a_classifier_without_an_error_keeps_its_vote() -> None:
    X, y = np.arange(10.0)[:, None], np.repeat([0, 1], 5)
    model = acumen.AdaBoost(n_estimators=5).fit(X, y)
    assert len(model.trace_) == 1 and model.trace_.end.startswith("a classifier without an error")
    assert model.trace_[0].vote == pytest.approx(math.log((1 - 1e-9) / 1e-9))
    assert model.score(X, y) == 1.0


def test_rows_are_drawn_anew_where_the_error_is_too_large() -> None:
    """Weka stops there; of noise some draw mostly does better, and the trace says how many it took."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (40, 1)).astype(float), rng.integers(0, 2, 40)
    tried = acumen.AdaBoost(n_estimators=8, method="resample", retries=10, random_state=0).fit(X, y).trace_
    never = acumen.AdaBoost(n_estimators=8, method="resample", retries=0, random_state=0).fit(X, y).trace_
    assert tried.draws.max() > 1 and len(tried) >= len(never)
    assert (tried.error[1:] < 0.5).all()
    again = (
        acumen.AdaBoost(acumen.OneR(min_bucket=1), n_estimators=8, method="resample", random_state=0)
        .fit(X, y)
        .trace_
    )
    assert (again.draws >= 1).all()


def test_a_learner_that_takes_no_weights_is_given_rows_drawn_and_says_so() -> None:
    with pytest.warns(AcumenWarning, match="takes no weights"):
        model = acumen.AdaBoost(KNeighborsClassifier(3), n_estimators=3, random_state=0).fit(IRIS)
    assert model.method_ == "resample"
    assert acumen.AdaBoost(acumen.DecisionTree(), n_estimators=2).fit(IRIS).method_ == "reweight"


@pytest.mark.parametrize("learner", [None, acumen.DecisionTree(max_depth=2), acumen.NaiveBayes()], ids=repr)
def test_a_weight_of_two_is_a_repeated_row(learner: Any) -> None:
    X, y = cloud(50, 2, 3)
    times = np.where(np.arange(50) % 3 == 0, 2, 1)
    heavy = acumen.AdaBoost(learner, n_estimators=4).fit(X, y, sample_weight=times)
    twice = acumen.AdaBoost(learner, n_estimators=4).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(heavy.trace_.error, twice.trace_.error, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(heavy.predict_proba(X), twice.predict_proba(X), atol=1e-6)


class Unchanged(AdaBoostOptions):
    """Boosting that never changes a weight, and gives every classifier the same vote."""

    def limit(self, classes: int) -> float:
        return 2.0

    def vote(self, error: float, classes: int) -> float:
        return 1.0

    def factors(self, error: float, classes: int) -> tuple[float, float]:
        return 1.0, 1.0


class Streams:
    """A generator for each member, as bagging has them: a seed is the first thing that is drawn for one."""

    def __init__(self, seed: int, who: str) -> None:
        self.generators = streams(seed, who)

    def integers(self, *given: Any) -> Any:
        if given == (2**31,):
            self.rng = next(self.generators)
        return self.rng.integers(*given)


def test_bagging_is_adaboost_with_constant_weights() -> None:
    """Member by member the same models, and so the same votes."""
    rows = IRIS.take(np.arange(0, 150, 2))
    assert rows.labels is not None
    bagging = acumen.Bagging(acumen.OneR(), n_estimators=9, random_state=5).fit(rows)
    rng: Any = Streams(5, "Bagging")
    prior = np.full(3, 1 / 3)
    how = Unchanged(9, "resample", "m1", 0)
    model, trace, learned, _ = boost(rows, how, prior, rng, lambda seed: acumen.OneR())
    assert len(trace) == len(learned) == len(bagging.learners_) == 9
    for ours, theirs in zip(learned, bagging.learners_, strict=True):
        assert np.array_equal(ours.predict_proba(IRIS), theirs.predict_proba(IRIS))
    counted = CommitteeModel(bagging.model_.members, np.ones(9), "classes", prior)
    assert np.array_equal(model.votes_for(IRIS), counted.votes(IRIS))
    assert np.array_equal(model.scores(IRIS), counted.scores(IRIS))


def test_weights_are_counts_of_rows_for_learners_that_smooth() -> None:
    """Naive Bayes smooths levels by how many rows there are; nine rounds of relative weights must not shrink them."""
    subject = Subject(acumen.AdaBoost(acumen.NaiveBayes(), variant="samme", n_estimators=9))
    a_weight_of_two_is_a_repeated_row(subject)


@pytest.mark.parametrize(
    "ensemble",
    [
        acumen.Stacking({"machine": acumen.SVM()}, use="classes", folds=None),
        acumen.AdaBoost(acumen.SVM(), n_estimators=2),
        acumen.Bagging(acumen.SVM(), n_estimators=2, random_state=0),
        acumen.Voting([acumen.SVM()]),
    ],
    ids=lambda each: type(each).__name__,
)
def test_ensembles_mind_constant_columns_as_their_members_do(ensemble: Any) -> None:
    """The width of a machine's kernel follows from how many columns there are."""
    assert acumen.SVM().constant_sensitive and ensemble.constant_sensitive
    assert not acumen.Voting([acumen.NaiveBayes(), acumen.OneR()]).constant_sensitive


# -- SQL ------------------------------------------------------------------------------------------


def sqlite_answers(statement: str, frame: Any) -> list[Any]:
    import sqlite3

    with contextlib.closing(sqlite3.connect(":memory:")) as base:
        frame.to_sql("rows", base, index=False)
        return [line[-1] for line in base.execute(statement)]


@pytest.mark.parametrize(
    "given",
    [{}, {"priors": {"a": 0.1, "b": 0.2, "c": 0.7}}, {"costs": {("a", "b"): 9.0, ("c", "a"): 4.0}}],
    ids=repr,
)
def test_boosted_stumps_say_in_sql_what_they_say(given: dict[str, Any]) -> None:
    """Numbers, levels with and without an order, gaps, levels nobody knew; priors and costs."""
    import pandas as pd

    rng = np.random.default_rng(2)
    kind = rng.choice(["a", "b", "c"], 300, p=[0.5, 0.3, 0.2])
    frame = pd.DataFrame(
        {
            "x": np.where(rng.random(300) < 0.2, np.nan, rng.normal(0, 1, 300) + 2.0 * (kind == "a")),
            "it's": np.where(kind == "b", rng.choice(["p", "q"], 300), rng.choice(["q", "r", "s"], 300)),
            "two": np.where(rng.random(300) < 0.1, None, np.where(kind == "c", "no", "yes")),
            "class": kind,
        }
    )
    model = acumen.AdaBoost(n_estimators=40, variant="samme", **given).fit(acumen.read(frame, target="class"))
    asked = frame.drop(columns="class")
    asked.loc[:9, "it's"] = "never seen"
    asked.loc[5:14, "two"] = None
    asked.loc[10:20, "x"] = np.nan
    assert sqlite_answers(model.to_sql("rows"), asked) == model.predict(asked).tolist()
    with pytest.raises(DataError, match="boost stumps"):
        acumen.AdaBoost(acumen.NaiveBayes(), n_estimators=2).fit(IRIS).to_sql("rows")


def test_rounds_are_told_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    acumen.AdaBoost(n_estimators=20, variant="samme", progress=True).fit(IRIS)
    assert "AdaBoost: 20 of 20 rounds" in capsys.readouterr().err
    acumen.AdaBoost(acumen.OneR(), n_estimators=2, variant="samme", progress=True).fit(IRIS)
    assert "AdaBoost: 2 of 2 rounds" in capsys.readouterr().err


@pytest.mark.parametrize(
    "learner",
    [
        acumen.RandomForest(10**6, random_state=0),
        acumen.ExtraTrees(10**6, random_state=0),
        acumen.AdaBoost(n_estimators=10**7),
        acumen.AdaBoost(acumen.OneR(), method="resample", n_estimators=10**6, retries=10**6, random_state=0),
    ],
    ids=repr,
)
def test_ctrl_c_keeps_what_was_finished(learner: Any, ctrl_c: None) -> None:
    """A real signal, while kernels run."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = (X[:, 0] + rng.normal(size=400) > 0).astype(int)
    for seconds in (
        0.4,
        2.0,
        8.0,
        40.0,
        200.0,
    ):  # where a busy machine had not begun, there is nothing to be kept
        with pytest.raises(KeyboardInterrupt), pressed_after(seconds):
            learner.fit(X, y)
        if hasattr(learner, "predictor_"):
            break
    done = learner.n_estimators_ if hasattr(learner, "n_estimators_") else len(learner.trace_)
    assert 1 <= done < 10**6
    assert learner.score(X, y) > 0.6


def test_rows_kept_apart_end_boosting_early() -> None:
    X, y = cloud(300, 2, 5)
    model = acumen.AdaBoost(n_estimators=60, validation_fraction=0.3, random_state=0).fit(X, y)
    assert len(model.trace_.validation) >= len(model.trace_)
    assert len(model.trace_) == int(np.argmin(model.trace_.validation)) + 1


def test_the_error_over_rounds_is_drawn() -> None:
    model = acumen.AdaBoost(n_estimators=10, variant="samme").fit(IRIS)
    assert "rounds" in model.to_svg()
    assert len(str(model.trace_).splitlines()) == 12


def test_a_stump_with_one_answer_on_both_sides_is_told_as_one_answer() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = (rng.random(60) < 0.15 + 0.2 * (X[:, 0] > 0)).astype(int)
    model = acumen.AdaBoost(n_estimators=30).fit(X, y)
    stumps = model.predictor_.model.stumps
    ends = [stumps.value[int(at) + 1 : int(at) + 3].argmax(axis=1) for at in stumps.start[:-1]]
    told = model.describe().splitlines()[2:14]
    alike = [len(sides) < 2 or sides[0] == sides[1] for sides in ends[:12]]
    assert any(alike)
    assert [": always " in line for line in told] == alike


@pytest.mark.parametrize("learner", [acumen.Boosting, acumen.BoostingRegressor])
def test_rounds_that_draw_no_row_change_nothing(learner):
    rng = np.random.default_rng(0)
    X, numbers = rng.normal(size=(60, 2)).round(1), rng.normal(size=60)
    target = (numbers > 0).astype(int) if learner is acumen.Boosting else numbers
    model = learner(n_estimators=5, l2_regularization=0, subsample=1e-9, random_state=0).fit(X, target)
    answers = model.predict_proba(X) if learner is acumen.Boosting else model.predict(X)
    assert np.isfinite(answers).all() and np.ptp(answers, axis=0).max() < 1e-12
