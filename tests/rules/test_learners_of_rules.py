"""Ripper, CN2 and C45Rules as learners: what they may test, what weights and rows mean, and what they find."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import acumen
from acumen.errors import DataError, ParameterError

IRIS = acumen.datasets.load("iris")
LOAN = acumen.datasets.load("loan")


def mixed(n: int = 300, seed: int = 0) -> acumen.Table:
    """A table whose class is told by a rule on a number and a level, with gaps and noise."""
    rng = np.random.default_rng(seed)
    x, z = rng.normal(size=n), rng.normal(size=n)
    level = rng.choice(list("abcd"), n)
    right = np.where((x > 0.5) | np.isin(level, ["a", "b"]), "yes", "no")
    right = np.where(rng.random(n) < 0.05, np.where(right == "yes", "no", "yes"), right)
    x = np.where(rng.random(n) < 0.05, np.nan, x)
    return acumen.read(pd.DataFrame({"x": x, "z": z, "level": level, "class": right}), target="class")


LEARNERS = [acumen.Ripper(random_state=0), acumen.CN2(), acumen.CN2(ordered=False), acumen.C45Rules()]


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_it_finds_the_rules_that_made_the_table(learner):
    train, test = mixed(), mixed(seed=1)
    # CN2's entropy likes small pure rules, which noise has too.
    assert learner.fit(train).score(test) > (
        0.8 if learner.get_params().get("measure") == "entropy" else 0.87
    )


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_no_rule_tests_what_it_must_not(learner):
    found = learner.set_params(must_not_use=["x"]).fit(mixed()).to_rules()
    learner.set_params(must_not_use=None)
    assert all(c.attribute != "x" for rule in found for c in rule.conditions)


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_every_rule_tests_what_it_must(learner):
    found = learner.set_params(must_use="z").fit(mixed()).to_rules()
    learner.set_params(must_use=None)
    assert found.rules and all(any(c.attribute == "z" for c in rule.conditions) for rule in found)


def test_rules_of_a_tree_test_what_they_must_even_where_the_tree_does_not():
    made = acumen.C45Rules(must_use=["sepal_width"]).fit(IRIS)
    assert {rule.label for rule in made.to_rules()} == set(IRIS.schema.classes)
    assert all("sepal_width" in str(rule) for rule in made.to_rules()) and made.score(IRIS) > 0.9
    up = acumen.C45Rules(must_use=["sepal_width"], monotone={"sepal_width": 1}).fit(IRIS).to_rules()
    assert all("sepal_width >" in str(rule) for rule in up if rule.label == "Iris-virginica")
    made = acumen.C45Rules(must_use="Age").fit(LOAN)
    assert all("Age" in str(rule) for rule in made.to_rules()) and made.score(LOAN) > 0.9


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
@pytest.mark.parametrize("way", [1, "down"])
def test_directions_are_kept_for_the_first_and_the_last_class(learner, way):
    found = learner.set_params(monotone={"x": way}).fit(mixed()).to_rules()
    learner.set_params(monotone=None)
    for rule in found:
        wanted = ">" if (rule.label == "yes") == (way == 1) else "<="
        assert all(c.op == wanted for c in rule.conditions if c.attribute == "x")


def test_constraints_that_do_not_fit_are_told():
    for given, said in (
        ({"must_use": ["w"]}, "must_use names 'w'"),
        ({"must_use": "x", "must_not_use": "x"}, "'x' is in must_use and in must_not_use"),
        ({"monotone": {"level": 1}}, "whose values have no order"),
        ({"monotone": {"x": 2}}, "must be 1"),
    ):
        with pytest.raises(ParameterError, match=said):
            acumen.CN2(**given).fit(mixed(50))


def test_sets_of_levels_may_be_named():
    found = acumen.Ripper(sets=True, random_state=0).fit(mixed()).to_rules()
    assert any(c.op == "in" for rule in found for c in rule.conditions)
    assert acumen.Ripper(sets=True, random_state=0).fit(mixed()).score(mixed(seed=1)) > 0.87


def test_words_of_texts_are_asked_for():
    texts = [
        "win a prize now",
        "meet me at noon",
        "a prize for you",
        "lunch at noon",
        "claim your prize",
    ] * 10
    labels = ["spam", "ham", "spam", "ham", "spam"] * 10
    table = acumen.read(
        pd.DataFrame({"text": texts, "class": labels}), target="class", kinds={"text": "text"}
    )
    for learner in (acumen.Ripper(random_state=0), acumen.CN2()):
        found = learner.fit(table)
        assert any(c.op in ("has", "has not") for rule in found.to_rules() for c in rule.conditions)
        assert found.score(table) > 0.95


@pytest.mark.parametrize(
    "learner",
    [acumen.Ripper(prune_fraction=0), acumen.CN2(), acumen.CN2(ordered=False), acumen.C45Rules()],
    ids=str,
)
def test_a_weight_is_a_repeated_row_and_order_does_not_matter(learner):
    table = mixed(120)
    twice = np.random.default_rng(0).integers(1, 4, 120)
    heavy = learner.fit(table, sample_weight=twice.astype(float)).to_rules()
    rows = np.random.default_rng(1).permutation(np.repeat(np.arange(120), twice))
    assert str(learner.fit(table.take(rows)).to_rules()) == str(heavy)


@pytest.mark.parametrize("learner", LEARNERS[:3], ids=str)
def test_threads_change_nothing(learner):
    table = mixed(150_000 if isinstance(learner, acumen.Ripper) else 3_000)
    one, two = (str(learner.set_params(n_jobs=n).fit(table).to_rules()) for n in (1, 2))
    assert one == two


def test_the_seed_alone_decides_what_is_held_back():
    table = mixed()
    lists = {str(acumen.Ripper(random_state=seed).fit(table).to_rules()) for seed in range(6)}
    assert len(lists) > 1
    assert str(acumen.Ripper(random_state=3).fit(table).to_rules()) == str(
        acumen.Ripper(random_state=3).fit(table).to_rules()
    )


def test_the_documents_setting_has_rules_for_every_class():
    learner = acumen.Ripper(
        classes="all", deletion="subsets", stop="error", n_optimisations=0, gain="plain", random_state=0
    )
    assert {rule.label for rule in learner.fit(IRIS).to_rules()} == set(IRIS.schema.classes)
    assert {rule.label for rule in acumen.Ripper(random_state=0).fit(IRIS).to_rules()} < set(
        IRIS.schema.classes
    )


def test_no_rule_that_ends_by_error_is_left_without_rows():
    for seed in range(6):
        rules = acumen.Ripper(stop="error", random_state=seed).fit(IRIS).to_rules()
        assert all(rule.covered_weight > 0 for rule in rules)


def test_an_attribute_that_counts_more_makes_no_rule_end_early():
    rng = np.random.default_rng(0)
    a, b, c = rng.normal(size=(3, 600))  # numbers of many values, of which the first tells nothing
    label = np.where(((c > 0.3) & (b > 0)) | (rng.random(600) < 0.1), "p", "n")
    table = acumen.read(pd.DataFrame({"a": a, "b": b, "c": c, "y": label}), target="y")
    plain = acumen.Ripper(random_state=0).fit(table)
    for weights in ({"a": 1.5}, {"a": 1.0, "b": 1.0}):
        learner = acumen.Ripper(random_state=0, attribute_weights=weights).fit(table)
        assert learner.score(table) >= plain.score(table) - 0.02


def test_given_rules_are_only_counted():
    text = "if Own_house = true then Yes; otherwise No"
    made = acumen.RuleClassifier(text).fit(LOAN)
    assert str(made.to_rules()[0]).endswith("(support 6/15, confidence 6/6)")
    assert made.predict_proba(LOAN).max() < 1
    form = made.to_rules().to_dict()
    assert str(acumen.RuleClassifier(form).fit(LOAN).to_rules()) == str(made.to_rules())
    with pytest.raises(DataError, match="there is no input 'Own_house'"):
        acumen.RuleClassifier(acumen.RuleList.parse(text, LOAN.schema)).fit(IRIS)


def test_costs_change_what_is_said_and_not_the_rules():
    plain = acumen.CN2(significance=None, max_conditions=1).fit(mixed())
    dear = acumen.CN2(significance=None, max_conditions=1, costs={("no", "yes"): 50}).fit(mixed())
    assert str(plain.to_rules()) == str(dear.to_rules())
    assert (dear.predict(mixed()) == "yes").sum() > (plain.predict(mixed()) == "yes").sum()


def test_rows_that_no_rule_covers_are_said():
    assert (
        "9 of 15 training rows are covered by no rule." in acumen.Ripper(random_state=0).fit(LOAN).describe()
    )


def test_every_level_and_threshold_that_is_looked_at_counts_as_a_rule_tested():
    loan = acumen.datasets.load("loan")
    plain = {"prune_fraction": 0, "n_optimisations": 0, "max_conditions": 1, "random_state": 0}
    # The ten levels of four attributes, for `Own_house = false`: no row of No is left for a second rule.
    assert acumen.Ripper(**plain).fit(loan).n_tested_ == 10
    few = acumen.read(pd.DataFrame({"a": list("xxyy"), "y": list("pqqq")}), target="y")
    assert acumen.Ripper(**plain, min_covered=1).fit(few).n_tested_ == 2
    # The same column as numbers: one cut, either side of it.
    cut = acumen.read(pd.DataFrame({"a": [1.5, 1.5, 2.5, 2.5], "y": list("pqqq")}), target="y")
    assert acumen.Ripper(**plain, min_covered=1).fit(cut).n_tested_ == 2
