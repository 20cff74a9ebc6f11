"""SelfTraining: rounds by hand, what rows without a label changed, and that it is a learner like any other."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import acumen
from acumen import FullBayes, LeastSquares, Logistic, NaiveBayes, Ridge, SelfTraining
from acumen.base.unlabelled_report import Unlabelled, upper_tail
from acumen.checks import check_learner
from acumen.errors import AcumenWarning, ParameterError


def clouds(n=80, known=16, seed=0, apart=2.0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, 2)) + apart * y[:, None]
    labels = np.array(["no", "yes"], dtype=object)[y]
    labels[known:] = None
    return X, labels, np.array(["no", "yes"])[y]


def by_hand(X, labels, threshold, rounds, most=None):
    """The loop as textbooks have it."""
    labels = labels.copy()
    counts = []
    for _ in range(rounds):
        known = np.array([label is not None for label in labels])
        model = NaiveBayes().fit(X[known], labels[known].astype(str))
        left = np.flatnonzero(~known)
        if not len(left):
            break
        shares = model.predict_proba(X[left])
        sure = np.flatnonzero(shares.max(axis=1) >= threshold)
        if most is not None:
            sure = sure[np.argsort(-shares[sure].max(axis=1), kind="stable")[:most]]
        if not len(sure):
            break
        labels[left[sure]] = model.classes_[shares[sure].argmax(axis=1)]
        counts.append(len(sure))
    known = np.array([label is not None for label in labels])
    return labels, tuple(counts), NaiveBayes().fit(X[known], labels[known].astype(str))


@pytest.mark.parametrize(("threshold", "most"), [(0.9, None), (0.99, None), (0.8, 7)])
def test_rounds_and_labels_are_those_of_a_loop_by_hand(threshold, most):
    X, labels, _ = clouds()
    found = SelfTraining(
        NaiveBayes(), threshold=threshold, max_rows_per_round=most, max_iter=5, folds=None
    ).fit(X, labels)
    expected, counts, model = by_hand(X, labels, threshold, 5, most)
    assert found.report_.rounds == counts and found.n_iter_ == len(counts)
    assert found.labels_.tolist() == expected.tolist()
    np.testing.assert_allclose(found.predict_proba(X), model.predict_proba(X), atol=1e-12)


def test_no_round_and_no_unlabelled_row_are_the_learner_alone():
    X, labels, truth = clouds()
    alone = Logistic().fit(X[:16], labels[:16].astype(str))
    none = SelfTraining(Logistic(), max_iter=0).fit(X, labels)
    np.testing.assert_array_equal(none.predict_proba(X), alone.predict_proba(X))
    full = SelfTraining(Logistic()).fit(X, truth)
    np.testing.assert_array_equal(full.predict_proba(X), Logistic().fit(X, truth).predict_proba(X))
    assert full.report_.n_pseudo_labels == 0 and full.report_.tested == 0


def test_the_report_counts_what_changed_on_rows_left_out():
    X, labels, _ = clouds(120, 30, 2, 1.0)
    report = SelfTraining(FullBayes(), threshold=0.7, folds=4).fit(X, labels).report_
    assert report.labelled == 30 and report.unlabelled == 90 and report.tested == 30 and report.folds == 4
    assert report.better + report.worse == report.changed  # of two classes one of two is right
    assert report.error_with - report.error_without == pytest.approx((report.worse - report.better) / 30)
    assert report.p == pytest.approx(upper_tail(report.worse, report.changed))


def test_a_warning_is_given_where_unlabelled_rows_hurt():
    # Labelled rows are told apart along x; unlabelled ones lie so that the learner is sure and wrong about y.
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    labelled = np.c_[rng.normal(1.2 * y, 0.5), rng.normal(0, 1, 40)]
    other = np.c_[rng.normal(3.0, 0.4, 400), rng.normal(0, 1, 400)]  # far on the side of one class
    other[:200, 0] = rng.normal(0.9, 0.05, 200)
    X = np.vstack([labelled, other])
    labels = np.r_[np.array(["a", "b"], dtype=object)[y], np.full(400, None)]
    with pytest.warns(AcumenWarning, match="SelfTraining: the unlabelled rows hurt"):
        model = SelfTraining(NaiveBayes(), threshold=0.6).fit(X, labels)
    assert model.report_.hurts and "they hurt" in model.describe()


def test_harm_is_told_from_chance_by_a_fair_coin():
    assert upper_tail(4, 4) == 1 / 16 and upper_tail(0, 5) == 1.0
    exact = sum(math.comb(1000, k) for k in range(530, 1001)) / 2**1000
    assert upper_tail(530, 1000) == pytest.approx(exact)
    assert upper_tail(531, 1002) == pytest.approx(exact, rel=0.02)
    few = Unlabelled(10, 10, (1,), 5, 10, 3, 0, 3, 0.4, 0.1, upper_tail(3, 3))
    assert not few.hurts and "could be chance" in str(few)
    assert Unlabelled(10, 10, (1,), 5, 10, 4, 0, 4, 0.5, 0.1, upper_tail(4, 4)).hurts


def test_the_file_keeps_the_learner_within(tmp_path):
    X, labels, _ = clouds()
    model = SelfTraining(NaiveBayes()).fit(X, labels)
    acumen.save(model, tmp_path / "m.acm")
    kept = acumen.load(tmp_path / "m.acm")
    assert isinstance(kept, NaiveBayes)
    np.testing.assert_array_equal(kept.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))


@pytest.mark.parametrize(
    ("learner", "said"),
    [
        (LeastSquares(), "no probabilities"),
        (Ridge(), "must be a classifier"),
        (NaiveBayes(unlabelled="em"), "already uses"),
        ("naive-bayes", "must be a classifier of acumen"),
    ],
)
def test_learners_it_cannot_use_are_refused(learner, said):
    X, labels, _ = clouds(20, 8)
    with pytest.raises(ParameterError, match=said):
        SelfTraining(learner).fit(X, labels)


def test_assessing_gives_every_fold_the_rows_without_a_label():
    X, labels, _ = clouds(160, 30, 4, 3.0)
    table = acumen.read((X, [label if label is not None else None for label in labels]))
    found = acumen.assess(SelfTraining(NaiveBayes(), folds=None), table, acumen.KFold(3), random_state=0)
    assert found.mean < 0.2


def test_it_keeps_the_laws_of_learners():
    checked = check_learner(SelfTraining(NaiveBayes()))
    assert len(checked.passed) > 35, checked


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([SelfTraining(NaiveBayes())])
def test_it_passes_scikit_learns_checks(estimator, check):
    check(estimator)


def test_clones_have_the_same_parameters():
    one = SelfTraining(NaiveBayes(alpha=2.0), threshold=0.7, max_rows_per_round=3)
    assert clone(one).get_params()["learner__alpha"] == 2.0 and clone(one).max_rows_per_round == 3
