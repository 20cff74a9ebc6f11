"""A tree in words: lines, rules, the way of one row, importances."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import acumen
from acumen.conditions.condition import Condition
from acumen.conditions.pair import CombinedAttributes
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError
from acumen.trees.inputs import Input, Inputs
from acumen.trees.node_tests import Test as Split
from acumen.trees.reading.branches import tree_rules
from acumen.trees.reading.face import importances
from acumen.trees.reading.path import distribution, evidence, path_of, rows_at
from acumen.trees.reading.phrases import condition_words
from acumen.trees.reading.text import depth_that_fits, leaves_below, tree_description, tree_text
from tables import loan, table_of
from tree_cases import SCHEMA, Node, grid, loan_tree, predictor_of, shares_of, tree_of, trees


def numbers_tree(otherwise=-1):
    """x <= 1, then x <= 0.5 and colour below it."""
    schema = Schema(
        (Attribute("x"), Attribute("colour", "nominal", ("red", "green", "blue"))),
        Attribute("c", "nominal", ("a", "b")),
    )
    low = Node((3, 0), Split(0, cuts=(-1.0, 0.5)), (Node((1, 0)), Node((1, 0)), Node((1, 0))), otherwise)
    high = Node((1, 4), Split(1, branches=(0, 1, 0)), (Node((1, 1)), Node((0, 3))), otherwise)
    root = Node((4, 4), Split(0, cuts=(1.0,)), (low, high), otherwise)
    return tree_of(root, Inputs.of(schema)), schema


# -- lines ----------------------------------------------------------------------------------------


def test_w002_05_the_loan_tree_as_lines():
    tree, schema = loan_tree()
    assert tree_description(tree, shares_of(tree), schema) == (
        "A decision tree for Class, from 15 rows\n"
        "3 leaves, 5 nodes, depth 2; wrong on 0 of 15 training rows (0.0 %)\n"
        "Own_house = false\n"
        "|   Has_Job = false: No (6)\n"
        "|   Has_Job = true: Yes (3)\n"
        "Own_house = true: Yes (6)"
    )


def test_leaves_tell_their_weight_and_errors():
    tree, schema = numbers_tree()
    lines = tree_text(tree, shares_of(tree), schema).splitlines()
    assert lines == [
        "x <= 1",
        "|   x <= -1: a (1)",
        "|   -1 < x <= 0.5: a (1)",
        "|   x > 0.5: a (1)",
        "x > 1",
        "|   colour in {red, blue}: a (2/1)",
        "|   colour = green: b (3)",
    ]


def test_a_long_tree_is_cut_at_one_depth():
    tree, schema = numbers_tree()
    assert tree_text(tree, shares_of(tree), schema, max_depth=1).splitlines() == [
        "x <= 1: a (3) ... 3 leaves",
        "x > 1: b (5/1) ... 2 leaves",
    ]
    assert depth_that_fits(tree, 7) is None and depth_that_fits(tree, 6) == 1
    assert depth_that_fits(tree, 1) == 1  # never less than the root's own branches
    assert leaves_below(tree).tolist() == [5, 3, 2, 1, 1, 1, 1, 1]


def test_a_single_leaf_is_one_line():
    schema = loan().schema
    tree = tree_of(Node((6, 9)), Inputs.of(schema))
    assert tree_description(tree, shares_of(tree), schema).splitlines()[1:] == [
        "1 leaf, 1 node, depth 0; wrong on 6 of 15 training rows (40.0 %)",
        "Yes (15/6)",
    ]


def test_of_many_levels_the_first_are_named():
    many = Condition("x", "in", tuple(range(20)))
    assert condition_words(many) == "x in {0, 1, 2, 3, 4, 5, ... 14 more}"
    assert condition_words(Condition("x", "in", (1, 2))) == "x in {1, 2}"


def test_numbers_are_said_in_six_figures():
    assert condition_words(Condition("x", "<=", 1.462945697517362)) == "x <= 1.46295"
    assert condition_words(Condition("x", "between", (1 / 3, 2e9 / 3))) == "0.333333 < x <= 666667000"
    near = Condition("x", "between", (1.00000001, 1.00000002))
    assert condition_words(near) == str(near)
    assert str(Condition("x", ">", 2.5)) == condition_words(Condition("x", ">", 2.5)) == "x > 2.5"


# -- rules ----------------------------------------------------------------------------------------


def test_w002_06_the_rules_of_the_loan_tree_have_the_right_supports():
    tree, schema = loan_tree()
    rules = tree_rules(tree, shares_of(tree), schema)
    assert [(str(rule).split("  ")[0], rule.right, rule.total, rule.covered_weight) for rule in rules] == [
        ("if Own_house = false and Has_Job = false then No", 6, 15, 6),
        ("if Own_house = false and Has_Job = true then Yes", 3, 15, 3),
        ("if Own_house = true then Yes", 6, 15, 6),
    ]
    assert rules[0].support == 6 / 15 and rules[1].support == 3 / 15 and rules[2].confidence == 1.0
    assert rules.predict(loan()).tolist() == loan().label_values().tolist()


def test_conditions_are_merged_along_the_way():
    tree, schema = numbers_tree()
    rules = tree_rules(tree, shares_of(tree), schema)
    assert [" and ".join(map(str, rule.conditions)) for rule in rules] == [
        "x <= -1",
        "-1 < x <= 0.5",
        "0.5 < x <= 1",
        "x > 1 and colour in {red, blue}",
        "x > 1 and colour = green",
    ]
    assert [rule.counts for rule in rules][3] == {"a": 1.0, "b": 1.0}
    json.dumps(rules.to_dict())


def test_a_leaf_that_no_row_can_reach_is_no_rule():
    tree, schema = numbers_tree()
    below = Node((0, 1), Split(0, cuts=(5.0,)), (Node((0, 1)), Node((1, 0))))
    root = Node((1, 1), Split(0, cuts=(1.0,)), (below, Node((1, 0))))
    tree = tree_of(root, Inputs.of(schema))
    assert [str(r.conditions[0]) for r in tree_rules(tree, shares_of(tree), schema)] == ["x <= 1", "x > 1"]


def test_missing_values_words_and_pairs_have_conditions():
    inputs = Inputs(
        (Input("itself", 0), Input("word", 7, word="offer"), Input("both", 2, 5), Input("ratio", 0, 1))
    )
    word = Node((2, 2, 0), Split(1, branches=(0, 1)), (Node((2, 0, 0)), Node((0, 2, 0))))
    both = Node((3, 0, 3), Split(2, branches=(0, 1, 1, 1, -1, -1, -1, 1)), (Node((3, 0, 0)), Node((0, 0, 3))))
    ratio = Node((1, 1, 0), Split(3, cuts=(2.0,)), (Node((1, 0, 0)), Node((0, 1, 0))))
    root = Node((6, 3, 3), Split(0, cuts=(0.0,)), (word, both, ratio), otherwise=2)
    tree = tree_of(root, inputs)
    rules = tree_rules(tree, shares_of(tree), SCHEMA)
    x = SCHEMA.attributes[0].name
    assert [tuple(map(str, rule.conditions)) for rule in rules] == [
        (f"{x} <= 0", "note has not 'offer'"),
        (f"{x} <= 0", "note has 'offer'"),
        (f"{x} > 0", "colour = red", "truth = false"),
        (f"{x} > 0", "colour and truth in {(red, true), (o'blue, false), (o'blue, true), (, true)}"),
        (f"{x} is missing", f"{x} / größe <= 2"),
        (f"{x} is missing", f"{x} / größe > 2"),
    ]
    assert rules[3].to_dict()["conditions"][1]["attribute"] == {
        "form": "both",
        "first": "colour",
        "second": "truth",
    }


@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(trees(words=True, complete=True))
def test_rules_agree_with_the_tree_on_complete_rows(tree):
    rows = grid(tree, most=80)
    complete = np.ones(len(rows), dtype=bool)
    for column in tree.inputs.of_table(rows):
        complete &= ~np.isnan(column) if column.dtype.kind == "f" else column >= 0
    rows = rows.take(complete)
    shares = shares_of(tree)
    wanted = predictor_of(tree, SCHEMA).predict(rows)
    got = tree_rules(tree, shares, SCHEMA).predict(rows)
    assert got.tolist() == [SCHEMA.classes[c] for c in wanted]


# -- conditions on pairs --------------------------------------------------------------------------


def test_a_condition_on_a_pair_holds_where_it_says():
    table = table_of(
        {
            "a": [1.0, 4.0, 2.0, math.nan],
            "b": [2.0, 0.0, 1.0, 1.0],
            "c": ["x", "y", None, "x"],
            "d": ["u", "v", "u", "w"],
        },
        levels={"d": ("u", "v")},
    )
    ratio, both = CombinedAttributes("ratio", "a", "b"), CombinedAttributes("both", "c", "d")
    cases = {
        Condition(ratio, "<=", 1.0): [0],
        Condition(ratio, ">", 1.0): [2],
        Condition(ratio, "missing"): [1, 3],
        Condition(CombinedAttributes("product", "a", "b"), "=", 2): [0, 2],
        Condition(CombinedAttributes("difference", "a", "b"), "between", (-1, 2)): [2],
        Condition(both, "=", ("x", "u")): [0],
        Condition(both, "in", [("x", "u"), ("y", "v")]): [0, 1],
        Condition(both, "not in", [("x", "u")]): [1, 3],
        Condition(both, "missing"): [2],
    }
    for condition, rows in cases.items():
        assert np.flatnonzero(condition.holds(table)).tolist() == rows, str(condition)
    assert str(Condition(ratio, "<=", 1.0)) == "a / b <= 1"
    with pytest.raises(ParameterError, match="pairs of levels"):
        Condition(both, "=", "x")
    with pytest.raises(DataError, match="two numeric"):
        Condition(CombinedAttributes("ratio", "a", "c"), "<=", 1).holds(table)


def test_has_not_holds_for_texts_without_the_word():
    table = table_of({"t": ["an offer", "none", None]}, text=("t",))
    assert Condition("t", "has not", "offer").holds(table).tolist() == [False, True, False]


# -- the way of one row ---------------------------------------------------------------------------


def one(schema, **values):
    numeric = [np.array([values.get(a.name, math.nan)]) for a in schema.numeric]
    nominal = [
        np.array([a.levels.index(values[a.name]) if a.name in values else -1], dtype=np.int32)
        for a in schema.nominal
    ]
    return Table(Schema(schema.attributes), 1, numeric=numeric, nominal=nominal)


def test_the_way_of_a_whole_row_in_words():
    tree, schema = loan_tree()
    columns = tree.inputs.of_table(one(schema, Own_house="false", Has_Job="true"))
    path = path_of(tree, shares_of(tree), columns, schema)
    assert str(path) == (
        "all training rows  15 rows: 9 Yes, 6 No\n"
        "Own_house = false  9 rows: 6 No, 3 Yes\n"
        "Has_Job = true     3 rows: 3 Yes\n"
        "Yes with probability 1"
    )
    assert [step.node for step in path.steps] == [1, 4]
    json.dumps(path.to_dict())


def test_the_way_of_a_row_that_is_shared_out():
    tree, schema = loan_tree()
    columns = tree.inputs.of_table(one(schema, Has_Job="false"))
    path = path_of(tree, shares_of(tree), columns, schema)
    assert [step.condition for step in path.steps] == [
        "Own_house fits no branch: 60 % Own_house = false, 40 % Own_house = true"
    ]
    assert path.probabilities == pytest.approx((0.6, 0.4))


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"x": 2.0, "colour": "red"}, ["x > 1", "colour in {red, blue}"]),
        (
            {"colour": "green"},
            ["x is unknown, but colour = green, which mostly goes with x > 1", "colour = green"],
        ),
        ({"colour": "blue"}, ["x fits no branch and goes where most rows go: x <= 1"]),
    ],
)
def test_surrogates_and_the_rule_for_the_lost_are_told(values, words):
    _, schema = numbers_tree()
    high = Node((1, 4), Split(1, branches=(0, 1, 0)), (Node((1, 1)), Node((0, 3))), 0)
    stand_in = Split(1, branches=(0, 1, -1))
    root = Node((4, 4), Split(0, cuts=(1.0,)), (Node((3, 0)), high), 0, (stand_in,))
    tree = tree_of(root, Inputs.of(schema))
    path = path_of(tree, shares_of(tree), tree.inputs.of_table(one(schema, **values)), schema)
    assert [step.condition for step in path.steps] == words


def test_a_surrogate_that_is_turned_is_told_as_it_is():
    _, schema = numbers_tree()
    turned = Split(0, cuts=(1.0, 2.0), branches=(1, 0, 1))
    root = Node((4, 4), Split(1, branches=(0, 1, 0)), (Node((4, 0)), Node((0, 4))), 0, (turned,))
    tree = tree_of(root, Inputs.of(schema))
    words = []
    for x in (1.5, 5.0):
        path = path_of(tree, shares_of(tree), tree.inputs.of_table(one(schema, x=x)), schema)
        words.append(path.steps[0].condition)
    assert words == [
        "colour is unknown, but 1 < x <= 2, which mostly goes with colour in {red, blue}",
        "colour is unknown, but x <= 1 or x > 2, which mostly goes with colour = green",
    ]


@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(trees(words=True))
def test_the_evidence_adds_up_to_the_difference_of_scores(tree):
    # Shares that are never 0, as after Laplace's correction, so that every logarithm is a number.
    shares = (tree.counts + 1) / (tree.counts + 1).sum(axis=1, keepdims=True)
    rows = grid(tree, most=10)
    for row in range(0, len(rows), 7):
        columns = [c[row : row + 1] for c in tree.inputs.of_table(rows)]
        p = distribution(tree, shares, columns)
        told = evidence(tree, shares, columns, SCHEMA, 0, 2)
        assert math.fsum(e.log_odds for e in told) == pytest.approx(math.log(p[0] / p[2]), abs=1e-9)
        assert told[-1].confidence == pytest.approx(p[0])


def test_evidence_of_a_pure_leaf_is_beyond_all_bounds_once():
    tree, schema = loan_tree()
    columns = tree.inputs.of_table(one(schema, Own_house="true"))
    told = evidence(tree, shares_of(tree), columns, schema, 1, 0)
    assert [e.log_odds for e in told] == [pytest.approx(math.log(1.5)), math.inf]
    assert told[1].support == 6 and told[1].confidence == 1.0 and told[1].attribute == "Own_house"


def test_rows_come_to_the_nodes_that_the_path_says():
    tree, _ = loan_tree()
    table = loan()
    found = rows_at(tree, tree.inputs.of_table(table), len(table), {0, 1, 4})
    assert len(found[0]) == 15 and len(found[1]) == 9
    assert table.label_values()[found[4]].tolist() == ["Yes"] * 3


# -- importances ----------------------------------------------------------------------------------


def gini(counts):
    total, sums = counts.sum(), counts.sum(axis=1)
    whole = 1 - ((counts.sum(axis=0) / total) ** 2).sum()
    parts = [1 - ((c / c.sum()) ** 2).sum() for c in counts if c.sum() > 0]
    return whole - float(np.dot(sums[sums > 0] / total, parts))


def test_importances_are_scikit_learns_for_its_own_tree():
    from sklearn.tree import DecisionTreeClassifier

    random = np.random.default_rng(3)
    X = random.normal(size=(200, 4))
    y = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(int)
    fitted = DecisionTreeClassifier(random_state=0).fit(X, y)
    inner = fitted.tree_
    schema = Schema(tuple(Attribute(f"x{j}") for j in range(4)), Attribute("c", "nominal", (0, 1)))

    def node(i):
        counts = tuple((inner.value[i, 0] * inner.weighted_n_node_samples[i]).tolist())
        if inner.children_left[i] < 0:
            return Node(counts)
        split = Split(int(inner.feature[i]), cuts=(float(inner.threshold[i]),))
        return Node(counts, split, (node(inner.children_left[i]), node(inner.children_right[i])))

    tree = tree_of(node(0), Inputs.of(schema))
    np.testing.assert_allclose(importances(tree, schema, gini), fitted.feature_importances_, atol=1e-12)


def test_a_pair_shares_its_importance():
    schema = Schema((Attribute("a"), Attribute("b"), Attribute("c")), Attribute("y", "nominal", (0, 1)))
    inputs = Inputs((Input("itself", 2), Input("product", 0, 1)))
    tree = tree_of(Node((2, 2), Split(1, cuts=(1.0,)), (Node((2, 0)), Node((0, 2)))), inputs)
    assert importances(tree, schema, gini).tolist() == [0.5, 0.5, 0.0]
    leaf = tree_of(Node((2, 2)), inputs)
    assert importances(leaf, schema, gini).tolist() == [0.0, 0.0, 0.0]


def test_cuts_between_days_are_drawn_as_dates(tmp_path):
    path = tmp_path / "days.csv"
    days = [f"2020-01-{day:02}" for day in range(1, 31)]
    path.write_text("day,class\n" + "".join(f"{day},{'ab'[at > 14]}\n" for at, day in enumerate(days)))
    drawn = acumen.DecisionTree().fit(acumen.read(path, target="class")).figure()._repr_svg_()
    assert "≤ 2020-01-15" in drawn
    assert "18276" not in drawn
