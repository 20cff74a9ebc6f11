"""Additive models against a dense Newton with its zeros and ones written out, and what certifies them."""

from __future__ import annotations

import numpy as np
import pytest

import acumen
from acumen.additive.fit import coarsen
from acumen.additive.layout import SlotLayout, layout_of
from acumen.additive.survey import survey_of
from acumen.data.table import Table
from acumen.rows.training_rows import TableRows
from additive_tables import mixed
from reference import additive as twin


def written_out(table: Table, layout: SlotLayout, strength: float) -> tuple[np.ndarray, np.ndarray]:
    """The matrix of zeros and ones, and the penalty."""
    slots = layout.rows(table).slots.tolist()
    matrix = twin.design(slots, [shape.slots for shape in layout.shapes])
    weight = table.row_weights @ matrix
    charge = np.zeros((matrix.shape[1],) * 2)
    at = 1
    for shape in layout.shapes:
        block = slice(at, at + shape.slots)
        charge[block, block] = strength * twin.form(shape.n_values, shape.slots, shape.ordered, weight[block])
        at += shape.slots
    return matrix, charge


def centred(beta: np.ndarray, layout: SlotLayout, weight: np.ndarray) -> np.ndarray:
    """Shapes about zero over the rows, the rest in the constant."""
    made = beta.copy()
    for block in layout.blocks:
        mean = weight[block] @ made[block] / weight[0]
        made[block] -= mean
        made[0] += mean
    return made


@pytest.mark.parametrize("weighted", [False, True])
def test_shapes_of_two_classes_are_those_of_a_dense_newton(weighted: bool) -> None:
    table = mixed(250, 1, 2)
    if weighted:
        weights = np.random.default_rng(0).integers(1, 4, 250).astype(float)
        table = Table(
            table.schema,
            250,
            numeric=table.numeric,
            nominal=table.nominal,
            labels=table.labels,
            weights=weights,
        )
    model = acumen.Additive(bins=8, smoothing=0.7).fit(table)
    layout = layout_of(survey_of(TableRows(table)), 8, 2000)
    matrix, charge = written_out(table, layout, 0.7)
    weights = table.row_weights
    beta = twin.logistic(matrix, table.labels.astype(float), weights, charge)
    expected = centred(beta, layout, weights @ matrix)
    assert np.abs(model.model_.parts.coefficients[:, 0] - expected).max() < 1e-8
    assert model.certificate_["gradient"] < 1e-10 and model.certificate_["excess"] < 1e-12


def test_shapes_of_several_classes_are_those_of_one_dense_system() -> None:
    table = mixed(300, 2, 3)
    model = acumen.Additive(bins=6, smoothing=2.0).fit(table)
    layout = layout_of(survey_of(TableRows(table)), 6, 1000)
    matrix, charge = written_out(table, layout, 2.0)
    beta = twin.softmax(matrix, table.labels, 3, charge)
    weight = matrix.sum(axis=0)
    expected = np.column_stack([centred(beta[:, k], layout, weight) for k in range(3)])
    expected[0] -= expected[0].mean()  # what all classes share says nothing
    found = model.model_.parts.coefficients.copy()
    found[0] -= found[0].mean()
    assert np.abs(found - expected).max() < 1e-8


def test_shapes_of_a_number_are_those_of_penalised_least_squares() -> None:
    table = mixed(200, 3, 0)
    model = acumen.AdditiveRegressor(bins=10, smoothing=0.4).fit(table)
    layout = layout_of(survey_of(TableRows(table)), 10, 2000)
    matrix, charge = written_out(table, layout, 0.4)
    y = table.response
    unit = y.std()
    beta = twin.squares(matrix, (y - y.mean()) / unit, np.ones(200), charge)
    expected = centred(beta, layout, matrix.sum(axis=0)) * unit
    expected[0] += y.mean()
    found = model.model_.parts.coefficients[:, 0]
    assert np.abs(found - expected).max() < 1e-8 * unit
    assert np.allclose(model.predict(table), matrix @ expected, rtol=0, atol=1e-8 * unit)


def test_two_way_tables_and_forms_are_those_of_the_matrix() -> None:
    table = mixed(500, 4, 2)
    layout = layout_of(survey_of(TableRows(table)), 12, 2000)
    rows = layout.rows(table)
    matrix, _ = written_out(table, layout, 1.0)
    rng = np.random.default_rng(5)
    weight, values = rng.random(500), rng.normal(size=(500, 3))
    assert np.allclose(rows.tables(weight), matrix.T @ (matrix * weight[:, None]), atol=1e-12)
    assert np.allclose(rows.sums(values), matrix.T @ values, atol=1e-12)
    square = rng.normal(size=(layout.width,) * 2)
    square += square.T
    assert np.allclose(rows.forms(square), np.einsum("ni,ij,nj->n", matrix, square, matrix), atol=1e-10)
    some = rng.permutation(500)[:77]
    assert np.array_equal(
        rows.take(some).sums(values[some]), layout.rows(table.take(some)).sums(values[some])
    )


def test_groups_of_bins_say_of_every_row_what_their_bins_say() -> None:
    rng = np.random.default_rng(6)
    X = np.column_stack([rng.normal(size=700), rng.integers(0, 40, 700), rng.exponential(size=700)])
    X[rng.random(X.shape) < 0.1] = np.nan
    table, _ = acumen.Additive().task.intake(X, rng.integers(0, 3, 700), None, "test")
    layout = layout_of(survey_of(TableRows(table)), 128, 2000)
    rows = layout.rows(table)
    small = coarsen(layout, rows.sums(np.ones((700, 1)))[:, 0])
    assert small is not None and small.layout.width < layout.width / 2
    values = rng.normal(size=(small.layout.width, 3))
    assert np.array_equal(rows.scores(small.back(values)), small.layout.rows(table).scores(values))
    # The answer on all bins is certified whatever it was started from.
    model = acumen.Additive().fit(table)
    assert model.certificate_["gradient"] < 1e-9 and model.certificate_["excess"] < 1e-12
