"""`fit(X, y)` and `read((X, y))` make the same classes, in the same order, of the same y."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import acumen
from acumen.errors import DataError

X = np.arange(6.0).reshape(-1, 1)
WORDS = ["lo", "mid", "hi", "lo", "mid", "hi"]
LEVELS = ["lo", "mid", "hi"]

CODINGS = {
    "numbers as text": np.array(["10", "9", "10", "9", "9", "9"]),
    "numbers as text, a list": ["10", "9", "10", "9", "9", "9"],
    "some numbers as text": np.array(["10", "9", "x", "9", "9", "9"]),
    "words": np.array(WORDS),
    "integers": np.array([10, 9, 10, 9, 2, 9]),
    "whole floats": np.array([10.0, 9.0, 10.0, 9.0, 2.0, 9.0]),
    "booleans": np.array([True, False, True, True, False, True]),
    "objects with gaps": np.array(["10", None, "9", "9", "10", "9"], dtype=object),
    "an ordered categorical": pd.Categorical(WORDS, categories=LEVELS, ordered=True),
    "a series of it": pd.Series(pd.Categorical(WORDS, categories=LEVELS, ordered=True), name="size"),
    "a categorical": pd.Series(pd.Categorical(WORDS, categories=["mid", "hi", "lo"])),
    "a categorical with a level too many": pd.Series(pd.Categorical(WORDS, categories=[*LEVELS, "huge"])),
    "an Enum": pl.Series("size", WORDS, dtype=pl.Enum(LEVELS)),
    "a column of strings": pd.Series(["10", "9", "10", "9", "9", "9"], dtype="string"),
}


@pytest.mark.parametrize("name", CODINGS)
def test_fit_and_read_make_the_same_classes(name):
    y = CODINGS[name]
    target = acumen.read((X, y)).schema.target
    fitted = acumen.NaiveBayes().fit(X, y)
    assert tuple(fitted.classes_.tolist()) == target.levels
    assert fitted.schema_.target.kind == target.kind
    first = acumen.NaiveBayes().partial_fit(
        X, y, classes=[level for level in target.levels if level != "huge"]
    )
    assert first.classes_.tolist() == [level for level in target.levels if level != "huge"]
    read = acumen.NaiveBayes().fit(acumen.read((X, y)))
    np.testing.assert_array_equal(fitted.predict_proba(X), read.predict_proba(acumen.read(X)))


def test_an_ordered_categorical_keeps_its_order():
    y = pd.Series(pd.Categorical(WORDS, categories=LEVELS, ordered=True))
    assert acumen.DecisionTree().fit(X, y).classes_.tolist() == LEVELS
    assert acumen.read((X, y)).schema.target.kind == "ordinal"


def test_numbers_written_as_text_stand_by_their_size():
    assert acumen.Majority().fit(X, ["10", "9", "10", "9", "9", "9"]).classes_.tolist() == ["9", "10"]


def test_a_row_of_weight_zero_of_a_categorical_is_left_out():
    y = pd.Series(pd.Categorical(WORDS, categories=LEVELS, ordered=True))
    fitted = acumen.Majority().fit(X, y, sample_weight=[1, 0, 0, 1, 0, 0])
    assert fitted.predict_proba(X)[0].tolist() == [1.0, 0.0, 0.0]


def test_a_path_is_no_rows_and_says_so():
    with pytest.raises(
        DataError, match=r"read it first: table = acumen\.read\('customers\.csv', target=\.\.\.\)"
    ):
        acumen.NaiveBayes().fit("customers.csv", [0, 1])
