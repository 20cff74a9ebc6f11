from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acumen.errors import DataError, ModelFileError, ParameterError, SchemaMismatch
from acumen.preprocessing.words import Vocabulary, WordCounts, normed_log_counts, tokens
from preprocessing_tables import table_of
from reference import words as twin

# Letters, accents and marks of several scripts beside ASCII, so that words and their ends meet often.
texts = st.text(
    st.sampled_from("aB9_ .'-éÉß\u0301İ中हि\u093f£–\u00a0\ud800😀Ωn\n") | st.characters(), max_size=20
)
weights = st.sampled_from([0.0, 1.0, 2.0, 0.25])


@given(texts)
def test_tokens_agree_with_the_twin(text):
    assert tokens(text) == twin.tokens(text)


@given(st.lists(st.tuples(texts | st.none(), weights), max_size=8))
def test_counts_agree_with_the_twin(rows):
    column, weight = [t for t, _ in rows], [w for _, w in rows]
    expected = twin.totals(column, weight)
    found = WordCounts.of(column, np.array(weight))
    assert list(found.words) == sorted(expected)
    assert found.totals.tolist() == [expected[word] for word in found.words]


@given(st.lists(texts, max_size=8), st.integers(0, 8))
def test_adding_is_reading_more(column, at):
    parts = WordCounts.of(column[:at]) + WordCounts.of(column[at:])
    whole = WordCounts.of(column)
    assert parts.words == whole.words
    np.testing.assert_array_equal(parts.totals, whole.totals)


@given(st.lists(texts | st.none(), max_size=6), st.lists(texts, max_size=4))
def test_rows_count_the_words_of_the_vocabulary_alone(column, training):
    vocabulary = Vocabulary.of(WordCounts.of(training))
    rows = vocabulary.transform(column).toarray()
    expected = [[twin.tokens(text or "").count(word) for word in vocabulary.words] for text in column]
    np.testing.assert_array_equal(rows, np.array(expected, dtype=float).reshape(len(column), len(vocabulary)))


def test_many_words_keep_apart():
    column = [" ".join(f"w{i}x{j}" for j in range(200)) for i in range(50)]
    counts = WordCounts.of(column)
    assert len(counts.words) == 10_000 and set(counts.totals) == {1.0}
    rows = Vocabulary.of(counts).transform(column)
    assert rows.nnz == 10_000 and rows.has_sorted_indices
    np.testing.assert_array_equal(rows.sum(axis=1).A1, np.full(50, 200.0))


def test_words_are_what_the_page_says():
    assert tokens("Don't stop: U_2's Café, 3.14 ÉTÉ!") == [
        "don",
        "t",
        "stop",
        "u_2",
        "s",
        "café",
        "3",
        "14",
        "été",
    ]
    assert tokens("Cafe\u0301") == tokens("CAFÉ") == ["café"]
    assert tokens("हिन्दी में") == ["हिन्दी", "में"]
    assert tokens("") == tokens(" ... ") == []


def test_most_frequent_first_and_ties_in_alphabetical_order():
    counts = WordCounts.of(["b a c c", "d b a", "e"], attribute="said")
    assert Vocabulary.of(counts).words == ("a", "b", "c", "d", "e")
    assert Vocabulary.of(counts, min_count=2).words == ("a", "b", "c")
    assert Vocabulary.of(counts, max_words=2).words == ("a", "b")
    assert Vocabulary.of(counts, max_words=0).transform(["a"]).shape == (1, 0)
    assert Vocabulary.of(counts).attribute == "said"


def test_weights_choose_the_vocabulary():
    table = table_of({"said": ["rare", "often often", "gone"]}, weights=[5, 1, 0])
    assert Vocabulary.fit(table).words == ("rare", "often")


def test_real_messages_agree_with_count_vectorizer(shared_data):
    from sklearn.feature_extraction.text import CountVectorizer

    lines = (shared_data / "text" / "SMSSpamCollection.tsv").read_text(encoding="utf-8").split("\n")
    column = [line.split("\t", 1)[1] for line in lines if line]
    assert len(column) == 5574
    oracle = CountVectorizer(token_pattern=r"\w+")
    expected = oracle.fit_transform(column)
    vocabulary = Vocabulary.of(WordCounts.of(column))
    assert sorted(vocabulary.words) == sorted(oracle.vocabulary_)
    order = [oracle.vocabulary_[word] for word in vocabulary.words]
    assert (vocabulary.transform(column) != expected[:, order]).nnz == 0
    totals = np.asarray(expected.sum(axis=0)).ravel()[order]
    assert (np.diff(totals) <= 0).all()


def test_normed_log_counts_have_length_1_or_0():
    counts = Vocabulary(("a", "b")).transform(["a a b", "c", None, "b"])
    made = normed_log_counts(counts).toarray()
    first = np.log([3.0, 2.0])
    np.testing.assert_allclose(made, [first / np.linalg.norm(first), [0, 0], [0, 0], [0, 1]], rtol=1e-15)


def test_counts_of_other_attributes_do_not_add():
    with pytest.raises(SchemaMismatch, match=r"'a'.*'b'"):
        WordCounts.of(["x"], attribute="a") + WordCounts.of(["x"], attribute="b")


def test_the_wrong_column_or_parameter_is_refused():
    table = table_of({"x": [1.0], "said": ["a"], "more": ["b"]})
    with pytest.raises(DataError, match="2 text attributes; say by name"):
        Vocabulary.fit(table)
    with pytest.raises(DataError, match="'x' is numeric"):
        Vocabulary.fit(table, "x")
    with pytest.raises(DataError, match="Did you mean 'said'"):
        Vocabulary.fit(table, "sayd")
    assert Vocabulary.fit(table, "more").transform(table).toarray().tolist() == [[1]]
    with pytest.raises(ParameterError, match="max_words"):
        Vocabulary.fit(table, "said", max_words=-1)
    with pytest.raises(ParameterError, match="min_count"):
        Vocabulary.fit(table, "said", min_count=float("nan"))
    with pytest.raises(DataError, match="Put it in a list"):
        WordCounts.of("a text")
    with pytest.raises(ValueError, match="differ in length"):
        WordCounts.of(["a", "b"], np.ones(1))


def test_vocabulary_round_trips_through_arrays_and_refuses_damage():
    vocabulary = Vocabulary.of(WordCounts.of(["été a bb"], attribute="said"))
    good = vocabulary.to_arrays()
    assert Vocabulary.from_arrays(good) == vocabulary
    assert Vocabulary.from_arrays(Vocabulary(()).to_arrays()) == Vocabulary(())
    for name, bad in [
        ("words", good["words"][:-1]),
        ("words", np.full_like(good["words"], 0xFF)),
        ("words_ends", good["words_ends"][::-1].copy()),
        ("words_ends", np.array([-1, len(good["words"])])),
    ]:
        with pytest.raises(ModelFileError):
            Vocabulary.from_arrays(good | {name: bad})
    same = {"words": np.frombuffer(b"aa", dtype=np.uint8), "words_ends": np.array([1, 2])}
    with pytest.raises(ModelFileError, match="differ"):
        Vocabulary.from_arrays(good | same)
