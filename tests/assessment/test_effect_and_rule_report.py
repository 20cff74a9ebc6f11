"""What an edit does to rows, and how far each rule can be trusted."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import acumen
from acumen import RuleList
from acumen.assessment.contestants import learner_name
from acumen.assessment.statistics import mcnemar
from acumen.errors import DataError, ParameterError

LOAN = acumen.datasets.load("loan")
IRIS = acumen.datasets.load("iris")


def test_the_effect_of_an_edit_is_the_rows_that_change_and_a_paired_test():
    old = acumen.CN2().fit(LOAN).to_rules()
    new = old.without(0)
    found = acumen.effect(old, new, LOAN)
    a, b = old.predict(LOAN), new.predict(LOAN)
    assert found.changed.tolist() == np.flatnonzero(a != b).tolist() == [8, 9, 10, 11]
    assert found.moves == {("Yes", "No"): 4} and (found.fixed, found.broken) == (0, 4)
    truth = LOAN.label_values()
    assert found.test.p == mcnemar(truth, a.astype(object), b.astype(object)).p == 0.125
    assert "Yes -> No: 4" in str(found) and "show no significant difference" in str(found)
    assert json.loads(json.dumps(found.to_dict()))["changed"] == [8, 9, 10, 11]


def test_any_fitted_classifiers_can_be_told_apart_and_nothing_changes_from_itself():
    tree, rules = acumen.DecisionTree().fit(IRIS), acumen.CN2().fit(IRIS)
    assert len(acumen.effect(tree, tree, IRIS).changed) == 0
    assert acumen.effect(tree, rules.to_rules(), IRIS).rows == 150
    with pytest.raises(DataError, match="old list cannot predict these rows"):
        acumen.effect(rules.to_rules(), tree, LOAN)
    with pytest.raises(ParameterError, match="must be a RuleList or a fitted classifier"):
        acumen.effect(3, tree, IRIS)


def test_a_report_knows_training_left_out_rows_folds_and_chance():
    learner = acumen.Ripper(random_state=0).fit(IRIS)
    report = acumen.rule_report(learner, IRIS, folds=5, random_state=0)
    first = report[0]
    assert (first.training.right, first.training.covered) == (50, 50)
    assert first.training.accuracy.estimate == 1 and 0.92 < first.training.accuracy.low < 0.94
    assert 0 < first.returned <= 5 and first.left_out.right <= first.left_out.covered <= 50
    assert report.n_tested == learner.n_tested_ and first.test.adjusted >= first.test.p
    assert "folds" in str(report) and "rules that the search examined" in str(report)
    assert json.loads(json.dumps(report.to_dict()))["rules"][0]["returned"] == first.returned


def test_a_rule_of_confidence_one_may_be_chance():
    table = acumen.datasets.load("loan-b")
    rules = RuleList.parse("if Age = young and Has_Job = true then Yes; otherwise No", table.schema)
    report = acumen.rule_report(rules, table)
    assert "100 % sure, p = 0.34" in str(report)
    assert report[0].left_out is None and report[0].returned is None
    assert "as if written by hand" in str(report)


@pytest.mark.parametrize(
    "learner", [acumen.C45Rules(), acumen.DecisionTree()], ids=["C45Rules", "DecisionTree"]
)
def test_rules_of_a_search_that_counts_nothing_have_no_corrected_p_value(learner) -> None:
    table = acumen.datasets.load("weather")
    report = acumen.rule_report(learner.fit(table), table, folds=0)
    assert len(report) > 1 and all(line.test.adjusted is None for line in report)
    assert "corrected " not in str(report).replace("not corrected", "") and "not corrected" in str(report)
    assert all(rule["adjusted"] is None for rule in report.to_dict()["rules"])


def test_class_association_rules_are_corrected_for_all_sets_that_were_mined() -> None:
    table = acumen.datasets.load("loan")
    learner = acumen.CBA().fit(table)
    bodies = {
        frozenset(rule.conditions)
        for rule in acumen.CarMiner(min_confidence=0.0, prune=None).fit(table).rules_
    }
    assert learner.n_tested_ >= len({body for body in bodies if len(body) == 1})
    report = acumen.rule_report(learner, table, folds=0)
    assert report.n_tested == learner.n_tested_ > len(report)
    assert report[0].test.adjusted > report[0].test.p


@pytest.mark.slow
@pytest.mark.parametrize(
    "learner", [acumen.CBA(), acumen.StrongestRules(max_conditions=2), acumen.Ripper(random_state=0)],
    ids=lambda each: type(each).__name__,
)  # fmt: skip
def test_one_table_of_noise_in_twenty_at_most_has_a_rule_that_is_called_true(learner) -> None:
    false = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        frame = pd.DataFrame({f"x{j}": rng.normal(size=150) for j in range(3)})
        for j in range(5):
            frame[f"c{j}"] = rng.choice(list("abc"), 150)
        frame["class"] = rng.choice(["a", "b"], 150)
        table = acumen.read(frame, target="class")
        report = acumen.rule_report(learner.fit(table), table, folds=0)
        false += any(line.test.adjusted is not None and line.test.adjusted <= 0.05 for line in report)
    assert false <= 10  # 5 expected at most; more than 10 has a chance of 1 % at 5 %


@pytest.mark.slow
def test_corrected_p_values_call_few_rules_of_pure_noise_true():
    false = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        frame = pd.DataFrame({f"x{j}": rng.normal(size=150) for j in range(4)})
        frame["class"] = rng.choice(["a", "b"], 150)
        table = acumen.read(frame, target="class")
        learner = acumen.CN2(significance=None, measure="laplace", min_covered=8, max_conditions=2).fit(table)
        report = acumen.rule_report(learner, table, folds=0)
        false += any(line.test.adjusted <= 0.05 for line in report)
    assert false <= 7  # 3 expected at most; 7 has a chance of 2.5 % at 5 %


@pytest.mark.slow
def test_rules_of_nominal_noise_are_seldom_called_true_either():
    false = rules = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        frame = pd.DataFrame({f"c{j}": rng.choice(list("abcd"), 120) for j in range(5)})
        frame["class"] = rng.choice(["a", "b"], 120)
        table = acumen.read(frame, target="class")
        learner = acumen.Ripper(
            prune_fraction=0,
            n_optimisations=0,
            classes="all",
            stop="error",
            min_covered=6,
            max_conditions=2,
            random_state=0,
        ).fit(table)
        report = acumen.rule_report(learner, table, folds=0)
        rules += len(report)
        false += any(line.test.adjusted <= 0.05 for line in report)
    assert rules >= 60  # it does find rules in noise, of which some look good
    assert false <= 7  # 3 expected at most; 7 has a chance of 2.5 % at 5 %


@pytest.mark.slow
def test_the_paired_test_of_an_edit_errs_one_time_in_twenty_at_most_and_finds_what_is_there():
    """Rows that the edit answers otherwise are right before or after with chances of one half, or of nine tenths."""
    rng = np.random.default_rng(0)
    schema = acumen.read(pd.DataFrame({"a": list("xyz"), "y": list("pqp")}), target="y").schema
    old = RuleList.parse("if a = x then p; if a = y then q; otherwise p", schema)
    new = old.without(0).without(0).insert_rule(0, RuleList.parse("if a = x then q", schema)[0])
    called = {0.5: 0, 0.9: 0}
    for better in called:
        for _ in range(400):
            a = rng.choice(list("xyz"), 90)
            right = rng.random(90) < better  # the new list, where the two differ
            said_new, said_old = np.where(a == "x", "q", "p"), np.where(a == "y", "q", "p")
            y = np.where(right, said_new, said_old)
            table = acumen.read(pd.DataFrame({"a": [*a, *"xyz"], "y": [*y, *"pqp"]}), target="y")
            called[better] += acumen.effect(old, new, table).test.p <= 0.05
    assert called[0.5] <= 29  # 20 expected at most; 29 and more have a chance of 2.5 % at 5 %
    assert called[0.9] >= 390


def test_compare_takes_an_edited_list_beside_learners():
    edited = acumen.C45Rules().fit(LOAN).to_rules().without(0)
    found = acumen.compare(
        {"edited": edited, "majority": acumen.Majority()}, LOAN, acumen.KFold(3), random_state=0
    )
    assert "edited" in found.names


def test_rules_that_share_no_rows_are_tested_wherever_they_stand():
    iris = acumen.datasets.load("iris")
    rules = acumen.OneR().fit(iris).to_rules()
    report = acumen.rule_report(rules, iris, folds=0)
    # The last one covers all that is left, of which nothing could be told.
    assert all(line.test.p < 1e-15 for line in report)
    turned = acumen.rule_report(rules.move_rule(2, 0), iris, folds=0)
    assert [line.test.p for line in turned] == [report[at].test.p for at in (2, 0, 1)]


def test_lists_of_rules_have_short_names_in_a_comparison():
    iris = acumen.datasets.load("iris")
    rules = acumen.OneR().fit(iris).to_rules()
    found = acumen.compare([rules, rules.without(0)], iris, acumen.KFold(2), random_state=0)
    assert {"RuleClassifier(rules=<3 rules>)", "RuleClassifier(rules=<2 rules, edited>)"} <= set(found.names)
    code = learner_name(acumen.RuleClassifier(rules), as_code=True)
    made = eval(code, {"acumen": acumen, "RuleClassifier": acumen.RuleClassifier})
    assert made.rules.rules == rules.rules
