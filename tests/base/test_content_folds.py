"""Folds by what rows hold: units, names and orders move no row; equal rows share a fold; classes are spread evenly."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import acumen
from acumen.checks import data
from acumen.checks.laws_weight import columns_turned, levels_renamed, units_changed
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.datasets import load
from acumen.rows.content_folds import content_folds

TABLES = {
    "mixed": data.table(rows=90), "iris": load("iris"), "loan": load("loan"), "weather": load("weather-nominal")
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize(
    "change", [units_changed, levels_renamed, columns_turned], ids=lambda one: one.__name__
)
def test_what_does_not_matter_moves_no_row(name, change):
    rows = TABLES[name]
    folds = content_folds(rows, 5)
    assert (content_folds(change(rows), 5) == folds).all()
    assert (np.bincount(folds, minlength=5) > 0).all()


@given(st.integers(0, 10_000), st.integers(1, 5))
def test_neither_order_nor_repetition_moves_a_row(seed, times):
    rng = np.random.default_rng(seed)
    rows = TABLES["mixed"]
    folds = content_folds(rows, 4)
    order = rng.permutation(np.repeat(np.arange(len(rows)), rng.integers(1, times + 1, len(rows))))
    assert (content_folds(rows.take(order), 4) == folds[order]).all()


def test_other_names_for_the_classes_move_no_row():
    rows = TABLES["mixed"]
    turned = data.with_classes(rows, ["c", "a", "b"], np.array([2, 0, 1], dtype=np.int32)[rows.labels])
    assert (content_folds(turned, 5) == content_folds(rows, 5)).all()


def test_classes_are_spread_evenly():
    rows = load("iris")
    each = [np.bincount(content_folds(rows, 5)[rows.labels == c], minlength=5) for c in range(3)]
    assert (
        np.ptp(each, axis=1).max() <= 3 and np.ptp(np.sum(each, axis=0)) <= 4
    )  # three rows of iris come twice
    grid = np.stack(np.meshgrid(*[np.arange(3)] * 3), axis=-1).reshape(
        -1, 3
    )  # each row a mirror image of others
    table = acumen.read(np.column_stack([grid, grid.sum(axis=1) % 2]).astype(str), target=3)
    assert np.ptp(np.bincount(content_folds(table, 3))) <= 1


def test_a_constant_column_moves_no_row():
    rows = TABLES["mixed"]
    schema = Schema((*rows.schema.attributes, replace(rows.schema["size"], name="same")), rows.schema.target)
    wider = Table(
        schema, len(rows), numeric=[*rows.numeric.columns, np.full(len(rows), 7.0)], nominal=rows.nominal,
        text=rows.text, labels=rows.labels,
    )  # fmt: skip
    assert (content_folds(wider, 5) == content_folds(rows, 5)).all()
