"""Numbers, dates and missing values as people write them: read right with a note, or told; alike in read and scan."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import acumen
from acumen import Dialect, Table
from acumen.data.forms import find_form, moment, shown_as
from acumen.errors import DataError, ParameterError
from doors import plain, same_in_parts


def read(text: str, **options: Any) -> Table:
    table = same_in_parts(lambda: io.BytesIO(text.encode()), **options)
    parts = acumen.scan(io.BytesIO(text.encode()), **options)
    assert [a.form for a in parts.schema] == [a.form for a in table.schema]
    return table


def one(*values: str, **options: Any) -> tuple[list[Any], Table]:
    """A column of these values beside a column of words, read."""
    rows = "".join(f'"{value}";w{i % 2}\n' for i, value in enumerate(values))
    table = read(f"v;other\n{rows}", **options)
    return plain(table.column("v")), table


def day(iso: str) -> float:
    return float((np.datetime64(iso) - np.datetime64("1970-01-01")).astype(int))


# -- numbers ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "numbers"),
    [
        (["1,234.50", "7.00", "1,234,567.25"], [1234.5, 7.0, 1234567.25]),
        (["1.234,56", "7,5", "950"], [1234.56, 7.5, 950.0]),
        (["12%", "3 %", "0.5%"], [12.0, 3.0, 0.5]),
        (["€9.99", "€1.50", "€ 10"], [9.99, 1.5, 10.0]),
        (["63,10 €", "1.234,50 €"], [63.1, 1234.5]),
        (["$1,234.50", "-$7", "$0.99"], [1234.5, -7.0, 0.99]),
        (["170 cm", "182 cm"], [170.0, 182.0]),
        (["12 kg", "1,5 kg"], [12.0, 1.5]),
        (["1'234", "12'500", "7"], [1234.0, 12500.0, 7.0]),
        (["1 234,50", "950,00"], [1234.5, 950.0]),
        (["1\u202f234", "12\u202f500 "], [1234.0, 12500.0]),
        (["(250.00)", "1,000.00"], [-250.0, 1000.0]),
        (["CHF 12.-", "CHF 15.50"], [12.0, 15.5]),
        (["36 months", "1 month"], [36.0, 1.0]),
        (["1,23,456.50", "12,345.00"], [123456.5, 12345.0]),
        (["\u22125 °C", "12.5 °C"], [-5.0, 12.5]),
    ],
)
def test_numbers_written_for_people_are_numbers_with_a_note(values: list[str], numbers: list[float]) -> None:
    found, table = one(*values)
    assert found == numbers
    (note,) = table.report.about("written-numbers")
    assert note.column == "v" and note.level == "note"


def test_the_note_names_form_and_line() -> None:
    _, table = one("63,10 €", "1.234,50 €")
    (note,) = table.report.about("written-numbers")
    assert note.lines == (2,) and "'€'" in note.text and "'63,10 €' is 63.1" in note.text
    assert table.schema["v"].form == "number ,."


@pytest.mark.parametrize(
    "values",
    [
        ["1st", "2nd", "3rd"], ["12A", "13A"], ["1.5M", "2M"], ["00712 x", "1 x"], ["10.0.0.1", "10.0.0.2"],
        ["044 123 45 67", "079 123 45 67"], ["A1", "B2"], ["3-4", "5-6"], ["1/2", "3/4"], ["<5", "10"],
        ["1e5 kg", "2 kg"],        ["1234 567 890 123 456"], ["v1.2", "v1.3"], ["1.2.10", "1.3.11"], ["12:75", "13:80"],
    ],
)  # fmt: skip
def test_codes_and_words_stay_as_they_are(values: list[str]) -> None:
    found, table = one(*values)
    assert found == values and not table.schema["v"].is_numeric


def test_mixed_forms_are_told_and_can_be_settled() -> None:
    found, table = one("5 kg", "6 lb", "7 kg", "8 kg")
    assert found == ["5 kg", "6 lb", "7 kg", "8 kg"]
    (note,) = table.report.about("mixed-forms")
    assert "kinds={'v': 'numeric'}" in note.text and note.lines == (2,)
    assert one("5 kg", "6 lb", "7", "8 kg", kinds={"v": "numeric"})[0] == [5.0, 6.0, 7.0, 8.0]


def test_a_column_asked_to_be_numeric_names_the_value_that_is_none() -> None:
    with pytest.raises(DataError, match="should be numeric, but holds 'heavy'"):
        one("5 kg", "heavy", kinds={"v": "numeric"})
    with pytest.raises(DataError, match="should be numeric, but line 3 holds 'heavy'"):
        one("5", "heavy", kinds={"v": "numeric"})


def test_ambiguous_marks_are_warned_of_and_can_be_told() -> None:
    found, table = one("1.234 €", "2.500 €")
    assert found == [1234.0, 2500.0]
    (note,) = table.report.about("decimal-marks")
    assert note.level == "warning" and "Dialect(decimal='.')" in note.text
    assert one("1.234 €", "2.500 €", dialect=Dialect(decimal="."))[0] == [1.234, 2.5]
    assert one("12.345 kg", "1.250 kg")[0] == [12.345, 1.25]
    assert one("12.345 kg", "1.250 kg", dialect=Dialect(decimal=","))[0] == [12345.0, 1250.0]


def test_other_columns_settle_the_marks() -> None:
    table = read("v;p\n1.234 €;7,5\n2.500 €;8,25\n")
    assert table.column("v").tolist() == [1234.0, 2500.0] and not table.report.warnings
    table = read("v;p\n1.234 kg;7,50 €\n950 kg;8,25 €\n")
    assert table.column("v").tolist() == [1234.0, 950.0] and not table.report.warnings


def test_points_beside_decimal_commas_are_thousands() -> None:
    for text in ("n;p\n950;1,5\n1.234;2,25\n", "n;p\n950;1,50 €\n1.234;2,25 €\n"):
        table = read(text)
        assert table.column("n").tolist() == [950.0, 1234.0] and table.column("p").tolist() == [1.5, 2.25]
        assert not table.report.warnings


def test_a_stated_mark_makes_the_other_one_thousands() -> None:
    assert one("950", "1.234", "12.500", dialect=Dialect(decimal=","))[0] == [950.0, 1234.0, 12500.0]
    table = read('n,c\n"1,234",x\n7,y\n', dialect=Dialect(decimal="."))
    assert table.column("n").tolist() == [1234.0, 7.0]


def test_targets_written_for_people_are_regressed_on_or_classes() -> None:
    table = read("x;y\n1;$5.50\n2;$6.25\n3;$7\n", target="y")
    assert table.response is not None and table.response.tolist() == [5.5, 6.25, 7.0]
    table = read("x;y\n1;1 star\n2;2 stars\n3;1 star\n", target="y")
    assert table.schema.classes == ("1 star", "2 stars")


def test_weights_may_be_written_so() -> None:
    assert read("x;w\n1;50%\n2;25%\n", weight="w").weights.tolist() == [50.0, 25.0]


def test_numbers_and_dates_without_a_header_are_no_header() -> None:
    table = read("€9.99;31.12.2023\n€8.50;01.02.2024\n")
    assert table.schema.names == ("x1", "x2") and len(table) == 2


@given(
    st.lists(st.integers(-10_000_000, 10_000_000), min_size=2, max_size=8),
    st.sampled_from([(".", ","), (",", "."), (".", "'"), (",", " ")]),
    st.sampled_from(["", "€", " kg", "%"]),
)
def test_whatever_is_written_with_marks_is_read_again(
    cents: list[int], marks: tuple[str, str], unit: str
) -> None:
    decimal, group = marks
    texts = [f"{n / 100:,.2f}".translate({44: group, 46: decimal}) + unit for n in cents]
    found = find_form(list(dict.fromkeys(texts)))
    assert found is not None
    assert [found.form.number(text) for text in texts] == [n / 100 for n in cents]


# -- dates and times ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "days"),
    [
        (["31.12.2023", "01.02.2023"], [day("2023-12-31"), day("2023-02-01")]),
        (["01/31/2023", "02/01/2023"], [day("2023-01-31"), day("2023-02-01")]),
        (["31/01/2023", "02/01/2023"], [day("2023-01-31"), day("2023-01-02")]),
        (["2023/12/31", "2023/2/1"], [day("2023-12-31"), day("2023-02-01")]),
        (["31-Dec-23", "1-Jan-24"], [day("2023-12-31"), day("2024-01-01")]),
        (["December 31, 2023", "Jan 1, 2024"], [day("2023-12-31"), day("2024-01-01")]),
        (["31.12.2023 18:30", "01.02.2023 06:00"], [day("2023-12-31") + 18.5 / 24, day("2023-02-01") + 0.25]),
        (["18:30", "06:00"], [18.5 / 24, 0.25]),
        (["6:30 pm", "12:00 am"], [18.5 / 24, 0.0]),
    ],
)
def test_dates_and_times_are_days_with_a_note(values: list[str], days: list[float]) -> None:
    found, table = one(*values)
    assert found == pytest.approx(days, abs=1e-9)
    assert table.report.about("dates") and table.schema["v"].is_moment


def test_the_order_is_decided_over_the_whole_column() -> None:
    many = [f"{m:02}/{d:02}/2023" for m in range(1, 13) for d in range(1, 13)]
    assert one(*many, "12/31/2023")[0][1] == day("2023-01-02")
    assert one(*many, "31/12/2023")[0][1] == day("2023-02-01")


def test_an_open_order_is_warned_of_and_can_be_told() -> None:
    found, table = one("01/02/2023", "03/04/2023")
    assert found == [day("2023-01-02"), day("2023-03-04")]
    (note,) = table.report.about("date-order")
    assert note.level == "warning" and "date_order='dmy'" in note.text
    assert one("01/02/2023", "03/04/2023", date_order="dmy")[0] == [day("2023-02-01"), day("2023-04-03")]
    assert not one("01/02/2023", "03/04/2023", date_order="dmy")[1].report.warnings
    assert one("31/12/2023", "01/02/2023", date_order="mdy")[0] == ["31/12/2023", "01/02/2023"]
    with pytest.raises(ParameterError, match="date_order must be one of"):
        one("01/02/2023", date_order="myd")


def test_another_column_settles_the_order() -> None:
    table = read("a;b\n01/02/2023;31/12/2023\n03/04/2023;01/01/2023\n")
    assert table.column("a").tolist() == [day("2023-02-01"), day("2023-04-03")] and not table.report.warnings


def test_dates_in_two_forms_are_told() -> None:
    _, table = one("31.12.2023", "2023/12/31", "01.01.2024")
    assert table.report.about("mixed-forms") and not table.schema["v"].is_numeric


def test_zoned_and_unzoned_times_are_told() -> None:
    for values in (["2020-01-01T10:00Z", "2020-01-02T10:00"], ["31.12.2023 10:00+01:00", "31.12.2023 11:00"]):
        _, table = one(*values)
        (note,) = table.report.about("zones")
        assert note.level == "warning"
    assert not one("2020-01-01T10:00Z", "2020-01-02T10:00+02:00")[1].report.about("zones")
    assert not one("2020-01-01", "2020-01-02T10:00+02:00")[1].report.about("zones")


def test_a_figure_of_a_column_lies_on_its_own_day() -> None:
    evening = day("2023-04-15") + 20.7 / 24
    assert moment("datetime", evening) == moment("datetime dmy", evening) == "2023-04-15"
    assert moment("datetime", day("2023-04-15") - 1e-11) == "2023-04-15"  # midnight, but for its last digits
    assert moment("date", day("2023-04-15") + 0.75) == "2023-04-16" and moment("time", 0.75) == "18:00"
    assert moment("", 5.0) is None and moment("date", None) is None


def test_dates_are_shown_as_dates() -> None:
    assert shown_as("date dmy", day("2023-12-31")) == "2023-12-31"
    assert shown_as("datetime", day("2023-12-31") + 0.75) == "2023-12-31 18:00"
    assert shown_as("time", 18.5 / 24) == "18:30" and shown_as("", 5.0) is None
    assert shown_as("date", 1e9) is None and shown_as("date", float("nan")) is None


@given(st.dates().map(str), st.sampled_from(["dmy", "mdy", "ymd"]))
def test_a_date_written_in_an_order_is_that_date(iso: str, order: str) -> None:
    year, month, number = iso.split("-")
    text = {"d": number, "m": month, "y": year}
    found = find_form(["/".join(text[c] for c in order)], order=order)
    assert (
        found is not None
        and shown_as(found.form.spec, found.form.number("/".join(text[c] for c in order))) == iso
    )


# -- tokens that may be missing -----------------------------------------------------------------------


@pytest.mark.parametrize("token", ["NULL", "None", "-", "\\N", "n/a", "."])
def test_tokens_among_words_and_numbers_are_missing_and_told(token: str) -> None:
    table = read(f"w,n,d\nred,1,2020-01-01\n{token},{token},{token}\nblue,3,2020-01-03\n")
    assert table.column("w").tolist() == ["red", None, "blue"] and plain(table.column("n")) == [
        1.0,
        None,
        3.0,
    ]
    assert table.schema["d"].form == "date"
    notes = table.report.about("missing-tokens")
    assert [(note.column, note.level, note.lines, note.count) for note in notes] == [
        ("w", "warning", (3,), 1), ("n", "note", (3,), 1), ("d", "note", (3,), 1),
    ]  # fmt: skip
    assert "not_missing=" in notes[0].text


def test_they_can_be_told_to_stay_levels() -> None:
    text = "w,n\nred,1\nNone,2\nNA,3\n"
    assert read(text, not_missing="None").column("w").tolist() == ["red", "None", None]
    assert read(text, not_missing=["None", "NA"]).column("w").tolist() == ["red", "None", "NA"]
    assert read(text, dialect=Dialect(missing=("",))).column("w").tolist() == ["red", "None", "NA"]
    assert read(text, levels={"w": ["None", "red"]}).column("w").tolist() == ["red", "None", None]
    with pytest.raises(ParameterError, match="not_missing= is for delimited"):
        acumen.read([[1, 2]], not_missing="x")


def test_quoted_ones_are_values() -> None:
    assert read('w,n\nred,1\n"None",2\n').column("w").tolist() == ["red", "None"]
    table = read('w,n\nred,1\n"None",2\nNone,3\n')
    assert table.column("w").tolist() == ["red", "None", None]


def test_a_minus_beside_a_plus_is_a_level() -> None:
    table = read("s,n\n+,1\n-,2\n+,3\n")
    assert table.column("s").tolist() == ["+", "-", "+"] and not table.report.about("missing-tokens")


def test_no_label_is_lost_by_a_guess() -> None:
    table = read("x,y\n1,None\n2,fault\n3,None\n", target="y")
    assert table.schema.classes == ("None", "fault")
    (note,) = table.report.about("missing-tokens")
    assert note.level == "warning" and "missing='None'" in note.text
    assert read("x,y\n1,None\n2,fault\n3,None\n", target="y", missing="None").schema.classes == ("fault",)


def test_a_column_of_tokens_alone_has_no_values() -> None:
    table = read("a,n\n-,1\n-,2\n")
    assert table.schema["a"].is_numeric and table.report.about("all-missing")


def test_texts_lose_them_too() -> None:
    table = read("t,n\nsome words here,1\nNULL,2\nother words there,3\n", kinds={"t": "text"})
    assert table.column("t").tolist() == ["some words here", None, "other words there"]


# -- around the table -----------------------------------------------------------------------------------


def test_excels_line_is_obeyed() -> None:
    table = read("sep=;\na;b\n1,5;x\n2,5;y\n")
    assert table.schema.names == ("a", "b") and table.column("a").tolist() == [1.5, 2.5]
    assert "line 1 says" in table.report and table.report.about("header")[0].lines == (2,)
    assert read('"sep=|"\r\na|b\r\n1|2\r\n').schema.names == ("a", "b")


def test_titles_above_the_names_are_left_out_and_told() -> None:
    table = read("Sales of 2023\n\nprovisional\nid,name,n\n1,x,5\n2,y,6\n")
    assert table.schema.names == ("id", "name", "n") and len(table) == 2
    (note,) = table.report.about("preamble")
    assert note.level == "warning" and "'Sales of 2023'" in note.text
    assert table.report.about("header")[0].lines == (4,)


def test_titles_out_of_a_sheet_have_empty_fields_behind_them() -> None:
    table = read("Sales of 2023,,\n,,\nid,name,n\n1,x,5\n2,y,6\n")
    assert table.schema.names == ("id", "name", "n") and table.report.about("preamble")


def test_lines_to_skip_can_be_stated() -> None:
    table = read("1;2\n3\na,b\n1,x\n", dialect=Dialect(skip=2))
    assert table.schema.names == ("a", "b") and table.report.about("header")[0].lines == (3,)
    with pytest.raises(ParameterError, match="skip must be a whole number"):
        Dialect(skip=-1)


def test_short_rows_are_no_title() -> None:
    with pytest.raises(DataError, match="does not have the table"):
        read("1\n1,2\n3,4\n5,6\n")


def test_a_row_of_sums_is_named() -> None:
    table = read("a,b,c\nx,1,5\ny,2,6\nTotal,3,11\n")
    (note,) = table.report.about("footer")
    assert note.level == "warning" and note.lines == (4,)
    assert not read("a,b\nTotal,3\nx,1\n").report.about("footer")


def test_the_one_word_that_keeps_a_column_of_prices_from_being_numeric_is_named() -> None:
    text = "price,b\n" + "".join(f'"$1,{n}.50",{n}\n' for n in range(100, 140))
    (note,) = read(text + "Total,9\n").report.about("mixed-forms")
    assert "because it holds 'Total'" in note.text and "missing" in note.text
    assert read(text + "Total,9\n", missing=["Total"]).schema["price"].is_numeric
    (other,) = read(text + "12 kg,9\n").report.about("mixed-forms")
    assert "have different formats" in other.text


def test_a_second_line_of_names_is_named() -> None:
    (note,) = read("name,h,w\n,cm,kg\nAnn,170,60\nBob,180,70\n").report.about("second-header")
    assert note.lines == (2,) and "'cm' below 'h'" in note.text


# -- categories that look alike -----------------------------------------------------------------------------

NET = "net,n\n" + "".join(
    f"{w},{i}\n" for i, w in enumerate(["Fibre optic", "fiber optic", "DSL", '"DSL "', "dsl"] * 4)
)


def test_levels_that_look_alike_are_told_with_what_merges_them() -> None:
    table = read(NET)
    notes = table.report.about("alike-levels")
    assert len(notes) == 2 and all(note.level == "warning" for note in notes)
    assert "merge={'net': {'fiber optic': 'Fibre optic'}}" in notes[0].text
    assert not read("w,n\nleft,1\nright,2\nA1,3\nA2,4\n").report.about("alike-levels")


def test_merged_levels_are_one() -> None:
    merge = {"net": {"fiber optic": "Fibre optic", "DSL ": "DSL", "dsl": "DSL"}}
    table = read(NET, merge=merge)
    assert table.schema["net"].levels == ("DSL", "Fibre optic") and not table.report.about("alike-levels")
    assert table.column("net").tolist()[:5] == ["Fibre optic", "Fibre optic", "DSL", "DSL", "DSL"]
    assert read(NET, target="net", merge=merge).schema.classes == ("DSL", "Fibre optic")
    with pytest.raises(DataError, match="has no such level"):
        read(NET, merge={"net": {"copper": "DSL"}})
    with pytest.raises(DataError, match="must be nominal for that"):
        read(NET, merge=merge, levels={"net": ["DSL"]})


def test_merging_works_for_every_source(tmp_path) -> None:
    merge = {"c": {"b": "B"}}
    path = tmp_path / "a.jsonl"
    path.write_text('{"c": "b", "n": 1}\n{"c": "B", "n": 2}\n{"c": "a", "n": 3}\n')
    assert same_in_parts(path, merge=merge).column("c").tolist() == ["B", "B", "a"]
    path = tmp_path / "a.arff"
    path.write_text("@relation r\n@attribute c {a,b,B}\n@attribute s string\n@data\nb,b\nB,x\na,y\n")
    table = same_in_parts(path, merge={"c": {"b": "B"}, "s": {"b": "x"}})
    assert table.column("c").tolist() == ["B", "B", "a"] and table.column("s").tolist() == ["x", "x", "y"]
    frame = acumen.read(pd.DataFrame({"c": ["b", "B", "a"], "n": [1, 2, 3]}), merge=merge)
    assert frame.column("c").tolist() == ["B", "B", "a"]


# -- new rows are read like those of the model ----------------------------------------------------------


def test_new_rows_are_read_like_the_table_they_are_compared_with() -> None:
    old = read("d;p;s\n13/01/2023;1.234,50 €;None\n02/01/2023;7,00 €;red\n", not_missing="None").schema
    new = "d;p;s\n02/01/2023;1.234;None\n03/01/2023;2.500;red\n"
    table = read(new, like=old)
    assert table.column("d").tolist() == [day("2023-01-02"), day("2023-01-03")]
    assert table.column("p").tolist() == [1234.0, 2500.0] and table.column("s").tolist() == ["None", "red"]
    assert read("d;p;s\n02/01/2023;5;red\n", like=old).column("p").tolist() == [5.0]
    with pytest.raises(ParameterError, match="like must be the schema"):
        acumen.read(io.StringIO(new), like="x")  # type: ignore[arg-type]


def test_a_schema_keeps_its_forms_on_file() -> None:
    schema = read("d;p\n13/01/2023;1.234,50 €\n02/01/2023;7,00 €\n").schema
    again = acumen.Schema.from_json(schema.to_json())
    assert [a.form for a in again] == [a.form for a in schema] == ["date dmy", "number ,."]
    with pytest.raises(DataError, match="is no form"):
        acumen.Schema.from_json(schema.to_json().replace("date dmy", "date xyz"))


def test_a_second_line_of_names_above_written_numbers_is_named_as_such() -> None:
    text = (
        'name,price,when\n,EUR,day\na,"1,234.50",12/31/2023\nb,"2,000.10",01/02/2023\nc,"900.00",02/03/2023\n'
    )
    report = read(text).report
    (note,) = report.about("second-header")
    assert note.lines == (2,) and "'EUR' below 'price'" in note.text and "'day' below 'when'" in note.text
    assert not report.about("mixed-forms")


def test_parts_of_dates_are_offered_where_they_are_not_asked_for() -> None:
    text = "when,time,y\n31.12.2023,18:30,a\n01.02.2024,19:00,b\n"
    assert "date_parts='when' adds year, month and weekday" in read(text).report.about("dates")[0].text
    assert "date_parts" not in str(read(text, date_parts="when").report)
    assert "date_parts" not in read(text).report.about("dates")[1].text
    assert "date_parts='d'" in str(read("d,n\n2023-12-31,1\n2024-01-01,2\n").report)


def test_a_date_written_otherwise_than_its_column_is_not_taken_for_a_missing_value() -> None:
    days = [f"2023-02-{n:02}" for n in range(1, 25)]
    _, table = one(*days, "28/04/2021")
    (note,) = table.report.about("mixed-forms")
    assert (
        "'28/04/2021'" in note.text and "missing" not in note.text and not table.report.about("mixed-types")
    )
