"""Soft labels: a row with shares of classes is as many weighted rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import acumen
from acumen.errors import DataError

X = np.array([[2.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 2.0], [1.0, 1.0, 1.0]])
SHARES = np.array([[0.75, 0.25], [1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])


@pytest.mark.filterwarnings("ignore:.*only one value")
@pytest.mark.parametrize(
    "learner",
    [acumen.TextBayes(), acumen.TextBayes(event="bernoulli"), acumen.NaiveBayes(), acumen.OneR(min_bucket=1)],
)
def test_shares_are_weighted_rows(learner):
    soft = learner.fit(X, SHARES, sample_weight=np.full(4, 4.0)).predict_proba(X)
    rows, columns = np.nonzero(SHARES)
    hard = learner.fit(X[rows], columns, sample_weight=4 * SHARES[rows, columns]).predict_proba(X)
    np.testing.assert_allclose(soft, hard)
    assert learner.classes_.tolist() == [0, 1]


@pytest.mark.filterwarnings("ignore:.*only one value")
@pytest.mark.parametrize("learner", [acumen.NaiveBayes(), acumen.OneR(min_bucket=1), acumen.DecisionTree()])
def test_a_row_that_is_shared_out_stays_one_row(learner):
    learner.fit(X, SHARES)
    assert learner.training_ == {"rows": 6, "weight": 4.0}
    plain = learner.predict_proba(X)
    uneven = np.array([0.3, 0.7, 1.1, 0.2])
    relative = learner.fit(X, SHARES, sample_weight=uneven).predict_proba(X)
    assert learner.training_["weight"] == pytest.approx(4.0)
    np.testing.assert_allclose(learner.fit(X, SHARES, sample_weight=uneven * 1e-4).predict_proba(X), relative)
    np.testing.assert_allclose(learner.fit(X, SHARES, sample_weight=np.full(4, 0.25)).predict_proba(X), plain)


@given(st.lists(st.integers(0, 2), min_size=3, max_size=9).filter(lambda labels: len(set(labels)) == 3))
def test_declared_shares_of_zero_and_one_are_labels(labels):
    rows = np.arange(2.0 * len(labels)).reshape(-1, 2)
    soft = acumen.TextBayes().partial_fit(rows, np.eye(3)[labels], classes=[0, 1, 2])
    hard = acumen.TextBayes().fit(rows, labels)
    np.testing.assert_allclose(soft.predict_proba(rows), hard.predict_proba(rows))


@pytest.mark.parametrize(
    "learner", [acumen.NaiveBayes(), acumen.DecisionTree(), acumen.Bagging(n_estimators=2)]
)
def test_a_matrix_of_zeros_and_ones_is_refused_and_both_ways_out_are_named(learner):
    one_hot = np.eye(2, dtype=int)[[0, 1, 0, 1]]
    way = r"y has 2 columns.*All values are 0 or 1.*one label a row: y\.argmax\(axis=1\)\..*MultiOutputClassifier"
    for y in (one_hot, one_hot.astype(float), one_hot.astype(bool), one_hot.tolist()):
        with pytest.raises(DataError, match=way):
            learner.fit(X, y)
    with pytest.raises(DataError, match=r"y\.idxmax\(axis=1\)"):
        learner.fit(X, pd.DataFrame(one_hot, columns=["ham", "spam"]))
    indicators = np.array([[1, 1], [0, 1], [0, 0], [1, 0]])
    with pytest.raises(
        DataError, match=r"sum to 1 in each row\. For several targets use MultiOutputClassifier"
    ):
        learner.fit(X, indicators)


def test_several_targets_are_refused_by_the_name_of_what_takes_them():
    texts = np.array([["a", "x"], ["b", "y"], ["a", "x"], ["b", "x"]], dtype=object)
    with pytest.raises(
        DataError, match=r"NaiveBayes: y has 2 columns.*MultiOutputClassifier from scikit-learn"
    ):
        acumen.NaiveBayes().fit(X, texts)
    with pytest.raises(DataError, match=r"Ridge: y has 2 columns.*one number a row.*MultiOutputRegressor"):
        acumen.Ridge().fit(X, np.random.default_rng(0).normal(size=(4, 2)))


@pytest.mark.filterwarnings("ignore")
def test_the_wrapper_named_takes_several_targets():
    from sklearn.multioutput import MultiOutputClassifier, MultiOutputRegressor

    two = np.array([[1, 0], [0, 1], [0, 0], [1, 1]])
    assert MultiOutputClassifier(acumen.NaiveBayes()).fit(X, two).predict(X).shape == (4, 2)
    assert MultiOutputRegressor(acumen.Ridge()).fit(X, two * 1.5).predict(X).shape == (4, 2)


def test_three_documents_by_hand():
    # Of "aab" 3/4 is class 0; Laplace: P(a | 0) = (2 * 3/4 + 1) / (3 * 3/4 + 2).
    model = acumen.TextBayes().fit([[2, 1], [0, 3]], [[0.75, 0.25], [0.0, 1.0]])
    share = (2 * 0.75 + 1) / (3 * 0.75 + 2)
    other = (2 * 0.25 + 1) / (3 * 1.25 + 2)
    expected = 0.375 * share / (0.375 * share + 0.625 * other)
    np.testing.assert_allclose(model.predict_proba([[1, 0]])[0, 0], expected)


def test_the_columns_of_a_frame_name_the_classes():
    shares = pd.DataFrame(SHARES[:, ::-1], columns=["spam", "ham"])
    model = acumen.TextBayes().fit(X, shares)
    assert model.classes_.tolist() == ["ham", "spam"]
    np.testing.assert_allclose(model.predict_proba(X), acumen.TextBayes().fit(X, SHARES).predict_proba(X))


def test_weights_multiply_shares():
    weights = np.array([2.0, 1.0, 0.0, 3.0])
    repeated = acumen.TextBayes().fit(
        np.repeat(X, [2, 1, 0, 3], axis=0), np.repeat(SHARES, [2, 1, 0, 3], axis=0)
    )
    weighted = acumen.TextBayes().fit(X, SHARES, sample_weight=weights)
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X))


def test_a_row_of_nan_has_no_label():
    shares = SHARES.copy()
    shares[3] = np.nan
    model = acumen.TextBayes().fit(X, shares)
    np.testing.assert_allclose(
        model.predict_proba(X), acumen.TextBayes().fit(X[:3], SHARES[:3]).predict_proba(X)
    )
    assert acumen.TextBayes(unlabelled="em").fit(X, shares).n_iter_ > 1


def test_chunks_take_shares_of_the_classes_declared():
    model = acumen.TextBayes().partial_fit(X[:2], SHARES[:2], classes=["a", "b"])
    model.partial_fit(X[2:], SHARES[2:])
    assert model.classes_.tolist() == ["a", "b"]
    np.testing.assert_allclose(model.predict_proba(X), acumen.TextBayes().fit(X, SHARES).predict_proba(X))


@pytest.mark.parametrize(
    "shares",
    [
        SHARES * 2, SHARES - 0.5, np.full((4, 2), "a"), SHARES[:3],
        pd.DataFrame(SHARES, columns=["a", "a"]), np.where(SHARES == 0.25, np.nan, SHARES),
    ],
    ids=["do not sum to 1", "below 0", "words", "too few rows", "a class twice", "gaps"],
)  # fmt: skip
def test_what_are_no_shares_is_refused(shares):
    with pytest.raises(DataError, match="TextBayes"):
        acumen.TextBayes().fit(X, shares)
