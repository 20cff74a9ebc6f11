"""`acumen tune`: parameters chosen, and the model kept."""

from __future__ import annotations

import json

import pytest

import acumen
from acumen.cli.main import run

GRID = ["--learner", "full-bayes", "--grid", "covariance=shared,full", "--grid", "shrinkage=0.5,0"]


def test_it_chooses_as_the_library_does_and_keeps_the_model(tmp_path, capsys):
    path = tmp_path / "m.acm"
    assert run(["tune", "iris", *GRID, "--seed", "1", "-o", str(path), "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    iris = acumen.datasets.load("iris")
    grid = {"covariance": ["shared", "full"], "shrinkage": [0.5, 0.0]}
    same = acumen.Tuned(acumen.FullBayes(), grid, acumen.KFold(10), random_state=1).fit(iris)
    assert made["parameters"] == same.best_params_ and made["chosen"] == same.results_.chosen
    assert [s["mean"] for s in made["settings"]] == pytest.approx(same.results_.mean.tolist())
    assert made["model_file"] == str(path)
    kept = acumen.load(path)
    assert kept.get_params()["covariance"] == same.best_params_["covariance"]
    assert (kept.predict(iris) == same.predict(iris)).all()


def test_the_text_is_a_table_that_fits(capsys):
    assert run(["tune", "iris", *GRID]) == 0
    out, err = capsys.readouterr()
    assert "->" in out and "covariance" in out and all(len(line) <= 80 for line in out.split("\n"))
    assert "Chosen: covariance=" in err and "optimistic" in err and "not saved" in err


@pytest.mark.filterwarnings("ignore:.*is the smallest value tried")
def test_rule_measure_folds_and_fixed_parameters_are_heard(capsys):
    args = ["tune", "loan", "--grid", "alpha=10,1,0.1", "--set", "estimator=bayes", "--json"]
    assert (
        run([*args, "--selection-rule", "one-se", "--measure", "log_loss", "--folds", "3", "--repeats", "2"])
        == 0
    )
    made = json.loads(capsys.readouterr().out)
    assert (made["rule"], made["measure"], made["learner"]) == ("one-se", "log_loss", "naive-bayes")
    assert made["method"] == "3-fold cross-validation, 2 times, stratified"
    assert made["chosen"] <= made["best"]
    assert run([*args, "--measure", "bic"]) == 0
    assert json.loads(capsys.readouterr().out)["settings"][0]["standard_error"] is None


def test_what_a_learner_draws_comes_of_the_seed(capsys):
    args = ["tune", "iris", "--learner", "random-tree", "--grid", "max_depth=2,3,none", "--json"]
    found = []
    for seed in ("1", "1", "2"):
        assert run([*args, "--seed", seed]) == 0
        found.append(json.loads(capsys.readouterr().out)["settings"])
    assert found[0] == found[1] != found[2]


def test_learners_inside_learners_are_named_by_their_words(capsys):
    args = ["tune", "iris", "--learner", "one-vs-rest", "--grid", "learner=fisher,one-r", "--json"]
    assert run(args) == 0
    made = json.loads(capsys.readouterr().out)["settings"]
    assert [each["parameters"]["learner"] for each in made] == ["Fisher()", "OneR()"]
    iris = acumen.datasets.load("iris")
    for each, inner in zip(made, [acumen.Fisher(), acumen.OneR()], strict=True):
        same = acumen.assess(acumen.OneVsRest(inner), iris, random_state=0)
        assert each["mean"] == pytest.approx(same.mean)


def test_names_of_parameters_are_shown_whole(capsys):
    assert run(["tune", "iris", "--learner", "decision-tree", "--grid", "max_depth=1,2"]) == 0
    assert "max_depth " in capsys.readouterr().out


def test_a_wrong_grid_is_told_before_the_file_is_read(capsys):
    args = ["tune", "nowhere.csv", "--target", "y", "--learner", "decision-tree"]
    assert run([*args, "--grid", "max_dept=1,2"]) == 2
    assert "Did you mean 'max_depth'?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (["--grid", "alfa=1,2"], "Did you mean 'alpha'?"),
        (["--grid", "alpha"], "NAME=V1,V2"),
        (["--grid", "alpha=1,x"], "alpha must be"),
        (["--grid", "alpha=-1"], "alpha must be"),
        (
            [],
            "name values to try with --grid NAME=V1,V2,...; NaiveBayes has the parameters numeric, estimator, alpha,",
        ),
        (["--grid", "criterion=1", "--learner", "one-r"], "OneR has no parameter 'criterion'. It has"),
        (["--grid", "alpha=1,2", "--measure", "eror"], "Did you mean 'error'?"),
        (["--grid", "alpha=1,2", "--selection-rule", "two-se"], "one-se"),
    ],
)
def test_wrong_usage_ends_in_a_sentence(args, sentence, capsys):
    assert run(["tune", "loan", *args]) == 2
    out, err = capsys.readouterr()
    assert out == "" and sentence in err
