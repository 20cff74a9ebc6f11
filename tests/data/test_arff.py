"""ARFF files: every construct of the format, and what is said of what is wrong."""

from __future__ import annotations

import gzip
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from acumen import Dialect, Table, read, scan
from acumen.errors import DataError, ParameterError
from doors import same_in_parts


def arff(text: str | bytes, **wishes: Any) -> Table:
    raw = text if isinstance(text, bytes) else text.encode()
    return read(io.BytesIO(raw), **wishes)


def cells(table: Table) -> dict[str, list[object]]:
    return {name: table.column(name).tolist() for name in table.schema.columns}


TWO = "@relation r\n@attribute x numeric\n@attribute y {a,b}\n@data\n"


# -- values ---------------------------------------------------------------------------------------


def test_numbers_levels_and_missing_values() -> None:
    table = arff(TWO + "1.5,a\n?,b\n-2e3,?\n")
    assert np.array_equal(table.column("x"), [1.5, np.nan, -2000.0], equal_nan=True)
    assert table.labels is not None
    assert table.labels.tolist() == [0, 1, -1]


def test_the_last_attribute_is_the_target_and_that_is_said() -> None:
    assert "'y', the last, is taken as the target" in arff(TWO + "1,a\n").report
    assert "is taken as the target" not in arff(TWO + "1,a\n", target="y").report


def test_a_quoted_question_mark_is_a_value_where_it_is_declared() -> None:
    table = arff("@attribute x {'?',a}\n@attribute y {a,b}\n@data\n'?',a\n?,b\n\"?\",b\na,a\n")
    assert table.nominal.columns[0].tolist() == [0, -1, 0, 1]


def test_a_bare_question_mark_is_missing_even_where_it_is_declared() -> None:
    table = arff("@attribute x {?,a}\n@attribute y {a,b}\n@data\n?,a\n'?',b\n")
    assert table.schema["x"].levels == ("?", "a")
    assert table.nominal.columns[0].tolist() == [-1, 0]


def test_levels_keep_their_declared_order_even_if_they_never_occur() -> None:
    table = arff("@attribute x real\n@attribute y {z,m,never,a}\n@data\n1,a\n2,m\n")
    assert table.schema.classes == ("z", "m", "never", "a")
    assert table.label_values().tolist() == ["a", "m"]


def test_quotes_and_escapes_in_values() -> None:
    text = r"""@attribute x {'it\'s', "a b", 'c,d', '100%', 'back\\slash', "tab\there", '{', ' e '}
@attribute s string
@data
'it\'s','one'
"it's","two"
"a b",'a\nb'
'c,d','\u00e9'
'100%','%'
'back\\slash',"\"q\""
'tab\there',''
'{',?
' e ',plain
"""
    table = arff(text, target="x")
    assert table.label_values().tolist() == [
        "it's", "it's", "a b", "c,d", "100%", "back\\slash", "tab\there", "{", " e ",
    ]  # fmt: skip
    assert table.column("s").tolist() == ["one", "two", "a\nb", "é", "%", '"q"', "", None, "plain"]


def test_blanks_tabs_comments_and_blank_lines_do_not_matter() -> None:
    text = TWO + "% comment\n\n 1 ,  a\n2\tb\n\t3,\tb  \n   \n  % another\n4 b\n5,a % why\n"
    table = arff(text)
    assert cells(table) == {"x": [1, 2, 3, 4, 5], "y": ["a", "b", "b", "b", "a"]}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_may_end_in_any_way_and_the_last_without(end: str) -> None:
    text = end.join(["@attribute x real", "@attribute y {a,b}", "", "@data", "1,a", "", "% c", "2,b"])
    assert cells(arff(text)) == {"x": [1, 2], "y": ["a", "b"]}
    with pytest.raises(DataError, match=r"line 9\b"):
        arff(text + end + "3,c")


def test_strings_become_text_or_nominal_by_the_rule_for_all_strings() -> None:
    head = "@attribute s string\n@attribute w string\n@attribute y {a,b}\n@data\n"
    table = arff(head + "'one long remark',red,a\n'another long remark',red,b\n'a third',blue,a\n")
    assert table.schema["s"].kind == "text"
    assert table.schema["w"].kind == "nominal"
    assert table.schema["w"].levels == ("blue", "red")


def test_numbers_are_pythons() -> None:
    spellings = [
        "0.1",
        "1e22",
        "-.5",
        "5.",
        "+3",
        "1E-400",
        "9007199254740993",
        "2.2250738585072011e-308",
        "inf",
    ]
    table = arff("@attribute x real\n@attribute y {a}\n@data\n" + "".join(f"{s},a\n" for s in spellings))
    assert [v.hex() for v in table.column("x").tolist()] == [float(s).hex() for s in spellings]


# -- dates ----------------------------------------------------------------------------------------


def test_dates_are_days_with_a_note() -> None:
    text = (
        "@attribute d date\n@attribute e date 'dd/MM/yyyy'\n@attribute y {a,b}\n@data\n"
        "1970-01-02T12:00:00,01/01/1970,a\n?,?,b\n'1969-12-31T00:00:00',\"02/01/1970\",b\n"
    )
    table = arff(text)
    assert np.array_equal(table.column("d"), [1.5, np.nan, -1.0], equal_nan=True)
    assert np.array_equal(table.column("e"), [0.0, np.nan, 1.0], equal_nan=True)
    assert [note.column for note in table.report.about("dates")] == ["d", "e"]


def test_a_wrong_date_is_an_error_that_names_line_and_value() -> None:
    text = "@attribute d date yyyy-MM-dd\n@attribute y {a,b}\n@data\n2001-02-28,a\n\n2001-02-29,b\n"
    with pytest.raises(DataError, match=r"line 6: attribute 'd'.*2001-02-29"):
        arff(text)


# -- sparse rows and weights ----------------------------------------------------------------------


def test_sparse_rows_have_zero_and_the_first_level_where_they_are_silent() -> None:
    text = (
        "@attribute a numeric\n@attribute b {x,y,z}\n@attribute c numeric\n@attribute k {no,yes}\n@data\n"
        "{0 1.5, 3 yes}\n{1 y, 2 -7}\n{ }\n{0 ?, 1 'z',3 \"yes\"}\n{}\n1,z,2,yes\n"
    )
    table = arff(text)
    assert np.array_equal(table.column("a"), [1.5, 0, 0, np.nan, 0, 1], equal_nan=True)
    assert table.column("b").tolist() == ["x", "y", "x", "z", "x", "z"]
    assert table.column("c").tolist() == [0, -7, 0, 0, 0, 2]
    assert table.label_values().tolist() == ["yes", "no", "no", "yes", "no", "yes"]


def test_strings_a_sparse_row_is_silent_about_are_missing_in_parts_too() -> None:
    head = "@relation r\n@attribute w string\n@attribute n numeric\n@attribute c {a,b}\n"
    text = head + "@data\n{1 1, 2 b}\n{0 hello, 1 2}\n"
    table = same_in_parts(lambda: io.StringIO(text))
    assert table.column("w").tolist() == [None, "hello"]


@pytest.mark.parametrize("target", [-1, "-1", 2, "2", np.int64(2)])
def test_the_target_of_a_sparse_file_may_be_given_by_its_place(target: Any) -> None:
    text = "@relation r\n@attribute x numeric\n@attribute y numeric\n@attribute c {a,b}\n@data\n{0 1, 2 b} {3}\n{1 2}\n"
    table = same_in_parts(lambda: io.StringIO(text), target=target)
    assert table.schema.target is not None and table.schema.target.name == "c" and table.sparse is not None


def test_a_wholly_numeric_sparse_file_becomes_a_sparse_table() -> None:
    text = "".join(f"@attribute a{j} numeric\n" for j in range(6)) + "@attribute k {no,yes}\n@data\n"
    text += "{0 1,6 yes}\n{3 2.5}\n{}\n{1 4,2 ?,5 -1,6 yes}\n"
    table = arff(text)
    assert table.sparse is not None
    expected = np.zeros((4, 6))
    expected[0, 0], expected[1, 3], expected[3, [1, 2, 5]] = 1, 2.5, (4, np.nan, -1)
    assert np.array_equal(table.sparse.toarray(), expected, equal_nan=True)
    assert table.sparse.nnz == 5
    assert table.label_values().tolist() == ["yes", "no", "no", "yes"]


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ("{2 5}", "line 5: a sparse row is .*from 0 to 1"),
        ("{-1 5}", "line 5"),
        ("{0 5", "line 5"),
        ("{0}", "line 5"),
        ("{0 1, 0 2}", "line 5: .*each position once"),
        ("{1 c}", "line 5: .*'y'.*'c'"),
        ("{0 z}", "line 5: .*'x'.*'z'"),
    ],
)
def test_a_bad_sparse_row_names_its_line(row: str, sentence: str) -> None:
    with pytest.raises(DataError, match=sentence):
        arff(TWO + row + "\n")


def test_instance_weights_become_row_weights() -> None:
    table = arff(TWO + "1,a,{2}\n2,b\n3,b , {0.5}\n{0 4},{3}\n")
    assert table.weights.tolist() == [2, 1, 0.5, 3]
    assert table.schema.weight == "weight"
    assert table.schema.columns == ("x", "y", "weight")
    assert table.schema.names == ("x",)
    assert table.schema.target is not None
    assert table.schema.target.name == "y"
    assert "instance weights" in table.report


def test_the_target_by_position_does_not_mean_the_weights() -> None:
    table = arff(TWO + "1,a,{2}\n2,b\n", target=-1)
    assert table.schema.target is not None
    assert table.schema.target.name == "y"


def test_instance_weights_and_a_weight_column_exclude_each_other() -> None:
    head = "@attribute w numeric\n@attribute x numeric\n@attribute y {a,b}\n@data\n"
    with pytest.raises(DataError, match="instance weights"):
        arff(head + "1,2,a,{2}\n", weight="w")
    assert arff(head + "3,2,a,{2}\n", weight="w", ignore="weight").weights.tolist() == [3]


def test_a_column_called_weight_leaves_the_name_to_it() -> None:
    table = arff("@attribute weight numeric\n@attribute y {a,b}\n@data\n70,a,{2}\n")
    assert table.schema.names == ("weight",)
    assert table.schema.weight == "weight_2"


@pytest.mark.parametrize("weight", ["-1", "x", "", "nan", "inf"])
def test_a_bad_instance_weight_names_its_line(weight: str) -> None:
    with pytest.raises(DataError, match=r"line 6\b"):
        arff(TWO + "1,a\n" + f"1,a,{{{weight}}}\n")


# -- roles ----------------------------------------------------------------------------------------

THREE = "@attribute k {no,yes}\n@attribute n numeric\n@attribute m {p,q}\n@data\nyes,1,p\nno,2,q\nyes,1,q\n"


def test_the_class_is_the_last_attribute_unless_another_is_asked_for() -> None:
    assert arff(THREE).schema.classes == ("p", "q")
    assert arff(THREE, target="k").schema.classes == ("no", "yes")
    assert arff(THREE, target=0).schema.names == ("n", "m")
    assert arff(THREE, target="n").schema.classes == ("1", "2")
    assert arff(THREE, ignore="m").schema.target is None


def test_kinds_levels_and_weight_are_honoured() -> None:
    table = arff(THREE, target="k", kinds={"m": "ordinal"}, weight="n")
    assert table.schema["m"].ordered
    assert table.weights.tolist() == [1, 2, 1]
    assert arff(THREE, kinds={"n": "nominal"}).schema["n"].levels == ("1", "2")
    assert arff(THREE, levels={"m": ["q", "p", "r"]}).schema.classes == ("q", "p", "r")


def test_a_level_that_the_caller_calls_missing_is_no_level() -> None:
    table = arff(
        "@attribute x {'?',a,na}\n@attribute y {a,b}\n@data\n'?',a\nna,b\na,b\n", missing=["?", "na"]
    )
    assert table.schema["x"].levels == ("a",)
    assert table.nominal.columns[0].tolist() == [-1, -1, 0]


def test_only_the_encoding_of_a_dialect_applies() -> None:
    assert len(arff(THREE.encode("utf-16"), dialect=Dialect(encoding="utf-16"))) == 3
    with pytest.raises(ParameterError, match="only its encoding"):
        arff(THREE, dialect=Dialect(delimiter=";"))


# -- encodings and ways in ------------------------------------------------------------------------

UMLAUT = (
    "@relation größe\n@attribute größe numeric\n@attribute y {süß,'bitter é'}\n@data\n1,süß\n2,'bitter é'\n"
)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_non_ascii_names_and_levels(encoding: str) -> None:
    table = arff(UMLAUT.encode(encoding))
    assert table.schema.names == ("größe",)
    assert table.label_values().tolist() == ["süß", "bitter é"]
    assert not table.report.warnings


def test_latin_1_is_read_with_a_warning() -> None:
    table = arff(UMLAUT.encode("latin-1"))
    assert table.schema.names == ("größe",)
    assert table.label_values().tolist() == ["süß", "bitter é"]
    assert "Latin-1" in table.report


def test_latin_1_that_shows_only_in_the_rows() -> None:
    raw = b"@attribute s string\n@attribute y {a,b}\n@data\nx,a\ncaf\xe9,b\n"
    table = arff(raw)
    assert table.column("s").tolist() == ["x", "café"]
    assert "Latin-1" in table.report


def test_paths_suffixes_and_content(tmp_path: Path) -> None:
    (tmp_path / "t.arff").write_text(THREE)
    (tmp_path / "t.arff.gz").write_bytes(gzip.compress(THREE.encode()))
    (tmp_path / "t.txt").write_text("% a comment\n@RELATION r\n" + THREE)
    for name in ("t.arff", "t.arff.gz", "t.txt"):
        table = read(tmp_path / name)
        assert table.schema.classes == ("p", "q"), name
        assert name in table.report.source
    (tmp_path / "t.csv").write_text("@relation x,y\n1,2\n3,4\n")
    assert read(tmp_path / "t.csv").schema.columns == ("@relation x", "y")
    assert read(io.StringIO(THREE)).schema.classes == ("p", "q")
    with (tmp_path / "t.arff").open("rb") as file:
        assert read(file).schema.classes == ("p", "q")


def test_standard_input_and_pipes_are_looked_at_and_read(monkeypatch: pytest.MonkeyPatch) -> None:
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

    assert read(Pipe(THREE.encode())).schema.classes == ("p", "q")
    assert read(Pipe(b"a,b\n1,2\n")).schema.columns == ("a", "b")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(THREE.encode())))
    assert [len(part) for part in scan("-", rows=2)] == [2, 1]


# -- what is wrong --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (TWO + "1,a\n2,c\n", "line 6: attribute 'y' .*'c'.*not among"),
        (TWO + "1,a\n2,A\n", "line 6: .*'A'"),
        (TWO + "x,a\n", "line 5: attribute 'x' .*'x'"),
        (TWO + "1,'?'\n", "line 5: attribute 'y'"),
        (TWO + "1,a\n\n% c\n1,a,2\n", "line 8"),
        (TWO + "1\n", "line 5"),
        (TWO + "1,'a\n2,b\n", "line 5.*quote"),
        (TWO, "no rows"),
        (TWO + "% only a comment\n\n", "no rows"),
        ("@relation r\n@attribute x numeric\n", "no @data line"),
        ("@relation r\n@data\n1\n", "declares no attributes"),
        ("@attribute x numeric\n@attribute y {a}\n@data\n1,a\n", "no input left"),
        (
            "@attribute b relational\n@attribute x real\n@end b\n@attribute y {a}\n@data\n'1',a\n",
            "line 1: .*relational",
        ),
        ("@attribute d date ww\n@attribute y {a}\n@data\n1,a\n", "line 1: .*letter 'w'"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(DataError, match=sentence):
        arff(text, ignore="x" if "input" in sentence else ())


def test_a_lone_attribute_is_no_class() -> None:
    table = arff("@attribute x numeric\n@data\n1\n2\n")
    assert table.schema.target is None
    assert table.column("x").tolist() == [1, 2]


def test_ragged_rows_are_filled_or_dropped_when_asked() -> None:
    text = TWO + "1,a\n2\n3,b,9\n4,b\n"
    filled = arff(text, ragged="fill")
    assert filled.column("x").tolist() == [1, 2, 3, 4]
    assert filled.label_values().tolist() == ["a", None, "b", "b"]
    dropped = arff(text, ragged="drop")
    assert dropped.column("x").tolist() == [1, 4]
    for table in (filled, dropped):
        assert {line for note in table.report for line in note.lines} == {6, 7}


def test_repeated_attribute_names_are_renamed() -> None:
    table = arff("@attribute x real\n@attribute x real\n@attribute y {a,b}\n@data\n1,2,a\n3,4,b\n")
    assert table.schema.names == ("x", "x_2")
    assert "declared twice" in table.report


def test_an_all_missing_attribute_is_read() -> None:
    table = arff("@attribute x real\n@attribute s string\n@attribute y {a,b}\n@data\n?,?,a\n?,?,b\n")
    assert np.all(np.isnan(table.column("x")))
    assert table.column("s").tolist() == [None, None]
