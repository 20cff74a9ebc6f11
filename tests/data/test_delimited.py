"""Delimited text: delimiters, headers, rows, comments and quotes as files have them."""

from __future__ import annotations

import io
from typing import Any

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
    table = read(
        "\n".join(delimiter.join(row) for row in (["a", "b", "c"], ["1", "x", "2.5"], ["2", "y", "3.5"]))
    )
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
    assert "as set in the dialect" in table.report


@pytest.mark.parametrize("option", [{"delimiter": "§"}, {"quote": "„"}, {"comment": "¶"}])
def test_a_dialect_beyond_ascii_is_refused(option: dict[str, str]) -> None:
    with pytest.raises(ParameterError, match="must be an ASCII character"):
        read("a,b\n1,2\n", dialect=Dialect(**option))


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
    assert ("is the header" in table.report) == header


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
    with pytest.raises(DataError, match=r"No header was detected .* set Dialect\(header=True\)"):
        read("1,2\n3,4\n", target="y")


# -- rows ----------------------------------------------------------------------------------------------

RAGGED = 'a,b,c\n1,"x\ny",3\n4,5\n6,7,8,9\n\n10,11,12\n'


def test_ragged_rows_are_an_error_that_names_the_lines() -> None:
    with pytest.raises(
        DataError, match=r"2 rows do not have the table's 3 fields: line 4 has 2, line 5 has 4"
    ):
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
    with pytest.raises(DataError, match=r"1 row does .* line 1 has 2"):
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
    with pytest.raises(DataError, match="line 3 has text after a closing quote"):
        read('a,b\n1,x\n2,"y"z\n')
    assert column(read('a,b\n1,x\n2,"y"z\n', dialect=Dialect(quote="")), "b") == ["x", '"y"z']


def test_a_cell_of_three_megabytes_is_read_whole() -> None:
    cell = "long words " * 300_000
    table = read(f'a,b\n1,"{cell}"\n2,short\n')
    assert table.column("b").tolist() == [cell, "short"]


# -- nothing to read -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "says"),
    [("", "is empty"), ("\n\n", "is empty"), ("# only this\n", "is empty"), ("a,b\n", "has a header but no rows"),
     ("a,b\n1\n", "does not have the table")],
)  # fmt: skip
def test_a_file_without_rows_is_refused_in_a_sentence(text: str, says: str) -> None:
    with pytest.raises(DataError, match=says):
        read(text)


@pytest.mark.slow
def test_a_hundred_thousand_columns_can_be_read() -> None:
    n = 100_000
    text = ",".join(f"c{i}" for i in range(n)) + "\n" + "\n".join(",".join("1" * n) for _ in range(3)) + "\n"
    table = read(text)
    assert table.numeric.shape == (3, n)


def test_one_row_of_data_alone_is_a_table() -> None:
    assert len(read("1,2\n")) == 1
