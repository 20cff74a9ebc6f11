from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acumen.data.schema import Schema
from acumen.data.table import NO_WEIGHTS, Table
from acumen.errors import DataError, ModelFileError, ParameterError, SchemaMismatch
from acumen.preprocessing.matrix import CODINGS, NumericMatrix
from acumen.preprocessing.scale import SCALINGS
from preprocessing_tables import NAN, repeated, sparse_twin, table_of

COLOURS = ("red", "green", "blue")


def mixed(weights=()):
    return table_of(
        {
            "age": [1.0, NAN, 3.0, 0.0],
            "colour": ("nominal", COLOURS, [2, -1, -2, 1]),
            "size": ("ordinal", ("S", "M", "L"), [0, 2, -1, -2]),
            "pay": [5.0, 5.0, 7.0, 1.0],
        },
        weights=weights,
    )


def test_each_kind_of_column_is_as_the_page_says():
    view = NumericMatrix.fit(mixed())
    assert view.names == ("age", "colour=red", "colour=green", "colour=blue", "size", "pay")
    made = view.transform(mixed())
    expected = [[1, 0, 0, 1, 0, 5], [NAN, 0, 0, 0, 2, 5], [3, 0, 0, 0, NAN, 7], [0, 0, 1, 0, NAN, 1]]
    np.testing.assert_array_equal(made, expected)
    assert made.dtype == np.float64 and made.flags.c_contiguous


def test_codes_instead_of_columns():
    view = NumericMatrix.fit(mixed(), nominal="codes")
    assert view.names == ("age", "colour", "size", "pay")
    np.testing.assert_array_equal(view.transform(mixed())[:, 1], [2, NAN, NAN, 1])


def test_indicators_stand_behind_their_attribute():
    view = NumericMatrix.fit(mixed(), indicators=True)
    assert view.names == (
        "age", "age is missing", "colour=red", "colour=green", "colour=blue", "colour is missing",
        "size", "size is missing", "pay",
    )  # fmt: skip
    made = view.transform(mixed())
    np.testing.assert_array_equal(made[:, 1], [0, 1, 0, 0])
    np.testing.assert_array_equal(made[:, 5], [0, 1, 0, 0])  # an unknown level is not missing
    np.testing.assert_array_equal(made[:, 7], [0, 0, 1, 0])


def test_imputation_leaves_no_gap():
    for impute in ("mean", "median", "mode"):
        for nominal in CODINGS:
            view = NumericMatrix.fit(mixed(), impute=impute, nominal=nominal)
            assert not np.isnan(view.transform(mixed())).any()
    made = NumericMatrix.fit(mixed(), impute="mean").transform(mixed())
    np.testing.assert_allclose(made[:, 0], [1, 4 / 3, 3, 0])
    np.testing.assert_array_equal(made[1, 1:4], [0, 0, 0])  # no level is no gap
    np.testing.assert_array_equal(made[:, 4], [0, 2, 0, 0])
    made = NumericMatrix.fit(mixed(), impute="mode").transform(mixed())
    np.testing.assert_array_equal(made[:, 1:4], [[0, 0, 1], [0, 1, 0], [0, 0, 0], [0, 1, 0]])


def test_scaling_is_for_numbers_and_codes_and_after_imputation():
    made = NumericMatrix.fit(mixed(), scale="min-max", impute="mean").transform(mixed())
    np.testing.assert_allclose(made[:, 0], [1 / 3, 4 / 9, 1, 0])
    np.testing.assert_array_equal(made[:, 1:4], NumericMatrix.fit(mixed()).transform(mixed())[:, 1:4])
    np.testing.assert_allclose(made[:, 4], [0, 1, 0, 0])
    z = NumericMatrix.fit(mixed(), scale="z-score", impute="mean").transform(mixed())
    assert z[1, 0] == pytest.approx(0, abs=1e-15)


def test_one_hot_agrees_with_scikit_learn():
    from sklearn.preprocessing import OneHotEncoder

    rng = np.random.default_rng(1)
    codes = rng.integers(0, 5, size=(300, 3)).astype(np.int32)
    table = table_of({f"n{j}": ("nominal", range(5), codes[:, j]) for j in range(3)})
    oracle = OneHotEncoder(categories=[range(5)] * 3, sparse_output=False)
    np.testing.assert_array_equal(NumericMatrix.fit(table).transform(table), oracle.fit_transform(codes))


def test_a_pipeline_of_scikit_learn_gives_the_same_numbers():
    from sklearn.impute import SimpleImputer

    rng = np.random.default_rng(2)
    X = rng.normal(size=(3000, 30))
    X[rng.random(X.shape) < 0.1] = np.nan
    table = table_of({f"x{j}": X[:, j] for j in range(30)})
    expected = SimpleImputer(add_indicator=True).fit_transform(X)
    made = NumericMatrix.fit(table, impute="mean", indicators=True).transform(table)
    np.testing.assert_allclose(made[:, ::2], expected[:, :30], rtol=1e-12)
    np.testing.assert_array_equal(made[:, 1::2], expected[:, 30:])


def test_text_becomes_normed_log_counts_of_the_most_frequent_words():
    table = table_of(
        {
            "said": ["free free prize", None, "hi", "free hi"],
            "n": [1.0, 0.0, NAN, 2.0],
            "colour": ("nominal", COLOURS, [0, -1, 2, -2]),
        }
    )
    view = NumericMatrix.fit(table, max_words=2, indicators=True)
    assert view.names == (
        "said:free", "said:hi", "said is missing", "n", "n is missing",
        "colour=red", "colour=green", "colour=blue", "colour is missing",
    )  # fmt: skip
    made = view.transform(table)
    assert made.format == "csr" and made.has_sorted_indices and made.dtype == np.float64
    half = np.sqrt(0.5)
    expected = [
        [1, 0, 0, 1, 0, 1, 0, 0, 0],
        [0, 0, 1, 0, 0, 0, 0, 0, 1],
        [0, 1, 0, NAN, 1, 0, 0, 1, 0],
        [half, half, 0, 2, 0, 0, 0, 0, 0],
    ]
    np.testing.assert_allclose(made.toarray(), expected, rtol=1e-15)


@given(st.data())
def test_sparse_and_dense_tables_give_the_same_matrix(data):
    n = data.draw(st.integers(1, 6))
    numbers = st.lists(st.sampled_from([0.0, 0.0, 1.0, -2.5, NAN]), min_size=n, max_size=n)
    codes = st.lists(st.integers(-2, 2), min_size=n, max_size=n)
    table = table_of(
        {
            "x": data.draw(numbers),
            "colour": ("nominal", COLOURS, data.draw(codes)),
            "y": data.draw(numbers),
            "size": ("ordinal", COLOURS, data.draw(codes)),
            "z": data.draw(numbers),
        },
        weights=data.draw(st.just([]) | st.lists(st.sampled_from([0.0, 1.0, 2.5]), min_size=n, max_size=n)),
    )
    options = {
        "nominal": data.draw(st.sampled_from(CODINGS)),
        "scale": data.draw(st.sampled_from(["none", "max"])),
        "impute": data.draw(st.sampled_from(["none", "mean", "median", "mode"])),
        "indicators": data.draw(st.booleans()),
    }
    dense, sparse = NumericMatrix.fit(table, **options), NumericMatrix.fit(sparse_twin(table), **options)
    assert dense.names == sparse.names
    expected = dense.transform(table)
    for view in (dense, sparse):
        made = view.transform(sparse_twin(table))
        assert made.shape == expected.shape and made.has_sorted_indices
        np.testing.assert_allclose(made.toarray(), expected, rtol=1e-14)


@pytest.mark.parametrize("scale", SCALINGS)
@pytest.mark.parametrize("impute", ["mean", "median", "mode"])
def test_a_weight_of_k_is_k_rows(scale, impute):
    table = mixed(weights=[2, 1, 0, 3])
    mine = NumericMatrix.fit(table, scale=scale, impute=impute, indicators=True)
    twin = NumericMatrix.fit(repeated(table), scale=scale, impute=impute, indicators=True)
    assert mine.names == twin.names
    np.testing.assert_allclose(mine.transform(mixed()), twin.transform(mixed()), rtol=1e-14)


def test_blocks_of_rows_meet():
    rng = np.random.default_rng(0)
    n = 70_000
    X, codes = rng.normal(size=n), rng.integers(-2, 3, size=n).astype(np.int32)
    table = table_of({"x": X, "colour": ("nominal", COLOURS, codes)})
    made = NumericMatrix.fit(table).transform(table)
    np.testing.assert_array_equal(made[:, 0], X)
    np.testing.assert_array_equal(made[:, 1:], codes[:, None] == np.arange(3))


def test_the_result_is_allocated_once():
    import tracemalloc

    rng = np.random.default_rng(0)
    table = table_of({f"x{j}": rng.normal(size=50_000) for j in range(40)})
    view = NumericMatrix.fit(table, scale="z-score", impute="mean")
    tracemalloc.start()
    made = view.transform(table)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1.1 * made.nbytes


def test_the_target_does_not_matter_but_the_inputs_do():
    table = table_of({"x": [1.0, 2.0]}, labels=[0, 1])
    view = NumericMatrix.fit(table)
    np.testing.assert_array_equal(view.transform(table_of({"x": [3.0]})), [[3]])
    with pytest.raises(SchemaMismatch, match="'x'"):
        view.transform(table_of({"z": [3.0]}))
    with pytest.raises(SchemaMismatch, match="'x' is numeric in one"):
        view.transform(table_of({"x": ("nominal", "ab", [0])}))


def test_nothing_known_is_noted_only_where_it_matters():
    table = table_of({"x": [NAN], "c": ("nominal", COLOURS, [-1]), "o": ("ordinal", (), [-1])})
    view = NumericMatrix.fit(table, impute="mode")
    assert [note.column for note in view.notes] == ["x", "c", "o"]
    np.testing.assert_array_equal(view.transform(table), [[0, 1, 0, 0, 0]])
    assert [note.column for note in NumericMatrix.fit(table, impute="mean").notes] == ["x", "o"]
    assert NumericMatrix.fit(table).notes == ()
    NumericMatrix.from_arrays(view.to_arrays())


def test_degenerate_tables_have_matrices():
    empty = Table(Schema(()), 3)
    assert NumericMatrix.fit(empty).transform(empty).shape == (3, 0)
    none = mixed().take(slice(0, 0))
    assert NumericMatrix.fit(none, scale="z-score", impute="mean", indicators=True).transform(none).shape == (
        0,
        6,
    )
    words = table_of({"said": ["...", "!"]})
    assert NumericMatrix.fit(words).transform(words).shape == (2, 0)


def test_a_sparse_table_is_refused_rather_than_filled():
    table = sparse_twin(table_of({"x": [0.0, 1.0, 0.0], "y": [1.0, 1.0, 1.0]}))
    view = NumericMatrix.fit(table, scale="z-score")
    with pytest.raises(DataError, match="sparse attribute 'x'"):
        view.transform(table)


def test_repeated_entries_of_a_sparse_table_add_and_the_table_is_left_alone():
    from scipy.sparse import csr_matrix

    matrix = csr_matrix((np.array([1.0, 2.0]), np.array([0, 0]), np.array([0, 2])), shape=(1, 1))
    table = Table(table_of({"x": [1.0]}).schema, 1, sparse=matrix)
    assert NumericMatrix.fit(table, scale="max").spread.tolist() == [0.0]  # one value is a constant
    np.testing.assert_array_equal(NumericMatrix.fit(table).transform(table).toarray(), [[3]])
    assert matrix.nnz == 2


@pytest.mark.parametrize(
    "options", [{}, {"nominal": "codes", "scale": "max", "impute": "mode", "indicators": True}]
)
def test_views_round_trip_through_arrays(options):
    table = table_of(
        {"said": ["a été", None], "more": ["x", "y z"], "n": [1.0, NAN], "c": ("nominal", COLOURS, [1, -1])}
    )
    view = NumericMatrix.fit(table, **options)
    back = NumericMatrix.from_arrays(view.to_arrays())
    assert back.names == view.names
    np.testing.assert_array_equal(back.transform(table).toarray(), view.transform(table).toarray())


def test_damaged_arrays_are_refused():
    good = NumericMatrix.fit(mixed(), impute="mode").to_arrays()
    for name, bad in [
        ("fill", np.array([0.0, 3.0, 0.0, 0.0])),
        ("fill", np.array([0.0, 0.5, 0.0, 0.0])),
        ("fill", np.zeros(3)),
        ("spread", np.full(4, -1.0)),
        ("indicated", np.zeros(4)),
        ("about", np.zeros(3, dtype=np.uint8)),
    ]:
        with pytest.raises(ModelFileError):
            NumericMatrix.from_arrays(good | {name: bad})
    about = good["about"].tobytes().replace(b"one-hot", b"two-hot")
    with pytest.raises(ModelFileError, match="unknown coding"):
        NumericMatrix.from_arrays(good | {"about": np.frombuffer(about, dtype=np.uint8)})


@pytest.mark.parametrize(
    ("option", "value"),
    [("nominal", "onehot"), ("scale", "zscore"), ("impute", "average"), ("max_words", -1)],
)
def test_wrong_options_are_refused_in_sentences(option, value):
    table = table_of({"said": ["a"]})
    with pytest.raises(ParameterError, match=f"{option} must be .*; got {value!r}"):
        NumericMatrix.fit(table, **{option: value})


def test_a_dense_view_needs_no_scipy():
    import subprocess

    code = (
        "import sys, numpy as np\n"
        "from acumen.data.schema import Attribute, Schema\n"
        "from acumen.data.table import Table\n"
        "from acumen.preprocessing import NumericMatrix, EqualWidth\n"
        "t = Table(Schema((Attribute('x'),)), 2, numeric=[np.array([1.0, 2.0])])\n"
        "NumericMatrix.fit(t, scale='z-score').transform(t); EqualWidth().fit(t).transform(t)\n"
        "print([m for m in sys.modules if m.split('.')[0] in ('scipy', 'sklearn', 'pandas')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_weights_that_are_absent_are_ones():
    table = mixed()
    assert table.weights is NO_WEIGHTS
    with_ones = mixed(weights=[1, 1, 1, 1])
    for a, b in zip(
        NumericMatrix.fit(table, scale="z-score").to_arrays().values(),
        NumericMatrix.fit(with_ones, scale="z-score").to_arrays().values(),
        strict=True,
    ):
        np.testing.assert_array_equal(a, b)
