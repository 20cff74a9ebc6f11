"""Rows that hold items, against their definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import acumen
from acumen.errors import ParameterError

ITEMS = "abcd"
BASKETS = st.lists(st.sets(st.sampled_from(ITEMS)).map(sorted), min_size=1, max_size=12)
SOME = st.sets(st.sampled_from(ITEMS), max_size=3)


@given(BASKETS, SOME, SOME)
def test_rows_hold_all_of_some_items_and_not_all_of_others(baskets, items, without):
    known = set().union(*baskets)
    items, without = items & known, without & known
    naive = [
        at
        for at, basket in enumerate(baskets)
        if items <= set(basket) and not (without and without <= set(basket))
    ]
    assert acumen.rows_containing(baskets, items, without=without).tolist() == naive


def test_every_rule_is_right_of_its_count_and_wrong_of_the_rest():
    loan = acumen.datasets.load("loan")
    found = acumen.AssociationRules(min_support=0.2, min_confidence=0.6, top=40).fit(loan).rules_
    for at in range(len(found)):
        body, head = found.body(at), found.head(at)
        right, wrong = (
            acumen.rows_containing(loan, (*body, *head)),
            acumen.rows_containing(loan, body, without=head),
        )
        assert len(right) == found.counts[at]
        assert len(right) + len(wrong) == found.body_counts[at]
        assert not set(right) & set(wrong)


def test_a_heavy_row_is_there_once_and_a_row_without_weight_not_at_all(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,n\nx,1,3\ny,1,1\nx,2,0\nx,1,2\n")
    table = acumen.read(path, weight="n", kinds={"b": "nominal"})
    assert acumen.rows_containing(table, ["a=x"]).tolist() == [0, 3]
    assert acumen.frequent_itemsets(table, min_support=0.1).count_of(["a=x"]) == 5


def test_an_item_that_nothing_is_called_is_told():
    with pytest.raises(ParameterError, match=r"rows_containing: no item is called 'breed'.*bread"):
        acumen.rows_containing([["bread"], ["milk"]], ["breed"])


def test_intervals_are_found_by_the_names_that_the_miner_gives():
    iris = acumen.datasets.load("iris")
    found = acumen.frequent_itemsets(iris, discretise="equal-width", min_support=0.2, max_size=2)
    for each in found[:10]:
        rows = acumen.rows_containing(iris, each.items, discretise="equal-width")
        assert len(rows) == each.count
        assert (np.diff(rows) > 0).all()
