"""The command line, the recommender and rules as attributes; pictures of rules."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import acumen
from acumen.associations.quantitative import trim_rule, widen_rule
from acumen.cli.main import run as command
from acumen.conditions.condition import Condition
from acumen.conditions.rule import Rule
from acumen.errors import DataError, ParameterError
from associations.brute import all_counts

LINES = "milk,bread\nbread\nmilk,bread,jam,tea\njam\nmilk,tea,bread\n" * 4


@pytest.fixture
def shop(tmp_path):
    path = tmp_path / "shop.csv"
    path.write_text(LINES)
    return path


@pytest.fixture
def run(capsys):
    def told(*words):
        code = command([str(word) for word in words])
        out, err = capsys.readouterr()
        return code, out, err

    return told


def test_mine_recognises_a_ragged_csv_and_tells_the_sets(shop, run):
    code, out, _ = run("mine", shop, "--min-support", "0.5", "--json")
    told = json.loads(out)
    assert code == 0 and told["baskets"] == 20
    assert told["itemsets"][0] == {"items": ["bread"], "count": 16, "support": 0.8}
    expected = acumen.frequent_itemsets(shop, min_support=0.5)
    assert [tuple(one["items"]) for one in told["itemsets"]] == [one.items for one in expected]
    assert "3 itemsets of 20 baskets" in run("mine", shop, "--min-support", "0.5")[1]
    closed = json.loads(run("mine", shop, "--min-support", "0.5", "--closed", "--json")[1])
    assert len(closed["itemsets"]) == 2


def test_mine_writes_rules_to_a_file(shop, tmp_path, run):
    out = tmp_path / "rules.csv"
    code, _, err = run("mine", shop, "--min-support", "0.2", "--rules", "--min-confidence", "0.9", "-o", out)
    frame = pd.read_csv(out)
    assert code == 0 and f"rules written to {out}" in err
    assert set(frame["body"]) >= {"milk", "tea"} and (frame["confidence"] >= 0.9).all()
    as_json = tmp_path / "rules.json"
    run("mine", shop, "--rules", "--head", "bread", "-o", as_json)
    assert {rule["head"][0] for rule in json.loads(as_json.read_text())["rules"]} == {"bread"}


@pytest.mark.parametrize(
    ("words", "said"),
    [(["--closed", "--maximal"], "only one of"), (["--min-confidence", "0.5"], "add --rules"),
     (["--rules", "--closed"], "do not apply to rules")],
)  # fmt: skip
def test_mine_refuses_what_does_not_go_together(shop, words, said, run):
    code, _, err = run("mine", shop, *words)
    assert code != 0 and said in " ".join(err.split())


def test_the_strongest_rule_recommends_and_says_why():
    shop = acumen.Recommender(n=2).fit([["a", "b"], ["a", "b"], ["a", "c"], ["d"]])
    first, second = shop.recommend(["a", "never seen"])
    assert (first.item, second.item) == ("b", "c") and first.value == pytest.approx(2 / 3)
    assert "if a then b" in first.why
    assert shop.recommend(["a", "b", "c"]) == [] and shop.recommend([]) == []
    by_lift = acumen.Recommender(shop.rules_, by="lift", n=1)
    assert by_lift.recommend(["b"])[0].item == "a"
    with pytest.raises(NotFittedError):
        acumen.Recommender().recommend(["a"])
    with pytest.raises(DataError, match="a list of items"):
        shop.recommend("ab")
    with pytest.raises(ParameterError, match="n must be"):
        acumen.Recommender(n=0).fit([["a"]])


@pytest.mark.parametrize("by", ["confidence", "lift", "leverage", "support"])
def test_recommendations_are_the_strongest_of_all_rules(by):
    rng = np.random.default_rng(1)
    rows = [[item for item in "abcdef" if rng.random() < 0.4] for _ in range(40)]
    rows = [row for row in rows if row]
    n = len(rows)
    counts = all_counts([set(row) for row in rows])
    shop = acumen.Recommender(acumen.AssociationRules(min_support=0.05, min_confidence=0.2), by=by, n=3).fit(
        rows
    )
    for basket in (["a"], ["a", "b"], ["c", "e", "f"], ["b", "d", "unknown"]):
        strongest = {}
        for both, count in counts.items():
            for head in both - set(basket):
                body = both - {head}
                if not body or not body <= set(basket) or count / n < 0.05 or count / counts[body] < 0.2:
                    continue
                confidence, chance = count / counts[body], counts[frozenset(head)] / n
                value = {
                    "confidence": confidence,
                    "lift": confidence / chance,
                    "leverage": count / n - counts[body] / n * chance,
                    "support": count / n,
                }[by]
                strongest[head] = max(value, strongest.get(head, -1.0))
        recommended = shop.recommend(basket)
        assert [r.value for r in recommended] == pytest.approx(sorted(strongest.values(), reverse=True)[:3])
        assert all(strongest[r.item] == pytest.approx(r.value) for r in recommended)


def test_hidden_items_measure_a_recommender():
    random = np.random.default_rng(0)
    rows = [[f"x{k}", f"y{k}"] for k in random.integers(0, 20, 400)]
    judged = acumen.Recommender(n=1).fit(rows[:200]).evaluate(rows[200:], random_state=1)
    assert judged.hit_rate > 0.9 and judged.popular < 0.3 and judged.baskets == 200
    assert judged.to_dict()["hits"] == judged.hits and "hidden items recommended" in str(judged)


def test_rules_become_attributes_of_any_learner():
    loan = acumen.datasets.load("loan")
    both = acumen.RuleFeatures(min_support=0.2, max_conditions=2).fit(loan)
    made = both.transform(loan)
    assert len(made.schema) == 4 + len(both.rules_) and made.schema.target.name == "Class"
    assert acumen.DecisionTree().fit(made).score(made) > 0.9
    only = acumen.RuleFeatures(only=True, min_support=0.2).fit_transform(loan)
    assert all(a.is_numeric for a in only.schema)
    iris = acumen.datasets.load("iris")
    X, y = iris.to_pandas().iloc[:, :4].to_numpy(), iris.label_values()
    model = make_pipeline(acumen.RuleFeatures(only=True, max_rules=20), LogisticRegression()).fit(X, y)
    assert model.score(X, y) > 0.9
    beside = acumen.RuleFeatures(max_rules=5).fit(X, y)
    assert beside.transform(X).shape == (150, 9) and len(beside.get_feature_names_out()) == 9


@pytest.mark.parametrize("given", [{}, {"only": True}])
def test_rules_as_attributes_are_kept_in_a_file(given, tmp_path, run):
    iris = acumen.datasets.load("iris")
    made = acumen.RuleFeatures(max_rules=5, **given).fit(iris)
    acumen.save(made, tmp_path / "rules.acm")
    again = acumen.load(tmp_path / "rules.acm")
    assert again.rules_ == made.rules_ and again.transform(iris).schema == made.transform(iris).schema
    frame = iris.to_pandas().drop(columns=iris.schema.target.name)
    assert np.array_equal(again.transform(frame), made.transform(frame))
    learned = run(
        "learn", "iris", "--learner", "rule-features", "--set", "max_rules=5", "-o", tmp_path / "m.acm"
    )
    code, out, _ = run("predict", tmp_path / "m.acm", "iris")
    assert learned[0] == code == 0 and out.splitlines()[0].endswith(made.get_feature_names_out()[-1])
    code, _, err = run("learn", "iris", "--target", "sepal_length", "--learner", "rule-features")
    assert code != 0 and "--kind sepal_length=nominal" in " ".join(err.split())


def test_rules_beside_attributes_of_any_kind():
    frame = pd.DataFrame({"n": [1.0, 2, np.inf, 4] * 5, "c": list("uvuw") * 5, "y": list("abab") * 5})
    table = acumen.read(frame, target="y")
    made = acumen.RuleFeatures(min_support=0.1).fit(table)
    columns = made.transform(table)
    assert columns.schema["c"].is_nominal and np.isnan(columns.column("n")).sum() == 5
    wide = acumen.RuleFeatures(min_support=0.1).fit(frame[["n", "c"]], frame["y"])
    names = wide.get_feature_names_out().tolist()
    assert names[:4] == ["n", "c=u", "c=v", "c=w"] and wide.transform(frame[["n", "c"]]).shape == (
        20,
        len(names),
    )
    with pytest.raises(DataError, match="no rule is frequent and sure enough"):
        acumen.RuleFeatures(only=True, class_supports={"a": 2, "b": 2}).fit(table)
    with pytest.raises(DataError, match="requires y"):
        acumen.RuleFeatures().fit(frame[["n"]])


def test_one_line_is_one_basket_and_the_most_frequent_need_no_support(tmp_path, run):
    path = tmp_path / "one.csv"
    path.write_text("milk,bread,jam\n")
    told = json.loads(run("mine", path, "--json")[1])
    assert told["baskets"] == 1 and len(told["itemsets"]) == 7
    lists = ["a,b", "c", "", "d,e,f,a", "g", *(f"x{i}" + f",y{i}" * (i % 3) for i in range(40))]
    path.write_text("\n".join(lists) + "\n\n")
    told = json.loads(run("mine", path, "--top", "3", "--json")[1])
    assert told["baskets"] == 45 and [one["items"] for one in told["itemsets"]] == [["a"], ["b"], ["c"]]


def test_pictures_of_rules():
    rules = (
        acumen.AssociationRules(min_support=0.2, min_confidence=0.6).fit(acumen.datasets.load("loan")).rules_
    )
    scatter, graph = rules.to_figure()._repr_svg_(), rules.to_figure("graph", most=5)._repr_svg_()
    assert scatter.count("<path") + scatter.count("<circle") >= len(rules) and "lift above 1" in scatter
    assert "Class=Yes" in graph
    with pytest.raises(ParameterError, match="'scatter' or 'graph'"):
        rules.to_figure("pie")


def test_intervals_are_trimmed_and_widened_while_they_stay_good():
    frame = pd.DataFrame({"x": [1.0, 2, 3, 4, 5, 6, 7, 8], "y": list("aabbbbaa")})
    table = acumen.read(frame, target="y")
    wide = Rule([Condition("x", "between", (1.5, 7.5))], "b")
    less = trim_rule(wide, table)
    assert str(less.conditions[0]) == "2.5 < x <= 6.5" and less.confidence == 1.0
    narrow = Rule.from_table([Condition("x", "between", (3.5, 4.5))], "b", table)
    more = widen_rule(narrow, table)
    assert str(more.conditions[0]) == "2.5 < x <= 6.5" and more.support == 0.5
    loose = widen_rule(narrow, table, min_confidence=0.5)
    assert loose.confidence >= 0.5 and loose.covered_weight == 8


def test_days_are_cut_as_any_numbers_are_and_conditions_write_them_as_dates(tmp_path):
    path = tmp_path / "sales.csv"
    rows = [f"2020-0{i % 9 + 1}-1{i % 3},{'ab'[i % 2]}" for i in range(40)]
    path.write_text("\n".join(["when,class", *rows]) + "\n")
    table = acumen.read(path, target="class")
    found = acumen.AssociationRules(min_support=0.01, min_confidence=0.1, discretise="equal-width").fit(table)
    assert "when=[2020-01-10" in str(found.rules_)
    made = found.transform(table) if hasattr(found, "transform") else None
    assert made is None or len(made) == 40
