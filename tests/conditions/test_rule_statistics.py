"""Chances of rules: against SciPy, by hand, and by simulation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import false_discovery_control, fisher_exact, hypergeom

import acumen
from acumen.conditions.condition import Condition
from acumen.conditions.rule import Rule
from acumen.conditions.rule_statistics import (
    benjamini_hochberg,
    benjamini_yekutieli,
    fisher,
    fisher_p_values,
    judge_rules,
    productivity,
    rule_chance,
)
from acumen.errors import DataError, ParameterError
from tables import loan, table_of


def test_many_chances_at_once_are_those_of_one_after_another() -> None:
    random = np.random.default_rng(0)
    for whole in (1, 7, 30, 1500, 40_000, 3_000_000):
        body, head = random.integers(0, whole + 1, (2, 60))
        low, high = np.maximum(0, body + head - whole), np.minimum(body, head)
        mean = body * head / whole
        near = np.clip(np.rint(mean + random.normal(0, 3, 60) * np.sqrt(mean / 4 + 1)), low, high)
        right = np.where(random.random(60) < 0.5, near, random.integers(low, high + 1)).astype(np.int64)
        each = [fisher(*line) for line in zip(right, body, head, [whole] * 60, strict=True)]
        assert fisher_p_values(right, body, head, whole) == pytest.approx(each, rel=2e-8, abs=1e-300)
    with pytest.raises(DataError, match="do not go together"):
        fisher_p_values([3], [2], [4], 10)


def rule(label: str, table: Any = None, **values: str) -> Rule:
    body = tuple(Condition(name, "=", value) for name, value in values.items())
    return Rule.from_table(body, label, loan() if table is None else table)


@pytest.mark.parametrize(
    ("values", "p"),
    [
        ({"Own_house": "true"}, 0.0167832168),
        ({"Credit_Rating": "good"}, 0.1678321678),
        ({"Age": "young", "Has_Job": "true"}, 0.3428571429),
    ],
)
def test_the_known_chances_of_rules_of_the_second_table_of_loans(values: dict[str, str], p: float) -> None:
    assert rule_chance(rule("Yes", acumen.datasets.load("loan-b"), **values)) == pytest.approx(p, abs=1e-10)


def test_a_rule_that_is_always_right_may_be_what_chance_makes_one_time_in_three() -> None:
    made = rule("Yes", Age="young", Has_Job="true")
    assert made.confidence == 1.0
    assert rule_chance(made) == pytest.approx(math.comb(9, 2) / math.comb(15, 2))


@given(st.integers(1, 400), st.data())
@settings(deadline=None)
def test_fisher_is_scipys(total: int, data: Any) -> None:
    n, k = data.draw(st.integers(0, total)), data.draw(st.integers(0, total))
    a = data.draw(st.integers(max(0, n + k - total), min(n, k)))
    ours = fisher(a, n, k, total)
    assert ours == pytest.approx(hypergeom.sf(a - 1, total, k, n), rel=1e-9, abs=1e-12)
    table = [[a, n - a], [k - a, total - n - k + a]]
    assert ours == pytest.approx(fisher_exact(table, alternative="greater").pvalue, rel=1e-7, abs=1e-12)


@pytest.mark.parametrize(
    ("a", "n", "k", "total"),
    [
        (300, 1000, 200_000, 1_000_000),
        (52_000, 100_000, 500_000, 1_000_000),
        (5, 5, 9, 100_000),
        (0, 7, 9, 50_000),
    ],
)
def test_fisher_of_many_rows_is_scipys(a: int, n: int, k: int, total: int) -> None:
    assert fisher(a, n, k, total) == pytest.approx(hypergeom.sf(a - 1, total, k, n), rel=1e-6, abs=1e-300)


@pytest.mark.parametrize(
    "wrong", [(3, 2, 5, 9), (3, 4, 2, 9), (1, 10, 3, 9), (0, 6, 5, 9), (-1, 2, 2, 9), (0.5, 2, 2, 9)]
)
def test_counts_that_do_not_go_together_are_refused(wrong: tuple[float, float, float, float]) -> None:
    with pytest.raises(DataError, match="fisher"):
        fisher(*wrong)


def test_a_rule_without_its_heads_total_has_no_chance() -> None:
    with pytest.raises(ParameterError, match=r"Rule\.from_table"):
        rule_chance(Rule((), "Yes", {"Yes": 3}, 15))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_adjusted_p_values_are_scipys(p: list[float]) -> None:
    assert np.allclose(benjamini_hochberg(p), false_discovery_control(p, method="bh"))
    assert np.allclose(benjamini_yekutieli(p), false_discovery_control(p, method="by"))


def test_adjusted_p_values_by_hand() -> None:
    p = [0.01, 0.04, 0.03, math.nan, 0.5]
    made = benjamini_hochberg(p)
    assert np.allclose(made, [0.04, 4 * 0.04 / 3, 4 * 0.04 / 3, np.nan, 0.5], equal_nan=True)
    assert np.allclose(benjamini_yekutieli([0.01, 0.9]), [0.01 * 2 * 1.5, 1.0])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.integers(0, 30))
def test_tests_that_are_not_shown_count_as_ones_that_found_nothing(p: list[float], more: int) -> None:
    for adjust in (benjamini_hochberg, benjamini_yekutieli):
        whole = adjust([*p, *[1.0] * more])[: len(p)]
        assert np.allclose(adjust(p, len(p) + more), whole)
    with pytest.raises(ParameterError, match="n_tested"):
        benjamini_hochberg(p, len(p) - 1)
    with pytest.raises(DataError, match="from 0 to 1"):
        benjamini_hochberg([1.5])


def test_each_condition_is_tested_inside_the_rest_of_the_body() -> None:
    rows = loan()
    made = rule("Yes", Has_Job="true", Own_house="true")
    job, own = (Condition(n, "=", "true").holds(rows) for n in ("Has_Job", "Own_house"))
    yes = rows.label_values() == "Yes"

    def inside(rest: Any) -> float:
        both = job & own
        return fisher((both & yes).sum(), both.sum(), (rest & yes).sum(), rest.sum())

    assert productivity(made, rows) == pytest.approx((inside(own), inside(job)))
    single = rule("Yes", Own_house="true")
    assert productivity(single, rows) == pytest.approx((rule_chance(single),))
    (judged,) = judge_rules([made], rows)
    assert judged.productivity == max(judged.conditions) == 1.0  # who owns a house is sure without a job
    assert judged.needless == Condition("Has_Job", "=", "true")
    assert "productivity 1" in str(judged) and judged.to_dict()["p"] == judged.p
    assert judge_rules([Rule((), "Yes")], rows)[0].productivity == 1.0


def test_all_rules_tested_count() -> None:
    made = [rule("Yes", Own_house="true"), rule("No", Own_house="false", Has_Job="false")]
    few, many = (
        judge_rules(made, loan(), productive=False),
        judge_rules(made, loan(), n_tested=100, productive=False),
    )
    assert [m.adjusted for m in many] == pytest.approx(
        np.minimum(1, 50 * np.array([f.adjusted for f in few]))
    )
    careful, usual = judge_rules(made, loan(), control="yekutieli"), judge_rules(made, loan())
    assert all(y.adjusted >= h.adjusted for y, h in zip(careful, usual, strict=True))
    with pytest.raises(ParameterError, match="control"):
        judge_rules(made, loan(), control="none")  # type: ignore[arg-type]
    heavy = loan()
    heavy = type(heavy)(
        heavy.schema, 15, nominal=heavy.nominal, labels=heavy.labels, weights=np.full(15, 2.0)
    )
    with pytest.raises(DataError, match="weighted rows"):
        judge_rules(made, heavy)


def test_rules_between_items_are_tested_too() -> None:
    rng = np.random.default_rng(0)
    bread = rng.random(60) < 0.5
    butter = np.where(rng.random(60) < 0.8, bread, ~bread)
    baskets = table_of({"bread": bread.astype(float).tolist(), "butter": butter.astype(float).tolist()})
    made = Rule.from_table({"bread"}, {"butter"}, baskets)
    assert rule_chance(made) == pytest.approx(judge_rules([made], baskets)[0].p)
    both, first, second = (int(np.count_nonzero(x)) for x in (bread & butter, bread, butter))
    assert rule_chance(made) == pytest.approx(hypergeom.sf(both - 1, 60, second, first))


# -- by simulation --------------------------------------------------------------------------------


def simulated(rng: Any, n: int, true: int, null: int) -> tuple[Any, list[Rule]]:
    """Attributes of which `true` have to do with the class."""
    y = rng.random(n) < 0.4
    columns = {f"t{j}": np.where(y, rng.random(n) < 0.75, rng.random(n) < 0.35) for j in range(true)}
    columns |= {f"n{j}": rng.random(n) < 0.5 for j in range(null)}
    values = {name: np.where(column, "1", "0").tolist() for name, column in columns.items()}
    table = table_of(values, np.where(y, "yes", "no").tolist(), classes=("no", "yes"))
    return table, [Rule((Condition(name, "=", "1"),), "yes") for name in columns]


def test_chances_of_rules_without_meaning_are_not_small_too_often() -> None:
    rng = np.random.default_rng(0)
    found = []
    for _ in range(40):
        table, rules = simulated(rng, 60, 0, 25)
        found += [judged.p for judged in judge_rules(rules, table)]
    for level in (0.01, 0.05, 0.2):
        share = np.mean(np.array(found) <= level)
        assert share <= level + 3 * math.sqrt(level * (1 - level) / len(found))
    assert np.mean(np.array(found) <= 0.2) > 0.08  # exact tests of whole counts are careful, not blind


@pytest.mark.slow
@pytest.mark.parametrize("control", ["hochberg", "yekutieli"])
def test_of_rules_called_true_a_stated_share_is_false(control: Any) -> None:
    rng = np.random.default_rng(1)
    false, found, naive = [], [], []
    for _ in range(300):
        table, rules = simulated(rng, 120, 10, 90)
        judged = judge_rules(rules, table, control=control)
        called = [str(j.rule.conditions[0].attribute) for j in judged if j.adjusted <= 0.1]
        false.append(sum(name.startswith("n") for name in called) / max(len(called), 1))
        found.append(sum(name.startswith("t") for name in called))
        plain = [str(j.rule.conditions[0].attribute) for j in judged if j.p <= 0.1]
        naive.append(sum(name.startswith("n") for name in plain) / max(len(plain), 1))
    assert np.mean(false) <= 0.1 + 3 * np.std(false) / math.sqrt(len(false))
    assert np.mean(found) > 6  # of 10
    assert np.mean(naive) > 0.25  # what counting no tests would have let through


@pytest.mark.slow
def test_needless_conditions_are_called_productive_seldom() -> None:
    rng = np.random.default_rng(2)
    calls = []
    for _ in range(500):
        table, _ = simulated(rng, 150, 1, 1)
        both = Rule((Condition("t0", "=", "1"), Condition("n0", "=", "1")), "yes")
        calls.append(judge_rules([both], table)[0].productivity <= 0.05)
    assert np.mean(calls) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / len(calls))
