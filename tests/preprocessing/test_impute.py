from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acumen.errors import ModelFileError, ParameterError, SchemaMismatch
from acumen.preprocessing.impute import STRATEGIES, Imputer
from preprocessing_tables import NAN, repeated, sparse_twin, table_of

COLOURS = ("red", "green", "blue")


def mixed(weights=()):
    return table_of(
        {
            "age": [1.0, NAN, 3.0, 3.0, 10.0, NAN],
            "colour": ("nominal", COLOURS, [2, -1, 2, 1, -2, 1]),
            "size": ("ordinal", ("S", "L"), [0, 1, -1, 1, 0, 0]),
            "said": ["a", None, "b", "", "c", "d"],
            "whole": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        },
        weights=weights,
    )


@pytest.mark.parametrize(("strategy", "fill"), [("mean", 17 / 4), ("median", 3.0), ("mode", 3.0)])
def test_gaps_are_filled_and_all_else_stays(strategy, fill):
    table = mixed()
    made = Imputer.fit(table, strategy).transform(table)
    np.testing.assert_allclose(made.numeric.columns[0], [1, fill, 3, 3, 10, fill])
    np.testing.assert_array_equal(made.nominal.columns[0], [2, 1, 2, 1, -2, 1])  # a tie goes to the first
    np.testing.assert_array_equal(made.nominal.columns[1], [0, 1, 0, 1, 0, 0])
    assert made.numeric.columns[1] is table.numeric.columns[1]
    assert made.schema == table.schema
    assert made.text[0][1] is None


@pytest.mark.parametrize(
    ("strategy", "theirs"), [("mean", "mean"), ("median", "median"), ("mode", "most_frequent")]
)
def test_numbers_agree_with_simple_imputer(strategy, theirs):
    from sklearn.impute import SimpleImputer

    rng = np.random.default_rng(3)
    X = rng.integers(0, 6, size=(60, 4)).astype(float)
    X[rng.random(X.shape) < 0.2] = np.nan
    table = table_of({f"x{j}": X[:, j] for j in range(4)})
    oracle = SimpleImputer(strategy=theirs).fit(X)
    np.testing.assert_allclose(Imputer.fit(table, strategy).numbers, oracle.statistics_, rtol=1e-14)


@given(
    st.lists(st.tuples(st.integers(-3, 3) | st.just(NAN), st.integers(0, 3)), min_size=1, max_size=12),
    st.sampled_from(STRATEGIES),
)
def test_a_weight_of_k_is_k_rows(rows, strategy):
    table = table_of({"x": [float(x) for x, _ in rows]}, weights=[w for _, w in rows])
    mine, twin = Imputer.fit(table, strategy), Imputer.fit(repeated(table), strategy)
    np.testing.assert_allclose(mine.numbers, twin.numbers, rtol=1e-14, atol=1e-15)


def test_rows_of_weight_0_are_as_if_absent():
    table = mixed(weights=[1, 0, 1, 1, 1, 0])
    imputer = Imputer.fit(table, "mean", indicators=True)
    assert imputer.numbers[0] == 17 / 4
    np.testing.assert_array_equal(imputer.indicated, [False, False, True, False, False])


def test_indicators_say_what_was_missing():
    table = mixed()
    made = Imputer.fit(table, indicators=True).transform(table)
    assert made.schema.names[5:] == (
        "age is missing", "colour is missing", "size is missing", "said is missing",
    )  # fmt: skip
    np.testing.assert_array_equal(made.column("age is missing"), [0, 1, 0, 0, 0, 1])
    np.testing.assert_array_equal(made.column("colour is missing"), [0, 1, 0, 0, 0, 0])  # -2 is not missing
    np.testing.assert_array_equal(made.column("size is missing"), [0, 0, 1, 0, 0, 0])
    np.testing.assert_array_equal(made.column("said is missing"), [0, 1, 0, 0, 0, 0])
    assert made.schema.columns[-1] == "said is missing"


def test_nothing_known_gives_0_or_the_first_level_and_a_warning():
    table = table_of(
        {"x": [NAN, NAN], "c": ("nominal", COLOURS, [-1, -1]), "none": ("nominal", (), [-1, -1])}
    )
    imputer = Imputer.fit(table, "median")
    made = imputer.transform(table)
    np.testing.assert_array_equal(made.numeric.columns[0], [0, 0])
    np.testing.assert_array_equal(made.nominal.columns[0], [0, 0])
    np.testing.assert_array_equal(made.nominal.columns[1], [-1, -1])
    assert [note.column for note in imputer.notes] == ["x", "c", "none"]
    assert all(note.level == "warning" for note in imputer.notes)
    assert "first level 'red'" in imputer.notes[1].text
    Imputer.from_arrays(imputer.to_arrays())
    assert Imputer.fit(mixed()).notes == ()


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_sparse_tables_are_filled_like_dense_ones(strategy):
    table = table_of(
        {"x": [0.0, NAN, 3.0, 0.0, 2.0], "y": [0.0, 0.0, 0.0, 0.0, 0.0], "z": [1.0, 2.0, NAN, 4.0, NAN]},
        weights=[1, 1, 2, 0, 1.5],
    )
    sparse = sparse_twin(table)
    mine, twin = (Imputer.fit(t, strategy, indicators=True) for t in (sparse, table))
    np.testing.assert_allclose(mine.numbers, twin.numbers, rtol=1e-15)
    made = mine.transform(sparse)
    np.testing.assert_array_equal(made.sparse.toarray(), twin.transform(table).numeric.matrix())
    assert made.schema == twin.transform(table).schema


def test_imputer_round_trips_through_arrays_and_refuses_damage():
    table = mixed()
    imputer = Imputer.fit(table, indicators=True)
    good = imputer.to_arrays()
    made, back = imputer.transform(table), Imputer.from_arrays(good).transform(table)
    np.testing.assert_array_equal(made.numeric.matrix(), back.numeric.matrix())
    np.testing.assert_array_equal(made.nominal.matrix(), back.nominal.matrix())
    for name, bad in [
        ("numbers", np.array([np.inf, 0.0])),
        ("codes", np.array([0, 2], dtype=np.int32)),
        ("codes", np.array([-1, 0], dtype=np.int32)),
        ("codes", np.array([0, 0], dtype=np.int64)),
        ("indicated", np.zeros(4, dtype=bool)),
    ]:
        with pytest.raises(ModelFileError):
            Imputer.from_arrays(good | {name: bad})


def test_other_schemas_and_strategies_are_refused():
    with pytest.raises(ParameterError, match=r"one of mean, median, mode; got 'meen'.*Did you mean 'mean'"):
        Imputer.fit(mixed(), "meen")
    with pytest.raises(SchemaMismatch, match="age"):
        Imputer.fit(mixed()).transform(table_of({"x": [1.0]}))
