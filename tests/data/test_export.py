"""Tables leave for pandas, polars and Arrow and come back the same; the preview is only text."""

from __future__ import annotations

import datetime
import html.parser
import io
import subprocess
import sys
import textwrap
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given

import acumen
from acumen import read
from acumen.data.out.export import to_html
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from table_strategies import tables


def asked(table: Table, *, polars: bool = False) -> dict[str, Any]:
    """What a frame cannot say of a table: roles, text, a numeric target; and polars' lack of ordinals."""
    schema = table.schema
    every = [*schema.attributes, *([schema.target] if schema.target else [])]
    kinds: dict[Any, Any] = {a.name: a.kind for a in every if a.kind in ("text", "numeric")}
    levels: dict[Any, Any] = {}
    if polars:
        kinds |= {a.name: a.kind for a in every if a.is_nominal}
        levels = {a.name: a.levels for a in every if a.levels and not isinstance(a.levels[0], str)}
    return {
        "target": schema.target.name if schema.target else None,
        "weight": schema.weight,
        "ignore": [a.name for a in schema.ignored],
        "kinds": kinds,
        "levels": levels,
    }


@given(tables())
def test_pandas_brings_the_table_back(table: Table) -> None:
    frame = table.to_pandas()
    assert list(frame.columns) == list(table.schema.columns)
    assert read(frame, **asked(table)).difference(table) is None


@given(tables())
def test_polars_brings_the_table_back(table: Table) -> None:
    frame = table.to_polars()
    assert frame.columns == list(table.schema.columns)
    assert read(frame, **asked(table, polars=True)).difference(table) is None


@given(tables())
def test_arrow_brings_the_table_back(table: Table) -> None:
    frame = table.to_arrow()
    assert frame.column_names == list(table.schema.columns)
    assert read(frame, **asked(table)).difference(table) is None


def example() -> Table:
    schema = Schema(
        (
            Attribute("age"),
            Attribute("size", "ordinal", ("s", "m", "l")),
            Attribute("year", "nominal", (2001, 1999)),
            Attribute("mixed", "nominal", (1, "x")),
        ),
        Attribute("class", "nominal", ("no", "yes")),
        columns=("class", "age", "year", "size", "mixed"),
    )
    return Table(
        schema,
        3,
        numeric=[np.array([1.5, np.nan, 2])],
        nominal=[np.array(c, np.int32) for c in ([0, -1, 2], [1, 0, -2], [0, 1, -1])],
        labels=np.array([1, 0, -1], np.int32),
    )


def test_pandas_dtypes_say_what_the_columns_are() -> None:
    frame = example().to_pandas()
    assert list(frame.columns) == ["class", "age", "year", "size", "mixed"]
    assert frame["size"].dtype == pd.CategoricalDtype(["s", "m", "l"], ordered=True)
    assert frame["year"].cat.categories.tolist() == [2001, 1999] and not frame["year"].cat.ordered
    assert frame["class"].tolist()[:2] == ["yes", "no"] and frame.isna().sum().tolist() == [1, 1, 1, 1, 1]


def test_polars_dtypes_say_what_the_columns_are() -> None:
    frame = example().to_polars()
    assert frame.schema == {
        "class": pl.Enum(["no", "yes"]),
        "age": pl.Float64,
        "year": pl.Int64,
        "size": pl.Enum(["s", "m", "l"]),
        "mixed": pl.Enum(["1", "x"]),
    }
    assert frame["year"].to_list() == [1999, 2001, None] and frame.null_count().row(0) == (1, 1, 1, 1, 1)


def test_arrow_types_say_what_the_columns_are() -> None:
    table = example().to_arrow()
    assert table.schema.field("size").type == pa.dictionary(pa.int32(), pa.string(), ordered=True)
    assert table.schema.field("year").type == pa.dictionary(pa.int32(), pa.int64())
    assert table["mixed"].to_pylist() == ["1", "x", None] and table["age"].null_count == 1


def test_weights_without_a_column_leave_in_one() -> None:
    table = read((np.ones((2, 1)), ["a", "b"]))
    table.weights = np.array([2.0, 3.0])
    frame = table.to_pandas()
    assert frame["weight"].tolist() == [2, 3]
    assert read(frame, target="target", weight="weight").weights.tolist() == [2, 3]


def test_a_sparse_table_leaves_written_out() -> None:
    dense = np.array([[0, 1.5], [2, 0]])
    table = read(scipy.sparse.csr_matrix(dense))
    for frame in (table.to_pandas().to_numpy(), table.to_polars().to_numpy()):
        assert frame.tolist() == dense.tolist()


def test_a_package_that_is_not_there_is_named() -> None:
    code = """
        import sys
        sys.modules["pandas"] = sys.modules["polars"] = sys.modules["pyarrow"] = None
        import numpy as np
        from acumen import read
        from acumen.errors import MissingExtra
        table = read(np.ones((2, 2)))
        for leave, name in ((table.to_pandas, "pandas"), (table.to_polars, "polars"), (table.to_arrow, "pyarrow")):
            try:
                leave()
            except MissingExtra as error:
                assert f"{leave.__name__} needs {name}: pip install" in str(error), error
            else:
                raise AssertionError(name)
    """
    subprocess.run([sys.executable, "-W", "error", "-c", textwrap.dedent(code)], check=True, timeout=500)


# -- the preview ----------------------------------------------------------------------------------


class Reader(html.parser.HTMLParser):
    """Collects text and tags, and minds that every tag is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.text: list[str] = []
        self.tags: set[str] = set()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def parsed(table: Table) -> Reader:
    reader = Reader()
    reader.feed(to_html(table))
    assert not reader.open
    return reader


@given(tables(min_rows=0, unknown=True))
def test_preview_is_whole_html_of_known_tags_and_printable_text(table: Table) -> None:
    reader = parsed(table)
    allowed = {"table", "caption", "thead", "tbody", "tr", "th", "td", "br", "small", "span"}
    assert reader.tags <= allowed
    assert all(text.isprintable() for text in reader.text)
    rows, columns = len(table), len(table.schema.columns)
    assert f"{rows} row{'s' * (rows != 1)}, {columns} column{'s' * (columns != 1)}" in reader.text


def test_preview_escapes_markup_control_and_direction_characters() -> None:
    frame = pd.DataFrame({"<b>a&": ["<script>x</script>", "\x1b[31m\u202e"], "y\n": ["x" * 500, None]})
    table = read(frame)
    shown = table._repr_html_()
    assert "<script>" not in shown and "<b>" not in shown and "\x1b" not in shown and "\u202e" not in shown
    text = "".join(parsed(table).text)
    assert "<script>x</script>" in text and r"\x1b[31m\u202e" in text and r"y\n" in text and "missing" in text
    assert "x" * 61 not in text and "…" in text


def test_preview_shows_kinds_and_the_first_rows_of_a_large_table() -> None:
    table = read((np.arange(6000.0).reshape(150, 40), np.arange(150) % 2))
    reader = parsed(table)
    assert "150 rows, 41 columns, 17 columns not shown" in reader.text
    assert "numeric" in reader.text and "360" in reader.text and "400" not in reader.text
    kinds = parsed(example()).text
    assert {"target, nominal", "ordinal", "nominal", "numeric"} <= set(kinds)


def test_examples_of_frames_run() -> None:
    from pathlib import Path

    example_file = Path(__file__).resolve().parents[2] / "examples" / "frames.py"
    done = subprocess.run(
        [sys.executable, "-W", "error", str(example_file)], capture_output=True, text=True, timeout=500
    )
    assert done.returncode == 0, done.stderr
    assert "target  grade: ordinal {low < high}" in done.stdout


@pytest.mark.parametrize("rows", [0, 3])
def test_a_table_without_rows_leaves_too(rows: int) -> None:
    table = example().head(rows)
    assert len(table.to_pandas()) == len(table.to_polars()) == table.to_arrow().num_rows == rows


MOMENTS = """day,at,zoned,clock,written,y
2023-01-05,2024-01-01 10:00:01.5,2024-01-01T10:00Z,10:30,31.12.2023,a
,,,,,b
1960-05-05,1969-12-31 23:59,2024-02-01T10:00:00+02:00,23:59:59,01.01.1960,b
"""


@pytest.mark.parametrize("leave", ["to_pandas", "to_polars", "to_arrow"])
def test_dates_and_times_leave_as_such_and_come_back(leave: str) -> None:
    table = acumen.read(io.StringIO(MOMENTS), target="y")
    assert [a.form for a in table.schema] == ["date", "datetime", "datetime utc", "time", "date dmy"]
    frame = getattr(table, leave)()
    again = acumen.read(frame, target="y")
    assert again.schema == table.schema
    assert [a.form for a in again.schema] == ["date", "datetime", "datetime utc", "time", "date"]
    for name in table.schema.names:
        np.testing.assert_array_equal(again.column(name), table.column(name))
    day = {"to_pandas": lambda: frame["day"][0].date(), "to_polars": lambda: frame["day"][0]}
    assert day.get(leave, lambda: frame["day"][0].as_py())() == datetime.date(2023, 1, 5)
    zoned = {"to_pandas": lambda: frame["zoned"][2], "to_polars": lambda: frame["zoned"][2]}
    moment = zoned.get(leave, lambda: frame["zoned"][2].as_py())()
    assert moment == datetime.datetime(2024, 2, 1, 8, tzinfo=datetime.UTC)


def test_a_preview_shows_dates_as_dates_and_impossible_days_stay_numbers() -> None:
    table = acumen.read(io.StringIO(MOMENTS), target="y")
    shown = table._repr_html_()
    assert "2023-01-05" in shown and "10:30" in shown and "19362" not in shown
    far = acumen.Table(Schema((Attribute("d", form="date"),)), 2, numeric=[np.array([1e9, 1.0])])
    assert far.to_pandas()["d"].tolist() == [1e9, 1.0]
