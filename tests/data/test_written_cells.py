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
from hypothesis import given, settings
from hypothesis import strategies as st

import acumen

ROWS = [
    ["01", "1,234.50", "31.12.2023", 'a "b", c', "20", "63,10 €"],
    ["02", "2,000.00", "01.02.2024", "line\nbreak", "NA", "3,00 €"],
    ["03", "", "05.02.2024", "-", "7.0", "12,50 €"],
]
NAMES = ["id", "price", "when", "note", "qty", "fee"]


def written(path: Path | str, rows: int = 2, **options: object) -> list[list[object]]:
    return [list(row) for row in acumen.scan(path, rows=rows, **options).written()]


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


@settings(max_examples=60, deadline=None)
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


def test_sources_without_cells_give_short_numbers_and_dates(tmp_path: Path) -> None:
    path = tmp_path / "t.arff"
    path.write_text("@relation r\n@attribute n numeric\n@attribute d date 'yyyy-MM-dd'\n@attribute c {u,v}\n"
                    "@data\n20.0,'2023-12-31',u\n0.5,?,v\n")  # fmt: skip
    assert written(path) == [[20, "2023-12-31", "u"], [0.5, None, "v"]]


def test_chosen_columns_come_alone_and_in_order(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(as_csv(), encoding="utf-8")
    assert written(path, columns=["qty", "id"]) == [[row[4], row[0]] for row in ROWS]
