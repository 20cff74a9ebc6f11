"""The law of new rows: read like a model's schema, any rows of a file are those rows of the whole file, to the byte."""

from __future__ import annotations

import io
import json
import pickle
import random
import sqlite3
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import acumen
from acumen.data.align import align
from acumen.data.schema import Schema
from acumen.errors import DataError
from workbooks import workbook

Row = tuple[str, ...]
NAMES = ("umsatz", "preis", "anzahl", "tag", "seit", "uhr", "plz", "zeichen", "k", "notiz", "y")


def german(number: float) -> str:
    return f"{number:,.2f}".translate(str.maketrans(",.", ".,"))


def messy(n: int = 120) -> list[Row]:
    """Rows whose columns hold now and then what makes them another kind: a word among amounts, a code among numbers."""
    rng = random.Random(4)
    rows = []
    for i in range(n):
        amount = rng.choice([1000.0, 1200.0, 1400.0, 1416.73, 950.0, 7.5])
        day = f"{rng.randint(1, 28):02}.{rng.randint(1, 12):02}.2023"
        rows.append((
            "k. A." if i % 50 == 7 else german(amount) + " €",
            german(rng.choice([1234.0, 2.5, 12.0])),
            "" if i % 9 == 0 else str(rng.randint(1, 900)),
            "" if i % 11 == 0 else day,
            "offen" if i % 40 == 3 else f"2023-{rng.randint(1, 12):02}-01",
            f"{rng.randint(0, 23):02}:{rng.randint(0, 59):02}",
            rng.choice(["01067", "10115"]) if i % 30 == 2 else rng.choice(["10115", "80331"]),
            rng.choice(["+", "-"]) if i % 30 == 4 else rng.choice(["-", "NULL", "~"]),
            rng.choice("abc"),
            f"{i} mal mit Wort{rng.randint(0, 9)} und {i}" if i % 3 else str(i),
            rng.choice(["Ja", "Nein"]),
        ))  # fmt: skip
    return rows


def typed(row: Row) -> list[Any]:
    """A row as a program keeps it: numbers and missing values as such, everything else as text."""
    made: list[Any] = []
    for name, cell in zip(NAMES, row, strict=True):
        if name == "umsatz" and cell != "k. A.":
            made.append(float(cell[:-2].replace(".", "").replace(",", ".")))
        elif name == "anzahl":
            made.append(int(cell) if cell else None)
        else:
            made.append(cell or None)
    return made


def delimited(path: Path, rows: list[Row], mark: str = ";") -> Path:
    path.write_text(
        "\n".join(mark.join(f'"{c}"' if mark in c else c for c in row) for row in [NAMES, *rows]) + "\n"
    )
    return path


def arff(path: Path, rows: list[Row]) -> Path:
    kinds = [
        "string",
        "string",
        "numeric",
        "string",
        "string",
        "string",
        "string",
        "string",
        "{a,b,c}",
        "string",
    ]
    head = [f"@attribute {n} {k}" for n, k in zip(NAMES, [*kinds, "{Ja,Nein}"], strict=True)]
    cells = [",".join("?" if c == "" else f"'{c}'" for c in row) for row in rows]
    path.write_text("\n".join(["@relation r", *head, "@data", *cells]) + "\n")
    return path


def sheet(path: Path, rows: list[Row]) -> Path:
    return workbook(path, {"t": [list(NAMES), *map(typed, rows)]})


def lines(path: Path, rows: list[Row]) -> Path:
    path.write_text("".join(json.dumps(dict(zip(NAMES, typed(row), strict=True))) + "\n" for row in rows))
    return path


def database(path: Path, rows: list[Row]) -> Path:
    path.unlink(missing_ok=True)
    with sqlite3.connect(path) as connection:
        connection.execute(f"CREATE TABLE t ({', '.join(NAMES)})")
        connection.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(NAMES))})", map(typed, rows))
    connection.close()
    return path


def frame(rows: list[Row]) -> pd.DataFrame:
    """As pandas has it: an amount or a date beside a word makes a column of objects."""
    cells = [typed(row) for row in rows]
    columns = {name: [row[j] for row in cells] for j, name in enumerate(NAMES)}
    columns["seit"] = [c if c == "offen" else pd.Timestamp(c).date() for c in columns["seit"]]
    columns["tag"] = list(pd.to_datetime(columns["tag"], format="%d.%m.%Y"))
    return pd.DataFrame(columns)


def parquet(path: Path, rows: list[Row]) -> Path:
    frame(rows).assign(umsatz=[r[0] for r in rows], seit=[r[4] for r in rows]).to_parquet(path)
    return path


def feather(path: Path, rows: list[Row]) -> Path:
    frame(rows).assign(umsatz=[r[0] for r in rows], seit=[r[4] for r in rows]).to_feather(path)
    return path


FORMATS: dict[str, Callable[[Path, list[Row]], Any]] = {
    "a.csv": delimited,
    "comma.csv": lambda path, rows: delimited(path, rows, ","),
    "a.tsv": lambda path, rows: delimited(path, rows, "\t"),
    "a.arff": arff,
    "a.xlsx": sheet,
    "a.jsonl": lines,
    "a.db": database,
    "a.parquet": parquet,
    "a.feather": feather,
    "frame": lambda _, rows: frame(rows),
}


def content(table: acumen.Table, schema: Schema) -> list[list[Any]]:
    """Every cell under the schema, numbers by their bytes."""
    rows = align(table, schema)
    numeric = [[value.hex() for value in np.asarray(column).tolist()] for column in rows.numeric.columns]
    codes = [np.asarray(column).tolist() for column in rows.nominal.columns]
    labels = [] if rows.labels is None else [rows.labels.tolist()]
    return [*numeric, *codes, *(list(text) for text in rows.text), *labels]


def subsets(rows: list[Row]) -> list[list[int]]:
    plain = [i for i, row in enumerate(rows) if "k. A." not in row and "offen" not in row]
    bare = [i for i in plain if rows[i][6][0] != "0" and "+" not in rows[i]]
    rng = random.Random(1)
    some = [sorted(rng.sample(range(len(rows)), k)) for k in (1, 2, 10)]
    return [plain, bare, bare[:1], bare[:9], [7], [3], *some]


@pytest.mark.parametrize("name", FORMATS)
def test_any_rows_of_a_file_are_those_rows_of_the_whole_file(name: str, tmp_path: Path) -> None:
    rows, write = messy(), FORMATS[name]
    path = tmp_path / ("whole" + name)
    whole = acumen.read(write(path, rows), target="y")
    schema = whole.schema
    every = content(acumen.read(write(path, rows), like=schema), schema)
    assert every == content(whole, schema)
    for chosen in subsets(rows):
        source = write(path, [rows[i] for i in chosen])
        wanted = [[column[i] for i in chosen] for column in every]
        assert content(acumen.read(source, like=schema), schema) == wanted, (name, chosen)
        parts = acumen.scan(source, like=schema, rows=4)
        got = [content(part, schema) for part in parts]
        if parts.located is not None:  # as a worker of a cluster fetches them
            place = pickle.loads(pickle.dumps(parts.located))
            assert sum(len(part) for part in place.tables(0, len(place.sizes))) == len(chosen)
            (first, *_) = place.tables(0, len(place.sizes))
            assert content(first, schema) == [column[: len(first)] for column in wanted], (name, chosen)
        assert [list(chain.from_iterable(columns)) for columns in zip(*got, strict=True)] == wanted, (
            name,
            chosen,
        )


def test_rows_without_a_header_are_rows(tmp_path: Path) -> None:
    rows = [(str(i % 7), ["rot", "blau"][i % 2], ["ja", "nein"][i % 3 > 0]) for i in range(40)]
    path = tmp_path / "a.csv"

    def write(some: list[tuple[str, ...]]) -> Path:
        path.write_text("".join(";".join(row) + "\n" for row in some))
        return path

    schema = acumen.read(write(rows), target="x3").schema
    for chosen in ([0], [1, 2], list(range(5, 20))):
        found = acumen.read(write([rows[i] for i in chosen]), like=schema)
        assert content(found, schema) == [[column[i] for i in chosen] for column in
                                          content(acumen.read(write(rows), like=schema), schema)]  # fmt: skip


def test_a_model_answers_the_rows_of_a_file_alone_as_among_all(tmp_path: Path) -> None:
    rows = messy()
    whole = delimited(tmp_path / "all.csv", rows)
    chosen = subsets(rows)[0]
    part = delimited(tmp_path / "part.csv", [rows[i] for i in chosen])
    table = acumen.read(whole, target="y", ignore="notiz")
    for learner in (acumen.NaiveBayes(), acumen.DecisionTree()):
        model = learner.fit(table)
        wanted = model.predict_proba(whole)
        assert wanted.tobytes() == model.predict_proba(table).tobytes()
        like = acumen.read(part, like=model.schema_)
        for source in (part, str(part), like, acumen.read(part, target="y")):
            assert model.predict_proba(source).tobytes() == wanted[chosen].tobytes()


def read(text: str, **options: Any) -> acumen.Table:
    return acumen.read(io.StringIO(text), **options)


def test_marks_are_those_of_training() -> None:
    german_rows = read("a;n;y\n1,5;3;u\n2,5;4;v\n", target="y").schema
    # With commas before decimals, points can only stand between thousands, in columns of whole numbers too.
    found = read("a;n;y\n1.234;1.234;u\n", like=german_rows)
    assert found.column("a").tolist() == [1234.0] and found.column("n").tolist() == [1234.0]
    with pytest.raises(DataError, match=r"column 'a' holds '1\.5', .* or use Dialect\(decimal='\.'\) if"):
        read("a;n;y\n1.5;3;u\n", like=german_rows)
    stated = read("a;n;y\n1.234;3;u\n", like=german_rows, dialect=acumen.Dialect(decimal="."))
    assert stated.column("a").tolist() == [1.234]
    english = read("a;n;y\n1.5;3;u\n2.5;4;v\n", target="y").schema
    assert english["a"].form == "number ."
    assert read("a;n;y\n1.234;3;u\n", like=english).column("a").tolist() == [1.234]
    assert read("a;n;y\n1,234;3;u\n", like=english).column("a").tolist() == [1234.0]
    with pytest.raises(DataError, match="column 'a' holds '1,5'"):
        read("a;n;y\n1,5;3;u\n", like=english)


def test_a_table_read_alone_that_cannot_be_understood_is_refused() -> None:
    known = read("a;y\n1.50;u\n1.5;v\nx;u\n", target="y").schema
    alone = read("a;y\n1.5;u\n")
    with pytest.raises(
        DataError, match=r"distinguishes '1\.50?' and '1\.50?', which are the same number; pass the path"
    ):
        align(alone, known)
    text = read("a;y\n1 und mehr;u\n2 und noch mehr;v\n3 oder weniger;u\n", target="y").schema
    assert text["a"].kind == "text"
    amounts = read("a;y\n1.416,73 €;u\n;v\n7,00 €;u\n")
    assert amounts.schema["a"].kind == "numeric"
    assert align(amounts.take([2, 0, 1]), text).text[0].tolist() == ["7,00 €", "1.416,73 €", None]
    amounts.written = {}
    with pytest.raises(DataError, match="was read as numbers or dates, but it is text in the model"):
        align(amounts, text)


def test_a_target_of_numbers_is_spelled_as_in_training() -> None:
    schema = read("a;y\n1;1\n2;1.0\n3;0\n", target="y").schema
    assert schema.classes == ("0", "1")
    assert content(read("a;y\n1;1.0\n", like=schema), schema)[1] == [1]
    assert content(read("a;y\n1;1.0\n", like=schema, target="y"), schema)[1] == [1]


def test_levels_that_are_numbers_are_known_however_a_text_spells_them() -> None:
    frame = pd.DataFrame({"a": pd.Categorical([1, 2, 1]), "b": [True, False, True], "y": ["u", "v", "u"]})
    schema = acumen.read(frame, target="y").schema
    found = align(read("a;b;y\n1.0;true;u\n2;0;v\n01;1;u\n3;x;u\n", like=schema), schema)
    assert [codes.tolist() for codes in found.nominal.columns] == [[0, 1, -2, -2], [1, 0, 1, -2]]


def test_rows_that_hide_where_a_column_of_fixed_width_ends_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.fwf"
    rows = ["c       n  y", "a b     1  u", "abcdef  2  v", "a b     3  u"]
    path.write_text("\n".join(rows) + "\n")
    schema = acumen.read(path, target="y").schema
    assert schema["c"].levels == ("a b", "abcdef")
    path.write_text("\n".join([rows[0], rows[1], rows[3]]) + "\n")
    with pytest.raises(DataError, match=r"some columns have no name above them.*widths"):
        acumen.read(path, like=schema)
    found = acumen.read(path, like=schema, dialect=acumen.Dialect(widths=(8, 3, 1)))
    assert content(found, schema)[1] == [0, 0]


def test_a_table_read_alone_means_what_the_model_knows() -> None:
    """Marks and orders of dates that a few rows leave open, or that other columns seem to settle."""
    months_first = read("d;e;y\n12/31/2023;31/12/2023;u\n01/05/2023;01/05/2023;v\n", target="y").schema
    alone = read("d;e;y\n01/05/2023;31/05/2023;u\nNA;02/03/2023;u\n", target="y")
    found = align(alone, months_first)
    assert found.column("d").tolist()[0] == 19362.0 and np.isnan(found.column("d")[1])
    assert found.column("e").tolist() == [19508.0, 19418.0]
    stated = read("d;e;y\n01/05/2023;01/05/2023;u\n", target="y", date_order="dmy")
    assert align(stated, months_first).column("d").tolist() == [19478.0]  # the caller's word comes first

    thousands = read("a;b;y\n1.200,5;1.5;u\n900,0;2.5;v\n", target="y", levels={"b": ["1.5", "2.5"]}).schema
    assert thousands["a"].form == "number ,."
    for text in ("a;b;y\n1.200;1.5;u\n", "a;b;y\n1.200;2;u\n"):
        with pytest.raises(
            DataError, match=r"column 'a' .* read with the decimal mark '\.', .* pass the path"
        ):
            align(read(text, target="y", levels={"b": ["1.5", "2", "2.5"]}), thousands)
    proved = read("a;b;y\n1.25;1.5;u\n", target="y", levels={"b": ["1.5", "2.5"]})
    assert align(proved, thousands).column("a").tolist() == [1.25]
    stated = read(
        "a;b;y\n1.200;1.5;u\n", target="y", levels={"b": ["1.5"]}, dialect=acumen.Dialect(decimal=".")
    )
    assert align(stated, thousands).column("a").tolist() == [1.2]


def test_tokens_that_a_model_knows_as_levels_are_not_missing_without_a_word() -> None:
    """A table read alone: what its reader took for missing may be a level to the model."""
    rows = "land;n;y\n" + "".join(
        f"{land};{i};{'uv'[i % 2]}\n" for i, land in enumerate(["NA", "DE", "-", "+"])
    )
    schema = read(rows, target="y", not_missing="NA").schema
    assert schema["land"].levels == ("+", "-", "DE", "NA")
    for text in ("land;n\nNA;3\nDE;4\n", "land;n\n-;3\nDE;4\n", "land;n\nNA;3\n"):
        with pytest.raises(DataError, match=r"column 'land' of this table has missing values.*like=model"):
            align(read(text), schema)
        assert (align(read(text, like=schema), schema).nominal.columns[0] >= 0).all()
    for text, options in (
        ("land;n\nNA;3\nDE;4\n", {"not_missing": "NA"}),
        ("land;n\n-;3\n+;4\n", {}),
        ("land;n\n-;3\n", {}),
        ("land;n\nDE;3\n+;4\n", {}),
    ):
        assert (align(read(text, **options), schema).nominal.columns[0] >= 0).all()
    stated = align(read("land;n\nNA;3\nDE;4\n", missing="NA"), schema)  # the caller's word comes first
    assert stated.nominal.columns[0].tolist() == [-1, 2]
    assert next(iter(acumen.scan(io.StringIO("land;n\nDE;3\n"), rows=5))).schema["land"].levels == ("DE",)
    with pytest.raises(DataError, match="has missing values"):
        align(next(iter(acumen.scan(io.StringIO("land;n\nNA;3\nDE;4\n"), rows=5))), schema)
    blank = read('a;y\n"";u\nrot;v\n1;u\n', target="y").schema
    assert blank["a"].levels == ("", "1", "rot")
    with pytest.raises(DataError, match="has missing values"):
        align(read('a\n""\n2\n'), blank)
    words = read("a;y\nnan;u\nrot;v\n1;u\n", target="y").schema
    assert words["a"].levels == ("1", "nan", "rot")
    with pytest.raises(DataError, match="has missing values"):
        align(read("a\nnan\n2\n"), words)
    assert align(read("a\n1\n2\n"), words).nominal.columns[0].tolist() == [0, -2]


def test_quoted_tokens_do_not_hide_that_numbers_are_read_otherwise() -> None:
    thousands = read('a;y\n"(1,000)";u\n"1,234.5";v\n', target="y").schema
    alone = read('a;y\n"(1,000)";u\n"12";v\n"n/a";v\n', target="y")
    assert align(alone, thousands).column("a").tolist()[:2] == [-1000.0, 12.0]
