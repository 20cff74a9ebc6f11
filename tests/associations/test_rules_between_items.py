"""Rules between items: known numbers, measures by hand, and what chance has to say."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import acumen
from acumen.associations.baskets import Baskets
from acumen.conditions.rule import Rule
from acumen.conditions.rule_statistics import fisher, judge_rules
from acumen.errors import ParameterError
from associations import brute

ROWS = st.lists(st.sets(st.sampled_from("abcde")), min_size=2, max_size=16)


@settings(max_examples=50, deadline=None)
@given(
    ROWS, st.sampled_from([0.1, 0.2, 0.4]), st.sampled_from([0.0, 0.5, 0.8]), st.sampled_from([1, "any", ["a", "b"]]),
    st.sampled_from([None, 1, 2]), st.booleans(),
)  # fmt: skip
def test_rules_are_those_of_trying_everything(rows, support, confidence, heads, most, several):
    if isinstance(heads, list):
        heads = [h for h in heads if any(h in row for row in rows)] or 1
    own = {"a": 0.05} if several and any("a" in row for row in rows) else None
    found = (
        acumen.AssociationRules(
            min_support=support, min_confidence=confidence, heads=heads, max_body=most, item_supports=own
        )
        .fit([list(r) for r in rows])
        .rules_
    )
    counts, n = brute.all_counts(rows), len(rows)
    family = brute.several_supports(rows, support, own or {})
    expected = {}
    for whole, both in family.items():
        for size in range(1, len(whole)):
            from itertools import combinations

            for head in combinations(sorted(whole), size):
                body = whole - set(head)
                if heads != "any" and (size > 1 or (heads != 1 and head[0] not in heads)):
                    continue
                if (most is None or len(body) <= most) and both / counts[body] >= confidence:
                    expected[body, frozenset(head)] = (both, counts[body], counts[frozenset(head)])
    got = {
        (frozenset(found.body(i)), frozenset(found.head(i))): tuple(
            int(v[i]) for v in (found.counts, found.body_counts, found.head_counts)
        )
        for i in range(len(found))
    }
    assert got == expected
    for both, of_body, of_head in got.values():
        assert fisher(both, of_body, of_head, n) <= 1
    redundant = {
        (b, h) for (b, h), (both, of_body, of_head) in expected.items()
        if any(
            (counts.get(p | h, 0) if p else of_head) * of_body >= both * (counts[p] if p else n)
            for p in brute_parts(b)
        )
    }  # fmt: skip
    mask = found.redundant()
    assert {key for key, bad in zip(got, mask.tolist(), strict=True) if bad} == redundant


def brute_parts(body):
    from itertools import combinations

    return [frozenset(p) for size in range(len(body)) for p in combinations(sorted(body), size)]


@pytest.mark.shared_data
def test_the_known_rules_of_the_groceries(shared_data):
    groceries = Baskets.of(shared_data / "baskets" / "groceries.csv")
    half = (
        acumen.AssociationRules(min_support=0.001, min_confidence=0.5, measures=["lift"])
        .fit(groceries)
        .rules_
    )
    assert np.bincount(half.body_sizes + 1)[2:].tolist() == [11, 1461, 3211, 939, 46]
    sure = (
        acumen.AssociationRules(min_support=0.001, min_confidence=0.8, measures=["lift"])
        .fit(groceries)
        .rules_
    )
    assert np.bincount(sure.body_sizes + 1)[3:].tolist() == [29, 229, 140, 12]
    assert int(sure.redundant().sum()) == 18
    kept = acumen.AssociationRules(min_support=0.001, min_confidence=0.8, measures=["lift"], redundant=False)
    assert len(kept.fit(groceries).rules_) == 392


def test_w001_30_confidences_of_the_second_loan_table():
    frame = acumen.datasets.load("loan").to_pandas()
    frame["Credit_Rating"] = frame["Credit_Rating"].astype(str)
    frame.loc[1, "Credit_Rating"], frame.loc[3, "Credit_Rating"] = "excellent", "good"
    table = acumen.read(frame, target="Class")
    found = (
        acumen.AssociationRules(min_support=0.1, min_confidence=0.0, heads="Class=Yes", max_body=2)
        .fit(table)
        .rules_
    )
    by = {found.body(i): i for i in range(len(found))}
    house, good = by["Own_house=true",], by["Credit_Rating=good",]
    young = by["Age=young", "Has_Job=true"]
    assert (found.counts[house], found.body_counts[house]) == (6, 6)
    assert (found.counts[good], found.body_counts[good]) == (5, 6)
    assert found["p"][[house, good, young]] == pytest.approx([0.0167832168, 0.1678321678, 0.3428571429])
    assert found["confidence"][young] == 1.0
    judged = judge_rules([Rule(found[young].body, "Yes")], table)[0]
    assert found["productivity"][young] == pytest.approx(judged.productivity)


def test_measures_by_hand():
    rows = [["a", "b"]] * 4 + [["a"]] * 1 + [["b"]] * 2 + [[]] * 3
    rules = acumen.AssociationRules(min_support=0.1).fit(rows).rules_
    at = next(i for i in range(len(rules)) if rules.body(i) == ("a",))
    expected = {
        "support": 0.4,
        "confidence": 0.8,
        "lift": 0.8 / 0.6,
        "leverage": 0.4 - 0.5 * 0.6,
        "conviction": 2.0,
    }
    for name, value in expected.items():
        assert rules[name][at] == pytest.approx(value) and getattr(rules[at], name) == pytest.approx(value)


def test_all_rules_tested_are_counted_not_only_those_kept():
    rows = [["a", "b"]] * 6 + [["a", "c"]] * 2 + [["b", "c"]] * 2
    few = acumen.AssociationRules(min_support=0.2, min_confidence=0.9).fit(rows).rules_
    many = acumen.AssociationRules(min_support=0.2, min_confidence=0.0).fit(rows).rules_
    # three single bodies with two heads each, and three pairs with one
    assert few.n_tested == many.n_tested == 9
    assert len(many) == 6


def test_pairs_that_share_an_item_or_an_attribute_are_not_rules_and_were_not_tested():
    rows = [["a", "b"]] * 6 + [["a", "c"]] * 2 + [["b", "c"]] * 2
    found = acumen.AssociationRules(min_support=0.2, heads="any").fit(rows).rules_
    assert found.n_tested == 3 * 2 + 3 + 3  # single ones, pairs before a single one, and behind one
    short = acumen.AssociationRules(min_support=0.2, heads="any", max_body=1).fit(rows).rules_
    assert short.n_tested == 3 * 2 + 3
    table = acumen.read(pd.DataFrame({"x": list("uuvv"), "y": list("stst")}))
    # four levels, and four pairs of them that leave nothing over; u and v never go together
    assert acumen.AssociationRules(min_support=0.2, heads="any").fit(table).rules_.n_tested == 8


@pytest.mark.slow
def test_of_rules_without_anything_behind_them_few_are_called_true():
    random = np.random.default_rng(5)
    calls = 0
    for _ in range(60):
        rows = [np.flatnonzero(random.random(12) < 0.4).tolist() for _ in range(120)]
        rules = acumen.AssociationRules(min_support=0.05, min_confidence=0.0, max_body=2).fit(rows).rules_
        calls += bool((rules["adjusted"] <= 0.1).any())
    assert calls <= 12  # 0.1 of 60 expected at most; beyond 12 with a chance of 0.5 %


@pytest.mark.slow
@pytest.mark.parametrize("control", ["hochberg", "yekutieli"])
def test_of_the_rules_called_true_few_are_false(control):
    """Five pairs of items go together, all others do not; of pairs called true at 0.1 no more are false on average."""
    random = np.random.default_rng(11)
    shares, found = [], 0
    for _ in range(150):
        bits = random.random((150, 16)) < 0.3
        together = random.random((150, 5)) < 0.5
        bits[:, 5:10] = np.where(together, bits[:, :5], bits[:, 5:10])
        rules = (
            acumen.AssociationRules(min_support=0.02, min_confidence=0.3, max_body=1, correction=control)
            .fit(pd.DataFrame(bits.astype(int), columns=[f"i{j}" for j in range(16)]))
            .rules_.filter(max_adjusted=0.1)
        )
        true = sum(
            abs(int(rules.body(i)[0][1:]) - int(rules.head(i)[0][1:])) == 5
            and min(int(rules.body(i)[0][1:]), int(rules.head(i)[0][1:])) < 5
            for i in range(len(rules))
        )
        shares.append((len(rules) - true) / max(len(rules), 1))
        found += true
    assert found > 150 * 5  # of ten rules that are true at least half are found
    assert np.mean(shares) <= 0.1 + 2 * np.std(shares) / np.sqrt(len(shares))


def test_what_is_adjusted_does_not_depend_on_how_sure_rules_must_be():
    loan = acumen.datasets.load("loan")
    every = acumen.AssociationRules(min_support=0.1, min_confidence=0.0).fit(loan).rules_
    sure = acumen.AssociationRules(min_support=0.1, min_confidence=0.9).fit(loan).rules_
    kept = every.filter(min_confidence=0.9)
    assert len(sure) == len(kept) and sure.to_dicts() == kept.to_dicts()


def test_sorting_filtering_and_constraints():
    loan = acumen.datasets.load("loan")
    found = acumen.AssociationRules(min_support=0.2, min_confidence=0.6).fit(loan).rules_
    assert (np.diff(found.sort("lift")["lift"]) <= 0).all() and (np.diff(found.sort("p")["p"]) >= 0).all()
    assert (found.filter(min_lift=1.5)["lift"] >= 1.5).all()
    assert len(found.filter(lambda rule: len(rule.body) == 1)) == int((found.body_sizes == 1).sum())
    given = {"constraints": {"templates": ["Has_Job=* -> Class=*"]}}
    some = acumen.AssociationRules(min_support=0.1, min_confidence=0.0, **given).fit(loan).rules_
    assert {(some.body(i)[0][:7], some.head(i)[0][:5]) for i in range(len(some))} == {("Has_Job", "Class")}
    sided = acumen.AssociationRules(
        min_support=0.1, constraints={"head_contains": ["Class=Yes"], "body_excludes": ["Age=*"]}
    )
    kept = sided.fit(loan).rules_
    assert len(kept) and all(kept.head(i) == ("Class=Yes",) for i in range(len(kept)))
    assert not any(item.startswith("Age") for i in range(len(kept)) for item in kept.body(i))
    top = acumen.AssociationRules(min_support=0.1, top=3, by="lift").fit(loan).rules_
    assert len(top) == 3
    assert list(top.to_pandas().columns)[:3] == ["body", "head", "count"] and "<table>" in top._repr_html_()
    assert len(top.to_dicts()) == 3 and "rules of 15 baskets" in str(top)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [({"measures": ["zeal"]}, "no measure 'zeal'"), ({"heads": "nobody"}, "none is called 'nobody'"),
     ({"heads": []}, "names of items; got none"),
     ({"by": "p", "top": 2, "measures": ["lift"]}, "must be among the measures"), ({"min_support": 0}, "min_support")],
)  # fmt: skip
def test_what_cannot_be_is_said(wrong, said):
    with pytest.raises(ParameterError, match=said):
        acumen.AssociationRules(**wrong).fit([["a", "b"], ["a"]])
