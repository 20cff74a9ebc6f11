"""OneVsRest, OneVsOne and OutputCodes around learners of acumen and of scikit-learn."""

from __future__ import annotations

import doctest

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier
from sklearn.tree import DecisionTreeClassifier

import acumen
from acumen import store
from acumen.ensembles import code_matrix_learners as learners
from acumen.errors import DataError, ModelFileError, ParameterError

ALL = (
    acumen.OneVsRest(acumen.NaiveBayes()),
    acumen.OneVsOne(acumen.Logistic()),
    acumen.OutputCodes(acumen.FullBayes(), random_state=0),
    acumen.OutputCodes(acumen.NaiveBayes(), code="exhaustive", decoding="hamming"),
)


@pytest.fixture(scope="module")
def iris():
    return acumen.datasets.load("iris")


@pytest.fixture(scope="module")
def numbers(iris):
    return np.asarray(iris.numeric), iris.labels


def test_one_against_the_rest_is_scikit_learns(numbers):
    X, y = numbers
    inner = LogisticRegression(C=0.7)
    peer = OneVsRestClassifier(inner).fit(X, y)
    for learner in (inner, acumen.Logistic(C=0.7, scale=False, tol=1e-9)):
        ours = acumen.OneVsRest(learner).fit(X, y)
        assert np.array_equal(ours.predict(X), peer.predict(X))
        scores = peer.decision_function(X)
        mean = (
            2 * scores - scores.sum(axis=1, keepdims=True)
        ) / 3  # the others' scores count against a class
        assert np.allclose(ours.decision_function(X), mean, atol=1e-2)


def test_one_against_one_votes_as_scikit_learns(numbers):
    X, y = numbers
    inner = LogisticRegression(C=0.7)
    peer = OneVsOneClassifier(inner).fit(X, y)
    ours = acumen.OneVsOne(inner).fit(X, y)
    assert np.array_equal(ours.predict(X), peer.predict(X))
    assert len(ours.learners_) == 3


@pytest.mark.parametrize("code", ["exhaustive", "random"])
def test_output_codes_decode_as_scikit_learn_and_by_hand(code):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 5, 200)
    X = rng.normal(size=(200, 2)) + 2.0 * np.column_stack([np.cos(1.3 * y), np.sin(1.3 * y)])
    inner = RidgeClassifier()
    ours = {
        how: acumen.OutputCodes(inner, code=code, decoding=how, random_state=0).fit(X, y)
        for how in ("score", "hamming", "loss", "vote")
    }
    book = ours["score"].code_
    # Columns are different splits, none the opposite of another.
    assert len({tuple(column * column[0]) for column in book.T}) == book.shape[1]
    assert book.shape[1] == 15  # 2^4 - 1, which the 10 log2(5) problems of a random code cannot exceed
    peer = OutputCodeClassifier(inner, random_state=0).fit(X, y)
    peer.code_book_ = book
    peer.estimators_ = [RidgeClassifier().fit(X, np.where(column[y] > 0, 1, -1)) for column in book.T]
    # scikit-learn takes the code word nearest to the scores: the one with the largest mean score in its favour.
    assert np.array_equal(ours["score"].predict(X), peer.predict(X))
    scores = np.array([member.decision_function(X) for member in peer.estimators_]).T
    wrong = np.array([[(np.sign(line) != word).sum() for word in book] for line in scores])
    answers = ours["hamming"].predict(X)
    assert (wrong[np.arange(200), answers] == wrong.min(axis=1)).all()
    loss = np.array([[np.log(1 + np.exp(-line * word)).sum() for word in book] for line in scores])
    assert np.array_equal(ours["loss"].predict(X), loss.argmin(axis=1))
    answers = ours["vote"].predict(X)
    assert (wrong[np.arange(200), answers] == wrong.min(axis=1)).all()
    tied = (wrong == wrong.min(axis=1, keepdims=True)).sum(axis=1) > 1
    favour = np.where(wrong == wrong.min(axis=1, keepdims=True), scores @ book.T, -np.inf)
    assert tied.any() and np.array_equal(answers[tied], favour.argmax(axis=1)[tied])


@pytest.mark.parametrize("learner", ALL, ids=repr)
def test_they_learn_mixed_tables_and_survive_a_file(learner, tmp_path):
    import pandas as pd

    rng = np.random.default_rng(0)
    kind = rng.choice(["a", "b", "c"], 200)
    frame = pd.DataFrame(
        {
            "x": np.where(rng.random(200) < 0.1, np.nan, rng.normal(0, 1, 200) + (kind == "a") * 3),
            "colour": np.where(kind == "b", "red", rng.choice(["red", "blue"], 200)),
            "kind": kind,
        }
    )
    table = acumen.read(frame, target="kind")
    model = learner.fit(table)
    assert model.score(table) > 0.55
    acumen.save(model, tmp_path / "m.acm")
    again, bare = acumen.load(tmp_path / "m.acm"), store.open(tmp_path / "m.acm")
    assert np.array_equal(model.predict(table), again.predict(table))
    assert np.array_equal(bare.predict(table), model.predictor_.predict(table))
    assert repr(again.learner) == repr(model.learner) and again.describe() == model.describe()
    assert acumen.load(tmp_path / "m.acm").fit(table).score(table) == model.score(table)


def test_classifiers_of_any_score_will_do(numbers):
    X, y = numbers
    for inner in (DecisionTreeClassifier(random_state=0), Perceptron(random_state=0)):
        for learner in (
            acumen.OneVsRest(inner),
            acumen.OneVsOne(inner),
            acumen.OutputCodes(inner, random_state=1),
        ):
            assert learner.fit(X, y).score(X, y) > 0.6


def test_what_is_not_acumens_cannot_be_saved(numbers, tmp_path):
    model = acumen.OneVsOne(LogisticRegression()).fit(*numbers)
    with pytest.raises(ParameterError, match="LogisticRegression, which is not acumen's"):
        acumen.save(model, tmp_path / "m.acm")


def test_wrong_inner_learners_are_refused_in_a_sentence(iris):
    with pytest.raises(ParameterError, match="must be a classifier with fit and predict"):
        acumen.OneVsRest(3).fit(iris)
    with pytest.raises(ParameterError, match="it must have no priors"):
        acumen.OneVsRest(acumen.NaiveBayes(priors="uniform")).fit(iris)
    with pytest.raises(DataError, match="does not take them"):
        acumen.OneVsRest(_NoWeights()).fit(iris, sample_weight=np.arange(150) + 1.0)


class _NoWeights:
    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.zeros(len(X))

    def get_params(self, deep=True):
        return {}

    def set_params(self, **parameters):
        return self


def test_ambiguous_rows_are_where_members_contradict_each_other(iris):
    model = acumen.OneVsRest(acumen.Logistic()).fit(iris)
    claims = np.column_stack([m.predictor_.predict(iris) for m in model.learners_])
    assert np.array_equal(model.ambiguous(iris), claims.sum(axis=1) != 1)
    assert 0 < model.ambiguous(iris).sum() < 60


def test_two_classes_are_one_problem_and_one_class_none():
    X = np.array([[0.0], [1], [2], [3]])
    for learner in (acumen.OneVsRest(), acumen.OneVsOne(), acumen.OutputCodes(random_state=0)):
        two = learner.fit(X, ["a", "a", "b", "b"])
        assert len(two.learners_) == 1 and two.predict(X).tolist() == ["a", "a", "b", "b"]
        assert learner.fit(X, ["a"] * 4).predict(X).tolist() == ["a"] * 4


def test_descriptions_show_the_code_and_every_problem(iris):
    said = acumen.OneVsOne(acumen.NaiveBayes()).fit(iris).describe(full=True)
    assert "3 problems of two sides by naive-bayes, decoded by vote" in said
    assert "Iris-virginica   .++" in said and "Problem 3: Iris-virginica against Iris-versicolor" in said


def test_a_member_that_is_no_model_is_refused(iris, tmp_path):
    from acumen.preprocessing.packing import pack_json
    from acumen.store.file import read_members, write_members

    acumen.save(acumen.OneVsOne(acumen.NaiveBayes()).fit(iris), tmp_path / "m.acm")
    made, arrays = read_members(tmp_path / "m.acm")
    for kinds in (["nothing"] * 3, ["naive-bayes"] * 2, [3] * 3, [["naive-bayes"]] * 3):
        write_members(tmp_path / "n.acm", made, {**arrays, "model/about": pack_json({"kinds": kinds})})
        with pytest.raises(ModelFileError):
            acumen.load(tmp_path / "n.acm")


def test_documented_examples_are_true():
    result = doctest.testmod(learners)
    assert result.attempted > 0 and result.failed == 0
