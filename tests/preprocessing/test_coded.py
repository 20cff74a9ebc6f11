"""Columns by the schema alone are the columns of the fitted view, and find their places in wider schemas."""

from __future__ import annotations

import numpy as np
import pytest

from acumen.checks import data
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.preprocessing import NumericMatrix
from acumen.preprocessing.coded import centre_block, coded_columns, coded_slices, coded_width, places_in
from acumen.preprocessing.finite import finite_matrix, gapless_view


def whole(rows: Table) -> np.ndarray:
    return np.concatenate([block.matrix() for _, block in coded_slices(rows)])


@pytest.mark.parametrize("names", [("size", "colour", "age", "grade"), ("size", "age"), ("colour",)])
def test_coded_columns_are_those_of_the_numeric_matrix(names: tuple[str, ...]) -> None:
    rows = data.table(names)
    view = NumericMatrix.fit(rows)
    assert tuple(c.name for c in coded_columns(rows.schema)) == view.names
    assert coded_width(rows.schema) == len(view.names)
    assert np.array_equal(whole(rows), view.transform(rows), equal_nan=True)


def test_slices_cover_all_rows_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = data.table(("size", "colour"))
    before = whole(rows)
    monkeypatch.setattr("acumen.preprocessing.coded._BYTES", 8 * 4 * 7)
    parts = [part for part, _ in coded_slices(rows)]
    assert len(parts) > 5 and [p.stop for p in parts[:-1]] == [p.start for p in parts[1:]]
    assert np.array_equal(whole(rows), before)


def test_no_rows_have_columns_too() -> None:
    rows = data.table(("size", "colour")).take(slice(0, 0))
    assert whole(rows).shape == (0, 4)


def test_places_lead_to_the_same_columns_of_a_wider_schema() -> None:
    rows = data.table(("colour", "size", "grade"))
    wider = tuple(a.with_levels((*a.levels, "new")) if a.is_nominal else a for a in rows.schema)
    schema = Schema(wider, rows.schema.target)
    old, new = coded_columns(rows.schema), coded_columns(schema)
    assert [new[j].name for j in places_in(rows.schema, schema)] == [c.name for c in old]


def test_what_is_missing_lies_at_the_centre() -> None:
    block = np.array([[1.0, np.nan], [np.inf, 3.0]])
    assert centre_block(block, np.array([0.5, 2.0])).tolist() == [[0.5, 0.0], [0.0, 1.0]]


def test_infinite_values_are_filled_as_missing_ones() -> None:
    rows = data.table(("size", "age"), 9, missing=False)
    columns = [column.copy() for column in rows.numeric.columns]
    columns[0][2], columns[1][3] = np.inf, np.nan
    odd = Table(rows.schema, 9, numeric=columns, labels=rows.labels)
    view = gapless_view(odd)
    made = finite_matrix(view, odd)
    assert np.isfinite(made).all()
    assert made[2, 0] == pytest.approx(np.delete(columns[0], 2).mean())
    assert made[3, 1] == pytest.approx(np.delete(columns[1], 3).mean())
