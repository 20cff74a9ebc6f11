"""Levels and classes: counts, shares in weight, entropy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import entropy as scipy_entropy

from acumen.data.schema import Attribute
from acumen.data.table import NO_WEIGHTS
from acumen.profiling.levels import LISTED, class_figures, entropy_bits, nominal_column, text_column


def test_levels_are_listed_by_frequency_then_code():
    attribute = Attribute("a", "nominal", ("p", "q", "r", "s"))
    codes = np.array([2, 2, 1, 3, -1, -2, 3, 1], dtype=np.int32)
    column = nominal_column(attribute, codes, NO_WEIGHTS)
    assert [(x.level, x.count) for x in column.nominal.top] == [("q", 2), ("r", 2), ("s", 2), ("p", 0)]
    assert (column.missing, column.distinct) == (1, 3)
    assert (column.nominal.unknown, column.nominal.unused, column.nominal.once) == (1, 1, 0)
    assert column.missing_share == pytest.approx(1 / 8)


def test_shares_are_in_weight():
    attribute = Attribute("a", "nominal", ("p", "q"))
    column = nominal_column(attribute, np.array([0, 1, -1], np.int32), np.array([3.0, 1.0, 4.0]))
    assert [x.share for x in column.nominal.top] == [0.75, 0.25]
    assert column.missing_share == 0.5


def test_levels_beyond_the_listed_are_counted():
    attribute = Attribute("a", "nominal", tuple(f"v{i}" for i in range(LISTED + 7)))
    codes = np.repeat(np.arange(LISTED + 7, dtype=np.int32), 2)
    made = nominal_column(attribute, codes, NO_WEIGHTS).to_dict()
    assert len(made["nominal"]["levels"]) == LISTED
    assert made["nominal"]["not_listed"] == 7


@given(st.lists(st.one_of(st.just(0.0), st.floats(1e-6, 1e6)), min_size=1, max_size=12))
def test_entropy_is_scipys(masses):
    if sum(masses) == 0:
        assert entropy_bits(np.array(masses)) is None
        return
    assert entropy_bits(np.array(masses)) == pytest.approx(scipy_entropy(masses, base=2), abs=1e-9)


def test_entropy_of_vanishing_weights_is_finite():
    assert entropy_bits(np.array([5e-324, 1e6])) == 0.0


def test_w002_03_entropy_of_the_loan_classes():
    # Nine of fifteen applications are granted.
    target = Attribute("class", "nominal", ("No", "Yes"))
    figures = class_figures(target, np.array([1] * 9 + [0] * 6, np.int32), NO_WEIGHTS)
    assert figures.entropy == pytest.approx(0.9709505945, abs=1e-10)


def test_classes_come_in_the_order_of_their_codes_and_all_of_them():
    target = Attribute("class", "nominal", ("no", "maybe", "yes"))
    figures = class_figures(target, np.array([2, 2, 0, -1], np.int32), NO_WEIGHTS)
    assert [(c.level, c.count) for c in figures.classes] == [("no", 1), ("maybe", 0), ("yes", 2)]
    assert (figures.missing, figures.missing_share) == (1, 0.25)


def test_texts_are_measured_in_characters():
    strings = np.array(["one", None, "", "seventeen", "one"], dtype=object)
    column = text_column("t", strings, NO_WEIGHTS)
    assert (column.missing, column.distinct) == (1, 3)
    assert column.text.to_dict() == {"shortest": 0, "median": 3.0, "longest": 9, "empty": 1}
