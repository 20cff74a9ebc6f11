"""Lists as texts and back, changed by hand, and what they say of a row."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import acumen
from acumen import Condition, Rule, RuleList
from acumen.conditions.implied import covers_all_of, drop_implied, implies, is_impossible
from acumen.errors import ParameterError

LOAN = acumen.datasets.load("loan")
IRIS = acumen.datasets.load("iris")


def test_the_issues_text_is_a_classifier():
    rules = RuleList.parse("if Own_house = true then Yes; otherwise No", LOAN.schema)
    assert str(rules) == "1. if Own_house = true then Yes\n   otherwise No"
    assert acumen.RuleClassifier(rules).fit(LOAN).score(LOAN) == 12 / 15


@pytest.mark.parametrize(
    "learner", [acumen.Ripper(random_state=1), acumen.CN2(), acumen.C45Rules(), acumen.OneR()]
)
@pytest.mark.parametrize("table", [LOAN, IRIS], ids=["loan", "iris"])
def test_what_is_printed_is_read_back(learner, table):
    rules = learner.fit(table).to_rules()
    back = RuleList.parse(str(rules), table.schema)
    assert [(r.body, r.head) for r in back] == [(r.body, r.head) for r in rules]
    assert back.default == rules.default
    again = back.recount(table)
    assert str(again) == str(RuleList(rules.rules, rules.default, rules.classes).recount(table))
    assert RuleList.from_dict(json.loads(json.dumps(rules.to_dict()))).rules == rules.rules


@pytest.mark.parametrize(
    ("text", "said", "at"),
    [
        ("if Own_hose = true then Yes", "no attribute 'Own_hose'. Did you mean 'Own_house'?", 3),
        ("if Own_house = yes then Yes", "'yes' is not a level of 'Own_house'", 15),
        ("if Own_house = true then Perhaps", "'Perhaps' is not a class", 25),
        ("if Own_house = true or Has_Job = true then Yes", "'or' is not supported; write two rules", 20),
        ("if", "expected an attribute here", 2),
        ("if Age = young and then Yes", "expected an attribute here", 19),
        ("if Age = young then", "expected a class here", 19),
        ("if Age =", "expected a level of 'Age' here", 8),
        ("if AGE = young then Yes", "no attribute 'AGE'. Did you mean 'Age'?", 3),
        ("if Age > young then Yes", "levels of 'Age' have no order", 7),
        ("Own_house = true then Yes", "a rule must begin with 'if'", 0),
        ("if Age in {young, middle then Yes", "expected ',' or '}' here", 25),
        ("if Own_house = true then Yes then No", "a rule must end with ';' or at the end of its line", 29),
    ],
)
def test_errors_point_at_the_word(text, said, at):
    with pytest.raises(ParameterError) as raised:
        RuleList.parse(text, LOAN.schema)
    first, shown, arrow = str(raised.value).split("\n")
    assert said in first and f"(character {at + 1})" in first
    assert shown == f"  {text}" and arrow.index("^") == at + 2
    word = text[at:].split(" ")[0]
    assert arrow.count("^") == max(len(word), 1)


def test_numbers_may_be_compared_in_every_way():
    text = "if petal_length >= 5 and 0.5 < petal_width <= 1 then Iris-setosa\nif sepal_width < 3 then Iris-virginica"
    first, second = RuleList.parse(text, IRIS.schema, default="Iris-setosa")
    values = np.array(IRIS.column("petal_length"), dtype=float)
    assert (first.conditions[0].holds(IRIS) == (values >= 5)).all()
    assert first.conditions[1] == Condition("petal_width", "between", (0.5, 1.0))
    assert (second.conditions[0].holds(IRIS) == (np.array(IRIS.column("sepal_width"), dtype=float) < 3)).all()


def test_intervals_may_have_either_end_open_or_closed():
    text = "if 1.4 <= petal_length < 1.5 then Iris-setosa; if petal_width == 0.2 then Iris-virginica"
    first, second = RuleList.parse(text, IRIS.schema)
    values = np.array(IRIS.column("petal_length"), dtype=float)
    assert (first.conditions[0].holds(IRIS) == ((values >= 1.4) & (values < 1.5))).all()
    assert second.conditions == (Condition("petal_width", "=", 0.2),)


def test_levels_in_order_are_read_between_two_others():
    size = pd.Categorical([*"abcde"] * 5, categories=[*"abcde"], ordered=True)
    table = acumen.read(pd.DataFrame({"size": size, "y": ["no", "yes", "yes", "no", "no"] * 5}), target="y")
    rules = acumen.Ripper(prune_fraction=0).fit(table).to_rules()
    assert str(rules[0]).startswith("if a < size <= c then yes")
    assert RuleList.parse(str(rules), table.schema)[0].body == rules[0].body
    with pytest.raises(ParameterError, match="the first level must come before the second"):
        RuleList.parse("if c < size <= a then yes", table.schema)


ODD = [
    "then",
    "and",
    "a, b",
    "{c}",
    "it's",
    'say "x"',
    "x;y",
    "l1\nl2",
    "",
    " x",
    "'q'\"r\"",
    "yes otherwise no",
]


@pytest.mark.parametrize("odd", ODD)
def test_odd_names_are_read_back_as_they_are_printed(odd):
    frame = pd.DataFrame({odd or "empty": [odd, "u"] * 6, "y": [odd, "no"] * 6})
    table = acumen.read(frame, target="y")
    name = table.schema.names[0]
    rules = RuleList(
        (Rule((Condition(name, "in", (odd, "u")), Condition(name, "=", odd)), odd), Rule((), "no")),
        odd,
        table.schema.classes,
    ).recount(table)
    for made in (rules, rules.without(0), rules.without(0).without(0)):
        back = RuleList.parse(str(made), table.schema)
        assert [(r.body, r.head) for r in back] == [(r.body, r.head) for r in made]
        assert back.default == made.default


def test_rules_are_read_for_a_schema_alone():
    with pytest.raises(ParameterError, match=r"such as table\.schema; got Table"):
        RuleList.parse("if Age = young then Yes", LOAN)


# -- editing


def listed():
    return acumen.C45Rules().fit(LOAN).to_rules()


def test_every_change_gives_a_new_list_that_remembers_it():
    old = listed()
    before = str(old)
    rule = Rule((Condition("Age", "=", "old"),), "Yes")
    assert [str(r.conditions[0]) for r in old.move_rule(2, 0)] == [
        "Has_Job = true",
        "Own_house = false",
        "Own_house = true",
    ]
    assert old.without(np.int64(1)).rules == old.without(1).rules
    assert len(old.without(-1)) == 2 and old.without(-1).edits[0].startswith("removed rule 3")
    assert old.replace_rule(1, rule)[1].conditions == rule.conditions
    assert old.insert_rule(3, rule)[3].conditions == rule.conditions
    assert str(old) == before and old.edits == ()
    assert len(old.without(0).move_rule(0, 1).edits) == 2
    for wrong in (lambda: old.without(3), lambda: old.move_rule(0, 5), lambda: old.insert_rule(5, rule)):
        with pytest.raises(ParameterError, match="counted from 0"):
            wrong()


def test_counts_that_a_change_makes_untrue_are_left_out():
    old = listed()
    changed = old.without(1)
    assert changed[0].counts == old[0].counts and changed[1].counts == {}
    moved = old.move_rule(0, 1)
    assert moved[0].counts == moved[1].counts == {} and moved[2].counts == old[2].counts
    assert changed.recount(LOAN)[1].counts == {"No": 0.0, "Yes": 5.0}


def test_an_edited_list_is_marked_in_its_file(tmp_path):
    edited = listed().without(2)
    made = acumen.RuleClassifier(edited).fit(LOAN)
    acumen.save(made, tmp_path / "n.acm")
    back = acumen.load(tmp_path / "n.acm")
    assert back.to_rules().edits == edited.edits and back.rules == edited
    assert "Edited: removed rule 3" in back.describe()
    assert (back.predict(LOAN) == edited.predict(LOAN)).all()


NUMBERS = st.sampled_from([float(v) for v in range(5)])
CONDITIONS = st.one_of(
    st.builds(lambda v: Condition("a", "<=", v), NUMBERS),
    st.builds(lambda v: Condition("a", ">", v), NUMBERS),
    st.builds(lambda v, w: Condition("a", "between", (v, v + 1 + w)), NUMBERS, NUMBERS),
    st.sampled_from([Condition("a", "missing"), Condition("a", "known"), Condition("a", "=", 2.0)]),
    st.builds(lambda v: Condition("b", "=", v), st.sampled_from("xyz")),
    st.builds(lambda v: Condition("b", "!=", v), st.sampled_from("xyz")),
    st.builds(lambda v: Condition("b", "in", tuple(sorted(v))), st.sets(st.sampled_from("xyz"), min_size=1)),
)
_VALUES = [(a, b) for a in (None, -1.0, 0.0, 0.5, 1.0, 2.0, 2.5, 3.0, 4.0, 9.0) for b in "xyz"]
ROWS = acumen.read(
    pd.DataFrame({"a": [a for a, _ in _VALUES], "b": [b for _, b in _VALUES], "c": ["n", "p"] * 15}),
    target="c",
)


@given(st.lists(st.lists(CONDITIONS, min_size=1, max_size=4), min_size=1, max_size=4), st.data())
def test_simplified_lists_say_the_same_of_every_row(bodies, data):
    heads = [data.draw(st.sampled_from(["n", "p"])) for _ in bodies]
    rules = RuleList(tuple(map(Rule, map(tuple, bodies), heads)), "n", ("n", "p"))
    short = rules.simplify()
    assert (short.predict(ROWS) == rules.predict(ROWS)).all()
    assert sum(len(r.conditions) for r in short) <= sum(len(r.conditions) for r in rules)
    a, b = bodies[0][0], bodies[-1][-1]
    if implies(a, b):
        assert (a.holds(ROWS) <= b.holds(ROWS)).all()
    if is_impossible(tuple(bodies[0])):
        assert not Rule(tuple(bodies[0]), "n").covers(ROWS).any()
    assert (Rule(drop_implied(bodies[0]), "n").covers(ROWS) == Rule(tuple(bodies[0]), "n").covers(ROWS)).all()
    if covers_all_of(bodies[0], bodies[-1]):
        assert (Rule(tuple(bodies[-1]), "n").covers(ROWS) <= Rule(tuple(bodies[0]), "n").covers(ROWS)).all()


def test_simplifying_names_what_it_left_out():
    text = (
        "if petal_length <= 3 and petal_length <= 2 then Iris-setosa; if petal_length <= 1 then Iris-virginica; "
        "if petal_width <= 1 and petal_width > 2 then Iris-virginica; if petal_width > 2 then Iris-setosa; "
        "otherwise Iris-setosa"
    )
    made = RuleList.parse(text, IRIS.schema).simplify()
    assert str(made) == "always Iris-setosa"  # all that is left to the rules says what is said anyway
    assert made.edits == ("simplified: 4 rules and 6 conditions fewer",)


# -- reasons


def test_an_explanation_says_why_earlier_rules_did_not_answer():
    text = (
        "if petal_length <= 1.9 then Iris-setosa; if petal_length > 3 and petal_width <= 1.6 then Iris-versicolor; "
        "if petal_width > 1.7 then Iris-virginica; otherwise Iris-versicolor"
    )
    model = acumen.RuleClassifier(text).fit(IRIS)
    why = model.explain({"sepal_length": 6.0, "sepal_width": 3.0, "petal_length": 5.0, "petal_width": 1.8})
    assert why.label == "Iris-virginica" and why.otherwise == "Iris-versicolor"
    first, second = why.passed
    assert (str(first.failed), first.by, first.near) == ("petal_length <= 1.9", pytest.approx(3.1), True)
    assert (str(second.failed), second.by, second.near) == ("petal_width <= 1.6", pytest.approx(0.2), True)
    assert (
        "rule 2 (Iris-versicolor) fails at petal_width <= 1.6: it is 1.8, off by 0.2; all else holds"
        in str(why)
    )
    assert "without rule 3: Iris-versicolor" in str(why)
    assert json.loads(json.dumps(why.to_dict()))["passed"][1]["by"] == pytest.approx(0.2)
    none = model.explain({"petal_length": 2.5, "petal_width": 1.65})
    assert none.rule is None and none.otherwise is None and len(none.passed) == 3
    assert model.explain({"petal_length": None, "petal_width": 1.65}).passed[0].value is None


def test_rules_that_vote_say_what_is_left_without_the_first():
    model = acumen.CN2(ordered=False).fit(LOAN)
    why = model.explain({"Age": "old", "Has_Job": "false", "Own_house": "false", "Credit_Rating": "fair"})
    assert why.label == "No" and why.otherwise == "Yes"
    assert [str(each.failed) for each in why.passed] == ["Own_house = true"]


def test_a_list_is_drawn_as_a_ladder_with_bars():
    rules = acumen.Ripper(random_state=0).fit(IRIS).to_rules()
    drawn = rules.figure("Iris")._repr_svg_()
    assert drawn.count("<circle") == len(rules) + 1
    assert "otherwise" in drawn and "50/50" in drawn
    assert "not counted" in rules.without(0).figure()._repr_svg_()


# -- judging rows


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(CONDITIONS, max_size=3), max_size=5))
def test_the_first_rule_that_covers_a_row_answers(bodies):
    rules = [Rule(tuple(body), "p") for body in bodies]
    wanted = np.full(len(ROWS), -1)
    for at in reversed(range(len(rules))):
        wanted[rules[at].covers(ROWS)] = at
    assert (RuleList(tuple(rules), "n", ("n", "p")).deciding(ROWS) == wanted).all()


@pytest.mark.parametrize("order", ["C", "F"])
def test_rows_in_any_layout_and_number_are_answered_alike(order):
    rng = np.random.default_rng(0)
    values = np.asarray(rng.normal(size=(5_000, 3)), order=order)
    values[rng.random(values.shape) < 0.1] = np.nan
    table = acumen.read((values, rng.choice(["n", "p"], 5_000)))
    text = "if x0 > 1 and x1 <= 0 then p; if x2 is missing then n; if -0.5 < x1 <= 0.5 then p; if x0 <= -1 then n"
    rules = RuleList.parse(text, table.schema)
    for n in (1, 63, 64, 65, 1023, 1024, 1025, 5_000):
        some = table.take(slice(0, n))
        wanted = np.full(n, -1)
        for at in reversed(range(len(rules))):
            wanted[rules[at].covers(some)] = at
        assert (rules.deciding(some) == wanted).all()
