"""Data frames of every make give the same table, keep their levels, and lend their memory."""

from __future__ import annotations

import datetime
import gc
import re
import subprocess
import sys
import textwrap
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acumen import read, scan
from acumen.data.memory import reader as frames
from acumen.errors import DataError
from acumen.types import Kind

DAY = datetime.date(1970, 1, 1)
CELLS: dict[str, list[Any]] = {
    "number": [1.5, None, -3.0, 2.0],
    "whole": [1, 2, 3, 4],
    "flag": [True, False, None, True],
    "word": ["x", "y", None, "x"],
    "prose": ["a long text", "another long text", None, "yes, b too"],
    "day": [DAY, None, DAY + datetime.timedelta(2), DAY],
    "instant": [datetime.datetime(1970, 1, 1, 12), None, datetime.datetime(1970, 1, 3), None],
    "price": [Decimal("1.10"), None, Decimal("-3.00"), Decimal("0.30")],
    "span": [datetime.timedelta(hours=6), None, datetime.timedelta(1), None],
}
KINDS: dict[str, Kind] = {"flag": "nominal", "word": "nominal", "prose": "text"}


class Stream:
    """Something with an Arrow stream and nothing else."""

    def __init__(self, held: Any) -> None:
        self.held = held

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.held.__arrow_c_stream__(requested_schema)


class Array:
    """Something with an Arrow array and nothing else."""

    def __init__(self, held: Any) -> None:
        self.held = held

    def __arrow_c_array__(self, requested_schema: object = None) -> object:
        return self.held.__arrow_c_array__(requested_schema)


def makes() -> dict[str, Any]:
    polars, arrow = pl.DataFrame(CELLS), pa.table(CELLS)
    return {
        "polars": polars,
        "polars, lazy": polars.lazy(),
        "polars, in chunks": pl.concat([polars[:1], polars[1:3], polars[3:]], rechunk=False),
        "pyarrow": arrow,
        "pyarrow, in chunks": pa.concat_tables([arrow.slice(0, 3), arrow.slice(3)]),
        "pyarrow, sliced": pa.concat_tables([arrow, arrow]).combine_chunks().slice(4, 4),
        "record batch": arrow.to_batches()[0],
        "batch reader": arrow.to_reader(max_chunksize=2),
        "a stream alone": Stream(polars),
        "an array alone": Array(arrow.to_batches()[0]),
        "pandas": pd.DataFrame(CELLS),
        "pandas, object": pd.DataFrame(CELLS, dtype=object),
        "pandas, nullable": pd.DataFrame(CELLS).convert_dtypes(),
        "pandas, python strings": pd.DataFrame(CELLS).astype({"word": "string[python]"}),
        "pandas, arrow": arrow.to_pandas(types_mapper=pd.ArrowDtype),
    }


@pytest.mark.parametrize("make", list(makes()))
def test_every_make_of_frame_gives_the_same_table(make: str) -> None:
    assert frames.accepts(makes()[make])
    table = read(makes()[make])
    assert {a.name: a.kind for a in table.schema.attributes} == {n: KINDS.get(n, "numeric") for n in CELLS}
    for name in ("number", "whole", "price"):
        expected = [np.nan if v is None else float(v) for v in CELLS[name]]
        np.testing.assert_array_equal(table.column(name), expected)
    for name in ("flag", "word", "prose"):
        assert table.column(name).tolist() == CELLS[name]
    np.testing.assert_array_equal(table.column("day"), [0, np.nan, 2, 0])
    np.testing.assert_array_equal(table.column("instant"), [0.5, np.nan, 2, np.nan])
    np.testing.assert_array_equal(table.column("span"), [0.25, np.nan, 1, np.nan])
    assert table.schema["flag"].levels == (False, True) and table.schema["word"].levels == ("x", "y")
    assert {note.column for note in table.report.about("dates")} == {"day", "instant", "span"}


# -- borrowing ------------------------------------------------------------------------------------


def test_float64_columns_are_borrowed_from_every_make() -> None:
    block = pd.DataFrame(np.arange(20.0).reshape(5, 4))
    assert np.shares_memory(read(block).numeric.matrix(), block.to_numpy())
    np.testing.assert_array_equal(read(block).numeric.matrix(), block.to_numpy())
    apart = pd.DataFrame({"a": np.ones(3), "b": ["x", "y", "z"], "c": np.zeros(3)})
    for j, name in enumerate(("a", "c")):
        assert np.shares_memory(read(apart).numeric.columns[j], apart[name].to_numpy())
    polars = pl.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    assert np.shares_memory(read(polars).numeric.columns[1], polars["b"].to_numpy())
    arrow = pa.table({"a": [1.0, 2.0, 3.0]})
    sliced = read(arrow.slice(1)).numeric.columns[0]
    assert np.shares_memory(sliced, arrow["a"].chunk(0).to_numpy()) and sliced.tolist() == [2, 3]
    assert not sliced.flags.writeable


def test_borrowed_memory_lives_as_long_as_the_table_and_no_longer() -> None:
    gc.collect()
    before = pa.total_allocated_bytes()
    source = pa.table({"a": pa.array(range(100_000), pa.int64()).cast(pa.float64())})
    table = read(source)
    del source
    gc.collect()
    assert pa.total_allocated_bytes() - before >= 800_000
    assert table.numeric.columns[0].sum() == sum(range(100_000))
    del table
    gc.collect()
    assert pa.total_allocated_bytes() - before < 800_000


def test_a_polars_frame_needs_neither_pyarrow_nor_pandas() -> None:
    code = """
        import sys
        sys.modules["pyarrow"] = sys.modules["pandas"] = None
        import polars as pl
        from acumen import read
        frame = pl.DataFrame({"a": [1.5, None], "s": ["x", "y"], "c": pl.Series(["u", "v"], dtype=pl.Categorical)})
        table = read(frame, target="c")
        assert table.schema.classes == ("u", "v"), table.schema
        assert read((frame.drop("c"), frame["c"])).difference(table) is None
        assert "sklearn" not in sys.modules and "scipy" not in sys.modules
    """
    subprocess.run([sys.executable, "-W", "error", "-c", textwrap.dedent(code)], check=True, timeout=500)


# -- levels ---------------------------------------------------------------------------------------


def test_pandas_categories_keep_levels_order_and_type() -> None:
    frame = pd.DataFrame(
        {
            "size": pd.Categorical(["s", None, "l"], ["s", "m", "l"], ordered=True),
            "year": pd.Categorical([2001, 1999, 2001], [2001, 2000, 1999]),
            "rate": pd.Categorical([0.5, None, 1.0]),
            "flag": pd.Categorical([True, False, None]),
            "when": pd.Categorical(pd.to_datetime(["2020-01-02", None, "2020-01-01"])),
            "none": pd.Categorical([None, None, None]),
        }
    )
    schema = read(frame).schema
    assert schema["size"].levels == ("s", "m", "l") and schema["size"].kind == "ordinal"
    assert schema["year"].levels == (2001, 2000, 1999) and schema["year"].kind == "nominal"
    assert type(schema["year"].levels[0]) is int
    assert schema["rate"].levels == (0.5, 1.0) and schema["flag"].levels == (False, True)
    assert schema["when"].levels == ("2020-01-01 00:00:00", "2020-01-02 00:00:00")
    assert schema["none"].levels == ()
    assert read(frame).column("size").tolist() == ["s", None, "l"]


def test_polars_enums_and_categoricals_keep_their_levels() -> None:
    frame = pl.DataFrame(
        {
            "e": pl.Series(["b", None, "c"], dtype=pl.Enum(["c", "b", "a"])),
            "k": pl.Series(["q", "p", "q"], dtype=pl.Categorical),
        }
    )
    table = read(frame)
    # polars calls every Enum ordered; to us the order is the declaration's, not a statement.
    assert (table.schema["e"].levels, table.schema["e"].kind) == (("c", "b", "a"), "nominal")
    assert set(table.schema["k"].levels) == {"p", "q"} and table.column("k").tolist() == ["q", "p", "q"]
    assert read(frame, kinds={"e": "ordinal"}).schema["e"].levels == ("c", "b", "a")


def test_arrow_dictionaries_of_several_chunks_become_one_list_of_levels() -> None:
    chunks = [
        pa.DictionaryArray.from_arrays(pa.array([0, None, 1]), ["b", "a"]),
        pa.DictionaryArray.from_arrays(pa.array([1, 0]), ["c", "b"]),
    ]
    table = read(pa.table({"k": pa.chunked_array(chunks)}))
    assert table.schema["k"].levels == ("b", "a", "c")
    assert table.column("k").tolist() == ["b", None, "a", "b", "c"]


@pytest.mark.parametrize(
    ("values", "levels"),
    [
        (pa.array([7, 5]), (7, 5)),
        (pa.array([0.5, 1.5]), (0.5, 1.5)),
        (pa.array([True, False]), (True, False)),
        (pa.array(["x", "y"], pa.large_string()), ("x", "y")),
        (pa.array(["x" * 20, "y"], pa.string_view()), ("x" * 20, "y")),
        (pa.array([b"x", b"y"]), ("x", "y")),
        (pa.array([DAY, DAY + datetime.timedelta(1)]), ("1970-01-01", "1970-01-02")),
    ],
)
def test_dictionary_values_of_any_type_are_levels(values: Any, levels: tuple[Any, ...]) -> None:
    for ordered, kind in ((True, "ordinal"), (False, "nominal")):
        array = pa.DictionaryArray.from_arrays(pa.array([1, 0, None], pa.uint16()), values, ordered=ordered)
        table = read(pa.table({"k": array}))
        assert (table.schema["k"].levels, table.schema["k"].kind) == (levels, kind)
        assert table.column("k").tolist() == [levels[1], levels[0], None]


def test_nulls_and_repetitions_inside_a_dictionary_are_no_levels() -> None:
    array = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 3]), pa.array(["a", None, "b", "a"]))
    table = read(pa.table({"k": array}))
    assert table.schema["k"].levels == ("a", "b") and table.column("k").tolist() == ["a", None, "b", "a"]


def test_levels_equal_only_to_python_are_told_apart_as_text() -> None:
    table = read(pd.DataFrame({"k": pd.Categorical.from_codes([0, 1], pd.Index([1, "1"], dtype=object))}))
    assert table.schema["k"].levels == (1, "1")
    mixed = pd.Categorical.from_codes([0, 1, 2], pd.Index([1, "x", 2.5], dtype=object))
    assert read(pd.DataFrame({"k": mixed})).schema["k"].levels == (1, "x", 2.5)


def test_bytes_that_are_no_text_are_shown_and_may_meet() -> None:
    table = read(pa.table({"k": pa.array([b"\xff", b"a", b"\\xff", None])}))
    assert table.schema["k"].levels == ("\\xff", "a") and table.nominal.columns[0].tolist() == [0, 1, 0, -1]


# -- Arrow's formats, by law ----------------------------------------------------------------------

FORMATS: list[tuple[Any, Any]] = [
    *((t, st.integers(0, 100)) for t in (pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.uint32())),
    *((t, st.integers(-(2**31), 2**31 - 1)) for t in (pa.int32(), pa.int64())),
    (pa.uint64(), st.integers(0, 2**53)),
    *((t, st.floats(width=16)) for t in (pa.float16(), pa.float32(), pa.float64())),
    (pa.bool_(), st.booleans()),
    *((t, st.text(max_size=20)) for t in (pa.string(), pa.large_string(), pa.string_view())),
    (pa.null(), st.none()),
    *(
        (t, st.dates(datetime.date(1700, 1, 1), datetime.date(2200, 1, 1)))
        for t in (pa.date32(), pa.date64())
    ),
    *((pa.duration(u), st.integers(-(10**6), 10**6)) for u in ("s", "ms", "us", "ns")),
    (pa.decimal128(20, 3), st.decimals(-(10**9), 10**9, places=3)),
    (pa.decimal256(40, 3), st.decimals(-(10**9), 10**9, places=3)),
]


def expected(dtype: Any, value: Any) -> Any:
    if pa.types.is_null(dtype) or value is None:
        return np.nan
    if pa.types.is_date(dtype):
        return float((value - DAY).days)
    if pa.types.is_duration(dtype):
        return value / 86_400 / {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[dtype.unit]
    return float(value)


@given(st.data())
def test_arrow_columns_of_any_format_slice_and_chunking_keep_their_values(data: st.DataObject) -> None:
    dtype, value = data.draw(st.sampled_from(FORMATS))
    cells = data.draw(st.lists(st.none() | value, min_size=1, max_size=30))
    start = data.draw(st.integers(0, len(cells) - 1))
    cut = data.draw(st.integers(start, len(cells)))
    whole = pa.array(cells, dtype)
    pieces = [whole.slice(start, cut - start), whole.slice(cut)]
    table = read(pa.table({"c": pa.chunked_array(pieces)}), kinds={})
    if pa.types.is_boolean(dtype) or table.schema["c"].kind in ("nominal", "text"):
        assert table.column("c").tolist() == cells[start:]
    else:
        made = table.column("c")
        np.testing.assert_allclose(
            made, [expected(dtype, cell) for cell in cells[start:]], rtol=1e-15, atol=0
        )


@pytest.mark.parametrize(
    ("array", "what"),
    [
        (pa.array([[1]]), "holds lists"),
        (pa.array([[1]], pa.large_list(pa.int64())), "holds lists"),
        (pa.array([[1]], pa.list_(pa.int64(), 1)), "holds lists"),
        (pa.array([{"a": 1}]), "holds structs"),
        (pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64())), "holds maps"),
        (pa.RunEndEncodedArray.from_arrays([1], ["a"]), "holds run-end encoded values"),
        (pa.array([b"ab"], pa.binary(2)), "Arrow format 'w:2'"),
        (pa.array([(1, 2, 3)], pa.month_day_nano_interval()), "Arrow format 'tin'"),
    ],
)
def test_nested_columns_are_refused_by_name(array: Any, what: str) -> None:
    with pytest.raises(DataError, match=re.escape(f"column 'deep' {what}" if "holds" in what else what)):
        read(pa.table({"a": [1], "deep": array}))


def test_polars_nested_columns_are_refused_by_name() -> None:
    for cells in ([[1], [2]], [{"a": 1}, {"a": 2}]):
        with pytest.raises(DataError, match="column 'deep' holds"):
            read(pl.DataFrame({"deep": cells}))
    with pytest.raises(DataError, match="_pli128"):
        read(pl.DataFrame({"deep": pl.Series([1], dtype=pl.Int128)}))


def test_a_stream_that_fails_says_why() -> None:
    def batches() -> Any:
        yield pa.record_batch({"a": [1.0]})
        raise RuntimeError("the disk is gone")

    reader = pa.RecordBatchReader.from_batches(pa.schema({"a": pa.float64()}), batches())
    with pytest.raises(DataError, match=r"could not be read: .*the disk is gone"):
        read(reader)


# -- pandas' own ----------------------------------------------------------------------------------


def test_pandas_dtypes_of_every_kind() -> None:
    frame = pd.DataFrame(
        {
            "zoned": pd.to_datetime(["1970-01-02 01:00", None]).tz_localize("UTC").tz_convert("Asia/Tokyo"),
            "month": pd.PeriodIndex(["1970-02", "NaT"], freq="M"),
            "span": pd.arrays.IntervalArray.from_tuples([(0, 1), (1, 2)]),
            "thin": pd.arrays.SparseArray([0.0, 2.0]),
            "half": np.array([0.5, 1.5], dtype=np.float32),
            "big": pd.array([2**60, None], dtype="Int64"),
            "real": pd.array([0.5, None], dtype="Float64"),
        }
    )
    table = read(frame)
    np.testing.assert_array_equal(table.column("zoned"), [1 + 1 / 24, np.nan])
    np.testing.assert_array_equal(table.column("month"), [31, np.nan])
    assert table.column("span").tolist() == ["(0, 1]", "(1, 2]"]
    assert table.column("thin").tolist() == [0, 2] and table.column("half").tolist() == [0.5, 1.5]
    assert table.schema["big"].levels == (2**60,) and table.column("big").tolist() == [2**60, None]
    np.testing.assert_array_equal(table.column("real"), [0.5, np.nan])


def test_names_become_strings_of_their_own_with_a_note() -> None:
    frame = pd.DataFrame(np.ones((2, 6)), columns=[0, "a", "a", ("t", 1), "", "a_2"])
    table = read(frame)
    assert table.schema.names == ("0", "a", "a_3", "('t', 1)", "column_5", "a_2")
    assert [note.column for note in table.report.about("duplicate-name")] == ["a_3"]
    assert [note.column for note in table.report.about("empty-name")] == ["column_5"]


def test_a_named_index_is_mentioned() -> None:
    frame = pd.DataFrame({"a": [1.0]}, index=pd.Index(["r"], name="row"))
    assert "reset_index" in read(frame).report
    assert not len(read(frame.reset_index(drop=True)).report)


def test_frames_without_rows_or_columns_are_refused() -> None:
    for frame in (pd.DataFrame({"a": []}), pl.DataFrame({"a": []}), pa.table({"a": pa.array([], pa.int8())})):
        with pytest.raises(DataError, match=re.escape("0 sample(s) (shape=(0, 1))")):
            read(frame)
    with pytest.raises(DataError, match=re.escape("0 feature(s) (shape=(2, 0))")):
        read(pd.DataFrame(index=[0, 1]))
    for series in (pd.Series([1.0]), pl.Series([1.0]), pa.array([1.0])):
        with pytest.raises(DataError, match="Expected 2D array, got 1D array"):
            read(series)


def test_series_are_labels_under_their_own_name() -> None:
    X = np.ones((3, 1))
    for y in (
        pd.Series(["a", "b", "a"], name="kind"),
        pl.Series("kind", ["a", "b", "a"]),
        pd.DataFrame({"kind": ["a", "b", "a"]}),
        pl.DataFrame({"kind": ["a", "b", "a"]}),
    ):
        target = read((X, y)).schema.target
        assert target is not None and (target.name, target.levels) == ("kind", ("a", "b"))
    for y in (pd.Index([1, 2, 1]), pa.array([1, 2, 1]), pa.chunked_array([[1], [2, 1]]), pd.array([1, 2, 1])):
        target = read((X, y)).schema.target
        assert target is not None and (target.name, target.levels) == ("target", (1, 2))
    ordered = pd.Series(pd.Categorical(["l", "s", "l"], ["s", "m", "l"], ordered=True))
    target = read((X, ordered)).schema.target
    assert target is not None and (target.kind, target.levels) == ("ordinal", ("s", "m", "l"))
    clash = read((pd.DataFrame({"y": [1.0, 2, 3]}), pd.Series([0, 1, 0], name="y")))
    assert clash.schema.columns == ("y", "y_2") and clash.schema.target.name == "y_2"  # type: ignore[union-attr]
    with pytest.raises(DataError, match="y should be a 1d array"):
        read((X, pd.DataFrame({"a": [1, 2, 3], "b": [1, 2, 3]})))


# -- tables anew ----------------------------------------------------------------------------------


def test_a_table_is_read_again_in_other_roles() -> None:
    frame = pl.DataFrame({"a": [1.0, 2, 1], "b": ["x", "y", "x"], "w": [1.0, 2, 0], "i": ["p", "q", None]})
    table = read(frame, target="b", weight="w", ignore="i")
    assert read(table) is table
    assert table.numeric.columns[0] is read(table, kinds={"i": "ignored"}).numeric.columns[0]
    other = read(table, target="a")
    assert other.schema.names == ("b",) and other.schema.classes == (1, 2)
    assert (other.schema.weight, [a.name for a in other.schema.ignored]) == ("w", ["i"])
    assert read(other, target="b", kinds={"a": "numeric"}).difference(table) is None
    assert read(table, ignore="b").schema.target is None
    assert read(table, ignore="w").weights.size == 0
    assert read(table, target="i").schema.classes == ("p", "q")
    assert read(table, weight="a").schema.names == ("w",)
    assert read(table, kinds={"i": "text"}).schema["i"].kind == "text"
    assert read(table, levels={"b": ("y",)}).labels.tolist() == [-2, 0, -2]  # type: ignore[union-attr]
    assert read((read(frame.select("a")), ["u", "v", "u"])).schema.classes == ("u", "v")


def test_weights_without_a_column_stay_with_a_table_read_again() -> None:
    table = read((np.ones((2, 2)), [0, 1]))
    table.weights = np.array([2.0, 3.0])
    assert read(table, ignore="x0").weights.tolist() == [2, 3]
    assert read(table, weight="x0").weights.tolist() == [1, 1]


def test_scan_and_read_agree_on_frames() -> None:
    frame = pl.DataFrame(CELLS)
    parts = list(scan(frame, rows=3, target="word"))
    whole = read(frame, target="word")
    assert [len(part) for part in parts] == [3, 1]
    assert parts[1].difference(whole.take([3])) is None


def test_what_is_no_table_is_left_to_others() -> None:
    for source in ("file.csv", b"bytes", 5, None, {"a": [1]}, [{"a": 1}], [], pl.DataFrame):
        assert not frames.accepts(source)


def test_a_narwhals_frame_reads_as_the_frame_inside() -> None:
    import narwhals.stable.v1 as nw

    frame = pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"], "c": ["n", "p"]})
    wrapped = read(nw.from_native(frame, eager_only=True), target="c")
    assert wrapped.difference(read(frame, target="c")) is None
    table = nw.from_native(pl.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}), eager_only=True)
    assert read(table).schema.names == ("a", "b")


def test_strings_that_are_dates_or_amounts_are_told_and_codes_are_not():
    frame = pd.DataFrame(
        {
            "day": ["2025-10-02", "2025-10-03", "2025-11-03"] * 4,
            "fee": ["$9.90", "$19.90", "$8.00"] * 4,
            "zip": ["01067", "10115", "80331"] * 4,
            "word": ["a", "b", "c"] * 4,
        }
    )
    notes = read(frame).report.about("written")
    assert [note.column for note in notes] == ["day", "fee"] and "'$9.90'" in notes[1].text


def test_half_a_surrogate_pair_is_a_level_like_another() -> None:
    cells = np.array(["u\ud800", "v", "w\udfff"] * 3, dtype=object)
    made = read(pd.DataFrame({"a": pd.Series(cells, dtype=object)}))
    assert set(made.schema["a"].levels) == {"u\ud800", "v", "w\udfff"}
