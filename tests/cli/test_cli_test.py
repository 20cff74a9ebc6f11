"""`acumen test`: a model against rows with known classes."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

import acumen
from acumen.assessment.outcome import Outcome
from acumen.cli.main import run


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "iris.acm"
    acumen.save(acumen.NaiveBayes().fit(acumen.datasets.load("iris")), path)
    return str(path)


def test_it_says_what_the_library_says(model, capsys):
    assert run(["test", model, "iris", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    table = acumen.datasets.load("iris")
    fitted = acumen.NaiveBayes().fit(table)
    proba = fitted.predict_proba(table)
    same = Outcome.of(table.labels, proba.argmax(axis=1), table.schema.classes, proba, keep_scores=True)
    assert made["rows"] == 150 and made["unlabelled"] == 0
    assert made["measures"]["error"] == same.confusion.error == pytest.approx(6 / 150)
    assert made["measures"]["log_loss"] == pytest.approx(same.log_loss)
    assert made["measures"]["auc"] == pytest.approx(same.auc)
    assert made["confusion"]["labels"] == list(table.schema.classes)
    assert made["error_interval"]["low"] < 0.04 < made["error_interval"]["high"]


def test_the_text_fits_and_names_every_class(model, capsys):
    assert run(["test", model, "iris"]) == 0
    out = capsys.readouterr().out
    assert "Confusion of 150 rows" in out and "never seen" not in out
    assert "95 % confidence interval of the error" in out and all(len(line) <= 80 for line in out.split("\n"))


def test_unseen_classes_are_errors_and_missing_ones_are_left_out(model, tmp_path, capsys):
    path = tmp_path / "new.csv"
    path.write_text(
        "sepal_length,sepal_width,petal_length,petal_width,class\n"
        "5.1,3.5,1.4,0.2,Iris-setosa\n5.0,3.4,1.5,0.2,Iris-pallida\n6.3,3.3,6.0,2.5,\n4.9,3.0,1.4,0.2,Iris-setosa\n"
    )
    assert run(["test", model, str(path), "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["rows"] == 3 and made["unlabelled"] == 1
    assert made["measures"]["error"] == pytest.approx(1 / 3)
    assert made["confusion"]["labels"][-1] == "(never seen)" and made["measures"]["log_loss"] is None
    assert run(["test", model, str(path)]) == 0
    assert "Skipped without a class: 1 row." in capsys.readouterr().out


def test_weights_count(model, tmp_path, capsys):
    table = acumen.datasets.load("iris")
    path = tmp_path / "weighted.csv"
    rows = [",".join(map(str, [*values, label, w])) for values, label, w in zip(
        table.numeric.matrix().tolist(), table.label_values(), [3] * 75 + [1] * 75, strict=True)]  # fmt: skip
    path.write_text("\n".join(["sepal_length,sepal_width,petal_length,petal_width,class,w", *rows]))
    assert run(["test", model, str(path), "--weight", "w", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    predicted = acumen.NaiveBayes().fit(table).predict(table)
    wrong = predicted != table.label_values()
    assert made["measures"]["error"] == pytest.approx(np.average(wrong, weights=[3] * 75 + [1] * 75))


def test_costs_of_the_model_are_reckoned(tmp_path, capsys):
    path = tmp_path / "loan.acm"
    acumen.save(acumen.NaiveBayes(costs=[[0, 5], [1, 0]]).fit(acumen.datasets.load("loan")), path)
    assert run(["test", str(path), "loan", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    matrix = np.array(made["confusion"]["matrix"])
    assert made["measures"]["cost"] == pytest.approx((matrix * [[0, 5], [1, 0]]).sum() / 15)


def test_what_cannot_be_done_is_said(model, tmp_path, capsys):
    assert run(["test", str(tmp_path / "none.acm"), "iris"]) in (3, 4)
    path = tmp_path / "bare.csv"
    path.write_text("sepal_length,sepal_width,petal_length,petal_width\n5.1,3.5,1.4,0.2\n")
    assert run(["test", model, str(path)]) == 3
    empty = tmp_path / "unknown.csv"
    empty.write_text("sepal_length,sepal_width,petal_length,petal_width,class\n5.1,3.5,1.4,0.2,\n")
    assert run(["test", model, str(empty)]) == 3
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("command", [["test"], ["curve", "roc"]])
def test_no_scikit_learn_is_imported(model, command, tmp_path):
    code = (
        "import sys\nfrom acumen.cli.main import run\n"
        f"assert run([*{command!r}, {model!r}, 'iris', '--json']) == 0\n"
        "assert 'sklearn' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=500, capture_output=True)
