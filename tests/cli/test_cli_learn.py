"""`acumen learn`: what is learned is what the library learns, every parameter can be said, and no is a sentence."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import acumen
from acumen.cli.main import run

LOAN = acumen.datasets.load("loan")


def learned(*args: str, output: Path) -> object:
    assert run(["learn", *args, "-o", str(output)]) == 0
    return acumen.load(output)


def test_learn_keeps_the_model_the_library_learns(tmp_path, capsys):
    made = tmp_path / "m.acm"
    assert run(["learn", "loan", "--learner", "naive-bayes", "--set", "alpha=0.5", "-o", str(made)]) == 0
    out, err = capsys.readouterr()
    model = acumen.NaiveBayes(alpha=0.5).fit(LOAN)
    assert out == model.describe() + "\n" and str(made) in err
    acumen.save(model, tmp_path / "same.acm")
    assert made.read_bytes() == (tmp_path / "same.acm").read_bytes()


def test_without_output_nothing_is_written_and_that_is_said(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["learn", "loan"]) == 0
    assert "-o FILE" in capsys.readouterr().err and list(tmp_path.iterdir()) == []


def test_json_says_what_was_learned(tmp_path, capsys):
    made = tmp_path / "m.acm"
    assert run(["learn", "iris", "--learner", "full-bayes", "-o", str(made), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["learner"] == "full-bayes" and facts["target"] == "class" and facts["rows"] == 150
    assert facts["classes"] == ["Iris-setosa", "Iris-versicolor", "Iris-virginica"]
    assert facts["model_file"] == str(made) and "Surfaces" in facts["description"]


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("alpha=2", 2.0),
        ('alpha={"Age": 2}', {"Age": 2}),
        ("alpha=[1, 2, 3, 4]", [1, 2, 3, 4]),
        ("smooth_only_zeros=true", True),
        ("smooth-only-zeros=no", False),
        ("mean_prior=[0, 1]", [0, 1]),
        ("mean_prior=None", None),
        ("bins=none", None),
        ("var_floor=1e-3", 1e-3),
        ("estimator=map", "map"),
        ("unlabelled=em", "em"),
        ("n_jobs=1", 1),
        ("priors=uniform", "uniform"),
        ('priors={"Yes": 0.25, "No": 0.75}', {"Yes": 0.25, "No": 0.75}),
        ("priors=[0.25, 0.75]", [0.25, 0.75]),
        ("class_weight=balanced", "balanced"),
        ('class_weight={"Yes": 2}', {"Yes": 2}),
        ("costs=[[0, 1], [5, 0]]", [[0, 1], [5, 0]]),
        ("costs=None", None),
    ],
)
def test_every_kind_of_parameter_can_be_set(tmp_path, setting, value):
    model = learned("loan", "--set", setting, output=tmp_path / "m.acm")
    name = setting.partition("=")[0].replace("-", "_")
    if name != "n_jobs":  # it belongs to the machine and is not kept
        assert getattr(model, name) == value
    direct = acumen.NaiveBayes(**{name: value}).fit(LOAN)
    np.testing.assert_array_equal(model.predict_proba(LOAN), direct.predict_proba(LOAN))
    np.testing.assert_array_equal(model.predict(LOAN), direct.predict(LOAN))


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (["--learner", "naive-byes"], 2, "Did you mean 'naive-bayes'?"),
        (["--set", "alfa=1"], 2, "Did you mean 'alpha'?"),
        (["--set", "alpha"], 2, "name=value"),
        (["--set", "alpha=much"], 2, "alpha must be a number"),
        (["--set", "alpha=-1"], 2, "at least 0"),
        (["--set", "numeric=kernl"], 2, "Did you mean 'kernel'?"),
        (["--set", "smooth_only_zeros=2"], 2, "true or false"),
        (["--set", "bins=5"], 2, "bins is for numeric='histogram'"),
        (["--set", "priors=uniforn"], 2, "'uniform'"),
        (["--set", 'priors={"Yes": 1}'], 2, "'No'"),
        (["--target", "Clas"], 3, "Did you mean 'Class'?"),
        (["--costs", "absent.csv"], 3, "absent.csv"),
        (["--learner", "text-bayes"], 3, "TextBayes"),
        (["--stream", "--set", "unlabelled=em"], 2, "use fit"),
    ],
)
def test_what_cannot_be_learned_is_refused_in_a_sentence(args, code, words, tmp_path, capsys):
    made = tmp_path / "m.acm"
    assert run(["learn", "loan", *args, "-o", str(made)]) == code
    out, err = capsys.readouterr()
    assert out == "" and words in err and "Traceback" not in err and not made.exists()


def test_a_table_without_target_says_which_columns_there_are(tmp_path, capsys):
    (tmp_path / "t.csv").write_text("a,b\n1,x\n2,y\n")
    assert run(["learn", str(tmp_path / "t.csv")]) == 3
    err = capsys.readouterr().err
    assert "--target" in err and "a, b" in err


def test_a_numeric_target_picks_a_regressor_and_says_so(capsys):
    assert run(["learn", "iris", "--target", "sepal_length", "--json"]) == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert (found["learner"], found["task"], found["classes"]) == ("linear-regression", "regression", [])
    assert "linear-regression is used" in err and "--kind sepal_length=nominal" in err


@pytest.mark.parametrize(
    ("args", "way_out"),
    [
        (["--target", "sepal_length", "--learner", "naive-bayes"], "--kind sepal_length=nominal"),
        (["--learner", "ridge"], "--kind class=numeric"),
    ],
)
def test_a_learner_that_does_not_suit_the_target_is_refused_with_the_way_out(args, way_out, capsys):
    assert run(["learn", "iris", *args]) == 3
    assert way_out in capsys.readouterr().err


def test_streaming_keeps_the_same_file(tmp_path):
    table = tmp_path / "t.csv"
    acumen.datasets.load("iris").write(table)
    for learner in ("naive-bayes", "histogram-bayes"):
        args = ["learn", str(table), "--target", "class", "--learner", learner]
        for way in ("--stream", "--whole"):
            assert run([*args, way, "-o", str(tmp_path / f"{way}.acm")]) == 0
        assert (tmp_path / "--stream.acm").read_bytes() == (tmp_path / "--whole.acm").read_bytes()


def test_a_kept_summary_can_be_learned_on(tmp_path):
    model = learned("loan", "--keep-summary", output=tmp_path / "m.acm")
    assert model.partial_fit(LOAN).training_["rows"] == 30


def test_costs_come_from_a_table_of_predicted_and_true(tmp_path):
    (tmp_path / "c.csv").write_text("predicted,No,Yes\nNo,0,5\nYes,1,0\n")
    model = learned("loan", "--costs", str(tmp_path / "c.csv"), output=tmp_path / "m.acm")
    direct = acumen.NaiveBayes(costs={("No", "Yes"): 5, ("Yes", "No"): 1}).fit(LOAN)
    assert model.predict(LOAN).tolist() == direct.predict(LOAN).tolist()
    assert model.predict(LOAN).tolist() != acumen.NaiveBayes().fit(LOAN).predict(LOAN).tolist()


@pytest.mark.parametrize("text", ["predicted,No,Yes\nNo,0,much\nYes,1,0\n", "predicted,No,Yes\nNo,0\n", ""])
def test_a_table_of_costs_that_is_none_is_refused(tmp_path, text, capsys):
    (tmp_path / "c.csv").write_text(text)
    assert run(["learn", "loan", "--costs", str(tmp_path / "c.csv")]) == 3
    assert "c.csv" in capsys.readouterr().err


def test_settings_may_stand_behind_the_learners_name_as_in_compare(tmp_path, capsys):
    model = learned(
        "loan", "--learner", "naive-bayes(alpha=0.5)", "--set", "var_floor=0.5", output=tmp_path / "m.acm"
    )
    assert repr(model) == "NaiveBayes(alpha=0.5, var_floor=0.5)"
    assert (
        run(["tune", "loan", "--learner", "knn(scale=false)", "--grid", "n_neighbors=1,3", "--folds", "3"])
        == 0
    )
    assert run(["learn", "loan", "--learner", "naive-bayes(alpha=0.5"]) == 2
    assert "write a learner as name(parameter=value" in capsys.readouterr().err
