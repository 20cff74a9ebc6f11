"""Tables written as files: what stands in the file, and that it reads back the same."""

from __future__ import annotations

import bz2
import gzip
import lzma
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import acumen
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError


def example() -> Table:
    """Each kind once, each with a missing value, columns in an order of their own."""
    schema = Schema(
        (
            Attribute("size", "numeric"),
            Attribute("colour", "nominal", ("red", "?", "a, b", "it's")),
            Attribute("grade", "ordinal", ("low", "high")),
            Attribute("remark", "text"),
        ),
        Attribute("class", "nominal", ("No", "Yes")),
        weight="w",
        ignored=(Attribute("id", "ignored"),),
        columns=("id", "size", "class", "colour", "w", "grade", "remark"),
    )
    return Table(
        schema,
        4,
        numeric=[np.array([1.5, np.nan, -0.0, 3.0])],
        nominal=[np.array([0, 1, 2, 3], np.int32), np.array([0, -1, 1, -2], np.int32)],
        text=[np.array(["plain", None, "", 'say "so"\nand go'], object)],
        labels=np.array([0, 1, -1, 1], np.int32),
        weights=np.array([1.0, 0.5, 2.0, 1e-20]),
        ignored=[np.array([1.0, 2.0, np.nan, 4.0])],
    )


def written(table: Table, folder: Path, name: str) -> str:
    table.write(folder / name)
    return (folder / name).read_bytes().decode()


def one_column(values: list[float]) -> Table:
    return Table(Schema((Attribute("x"),)), len(values), numeric=[np.array(values)])


def test_csv_quotes_values_and_leaves_missing_unquoted(tmp_path: Path) -> None:
    assert written(example(), tmp_path, "t.csv") == (
        "id,size,class,colour,w,grade,remark\n"
        "1,1.5,No,red,1,low,plain\n"
        '2,,Yes,"?",0.5,,\n'
        ',-0.0,,"a, b",2,high,""\n'
        '4,3,Yes,it\'s,1e-20,,"say ""so""\nand go"\n'
    )


def test_tsv_is_tab_separated(tmp_path: Path) -> None:
    lines = written(example(), tmp_path, "t.tsv").split("\n")
    assert lines[0] == "id\tsize\tclass\tcolour\tw\tgrade\tremark"
    assert lines[3] == '\t-0.0\t\ta, b\t2\thigh\t""'


def test_arff_declares_domains_and_quotes_the_question_mark(tmp_path: Path) -> None:
    assert written(example(), tmp_path, "my table.arff") == (
        "@relation 'my table'\n\n"
        "@attribute id numeric\n"
        "@attribute size numeric\n"
        "@attribute class {No,Yes}\n"
        "@attribute colour {red,'?','a, b','it\\'s'}\n"
        "@attribute w numeric\n"
        "% The levels of the next attribute are in their order (it is ordinal).\n"
        "@attribute grade {low,high}\n"
        "@attribute remark string\n"
        "\n@data\n"
        "1,1.5,No,red,1,low,plain\n"
        "2,?,Yes,'?',0.5,?,?\n"
        "?,-0.0,?,'a, b',2,high,''\n"
        "4,3,Yes,'it\\'s',1e-20,?,'say \"so\"\\nand go'\n"
    )


@pytest.mark.parametrize(
    "token", ["", "NA", "N/A", "?", "null", "NaN", " a", "a ", "#a", "a,b", 'a"b', "a\rb"]
)
def test_csv_quotes_what_could_be_misread(tmp_path: Path, token: str) -> None:
    schema = Schema((Attribute("x", "nominal", (token,)), Attribute("y")))
    table = Table(schema, 1, numeric=[np.zeros(1)], nominal=[np.zeros(1, np.int32)])
    assert written(table, tmp_path, "t.csv") == 'x,y\n"' + token.replace('"', '""') + '",0\n'


def test_a_single_column_never_leaves_a_blank_line(tmp_path: Path) -> None:
    assert written(one_column([1.0, np.nan, 2.0]), tmp_path, "t.csv") == "x\n1\n?\n2\n"


def test_numbers_read_back_as_themselves(tmp_path: Path) -> None:
    values = [0.1, 1 / 3, 1e300, 5e-324, 2.0**53, -(2.0**60), 1e22, -0.0, 0.0, 7.0, np.inf, -np.inf]
    lines = written(one_column(values), tmp_path, "t.csv").split("\n")[1:-1]
    assert [float(line).hex() for line in lines] == [float(v).hex() for v in values]
    assert lines[8:10] == ["0", "7"]


def test_levels_that_are_no_text_are_written_as_python_spells_them(tmp_path: Path) -> None:
    schema = Schema((Attribute("x"),), Attribute("y", "nominal", (0, 1.5, True)))
    table = Table(schema, 3, numeric=[np.arange(3.0)], labels=np.arange(3, dtype=np.int32))
    assert written(table, tmp_path, "t.csv") == "x,y\n0,0\n1,1.5\n2,True\n"


def test_a_numeric_target_and_long_tables_are_written_whole(tmp_path: Path) -> None:
    n = 100_000
    schema = Schema((Attribute("x"), Attribute("z", "nominal", ("a", "b"))), Attribute("y"))
    values, codes = np.arange(n) / 7, (np.arange(n) % 2).astype(np.int32)
    table = Table(schema, n, numeric=[values], nominal=[codes], response=values[::-1].copy())
    lines = written(table, tmp_path, "t.csv").split("\n")[1:-1]
    expected = [
        f"{v!r},{'ab'[c]},{w!r}"
        for v, c, w in zip(values.tolist(), codes, values[::-1].tolist(), strict=True)
    ]
    assert [line.replace(".0,", ",").removesuffix(".0") for line in expected] == lines


def test_sparse_tables_are_written_in_full(tmp_path: Path) -> None:
    from scipy.sparse import csr_matrix

    schema = Schema((Attribute("a"), Attribute("b")), Attribute("c", "nominal", ("x", "y")))
    sparse: Any = csr_matrix(np.array([[0.0, 2.0], [3.0, 0.0]]))
    table = Table(schema, 2, sparse=sparse, labels=np.array([0, 1], np.int32))
    assert written(table, tmp_path, "t.csv") == "a,b,c\n0,2,x\n3,0,y\n"


@pytest.mark.parametrize(("suffix", "opened"), [(".gz", gzip.open), (".bz2", bz2.open), (".xz", lzma.open)])
def test_files_are_compressed_by_suffix(tmp_path: Path, suffix: str, opened: Any) -> None:
    plain = written(example(), tmp_path, "t.arff")
    example().write(tmp_path / f"t.arff{suffix}")
    with opened(tmp_path / f"t.arff{suffix}", "rt", newline="") as file:
        assert file.read() == plain


def test_the_same_table_gives_the_same_compressed_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        example().write(tmp_path / name / "t.csv.gz")
    assert (tmp_path / "a" / "t.csv.gz").read_bytes() == (tmp_path / "b" / "t.csv.gz").read_bytes()


@pytest.mark.parametrize("name", ["t", "t.txt", "t.gz", "t.cvs", ".csv"])
def test_an_unknown_suffix_is_refused_in_a_sentence(tmp_path: Path, name: str) -> None:
    with pytest.raises(DataError, match=r"end it in \.csv, \.tsv or \.arff"):
        example().write(tmp_path / name)
    assert not any(tmp_path.iterdir())


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no folder"):
        example().write(tmp_path / "no" / "t.csv")


@pytest.mark.parametrize("level", ["a\0b", "\ud800"])
def test_a_failed_write_leaves_the_old_file_as_it_was(tmp_path: Path, level: str) -> None:
    (tmp_path / "t.csv").write_text("old")
    schema = Schema((Attribute("x", "nominal", (level,)),))
    with pytest.raises(DataError, match="write: "):
        Table(schema, 1, nominal=[np.zeros(1, np.int32)]).write(tmp_path / "t.csv")
    assert [p.name for p in tmp_path.iterdir()] == ["t.csv"]
    assert (tmp_path / "t.csv").read_text() == "old"


def test_dates_and_times_are_written_as_such_and_read_back_as_the_same_numbers(tmp_path):
    given = tmp_path / "given.csv"
    given.write_text("day,moment,x\n31.12.2023,31.12.2023 10:30,1\n,01.01.2024 11:00:05,2\n05.01.2024,,3\n")
    table = acumen.read(given)
    table.write(tmp_path / "out.csv")
    lines = (tmp_path / "out.csv").read_text().splitlines()
    assert lines[1:] == ["2023-12-31,2023-12-31 10:30,1", ",2024-01-01 11:00:05,2", "2024-01-05,,3"]
    back = acumen.read(tmp_path / "out.csv")
    for name in ("day", "moment"):
        np.testing.assert_array_equal(back.column(name), table.column(name))


def test_days_with_a_share_that_no_date_shows_stay_numbers(tmp_path):
    schema = acumen.Schema((acumen.Attribute("day", form="date dmy"),))
    table = acumen.Table(schema, 2, numeric=[np.array([19_000.25, 19_001.0])])
    table.write(tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text().split() == ["day", "19000.25", "19001"]
