"""Delimited text: every awkward thing a file can do, and what is read and said about it."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

import acumen
from acumen import Dialect, Table
from acumen.errors import DataError, ParameterError


def read(text: str | bytes, **options: Any) -> Table:
    return acumen.read(io.BytesIO(text.encode() if isinstance(text, str) else text), **options)


def kinds(table: Table) -> dict[str, str]:
    return {attribute.name: attribute.kind for attribute in table.schema}


def column(table: Table, name: str) -> list[Any]:
    return [None if v != v else v for v in table.column(name).tolist()]


# -- delimiters ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", " "])
def test_the_delimiter_is_found(delimiter: str) -> None:
    table = read("\n".join(delimiter.join(row) for row in (["a", "b", "c"], ["1", "x", "2.5"], ["2", "y", "3.5"])))
    assert table.schema.columns == ("a", "b", "c")
    assert column(table, "b") == ["x", "y"] and column(table, "c") == [2.5, 3.5]


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("name\tage\nSmith, John\t34\nDoe, Jane\t27\n", ("name", "age")),
        ('a,b\n"x;y;z",1\n"u;v;w",2\n', ("a", "b")),
        ("a;b;c\n1,5;2,5;3,5\n4,5;5,5;6,5\n", ("a", "b", "c")),
        ("1,5;2,5;3,5\n4,5;5,5;6,5\n", ("x1", "x2", "x3")),
        ("1,5 2,5\n4,5 5,5\n", ("x1", "x2")),
        ("a, b, c\n1, 2, 3\n4, 5, 6\n", ("a", "b", "c")),
        ("  a   b\n  1  22\n 10   3\n", ("a", "b")),
        ("word\nalpha\nbeta\n", ("word",)),
        ("title\nOnce upon a time\nIn a hole\nCall me, please\n", ("title",)),
        ("a,b,c\n1,2\n3,4,5\n", None),
        ("#id,name\n1,x\n2,y\n", ("#id", "name")),
    ],
)
def test_the_delimiter_is_the_one_that_makes_a_table(text: str, columns: tuple[str, ...] | None) -> None:
    if columns is None:
        assert read(text, ragged="fill").schema.columns == ("a", "b", "c")
    else:
        assert read(text).schema.columns == columns


def test_the_dialect_overrides_what_would_be_found() -> None:
    table = read("a;b,c\n1;2,3\n", dialect=Dialect(delimiter=",", header=False, quote=""))
    assert column(table, "x1") == ["a;b", "1;2"]
    assert "as the dialect says" in table.report


@pytest.mark.parametrize("option", [{"delimiter": "§"}, {"quote": "„"}, {"comment": "¶"}])
def test_a_dialect_beyond_ascii_is_refused(option: dict[str, str]) -> None:
    with pytest.raises(ParameterError, match="must be an ASCII character"):
        read("a,b\n1,2\n", dialect=Dialect(**option))


# -- types over the whole file -------------------------------------------------------------------------


def test_a_type_that_changes_at_row_400001_is_seen() -> None:
    rows = [f"{i},{i % 7}" for i in range(400_000)]
    table = read("\n".join(["n,m", *rows, "many,3", "5,4"]))
    assert kinds(table) == {"n": "nominal", "m": "numeric"}
    assert table.column("n")[[0, 399_999, 400_000, 400_001]].tolist() == ["0", "399999", "many", "5"]
    (note,) = table.report.about("mixed-types")
    assert note.lines == (400_002,) and "'many'" in note.text


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
    assert column(table, "a") == [1.5, 2.75] and "three digits behind" in str(table.report.warnings[0])


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


# -- header and names ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("a,b\n1,x\n2,y\n", True),
        ("1,x\n2,y\n", False),
        ("a,b\nx,y\nz,w\n", True),
        ("a,b\na,y\nz,w\n", False),
        ("when,what\n2020-01-01,x\n", True),
        ("2020-01-01,x\n2020-01-02,y\n", False),
        ("?,x\n1,y\n", False),
        (",name\n0,Bob\n1,Al\n", True),
        ("name,zip\nBob,00712\nAl,00713\n", True),
        ("Bob,00712\nAl,00713\n", False),
        ("1.5\n2.5\n", False),
        ("1990,1991\n5,6\n", False),
    ],
)
def test_the_header_is_found_or_found_absent(text: str, header: bool) -> None:
    table = read(text)
    lines = len(text.splitlines())
    assert len(table) == lines - header
    assert ("holds the names" in table.report) == header


def test_the_header_is_judged_over_the_whole_file() -> None:
    below = [f"{i},w{i}" for i in range(200_000)]
    assert len(read("\n".join(["first,second", *below]))) == 200_000
    recurring = [f"u{i},w{i}" for i in range(200_000)]
    assert len(read("\n".join(["first,second", *recurring, "x,second"]))) == 200_002


def test_a_column_asked_for_by_name_makes_the_header_certain() -> None:
    assert read("country,1990\nA,5\nB,6\n", target="country").schema.names == ("1990",)


def test_positions_and_names_mean_the_same_columns() -> None:
    text = "a,b,c\n1,x,5\n2,y,6\n"
    by_name = read(text, target="b", ignore="c")
    by_position = read(text, target=1, ignore=-1)
    assert by_name.schema == by_position.schema


def test_positions_work_without_a_header() -> None:
    table = read("1,x,0\n2,y,1\n", target=-1)
    assert table.schema.target is not None and table.schema.target.name == "x3"
    assert table.schema.classes == ("0", "1")


def test_a_first_record_of_data_comes_first() -> None:
    table = read("5,x\n6,y\n7,\n")
    assert column(table, "x1") == [5.0, 6.0, 7.0] and column(table, "x2") == ["x", "y", None]


def test_a_first_record_of_data_can_change_a_type() -> None:
    table = read("007,1\n8,2\n")
    assert column(table, "x1") == ["007", "8"]


def test_duplicate_and_empty_names_are_mended_and_noted() -> None:
    table = read("a,a,,a_2,a\n1,2,3,4,5\n6,7,8,9,10\n")
    assert table.schema.columns == ("a", "a_3", "column_3", "a_2", "a_4")
    assert [note.lines for note in table.report.about("duplicate-name")] == [(1,), (1,)]
    assert table.report.about("empty-name")[0].column == "column_3"


def test_a_name_that_is_not_there_is_refused_with_the_nearest() -> None:
    with pytest.raises(DataError, match="Did you mean 'colour'"):
        read("colour,n\nred,1\n", target="color")


def test_a_name_asked_of_a_file_without_header_is_refused_with_the_reason() -> None:
    with pytest.raises(DataError, match=r"No header was found .* say Dialect\(header=True\)"):
        read("1,2\n3,4\n", target="y")


# -- rows ----------------------------------------------------------------------------------------------

RAGGED = 'a,b,c\n1,"x\ny",3\n4,5\n6,7,8,9\n\n10,11,12\n'


def test_ragged_rows_are_an_error_that_names_the_lines() -> None:
    with pytest.raises(DataError, match=r"2 rows have another number .* the 3 of the table: line 4 has 2, line 5 has 4"):
        read(RAGGED)


def test_ragged_rows_can_be_filled() -> None:
    table = read(RAGGED, ragged="fill")
    assert column(table, "c") == [3.0, None, 8.0, 12.0]
    assert table.report.about("short-rows")[0].lines == (4,)
    assert table.report.about("long-rows")[0].lines == (5,)


def test_ragged_rows_can_be_dropped() -> None:
    table = read(RAGGED, ragged="drop")
    assert column(table, "c") == [3.0, 12.0]
    assert [table.report.about(code)[0].count for code in ("short-rows", "long-rows")] == [1, 1]


def test_many_ragged_rows_are_counted_and_the_first_named() -> None:
    text = "a,b\n" + "1,2\n" * 50 + "3\n" * 40
    with pytest.raises(DataError, match=r"40 rows .* line 52 has 1, .* line 56 has 1 and 35 more"):
        read(text)


def test_a_short_header_is_ragged_too() -> None:
    text = "a,b\n1,2,3\n4,5,6\n"
    with pytest.raises(DataError, match="1 row has .* line 1 has 2"):
        read(text)
    assert read(text, ragged="fill").schema.columns == ("a", "b", "column_3")


@pytest.mark.parametrize("header", ["a,b,", "a,b"])
def test_a_delimiter_at_the_end_of_each_line_makes_no_column(header: str) -> None:
    table = read(f"{header}\n1,2,\n3,4,\n5,6,\n", target=-1)
    assert table.schema.columns == ("a", "b") and table.schema.classes == ("2", "4", "6")
    assert table.report.about("trailing-delimiter")


def test_a_named_last_column_without_values_is_kept() -> None:
    assert read("a,b,c\n1,2,\n3,4,\n").schema.columns == ("a", "b", "c")


def test_blank_lines_are_skipped_and_counted() -> None:
    table = read("\n\na,b\n1,2\n  \n3,4\n\n")
    assert len(table) == 2 and table.report.about("blank-lines")[0].count == 4
    assert table.report.about("header")[0].lines == (3,)


def test_in_a_single_column_an_empty_line_between_values_is_missing() -> None:
    assert column(read("x\n1\n\n3\n\n\n"), "x") == [1.0, None, 3.0]


@pytest.mark.parametrize(
    ("text", "skipped"),
    [
        ("# made by hand\n# twice, in fact\na,b\n1,2\n# later\n3,4\n", 3),
        ("a,b\n1,2\n# odd one\n3,4\n", 1),
        ('a,b\n1,2\n# "unclosed\n3,4\n', 1),
        ("a,b\n1,2\n#3,4\n", 0),
    ],
)
def test_comment_lines_are_found_and_counted(text: str, skipped: int) -> None:
    table = read(text)
    assert sum(note.count or 0 for note in table.report.about("comments")) == skipped


def test_the_dialect_names_the_comment_character_or_none() -> None:
    text = "a,b\n%x,y\n1,2\n"
    assert len(read(text, dialect=Dialect(comment="%"))) == 1
    assert column(read("#a,b\n#1,2\n", dialect=Dialect(comment="", header=True)), "#a") == ["#1"]


# -- quotes and lines ----------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_line_breaks_of_all_kinds_also_inside_quotes(ending: str) -> None:
    table = read(ending.join(["a,b", '1,"x' + ending + 'y"', '2,"say ""z"""', "3,w"]))
    assert column(table, "b") == ["x" + ending + "y", 'say "z"', "w"]
    with pytest.raises(DataError, match="line 6 has 1"):
        read(ending.join(["a,b", '1,"x' + ending + 'y"', '2,"say ""z"""', "3,w", "4"]))


def test_an_unclosed_quote_is_an_error_that_names_its_opening_line() -> None:
    text = 'a,b\n1,"two\nlines"\n2,"open\n' + "3,x\n" * 1000
    with pytest.raises(DataError, match="the quote opened on line 4 is never closed"):
        read(text)


def test_text_behind_a_closing_quote_is_an_error_with_its_line() -> None:
    with pytest.raises(DataError, match="line 3 has text behind a closing quote"):
        read('a,b\n1,x\n2,"y"z\n')
    assert column(read('a,b\n1,x\n2,"y"z\n', dialect=Dialect(quote="")), "b") == ["x", '"y"z']


def test_a_cell_of_three_megabytes_is_read_whole() -> None:
    cell = "long words " * 300_000
    table = read(f'a,b\n1,"{cell}"\n2,short\n')
    assert table.column("b").tolist() == [cell, "short"]


# -- kinds, levels, target -----------------------------------------------------------------------------


def test_what_is_asked_for_as_nominal_keeps_the_text_of_the_source() -> None:
    table = read("a,b\n1.0,x\n2.50,y\n1.0,z\n", kinds={"a": "nominal"})
    assert table.schema["a"].levels == ("1.0", "2.50")


def test_what_is_asked_for_as_numeric_and_is_not_is_an_error_with_line_and_value() -> None:
    with pytest.raises(DataError, match="column 'a' is to be numeric, but line 3 holds 'x'"):
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
    with pytest.raises(DataError, match="column 'w' is to be numeric, but line 2 holds 'heavy'"):
        read("w,x\nheavy,5\n1,6\n", weight="w", dialect=Dialect(header=True))


# -- nothing to read -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "says"),
    [("", "is empty"), ("\n\n", "is empty"), ("# only this\n", "is empty"), ("a,b\n", "has a header but no rows"),
     ("a,b\n1\n", "another number of fields")],
)  # fmt: skip
def test_a_file_without_rows_is_refused_in_a_sentence(text: str, says: str) -> None:
    with pytest.raises(DataError, match=says):
        read(text)


def test_a_hundred_thousand_columns_can_be_read() -> None:
    n = 100_000
    text = ",".join(f"c{i}" for i in range(n)) + "\n" + "\n".join(",".join("1" * n) for _ in range(3)) + "\n"
    table = read(text)
    assert table.numeric.shape == (3, n)


def test_one_row_of_data_alone_is_a_table() -> None:
    assert len(read("1,2\n")) == 1
