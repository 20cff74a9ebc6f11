"""Where a delimited file can be taken in two ways: what is decided, what is refused, and that it is said."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

import acumen
from acumen import Dialect, Table
from acumen.data.concat import concat
from acumen.errors import DataError, ParameterError


def read(text: str, **options: Any) -> Table:
    """The table, which is also the one that `scan` gives in parts."""
    table = acumen.read(io.BytesIO(text.encode()), **options)
    parts = acumen.scan(io.BytesIO(text.encode()), rows=2, **options)
    assert concat([*parts]).difference(table) is None
    assert [str(note) for note in parts.report] == [str(note) for note in table.report]
    return table


# -- decimal commas between commas ------------------------------------------------------------------


def test_quoted_decimal_commas_are_numbers_between_commas_too() -> None:
    table = read('a,b\n"1,5",x\n"3,25",y\n7,z\n')
    assert table.column("a").tolist() == [1.5, 3.25, 7.0]
    assert "column 'a' is read with decimal commas" in table.report


@pytest.mark.parametrize("options", [{}, {"target": "a"}])
def test_quoted_thousands_between_commas_are_not_read_as_decimals(options: dict[str, Any]) -> None:
    table = read('a,b\n"1,234",1\n"5,678",2\n9,3\n', **options)
    assert table.schema["a"].kind == "nominal"
    assert "may separate thousands" in table.report.about("decimal-marks")[0].text


def test_thousands_that_are_asked_to_be_numbers_are_refused() -> None:
    text = 'a,b\n"1,234",1\n"5,678",2\n'
    with pytest.raises(DataError, match="remove the commas if they separate thousands"):
        read(text, kinds={"a": "numeric"})
    settled = Dialect(delimiter=",", decimal=",")
    assert read(text, dialect=settled).column("a").tolist() == [1.234, 5.678]
    with pytest.raises(ParameterError, match="only where fields are quoted"):
        Dialect(delimiter=",", decimal=",", quote="")


def test_a_target_of_quoted_decimal_commas_is_numeric() -> None:
    table = read('a,y\n1,"1,5"\n2,"3,0"\n', target="y")
    assert table.response is not None and table.response.tolist() == [1.5, 3.0]


# -- rows of another length -------------------------------------------------------------------------


def test_names_above_rows_that_are_mostly_shorter_keep_their_columns() -> None:
    text = "a,b,c\n1,2\n3,4\n5,6\n7,8,9\n"
    with pytest.raises(DataError, match="line 2 has 2, line 3 has 2, line 4 has 2"):
        read(text)
    table = read(text, ragged="fill")
    assert table.schema.columns == ("a", "b", "c")
    assert table.report.about("short-rows")[0].lines == (2, 3, 4)
    assert len(read(text, ragged="drop")) == 1


def test_a_title_above_the_table_does_not_widen_it() -> None:
    with pytest.raises(DataError, match="the table's 2 fields: line 1 has 3"):
        read("Sales of the year, north, and south\na,b\n1,2\n3,4\n5,6\n")


def test_a_table_of_which_every_row_is_left_out_is_an_error() -> None:
    with pytest.raises(DataError, match="no rows left: all have the wrong number of fields"):
        read("a,b,c\n1,2\n3,4\n", ragged="drop")


@pytest.mark.parametrize(("text", "names"), [("a,b\n1,2,3\n4,5,6\n", 2), ("a a,b,c,d\n1,2\n3,4\n5,6\n", 4)])
@pytest.mark.parametrize("ragged", ["fill", "drop"])
def test_a_header_of_another_length_is_warned_of_and_is_no_row(text: str, names: int, ragged: str) -> None:
    table = read(text, ragged=ragged)
    assert [(note.code, note.lines) for note in table.report.warnings] == [("header-length", (1,))]
    assert f"holds {names} names for {len(table.schema.columns)} columns" in table.report


# -- what a column is -------------------------------------------------------------------------------


def test_dates_among_numbers_make_a_nominal_column_with_a_warning() -> None:
    table = read("d,v\n2024-01-01,1\n5,2\n7,3\n")
    assert table.schema["d"].kind == "nominal"
    assert [note.column for note in table.report.about("mixed-types")] == ["d"]


def test_a_target_without_values_is_warned_of() -> None:
    table = read("a,y\n1,\n2,NA\n", target="y")
    assert table.schema.classes == ()
    assert [note.column for note in table.report.about("all-missing")] == ["y"]


def test_labels_of_two_spellings_are_all_spelled_alike() -> None:
    table = read("a,y\n1,1.0\n2,2.0\n3,1\n", target="y")
    assert table.schema.classes == ("1", "2") and table.label_values().tolist() == ["1", "2", "1"]
    assert read("a,y\n1,1.0\n2,2.0\n3,1.0\n", target="y").schema.classes == ("1.0", "2.0")


def test_days_as_classes_are_not_called_numbers() -> None:
    table = read("a,y\n1,2024-01-01\n2,2024-01-02\n", target="y")
    assert "whole days of 2 values" in table.report


def test_where_every_line_is_a_value_a_blank_one_is_missing_and_that_is_said() -> None:
    table = read("a\n1\n\n2\n\n")
    assert np.array_equal(table.column("a"), [1, np.nan, 2], equal_nan=True)
    assert "blank lines, except at the end, are missing values" in table.report


# -- wishes that contradict each other --------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"levels": {"b": ["x"]}, "ignore": "b"}, "'b' is asked to be ignored, so levels= cannot name it"),
        ({"levels": {"b": ["x"]}, "kinds": {"b": "text"}}, "'b' is asked to be text"),
        ({"levels": {"b": "xy"}}, "levels of column 'b' are several; got the text 'xy'"),
        ({"kinds": {"a": "nominal", 0: "text"}}, "kinds= speaks of column 'a' twice"),
        ({"query": "select *"}, "query and params are for databases"),
        ({"params": [1]}, "query and params are for databases"),
        ({"missing": [True]}, "missing must be a token or several"),
    ],
)
def test_wishes_that_cannot_be_met_are_refused(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises((DataError, ParameterError), match=sentence):
        read("a,b\n1,x\n2,y\n", **options)


@pytest.mark.parametrize("missing", [-999, [-999.0], "-999", ["-999"]])
def test_a_missing_token_may_be_given_as_the_number_it_is(missing: Any) -> None:
    table = read("a,b\n1,x\n-999,y\n", missing=missing)
    assert np.array_equal(table.column("a"), [1, np.nan], equal_nan=True)
    array = acumen.read(np.array([[1.0, 2.0], [-999.0, 3.0]]), missing=missing)
    assert np.array_equal(array.column("x0"), [1, np.nan], equal_nan=True)


def test_an_empty_path_is_no_folder() -> None:
    with pytest.raises(DataError, match="empty path"):
        acumen.read("")
