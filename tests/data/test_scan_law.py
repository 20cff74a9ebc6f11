"""The law of reading: `scan` gives the table that `read` gives, or refuses what it refuses; whatever the file.

Files of every format are damaged the way files are (bytes lost, doubled and swapped, lines moved, tokens put in) and
read both ways. ACUMEN_MUTATIONS sets how many of each format.
"""

from __future__ import annotations

import contextlib
import io
import os
import random
import sqlite3
from pathlib import Path
from typing import Any

import pytest

import acumen
from acumen import Dialect, Table
from acumen.data.concat import concat
from acumen.errors import AcumenError

N = int(os.environ.get("ACUMEN_MUTATIONS", "60"))

MESSY = """sep=;
when;price;net;s;h
31/12/2023;63,10 \u20ac;Fibre optic;NULL;170 cm
01/02/2023;1.234,50 \u20ac;fiber optic;-;180 cm
05/06/2023;5,00 \u20ac;DSL;None;12:30
Total;1.302,60 \u20ac;;.;
""".encode()
CSV = b'''id;when;price;city;n;note
1;2020-01-31;1,5;Bern;950;"a; b"
2;2020-02-29;2,25;"Z\xc3\xbcrich";1.234;"say ""no"""
3;;;NA;12.500;
4;2021-12-01;7;Bern;870;x
'''
ARFF = b"""@relation r
@attribute name string
@attribute size numeric
@attribute colour {red, green, 'dark blue'}
@attribute day date yyyy-MM-dd
@attribute class {yes, no}
@data
'one two', 1.5, red, 2020-01-31, yes
three, ?, green, ?, no {2}
% remark
four, -2e3, 'dark blue', 2021-02-28, yes
"""
SPARSE = b"""@relation s
@attribute words string
@attribute n numeric
@attribute kind {a, b, c}
@data
{1 1, 2 b}
{0 hello, 1 2}
{0 world, 2 c}
{1 4} , {3}
"""
NUMBERS = b"""@relation s
@attribute x numeric
@attribute y numeric
@attribute class {a, b}
@data
{0 1, 2 b}
{1 2.5}
{}
{0 -1e3, 1 7}
"""
JSONL = b"""{"a": 1, "b": "x", "c": true, "d": null}
{"a": 2.5, "b": "y", "e": 3}

{"a": 9007199254740993, "c": false, "b": "x"}
{"a": 0.125, "b": "NaN", "c": true}
"""
SVM = b"""1 1:0.5 3:2 # one
-1 qid:3 2:1e-3 7:1
1 qid:4 1:-4
1
"""
BASKET = b"""milk,bread,class=yes
butter,class=no
"jam, red",milk,class=yes
bread,bread,tea,class=no
"""
FIXED = b"""name   age  city
Ann     31  Bern
Bob      7  Basel
Cy    1.50  Genf
"""
BINARY = b"""milk,bread,tea,class
1,0,1,yes
0,0,1,no
1,1,0,yes
"""

FORMATS: dict[str, tuple[bytes, str, dict[str, Any]]] = {
    "delimited": (CSV, ".csv", {}),
    "delimited-target": (CSV, ".csv", {"target": -1, "ragged": "fill"}),
    "messy": (MESSY, ".csv", {}),
    "messy-told": (
        MESSY,
        ".csv",
        {"date_order": "dmy", "not_missing": "None", "ragged": "drop", "target": "s"},
    ),
    "messy-numbers": (MESSY, ".csv", {"kinds": {"price": "numeric"}}),
    "arff": (ARFF, ".arff", {}),
    "arff-filled": (ARFF, ".arff", {"ragged": "fill", "missing": "red"}),
    "arff-sparse-strings": (SPARSE, ".arff", {}),
    "arff-sparse-target": (SPARSE, ".arff", {"target": "words"}),
    "arff-sparse-numbers": (NUMBERS, ".arff", {}),
    "jsonl": (JSONL, ".jsonl", {"target": "b"}),
    "svmlight": (SVM, ".svm", {}),
    "basket": (BASKET, ".basket", {"target": "class"}),
    "fixed": (FIXED, ".fwf", {}),
    "binary": (BINARY, ".csv", {"dialect": Dialect(format="binary"), "target": "class"}),
}
TOKENS = [
    b",", b";", b"\n", b"\r\n", b'"', b"'", b"{", b"}", b":", b"#", b"%", b"?", b"NA", b"nan", b"1e400", b"007",
    b"2020-01-01", b"1.234", b"1,5", b"12 kg", b"31.12.2023", b"-", b"NULL", b" ", b"\t", b"\xff", b"\xef\xbb\xbf",
    b"hello", b"9007199254740993", b"null", b"\\", b"Total", b"sep=;\n",
]  # fmt: skip


class Named(io.BytesIO):
    """Bytes with a name, by whose suffix the format is told."""

    name = ""


def damaged(text: bytes, draw: random.Random) -> bytes:
    """The text after a few accidents."""
    made = bytearray(text)
    for _ in range(draw.randint(1, 3)):
        at = draw.randrange(len(made) + 1)
        what = draw.randrange(6)
        if what == 0:
            made[at : at + draw.randint(1, 4)] = b""
        elif what == 1:
            made[at:at] = draw.choice(TOKENS)
        elif what == 2:
            end = at + draw.randint(1, 12)
            made[at:at] = made[at:end]
        elif what == 3 and at < len(made):
            made[at] = draw.randrange(1, 256)
        else:
            lines = bytes(made).split(b"\n")
            i, j = draw.randrange(len(lines)), draw.randrange(len(lines))
            if what == 4:
                lines[i], lines[j] = lines[j], lines[i]
            else:
                lines.insert(i, lines[j])
            made = bytearray(b"\n".join(lines))
    return bytes(made)


def opened(text: bytes, suffix: str) -> Named:
    made = Named(text)
    made.name = "file" + suffix
    return made


def outcome(do: Any) -> Table | str:
    try:
        made = do()
    except AcumenError as error:
        return type(error).__name__
    return made  # type: ignore[no-any-return]


def same(text: bytes, suffix: str, options: dict[str, Any], rows: int) -> None:
    whole = outcome(lambda: acumen.read(opened(text, suffix), **options))
    parts = outcome(lambda: concat([*acumen.scan(opened(text, suffix), rows=rows, **options)]))
    if isinstance(whole, str) or isinstance(parts, str):
        assert isinstance(whole, str) and isinstance(parts, str), (whole, parts, text)
        return
    assert parts.schema == whole.schema, text
    assert [a.form for a in parts.schema] == [a.form for a in whole.schema], text
    assert parts.difference(whole) is None, text
    assert [str(note) for note in parts.report] == [str(note) for note in whole.report], text


@pytest.mark.parametrize("form", FORMATS)
def test_scan_is_read_for_damaged_files_of_every_format(form: str) -> None:
    text, suffix, options = FORMATS[form]
    draw = random.Random(form)
    same(text, suffix, options, 2)
    assert isinstance(outcome(lambda: acumen.read(opened(text, suffix), **options)), Table)
    for _ in range(N):
        same(damaged(text, draw), suffix, options, draw.randint(1, 4))


def binary_file(form: str, path: Path) -> None:
    """A small table in a file that is no text."""
    if form == "sqlite":
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute("CREATE TABLE t (a REAL, b TEXT, c INTEGER)")
            rows = [(i / 2, f"w{i % 3}" * 5, i if i % 4 else None) for i in range(30)]
            connection.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
            connection.commit()
        return
    import pyarrow as pa
    import pyarrow.feather
    import pyarrow.parquet

    table = pa.table(
        {
            "a": [i / 2 for i in range(30)],
            "b": [None if i % 5 == 0 else f"w{i % 3}" for i in range(30)],
            "c": pa.array([i % 3 for i in range(30)]).cast(pa.int16()),
            "d": pa.array([f"l{i % 2}" for i in range(30)]).dictionary_encode(),
        }
    )
    if form == "parquet":
        pyarrow.parquet.write_table(table, path, row_group_size=10, compression="none")
    else:
        pyarrow.feather.write_feather(table, path, compression="uncompressed", chunksize=10)


@pytest.mark.parametrize(
    ("form", "suffix"), [("parquet", ".parquet"), ("arrow", ".arrow"), ("sqlite", ".db")]
)
def test_scan_is_read_for_damaged_binary_files(form: str, suffix: str, tmp_path: Path) -> None:
    if form != "sqlite":
        pytest.importorskip("pyarrow")
    path = tmp_path / f"t{suffix}"
    binary_file(form, path)
    whole = path.read_bytes()
    draw = random.Random(form)
    for n in range(N // 2):
        made = bytearray(whole)
        for _ in range(draw.randint(1, 3) if n else 0):
            made[draw.randrange(16, len(made))] = draw.randrange(256)
        path.write_bytes(bytes(made))
        options: dict[str, Any] = {} if n % 2 else {"target": "b"}
        left = outcome(lambda: acumen.read(path, **options))  # noqa: B023 - called at once
        right = outcome(lambda: concat([*acumen.scan(path, rows=draw.randint(1, 9), **options)]))  # noqa: B023
        if isinstance(left, str) or isinstance(right, str):
            assert isinstance(left, str) and isinstance(right, str), (n, left, right)
            assert n, left
            continue
        assert right.schema == left.schema and right.difference(left) is None, n
