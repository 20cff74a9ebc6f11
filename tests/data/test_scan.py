"""`scan` gives, part by part, exactly the table that `read` gives."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import acumen
from acumen import Dialect, Table
from acumen.data.delimited import reader as delimited
from acumen.data.request import Request
from acumen.errors import AcumenError, DataError, ParameterError


def same(left: Table, right: Table) -> None:
    assert left.schema == right.schema
    for name in left.schema.columns:
        a, b = left.column(name), right.column(name)
        assert [None if v != v else v for v in a.tolist()] == [None if v != v else v for v in b.tolist()]


def joined(parts: list[Table]) -> dict[str, list[Any]]:
    names = parts[0].schema.columns
    return {n: [None if v != v else v for part in parts for v in part.column(n).tolist()] for n in names}


def whole(table: Table) -> dict[str, list[Any]]:
    return {n: [None if v != v else v for v in table.column(n).tolist()] for n in table.schema.columns}


CELL = st.one_of(
    st.integers(-5, 5).map(str),
    st.floats(allow_nan=False, width=16).map(str),
    st.sampled_from(
        ["", "NA", "x", "y z", "007", "1,5", "2020-02-29", "inf", "nan", "é", "-9", "12345678901234567890"]
    ),
    st.text(st.sampled_from('ab,;\n" '), max_size=4),
)


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """Rows of cells, mostly of one sort in a column, in some style of quoting, sometimes ragged."""
    width = draw(st.integers(1, 4))
    sorts = [
        draw(st.one_of(st.lists(CELL, min_size=1, max_size=4), st.just(["1", "2.5", "3"])))
        for _ in range(width)
    ]
    rows = [[draw(st.sampled_from(sort)) for sort in sorts] for _ in range(draw(st.integers(1, 12)))]
    if draw(st.booleans()):
        rows.insert(0, [f"name {i}" for i in range(width)])
    if draw(st.integers(0, 4)) == 0:
        rows[draw(st.integers(0, len(rows) - 1))].append("extra")
    out = io.StringIO()
    quoting = draw(st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]))
    csv.writer(out, delimiter=draw(st.sampled_from(",;\t")), quoting=quoting).writerows(rows)
    return out.getvalue().encode(draw(st.sampled_from(["utf-8", "utf-16", "latin-1"])), "replace")


@given(
    files(),
    st.integers(1, 7),
    st.integers(1, 40),
    st.fixed_dictionaries(
        {},
        optional={
            "target": st.sampled_from([0, -1]),
            "ragged": st.sampled_from(["fill", "drop"]),
            "missing": st.just("-9"),
            "ignore": st.just([-1]),
            "kinds": st.sampled_from([{0: "nominal"}, {0: "text"}, {0: "numeric"}, {-1: "ordinal"}]),
            "levels": st.just({0: ["x", "1", "007"]}),
        },
    ),
)
def test_scan_is_read_in_parts(data: bytes, rows: int, chunk: int, asked: dict[str, Any]) -> None:
    request = None
    try:
        request = Request.of(**asked)
        table = delimited.read(io.BytesIO(data), request)
    except AcumenError as error:
        assert request is not None
        with pytest.raises(type(error)) as other:
            delimited.scan(io.BytesIO(data), request, rows, chunk=chunk)
        assert str(other.value) == str(error)
        return
    parts = delimited.scan(io.BytesIO(data), request, rows, chunk=chunk)
    assert parts.schema == table.schema and parts.n_rows == len(table)
    assert [str(note) for note in parts.report] == [str(note) for note in table.report]
    tables = [*parts]
    assert [len(t) for t in tables] == [rows] * (len(table) // rows) + [len(table) % rows] * (
        len(table) % rows > 0
    )
    assert len(tables) == len(parts)
    assert joined(tables) == whole(table)
    for number, nominal in ((t.numeric, t.nominal) for t in tables):
        assert number.dtype == np.float64 and nominal.dtype == np.int32
    same(delimited.read(io.BytesIO(data), request, chunk=chunk), table)


def test_parts_can_be_gone_through_again(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "".join(f"{i},v{i % 3}\n" for i in range(1000)))
    parts = acumen.scan(path, rows=64)
    assert [len(t) for t in parts] == [64] * 15 + [40]
    assert joined([*parts]) == whole(acumen.read(path))


def test_two_iterations_may_be_interleaved() -> None:
    parts = acumen.scan(io.BytesIO(b"a,b\n" + b"1,x\n" * 10), rows=3)
    assert [(len(a), len(b)) for a, b in zip(parts, parts, strict=True)] == [(3, 3)] * 3 + [(1, 1)]


def test_text_columns_come_with_each_part() -> None:
    text = "n,t\n" + "".join(f"{i},some words {i}\n" for i in range(100))
    parts = acumen.scan(io.StringIO(text), rows=30)
    assert parts.schema["t"].kind == "text"
    assert [t.column("t")[0] for t in parts] == [f"some words {i}" for i in (0, 30, 60, 90)]


def test_a_source_that_changed_since_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,x\n2,y\n")
    for later, says in (
        ("a,b\n1,x\n", "changed"),
        ("a,b\n1,x\n2,z\n", "changed"),
        ("a,b\n1,x\nu,y\n", "line 3 holds 'u'"),
    ):
        parts = acumen.scan(path, rows=10)
        original = path.read_text()
        path.write_text(later)
        with pytest.raises(DataError, match=says):
            list(parts)
        path.write_text(original)


def test_rows_must_be_a_whole_number() -> None:
    for rows in (0, -1, 2.5, True):
        with pytest.raises(ParameterError, match="rows must be a whole number"):
            acumen.scan(io.StringIO("a,b\n1,2\n"), rows=rows)  # type: ignore[arg-type]


def test_a_closed_file_is_an_error_when_its_rows_are_wanted() -> None:
    file = io.BytesIO(b"a,b\n1,2\n3,4\n")
    parts = acumen.scan(file, dialect=Dialect(header=True))
    file.close()
    with pytest.raises(DataError, match="was closed"):
        list(parts)


@pytest.mark.parametrize("chunk", [997, 70_001, 300_007, 1 << 20])
def test_large_chunks_are_scanned_where_they_lie_with_the_same_result(chunk: int) -> None:
    long = "word " * 30_000
    rows = [f'{i},"say ""{i}""\n{i % 13}",{i / 3!r}' for i in range(20_000)]
    rows[5000] = f'5000,"{long}",1'
    data = "\r\n".join(["n,text,x", *rows]).encode()
    table = delimited.read(io.BytesIO(data), Request(), chunk=chunk)
    assert table.column("n").tolist() == list(range(20_000))
    texts = table.column("text").tolist()
    assert texts[5000] == long and texts[7] == 'say "7"\n7' and texts[19_999] == 'say "19999"\n5'
    parts = [*delimited.scan(io.BytesIO(data), Request(), 3000, chunk=chunk)]
    assert [len(part) for part in parts] == [3000] * 6 + [2000]
    assert joined(parts) == whole(table)
