"""AdaBoost: the kernel against its twin, the documents' numbers, resampling with new draws, weights."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

import acumen
from acumen.ensembles.boosted import Boosting
from acumen.errors import AcumenWarning
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
    model = acumen.AdaBoost(rounds=12, variant=variant).fit(X, y)
    expected = twin.boosted(X.tolist(), y.tolist(), classes, 12, variant == "samme")
    found = [(r.error, r.vote, r.combined) for r in model.trace_]
    assert len(found) == len(expected)
    np.testing.assert_allclose(found, [line[1:] for line in expected], rtol=1e-6, atol=1e-9)
    votes = np.zeros((len(y), classes))
    for rule, _, vote, _ in expected:
        for line, row in zip(votes, X.tolist(), strict=True):
            line[twin.says(rule, row)] += vote
    np.testing.assert_allclose(model.model_.voted(model._query(X)), votes, rtol=1e-6)


def test_stumps_of_the_kernel_are_trees_of_one_test() -> None:
    tree = acumen.DecisionTree(measure="gini", split="binary", prune="none", max_depth=1, missing="majority")
    kernel, trees = (
        acumen.AdaBoost(learner, rounds=10, variant="samme").fit(IRIS).trace_ for learner in (None, tree)
    )
    np.testing.assert_allclose(kernel.error, trees.error)
    np.testing.assert_allclose(kernel.combined, trees.combined)


def test_w000_49_votes_of_documented_errors() -> None:
    how = Boosting(10, "reweight", "m1", 10)
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
    assert Boosting(1, "reweight", "m1", 0).vote(error, 2) == pytest.approx(0.6190392084)
    new = np.where(wrong, w / (2 * error), w / (2 * (1 - error)))  # what both kernels do
    np.testing.assert_allclose(new, [1 / 13, 2 / 7, 3 / 13, 5 / 26, 3 / 14])
    assert new[wrong].sum() == pytest.approx(0.5)


def test_w000_50_the_first_error_is_the_combined_one_and_training_error_falls() -> None:
    assert IRIS.labels is not None
    y = (IRIS.labels == 1).astype(int)
    X = np.column_stack(IRIS.numeric.columns)[:, 1:2]
    trace = acumen.AdaBoost(rounds=30).fit(X, y).trace_
    assert trace[0].error == pytest.approx(trace[0].combined)
    both = acumen.AdaBoost(rounds=30).fit(np.column_stack(IRIS.numeric.columns), y).trace_
    assert both.combined[-1] < both.combined[0] / 2


def test_a_classifier_without_an_error_keeps_its_vote() -> None:
    X, y = np.arange(10.0)[:, None], np.repeat([0, 1], 5)
    model = acumen.AdaBoost(rounds=5).fit(X, y)
    assert len(model.trace_) == 1 and model.trace_.end.startswith("a classifier without an error")
    assert model.trace_[0].vote == pytest.approx(math.log((1 - 1e-9) / 1e-9))
    assert model.score(X, y) == 1.0


def test_rows_are_drawn_anew_where_the_error_is_too_large() -> None:
    """Weka stops there; of noise some draw mostly does better, and the trace says how many it took."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (40, 1)).astype(float), rng.integers(0, 2, 40)
    tried = acumen.AdaBoost(rounds=8, method="resample", retries=10, random_state=0).fit(X, y).trace_
    never = acumen.AdaBoost(rounds=8, method="resample", retries=0, random_state=0).fit(X, y).trace_
    assert tried.draws.max() > 1 and len(tried) >= len(never)
    assert (tried.error[1:] < 0.5).all()
    again = (
        acumen.AdaBoost(acumen.OneR(min_bucket=1), rounds=8, method="resample", random_state=0)
        .fit(X, y)
        .trace_
    )
    assert (again.draws >= 1).all()


def test_a_learner_that_takes_no_weights_is_given_rows_drawn_and_says_so() -> None:
    with pytest.warns(AcumenWarning, match="takes no weights"):
        model = acumen.AdaBoost(KNeighborsClassifier(3), rounds=3, random_state=0).fit(IRIS)
    assert model.method_ == "resample"
    assert acumen.AdaBoost(acumen.DecisionTree(), rounds=2).fit(IRIS).method_ == "reweight"


@pytest.mark.parametrize("learner", [None, acumen.DecisionTree(max_depth=2), acumen.NaiveBayes()], ids=repr)
def test_a_weight_of_two_is_a_repeated_row(learner: Any) -> None:
    X, y = cloud(50, 2, 3)
    times = np.where(np.arange(50) % 3 == 0, 2, 1)
    heavy = acumen.AdaBoost(learner, rounds=4).fit(X, y, sample_weight=times)
    twice = acumen.AdaBoost(learner, rounds=4).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(heavy.trace_.error, twice.trace_.error, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(heavy.predict_proba(X), twice.predict_proba(X), atol=1e-6)


def test_bagging_is_adaboost_with_constant_weights() -> None:
    """Were the weights never changed, resampling would fit each member on a plain bootstrap: bagging's draws."""
    from acumen.ensembles.bagged import drawn

    rng = np.random.default_rng(0)
    weights = np.ones(200)
    plain = np.mean([(drawn(rng, weights, np.empty(0, np.int32), 1.0) == 0).mean() for _ in range(200)])
    edges = np.cumsum(weights / weights.sum())  # what boost() draws by, while all rows weigh the same
    boosted = np.mean(
        [
            (np.bincount(np.searchsorted(edges, rng.random(200), "right"), minlength=200)[:200] == 0).mean()
            for _ in range(200)
        ]
    )
    expected = (1 - 1 / 200) ** 200
    assert plain == pytest.approx(expected, abs=0.01) and boosted == pytest.approx(expected, abs=0.01)
    votes = acumen.Bagging(acumen.OneR(), n=7, random_state=0).fit(IRIS).model_
    assert len(set(votes.weights.tolist())) == 1


def test_rows_kept_apart_end_boosting_early() -> None:
    X, y = cloud(300, 2, 5)
    model = acumen.AdaBoost(rounds=60, validation=0.3, random_state=0).fit(X, y)
    assert len(model.trace_.validation) >= len(model.trace_)
    assert len(model.trace_) == int(np.argmin(model.trace_.validation)) + 1


def test_the_error_over_rounds_is_drawn() -> None:
    model = acumen.AdaBoost(rounds=10, variant="samme").fit(IRIS)
    assert "rounds" in model.to_svg()
    assert len(str(model.trace_).splitlines()) == 12
