"""`acumen shapes edit`: dropped, flattened, judged, and kept in a file that says so."""

from __future__ import annotations

import json

import numpy as np
import pytest

import acumen
from acumen.cli.main import run


@pytest.fixture
def model(tmp_path):
    acumen.save(acumen.Additive().fit(acumen.datasets.load("iris")), tmp_path / "m.acm")
    return tmp_path / "m.acm"


def test_the_file_is_that_of_the_learners_own_edit(model, tmp_path, capsys):
    new = tmp_path / "n.acm"
    words = ["--flatten", "petal_length=2,5", "--remove", "petal_width", "-o", str(new)]
    assert run(["shapes", "edit", str(model), *words, "--effect", "iris"]) == 0
    out = capsys.readouterr().out
    assert "EDITED" in out and "rows change their prediction" in out
    iris = acumen.datasets.load("iris")
    mine = acumen.load(model).edit("petal_length", 2, 5).edit("petal_width")
    kept = acumen.load(new)
    assert kept.is_edited_
    np.testing.assert_array_equal(kept.predict_proba(iris), mine.predict_proba(iris))
    assert run(["predict", str(new), "iris"]) == 0


def test_the_effect_on_folds_is_that_of_the_function(model, capsys):
    words = ["--remove", "petal_width", "--effect", "iris", "--folds", "3", "--json"]
    assert run(["shapes", "edit", str(model), *words]) == 0
    made = json.loads(capsys.readouterr().out)
    iris, learner = acumen.datasets.load("iris"), acumen.load(model)
    held = acumen.held_out_effect(learner, learner.edit("petal_width"), iris, folds=3).to_dict()
    assert made["edits"] == {"petal_width": "drop"} and made["model_file"] is None
    assert made["held_out"] == json.loads(json.dumps(held))
    assert (
        made["effect"]["changed"]
        == acumen.effect(learner, learner.edit("petal_width"), iris).changed.tolist()
    )


def test_levels_and_days_are_written_as_people_write_them(tmp_path, capsys):
    rows = [f"2020-{i % 12 + 1:02}-1{i % 9},{('red', 'blue')[i % 2]},{i % 7 * 1.5}" for i in range(120)]
    (tmp_path / "d.csv").write_text("\n".join(["when,colour,y", *rows]) + "\n")
    table = acumen.read(tmp_path / "d.csv", target="y")
    acumen.save(acumen.AdditiveRegressor().fit(table), tmp_path / "m.acm")
    words = ["--flatten", "when=2020-02-01,2020-05-01", "--flatten", "colour=red,blue", "--json"]
    words += ["--effect", str(tmp_path / "d.csv"), "--folds", "2"]
    assert run(["shapes", "edit", str(tmp_path / "m.acm"), *words]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["edits"] == {"when": [18293.0, 18383.0], "colour": ["red", "blue"]}
    assert made["effect"] is None and made["held_out"]["measure"] == "rmse", "numbers are not right or wrong"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "give at least one of"),
        (["--remove", "petal_wid"], "Did you mean 'petal_width'?"),
        (["--flatten", "petal_width"], "use the form NAME=A,B"),
        (["--flatten", "petal_width=1,2,3"], "give two numbers, the smaller first"),
        (["--flatten", "petal_width=1,x"], "'x' is not a number for 'petal_width'"),
        (["--remove", "petal_width", "--folds", "3"], "add --effect DATA"),
    ],
)
def test_what_cannot_be_done_is_told(model, words, said, capsys):
    assert run(["shapes", "edit", str(model), *words]) == 2
    assert said in capsys.readouterr().err


def test_a_model_without_shapes_is_told(tmp_path, capsys):
    acumen.save(acumen.NaiveBayes().fit(acumen.datasets.load("iris")), tmp_path / "m.acm")
    assert run(["shapes", "edit", str(tmp_path / "m.acm"), "--remove", "petal_width"]) != 0
    assert "NaiveBayes has no shapes" in capsys.readouterr().err
