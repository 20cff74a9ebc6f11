"""Text 2, lines 50 to 1010: the loan table, its tree, its rules, its associations."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np

import acumen
from acumen import _native
from acumen.render.bars_plot import Bar, BarsFigure
from acumen.rules.coded_table import CodedRuleTable
from acumen.rules.constraints import RuleConstraints
from acumen.trees.measures import MEASURES, split_info
from worked.hand import entropy

ATTRIBUTES = ("Age", "Own_house", "Has_Job", "Credit_Rating")


def counts(name: str, attribute: str) -> Any:
    """Levels by class (Yes, No) of a loan table."""
    frame = acumen.datasets.load(name).to_pandas()
    return (
        frame.groupby([attribute, "Class"], observed=True)
        .size()
        .unstack(fill_value=0)[["Yes", "No"]]
        .to_numpy(float)
    )


def W002_01(seen: Any) -> dict[str, Any]:
    labels = seen.loan.label_values()
    return {
        "n": len(labels),
        "yes": int((labels == "Yes").sum()),
        "accuracy": seen.model.score(seen.loan),
        "oner": acumen.OneR().fit(seen.loan).score(seen.loan),
        "picture": BarsFigure(
            [Bar(c, float(np.mean(labels == c))) for c in ("Yes", "No")], "share", "Fifteen loans"
        ),
    }


def W002_02(seen: Any) -> dict[str, Any]:
    return {"H": [abs(split_info(row)) for row in seen.sets], "rare": entropy([1, 99])}


def W002_03(seen: Any) -> dict[str, Any]:
    tables = [counts("loan", name) for name in ATTRIBUTES]
    gain = [MEASURES["gain"].gain(table) for table in tables]
    H = entropy([9, 6])
    return {
        "H": H,
        "Hf": entropy([3, 6]),
        "gain": gain,
        "after": [H - g for g in gain],
        "ratio": [g / split_info(t.sum(axis=1)) for g, t in zip(gain, tables, strict=True)],
        "picture": seen.ranking.figure(),
    }


def W002_04(seen: Any) -> dict[str, Any]:
    table = counts("loan-b", "Credit_Rating")
    house = counts("loan-b", "Own_house")
    places = [
        f"row {i + 1} {seen.a.columns[j]} ({seen.a.iloc[i, j]}, {seen.b.iloc[i, j]})"
        for i, j in np.argwhere(seen.differ.to_numpy())
    ]
    gain = MEASURES["gain"].gain(table)
    return {
        "differ": "; ".join(places),
        "gainA": MEASURES["gain"].gain(counts("loan", "Credit_Rating")),
        "gainB": gain,
        "afterB": entropy([9, 6]) - gain,
        "house": MEASURES["gain"].gain(house),
        "ratioB": gain / split_info(table.sum(axis=1)),
        "ratio_house": MEASURES["gain"].gain(house) / split_info(house.sum(axis=1)),
        "picture": acumen.rank_attributes(acumen.datasets.load("loan-b"), by="gain").figure(),
    }


def W002_05(seen: Any) -> dict[str, Any]:
    frame = seen.loan.to_pandas()
    own, job = frame["Own_house"] == "true", frame["Has_Job"] == "true"
    answer = seen.tree.predict(seen.loan.take(np.arange(1, 2)))[0]
    tree = seen.tree.model_.tree
    sizes = sorted(float(tree.counts[n].sum()) for n in range(len(tree)) if tree.leaves[n])
    assert sizes == [3.0, 6.0, 6.0]
    second = acumen.DecisionTree(measure="gain", prune="none").fit(acumen.datasets.load("loan-b")).model_.tree
    return {
        "leaf_yes": int(own.sum()),
        "leaf_job": int((~own & job).sum()),
        "leaf_no": int((~own & ~job).sum()),
        "answer": answer,
        "says_no": float(answer == "No"),
        "leavesB": int(np.sum(second.leaves)),
        "picture": seen.tree.figure(),
    }


def W002_06(seen: Any) -> dict[str, Any]:
    found = {" and ".join(sorted(str(c) for c in rule.conditions)): rule for rule in seen.rules}
    order = (
        "Own_house = true",
        "Has_Job = true and Own_house = false",
        "Has_Job = false and Own_house = false",
    )
    rules = [found[name] for name in order]
    job = (seen.loan.to_pandas()["Has_Job"] == "true").sum()
    bars = [
        Bar(name, rule.covered_weight, True, printed)
        for name, rule, printed in zip(order, rules, (6, 5, 4), strict=True)
    ]
    return {
        "c1": rules[0].covered_weight,
        "c2": rules[1].covered_weight,
        "c3": rules[2].covered_weight,
        "s1": rules[0].support,
        "s2": rules[1].support,
        "s3": rules[2].support,
        "conf": min(rule.confidence for rule in rules),
        "job": job,
        "picture": BarsFigure(bars, "rows", "Rows under each rule", mark="as printed"),
    }


WANTED = (
    (("Age = young", "Has_Job = true"), "Yes"),
    (("Age = young", "Has_Job = false"), "No"),
    (("Credit_Rating = fair",), "No"),
    (("Credit_Rating = good",), "Yes"),
)


def W002_07(seen: Any) -> dict[str, Any]:
    found = {(frozenset(map(str, rule.conditions)), rule.label): rule for rule in seen.rules}
    rules = [found[frozenset(body), label] for body, label in WANTED]
    A = acumen.datasets.load("loan").to_pandas()
    yes = A["Class"] == "Yes"
    bars = [
        Bar(f"{' and '.join(body)} → {label}", r.confidence)
        for (body, label), r in zip(WANTED, rules, strict=True)
    ]
    return {
        "r": [rule.right for rule in rules],
        "c": [rule.covered_weight for rule in rules],
        "sup": [rule.support for rule in rules],
        "conf": [rule.confidence for rule in rules],
        "fairA": (~yes)[A["Credit_Rating"] == "fair"].mean(),
        "goodA": yes[A["Credit_Rating"] == "good"].mean(),
        "picture": BarsFigure(bars, "confidence", "Four rules"),
    }


def every_rule(name: str) -> int:
    """Class association rules counted by brute force."""
    frame = acumen.datasets.load(name).to_pandas().astype(str)
    columns = [c for c in frame.columns if c != "Class"]
    n = 0
    for size in range(1, 5):
        for chosen in combinations(columns, size):
            for levels in product(*(sorted(set(frame[c])) for c in chosen)):
                rows = frame[np.all([frame[c] == v for c, v in zip(chosen, levels, strict=True)], axis=0)]
                for label in ("Yes", "No"):
                    right = int((rows["Class"] == label).sum())
                    n += right >= 2 and 5 * right >= 4 * len(rows)
    return n


def W002_08(seen: Any) -> dict[str, Any]:
    sizes = np.bincount([len(rule.conditions) for rule in seen.rules]).tolist()
    edge = [str(rule.conditions[0]) for rule in seen.rules if rule.confidence == 0.8]
    strict = acumen.CarMiner(min_support=2 / 15, min_confidence=0.8001, prune=None).fit(seen.loan).rules_
    other = (
        acumen.CarMiner(min_support=2 / 15, min_confidence=0.8, prune=None)
        .fit(acumen.datasets.load("loan-b"))
        .rules_
    )
    bars = [Bar(f"{k} condition{'s' * (k > 1)}", float(n)) for k, n in enumerate(sizes) if k]
    yes = sum(rule.label == "Yes" for rule in seen.rules)
    return {
        "by": sizes,
        "n": len(seen.rules),
        "brute": every_rule("loan"),
        "yes": yes,
        "no": len(seen.rules) - yes,
        "exact": len(edge),
        "named": " and ".join(edge),
        "certain": sum(rule.confidence == 1 for rule in seen.rules),
        "strict": len(strict),
        "nB": len(other),
        "picture": BarsFigure(bars, "rules", "All rules of the loan table"),
    }


def W002_09(seen: Any) -> dict[str, Any]:
    rules = seen.model.to_rules()
    frame = seen.loan.to_pandas().astype(str)
    left, hand = np.ones(15, dtype=bool), []
    for body in (
        (("Own_house", "true"),),
        (("Has_Job", "false"), ("Own_house", "false")),
        (("Has_Job", "true"),),
    ):
        covers = left & np.all([frame[name] == value for name, value in body], axis=0)
        hand.append(int(covers.sum()))
        left &= ~covers
    liu = acumen.CBA(min_support=2 / 15, min_confidence=0.8).fit(seen.loan).to_rules()
    return {
        "r": [f"{rule.body_words} → {rule.label}" for rule in rules],
        "n": [rule.covered_weight for rule in rules],
        "hand0": hand[0],
        "hand1": hand[1],
        "hand2": hand[2],
        "length": len(rules),
        "default": rules.default,
        "liu": len(liu),
        "picture": BarsFigure(
            [Bar(rule.body_words, rule.covered_weight) for rule in rules], "rows", "What each rule takes"
        ),
    }


def foil(p1: float, n1: float, p0: float = 9, n0: float = 6) -> float:
    """FOIL's gain from a rule that covers (p0, n0) to one that covers (p1, n1)."""
    return float(p1 * (np.log2(p1 / (p1 + n1)) - np.log2(p0 / (p0 + n0))))


def W002_17(seen: Any) -> dict[str, Any]:
    coded = CodedRuleTable.of(seen.loan, RuleConstraints())
    found = coded.rows.grow(
        np.arange(15, dtype=np.int32), seen.loan.schema.classes.index("Yes"), False, False, 2.0
    )
    body, _ = coded.rules(found)[0]
    named = {"Own_house": "true", "Has_Job": "true", "Age": "old", "Credit_Rating": "excellent"}
    frame = seen.loan.to_pandas().astype(str)
    cover = {
        name: [int(((frame[name] == level) & (frame["Class"] == c)).sum()) for c in ("Yes", "No")]
        for name, level in named.items()
    }
    gains = {name: foil(*cover[name]) for name in named}
    return {
        "g": [gains["Own_house"], gains["Has_Job"], gains["Age"]],
        "excellent": gains["Credit_Rating"],
        "kernel": float(" and ".join(map(str, body)) == "Own_house = true"),
        "picture": BarsFigure(
            [Bar(f"{n} = {named[n]}", g) for n, g in gains.items()], "FOIL's gain", "First conditions"
        ),
    }


def W002_18(seen: Any) -> dict[str, Any]:
    passes = [(1, 0, 1)] * 3 + [(1, 1, 1)] * 2 + [(0, 1, 1)] * 2 + [(1, 1, 0)] * 1 + [(0, 0, 0)] * 4
    first, second, label = (np.array(column, dtype=np.int32) for column in zip(*passes, strict=True))
    rows = _native.CodedRows(
        [first, second],
        np.array([2, 2], dtype=np.int32),
        np.zeros(2, np.uint8),
        np.arange(2, dtype=np.int32),
        np.full(4, 3, np.uint8),
        label,
        np.empty(0),
        2,
    )
    _, tests, *_ = rows.prune(
        np.array([0, 0, 1, 1, 0, 1], dtype=np.int32), np.arange(12, dtype=np.int32), 1, False, True
    )
    return {
        "v": seen.value,
        "h0": 6 / 6,
        "h1": 4 / 6,
        "h2": 3 / 5,
        "h3": 0.0,
        "kept": len(tests.reshape(-1, 4)),
        "sixty": 50 / 70,
    }
