"""C4.5rules: shorter rules, fewer rules, in an order."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import acumen
from acumen.conditions.condition import Condition
from acumen.data.table import Table
from acumen.datasets import load
from acumen.rulelist.rule_list import RuleList
from acumen.trees.decision_list import _RuleSimplifier, decision_list, join_intervals, split_intervals
from acumen.trees.inputs import Inputs
from acumen.trees.reading.branches import tree_rules
from acumen.trees.rule_subset import RuleCandidates
from reference.tree import How, grow
from reference.tree_prune import add_errs


def rules_of(rows: Table, **how: object) -> RuleList:
    inputs = Inputs.of(rows.schema)
    assert rows.labels is not None
    tree = grow(
        inputs.of_table(rows),
        inputs,
        rows.schema,
        rows.labels.tolist(),
        rows.row_weights.tolist(),
        How(**how),  # type: ignore[arg-type]
    )
    return tree_rules(tree, tree.counts / np.maximum(tree.weight, 1e-300)[:, None], rows.schema)


def errors_of(rules: RuleList, rows: Table) -> float:
    return float(rows.row_weights[rules.predict(rows).astype(object) != rows.label_values()].sum())


TABLES = ["loan", "loan-b", "weather", "weather-nominal", "iris", "lens"]


@pytest.mark.parametrize("name", TABLES)
def test_the_list_tells_the_rows_that_come_to_each_rule(name: str) -> None:
    rows = load(name)
    made = decision_list(rules_of(rows), rows)
    assert made.ordered
    deciding = made.deciding(rows)
    for at, rule in enumerate(made):
        assert rule.covered_weight == pytest.approx(np.sum(deciding == at))
        assert rule.right == pytest.approx(np.sum((deciding == at) & (rows.label_values() == rule.label)))
    rest = sum(rule.covered_weight for rule in made) + math.fsum(made.default_counts.values())
    assert rest == pytest.approx(len(rows))
    labels = [rule.label for rule in made]
    assert len(list(itertools.groupby(labels))) == len(set(labels))  # rules of one class stand together


@pytest.mark.parametrize("name", TABLES)
def test_no_rule_can_go_without_more_training_errors(name: str) -> None:
    rows = load(name)
    made = decision_list(rules_of(rows, min_branch=1.0), rows)
    now = errors_of(made, rows)
    for at in range(len(made)):
        fewer = RuleList(made.rules[:at] + made.rules[at + 1 :], made.default, made.classes)
        assert errors_of(fewer, rows) >= now - 1e-9


def test_iris_needs_few_rules() -> None:
    rows = load("iris")
    tree = rules_of(rows)
    made = decision_list(tree, rows)
    assert len(made) <= len(tree)
    assert sum(len(rule.conditions) for rule in made) < sum(len(rule.conditions) for rule in tree)
    assert errors_of(made, rows) <= 6


def test_the_loan_list_is_the_trees_knowledge() -> None:
    rows = load("loan")
    made = decision_list(rules_of(rows), rows)
    assert errors_of(made, rows) == 0
    # of the five conditions of the tree's rules one says nothing new
    assert sorted(str(rule).partition("  (")[0] for rule in made) == [
        "if Has_Job = true then Yes",
        "if Own_house = false and Has_Job = false then No",
        "if Own_house = true then Yes",
    ]


@pytest.mark.parametrize("name", ["weather", "loan", "iris"])
def test_a_generalised_rule_has_no_better_neighbour(name: str) -> None:
    """The dropped conditions were each the best to drop, and none of those left may go."""
    rows = load(name)
    rules = rules_of(rows, min_branch=1.0)
    maker = _RuleSimplifier(rules, rows, 0.25)

    def rate(conditions: list[Condition], code: int) -> float:
        covered = (
            np.all([c.holds(rows) for c in conditions], axis=0) if conditions else np.ones(len(rows), bool)
        )
        n = float(covered.sum())
        wrong = float(np.sum(covered & (rows.labels != code)))
        return (wrong + add_errs(n, wrong, 0.25)) / n if n else 1.0

    for rule in rules:
        code = maker.place[rule.label]
        start = split_intervals(rule.conditions)
        left = start
        while left:
            tries = [rate(left[:i] + left[i + 1 :], code) for i in range(len(left))]
            if min(tries) > rate(left, code):
                break
            at = tries.index(min(tries))
            left = left[:at] + left[at + 1 :]
        kept, covered = maker.generalise(start, code)
        assert list(kept) == left
        assert np.array_equal(
            covered, np.all([c.holds(rows) for c in kept], axis=0) if kept else covered | True
        )


@st.composite
def candidates(draw: st.DrawFn, rules: int) -> RuleCandidates:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(1, 60))
    right = rng.random(n) < 0.4
    covers = [
        np.flatnonzero(rng.random(n) < np.where(right, rng.random(), 0.2 * rng.random()))
        for _ in range(rules)
    ]
    return RuleCandidates(covers, rng.random(rules) * 12, rng.choice([1.0, 2.0, 0.5], n), right)


@given(st.integers(1, 8).flatmap(candidates))
def test_of_few_rules_the_shortest_message_is_found(some: RuleCandidates) -> None:
    n = len(some.covers)
    lengths = [some.length(np.array(s)) for s in itertools.product((False, True), repeat=n)]
    assert some.length(some.best()) == pytest.approx(min(lengths))


@given(candidates(12))
def test_of_many_rules_none_can_be_added_or_taken_away(some: RuleCandidates) -> None:
    best = some.best()
    for j in range(len(best)):
        other = best.copy()
        other[j] = not other[j]
        assert some.length(other) >= some.length(best) - 1e-6


def test_intervals_come_apart_and_together() -> None:
    whole = (Condition("x", "between", (1.0, 2.0)), Condition("y", "=", "a"))
    assert [str(c) for c in split_intervals(whole)] == ["x > 1", "x <= 2", "y = a"]
    assert join_intervals(split_intervals(whole)) == whole
    assert join_intervals(split_intervals(whole)[1:]) == (Condition("x", "<=", 2.0), Condition("y", "=", "a"))


def test_weights_are_repeated_rows() -> None:
    rows = load("weather")
    twice = rows.take(np.repeat(np.arange(len(rows)), 2))
    made = decision_list(rules_of(twice), twice)
    weighted = Table(
        rows.schema,
        len(rows),
        numeric=rows.numeric,
        nominal=rows.nominal,
        labels=rows.labels,
        weights=np.full(len(rows), 2.0),
    )
    assert [str(r) for r in decision_list(rules_of(twice), weighted)] == [str(r) for r in made]


@pytest.mark.parametrize("seed", range(6))
def test_a_row_of_weight_two_counts_as_two_where_cuts_are_weighed_up(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = load("iris")
    times = rng.integers(1, 4, len(rows))
    heavy = acumen.C45Rules().fit(rows, sample_weight=times)
    repeated = acumen.C45Rules().fit(rows.take(np.repeat(np.arange(len(rows)), times)))
    assert str(heavy.to_rules()) == str(repeated.to_rules())
