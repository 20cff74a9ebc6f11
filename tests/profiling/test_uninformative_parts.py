"""Idle columns of rows in parts are those of all rows at once."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.profiling.uninformative import UninformativeColumns, uninformative_columns

LEVELS = tuple(f"v{i}" for i in range(60))


@st.composite
def columns(draw, rows):
    """A numeric column of one of the kinds that matter."""
    kind = draw(
        st.sampled_from(["rising", "falling", "shuffled", "sparse ids", "same", "empty", "few", "halves"])
    )
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    made = {
        "rising": np.arange(rows) * 3.0,
        "falling": -np.arange(rows) * 1.0,
        "shuffled": rng.permutation(rows).astype(float),
        "sparse ids": rng.choice(10**9, rows, replace=False).astype(float),
        "same": np.full(rows, 7.0),
        "empty": np.full(rows, np.nan),
        "few": rng.integers(0, 4, rows).astype(float),
        "halves": np.arange(rows) + 0.5,
    }[kind]
    if rows and draw(st.booleans()):
        made[draw(st.integers(0, rows - 1))] = draw(st.sampled_from([np.nan, np.inf, 0.0, 2.5]))
    return made


@given(st.data(), st.integers(0, 70))
def test_parts_are_judged_as_the_whole(data, rows):
    numeric = [data.draw(columns(rows)) for _ in range(2)]
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    few = data.draw(st.sampled_from([1, 2, 60]))
    codes = (
        np.minimum(rng.permutation(max(rows, 1))[:rows], few - 1) if few == 60 else rng.integers(0, few, rows)
    )
    codes = np.where(rng.random(rows) < data.draw(st.sampled_from([0.0, 0.2, 1.0])), -1, codes).astype(
        np.int32
    )
    schema = Schema((Attribute("a"), Attribute("b"), Attribute("c", "nominal", LEVELS)))
    table = Table(schema, rows, numeric=numeric, nominal=[codes])
    cuts = sorted(data.draw(st.lists(st.integers(0, rows), max_size=4)))
    found = UninformativeColumns(schema)
    for a, b in zip([0, *cuts], [*cuts, rows], strict=True):
        found.add(table.take(slice(a, b)))
    assert found.reasons() == uninformative_columns(table)


def test_many_small_parts_of_an_identifier_are_one_and_repeats_are_counted():
    schema = Schema((Attribute("a"), Attribute("b"), Attribute("c"), Attribute("d")))
    rng = np.random.default_rng(0)
    ids = rng.permutation(2000).astype(float)
    repeated = ids.copy()
    repeated[-1] = repeated[0]
    table = Table(schema, 2000, numeric=[ids, repeated, rng.normal(size=2000), np.minimum(ids, 1800)])
    found = UninformativeColumns(schema)
    for start in range(0, 2000, 10):
        found.add(table.take(slice(start, start + 10)))
    assert found.reasons() == uninformative_columns(table)
    assert list(found.reasons()) == ["a", "b"]
    assert "1,999 distinct whole values in 2,000 rows" in found.reasons()["b"]
