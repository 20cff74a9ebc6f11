"""However an ARFF file is spelled, cut into chunks or read in parts, it is the same table."""

from __future__ import annotations

import io
from typing import Any
from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from acumen import Table, read, scan
from acumen.data.arff import reader as arff
from acumen.data.files import Source
from acumen.data.out.write import quote_arff
from acumen.data.request import Request
from acumen.errors import DataError

LEVELS = ["a", "b c", "?", "it's", "100%", "{x}", "é", "", '"', "x,y"]
NUMBERS = st.one_of(st.integers(-3, 3).map(float), st.floats(allow_nan=False, allow_infinity=False))
STRINGS = st.sampled_from(["red", "green", "a longer remark", "another one", "#", "%", "1", "\\"])


@st.composite
def files(draw: Any) -> tuple[str, list[str], list[list[Any]], list[float]]:
    """An ARFF text spelled at random, its column kinds, the rows it means, and their weights."""
    kinds = draw(st.lists(st.sampled_from(["numeric", "nominal", "string"]), min_size=1, max_size=5))
    kinds.append(draw(st.sampled_from(["numeric", "nominal"])))
    domain = draw(st.lists(st.sampled_from(LEVELS), min_size=1, max_size=4, unique=True))
    value = {"numeric": NUMBERS, "nominal": st.sampled_from(domain), "string": STRINGS}
    names = [f"x{j}" for j in range(len(kinds))]
    declared = {"numeric": ["numeric", "REAL", "Integer [0,1]"], "string": ["string", "STRING"],
                "nominal": ["{" + ",".join(map(quote_arff, domain)) + "}"]}  # fmt: skip
    head = "".join(
        f"@attribute {n} {draw(st.sampled_from(declared[k]))}\n" for n, k in zip(names, kinds, strict=True)
    )
    rows, weights, lines = [], [], []
    for _ in range(draw(st.integers(1, 12))):
        row = [draw(st.none() | value[kind]) for kind in kinds]
        weight = draw(st.sampled_from([1.0, 1.0, 1.0, 0.5, 3.0]))
        lines += draw(st.sampled_from([[], [], ["% comment, {1}"], ["", "  "]]))
        line = _spelled(draw, kinds, domain, row) + ("" if weight == 1 else f", {{{weight}}}")
        lines.append(line + draw(st.sampled_from(["", " ", "\t% said"])))
        rows.append(row)
        weights.append(weight)
    end = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    text = (head + "@data\n").replace("\n", end) + end.join(lines) + draw(st.sampled_from(["", end]))
    return text, kinds, rows, weights


def _spelled(draw: Any, kinds: list[str], domain: list[str], row: list[Any]) -> str:
    def cell(value: Any) -> str:
        if value is None:
            return "?"
        if isinstance(value, float):
            return draw(st.sampled_from([repr(value), f"'{value!r}'"]))
        return quote_arff(value)

    if draw(st.integers(0, 3)) == 0:
        silent = {"numeric": 0.0, "nominal": domain[0], "string": None}
        told = [(j, v) for j, (k, v) in enumerate(zip(kinds, row, strict=True))
                if v is None or v != silent[k] or repr(v) == "-0.0" or draw(st.booleans())]  # fmt: skip
        return "{" + ", ".join(f"{j} {cell(v)}" for j, v in told) + "}"
    between = st.sampled_from([",", ", ", " , ", "\t", " ", ",\t"])
    made = cell(row[0])
    for value in row[1:]:
        made += draw(between) + cell(value)
    return made


def cut(size: int) -> Any:
    """Sources give their bytes in chunks of this size."""
    whole = Source.chunks
    return patch.object(Source, "chunks", lambda self, _=0: whole(self, size))


def cells(table: Table) -> dict[str, list[str]]:
    made = {name: [repr(v) for v in table.column(name).tolist()] for name in table.schema.columns}
    made["weights"] = [repr(w) for w in table.row_weights.tolist()]
    return made


@given(files(), st.integers(2, 64))
def test_a_file_means_what_it_says_however_it_is_spelled(
    file: tuple[str, list[str], list[list[Any]], list[float]], size: int
) -> None:
    text, kinds, rows, weights = file
    with cut(size):
        table = read(io.BytesIO(text.encode()), kinds={len(kinds) - 1: kinds[-1]})  # type: ignore[dict-item]
    assert table.row_weights.tolist() == weights
    for j in range(len(kinds)):
        expected = [np.nan if row[j] is None and kinds[j] == "numeric" else row[j] for row in rows]
        assert [repr(v) for v in table.column(f"x{j}").tolist()] == [repr(v) for v in expected]


@given(files(), st.integers(2, 64), st.integers(1, 14), st.booleans())
def test_parts_together_are_the_table_that_read_gives(
    file: tuple[str, list[str], list[list[Any]], list[float]], size: int, step: int, few: bool
) -> None:
    raw, wishes = file[0].encode(), ({"levels": {"x0": ["b c", "red", "0", "a"]}} if few else {})
    whole = read(io.BytesIO(raw), **wishes)
    with cut(size):
        parts = scan(io.BytesIO(raw), rows=step, **wishes)
        tables = [*parts]
    assert parts.schema == whole.schema
    assert parts.n_rows == len(whole)
    assert [len(t) for t in tables] == [min(step, len(whole) - at) for at in range(0, len(whole), step)]
    assert [str(note) for note in parts.report] == [str(note) for note in whole.report]
    together: dict[str, list[str]] = {name: [] for name in cells(whole)}
    for table in tables:
        assert table.schema == whole.schema
        assert (table.sparse is None) == (whole.sparse is None)
        for name, column in cells(table).items():
            together[name] += column
    assert together == cells(whole)
    assert [cells(t) for t in parts] == [cells(t) for t in tables]  # each time from the start


SAMPLE = rb"""% a sample
@relation 'r'
@attribute a numeric [0,1]
@attribute "b c" {x,'y z',"?",%}
@attribute d date "yyyy-MM-dd"
@attribute s string
@attribute k {no,yes}
@data
1.5,x,2001-02-03,'it\'s',yes
?,'y z',?,"\u00e9",no,{2}
{0 3,1 '?',4 yes}
-2e3	x	"1999-12-31"	plain	no % end
"""


@given(st.lists(st.tuples(st.integers(0, len(SAMPLE)), st.integers(0, 3), st.binary(max_size=3)), max_size=6))
def test_a_spoiled_file_is_read_or_refused_in_a_sentence(edits: list[tuple[int, int, bytes]]) -> None:
    spoiled = SAMPLE
    for at, dropped, put in edits:
        spoiled = spoiled[:at] + put + spoiled[at + dropped :]
    try:
        table = arff.read(io.BytesIO(spoiled), Request())
    except DataError as error:
        assert str(error).endswith((".", "?", ")"))
    else:
        assert len(table) >= 1
        assert all(len(table.column(name)) == len(table) for name in table.schema.columns)
