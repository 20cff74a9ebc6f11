"""Degrees of freedom, AIC and standard errors against their definitions on dense matrices; pairs and words of slots."""

from __future__ import annotations

import numpy as np
import pytest

import acumen
from acumen.additive.interactions import GROUPS, _groups, _interaction_rest
from acumen.additive.layout import SlotLayout, layout_of
from acumen.additive.model_text import range_text, slot_text
from acumen.additive.survey import survey_of
from acumen.data.table import Table
from acumen.rows.training_rows import TableRows
from additive.test_against_twin import written_out
from additive_tables import mixed

STRENGTH = 0.4


def settings_of(table: Table) -> tuple[SlotLayout, np.ndarray, np.ndarray]:
    layout = layout_of(survey_of(TableRows(table)), 10, 2000)
    return layout, *written_out(table, layout, STRENGTH)


def spent(covariance: np.ndarray, charge: np.ndarray, layout: SlotLayout) -> np.ndarray:
    """Of each block tr((D + S)^-1 D), D what rows say of it once all others have been fitted anew; one for its mean."""
    return np.array(
        [
            block.stop - block.start - 1 - float(np.sum(covariance[block, block] * charge[block, block]))
            for block in layout.blocks
        ]
    )


def about_zero(layout: SlotLayout, weight: np.ndarray) -> np.ndarray:
    """What turns coefficients into shapes about zero over the rows."""
    turn = np.eye(len(weight))
    for block in layout.blocks:
        turn[block, block] -= weight[block] / weight[0]
        turn[0, block] += weight[block] / weight[0]
    return turn


def test_freedom_aic_and_errors_of_a_number_are_those_of_the_matrix() -> None:
    table = mixed(200, 3, 0)
    layout, matrix, charge = settings_of(table)
    parts = acumen.AdditiveRegressor(bins=10, smoothing=STRENGTH).fit(table).model_.parts
    unit = table.response.std()
    y = (table.response - table.response.mean()) / unit
    covariance = np.linalg.pinv(matrix.T @ matrix + charge, rcond=1e-11)
    freedom = spent(covariance, charge, layout)
    assert parts.freedom == pytest.approx(freedom, rel=1e-8)
    squares = float(np.sum((y - matrix @ covariance @ matrix.T @ y) ** 2))
    remaining = 200 - (freedom.sum() + 1) - 1
    assert parts.facts.loss == pytest.approx(squares / 2)
    assert parts.facts.dispersion == pytest.approx(squares / remaining)
    corrected = 2 * (freedom.sum() + 1) * 200 / remaining
    assert parts.facts.aic == pytest.approx(200 * np.log(squares / 200) + corrected)
    turn = about_zero(layout, matrix.sum(axis=0))
    errors = np.sqrt(np.diag(turn @ covariance @ turn.T) * squares / remaining) * unit
    assert parts.errors[:, 0] == pytest.approx(errors, rel=1e-7, abs=1e-9 * unit)


@pytest.mark.parametrize("classes", [2, 3])
def test_freedom_aic_and_errors_of_classes_are_those_of_the_matrix(classes: int) -> None:
    table = mixed(300, 1, classes)
    layout, matrix, charge = settings_of(table)
    model = acumen.Additive(bins=10, smoothing=STRENGTH).fit(table)
    parts = model.model_.parts
    shares = model.predict_proba(table)
    lines = 1 if classes == 2 else classes
    common = 1.0 if classes == 2 else (classes - 1) / classes  # what is the same in all lines says nothing
    turn = about_zero(layout, matrix.sum(axis=0))
    freedom = np.zeros(len(layout.blocks))
    for k in range(lines):
        share = shares[:, -1] if lines == 1 else shares[:, k]
        hessian = matrix.T @ (matrix * (share * (1 - share))[:, None]) + charge
        covariance = np.linalg.pinv(hessian, rcond=1e-11)
        freedom += common * spent(covariance, charge, layout)
        errors = common * np.sqrt(np.diag(turn @ covariance @ turn.T))
        assert parts.errors[:, k] == pytest.approx(errors, rel=1e-6, abs=1e-9)
    assert parts.freedom == pytest.approx(freedom, rel=1e-6)
    loss = -np.log(shares[np.arange(300), table.labels]).sum()
    total = freedom.sum() + classes - 1
    remaining = 300 - total / (classes - 1) - (classes - 1)
    assert parts.facts.loss == pytest.approx(loss) and parts.facts.dispersion == 1.0
    assert parts.facts.aic == pytest.approx(2 * loss + 2 * total * 300 / remaining, rel=1e-7)


def test_the_spread_of_a_shape_is_the_root_of_its_mean_square_over_the_rows() -> None:
    table = mixed(200, 5, 3)
    model = acumen.Additive(bins=8, smoothing=1.0).fit(table)
    parts = model.model_.parts
    slots = parts.layout.rows(table).slots
    names = [attribute.name for attribute in table.schema.attributes]
    for at, block in enumerate(parts.layout.blocks):
        moved = parts.coefficients[block][slots[at]]
        expected = np.sqrt((moved**2).sum(axis=1).mean())
        assert model.spread_[names[parts.layout.shapes[at].attribute]] == pytest.approx(expected)


# -- pairs ----------------------------------------------------------------------------------------


def test_what_rows_and_columns_cannot_say_is_left_of_a_table() -> None:
    rng = np.random.default_rng(0)
    bend = rng.uniform(0.5, 3.0, (4, 3))
    added = rng.normal(size=4)[:, None] + rng.normal(size=3)
    assert _interaction_rest(bend * added, bend) == pytest.approx((0.0, 6.0), abs=1e-12)
    values = added + rng.normal(size=(4, 3))
    design = np.zeros((12, 7))
    for i in range(4):
        for j in range(3):
            design[3 * i + j, [i, 4 + j]] = 1.0
    heavy = bend.ravel()
    fit = np.linalg.pinv((design.T * heavy) @ design) @ design.T @ (heavy * values.ravel())
    squares = float(heavy @ (values.ravel() - design @ fit) ** 2)
    assert _interaction_rest(bend * values, bend) == pytest.approx((squares, 6.0))
    bend[1, 2] = 0.0  # a cell without rows says nothing
    assert _interaction_rest(bend * values, bend)[1] == 5.0
    assert _interaction_rest(np.zeros((2, 2)), np.zeros((2, 2))) == (0.0, 0.0)


def test_slots_are_grouped_by_their_rows_or_by_their_weight() -> None:
    table = mixed(400, 7, 2)
    layout, matrix, _ = settings_of(table)
    ordered, nominal = layout.shapes[0], layout.shapes[3]
    even = np.ones(ordered.slots)
    groups, count = _groups(ordered, even)
    known = ordered.n_values
    middle = (np.arange(known) + 0.5) / known * GROUPS
    assert known > GROUPS and count == GROUPS
    assert groups[:known].tolist() == np.floor(middle).astype(int).tolist()
    assert (groups[known:] == count).all()
    heavy = np.ones(ordered.slots)
    heavy[0] = 1e6  # one slot that has nearly all rows stands by itself
    groups, count = _groups(ordered, heavy)
    assert (groups[1:known] == count - 1).all() and groups[0] == 0 and count == 2
    weight = matrix.sum(axis=0)[layout.blocks[3]]
    groups, count = _groups(nominal, weight)
    by_weight = np.argsort(-weight[: nominal.n_values], kind="stable")
    assert groups[by_weight].tolist() == list(range(nominal.n_values)) and count == 0
    assert (groups[nominal.n_values :] == nominal.n_values).all()


# -- words ----------------------------------------------------------------------------------------


def test_bins_are_named_by_the_cuts_about_them() -> None:
    cuts = np.array([1.0, 2.5, 4.0])
    assert range_text(cuts, 0, 0) == "<= 1" and range_text(cuts, 3, 3) == "> 4"
    assert range_text(cuts, 1, 1) == "1 to 2.5" and range_text(cuts, 1, 2) == "1 to 4"
    assert range_text(cuts, 0, 3) == "any number" and range_text(cuts, 2, 3) == "> 2.5"


def test_slots_are_named_by_bin_level_or_what_is_missing() -> None:
    table = mixed(300, 1, 2)
    layout, _, _ = settings_of(table)
    number, grade, colour = layout.shapes[0], layout.shapes[2], layout.shapes[3]
    assert slot_text(number, 1, table.schema) == range_text(number.cuts, 1, 1)
    assert slot_text(number, number.n_values, table.schema) == "missing"
    assert [slot_text(grade, slot, table.schema) for slot in range(4)] == list("abcd")
    levels = [slot_text(colour, slot, table.schema) for slot in range(colour.slots)]
    assert levels[colour.n_values] == "missing" and set(levels[: colour.n_values]) <= {
        "red",
        "green",
        "blue",
        "never",
    }
    assert all(text == "any other level" for text in levels[colour.n_values + 1 :])
