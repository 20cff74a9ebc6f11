"""The walk of a student, as docs/steps.md shows it; and what `--steps` refuses."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path

import pytest

from acumen.cli.main import run

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "steps.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
STEPS = [(one, two) for (a, one), (b, two) in itertools.pairwise(BLOCKS) if (a, b) == ("sh", "text")]


@pytest.fixture
def model(tmp_path, capsys):
    path = tmp_path / "m.acm"
    assert run(["learn", "weather", "-o", str(path)]) == 0
    capsys.readouterr()
    return path


def test_steps_of_predictions_are_data_under_json(model, capsys):
    assert run(["predict", str(model), "weather", "--steps", "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["row"] for line in lines] == list(range(1, 15))
    for line in lines:
        shares = {each["label"]: each["share"] for each in line["steps"]["products"]}
        assert shares == pytest.approx(dict(line["probabilities"]))


def test_steps_go_to_a_file(model, tmp_path, capsys):
    assert run(["predict", str(model), "weather", "--steps", "-o", str(tmp_path / "steps.txt")]) == 0
    assert capsys.readouterr().out == ""
    text = (tmp_path / "steps.txt").read_text()
    assert text.startswith("Row 1: ") and "Row 14: " in text


def test_counts_of_a_model_are_shown_without_scikit_learn(model, capsys):
    assert run(["show", str(model), "--steps"]) == 0
    assert "(2 + 1)/(9 + 3) = 1/4" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (
            ["predict", "MODEL", "weather", "--steps", "--probabilities"],
            "--steps cannot be combined with --probabilities.",
        ),
        (
            ["predict", "MODEL", "weather", "--steps", "--keep-columns", "--explain"],
            "--explain and --keep-columns",
        ),
        (["learn", "weather", "--learner", "knn", "--steps"], "knn does not record its training steps"),
        (["learn", "weather", "--learner", "best", "--steps"], "--keep-summary or --steps"),
        (["show", "MODEL", "--steps", "--json"], "cannot be combined"),
    ],
)
def test_what_cannot_be_told_step_by_step_is_said(model, capsys, command, said):
    assert run([str(model) if word == "MODEL" else word for word in command]) == 2
    assert said in capsys.readouterr().err


def test_a_tree_in_a_file_says_who_tells_its_steps(tmp_path, capsys):
    path = str(tmp_path / "t.acm")
    assert run(["learn", "loan", "--learner", "decision-tree", "-o", path]) == 0
    assert run(["show", path, "--steps"]) == 2
    assert "acumen learn DATA --steps" in capsys.readouterr().err


def test_learning_tells_its_steps_under_json_too(capsys):
    assert run(["learn", "loan", "--learner", "decision-tree", "--steps", "--json"]) == 0
    assert "gain 0.419973, ratio 0.432538" in json.loads(capsys.readouterr().out)["steps"]


def test_a_row_that_no_attribute_moves_has_the_base_alone(tmp_path, capsys):
    gaps = tmp_path / "gaps.csv"
    gaps.write_text("sepal_length,sepal_width,petal_length,petal_width\n,,,\n5.1,3.5,1.4,0.2\n")
    assert run(["learn", "iris", "--learner", "logistic", "-o", str(tmp_path / "m.acm")]) == 0
    capsys.readouterr()
    assert run(["predict", str(tmp_path / "m.acm"), str(gaps), "--steps"]) == 0
    said = capsys.readouterr().out
    assert "Row 1: " in said and "  average of the training rows" in said and "Row 2: " in said


def test_one_class_alone_is_told_as_that(tmp_path, capsys):
    (tmp_path / "one.csv").write_text("a,b,class\n1,x,u\n2,y,u\n3,x,u\n")
    model, data = str(tmp_path / "m.acm"), str(tmp_path / "one.csv")
    assert run(["learn", data, "--target", "class", "--learner", "logistic", "-o", model]) == 0
    capsys.readouterr()
    assert run(["predict", model, data, "--steps"]) == 3
    assert "explain: the model knows one class alone, 'u'" in capsys.readouterr().err
