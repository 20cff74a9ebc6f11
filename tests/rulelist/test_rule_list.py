"""Lists of rules as models: probabilities, evidence, arrays, JSON and back."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import acumen
from acumen.conditions.condition import Condition
from acumen.conditions.pair import CombinedAttributes
from acumen.errors import ModelFileError, ParameterError
from acumen.models.model import Model
from acumen.models.predictor import Predictor
from acumen.rulelist.arrays import ArrayRules
from acumen.rulelist.rule_list import Rule, RuleList
from conditions.test_rules import house, mixed, rule_lists
from tables import loan, table_of


def two_rules(**how: Any) -> RuleList:
    job = (Condition("Has_Job", "=", "true"), Condition("Own_house", "=", "false"))
    rules = (house(), Rule(job, "Yes", {"No": 0, "Yes": 3}, 15))
    return RuleList(rules, "No", ("No", "Yes"), default_counts={"No": 6, "Yes": 0}, **how)


def test_the_names_are_public() -> None:
    assert acumen.RuleList is RuleList and acumen.Rule is Rule and acumen.Condition is Condition
    assert acumen.Explanation.__name__ == "Explanation"
    assert issubclass(RuleList, Model)


def test_a_list_of_arrays_is_the_list_of_its_rules() -> None:
    rows = loan()
    own, job = Condition("Own_house", "=", "true"), Condition("Has_Job", "=", "true")
    idle = Condition("Has_Job", "=", "false")
    arrays = ArrayRules(
        (idle, own, job), np.array([0, 1, 3, 3]), np.array([1, 2, 1], np.int32), np.array([1, 0, 1], np.int32),
        np.array([[0.0, 6.0], [1.0, 3.0], [2.0, 5.0]]), ("No", "Yes"), 15.0, (6.0, 9.0),
    )  # fmt: skip
    lazy = RuleList(arrays, "No", ("No", "Yes"), default_counts={"No": 6, "Yes": 0})
    plain = RuleList(tuple(arrays), "No", ("No", "Yes"), default_counts={"No": 6, "Yes": 0})
    assert lazy == plain and plain == lazy and hash(lazy) == hash(plain) and len(lazy) == 3
    assert lazy[1] == plain[1] and lazy[-1] == plain[-1] and list(lazy[1:]) == list(plain[1:])
    assert [lazy.rules[i] for i in range(3)] == list(arrays) and str(lazy) == str(plain)
    assert lazy.n_parameters == plain.n_parameters and np.array_equal(lazy.proba(rows), plain.proba(rows))
    mine, theirs = lazy.to_arrays(), plain.to_arrays()
    assert all(np.array_equal(mine[k], theirs[k]) and mine[k].dtype == theirs[k].dtype for k in theirs)
    assert RuleList.from_arrays(mine, rows.schema) == lazy and RuleList.from_dict(lazy.to_dict()) == lazy
    turned = RuleList(arrays, "No", ("Yes", "No"))
    assert np.array_equal(
        turned.proba(rows)[:, ::-1], RuleList(tuple(arrays), "No", ("No", "Yes")).proba(rows)
    )


def test_probabilities_are_smoothed_counts() -> None:
    rows = loan()
    predictor = Predictor(rows.schema, two_rules())
    shares = predictor.proba(rows)
    own = Condition("Own_house", "=", "true").holds(rows)
    assert np.allclose(shares[own], [1 / 8, 7 / 8])
    assert np.allclose(shares[two_rules().deciding(rows) < 0], [7 / 8, 1 / 8])
    assert np.allclose(two_rules().proba(rows), shares)
    bare = Predictor(rows.schema, two_rules(smoothing=0.0)).proba(rows)
    assert np.array_equal(bare[own], [[0.0, 1.0]] * 6)
    assert predictor.labels(predictor.predict(rows)).tolist() == two_rules().predict(rows).tolist()


def test_a_class_without_rows_has_probability_zero() -> None:
    shares = RuleList((house(),), "No", ("No", "Yes", "Maybe")).proba(loan())
    assert not shares[:, 2].any() and np.allclose(shares.sum(axis=1), 1.0)


def test_what_a_rule_says_is_never_less_likely_than_another_class() -> None:
    rows = table_of({"x": [1.0, 2.0]})
    against = Rule((Condition("x", "<=", 1),), "b", {"a": 5, "b": 2}, 10)
    tied = Rule((Condition("x", ">", 1),), "b", {"a": 2, "b": 2}, 10)
    rules = RuleList((against, tied), "a", ("a", "b"))
    assert rules.predict(rows).tolist() == ["b", "b"]
    assert rules.scores(rows).argmax(axis=1).tolist() == [1, 1]
    shares = rules.proba(rows)
    assert shares.argmax(axis=1).tolist() == [1, 1] and np.allclose(shares, 0.5)


def test_rules_without_counts_have_probabilities_too() -> None:
    rows = table_of({"x": [1.0, 2.0]})
    shares = RuleList((Rule((Condition("x", "<=", 1),), "b"),), "a", ("a", "b")).proba(rows)
    assert np.allclose(shares, [[1 / 3, 2 / 3], [2 / 3, 1 / 3]])


def test_unordered_probabilities_are_smoothed_sums() -> None:
    rows = table_of({"x": [1.0, 2.0, 3.0]})
    rules = RuleList(
        (
            Rule((Condition("x", "<=", 2.0),), "a", {"a": 3, "b": 1}, 10),
            Rule((Condition("x", "between", (1.0, 2.0)),), "b", {"a": 1, "b": 5}, 10),
        ),
        "b",
        ordered=False,
        default_counts={"a": 1, "b": 3},
    )
    assert np.allclose(rules.proba(rows), [[4 / 6, 2 / 6], [5 / 12, 7 / 12], [2 / 6, 4 / 6]])
    assert rules.predict(rows).tolist() == ["a", "b", "b"]


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("smoothing", [1.0, 0.0])
def test_evidence_adds_up_to_the_difference_of_scores(ordered: bool, smoothing: float) -> None:
    rows = loan()
    rules = replace(two_rules(smoothing=smoothing), ordered=ordered)
    scores = rules.scores(rows)
    for at in range(len(rows)):
        row = rows.take([at])
        for winner in (0, 1):
            told = rules.evidence(row, rows.schema, winner, 1 - winner)
            with np.errstate(invalid="ignore"):
                apart = float(scores[at, winner] - scores[at, 1 - winner])
            assert math.fsum(e.log_odds for e in told) == pytest.approx(apart)


def test_an_explanation_names_the_rule_that_fired() -> None:
    rows = loan()
    predictor = Predictor(rows.schema, two_rules())
    fired = int(np.flatnonzero(two_rules().deciding(rows) == 0)[0])
    why = predictor.explain(rows.take([fired]))
    assert why.rule == house() and why.rules[0].place == 0
    assert "by rule 1: if Own_house = true then Yes" in str(why)
    assert why.evidence[-1].condition == house().body[0]
    made = json.loads(json.dumps(why.to_dict()))
    assert made["schema_version"] == 1
    assert made["rules"][0]["label"] == "Yes"
    assert {e["condition"]: e["test"] for e in made["evidence"]}["Own_house = true"]["op"] == "="
    none = predictor.explain(rows.take([int(np.flatnonzero(two_rules().deciding(rows) < 0)[0])]))
    assert none.rule is None and "No rule holds" in str(none)


# -- JSON and back --------------------------------------------------------------------------------


def every_condition() -> list[Condition]:
    return [
        Condition("size", "<=", 2.5), Condition("size", "between", (1, 2)), Condition("size", "in", (1.0, 3.0)),
        Condition("size", ">", -math.inf), Condition("colour", "=", "red"),
        Condition("colour", "not in", ("red", "pink")),
        Condition("grade", "<=", "middle"), Condition("note", "has", "offer"), Condition("note", "missing"),
        Condition(CombinedAttributes("both", "colour", "grade"), "in", (("red", "low"), ("blue", "high"))),
    ]  # fmt: skip


def test_conditions_come_back_from_json() -> None:
    for condition in every_condition():
        again = Condition.from_dict(json.loads(json.dumps(condition.to_dict())))
        assert again == condition and str(again) == str(condition)


@pytest.mark.parametrize(
    "wrong",
    [
        None, [], {}, {"attribute": 3, "op": "="}, {"attribute": "a", "op": "like", "value": 1},
        {"attribute": "a", "op": "=", "value": [1]}, {"attribute": "a", "op": ["="], "value": 1},
        {"attribute": {"form": "sum", "first": "a", "second": "b"}, "op": "=", "value": 1},
        {"attribute": {"form": ["both"], "first": "a", "second": "b"}, "op": "=", "value": 1},
        {"attribute": "a", "op": "=", "value": 1, "more": 2},
    ],
)  # fmt: skip
def test_what_is_no_condition_is_refused(wrong: Any) -> None:
    with pytest.raises(ParameterError):
        Condition.from_dict(wrong)


@given(rule_lists())
def test_lists_come_back_from_json_as_they_were(case: tuple[Any, RuleList]) -> None:
    table, rules = case
    again = RuleList.from_dict(json.loads(json.dumps(rules.to_dict())))
    assert again == rules and str(again) == str(rules)
    assert np.array_equal(again.scores(table), rules.scores(table))


def test_keys_of_the_json_stay() -> None:
    made = two_rules().to_dict()
    assert list(made) == ["ordered", "classes", "rules", "default", "default_counts"]
    assert list(made["rules"][0]) == ["conditions", "label", "counts", "total"]
    again = RuleList.from_dict({"rules": [{"conditions": [], "label": 1}], "default": 0, "smoothing": 2})
    assert again.smoothing == 2 and again.to_dict()["smoothing"] == 2


@pytest.mark.parametrize(
    "change",
    [
        {"rules": 3}, {"default": None}, {"ordered": 1}, {"classes": "ab"}, {"classes": [[1]]}, {"smoothing": -1},
        {"smoothing": math.inf}, {"default_counts": [["No"]]}, {"default_counts": [["No", -1]]}, {"extra": 1},
        {"default_counts": [["No", 1], ["No", 2]]}, {"rules": [{"label": "No"}]}, {"classes": ["No"]},
        {"rules": [{"conditions": [], "label": None}]}, {"rules": [{"conditions": [], "label": "No", "total": "x"}]},
        {"rules": [{"conditions": [], "head_items": ["a"]}]}, {"rules": [{"conditions": 3, "label": "No"}]},
        {"rules": [{"conditions": [], "label": "No", "head_items": ["a"]}]}, {"rules": [None]},
    ],
)  # fmt: skip
def test_what_is_no_list_is_refused_in_a_sentence(change: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=r"\.$"):
        RuleList.from_dict({**two_rules().to_dict(), **change})


# -- arrays ---------------------------------------------------------------------------------------


def test_arrays_hold_every_kind_of_condition() -> None:
    rows = mixed()
    schema = type(rows.schema)(rows.schema.attributes, acumen.Attribute("y", "nominal", ("a", "b")))
    rules = tuple(
        Rule((c,), "ab"[i % 2], {"a": i}, 9, 4.0 if i % 3 else None) for i, c in enumerate(every_condition())
    )
    for ordered in (True, False):
        made = RuleList(rules, "b", ("a", "b"), ordered, {"a": 0.5}, 0.25)
        again = RuleList.from_arrays(made.to_arrays(), schema)
        assert again == made
        assert np.array_equal(again.scores(rows), made.scores(rows))


def test_forged_arrays_are_refused() -> None:
    schema, good = loan().schema, two_rules().to_arrays()
    assert RuleList.from_arrays(good, schema) == two_rules()

    def text(made: Any) -> Any:
        return np.frombuffer((made if isinstance(made, str) else json.dumps(made)).encode(), dtype=np.uint8)

    own = {"attribute": "Own_house", "op": "=", "value": "true"}
    forged: list[dict[str, Any]] = [
        {"body_at": np.array([0, 5, 3], dtype=np.int32)},
        {"body_at": np.array([0, 2, 1], dtype=np.int32)},
        {"body_at": np.array([1, 1, 3], dtype=np.int32)},
        {"body_at": np.array([0, 1], dtype=np.int32)},
        {"body": np.array([0, 1, 9], dtype=np.int32)},
        {"body": np.array([0, -1, 1], dtype=np.int32)},
        {"head": np.array([0, 1, 2], dtype=np.int32)},
        {"head": np.empty(0, dtype=np.int32)},
        {"counts": np.full((3, 2), np.nan)},
        {"counts": np.full((3, 2), -1.0)},
        {"counted": np.zeros((3, 2), dtype=np.bool_)},
        {"total": np.array([1.0])},
        {"head_total": np.array([1.0, -0.5])},
        {"form": np.array([2], dtype=np.uint8)},
        {"smoothing": np.array([np.inf])},
        {"conditions": text("[")},
        {"conditions": text({})},
        {"conditions": text("[" * 100_000)},
        {"conditions": text([own, {"attribute": "nobody", "op": "=", "value": "x"}])},
        {"conditions": text([own, {"attribute": "Has_Job", "op": "<=", "value": "true"}])},
        {"conditions": text([own, {"attribute": "Has_Job", "op": "has", "value": "true"}])},
        {"conditions": text([own, {"attribute": schema.target.name, "op": "=", "value": "Yes"}])},
        {"conditions": text([own, None])},
        {"conditions": text([own])},
        {"more": np.array([1.0])},
    ]
    for change in forged:
        with pytest.raises(ModelFileError):
            RuleList.from_arrays({**good, **change}, schema)
    for name in good:
        with pytest.raises(ModelFileError):
            RuleList.from_arrays({k: v for k, v in good.items() if k != name}, schema)


def test_a_number_that_fits_no_column_is_refused() -> None:
    rows = mixed()
    for value in ("x", 10**400):
        assert "does not fit" in (Condition("size", "<=", value).objection(rows.schema) or "")
    for condition in every_condition():
        assert condition.objection(rows.schema) is None
        condition.holds(rows)


# -- many rows and rules --------------------------------------------------------------------------


@given(st.integers(0, 200), st.integers(0, 40), st.integers(0, 2**32 - 1))
def test_bits_say_what_rules_one_by_one_say(n: int, k: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = table_of({"x": rng.normal(size=n).tolist(), "w": rng.choice(["p", "q", "r"], n).tolist()},
                     levels={"w": ("p", "q", "r")}, text=())  # fmt: skip
    rules = []
    for _ in range(k):
        low = float(rng.normal())
        body = [
            Condition("x", ">", low),
            Condition("x", "<=", low + 1),
            Condition("w", "=", str(rng.choice(["p", "q"]))),
        ]
        rules.append(
            Rule(tuple(body[: rng.integers(1, 4)]), str(rng.choice(["a", "b"])), {"a": 1.0 + k, "b": 2.0})
        )
    for ordered in (True, False):
        made = RuleList(tuple(rules), "a", ("a", "b"), ordered)
        covers = np.array([rule.covers(table) for rule in rules]).reshape(k, n)
        first = np.where(covers.any(axis=0), covers.argmax(axis=0), -1) if k else np.full(n, -1)
        assert np.array_equal(made.deciding(table), first)
        if ordered:
            assert made.predict(table).tolist() == [rules[i].label if i >= 0 else "a" for i in first]
        else:
            votes = sum((np.outer(c, [1.0 + k, 2.0]) for c in covers), np.zeros((n, 2)))
            expected = np.where(votes.any(axis=1), votes.argmax(axis=1), 0)
            assert made.predict(table).tolist() == [("a", "b")[c] for c in expected]


def test_blocks_of_rows_join_up(monkeypatch: pytest.MonkeyPatch) -> None:
    from acumen.conditions import coverage

    rows = loan()
    whole = two_rules().scores(rows), two_rules().deciding(rows)
    monkeypatch.setattr(coverage, "ROWS", 4)
    assert np.array_equal(two_rules().scores(rows), whole[0]) and np.array_equal(
        two_rules().deciding(rows), whole[1]
    )
    unordered = replace(two_rules(), ordered=False)
    assert np.array_equal(
        unordered.scores(rows),
        RuleList(two_rules().rules, "No", ("No", "Yes"), False, {"No": 6}).scores(rows),
    )


# -- other heads ----------------------------------------------------------------------------------


def baskets() -> Any:
    return table_of({"bread": [1.0, 1, 1, 0, 1], "butter": [1.0, 1, 0, 0, 0], "milk": [1.0, 0, 1, 1, 0]})


def test_a_head_may_be_items_with_lift_leverage_and_conviction_by_hand() -> None:
    rule = Rule.from_table({"bread"}, {"butter", "milk"}, baskets())
    assert rule.counts == {True: 1.0, False: 3.0} and rule.total == 5 and rule.head_total == 1
    assert (rule.support, rule.confidence) == (1 / 5, 1 / 4)
    assert rule.lift == pytest.approx((1 / 4) / (1 / 5))
    assert rule.leverage == pytest.approx(1 / 5 - 4 / 5 * 1 / 5)
    assert rule.conviction == pytest.approx((1 - 1 / 5) / (1 - 1 / 4))
    assert str(rule) == "if bread then butter, milk  (support 1/5, confidence 1/4)"
    again = Rule.from_dict(json.loads(json.dumps(rule.to_dict())))
    assert again == rule
    with pytest.raises(ParameterError, match="no label"):
        _ = rule.label


def test_a_head_may_be_conditions() -> None:
    rule = Rule.from_table((Condition("bread", ">", 0),), Condition("milk", "=", 0), baskets())
    assert rule.counts == {True: 2.0, False: 2.0} and rule.head_total == 2
    assert str(rule).startswith("if bread > 0 then milk = 0  (")
    assert Rule.from_dict(json.loads(json.dumps(rule.to_dict()))) == rule


def test_a_rule_for_a_class_is_counted_by_class() -> None:
    rule = Rule.from_table((Condition("Own_house", "=", "true"),), "Yes", loan())
    assert rule.counts == {"No": 0, "Yes": 6} and rule.total == 15 and rule.head_total == 9
    assert rule.lift == pytest.approx(15 / 9)


def test_a_list_takes_rules_for_classes_only() -> None:
    with pytest.raises(ParameterError, match="must be a class"):
        RuleList((Rule((), {"milk"}),), "a")
    with pytest.raises(ParameterError, match="smoothing"):
        RuleList((), "a", smoothing=-1.0)
    with pytest.raises(ParameterError, match="items are names"):
        Rule({1, 2}, "a")
    with pytest.raises(ParameterError, match="body must be conditions"):
        Rule("ab", "a")
    with pytest.raises(ParameterError, match="empty"):
        Rule((), ())
