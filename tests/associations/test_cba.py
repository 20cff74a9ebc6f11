"""Class association rules and their lists: worked examples, a slow twin, M1 = M2, and one pass = refits."""

from __future__ import annotations

import json
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import acumen
from acumen.associations.mining import TooManySets
from acumen.engines.memory import limited_memory
from acumen.errors import ParameterError


def nominal(rows, labels, classes=None):
    frame = pd.DataFrame([[None if v is None else str(v) for v in row] for row in rows])
    frame.columns = [f"a{j}" for j in range(frame.shape[1])]
    frame["y"] = pd.Categorical(labels, categories=classes) if classes else labels
    return acumen.read(frame, target="y", kinds=dict.fromkeys(frame.columns, "nominal"))


def slow_cars(rows, labels, k, least, confidence, most, prune, free=False):
    """Every rule by trying everything: (body, class, right, covered), in canonical order."""
    width = len(rows[0])
    levels = [sorted({r[j] for r in rows if r[j] is not None}) for j in range(width)]
    counts = {}
    for size in range(1, min(width, most or width) + 1):
        for attributes in combinations(range(width), size):
            for values in product(*(levels[a] for a in attributes)):
                inside = [
                    y
                    for r, y in zip(rows, labels, strict=True)
                    if all(r[a] == v for a, v in zip(attributes, values, strict=True))
                ]
                counts[attributes, values] = [inside.count(c) for c in range(k)]
    made = []
    for (attributes, values), each in counts.items():
        able = [c for c in range(k) if each[c] >= least]
        if not able:
            continue
        head = max(able, key=lambda c: (each[c], -c))
        right, covered = each[head], sum(each)
        if not right / covered >= confidence:
            continue
        parts = [
            (attributes[:j] + attributes[j + 1 :], values[:j] + values[j + 1 :]) for j in range(len(values))
        ]
        if free and len(values) > 1 and any(sum(counts[part]) == covered for part in parts):
            continue
        if prune and len(attributes) > 1:
            mine = upper(covered, covered - right)
            shorter = [counts[part] for part in parts]
            if any(mine > upper(sum(s), sum(s) - s[head]) for s in shorter):
                continue
        codes = tuple(levels[a].index(v) for a, v in zip(attributes, values, strict=True))
        made.append((-right / covered, -right, len(attributes), attributes, codes, values, head, covered))
    return [(m[3], m[5], m[6], -m[1], m[7]) for m in sorted(made)]


def upper(n, e):
    """U(e, n) at 25 %, from Quinlan's book (1993) and the listing of C4.5 release 8 alone."""
    none = 1 - 0.25 ** (1 / n)
    deviates = 0.84 + (0.25 - 0.84) * (0.25 - 0.20) / (
        0.40 - 0.20
    )  # read off C4.5's table, between 20 and 40 %
    square = deviates**2

    def normal(e):
        if e + 0.5 >= n:
            return e + 0.67 * (n - e)
        root = (square * ((e + 0.5) * (1 - (e + 0.5) / n) + square / 4)) ** 0.5
        return n * (e + 0.5 + square / 2 + root) / (n + square)

    if e < 1:
        return (n * none + e * (normal(1) - n * none)) / n
    return normal(e) / n


def slow_m1(rows, labels, rules, k, cut, default):
    left, kept, totals, endings = list(range(len(rows))), [], [], []
    everyday = max(range(k), key=lambda c: (labels.count(c), -c))
    wrong = 0
    for attributes, values, head, _, _ in rules:
        mine = [i for i in left if all(rows[i][a] == v for a, v in zip(attributes, values, strict=True))]
        if not any(labels[i] == head for i in mine):
            continue
        left = [i for i in left if i not in mine]
        wrong += sum(labels[i] != head for i in mine)
        rest = [labels[i] for i in left]
        last = (
            everyday
            if default == "majority" or not rest
            else max(range(k), key=lambda c: (rest.count(c), -c))
        )
        kept.append((attributes, values, head))
        endings.append(last)
        totals.append(wrong + sum(y != last for y in rest))
    if not kept:
        return [], everyday
    at = totals.index(min(totals)) if cut else len(kept) - 1
    return kept[: at + 1], endings[at]


def listed(rules, classes):
    return [
        (tuple(int(c.attribute[1:]) for c in r.conditions), tuple(c.value for c in r.conditions),
         classes.index(r.label), r.right, r.covered_weight)
        for r in rules
    ]  # fmt: skip


def as_lists(model, classes):
    rules = [
        (
            tuple(int(c.attribute[1:]) for c in r.conditions),
            tuple(c.value for c in r.conditions),
            classes.index(r.label),
        )
        for r in model.to_rules()
    ]
    return rules, classes.index(model.to_rules().default)


TABLES = st.integers(2, 3).flatmap(
    lambda k: st.lists(
        st.tuples(*[st.sampled_from(["0", "1", "2", None])] * 3, st.integers(0, k - 1)),
        min_size=4,
        max_size=25,
    ).map(lambda lines: (k, [r[:-1] for r in lines], [r[-1] for r in lines]))
)


@given(
    TABLES, st.sampled_from([0.01, 0.1, 0.2]), st.sampled_from([0.3, 0.5, 0.8]), st.sampled_from([None, 2]),
    st.sampled_from(["pessimistic", None]), st.sampled_from(["errors", None]),
    st.sampled_from(["remaining", "majority"]),
)  # fmt: skip
def test_rules_and_lists_are_those_of_trying_everything(
    table, support, confidence, most, prune, cut, default
):
    k, rows, labels = table
    classes = [f"c{c}" for c in range(k)]
    data = nominal(rows, [classes[y] for y in labels], classes)
    least = next(c for c in range(1, len(rows) + 1) if c / len(rows) >= support)
    parameters = {
        "min_support": support, "min_confidence": confidence, "max_conditions": most, "prune": prune, "cut": cut,
        "default": default,
    }  # fmt: skip
    given = (rows, labels, k, least, confidence, most, prune)
    miner = {name: parameters[name] for name in ("min_support", "min_confidence", "max_conditions", "prune")}
    assert listed(acumen.CarMiner(**miner).fit(data).rules_, classes) == slow_cars(*given)
    expected = slow_cars(*given, free=True)
    first = acumen.CBA(**parameters, n_jobs=1).fit(data)
    second = acumen.CBA(**parameters, builder="m2", n_jobs=2).fit(data)
    assert listed(first.rules_, classes) == expected
    assert as_lists(first, classes) == slow_m1(rows, labels, expected, k, cut, default)
    if prune is None:  # what covers the same rows as a part of it is never kept
        assert as_lists(first, classes) == slow_m1(rows, labels, slow_cars(*given), k, cut, default)
    assert first.to_rules() == second.to_rules()


def test_w002_07_w002_08_the_rules_of_the_loan_table():
    """W002-08: 39 rules of table A, of which 37 are certain and two have exactly 4/5; 26 say Yes."""
    loan = acumen.datasets.load("loan")
    found = acumen.CarMiner(min_support=2 / 15, min_confidence=0.8, prune=None).fit(loan).rules_
    assert len(found) == 39 and np.bincount(np.diff(found.starts)).tolist() == [0, 5, 19, 13, 2]
    assert sum(rule.label == "Yes" for rule in found) == 26
    assert sum(rule.confidence == 1 for rule in found) == 37
    assert [str(r.conditions[0]) for r in found if r.confidence == 0.8] == [
        "Age = old",
        "Credit_Rating = fair",
    ]


def loan_b():
    """The loan table as it is printed a second time: the credit of two rows is another."""
    frame = acumen.datasets.load("loan").to_pandas()
    frame["Credit_Rating"] = frame["Credit_Rating"].astype(str)
    frame.loc[1, "Credit_Rating"], frame.loc[3, "Credit_Rating"] = "excellent", "good"
    return acumen.read(frame, target="Class")


def test_w002_07_w002_08_the_rules_of_the_second_loan_table():
    """42 rules, by length 6, 20, 14, 2; among them the four that are printed."""
    found = acumen.CarMiner(min_support=2 / 15, min_confidence=0.8, prune=None).fit(loan_b()).rules_
    assert len(found) == 42 and np.bincount(np.diff(found.starts)).tolist() == [0, 6, 20, 14, 2]
    said = {(frozenset(map(str, r.conditions)), r.label): (r.right, r.covered_weight) for r in found}
    assert said[frozenset(["Credit_Rating = fair"]), "No"] == (4, 4)
    assert said[frozenset(["Credit_Rating = good"]), "Yes"] == (5, 6)
    assert said[frozenset(["Age = young", "Has_Job = true"]), "Yes"] == (2, 2)
    assert sum(rule.confidence == 0.8 for rule in found) == 2
    assert (
        sum(rule.confidence == 1 for rule in found) == 39 and sum(rule.label == "Yes" for rule in found) == 29
    )


def test_w002_09_the_list_of_the_documents_and_that_of_liu():
    loan = acumen.datasets.load("loan")
    for builder in ("m1", "m2"):
        given = {"min_support": 2 / 15, "min_confidence": 0.8, "builder": builder}
        theirs = acumen.CBA(**given, cut=None, default="majority").fit(loan).to_rules()
        assert [(r.body_words, r.label, r.covered_weight) for r in theirs] == [
            ("Own_house = true", "Yes", 6), ("Has_Job = false and Own_house = false", "No", 6),
            ("Has_Job = true", "Yes", 3),
        ]  # fmt: skip
        assert theirs.default == "Yes"
        liu = acumen.CBA(**given).fit(loan).to_rules()
        assert len(liu) == 2 and liu.default == "Yes"


def test_m2_keeps_the_rule_that_it_loses_as_published():
    rows = [tuple(line) for line in ["0101", "0011", "0100", "1011", "1001", "0110", "1001", "1110"]]
    labels = [f"c{c}" for c in (2, 0, 1, 2, 2, 1, 0, 0)]
    data = nominal(rows, labels, ["c0", "c1", "c2"])
    given = {"min_support": 2 / 8, "min_confidence": 0.6, "prune": None, "cut": None}
    lists = [acumen.CBA(**given, builder=b).fit(data).to_rules() for b in ("m1", "m2")]
    assert lists[0] == lists[1] and len(lists[0]) == 3


@pytest.mark.parametrize("trials", [60, pytest.param(3000, marks=pytest.mark.slow)])
def test_m1_is_m2_on_random_tables(trials):
    random = np.random.default_rng(7)
    for trial in range(trials):
        n, k = int(random.integers(6, 40)), int(random.integers(2, 4))
        data = nominal(random.integers(0, 2, (n, 4)).tolist(), [f"c{c}" for c in random.integers(0, k, n)])
        given = {
            "min_support": 2 / n, "min_confidence": float(random.choice([0.4, 0.5, 0.6])),
            "cut": [None, "errors"][trial % 2], "prune": [None, "pessimistic"][trial // 2 % 2], "n_jobs": 1,
        }  # fmt: skip
        first, second = (acumen.CBA(**given, builder=b).fit(data).to_rules() for b in ("m1", "m2"))
        assert first == second


@pytest.mark.parametrize("trials", [12, pytest.param(150, marks=pytest.mark.slow)])
def test_one_pass_gives_what_refits_give(trials):
    random = np.random.default_rng(3)
    for trial in range(trials):
        n, folds = int(random.integers(20, 70)), int(random.integers(2, 6))
        rows = random.integers(0, 3, (n, 4))
        labels = (rows[:, 0] + (random.random(n) < 0.4) * random.integers(0, 3, n)) % 3
        frame = pd.DataFrame(rows.astype(str), columns=list("abcd")).mask(random.random((n, 4)) < 0.05)
        frame["y"] = [f"c{c}" for c in labels]
        weight = None
        if trial % 3 == 0:
            frame["w"], weight = random.integers(1, 4, n).astype(float), "w"
        data = acumen.read(frame, target="y", weight=weight, kinds=dict.fromkeys("abcd", "nominal"))
        learner = acumen.CBA(
            min_support=float(random.choice([0.03, 0.05, 0.1])), builder=["m1", "m2"][trial % 2],
            prune=[None, "pessimistic"][trial // 2 % 2], class_supports={"c1": 0.02}, n_jobs=1,
        )  # fmt: skip
        assert learner.folds_objection(data) is None
        parts = random.integers(0, folds, n).astype(np.int32)
        for part, fitted in enumerate(learner.fit_folds(data, parts, folds)):
            again = acumen.CBA(**learner.get_params()).fit(data.take(np.flatnonzero(parts != part)))
            assert fitted.to_rules() == again.to_rules()
            assert [str(r) for r in fitted.rules_] == [str(r) for r in again.rules_]
            assert np.array_equal(fitted.predict_proba(data), again.predict_proba(data))


def test_folds_whose_counts_do_not_fit_in_memory_are_fitted_one_by_one():
    random = np.random.default_rng(0)
    frame = pd.DataFrame({f"a{j}": random.choice(list("xyz"), 60) for j in range(6)})
    frame["y"] = random.choice(list("pq"), 60)
    data = acumen.read(frame, target="y")
    once = acumen.assess(acumen.CBA(), data, acumen.KFold(10), random_state=0)
    with limited_memory("200KB"):
        told = acumen.assess(acumen.CBA(), data, acumen.KFold(10), random_state=0)
    assert told.estimates == once.estimates
    assert "a model is fitted for each fold" in told.notes[0] and not once.notes
    with limited_memory("2KB"), pytest.raises(TooManySets, match="for which there is no memory"):
        acumen.CBA().fit(data)


def test_folds_that_must_be_fitted_anew_are_told():
    iris, loan = acumen.datasets.load("iris"), acumen.datasets.load("loan")
    assert (
        "'sepal_length' holds numbers"
        in acumen.assess(acumen.CBA(), iris, acumen.KFold(3), random_state=0).notes[0]
    )
    once = acumen.assess(acumen.CBA(), loan, acumen.KFold(3), random_state=0)
    again = acumen.assess(acumen.CBA(), loan, acumen.KFold(3), random_state=0, refit=True)
    assert once.estimates == again.estimates and not once.notes


def test_a_class_may_have_a_support_of_its_own_or_none():
    rows = [("0",)] * 90 + [("1",)] * 10
    data = nominal(rows, ["common"] * 95 + ["rare"] * 5)
    said = lambda **given: {r.label for r in acumen.CarMiner(min_support=0.2, **given).fit(data).rules_}  # noqa: E731
    assert said() == {"common"}
    assert said(class_supports={"rare": 0.02}) == {"common", "rare"}
    assert said(class_supports={"common": 2, "rare": 0.02}) == {"rare"}
    with pytest.raises(ParameterError, match="which is no class"):
        said(class_supports={"rear": 0.1})


def test_weights_that_are_not_whole_count_by_their_share():
    loan = acumen.datasets.load("loan")
    one = acumen.CBA(min_support=0.1).fit(loan, sample_weight=np.full(15, 0.37))
    assert [r.body_words for r in one.to_rules()] == [
        r.body_words for r in acumen.CBA(min_support=0.1).fit(loan).to_rules()
    ]


def test_an_explanation_names_the_rule_and_what_nearly_held():
    loan = acumen.datasets.load("loan")
    told = acumen.CBA(min_support=2 / 15, cut=None).fit(loan).explain(loan.take([0]))
    assert told.rule is not None and told.rule.label == "No"
    assert "fails by Own_house = true alone" in told.note


@pytest.mark.parametrize("vote", ["best", "weighted", "chi2", "laplace"])
def test_strongest_rules_survive_a_file(vote, tmp_path):
    loan = acumen.datasets.load("loan")
    model = acumen.StrongestRules(vote=vote).fit(loan)
    acumen.save(model, tmp_path / "model")
    again = acumen.load(tmp_path / "model")
    assert np.array_equal(model.predict_proba(loan), again.predict_proba(loan))
    assert model.score(loan) >= 0.85


def slow_votes(vote, rules, row, totals):
    """The votes of the rules that hold for a row, as their authors define them; None where no rule holds."""
    n, k = sum(totals), len(totals)
    votes = [[] for _ in totals]
    for attributes, values, head, right, covered in rules:
        if any(row[a] != v for a, v in zip(attributes, values, strict=True)):
            continue
        if vote == "weighted":
            strength = right / covered
        elif vote == "laplace":  # CPAR (Yin and Han 2003)
            strength = (right + 1) / (covered + sum(t > 0 for t in totals))
        else:  # CMAR (Li, Han and Pei 2001); only positively correlated rules count
            of_class = totals[head]
            observed = [[right, covered - right], [of_class - right, n - covered - of_class + right]]
            expected = [[a * b / n for b in (of_class, n - of_class)] for a in (covered, n - covered)]
            if right * n <= covered * of_class or 0 in (n - covered, n - of_class):
                strength = 0.0
            else:
                chi2 = sum(
                    (observed[i][j] - expected[i][j]) ** 2 / expected[i][j] for i in (0, 1) for j in (0, 1)
                )
                share = sum(1 / (n * e) for line in expected for e in line)
                strength = chi2**2 / ((min(covered, of_class) - covered * of_class / n) ** 2 * n * share)
        votes[head].append(strength)
    if not any(votes):
        return None
    if vote == "laplace":
        best = [sorted(each, reverse=True)[:5] for each in votes]
        return [sum(each) / len(each) if each else 0.0 for each in best]
    return [sum(votes[c]) for c in range(k)]


@pytest.mark.parametrize("vote", ["best", "weighted", "chi2", "laplace"])
def test_the_strongest_rules_vote_as_their_authors_define(vote):
    decided = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        n, k = 40, 2 + seed % 2
        codes = rng.integers(0, 3, (n, 4))
        labels = ((codes[:, 0] + codes[:, 1] * (rng.random(n) < 0.7)) % k).tolist()
        codes[rng.random(codes.shape) < 0.1] = -1
        rows = [[None if v < 0 else str(v) for v in line] for line in codes.tolist()]
        rules = slow_cars(rows, labels, k, 3, 0.5, None, True)
        totals = [labels.count(c) for c in range(k)]
        classes = [f"c{c}" for c in range(k)]
        table = nominal(rows, [classes[c] for c in labels], classes)
        model = acumen.StrongestRules(min_support=3 / n, min_confidence=0.5, vote=vote).fit(table)
        for row, answer in zip(rows, model.predict(table).tolist(), strict=True):
            if vote == "best":
                first = next(
                    (r for r in rules if all(row[a] == v for a, v in zip(r[0], r[1], strict=True))), None
                )
                expected = totals.index(max(totals)) if first is None else first[2]
                assert answer == classes[expected]
                decided += 1
                continue
            votes = slow_votes(vote, rules, row, totals) or totals
            ahead = max(votes) - sorted(votes)[-2]
            if ahead > 0.02:  # beyond the smoothing of the votes by the class frequencies
                assert answer == classes[votes.index(max(votes))], (seed, row, votes)
                decided += 1
    assert decided > 300


def test_rules_as_attributes_are_the_first_rules_that_hold():
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 3, (50, 3))
    labels = ((codes[:, 0] + codes[:, 1]) % 2).tolist()
    codes[rng.random(codes.shape) < 0.1] = -1
    rows = [[None if v < 0 else str(v) for v in line] for line in codes.tolist()]
    rules = slow_cars(rows, labels, 2, 2, 0.6, None, True)
    assert len(rules) > 8
    table = nominal(rows, [f"c{c}" for c in labels], ["c0", "c1"])
    features = acumen.RuleFeatures(only=True, max_rules=8, min_support=2 / 50, min_confidence=0.6).fit(table)
    holds = [
        [float(all(row[a] == v for a, v in zip(r[0], r[1], strict=True))) for row in rows] for r in rules[:8]
    ]
    assert np.array(features.transform(table).numeric.columns).tolist() == holds


def test_cmar_weighs_a_rule_by_how_far_its_chi_square_could_go():
    from acumen.associations.strongest_rules_model import weighted_chi2

    # A rule of 6 rows, all right, where 9 of 15 rows are of its class: chi2 = 6.667, which is the largest there is.
    assert weighted_chi2(np.array([6.0]), np.array([6.0]), np.array([9.0]), 15.0)[0] == pytest.approx(20 / 3)
    assert weighted_chi2(np.array([3.0]), np.array([6.0]), np.array([9.0]), 15.0)[0] == 0.0


def test_the_rules_of_a_miner_go_to_json_and_back_and_predict_as_the_strongest_rules_do():
    loan = acumen.datasets.load("loan")
    found = acumen.CarMiner(min_support=0.1).fit(loan).rules_
    again = acumen.RuleList.from_dict(json.loads(json.dumps(found.to_rules().to_dict())))
    assert again == found.to_rules() and list(again) == list(found)
    strongest = acumen.StrongestRules(min_support=0.1, vote="best").fit(loan)
    assert again.predict(loan).tolist() == strongest.predict(loan).tolist()


def test_a_rule_that_errs_more_often_on_fewer_rows_has_the_higher_limit():
    """Which is why the kernel need not work out the limits of most rules that are pruned."""
    n, e = (side.ravel() for side in np.meshgrid(np.arange(1, 61), np.arange(61)))
    n, e = n[e <= n], e[e <= n]
    limit = np.array([upper(*pair) for pair in zip(n.tolist(), e.tolist(), strict=True)])
    worse = (n[:, None] < n) & (e[:, None] * n > e * n[:, None])
    assert worse.any() and (limit[:, None] > limit)[worse].all()
