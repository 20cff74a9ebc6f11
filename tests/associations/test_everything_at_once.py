"""Supports of items and levels, differences, kinds of items, constraints, sizes, closed and maximal, all at once, held
or in parts; first rules without a support; templates; recommendations: each beside a slow twin that shares no code.
"""

from __future__ import annotations

import re
from itertools import combinations, permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import acumen
from acumen.associations.constraints import ItemConstraints
from acumen.errors import ParameterError

KINDS = {"a": "X", "b": "X", "c": "Y", "X": "Z"}
ABOVE = {"a": {"X", "Z"}, "b": {"X", "Z"}, "c": {"Y"}, "X": {"Z"}}
LEVEL = {"a": 3, "b": 3, "c": 2, "X": 2, "d": 1, "e": 1, "Z": 1, "Y": 1}
LEAVES = "abcde"
SHARES = (0.05, 0.1, 0.2, 0.3, 0.5)

ROWS = st.lists(st.sets(st.sampled_from(LEAVES)), min_size=2, max_size=20)
SHARE = st.sampled_from(SHARES)
SOME = st.lists(st.sampled_from(LEAVES), max_size=2, unique=True)


def all_sets(rows, kinds):
    """Every set that some basket holds, by its count; a basket holds what its items are of."""
    found: dict[frozenset[str], int] = {}
    for row in rows:
        held = set(row) | ({k for i in row for k in ABOVE.get(i, ())} if kinds else set())
        for size in range(1, len(held) + 1):
            for some in combinations(sorted(held), size):
                found[frozenset(some)] = found.get(frozenset(some), 0) + 1
    return found


def wanted(rows, *, support, own, levels, difference, contains, any_of, excludes, kinds, most, kind):
    n, counts = len(rows), all_sets(rows, kinds)
    of = {next(iter(s)): c for s, c in counts.items() if len(s) == 1}
    least = dict.fromkeys(of, support)
    if levels is not None:
        least = {i: levels[min(LEVEL[i], len(levels)) - 1] for i in of}
    least |= {i: v for i, v in own.items() if i in least}
    made = {}
    for s, c in counts.items():
        if s & set(excludes) or c / n < min(least[i] for i in s):
            continue
        if difference is not None and (max(of[i] for i in s) - min(of[i] for i in s)) / n > difference:
            continue
        if kinds and any(ABOVE.get(i, set()) & s for i in s):
            continue
        if not set(contains) <= s or (any_of and not s & set(any_of)):
            continue
        made[s] = c
    if kind == "closed":
        made = {s: c for s, c in made.items() if not any(s < t and c == made[t] for t in made)}
    if kind == "maximal":
        made = {s: c for s, c in made.items() if not any(s < t for t in made)}
    return {s: c for s, c in made.items() if most is None or len(s) <= most}


@given(
    ROWS, SHARE, st.dictionaries(st.sampled_from("abd"), SHARE, max_size=2),
    st.one_of(st.none(), st.lists(SHARE, min_size=1, max_size=3)), st.sampled_from([None, None, 0.0, 0.2, 0.4]),
    SOME, SOME, SOME, st.booleans(), st.sampled_from([None, 1, 2, 3]), st.sampled_from(["all", "closed", "maximal"]),
    st.sampled_from(["auto", "apriori", "parts"]),
)  # fmt: skip
def test_everything_asked_at_once_is_what_trying_everything_gives(
    rows, support, own, levels, difference, contains, any_of, excludes, kinds, most, kind, how
):
    names = {i for row in rows for i in row}
    own, contains, any_of, excludes = (
        {k: v for k, v in own.items() if k in names},
        *([i for i in some if i in names] for some in (contains, any_of, excludes)),
    )
    levels = levels if kinds else None
    asked = {
        "min_support": support, "item_supports": own or None, "level_supports": levels, "max_size": most, "kind": kind,
        "support_difference": difference, "taxonomy": KINDS if kinds else None,
        "constraints": {"contains": contains, "any_of": any_of, "excludes": excludes},
    }  # fmt: skip
    if how == "parts":
        columns = sorted(names) or ["a"]
        bits = pd.DataFrame([[float(i in row) for i in columns] for row in rows], columns=columns)
        table = acumen.read(bits)
        data = [table.take(slice(i, i + 3)) for i in range(0, len(rows), 3)]
        found = acumen.frequent_itemsets(data, **asked)
    else:
        found = acumen.frequent_itemsets([list(r) for r in rows], **asked, algorithm=how)
    expected = wanted(
        rows, support=support, own=own, levels=levels, difference=difference, contains=contains, any_of=any_of,
        excludes=excludes, kinds=kinds, most=most, kind=kind,
    )  # fmt: skip
    assert {frozenset(one.items): one.count for one in found} == expected


@settings(max_examples=40, deadline=None)
@given(
    ROWS, st.integers(1, 9), st.sampled_from(["all", "closed", "maximal"]), st.sampled_from([None, 0.1, 0.3])
)
def test_the_first_sets_are_the_first_of_all(rows, top, kind, support):
    asked = {} if support is None else {"min_support": support}
    found = acumen.frequent_itemsets([list(r) for r in rows], top=top, kind=kind, **asked)
    every = wanted(
        rows, support=support or 1e-9, own={}, levels=None, difference=None, contains=[], any_of=[], excludes=[],
        kinds=False, most=None, kind=kind,
    )  # fmt: skip
    order = sorted(every, key=lambda s: (-every[s], len(s), sorted(s)))[:top]
    assert [(frozenset(one.items), one.count) for one in found] == [(s, every[s]) for s in order]


# -- rules ----------------------------------------------------------------------------------------


def all_rules(rows, n_heads):
    """Every rule with its counts: body, head -> both, body, head."""
    counts = all_sets(rows, False)
    return {
        (s - set(head), frozenset(head)): (c, counts[s - set(head)], counts[frozenset(head)])
        for s, c in counts.items()
        for size in range(1, n_heads + 1)
        for head in combinations(sorted(s), size)
        if len(s) > size
    }


MEASURE = {
    "support": lambda b, x, y, n: b / n,
    "confidence": lambda b, x, y, n: b / x,
    "lift": lambda b, x, y, n: b * n / (x * y),
    "leverage": lambda b, x, y, n: b / n - x * y / n**2,
    "conviction": lambda b, x, y, n: np.inf if b == x else (1 - y / n) / (1 - b / x),
    "p": lambda b, x, y, n: -stats.hypergeom.sf(b - 1, n, x, y),
}


@given(ROWS, st.sampled_from(sorted(MEASURE)), st.integers(1, 8), st.sampled_from([1, "any"]))
def test_the_first_rules_need_no_support(rows, by, top, heads):
    every = all_rules(rows, 1 if heads == 1 else 5)
    found = acumen.AssociationRules(
        min_support=None, min_confidence=0.0, heads=heads, top=top, by=by, measures=[by]
    )
    got = found.fit([list(r) for r in rows]).rules_
    n = len(rows)
    values = sorted(((MEASURE[by](*c, n), c[0]) for c in every.values()), reverse=True)[:top]
    sign = -1 if by == "p" else 1
    assert len(got) == min(top, len(every))
    assert got[by] * sign == pytest.approx([v for v, _ in values], abs=1e-12)


def test_without_a_support_the_measure_must_tell_how_rare_a_rule_may_be():
    for wrong in ({}, {"top": 3, "by": "adjusted"}, {"top": 3, "by": "productivity"}):
        with pytest.raises(ParameterError, match="without min_support"):
            acumen.AssociationRules(min_support=None, **wrong).fit([["a", "b"]])


@settings(max_examples=20, deadline=None)
@given(ROWS, st.sampled_from([0.0, 0.4, 0.8]), st.booleans(), st.sampled_from(["hochberg", "yekutieli"]))
def test_p_values_are_adjusted_for_all_rules_tested_whatever_was_left_out(
    rows, confidence, productive, control
):
    asked = {"min_support": 0.1, "productive": productive, "correction": control}
    data, n = [list(r) for r in rows], len(rows)
    some = acumen.AssociationRules(**asked, min_confidence=confidence).fit(data).rules_
    counts = all_sets(rows, False)
    frequent = {s: c for s, c in counts.items() if c / n >= 0.1}
    pairs = [(s, h) for s in frequent for h in frequent if len(h) == 1 and not h & s]
    assert some.n_tested == len(pairs)
    p = {}
    for body, head in pairs:
        both = frequent.get(body | head)
        chances = [1.0]
        if both is not None:
            chances = [stats.hypergeom.sf(both - 1, n, counts[body], counts[head])]
            for item in body if productive else ():
                rest = body - {item}
                among = counts[rest] if rest else n
                chances.append(stats.hypergeom.sf(both - 1, among, counts[body], counts[rest | head]))
        p[body, head] = max(chances)
    harmonic = sum(1 / i for i in range(1, len(pairs) + 1)) if control == "yekutieli" else 1.0
    got = {(frozenset(some.body(i)), frozenset(some.head(i))): some["adjusted"][i] for i in range(len(some))}
    for key, value in got.items():
        # The smallest level at which stepping up through all of them rejects it.
        larger = [v for v in p.values() if v >= p[key] * (1 - 1e-9)]
        least = min(v * len(pairs) * harmonic / sum(w <= v * (1 + 1e-9) for w in p.values()) for v in larger)
        assert value == pytest.approx(min(least, 1.0), rel=1e-6)


def regex(pattern):
    return re.compile(re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".") + r"\Z", re.DOTALL)


def fits(side, items):
    patterns = [p.strip() for p in side.split(",") if p.strip()]
    more = "..." in patterns
    patterns = [regex(p) for p in patterns if p != "..."]
    if len(patterns) > len(items) or (len(patterns) < len(items) and not more):
        return False
    return any(
        all(p.match(i) for p, i in zip(patterns, order, strict=False)) for order in permutations(items)
    )


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.sampled_from(["a", "*", "?", "b", "..."]), max_size=3),
    st.lists(st.sampled_from(["c", "*", "..."]), min_size=1, max_size=2),
)
def test_templates_let_through_what_has_an_item_for_each_pattern(body, head):
    rows = [list("abc"), list("abcd"), list("bcd"), list("ad"), list("cd")]
    template = f"{', '.join(body)} -> {', '.join(head)}"
    found = acumen.AssociationRules(
        min_support=0.2, min_confidence=0.0, heads="any", constraints=ItemConstraints(templates=[template])
    )
    got = found.fit(rows).rules_
    kept = {(frozenset(got.body(i)), frozenset(got.head(i))) for i in range(len(got))}
    expected = {
        (b, h)
        for b, h in all_rules(rows, 4)
        if fits(", ".join(body), tuple(b)) and fits(", ".join(head), tuple(h))
    }
    assert kept == expected


@settings(max_examples=12, deadline=None)
@given(ROWS, st.booleans(), st.sampled_from([1, "any"]), st.booleans())
def test_rules_of_parts_are_those_of_all_baskets(rows, several, heads, kinds):
    names = sorted({i for row in rows for i in row}) or ["a"]
    bits = pd.DataFrame([[float(i in row) for i in names] for row in rows], columns=names)
    table = acumen.read(bits)
    asked = {
        "min_support": 0.2, "min_confidence": 0.3, "heads": heads, "taxonomy": KINDS if kinds else None,
        "item_supports": {names[0]: 0.1} if several else None,
    }  # fmt: skip
    once = acumen.AssociationRules(**asked).fit(table).rules_
    parts = [table.take(slice(i, i + 4)) for i in range(0, len(rows), 4)]
    again = acumen.AssociationRules(**asked).fit(parts).rules_
    assert again.to_dicts() == once.to_dicts() and again.n_tested == once.n_tested
    assert again.redundant().tolist() == once.redundant().tolist()


# -- recommendations ------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(ROWS, ROWS, st.integers(1, 3), st.sampled_from(["confidence", "lift"]), st.integers(0, 5))
def test_hidden_items_are_counted_as_by_hand(rows, others, n, by, seed):
    maker = acumen.AssociationRules(min_support=0.1, min_confidence=0.2, measures=["lift"])
    shop = acumen.Recommender(maker, by=by, n=n).fit([list(r) for r in rows])
    rules = [
        (MEASURE[by](both, x, y, len(rows)), both, sorted(b), min(h))
        for (b, h), (both, x, y) in all_rules(rows, 1).items()
        if both / len(rows) >= 0.1 and both / x >= 0.2
    ]
    baskets = [sorted(row) for row in others if len(row) > 1]
    if not baskets:
        return
    judged = shop.evaluate([list(r) for r in others], random_state=seed)
    random = np.random.default_rng(seed)
    counts = {i: sum(i in row for row in rows) for i in LEAVES}
    often = sorted((i for i in counts if counts[i]), key=lambda i: (-counts[i], i))
    hits = answered = popular = 0
    ever = set()
    for basket in baskets:
        hidden = basket[int(random.integers(len(basket)))]
        rest = [i for i in basket if i != hidden]
        strongest: dict[str, tuple[float, int]] = {}
        for value, both, body, head in rules:
            if set(body) <= set(rest) and head not in rest:
                strongest[head] = max(strongest.get(head, (-1.0, 0)), (value, both))
        ranked = sorted(strongest, key=lambda i: strongest[i], reverse=True)
        told = [one.item for one in shop.recommend(rest)]
        assert [strongest[i] for i in told] == [strongest[i] for i in ranked[:n]]
        assert len(set(told)) == len(told)
        hits += hidden in told
        answered += bool(told)
        ever |= set(told)
        popular += hidden in [i for i in often if i not in rest][:n]
    size = len(baskets)
    assert (judged.baskets, judged.hits) == (size, hits)
    assert judged.hit_rate == hits / size and judged.answered == answered / size
    assert judged.coverage == pytest.approx(
        len(ever) / len({i for row in rows for i in row}) if ever else 0.0
    )
    assert judged.popular == popular / size


def test_recommending_knows_what_items_are_of():
    rows = [["milk", "bread"], ["cheese", "bread"], ["tea"], ["milk", "bread"]]
    maker = acumen.AssociationRules(
        min_support=0.5, min_confidence=0.9, taxonomy={"milk": "dairy", "cheese": "dairy"}
    )
    shop = acumen.Recommender(maker, n=3).fit(rows)
    assert [one.item for one in shop.recommend(["cheese"])] == ["bread"]
    assert "dairy" not in [one.item for one in shop.recommend(["milk", "bread"])]
