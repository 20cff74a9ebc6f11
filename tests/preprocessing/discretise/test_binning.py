from __future__ import annotations

import numpy as np
import pytest

from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError, ModelFileError, ParameterError, SchemaMismatch
from acumen.preprocessing.discretise.discretisers import (
    DISCRETISERS,
    EqualFrequency,
    EqualWidth,
    GivenEdges,
    discretise_table,
    discretiser_named,
)
from preprocessing_tables import NAN, sparse_twin, table_of


def test_numeric_attributes_become_ordinal_in_their_place():
    schema = Schema(
        (Attribute("n", "nominal", ("a", "b")), Attribute("x"), Attribute("o", "ordinal", ("s", "l"))),
        Attribute("class", "nominal", ("no", "yes")),
        columns=("x", "class", "n", "o"),
    )
    codes = np.array([0, 1, -1], dtype=np.int32)
    table = Table(schema, 3, numeric=[np.array([1.0, NAN, 3.0])], nominal=[codes, codes], labels=codes)
    made = discretise_table(table, EqualWidth(2))
    assert made.schema.names == ("n", "x", "o") and made.schema.columns == schema.columns
    assert made.schema["x"] == Attribute("x", "ordinal", ("[1, 2]", "(2, 3]"))
    assert made.column("x").tolist() == ["[1, 2]", None, "(2, 3]"]
    assert made.column("n").tolist() == ["a", "b", None]
    assert made.labels is table.labels


def test_training_intervals_apply_to_new_rows():
    binning = EqualWidth(2).fit(table_of({"x": [0.0, 10.0]}))
    made = binning.transform(table_of({"x": [-5.0, 5.0, 5.1, 99.0]}))
    assert made.nominal.columns[0].tolist() == [0, 0, 1, 1]
    for wrong in ({"y": [1.0]}, {"x": ("nominal", "ab", [0])}):
        with pytest.raises(SchemaMismatch, match="no numeric attribute 'x'"):
            binning.transform(table_of(wrong))


@pytest.mark.parametrize("name", ["equal-width", "equal-frequency", "k-means", "entropy-mdl", "chi-merge"])
def test_sparse_tables_are_cut_like_dense_ones(name):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 60)
    X = np.where(rng.random((60, 3)) < 0.5, 0.0, rng.integers(-3, 4, (60, 3)) + labels[:, None])
    table = table_of({f"x{j}": X[:, j] for j in range(3)}, labels=labels)
    made, expected = discretise_table(sparse_twin(table), name), discretise_table(table, name)
    assert made.schema == expected.schema
    np.testing.assert_array_equal(made.nominal.matrix(), expected.nominal.matrix())


def test_a_sparse_table_is_cut_whole_or_not_at_all():
    table = sparse_twin(table_of({"x": [0.0, 1.0], "y": [1.0, 0.0]}))
    with pytest.raises(DataError, match="either all"):
        discretise_table(table, GivenEdges({"x": [0.5]}))


def test_binnings_round_trip_through_arrays_and_refuse_damage():
    from acumen.preprocessing.discretise.discretisers import Binning

    table = table_of({"x": [1.0, 2.0, 3.0], "y": [5.0, 5.0, 5.0], "z": [NAN] * 3})
    for discretiser in (EqualFrequency(3, closed="left"), GivenEdges([])):
        binning = discretiser.fit(table)
        back = Binning.from_arrays(binning.to_arrays())
        assert [one.levels for one in back.intervals] == [one.levels for one in binning.intervals]
    good = EqualFrequency(3).fit(table).to_arrays()
    for name, bad in [
        ("edges", good["edges"][::-1].copy()),
        ("edges", good["edges"][:1]),
        ("ends", np.array([2, 1, 2])),
        ("low", np.full(3, np.nan)),
        ("high", np.zeros(2)),
        (
            "about",
            np.frombuffer(
                b'{"attributes": ["x", "x", "z"], "closed": ["right", "right", "right"]}', np.uint8
            ),
        ),
        (
            "about",
            np.frombuffer(b'{"attributes": ["x", "y", "z"], "closed": ["right", "right", 3]}', np.uint8),
        ),
        ("about", np.frombuffer(b'{"attributes": ["x", "y", "z"], "closed": []}', np.uint8)),
    ]:
        with pytest.raises(ModelFileError):
            Binning.from_arrays(good | {name: bad})


def test_discretisers_are_known_by_name():
    assert discretiser_named("equal-width", bins=4) == EqualWidth(4)
    assert set(DISCRETISERS) == {
        *("given-edges", "equal-width", "equal-frequency", "k-means", "entropy-mdl", "chi-merge")
    }
    with pytest.raises(ParameterError, match="Did you mean 'equal-width'"):
        discretiser_named("equal-widths")
