"""Stopping: chi-square with the right degrees of freedom, and message lengths."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from acumen.datasets import load
from acumen.trees import split_worth as worth
from acumen.trees.split_worth import stop_early
from reference import tree_worth as naive
from reference.tree_same import same
from trees.grown import Case, cases

tables = st.lists(
    st.lists(st.sampled_from([0.0, 1.0, 2.5, 7.0, 20.0]), min_size=3, max_size=3), min_size=1, max_size=5
)


@given(tables)
def test_chi_square_is_that_of_the_contingency_table(table: list[list[float]]) -> None:
    given_table = np.array(table)
    statistic, df = naive.chi_square(given_table)
    full = given_table[given_table.sum(axis=1) > 0][:, given_table.sum(axis=0) > 0]
    if min(full.shape, default=0) < 2:
        assert (statistic, df) == (0.0, 0)
        return
    theirs = stats.chi2_contingency(full, correction=False)
    assert statistic == pytest.approx(theirs.statistic) and df == theirs.dof
    assert naive.chance_of(statistic, df) == pytest.approx(theirs.pvalue)
    assert naive.is_significant(given_table, 0.05) == (theirs.pvalue < 0.05)


def test_branches_fits_add_up_to_the_contingency_table() -> None:
    table = np.array([[6.0, 3.0, 1.0], [2.0, 8.0, 4.0], [0.0, 1.0, 5.0]])
    shares = table.sum(axis=0) / table.sum()
    assert sum(naive.branch_fit(b, shares)[0] for b in table) == pytest.approx(naive.chi_square(table)[0])
    assert naive.branch_fit(table[0], shares)[1] == 2


def test_w001_15_the_split_test_at_the_root_of_the_loan_table() -> None:
    rows = load("loan")
    own = np.array([value == "true" for value in map(str, rows.column("Own_house"))])
    own = own | np.array([value is True for value in rows.column("Own_house").tolist()])
    labels = rows.label_values()
    table = np.array([[np.sum(labels[side] == c) for c in ("Yes", "No")] for side in (own, ~own)])
    assert table.tolist() == [[6, 0], [3, 6]]
    t, df = naive.branch_fit(table[0], np.array([0.6, 0.4]))
    assert t == pytest.approx(4.0) and df == 1
    assert naive.chance_of(t, df) == pytest.approx(0.0455002639, abs=1e-10)
    assert worth.critical_values(0.05, 1)[1] == pytest.approx(3.8414588207, abs=1e-10)
    assert naive.branch_fit(table[1], np.array([0.6, 0.4]))[0] == pytest.approx(2.6666666667)
    total, df = naive.chi_square(table)
    assert total == pytest.approx(6.6666666667) and df == 1
    assert naive.chance_of(total, df) == pytest.approx(0.0098232745, abs=1e-10)
    assert naive.is_significant(table, 0.05) and not naive.is_significant(table, 0.001)


def test_no_split_is_significant_at_level_zero_and_each_at_one() -> None:
    table = np.array([[9.0, 0.0], [0.0, 9.0]])
    assert not naive.is_significant(table, 0.0) and naive.is_significant(table, 1.0)


def test_a_message_tells_which_of_all_labellings_it_is() -> None:
    # 3 rows, 2 classes: 4 mixtures are as likely as each other, and 3 orders have one row of the first class
    assert worth.class_bits(np.array([1.0, 2.0])) == pytest.approx(math.log2(4 * 3))
    assert worth.class_bits(np.zeros((2, 4))).tolist() == [0.0, 0.0]
    assert worth.class_bits(np.array([5.0, 0.0])) == pytest.approx(math.log2(6))


def test_tests_cost_the_choice_they_are() -> None:
    how = {"inputs": 8, "cuts": 0, "levels": 0, "ordered": False, "multiway": False}
    assert naive.bits_of_test(17.0, **{**how, "cuts": 1}) == pytest.approx(1 + 3 + 4)
    assert naive.bits_of_test(5.0, **{**how, "cuts": 2}) == pytest.approx(1 + 3 + math.log2(6))
    assert naive.bits_of_test(17.0, **{**how, "levels": 4}) == pytest.approx(1 + 3 + math.log2(7))
    assert naive.bits_of_test(17.0, **{**how, "levels": 2000}) == pytest.approx(1 + 3 + 1999)
    assert naive.bits_of_test(17.0, **{**how, "levels": 5, "ordered": True}) == pytest.approx(1 + 3 + 2)
    assert naive.bits_of_test(17.0, **{**how, "levels": 4, "multiway": True}) == pytest.approx(1 + 3)


@given(cases(), st.sampled_from(["significance", "mdl"]), st.sampled_from([0.01, 0.2]))
def test_stopping_is_growing_no_further(case: Case, rule: str, level: float) -> None:
    tree = case.tree()
    how = replace(case.how, stop=rule, significance=level)
    truth = replace(case, how=how).tree()
    made = stop_early(
        tree,
        rule,
        case.schema,
        significance=level,
        multiway=how.split == "multiway",  # type: ignore[arg-type]
    )
    assert same(made, truth) is None
    assert stop_early(tree, None, case.schema) is tree
