"""The cells of a source as they are written, whatever they are read as: for giving a user's columns back."""

from __future__ import annotations

import csv
import gzip
import io
import json
import sqlite3
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import acumen

ROWS = [
    ["01", "1,234.50", "31.12.2023", 'a "b", c', "20", "63,10 €"],
    ["02", "2,000.00", "01.02.2024", "line\nbreak", "NA", "3,00 €"],
    ["03", "", "05.02.2024", "-", "7.0", "12,50 €"],
]
NAMES = ["id", "price", "when", "note", "qty", "fee"]


def written(path: Path | str | pd.DataFrame, rows: int = 2, **options: object) -> list[list[object]]:
    return [list(row) for row in acumen.scan(path, rows=rows, **options).source_cells()]


def as_csv(delimiter: str = ",", end: str = "\n") -> str:
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter, lineterminator=end).writerows([NAMES, *ROWS])
    return out.getvalue()


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("rows", [1, 2, 100])
def test_delimited_cells_are_given_back_as_they_stand(tmp_path: Path, delimiter: str, rows: int) -> None:
    path = tmp_path / "t.csv"
    path.write_text(as_csv(delimiter), encoding="utf-8", newline="")
    assert written(path, rows) == ROWS


def test_comments_blank_lines_titles_encodings_and_compression_do_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "t.csv.gz"
    text = "Prices of 2023\n\n" + as_csv(";", "\r\n").replace("03;", "\r\n03;")
    path.write_bytes(gzip.compress(text.encode("utf-16")))
    assert [row[0] for row in written(path)] == ["01", "02", "03"]
    assert [row[5] for row in written(path)] == [row[5] for row in ROWS]


def test_blanks_around_a_cell_are_part_of_it(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('a,b\n 1 ,x \n2, " y "\n   \n3,z\n')
    assert written(path) == [[" 1 ", "x "], ["2", " y "], ["3", "z"]]


def test_ragged_rows_are_as_the_reader_has_them(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,x\n2\n3,z,9\n4,w\n")
    assert written(path, ragged="fill") == [["1", "x"], ["2", ""], ["3", "z"], ["4", "w"]]
    assert written(path, ragged="drop") == [["1", "x"], ["4", "w"]]


cells = st.text(st.characters(codec="utf-8", exclude_characters="\0\r\ufeff"), max_size=6)


@given(st.lists(st.tuples(cells, cells), min_size=1, max_size=8), st.integers(1, 4))
def test_whatever_csv_can_say_comes_back(tmp_path_factory, rows: list[tuple[str, str]], size: int) -> None:
    path = tmp_path_factory.mktemp("w") / "t.csv"
    with path.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([("a", "b"), *rows])
    dialect = acumen.Dialect(delimiter=",", header=True, comment="")
    assert [tuple(row) for row in written(path, size, dialect=dialect)] == rows


def test_fixed_width_cells_are_without_the_blanks_that_fill_them(tmp_path: Path) -> None:
    path = tmp_path / "t.fwf"
    path.write_text("id  when       qty\n01  31.12.2023 20 \n02  01.02.2024 7.0\n")
    assert written(path) == [["01", "31.12.2023", "20"], ["02", "01.02.2024", "7.0"]]


def test_json_lines_and_databases_keep_their_types(tmp_path: Path) -> None:
    rows = [{"n": 20, "f": 20.5, "s": "02", "b": True}, {"n": 7, "f": 1.0, "s": None, "b": False}]
    path = tmp_path / "t.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert written(path) == [[20, 20.5, "02", True], [7, 1.0, None, False]]
    with sqlite3.connect(tmp_path / "t.db") as base:
        base.execute("CREATE TABLE t (n INTEGER, f REAL, s TEXT)")
        base.executemany("INSERT INTO t VALUES (?, ?, ?)", [(20, 20.5, "02"), (None, 1.0, "x")])
    base.close()
    assert written(f"sqlite:///{tmp_path / 't.db'}") == [[20, 20.5, "02"], [None, 1.0, "x"]]


def test_parquet_keeps_whole_numbers_and_dates(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame(
        {"n": [20, 7], "d": pd.to_datetime(["2023-12-31 00:00", "2024-01-02 12:30"]), "s": ["a", None]}
    )
    frame.to_parquet(tmp_path / "t.parquet")
    assert written(tmp_path / "t.parquet", 1) == [[20, "2023-12-31", "a"], [7, "2024-01-02 12:30", None]]


def test_sources_without_cells_give_short_numbers_and_dates() -> None:
    days = pd.to_datetime(["2023-12-31", None])
    frame = pd.DataFrame({"n": [20.0, 0.5], "d": days, "c": ["u", "v"]})
    assert written(frame) == [[20, "2023-12-31", "u"], [0.5, None, "v"]]


def test_chosen_columns_come_alone_and_in_order(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(as_csv(), encoding="utf-8")
    assert written(path, columns=["qty", "id"]) == [[row[4], row[0]] for row in ROWS]


ARFF = """@relation r
@attribute n numeric
@attribute 'a name' {yes, 'it\\'s', no}
@attribute s string
@attribute d date "dd/MM/yyyy"
@data
2.50, yes, "x, y", 31/12/2023 % and a comment
1e3, 'it\\'s', ?, 01/02/2024, {0.5}
?, ?, '?', ?

-0, no, z, "05/02/2024"
"""


@pytest.mark.parametrize("rows", [1, 3, 100])
def test_arff_cells_are_given_back_as_they_stand(tmp_path: Path, rows: int) -> None:
    path = tmp_path / "t.arff"
    path.write_text(ARFF)
    assert acumen.scan(path).schema.columns == ("n", "a name", "s", "d", "weight")
    assert written(path, rows, target="a name") == [
        ["2.50", "yes", "x, y", "31/12/2023", 1],
        ["1e3", "it's", "?", "01/02/2024", 0.5],
        ["?", "?", "?", "?", 1],
        ["-0", "no", "z", "05/02/2024", 1],
    ]
    path.write_text(ARFF.replace(", {0.5}", "").replace("1e3", "-999"))
    assert [row[0] for row in written(path, rows, missing="-999")] == ["2.50", "-999", "?", "-0"]
    assert written(path, rows, columns=["n"])[0] == ["2.50", "31/12/2023"]


def test_what_a_sparse_row_is_silent_of_is_what_it_stands_for(tmp_path: Path) -> None:
    path = tmp_path / "t.arff"
    path.write_text(
        "@attribute a numeric\n@attribute b {u, v}\n@attribute c string\n@data\n{0 1.50, 1 v}\n{2 'x'}\n3.0,u,?\n"
    )
    assert written(path) == [["1.50", "v", None], [0, "u", "x"], ["3.0", "u", "?"]]


def test_parts_of_dates_stand_behind_the_cells_as_they_are_written(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("d,n\n31.12.2023,1.0\n01.02.2024,2.50\n05.02.2024,3\n")
    assert written(path, 2, date_parts="d") == [
        ["31.12.2023", "1.0", 2023, "Dec", "Sun"],
        ["01.02.2024", "2.50", 2024, "Feb", "Thu"],
        ["05.02.2024", "3", 2024, "Feb", "Mon"],
    ]
