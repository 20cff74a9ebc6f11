"""`acumen rules report`: how far each rule of a kept model can be trusted."""

from __future__ import annotations

import json

import pytest

import acumen
from acumen.cli.main import run

IRIS = acumen.datasets.load("iris")


@pytest.fixture
def kept(tmp_path):
    def make(learner, name="m.acm"):
        acumen.save(learner, tmp_path / name)
        return str(tmp_path / name)

    return make


def test_the_report_is_that_of_python_and_knows_how_many_rules_were_looked_at(kept, capsys):
    learner = acumen.CN2().fit(IRIS)
    assert run(["rules", "report", kept(learner), "iris", "--folds", "3", "--seed", "5", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    same = acumen.rule_report(learner, IRIS, folds=3, random_state=5)
    assert made == json.loads(json.dumps(same.to_dict()))
    assert made["n_tested"] == learner.n_tested_ > len(learner.to_rules())


def test_rules_by_hand_are_corrected_for_themselves_alone(kept, capsys):
    edited = acumen.RuleClassifier(acumen.CN2().fit(IRIS).to_rules().without(0)).fit(IRIS)
    assert run(["rules", "report", kept(edited), "iris", "--correction", "yekutieli"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("1. if ") and "as if written by hand" in said
    assert "left out" not in said


def test_a_table_without_classes_and_a_model_without_rules_are_told(kept, tmp_path, capsys):
    bare = tmp_path / "bare.csv"
    bare.write_text("sepal_length,sepal_width,petal_length,petal_width\n5,3,1,0.2\n")
    assert run(["rules", "report", kept(acumen.CN2().fit(IRIS)), str(bare)]) != 0
    assert run(["rules", "report", kept(acumen.NaiveBayes().fit(IRIS), "b.acm"), "iris"]) != 0
    assert run(["rules", "report", kept(acumen.CN2().fit(IRIS)), "iris", "--folds", "1"]) != 0
    said = capsys.readouterr().err
    assert "Traceback" not in said and said.count("acumen:") == 3


def test_a_table_of_other_columns_is_told_without_options_that_the_command_has_not(kept, capsys):
    model = kept(acumen.CN2().fit(IRIS))
    for command in (["report", model, "loan"], ["edit", model, "--remove", "1", "--effect", "loan"]):
        assert run(["rules", *command]) == 3
        said = capsys.readouterr().err
        assert "no column 'sepal_length' (and 3 more)" in said and "--rename" not in said
        assert "the training columns of the model" in said
