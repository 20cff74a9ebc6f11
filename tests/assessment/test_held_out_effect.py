"""A change by hand on rows left out: lists stay as they are, learners are fitted again with their changes."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import acumen
from acumen import RuleList
from acumen.cli.main import run
from acumen.errors import DataError, ParameterError


@pytest.fixture(scope="module")
def iris():
    return acumen.datasets.load("iris")


@pytest.fixture(scope="module")
def tree(iris):
    return acumen.DecisionTree(random_state=0).fit(iris)


def test_rules_are_the_same_in_every_fold_and_their_learner_is_fitted_again(iris, tree):
    rules = tree.to_rules()
    new = rules.without(len(rules) - 1)
    found = acumen.held_out_effect(tree, new, iris, folds=5, random_state=3)
    seen = acumen.effect(rules, new, iris)
    judged = found.to_dict()["judged"]
    assert judged["before"]["mean"] * 150 == pytest.approx(seen.old_errors)
    assert judged["after"]["mean"] * 150 == pytest.approx(seen.new_errors)
    told = found.to_dict()
    assert (told["fixed"], told["broken"]) == (seen.fixed, seen.broken)
    assert told["mcnemar"] == pytest.approx(seen.test.p)
    refitted = acumen.assess(acumen.DecisionTree(random_state=0), iris, acumen.KFold(5), random_state=3)
    assert judged["retrained"]["mean"] == refitted.mean
    assert "shows by how much" in str(found)


def test_rules_changed_twice_have_no_learner_to_be_fitted_again(iris, tree):
    once = tree.to_rules().without(0)
    given = acumen.RuleClassifier(once).fit(iris)
    for before in (once, given):
        found = acumen.held_out_effect(before, once.move_rule(0, 1), iris, folds=3)
        assert found.names == ("before", "after") and found.given
        assert "retrained" not in str(found)


def test_shapes_are_fitted_again_in_each_fold_and_then_changed(iris):
    model = acumen.Additive().fit(iris)
    edited = model.edit("petal_width").edit("petal_length", 2, 5)
    found = acumen.held_out_effect(model, edited, iris, folds=3, random_state=1)
    whole = acumen.compare({"a": model, "b": edited}, iris, acumen.KFold(3), random_state=1)
    assert found.to_dict()["judged"]["after"]["mean"] == whole.assessments["b"].mean
    assert not found.given
    assert found.to_dict()["broken"] == len(whole.disagree("a", "b").only_a)


def test_numbers_have_a_difference_and_no_cells():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(120, 2))
    frame = pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "y": x[:, 0] ** 2 + 0.1 * rng.normal(size=120)})
    table = acumen.read(frame, target="y")
    model = acumen.AdditiveRegressor().fit(table)
    told = acumen.held_out_effect(model, model.edit("a"), table, folds=4).to_dict()
    assert told["measure"] == "rmse" and told["fixed"] is None
    assert told["low"] > 0 and told["judged"]["after"]["mean"] > told["judged"]["before"]["mean"]


def test_what_cannot_be_judged_is_told(iris, tree):
    rules = tree.to_rules()
    with pytest.raises(ParameterError, match="must be fitted"):
        acumen.held_out_effect(acumen.DecisionTree(), rules, iris)
    with pytest.raises(ParameterError, match="lists of rules or learners; got int"):
        acumen.held_out_effect(3, 4, iris)
    with pytest.raises(ParameterError, match="give a Table"):
        acumen.held_out_effect(tree, rules, "iris.csv")
    with pytest.raises(DataError):
        acumen.held_out_effect(rules, rules, acumen.read(pd.DataFrame({"petal_width": [1.0, 2.0]})))


def test_on_the_command_line_with_folds(tmp_path, capsys):
    model = str(tmp_path / "m.acm")
    loan = acumen.datasets.load("loan")
    acumen.save(acumen.C45Rules().fit(loan), model)
    words = ["rules", "edit", model, "--remove", "1"]
    assert run([*words, "--folds", "3"]) == 2
    assert "--folds evaluates the rows of a table; add --effect DATA." in capsys.readouterr().err
    assert run([*words, "--effect", "loan", "--folds", "3", "--seed", "2", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["held_out"]
    learner = acumen.load(model)
    rules = learner.to_rules().without(0)
    mine = acumen.held_out_effect(learner, rules, loan, folds=3, random_state=2).to_dict()
    assert told == json.loads(json.dumps(mine))
    assert run([*words, "--effect", "loan", "--folds", "3"]) == 0
    assert "retrained" in capsys.readouterr().out


def test_rules_that_stay_as_they_are_have_the_p_of_mcnemars_exact_test(iris, tree):
    rules = tree.to_rules()
    effect = acumen.held_out_effect(rules, rules.without(0), iris, folds=5).to_dict()
    assert effect["p"] == pytest.approx(effect["mcnemar"])
    mixed = acumen.held_out_effect(rules, acumen.OneR(), iris, folds=5)
    assert mixed.given and mixed.refitted


@pytest.mark.slow
@pytest.mark.parametrize(("old", "new", "effect"), [(0.4, 0.6, 0.0), (0.3, 0.5, -0.12)])
def test_the_interval_covers_the_true_effect_of_a_change_to_rules(old, new, effect):
    """400 tables of 100 rows: p is 0.8 above x = 0.5 and 0.2 below, and the rules cut elsewhere."""
    rng = np.random.default_rng(0)

    def draw(n):
        x = rng.random(n)
        y = np.where(rng.random(n) < np.where(x > 0.5, 0.8, 0.2), "p", "q")
        return acumen.read(pd.DataFrame({"x": x, "y": y}), target="y")

    schema = draw(50).schema
    before, after = (RuleList.parse(f"if x > {cut} then p; otherwise q", schema) for cut in (old, new))
    covered = significant = 0
    for seed in range(400):
        found = acumen.held_out_effect(before, after, draw(100), folds=3, random_state=seed).to_dict()
        covered += found["low"] <= effect <= found["high"]
        significant += found["p"] <= 0.05
    # A test of whole counts rejects seldom, and intervals hold 0 where it does not.
    assert 0.93 <= covered / 400 <= (0.99 if effect == 0 else 0.97)
    assert significant <= 29 if effect == 0 else significant >= 200  # 29 has a chance of 2.5 % at 5 %
