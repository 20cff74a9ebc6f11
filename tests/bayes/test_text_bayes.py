"""Bayes' rule on words: scikit-learn's two classifiers as oracles, and the rules of its own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.naive_bayes import BernoulliNB, MultinomialNB

import acumen
from acumen import _native
from acumen.bayes.text import TextBayesModel
from acumen.data.table import Table
from acumen.errors import DataError, ModelFileError
from tables import table_of

ORACLES = {"multinomial": MultinomialNB, "bernoulli": BernoulliNB}


def documents(n: int = 60, words: int = 25, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    rates = rng.gamma(0.4, size=(3, words))
    return rng.poisson(rates[y]).astype(float), y


def texts_of(counts: np.ndarray, y: np.ndarray) -> Table:
    """The same documents written out, word j being wj."""
    written = [" ".join(f"w{j}" for j, n in enumerate(row) for _ in range(int(n))) for row in counts]
    return table_of({"note": written}, [str(label) for label in y], classes=("0", "1", "2"), text=["note"])


@pytest.mark.parametrize("event", ORACLES)
@pytest.mark.parametrize("alpha", [1.0, 0.1])
@pytest.mark.parametrize("weighted", [False, True])
def test_counts_agree_with_scikit_learn(event: str, alpha: float, weighted: bool) -> None:
    X, y = documents()
    w = np.random.default_rng(1).random(len(y)) + 0.2 if weighted else None
    oracle = ORACLES[event](alpha=alpha).fit(X, y, sample_weight=None if w is None else w / w.mean())
    asked, _ = documents(seed=9)
    for form in (np.asarray, csr_matrix, lambda a: csr_matrix(a.astype(np.int64)).tocsc()):
        learner = acumen.TextBayes(event=event, alpha=alpha).fit(form(X), y, sample_weight=w)
        found = learner.predict_log_proba(form(asked))
        np.testing.assert_allclose(found, oracle.predict_log_proba(asked), rtol=1e-10, atol=1e-10)
        assert np.array_equal(learner.predict(form(asked)), oracle.predict(asked))


@pytest.mark.parametrize("event", ORACLES)
def test_texts_are_their_counts(event: str) -> None:
    X, y = documents()
    X = X[:, X.any(axis=0)]
    by_text = acumen.TextBayes(event=event).fit(texts_of(X, y))
    by_count = acumen.TextBayes(event=event).fit(X, y)
    found = by_text.predict_proba(texts_of(X, y))
    np.testing.assert_allclose(found, by_count.predict_proba(X), rtol=1e-10)
    assert by_text.n_parameters_ == by_count.n_parameters_


def test_parameters_are_counted() -> None:
    X, y = documents(words=25)
    assert acumen.TextBayes().fit(X, y).n_parameters_ == 3 * 24
    assert acumen.TextBayes(event="bernoulli").fit(X, y).n_parameters_ == 3 * 25


def test_the_log_likelihood_is_that_of_words_in_their_order() -> None:
    learner = acumen.TextBayes().fit([[2.0, 1.0], [0.0, 1.0]], ["a", "b"])
    logs = learner.model_.bags[0].log_present
    expected = 2 * np.log(0.5) + 2 * logs[0, 0] + logs[1, 0] + logs[1, 1]
    assert learner.log_likelihood([[2.0, 1.0], [0.0, 1.0]], ["a", "b"]) == pytest.approx(expected)


# -- what is unknown or missing -----------------------------------------------------------------------


def test_a_text_of_unknown_words_has_the_class_prior() -> None:
    table = table_of({"note": ["go on", "stop", "stop now"]}, ["yes", "no", "no"], text=["note"])
    learner = acumen.TextBayes().fit(table)
    asked = table_of({"note": ["never heard", "", None]}, text=["note"])
    assert learner.predict_proba(asked) == pytest.approx(np.tile([1 / 3, 2 / 3], (3, 1)))


def test_under_bernoulli_absent_words_speak_but_missing_texts_do_not() -> None:
    table = table_of({"note": ["go on", "stop", "stop now", None]}, ["yes", "no", "no", "yes"], text=["note"])
    learner = acumen.TextBayes(event="bernoulli").fit(table)
    asked = table_of({"note": ["", None]}, text=["note"])
    empty, missing = learner.predict_proba(asked)
    assert missing == pytest.approx([0.5, 0.5])
    # One document of class yes was read, two of no: "go" was in it, "stop" in both of the others.
    yes = 0.5 * (1 / 3) * (1 / 3) * (2 / 3) * (2 / 3)
    no = 0.5 * (3 / 4) * (3 / 4) * (1 / 4) * (1 / 2)
    assert empty == pytest.approx([yes / (yes + no), no / (yes + no)])


def test_a_missing_count_is_none() -> None:
    X, y = documents()
    gaps = X.copy()
    gaps[::4, 3] = np.nan
    zeros = np.nan_to_num(gaps)
    for event in ORACLES:
        one, other = (acumen.TextBayes(event=event).fit(form, y) for form in (gaps, zeros))
        np.testing.assert_array_equal(one.predict_proba(gaps), other.predict_proba(zeros))


@pytest.mark.parametrize("event", ORACLES)
def test_without_pseudo_counts_zero_and_certain_words_rule_classes_out(event: str) -> None:
    X = np.array([[1, 2, 0], [2, 0, 0], [1, 0, 3], [0, 1, 1]])
    learner = acumen.TextBayes(event=event, alpha=0).fit(X, ["a", "a", "b", "b"])
    # The third word never is in class a; the first always is.
    assert learner.predict_proba([[1, 0, 1]])[0].tolist() == [0, 1]
    found = learner.predict_proba([[0, 1, 0]])[0]
    assert np.isfinite(found).all()
    if event == "bernoulli":
        assert found.tolist() == [0.5, 0.5]  # b always has the third word: no class is possible
        assert learner.predict_proba([[1, 1, 0]])[0].tolist() == [1, 0]
    assert np.isfinite(learner.predict_proba(X)).all()
    assert learner.describe()


# -- refusals -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", [np.asarray, csr_matrix])
def test_negative_counts_are_refused_by_name(form: type) -> None:
    X = np.array([[1.0, 2.0], [np.nan, -0.5]])
    with pytest.raises(DataError, match=r"attribute 'x1' holds -0\.5"):
        acumen.TextBayes().fit(form(X), [0, 1])
    learner = acumen.TextBayes().fit(form(np.abs(X)), [0, 1])
    # In a row to be predicted they are none: whatever is asked has an answer.
    none = learner.predict_proba(form(np.array([[1.0, 0.0]])))
    assert np.array_equal(learner.predict_proba(form(np.array([[1.0, -2.0]]))), none)


@pytest.mark.parametrize(
    "columns",
    [{"note": ["a", "b"], "x": [1.0, 2.0]}, {"c": ["p", "q"]}, {"note": ["a", "b"], "c": ["p", "q"]}],
)
def test_mixed_tables_are_sent_to_naive_bayes(columns: dict[str, list[object]]) -> None:
    table = table_of(columns, ["yes", "no"], text=["note"])
    with pytest.raises(DataError, match="use NaiveBayes, which takes mixed tables"):
        acumen.TextBayes().fit(table)


# -- what it says of itself ---------------------------------------------------------------------------


def test_the_description_names_the_telling_words() -> None:
    table = table_of(
        {"note": ["cheap pills now", "cheap offer", "meeting at noon", "notes of the meeting"]},
        ["spam", "spam", "ham", "ham"],
        text=["note"],
    )
    said = acumen.TextBayes().fit(table).describe()
    lines = {line.split(":")[0].strip(): line for line in said.splitlines()}
    assert "cheap +" in lines["spam"] and "meeting +" in lines["ham"]
    assert "10 words" in said


@pytest.mark.parametrize("event", ORACLES)
def test_evidence_is_words_and_adds_up(event: str) -> None:
    table = table_of(
        {"note": ["cheap cheap pills", "cheap offer", "meeting at noon"]},
        ["spam", "spam", "ham"],
        text=["note"],
    )
    learner = acumen.TextBayes(event=event).fit(table)
    found = learner.explain({"note": "cheap cheap meeting"})
    odds = np.log(found.probabilities[found.label] / found.probabilities[found.rival])
    assert found.log_odds == pytest.approx(odds)
    conditions = [e.condition for e in found.evidence]
    assert "note has 'cheap' (2 times)" in conditions and "note has 'meeting'" in conditions
    assert ("4 absent words" in conditions) == (event == "bernoulli")


# -- more than one way to learn -----------------------------------------------------------------------


def test_two_text_columns_have_words_of_their_own() -> None:
    table = table_of(
        {"title": ["go", "stop"], "body": ["stop it", "go on"]}, ["yes", "no"], text=["title", "body"]
    )
    learner = acumen.TextBayes().fit(table)
    assert learner.predict(table).tolist() == ["yes", "no"]
    found = learner.predict_proba(table_of({"title": ["go"], "body": [None]}, text=["title", "body"]))
    assert found[0] == pytest.approx([2 / 3, 1 / 3])


def test_unlabelled_texts_help_and_bring_words() -> None:
    """Words that only unlabelled texts have are tied to the class by those that labelled ones share."""
    texts = ["ball goal", "vote law", *["goal striker"] * 5, *["law senate"] * 5]
    labels = ["sport", "politics", *[None] * 10]
    table = table_of({"note": texts}, labels, text=["note"])
    learner = acumen.TextBayes(unlabelled="em").fit(table)
    assert "striker" in learner.model_.vocabularies[0].words
    asked = table_of({"note": ["striker", "senate"]}, text=["note"])
    assert learner.predict(asked).tolist() == ["sport", "politics"]
    assert learner.predict_proba(asked).max(axis=1).min() > 0.7
    assert acumen.TextBayes().fit(table).predict_proba(asked) == pytest.approx(0.5)


def test_the_likelihood_never_falls_on_the_way() -> None:
    X, y = documents(90)
    partly = np.where(np.arange(90) < 15, y, np.nan)
    learner = acumen.TextBayes(alpha=0, unlabelled="em").fit(X + 1.0, partly)
    steps = np.diff(learner.log_likelihoods_)
    assert len(steps) > 1 and (steps > -1e-8 * abs(learner.log_likelihoods_[0])).all()


def test_forged_probabilities_are_refused() -> None:
    X, y = documents()
    for event in ORACLES:
        learner = acumen.TextBayes(event=event).fit(X, y)
        arrays = {n: np.array(a) for n, a in learner.model_.to_arrays().items()}
        arrays[f"{event}/0/log_present"][0] = -0.1
        with pytest.raises(ModelFileError, match="sum to 1"):
            TextBayesModel.from_arrays(arrays, learner.schema_)


# -- the kernel ---------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=50)
@given(st.data(), st.booleans(), st.sampled_from([np.int32, np.int64]))
def test_the_kernel_agrees_with_a_loop(data: st.DataObject, presence: bool, index: type) -> None:
    rows, words, classes = data.draw(st.tuples(st.integers(1, 6), st.integers(1, 5), st.integers(1, 9)))
    some = st.sampled_from([0.0, 1.0, 2.5, float("nan"), float("inf")])
    dense = np.array(data.draw(st.lists(some, min_size=rows * words, max_size=rows * words))).reshape(
        rows, words
    )
    table = np.array(
        data.draw(st.lists(st.floats(-9, 0), min_size=words * classes, max_size=words * classes))
    ).reshape(words, classes)
    csr = csr_matrix(dense)
    total = np.ones((rows, classes))
    _native.add_word_logs(
        csr.indptr.astype(index), csr.indices.astype(index), csr.data, table, presence, total, 2
    )
    expected = np.ones((rows, classes))
    for i, w in np.ndindex(rows, words):
        if 0 < dense[i, w] < np.inf:
            expected[i] += (1.0 if presence else dense[i, w]) * table[w]
    np.testing.assert_allclose(total, expected, rtol=1e-13)


def test_words_beyond_the_table_add_nothing() -> None:
    total = np.zeros((1, 2))
    starts, indices = np.array([0, 2], dtype=np.int32), np.array([0, 7], dtype=np.int32)
    _native.add_word_logs(starts, indices, np.ones(2), np.array([[-1.0, -2.0]]), False, total)
    assert total.tolist() == [[-1, -2]]
    with pytest.raises(ValueError, match="do not go together"):
        _native.add_word_logs(starts, indices, np.ones(2), np.array([[-1.0, -2.0]]), False, np.zeros((2, 2)))
