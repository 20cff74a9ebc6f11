from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acumen.errors import DataError, ModelFileError, ParameterError, SchemaMismatch
from acumen.preprocessing.scale import SCALINGS, Scaler, centre_and_spread
from preprocessing_tables import NAN, repeated, sparse_twin, table_of

NO_WEIGHTS = np.empty(0)
floats = st.floats(-1e150, 1e150)


def scaled(scaling, values, weights=()):
    table = table_of({"x": values}, weights=weights)
    return Scaler.fit(table, scaling).transform(table).numeric.columns[0]


def test_w001_25_normalisations_of_1_2_3_10():
    values = np.array([1.0, 2.0, 3.0, 10.0])
    np.testing.assert_allclose(scaled("min-max", values), [0, 1 / 9, 2 / 9, 1], rtol=1e-15)
    np.testing.assert_allclose(scaled("max", values), values / 10, rtol=1e-15)
    assert centre_and_spread("mean-deviation", values, NO_WEIGHTS) == (4.0, 3.0)
    centre, spread = centre_and_spread("z-score", values, NO_WEIGHTS)
    assert centre == 4.0
    assert spread == pytest.approx(3.5355339059, abs=5e-11)
    np.testing.assert_allclose(scaled("mean-deviation", values), [-1, -2 / 3, -1 / 3, 2], rtol=1e-15)


@pytest.mark.parametrize(
    ("scaling", "oracle"),
    [("z-score", "StandardScaler"), ("min-max", "MinMaxScaler"), ("max", "MaxAbsScaler")],
)
def test_scaling_agrees_with_scikit_learn(scaling, oracle):
    from sklearn import preprocessing

    rng = np.random.default_rng(5)
    X = rng.normal(3, [1, 10, 1e-5], size=(200, 3))
    X[rng.random(X.shape) < 0.1] = np.nan
    table = table_of({f"x{j}": X[:, j] for j in range(3)})
    expected = getattr(preprocessing, oracle)().fit_transform(X)
    made = Scaler.fit(table, scaling).transform(table).numeric.matrix()
    np.testing.assert_allclose(made, expected, rtol=1e-9, atol=1e-9)


def test_weighted_z_score_agrees_with_scikit_learn():
    from sklearn.preprocessing import StandardScaler

    rng = np.random.default_rng(6)
    X, w = rng.normal(100, 2, size=(50, 1)), rng.random(50)
    expected = StandardScaler().fit(X, sample_weight=w).transform(X)
    np.testing.assert_allclose(scaled("z-score", X[:, 0], w), expected[:, 0], rtol=1e-9)


@pytest.mark.parametrize("scaling", SCALINGS)
def test_a_weight_of_2_is_a_repeated_row_and_of_0_an_absent_one(scaling):
    table = table_of({"x": [1.0, 5.0, NAN, 2.0, 1e9]}, weights=[2, 1, 3, 2, 0])
    mine, twin = Scaler.fit(table, scaling), Scaler.fit(repeated(table), scaling)
    np.testing.assert_allclose(mine.centre, twin.centre, rtol=1e-15)
    np.testing.assert_allclose(mine.spread, twin.spread, rtol=1e-15)


@pytest.mark.parametrize("scaling", [s for s in SCALINGS if s != "none"])
def test_constant_columns_become_0_and_nan_stays(scaling):
    table = table_of({"x": [0.1, NAN, 0.1, 0.1], "empty": [NAN] * 4}, weights=[0.3, 1, 0.1, 0.7])
    made = Scaler.fit(table, scaling).transform(table).numeric
    np.testing.assert_array_equal(made.columns[0], [0, NAN, 0, 0])
    assert np.isnan(made.columns[1]).all()
    other = Scaler.fit(table, scaling).transform(table_of({"x": [7.0, np.inf], "empty": [1.0, NAN]}))
    np.testing.assert_array_equal(other.numeric.columns[0], [0, 0])
    np.testing.assert_array_equal(other.numeric.columns[1], [0, NAN])


def test_infinite_values_do_not_spoil_the_others():
    made = scaled("z-score", [1.0, 2.0, 3.0, np.inf])
    np.testing.assert_allclose(made[:3], scaled("z-score", [1.0, 2.0, 3.0]))
    assert made[3] == np.inf


@given(st.lists(floats, min_size=1, max_size=20))
def test_scaled_training_values_lie_where_they_should(values):
    low_high = scaled("min-max", values)
    assert low_high.min() >= 0 and low_high.max() <= 1
    assert np.abs(scaled("max", values)).max() <= 1
    z = scaled("z-score", values)
    if np.ptp(values) > 1e-6 * np.abs(values).max():
        assert z.std() == pytest.approx(1, rel=1e-6)
        assert np.abs(scaled("mean-deviation", values)).mean() == pytest.approx(1, rel=1e-6)


def test_the_given_table_is_not_edited():
    table = table_of({"x": [1.0, 2.0, 4.0]})
    Scaler.fit(table, "z-score").transform(table)
    np.testing.assert_array_equal(table.numeric.columns[0], [1, 2, 4])


def test_sparse_zeros_are_kept_or_the_scaling_is_refused():
    table = table_of({"x": [0.0, 2.0, 0.0, NAN], "y": [0.0, -4.0, 1.0, 0.0], "c": [0.0] * 4})
    sparse = sparse_twin(table)
    for scaling in ("none", "max"):
        mine, twin = Scaler.fit(sparse, scaling), Scaler.fit(table, scaling)
        np.testing.assert_array_equal(mine.spread, twin.spread)
        made = mine.transform(sparse)
        assert made.sparse.nnz == sparse.sparse.nnz
        np.testing.assert_array_equal(made.sparse.toarray(), twin.transform(table).numeric.matrix())
    with pytest.raises(DataError, match=r"zeros of the sparse attribute 'x'.*use scale='max'"):
        Scaler.fit(sparse, "z-score").transform(sparse)


def test_scaler_round_trips_through_arrays_and_refuses_damage():
    table = table_of({"x": [1.0, 2.0], "y": [3.0, 3.0], "n": ("nominal", "ab", [0, 1])})
    scaler = Scaler.fit(table, "min-max")
    back = Scaler.from_arrays(scaler.to_arrays())
    np.testing.assert_array_equal(
        back.transform(table).numeric.matrix(), scaler.transform(table).numeric.matrix()
    )
    good = scaler.to_arrays()
    for name, bad in [
        ("spread", np.array([1.0])),
        ("spread", np.array([1.0, -1.0])),
        ("centre", np.array([0.0, np.nan])),
        ("centre", np.array([0, 1])),
        ("about", np.frombuffer(b"{", dtype=np.uint8)),
        ("about", np.frombuffer(b"[]", dtype=np.uint8)),
        ("about", np.frombuffer(b'{"schema": {}, "scaling": "max"}', dtype=np.uint8)),
        ("about", np.frombuffer(b'{"schema": {"attributes": []}, "scaling": "cubic"}', dtype=np.uint8)),
    ]:
        with pytest.raises(ModelFileError):
            Scaler.from_arrays(good | {name: bad})
    with pytest.raises(ModelFileError, match="missing"):
        Scaler.from_arrays({k: v for k, v in good.items() if k != "spread"})


def test_other_schemas_and_names_are_refused_in_sentences():
    table = table_of({"x": [1.0, 2.0]})
    with pytest.raises(ParameterError, match=r"one of none, min-max.*'zscore'.*Did you mean 'z-score'"):
        Scaler.fit(table, "zscore")
    with pytest.raises(SchemaMismatch, match="'x'"):
        Scaler.fit(table).transform(table_of({"y": [1.0]}))
    with pytest.raises(DataError, match="a Table was expected"):
        Scaler.fit(np.ones((2, 1)))


@pytest.mark.parametrize("scaling", SCALINGS)
def test_no_rows_at_all_can_be_fitted(scaling):
    table = table_of({"x": [1.0]}).take(slice(0, 0))
    assert len(Scaler.fit(table, scaling).transform(table)) == 0
