"""Arrays, lists of rows, sparse matrices and pairs (X, y): kinds, borrowing, labels, and refusals."""

from __future__ import annotations

import datetime
import re
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from acumen import read, scan
from acumen.data.memory import reader as frames
from acumen.errors import AcumenError, CellError, DataError, ParameterError


def kinds(table: Any) -> list[str]:
    return [a.kind for a in table.schema.attributes]


# -- matrices -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make",
    [
        lambda x: x,
        np.asfortranarray,
        lambda x: x[::2],
        lambda x: x[:, ::2],
        lambda x: x[::-1, ::-1],
        lambda x: x.T,
    ],
    ids=["rows", "columns", "every second row", "every second column", "backwards", "transposed"],
)
def test_float64_is_borrowed_whatever_its_order(make: Any) -> None:
    X = make(np.arange(24.0).reshape(6, 4))
    table = read(X)
    assert np.shares_memory(table.numeric.matrix(), X)
    assert all(np.shares_memory(column, X) for column in table.numeric.columns)
    np.testing.assert_array_equal(table.numeric.matrix(), X)
    assert table.schema.names == tuple(f"x{j}" for j in range(X.shape[1]))


@given(
    hnp.arrays(
        st.sampled_from(["i1", "u2", "i4", "u8", "i8", "f2", "f4", "f8", ">f8", ">i4", "?"]),
        hnp.array_shapes(min_dims=2, max_dims=2, max_side=5),
    )
)
def test_numbers_of_any_type_keep_their_values(X: np.ndarray) -> None:
    table = read(X)
    for j, name in enumerate(table.schema.names):
        if table.schema[name].is_numeric:
            np.testing.assert_array_equal(table.column(name), X[:, j].astype(np.float64))
        else:
            assert X.dtype.itemsize == 8 and np.abs(X[:, j].astype(object)).max() > 2**53
            assert table.column(name).tolist() == X[:, j].tolist()


def test_integers_beyond_2_to_53_stay_whole_as_levels() -> None:
    table = read(np.array([[2**53 + 1, 1], [2**53, 2], [2**53 + 1, 3]]))
    assert kinds(table) == ["nominal", "numeric"]
    assert table.schema["x0"].levels == (2**53, 2**53 + 1)
    assert [note.column for note in table.report.about("big-integers")] == ["x0"]
    assert kinds(read(np.array([[2**53], [-(2**53)]]))) == ["numeric"]
    assert kinds(read(np.array([[-(2**60)], [2]]))) == ["nominal"]
    assert read(np.array([[2**64 - 1, 1]], dtype=np.uint64)).schema["x0"].levels == (2**64 - 1,)
    huge = np.array([[10**30], [None], [-(10**30)]], dtype=object)
    assert read(huge).schema["x0"].levels == (-(10**30), 10**30)


def test_booleans_in_a_matrix_are_zero_and_one() -> None:
    table = read(np.array([[True], [False]]))
    assert kinds(table) == ["numeric"] and table.column("x0").tolist() == [1, 0]


def test_masked_cells_are_missing() -> None:
    mask = [[0, 1], [0, 0]]
    for X in (np.ma.array([[1.0, 2], [3, 4]], mask=mask), np.ma.array([[1, 2], [3, 4]], mask=mask)):
        np.testing.assert_array_equal(read(X).numeric.matrix(), [[1, np.nan], [3, 4]])
    table = read((np.ones((3, 1)), np.ma.array([1, 2, 1], mask=[0, 0, 1])))
    assert table.schema.classes == (1, 2) and table.labels.tolist() == [0, 1, -1]


def test_structured_arrays_have_named_columns() -> None:
    X = np.array([(1, 2.5, "a"), (2, 3.5, "b")], dtype=[("n", "i4"), ("v", "f8"), ("s", "U3")])
    table = read(X, target="s")
    assert table.schema.names == ("n", "v") and table.schema.classes == ("a", "b")
    assert np.shares_memory(table.numeric.columns[1], X) or not X["v"].flags.aligned
    aligned = np.zeros(3, dtype=np.dtype([("a", "f8"), ("b", "f8")], align=True))
    assert np.shares_memory(read(aligned).numeric.columns[0], aligned)
    with pytest.raises(DataError, match="'p' has 2 dimensions"):
        read(np.zeros(2, dtype=[("p", "f8", (2,))]))
    with pytest.raises(DataError, match="'p' holds records"):
        read(np.zeros(2, dtype=[("p", [("q", "f8")])]))


def test_dates_are_days_since_1970() -> None:
    days = np.array([["1970-01-02", "2000-01-01"]], dtype="M8[D]").T
    for unit in ("D", "h", "m", "s", "ms", "us", "ns", "25s"):
        assert read(days.astype(f"M8[{unit}]")).column("x0").tolist() == [1, 10957], unit
    assert read(days.astype("M8[Y]")).column("x0").tolist() == [0, 10957]
    half = read(np.array([["1969-12-31T12:00", "NaT"]], dtype="M8[ns]").T)
    np.testing.assert_array_equal(half.column("x0"), [-0.5, np.nan])
    assert "days since 1970-01-01" in half.report
    assert read(np.array([[36]], dtype="m8[h]")).column("x0").tolist() == [1.5]


# -- Python values --------------------------------------------------------------------------------

UTC = datetime.UTC


@pytest.mark.parametrize(
    ("cells", "kind", "expected"),
    [
        ([1, 2.5, None], "numeric", [1, 2.5, np.nan]),
        ([Decimal("1.5"), np.float32(2), np.int8(3)], "numeric", [1.5, 2, 3]),
        ([None, float("nan"), None], "numeric", [np.nan, np.nan, np.nan]),
        (["1", "2", None], "nominal", ["1", "2", None]),
        ([b"a", "b", np.str_("c")], "nominal", ["a", "b", "c"]),
        ([True, np.bool_(False), None], "nominal", [True, False, None]),
        ([1, "a", True], "nominal", ["1", "a", "True"]),
        ([datetime.time(6), datetime.time(12), None], "numeric", [0.25, 0.5, np.nan]),
        ([datetime.date(1970, 1, 2), None, np.datetime64("1970-01-03")], "numeric", [1, np.nan, 2]),
        ([datetime.datetime(1970, 1, 2, 6, tzinfo=UTC), None, None], "numeric", [1.25, np.nan, np.nan]),
        ([datetime.timedelta(hours=6), np.timedelta64(1, "D"), None], "numeric", [0.25, 1, np.nan]),
        (["one long text", "another text", "a b c d"], "text", ["one long text", "another text", "a b c d"]),
    ],
)
def test_object_columns_are_what_their_cells_are(cells: list[Any], kind: str, expected: list[Any]) -> None:
    X = np.empty((3, 1), dtype=object)
    X[:, 0] = cells
    table = read(X)
    assert kinds(table) == [kind]
    np.testing.assert_array_equal(
        table.column("x0"), np.array(expected, dtype=None if kind == "numeric" else object)
    )


def test_mixed_cells_are_read_as_text_with_a_warning() -> None:
    table = read(np.array([[1, "a"], ["b", "c"]], dtype=object))
    assert [w.column for w in table.report.warnings] == ["x0"]
    assert "int, str" in table.report


@pytest.mark.parametrize("cell", [{"foo": "bar"}, [1], (1, 2), {1}, np.ones(2)])
def test_a_collection_in_a_cell_is_a_type_error(cell: Any) -> None:
    X = np.ones((4, 2)).astype(object)
    X[2, 1] = cell
    # The words are those scikit-learn's check of object arrays looks for.
    with pytest.raises(TypeError, match=r"argument must be .* string.* number") as caught:
        read(X)
    assert isinstance(caught.value, CellError) and "column 'x1', row 3" in str(caught.value)


def test_dates_and_durations_do_not_mix() -> None:
    X = np.array([[datetime.date(2020, 1, 1)], [datetime.timedelta(1)]], dtype=object)
    with pytest.raises(DataError, match="mixes dates and durations"):
        read(X)


def test_lists_of_rows_are_tables() -> None:
    table = read([[1, "a"], [2.5, "b"]])
    assert kinds(table) == ["numeric", "nominal"]
    assert read([(1, 2), (3, 4)]).numeric.matrix().tolist() == [[1, 2], [3, 4]]
    assert read(([[1, 2], [3, 4]], ["p", "q"])).schema.classes == ("p", "q")
    with pytest.raises(DataError, match="rows of one length"):
        read([[1, 2], [3]])
    with pytest.raises(DataError, match="Expected 2D array, got 1D"):
        read([1, 2, 3])


def test_strings_are_never_numbers() -> None:
    table = read(np.array([["1", "2.5"], ["3", "4"]]))
    assert kinds(table) == ["nominal", "nominal"] and table.schema["x0"].levels == ("1", "3")
    assert read(np.array([["1"], ["3"]]), kinds={0: "numeric"}).column("x0").tolist() == [1, 3]


# -- what scikit-learn's users know ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("X", "phrase"),
    [
        (np.empty((0, 3)), "Found array with 0 sample(s) (shape=(0, 3)) while a minimum of 1 is required."),
        (np.empty((12, 0)), "0 feature(s) (shape=(12, 0)) while a minimum of 1 is required."),
        (np.ones((2, 2, 2)), "Found array with dim 3"),
        (np.ones(3), "Expected 2D array, got 1D array instead"),
        (np.ones(3), "Reshape your data"),
        (np.float64(3)[...], "Expected 2D array, got scalar array instead"),
        (np.ones((2, 2)) * 1j, "Complex data not supported"),
        (scipy.sparse.csr_matrix((0, 3)), "0 sample(s) (shape=(0, 3))"),
        (scipy.sparse.csc_matrix((3, 0)), "0 feature(s) (shape=(3, 0))"),
        (scipy.sparse.csr_matrix(np.ones((2, 2)) * 1j), "Complex data not supported"),
        (scipy.sparse.coo_array(np.ones(3)), "Expected 2D array, got 1D array instead"),
    ],
)
def test_wrong_shapes_are_refused_in_scikit_learns_words(X: Any, phrase: str) -> None:
    with pytest.raises(ValueError, match=re.escape(phrase)) as caught:
        read(X)
    assert isinstance(caught.value, AcumenError)
    if not scipy.sparse.issparse(X):
        from sklearn.utils import check_array

        with pytest.raises(ValueError, match=re.escape(phrase)):
            check_array(X)


def test_complex_cells_are_refused() -> None:
    with pytest.raises(ValueError, match="Complex data not supported"):
        read(np.array([[1 + 2j], [None]], dtype=object))


# -- pairs ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("y", "classes", "labels"),
    [
        (np.array([3, 1, 3]), (1, 3), [1, 0, 1]),
        (np.array([3, 1, 3], dtype=np.uint8), (1, 3), [1, 0, 1]),
        (np.array([2**60, 1, 2**60]), (1, 2**60), [1, 0, 1]),
        (np.array([3.0, 1, np.nan]), (1.0, 3.0), [1, 0, -1]),
        (np.array([True, False, True]), (False, True), [1, 0, 1]),
        (np.array([True, True, True]), (True,), [0, 0, 0]),
        (["b", "a", None], ("a", "b"), [1, 0, -1]),
        (np.array(["b", "a", "a"]), ("a", "b"), [1, 0, 0]),
        (np.array(["10", "9", "10"], dtype=object), ("9", "10"), [1, 0, 1]),
        ([1, 0, None], (0, 1), [1, 0, -1]),
        ((0, 1, 0), (0, 1), [0, 1, 0]),
        (np.array([[1], [2], [1]]), (1, 2), [0, 1, 0]),
    ],
)
def test_labels_keep_the_type_of_y(y: Any, classes: tuple[Any, ...], labels: list[int]) -> None:
    table = read((np.ones((3, 2)), y))
    assert table.schema.target is not None and table.schema.target.name == "target"
    assert table.schema.classes == classes
    assert [type(level) for level in table.schema.classes] == [type(level) for level in classes]
    assert table.labels is not None and table.labels.tolist() == labels
    assert table.schema.columns == ("x0", "x1", "target")


def test_a_y_of_fractions_or_of_many_values_is_numeric() -> None:
    assert read((np.ones((3, 1)), [0.5, 1, 2])).response.tolist() == [0.5, 1, 2]  # type: ignore[union-attr]
    many = np.arange(51)
    assert read((np.ones((51, 1)), many)).labels is None
    assert read((np.ones((50, 1)), many[:50])).schema.n_classes == 50
    assert read((np.ones((51, 1)), many), kinds={"target": "nominal"}).schema.n_classes == 51
    assert read((np.ones((2, 1)), [0, 1]), kinds={-1: "numeric"}).response.tolist() == [0, 1]  # type: ignore[union-attr]


def test_pairs_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match=re.escape("inconsistent numbers of samples: [3, 2]")):
        read((np.ones((3, 1)), [0, 1]))
    with pytest.raises(ValueError, match="y should be a 1d array, got an array of shape"):
        read((np.ones((3, 1)), np.ones((3, 2))))
    with pytest.raises(DataError, match="a target of its own, 'target'"):
        read((read((np.ones((3, 1)), [0, 1, 0])), [1, 0, 1]))
    assert not frames.accepts((np.ones((3, 1)), [0, 1, 0], [1, 1, 1]))
    assert read((np.ones((3, 1)), None)).schema.target is None


def test_files_options_are_refused_for_tables_in_memory() -> None:
    for option in ({"ragged": "fill"}, {"query": "select 1"}, {"params": [1]}):
        with pytest.raises(ParameterError, match="a table in memory has none"):
            read(np.ones((3, 1)), **option)


def test_missing_names_values_in_columns_of_every_kind() -> None:
    X = np.array([["?", -9, "a b c"], ["u", 2, "?"], ["v", -9, "d e f"]], dtype=object)
    table = read((X, ["-9", "?", "k"]), missing=["?", "-9"])
    assert table.column("x0").tolist() == [None, "u", "v"] and table.schema["x0"].levels == ("u", "v")
    np.testing.assert_array_equal(table.column("x1"), [np.nan, 2, np.nan])
    assert table.column("x2").tolist() == ["a b c", None, "d e f"]
    assert table.schema.classes == ("k",) and table.labels.tolist() == [-1, -1, 0]  # type: ignore[union-attr]


# -- sparse ---------------------------------------------------------------------------------------

DENSE = np.array([[0, 1.5, 0, 1], [2, 0, 0, 2], [0, 0, 3, 1]])


def test_csr_is_borrowed_and_other_formats_converted() -> None:
    csr = scipy.sparse.csr_matrix(DENSE)
    table = read((csr, [0, 1, 0]))
    assert table.sparse is not None and np.shares_memory(table.sparse.data, csr.data)
    assert table.numeric.shape == (3, 0) and table.schema.names == ("x0", "x1", "x2", "x3")
    for other in (csr.tocsc(), csr.tocoo(), csr.todok(), scipy.sparse.csr_array(csr), csr.astype(np.float32)):
        assert read((other, [0, 1, 0])).difference(table) is None


def test_repeated_entries_are_added_in_a_copy() -> None:
    twice = scipy.sparse.csr_matrix((np.ones(2), np.array([1, 1]), np.array([0, 2])), shape=(1, 2))
    table = read(twice)
    assert table.column("x1").tolist() == [2] and twice.nnz == 2


def test_sparse_columns_take_any_role() -> None:
    sparse, dense = scipy.sparse.csr_matrix(DENSE), DENSE
    for asked in (
        {"target": 3},
        {"weight": "x3", "kinds": {0: "nominal"}},
        {"ignore": ["x1"], "kinds": {"x2": "text"}},
        {"levels": {"x0": (2, 0)}},
    ):
        table = read(sparse, **asked)
        assert table.sparse is not None
        assert table.difference(read(dense, **asked)) is None
    assert read(sparse, missing="3").sparse.data.tolist()[-2:] != [3, 1]
    np.testing.assert_array_equal(read(sparse, missing="3").column("x2"), [0, 0, np.nan])
    with pytest.raises(DataError, match="zeros of a sparse matrix"):
        read(sparse, missing="0")


def test_scan_gives_the_table_in_parts() -> None:
    X = np.arange(20.0).reshape(10, 2)
    parts = scan((X, np.arange(10) % 2), rows=4)
    assert [len(part) for part in parts] == [4, 4, 2] and len(parts) == 3
    assert all(part.schema is parts.schema for part in parts)
    assert np.shares_memory(next(iter(parts)).numeric.matrix(), X)
    np.testing.assert_array_equal(np.vstack([part.numeric.matrix() for part in parts]), X)
