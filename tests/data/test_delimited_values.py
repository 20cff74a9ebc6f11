"""Delimited text: what the values of a column make of it, and what a caller may ask of it."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

import acumen
from acumen import Dialect, Table
from acumen.errors import DataError


def read(text: str | bytes, **options: Any) -> Table:
    return acumen.read(io.BytesIO(text.encode() if isinstance(text, str) else text), **options)


def kinds(table: Table) -> dict[str, str]:
    return {attribute.name: attribute.kind for attribute in table.schema}


def column(table: Table, name: str) -> list[Any]:
    return [None if v != v else v for v in table.column(name).tolist()]


# -- types over the whole file -------------------------------------------------------------------------


def test_a_type_that_changes_at_row_150001_is_seen() -> None:
    rows = [f"{i},{i % 7}" for i in range(150_000)]
    table = read("\n".join(["n,m", *rows, "many,3", "5,4"]))
    assert kinds(table) == {"n": "nominal", "m": "numeric"}
    assert table.column("n")[[0, 149_999, 150_000, 150_001]].tolist() == ["0", "149999", "many", "5"]
    (note,) = table.report.about("mixed-types")
    assert note.lines == (150_002,) and "'many'" in note.text


def test_quoted_numbers_are_numbers() -> None:
    table = read('a,b\n"1","x"\n" 2.5 ","y"\n')
    assert column(table, "a") == [1.0, 2.5]


def test_whole_numbers_that_become_decimal_stay_numeric() -> None:
    assert column(read("a,b\n1,2\n2,2.5\n3,1e3\n"), "b") == [2.0, 2.5, 1000.0]


def test_decimal_commas_are_read_column_by_column() -> None:
    table = read("a;b;c\n1;x;1\n2,5;y;2\n-3,25e1;z;3\n")
    assert column(table, "a") == [1.0, 2.5, -32.5]
    assert "column 'a' is read with decimal commas" in table.report and "'c' is read" not in table.report


def test_decimal_commas_beside_decimal_points_are_not_guessed_at() -> None:
    text = "a;b\n1,5;2.5\n2;3.5\n"
    table = read(text)
    assert kinds(table) == {"a": "nominal", "b": "numeric"}
    assert table.report.warnings[0].code == "decimal-marks"
    assert kinds(read(text, dialect=Dialect(decimal=","))) == {"a": "numeric", "b": "nominal"}
    assert kinds(read(text, kinds={"a": "numeric"})) == {"a": "numeric", "b": "numeric"}


def test_both_marks_in_one_column_make_it_nominal() -> None:
    table = read("a;b\n1,5;x\n2.5;y\n")
    assert kinds(table)["a"] == "nominal" and "both decimal commas and decimal points" in table.report


def test_commas_that_could_be_thousands_are_warned_of() -> None:
    table = read("a;b\n1,500;x\n2,750;y\n")
    assert column(table, "a") == [1.5, 2.75] and "followed by three digits" in str(table.report.warnings[0])


def test_leading_zeros_stay_nominal() -> None:
    table = read("zip,n\n10001,1\n00712,2\n")
    assert column(table, "zip") == ["10001", "00712"]
    (note,) = table.report.about("leading-zeros")
    assert note.lines == (3,) and "00712" in note.text
    assert column(read("zip,n\n10001,1\n00712,2\n", kinds={"zip": "numeric"}), "zip") == [10001.0, 712.0]


def test_zero_point_something_has_no_leading_zero() -> None:
    assert kinds(read("a,b\n0.5,0\n0,0e5\n-0.25,1\n")) == {"a": "numeric", "b": "numeric"}


def test_integers_beyond_2_to_the_53_are_nominal_with_a_warning() -> None:
    table = read("id,n\n9007199254740993,1\n9007199254740992,2\n")
    assert column(table, "id") == ["9007199254740993", "9007199254740992"]
    assert [note.code for note in table.report.warnings] == ["big-integers"]
    assert kinds(read("id,n\n9007199254740992,1\n-9007199254740992,2\n"))["id"] == "numeric"


def test_infinite_values_are_kept_with_a_warning() -> None:
    table = read("a,b\n1,inf\n2,-Infinity\n3,1e999\n4,5\n")
    assert column(table, "b") == [np.inf, -np.inf, np.inf, 5.0]
    (note,) = table.report.about("infinite")
    assert (note.count, note.lines) == (3, (2,))


def test_nan_is_missing_in_numbers_and_a_level_among_strings_unless_a_token() -> None:
    assert column(read("a,b\n1,nan\n2,NaN\n3,4\n"), "b") == [None, None, 4.0]
    assert column(read("a,b\n1,nan\n2,NaN\n3,x\n"), "b") == ["nan", None, "x"]


def test_booleans_are_nominal() -> None:
    table = read("a,b,c\ntrue,yes,1\nfalse,no,2\n")
    assert kinds(table) == {"a": "nominal", "b": "nominal", "c": "numeric"}
    assert table.schema["a"].levels == ("false", "true")


def test_iso_dates_are_numeric_days_with_a_note() -> None:
    table = read("when,n\n1970-01-02,1\n1970-01-01T12:00,2\n,3\n")
    assert column(table, "when") == [1.0, 0.5, None]
    assert table.report.about("dates")[0].column == "when"
    assert kinds(read("when,n\n1970-01-02,1\n17,2\n"))["when"] == "nominal"


def test_a_column_without_values_is_numeric_with_a_warning() -> None:
    table = read("a,b,c\n1,,x\n2,NA,y\n")
    assert column(table, "b") == [None, None] and kinds(table)["b"] == "numeric"
    assert "column 'b' has no values" in str(table.report.warnings[0])


def test_text_and_nominal_columns_are_told_apart() -> None:
    rows = "".join(f"{i},word{i % 3},some words number {i}\n" for i in range(50))
    table = read("n,word,words\n" + rows)
    assert kinds(table) == {"n": "numeric", "word": "nominal", "words": "text"}


# -- missing values ------------------------------------------------------------------------------------


@pytest.mark.parametrize("token", ["", "NA", "N/A", "?", "null", "NaN", "  "])
def test_missing_tokens_are_missing_everywhere(token: str) -> None:
    table = read(f"a,b,c\n1,x,2\n{token},{token},3\n")
    assert column(table, "a") == [1.0, None] and column(table, "b") == ["x", None]


def test_letter_case_counts_in_missing_tokens() -> None:
    assert column(read("a,b\n1,na\n2,x\n"), "b") == ["na", "x"]


def test_a_quoted_token_is_a_value_among_strings() -> None:
    table = read('a,b\n1,"NA"\n2,x\n3,NA\n4,""\n5,\n')
    assert column(table, "b") == ["NA", "x", None, "", None]


def test_a_quoted_token_is_missing_among_numbers_and_noted() -> None:
    table = read('a,b\n1,"NA"\n2,5\n3,""\n')
    assert column(table, "b") == [None, 5.0, None]
    (note,) = table.report.about("quoted-missing")
    assert (note.count, note.lines) == (2, (2,))


def test_quoted_tokens_before_the_first_string_are_values() -> None:
    assert column(read('a,b\n1,""\n2,NA\n3,x\n'), "b") == ["", None, "x"]
    assert column(read('a,b\n1,""\n2,""\n'), "b") == ["", ""]


def test_the_users_own_tokens_count_quoted_or_not() -> None:
    text = 'a,b\n-999,none\n5,"none"\n"-999",x\n'
    table = read(text, missing=["-999", "none"])
    assert column(table, "a") == [None, 5.0, None] and column(table, "b") == [None, None, "x"]
    assert column(read(text, missing="none"), "a") == [-999.0, 5.0, -999.0]


def test_the_dialect_replaces_the_list_of_tokens() -> None:
    table = read("a,b\n1,NA\n2,.\n3,x\n", dialect=Dialect(missing=(".",)))
    assert column(table, "b") == ["NA", None, "x"]


def test_bare_fields_are_stripped_and_quoted_ones_are_not() -> None:
    assert column(read('a,b\n1,  x \n2," x " \n'), "b") == ["x", " x "]


# -- kinds, levels, target -----------------------------------------------------------------------------


def test_what_is_asked_for_as_nominal_keeps_the_text_of_the_source() -> None:
    table = read("a,b\n1.0,x\n2.50,y\n1.0,z\n", kinds={"a": "nominal"})
    assert table.schema["a"].levels == ("1.0", "2.50")


def test_what_is_asked_for_as_numeric_and_is_not_is_an_error_with_line_and_value() -> None:
    with pytest.raises(DataError, match="column 'a' should be numeric, but line 3 holds 'x'"):
        read("a,b\n1,2\nx,3\n", kinds={"a": "numeric"})
    assert column(read("a,b\n1,2\nx,3\n", kinds={"a": "numeric"}, missing="x"), "a") == [1.0, None]


def test_levels_given_are_taken_in_their_order_and_others_are_unknown() -> None:
    table = read("a,b\n1,lo\n2,hi\n3,?\n4,huge\n", levels={"b": ["lo", "hi"]}, kinds={"b": "ordinal"})
    assert table.nominal.columns[0].tolist() == [0, 1, -1, -2]
    assert table.schema["b"].ordered and table.report.about("unknown-level")[0].count == 1


def test_levels_given_as_numbers_meet_their_text() -> None:
    table = read("a,b\n1,1\n2,2\n3,3\n", levels={"b": [1, 2.0]})
    assert table.nominal.columns[0].tolist() == [0, 1, -2] and table.schema["b"].levels == (1, 2.0)


@pytest.mark.parametrize(
    ("values", "kind", "classes"),
    [
        (["0", "1", "1"], "nominal", ("0", "1")),
        (["0", "1", "1.0"], "nominal", ("0", "1")),
        (["1.0", "2.0", "1.0"], "nominal", ("1.0", "2.0")),
        (["01", "1", "2"], "nominal", ("01", "1", "2")),
        (["0.5", "1", "2"], "numeric", ()),
        ([str(i) for i in range(50)], "nominal", tuple(map(str, range(50)))),
        ([str(i) for i in range(51)], "numeric", ()),
        (["yes", "no", "NA"], "nominal", ("no", "yes")),
        (["10", "9", '"NA"'], "nominal", ("9", "10")),
        (["a", "b", '"NA"'], "nominal", ("NA", "a", "b")),
        (["1e400", "1", "2"], "numeric", ()),
    ],
)
def test_a_target_is_labels_when_whole_and_few_else_numeric(
    values: list[str], kind: str, classes: tuple[str, ...]
) -> None:
    table = read("n,y\n" + "".join(f"{i},{value}\n" for i, value in enumerate(values)), target="y")
    target = table.schema.target
    assert target is not None and target.kind == kind and target.levels == classes
    if kind == "numeric":
        assert table.column("y").tolist() == [float(value) for value in values]


def test_a_target_can_be_asked_to_be_numeric() -> None:
    table = read("n,y\n1,0\n2,1\n", target="y", kinds={"y": "numeric"})
    assert table.response is not None and table.response.tolist() == [0.0, 1.0]


def test_ignored_columns_are_carried_along_and_weights_are_weights() -> None:
    table = read("id,w,x\n007,1,5\n008,2.5,6\n", ignore="id", weight="w")
    assert table.column("id").tolist() == ["007", "008"] and table.weights.tolist() == [1.0, 2.5]
    with pytest.raises(DataError, match="column 'w' should be numeric, but line 2 holds 'heavy'"):
        read("w,x\nheavy,5\n1,6\n", weight="w", dialect=Dialect(header=True))


@pytest.mark.slow
def test_beyond_two_million_distinct_strings_a_column_is_text_read_or_scanned() -> None:
    data = ("name,n\n" + "".join(f"u{i},1\n" for i in range(2_000_001))).encode()
    table, parts = acumen.read(io.BytesIO(data)), acumen.scan(io.BytesIO(data))
    assert table.schema == parts.schema and table.schema["name"].kind == "text"
    assert "more than 2,000,000 distinct values" in parts.report
    assert str(table.report) == str(parts.report)
