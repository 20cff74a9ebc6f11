"""Conditions, rules and lists of rules."""

from __future__ import annotations

import json
import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acumen.conditions.condition import Condition
from acumen.errors import DataError, ParameterError
from acumen.rulelist.rule_list import Rule, RuleList
from tables import loan, table_of

NAN = math.nan


def mixed() -> Any:
    """One column of each kind, each with a missing value."""
    return table_of(
        {
            "size": [1.0, 2.0, 3.0, NAN],
            "colour": ["red", "blue", None, "green"],
            "grade": ["low", "high", "middle", None],
            "note": ["An offer", "no OFFERS here", None, ""],
        },
        levels={"colour": ("red", "blue"), "grade": ("low", "middle", "high")},
        ordered=("grade",),
        text=("note",),
    )


@pytest.mark.parametrize(
    ("condition", "rows", "words"),
    [
        (Condition("size", "<=", 2.0), [0, 1], "size <= 2"),
        (Condition("size", ">", 1.5), [1, 2], "size > 1.5"),
        (Condition("size", "between", (1, 2)), [1], "1 < size <= 2"),
        (Condition("size", "=", 3), [2], "size = 3"),
        (Condition("size", "!=", 3), [0, 1], "size != 3"),
        (Condition("size", "in", (1, 3)), [0, 2], "size in {1, 3}"),
        (Condition("size", "not in", (1, 3)), [1], "size not in {1, 3}"),
        (Condition("size", "missing"), [3], "size is missing"),
        (Condition("size", "known"), [0, 1, 2], "size is known"),
        (Condition("colour", "=", "red"), [0], "colour = red"),
        (Condition("colour", "=", "green"), [], "colour = green"),
        (Condition("colour", "!=", "red"), [1, 3], "colour != red"),
        (Condition("colour", "in", ["red", "blue"]), [0, 1], "colour in {red, blue}"),
        (Condition("colour", "not in", ["blue"]), [0, 3], "colour not in {blue}"),
        (Condition("colour", "missing"), [2], "colour is missing"),
        (Condition("colour", "known"), [0, 1, 3], "colour is known"),
        (Condition("grade", "<=", "middle"), [0, 2], "grade <= middle"),
        (Condition("grade", ">", "low"), [1, 2], "grade > low"),
        (Condition("grade", "between", ("low", "middle")), [2], "low < grade <= middle"),
        (Condition("note", "has", "offer"), [0], "note has 'offer'"),
        (Condition("note", "missing"), [2], "note is missing"),
        (Condition("note", "known"), [0, 1, 3], "note is known"),
    ],
)
def test_a_condition_holds_where_it_says(condition: Condition, rows: list[int], words: str) -> None:
    assert np.flatnonzero(condition.holds(mixed())).tolist() == rows
    assert str(condition) == words
    assert pickle.loads(pickle.dumps(condition)) == condition
    json.dumps(condition.to_dict())


def test_a_condition_reads_a_sparse_column() -> None:
    from scipy.sparse import csr_matrix

    dense = table_of({"a": [0.0, 1.0, 0.0], "b": [5.0, 0.0, NAN]})
    sparse = type(dense)(dense.schema, 3, sparse=csr_matrix(np.array([[0.0, 5], [1, 0], [0, NAN]])))
    for condition in (Condition("b", "<=", 2), Condition("a", ">", 0), Condition("b", "missing")):
        assert np.array_equal(condition.holds(sparse), condition.holds(dense))


def test_numbers_are_shown_in_full_and_booleans_in_words() -> None:
    assert str(Condition("x", "<=", 0.1 + 0.2)) == "x <= 0.30000000000000004"
    assert str(Condition("x", "=", np.True_)) == "x = true"


@pytest.mark.parametrize(
    "made",
    [
        lambda: Condition("a", "like", "x"),  # type: ignore[arg-type]
        lambda: Condition("a", "missing", 3),
        lambda: Condition("a", "in", "abc"),
        lambda: Condition("a", "between", (2, 1)),
        lambda: Condition("a", "has", 3),
        lambda: Condition("a", "=", None),
    ],
)
def test_a_condition_that_makes_no_sense_is_refused(made: Any) -> None:
    with pytest.raises(ParameterError, match="Condition"):
        made()


@pytest.mark.parametrize(
    "condition",
    [
        Condition("colour", "<=", "red"),
        Condition("size", "has", "x"),
        Condition("note", "=", "x"),
        Condition("grade", "<=", "none such"),
        Condition("weight", "=", 1),
    ],
)
def test_a_condition_that_does_not_fit_the_table_says_so(condition: Condition) -> None:
    with pytest.raises(DataError, match=condition.attribute):
        condition.holds(mixed())


def test_w001_12_two_coins_have_three_outcomes_with_at_least_one_head() -> None:
    coins = table_of({"first": ["H", "H", "T", "T"], "second": ["H", "T", "H", "T"]})
    rules = [Rule((Condition(name, "=", "H"),), "yes") for name in ("first", "second")]
    said = RuleList(tuple(rules), "no", ordered=False).predict(coins)
    assert said.tolist() == ["yes", "yes", "yes", "no"]


def house() -> Rule:
    return Rule((Condition("Own_house", "=", "true"),), "Yes", {"No": 0, "Yes": 6}, 15)


def test_a_rule_says_its_support_and_confidence() -> None:
    rule = house()
    assert str(rule) == "if Own_house = true then Yes  (support 6/15, confidence 6/6)"
    assert (rule.support, rule.confidence, rule.covered_weight) == (6 / 15, 1.0, 6)
    covered = rule.covers(loan())
    assert covered.sum() == 6
    assert set(loan().label_values()[covered]) == {"Yes"}


def test_a_rule_without_rows_behind_it_has_no_confidence() -> None:
    assert math.isnan(Rule((), "a").confidence)
    assert str(Rule((), "a")) == "always a"


def test_several_conditions_must_all_hold() -> None:
    rule = Rule((Condition("Has_Job", "=", "false"), Condition("Own_house", "=", "false")), "No")
    assert rule.covers(loan()).sum() == 6
    assert str(rule) == "if Has_Job = false and Own_house = false then No"


def test_a_rule_list_reads_as_a_sequence_with_a_default() -> None:
    rules = RuleList((house(),), "No", ("No", "Yes"), default_counts={"No": 6, "Yes": 3})
    assert len(rules) == 1
    assert rules[0] == house()
    assert list(rules) == [house()]
    assert rules[:0].rules == ()
    assert str(rules).splitlines() == [
        "1. if Own_house = true then Yes  (support 6/15, confidence 6/6)",
        "   otherwise No  (confidence 6/9)",
    ]
    assert (rules.predict(loan()) == loan().label_values()).sum() == 12
    assert str(RuleList((), "No")) == "always No"
    assert json.loads(json.dumps(rules.to_dict()))["default"] == "No"


def test_html_is_escaped() -> None:
    rules = RuleList((Rule((Condition("<b>", "=", "&"),), "<i>"),), "<u>")
    shown = rules._repr_html_()
    assert "<b>" not in shown and "<i>" not in shown and "<u>" not in shown
    assert "&lt;b&gt; = &amp;" in shown


def test_a_label_outside_the_classes_is_refused() -> None:
    with pytest.raises(ParameterError, match="'maybe'"):
        RuleList((Rule((), "maybe"),), "no", ("no", "yes"))


@pytest.mark.parametrize(
    ("labels", "kind"), [((1, 2), "i"), ((True, False), "b"), ((1.5, 2.0), "f"), (("a", "b"), "U")]
)
def test_predicted_labels_keep_their_type(labels: tuple[Any, Any], kind: str) -> None:
    table = table_of({"x": [0.0, 1.0]})
    said = RuleList((Rule((Condition("x", "<=", 0.5),), labels[0]),), labels[1]).predict(table)
    assert said.tolist() == list(labels)
    assert said.dtype.kind == kind


def test_unordered_rules_vote_with_their_counts() -> None:
    table = table_of({"x": [1.0, 2.0, 3.0]})
    rules = RuleList(
        (
            Rule((Condition("x", "<=", 2.0),), "a", {"a": 3, "b": 1}, 10),
            Rule((Condition("x", ">", 1.0),), "b", {"a": 1, "b": 5}, 10),
            Rule((Condition("x", ">", 5.0),), "a", {"a": 9}, 10),
        ),
        "a",
        ordered=False,
    )
    assert rules.predict(table).tolist() == ["a", "b", "b"]


@st.composite
def rule_lists(draw: st.DrawFn) -> tuple[Any, RuleList]:
    rows = draw(st.integers(0, 8))
    values = draw(st.lists(st.sampled_from([0.0, 1.0, 2.0, NAN]), min_size=rows, max_size=rows))
    words = draw(st.lists(st.sampled_from(["p", "q", None]), min_size=rows, max_size=rows))
    table = table_of({"x": values, "w": words}, levels={"w": ("p", "q")})
    atom = st.one_of(
        st.builds(
            Condition, st.just("x"), st.sampled_from(["<=", ">", "=", "!="]), st.sampled_from([0.0, 1.0, 2.0])
        ),
        st.builds(Condition, st.just("w"), st.sampled_from(["=", "!="]), st.sampled_from(["p", "q"])),
        st.builds(Condition, st.sampled_from(["x", "w"]), st.sampled_from(["missing", "known"])),
    )
    rule = st.builds(Rule, st.lists(atom, max_size=3).map(tuple), st.sampled_from(["a", "b", "c"]))
    rules = draw(st.lists(rule, max_size=5))
    return table, RuleList(tuple(rules), draw(st.sampled_from(["a", "b", "c"])))


@given(rule_lists())
def test_an_ordered_list_says_what_the_first_covering_rule_says_else_the_default(
    case: tuple[Any, RuleList],
) -> None:
    table, rules = case
    said = rules.predict(table).tolist()
    for row, label in enumerate(said):
        one = table.take([row])
        expected = next((rule.label for rule in rules if rule.covers(one)[0]), rules.default)
        assert label == expected


@given(rule_lists())
def test_missing_values_fulfil_no_comparison(case: tuple[Any, RuleList]) -> None:
    table, rules = case
    for rule in rules:
        for condition in rule.conditions:
            missing = Condition(condition.attribute, "missing").holds(table)
            if condition.op != "missing":
                assert not (condition.holds(table) & missing).any()
