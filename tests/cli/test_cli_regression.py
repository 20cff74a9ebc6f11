"""Every command with a target that is a number."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import acumen
from acumen.cli.main import run

TARGET = ["--target", "petal_width"]


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "m.acm"
    assert run(["learn", "iris", *TARGET, "--learner", "ridge", "--set", "alpha=2", "-o", str(path)]) == 0
    return str(path)


def test_learn_says_what_it_takes_and_describes_it(capsys):
    assert run(["learn", "iris", *TARGET]) == 0
    out, err = capsys.readouterr()
    assert "linear-regression is used" in err
    assert out.startswith("Least squares of petal_width on 150 rows") and "95 % interval" in out


def test_streaming_keeps_the_same_file(tmp_path):
    table = tmp_path / "t.csv"
    acumen.datasets.load("iris").write(table)
    for way in ("--stream", "--whole"):
        args = ["learn", str(table), *TARGET, "--keep-summary", way, "-o", str(tmp_path / f"{way}.acm")]
        assert run(args) == 0
    assert (tmp_path / "--stream.acm").read_bytes() == (tmp_path / "--whole.acm").read_bytes()


def test_predict_gives_numbers_and_their_reasons(model, capsys):
    capsys.readouterr()
    assert run(["predict", model, "iris", "--explain"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("row,prediction,start,reason_1_attribute,") and lines[0].endswith(",because")
    assert len(lines) == 151
    expected = acumen.load(model).predict(acumen.datasets.load("iris", target="petal_width"))
    assert float(lines[1].split(",")[1]) == expected[0] and "from 1.199" in lines[1]
    assert run(["predict", model, "iris", "--json", "--explain"]) == 0
    first = json.loads(capsys.readouterr().out.splitlines()[0])
    assert first["because"]["value"] == pytest.approx(first["prediction"])
    assert run(["predict", model, "iris", "--probabilities"]) == 2
    assert "no probabilities" in capsys.readouterr().err


def test_test_measures_and_curve_draws(model, tmp_path, capsys):
    capsys.readouterr()
    assert run(["test", model, "iris", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    iris = acumen.datasets.load("iris", target="petal_width")
    assert found["rows"] == 150 and found["measures"]["r2"] == pytest.approx(acumen.load(model).score(iris))
    assert run(["test", model, "iris"]) == 0
    assert "rmse" in capsys.readouterr().out
    for kind in ("fit", "residuals"):
        drawing = tmp_path / f"{kind}.svg"
        assert run(["curve", kind, model, "iris", "-o", str(drawing)]) == 0
        assert "petal_width" in drawing.read_text()
    assert run(["curve", "roc", model, "iris", "--json"]) == 2
    assert "use fit or residuals" in capsys.readouterr().err


def test_curves_of_numbers_are_not_drawn_of_classes(tmp_path, capsys):
    path = str(tmp_path / "c.acm")
    assert run(["learn", "iris", "-o", path]) == 0
    assert run(["curve", "fit", path, "iris", "--json"]) == 2
    assert "predicts classes" in capsys.readouterr().err


def test_show_compare_and_tune(model, tmp_path, capsys):
    capsys.readouterr()
    assert run(["show", model]) == 0
    assert "predicts the number petal_width" in capsys.readouterr().out
    page = tmp_path / "r.html"
    args = ["compare", "iris", *TARGET, "--folds", "3", "--repeats", "1", "--json", "--report", str(page)]
    assert run([*args, "--learners", "ridge,linear-regression"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["measure"] == "rmse" and {row["learner"] for row in found["table"]} == {
        "Ridge", "LinearRegression", "Mean",
    }  # fmt: skip
    assert "Residuals" in page.read_text()
    assert run(["tune", "iris", *TARGET, "--learner", "ridge", "--grid", "alpha=100,1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["parameters"] == {"alpha": 1.0}


@pytest.mark.slow
def test_all_learners_are_those_that_suit_the_target(capsys):
    assert (
        run(["compare", "iris", *TARGET, "--folds", "2", "--repeats", "1", "--json", "--suite", "all"]) == 0
    )
    names = {row["learner"] for row in json.loads(capsys.readouterr().out)["table"]}
    assert {"Lasso", "LinearRegression", "Mean", "PolynomialRegression", "Ridge"} <= names
    assert "NaiveBayes" not in names


def test_predicting_numbers_imports_no_scikit_learn(model):
    script = "import sys; from acumen.cli.main import run; code = run(sys.argv[1:]); assert not code; "
    script += "sys.exit('sklearn' in sys.modules)"
    for args in (["predict", model, "iris"], ["test", model, "iris"], ["show", model]):
        assert subprocess.run([sys.executable, "-c", script, *args], capture_output=True).returncode == 0
