"""Bringing a table under a model's schema: by name and by position."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from acumen import read
from acumen.data.align import align, by_position
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError
from table_strategies import tables

MODEL = Schema(
    (
        Attribute("age"),
        Attribute("colour", "nominal", ("red", "green")),
        Attribute("note", "text"),
    ),
    Attribute("class", "nominal", ("no", "yes")),
)


@given(tables(unknown=True), st.data())
def test_order_of_columns_does_not_matter_and_more_do_not_hurt(table: Table, data: st.DataObject) -> None:
    names = data.draw(st.lists(st.sampled_from(table.schema.names), unique=True, min_size=1))
    wanted = table.select(names).schema
    made = align(table, wanted)
    assert made.schema.attributes == wanted.attributes and made.schema.target == wanted.target
    assert made.select(names).difference(table.select(names)) is None
    shuffled = table.select(data.draw(st.permutations(table.schema.names)))
    assert align(shuffled, table.schema).select(names).difference(table.select(names)) is None


@given(tables(unknown=True))
def test_a_table_under_its_own_schema_is_itself(table: Table) -> None:
    assert align(table, table.schema) is table
    assert align(table, Schema(table.schema.attributes, table.schema.target)) is table
    assert by_position(table, table.schema, "NaiveBayes") is table


@given(tables(unknown=True), st.data())
def test_levels_are_recoded_by_value(table: Table, data: st.DataObject) -> None:
    """Whatever order the model has its levels in, known values stay and others are unknown."""
    attributes = []
    for attribute in table.schema.attributes:
        if attribute.is_nominal:
            kept = data.draw(st.permutations(attribute.levels))
            kept = kept[: data.draw(st.integers(0, len(kept)))]
            attribute = attribute.with_levels(kept)
        attributes.append(attribute)
    made = align(table, Schema(tuple(attributes)))
    assert made.labels is None and made.schema.target is None
    for (old, before), (new, after) in zip(table.nominal_columns(), made.nominal_columns(), strict=True):
        for was, now in zip(before.tolist(), after.tolist(), strict=True):
            if was < 0:
                assert now == was
            elif old.levels[was] in new.levels:
                assert new.levels[now] == old.levels[was]
            else:
                assert now == -2


def test_labels_are_recoded_and_a_class_never_seen_is_unknown() -> None:
    frame = pd.DataFrame(
        {
            "class": ["yes", "maybe", None],
            "note": ["a", "b", None],
            "colour": ["blue", "red", None],
            "age": [1, 2, 3],
        }
    )
    made = align(read(frame, target="class"), MODEL)
    assert made.labels is not None and made.labels.tolist() == [1, -2, -1]
    assert made.nominal.columns[0].tolist() == [-2, 0, -1]
    assert made.schema.target == MODEL.target
    # The column is as good when nobody called it the target.
    assert align(read(frame), MODEL).labels.tolist() == [1, -2, -1]  # type: ignore[union-attr]
    assert align(read(frame, ignore="class"), MODEL).labels.tolist() == [1, -2, -1]  # type: ignore[union-attr]


def test_without_a_target_there_are_no_labels_and_the_inputs_stay() -> None:
    frame = pd.DataFrame({"colour": ["red"], "note": ["x"], "age": [1.0]})
    made = align(read(frame), MODEL)
    assert made.labels is None and made.schema.target is None and made.schema.attributes == MODEL.attributes
    again = align(made, MODEL)
    assert again is made


@pytest.mark.parametrize(
    ("cells", "levels", "codes"),
    [
        ([1, 2, np.nan, 3], ("1", "2"), [0, 1, -1, -2]),
        ([1.0, 2.5, np.nan, 1], (1, 2.5), [0, 1, -1, 0]),
        (["1", "2", None, "01"], (2, 1), [1, 0, -1, -2]),
        ([True, False, None, True], ("True", "False"), [0, 1, -1, 0]),
        ([True, False, None, True], ("false", "true"), [1, 0, -1, 1]),
        (["true", "FALSE", None, "t"], (True, False), [0, 1, -1, -2]),
        (["true", "True", None, "TRUE"], ("True", "true"), [1, 0, -1, 0]),
        ([1, 0, np.nan, 2], (False, True), [1, 0, -1, -2]),
        (["1", "0", None, "x y"], (0.0, 1.0), [1, 0, -1, -2]),
        (["1", "1_0", None, "2"], (1, "1", 10), [1, -2, -1, -2]),
    ],
)
def test_values_meet_levels_of_another_type(
    cells: list[Any], levels: tuple[Any, ...], codes: list[int]
) -> None:
    made = align(read(pd.DataFrame({"a": cells})), Schema((Attribute("a", "nominal", levels),)))
    assert made.nominal.columns[0].tolist() == codes


def test_levels_that_are_all_numbers_become_numbers() -> None:
    wanted = Schema((Attribute("a"),))
    made = align(read(pd.DataFrame({"a": ["1.5", None, "-2"]})), wanted)
    np.testing.assert_array_equal(made.column("a"), [1.5, np.nan, -2])
    made = align(read(pd.DataFrame({"a": ["1.5", None, "-2"]}), kinds={"a": "text"}), wanted)
    np.testing.assert_array_equal(made.column("a"), [1.5, np.nan, -2])
    for kinds in ({}, {"a": "text"}):
        with pytest.raises(DataError, match="column 'a' holds 'many', but in the model it is numeric"):
            align(read(pd.DataFrame({"a": ["1", "many"]}), kinds=kinds), wanted)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("form", "texts", "numbers"),
    [
        ("date dmy", ["03.01.1970", "1970-01-03", None, "3/1/1970", "5"], [2, 2, np.nan, 2, 5]),
        ("date mdy", ["01/03/1970", "1970-01-03"], [2, 2]),
        ("date", ["1970-01-03", "1970-01-03 06:00"], [2, 2.25]),
        ("datetime", ["1970-01-03T12:00:00", "1970-01-03"], [2.5, 2]),
        ("time", ["06:00", "0.5"], [0.25, 0.5]),
        ("number ,.", ["1.234,50 €", "7"], [1234.5, 7]),
        ("number .,", ["$1,234.50", "1e3"], [1234.5, 1000]),
    ],
)
def test_texts_are_read_in_the_form_the_model_learned_from(
    form: str, texts: list[str | None], numbers: list[float]
) -> None:
    wanted = Schema((Attribute("a", form=form),))
    for kinds in ({}, {"a": "text"}):
        made = align(read(pd.DataFrame({"a": texts}), kinds=kinds), wanted)  # type: ignore[arg-type]
        np.testing.assert_allclose(made.column("a"), numbers)


def test_a_word_among_dates_is_said_to_be_none() -> None:
    wanted = Schema((Attribute("a", form="date dmy"),))
    with pytest.raises(DataError, match="holds 'soon', but in the model it is dates; give dates"):
        align(read(pd.DataFrame({"a": ["1970-01-03", "soon"]})), wanted)


def test_text_and_levels_change_into_each_other() -> None:
    frame = pd.DataFrame({"age": [1, 2], "colour": ["red", "green"], "note": ["u", None]})
    as_text = read(frame, kinds={"colour": "text", "note": "nominal"})
    made = align(as_text, MODEL.without_target())
    assert made.column("colour").tolist() == ["red", "green"] and made.column("note").tolist() == ["u", None]
    numbers = align(read(pd.DataFrame({"age": [1.0], "colour": ["red"], "note": [7]})), MODEL)
    assert numbers.column("note").tolist() == ["7"]


def test_a_missing_column_is_named_with_a_guess() -> None:
    frame = pd.DataFrame({"color": ["red"], "note": ["x"], "age": [1.0]})
    with pytest.raises(
        DataError, match=re.escape("no column 'colour', which the model needs. Did you mean 'color'?")
    ):
        align(read(frame), MODEL)
    with pytest.raises(DataError, match=re.escape("no column 'age' (and 2 more)")):
        align(read(pd.DataFrame({"z": [1.0]})), MODEL)


def test_weights_stay_under_their_name() -> None:
    frame = pd.DataFrame({"b": [1.0, 2], "a": [3.0, 4], "w": [1.0, 5]})
    made = align(read(frame, weight="w"), Schema((Attribute("a"),)))
    assert made.weights.tolist() == [1, 5] and made.schema.weight == "w"
    taken = align(read(frame, weight="w"), Schema((Attribute("w"),)))
    assert taken.column("w").tolist() == [1, 5] and taken.weights.tolist() == [1, 5]


def test_numbers_stay_borrowed() -> None:
    X = np.arange(6.0).reshape(3, 2)
    made = align(read(X), Schema((Attribute("x1"), Attribute("x0"))))
    assert all(np.shares_memory(column, X) for column in made.numeric.columns)


# -- sparse ---------------------------------------------------------------------------------------

DENSE = np.array([[0, 1.5, 0], [2, 0, 1], [0, 0, 3]])


def test_sparse_columns_are_found_by_name() -> None:
    sparse, dense = read(scipy.sparse.csr_matrix(DENSE)), read(DENSE)
    for wanted in (
        Schema((Attribute("x2"), Attribute("x0"))),
        Schema((Attribute("x1"), Attribute("x0", "nominal", (0, 2)))),
        Schema((Attribute("x1"),), Attribute("x2", "nominal", (1, 3))),
        Schema((Attribute("x0", "nominal", ("0",)),)),
    ):
        made = align(sparse, wanted)
        assert made.difference(align(dense, wanted)) is None
        assert (made.sparse is not None) and made.sparse.shape[1] == len(wanted.numeric)


def test_sparse_columns_in_order_are_not_copied() -> None:
    table = read((scipy.sparse.csr_matrix(DENSE), ["a", "b", "c"]))
    other = Schema(table.schema.attributes, Attribute("target", "nominal", ("b", "a")))
    made = align(table, other)
    assert made.sparse is table.sparse and made.labels.tolist() == [1, 0, -2]  # type: ignore[union-attr]


# -- by position ----------------------------------------------------------------------------------


def test_arrays_take_the_models_names() -> None:
    wanted = Schema(
        (Attribute("a"), Attribute("b", "nominal", (1, 2))), Attribute("y", "nominal", ("p", "q"))
    )
    table = read((np.array([[0.5, 2], [1.5, 7]]), ["q", "r"]))
    made = by_position(table, wanted, "NaiveBayes")
    assert made.schema == Schema(wanted.attributes, wanted.target)
    assert made.column("a").tolist() == [0.5, 1.5] and made.nominal.columns[0].tolist() == [1, -2]
    assert made.labels is not None and made.labels.tolist() == [1, -2]
    assert by_position(read(np.ones((2, 2))), wanted, "NaiveBayes").labels is None


def test_names_of_the_table_do_not_confuse_positions() -> None:
    frame = pd.DataFrame({"b": [1.0], "a": [2.0]})
    made = by_position(read(frame), Schema((Attribute("a"), Attribute("b"))), "Fisher")
    assert made.column("a").tolist() == [1] and made.column("b").tolist() == [2]
    crossed = read(pd.DataFrame({"q": [1.0], "a": ["u"]}), target="a")
    made = by_position(crossed, Schema((Attribute("a"),), Attribute("q", "nominal", ("u",))), "Fisher")
    assert made.column("a").tolist() == [1] and made.column("q").tolist() == ["u"]


def test_another_number_of_columns_is_refused_in_scikit_learns_words() -> None:
    wanted = Schema(tuple(Attribute(f"x{j}") for j in range(4)))
    phrase = "X has 3 features, but NaiveBayes is expecting 4 features as input."
    for X in (np.ones((2, 3)), scipy.sparse.csr_matrix(np.ones((2, 3)))):
        with pytest.raises(ValueError, match=re.escape(phrase)):
            by_position(read(X), wanted, "NaiveBayes")


def test_sparse_rows_go_by_position_without_a_copy() -> None:
    table = read(scipy.sparse.csr_matrix(DENSE))
    wanted = Schema((Attribute("p"), Attribute("q"), Attribute("r")))
    made = by_position(table, wanted, "NaiveBayes")
    assert made.sparse is table.sparse and made.schema.names == ("p", "q", "r")
