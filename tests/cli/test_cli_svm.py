"""Margins at the command line: parameters of every kind, reasons, what is refused and how."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

import acumen
from acumen.cli.main import run

PARAMETERS = [
    ("kernel=linear", "kernel", "linear"),
    ("gamma=0.3", "gamma", 0.3),
    ("gamma=auto", "gamma", "auto"),
    ("degree=2", "degree", 2),
    ("offset=0.5", "offset", 0.5),
    ("loss=squared", "loss", "squared"),
    ("C=20", "C", 20.0),
    ("solver=chunking", "solver", "chunking"),
    ("tol=1e-5", "tol", 1e-5),
    ("max_iter=1000000", "max_iter", 1_000_000),
    ("bias=folded", "bias", "folded"),
    ("multiclass=ecoc", "multiclass", "ecoc"),
    ("scale=false", "scale", False),
    ("probability=isotonic", "probability", "isotonic"),
    ("class_weight=balanced", "class_weight", "balanced"),
    ('class_weight={"Iris-setosa": 2}', "class_weight", {"Iris-setosa": 2}),
]


@pytest.mark.parametrize(("word", "name", "value"), PARAMETERS, ids=[word for word, _, _ in PARAMETERS])
def test_every_parameter_can_be_set(word, name, value, tmp_path, capsys):
    kept = str(tmp_path / "m.acm")
    assert run(["learn", "iris", "--learner", "svm", "--set", word, "-o", kept]) == 0
    assert acumen.load(kept).get_params()[name] == value
    assert "Support vector machine for class" in capsys.readouterr().out


def test_a_hard_margin_names_the_rows_in_the_way(tmp_path, capsys):
    words = ["--learner", "svm", "--set", "kernel=linear", "--set", "C=inf"]
    assert run(["learn", "svm-soft", *words]) == 3
    assert "rows 17, 15, 16, 14 (counted from 0" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("gamma=wide", "gamma must be 'scale' or 'auto' or a number above 0; got 'wide'"),
        ("kernel=cubic", "kernel must be 'rbf' or 'linear'"),
        ("C=0", "C must be a number above 0"),
        ("kernel=precomputed", "needs a square matrix of numbers"),
        (
            "costs=[[0,1,1],[1,0,1],[1,1,0]]",
            "learn it with --set probability=platt or --set probability=isotonic",
        ),
    ],
)
def test_what_is_refused_is_refused_in_a_sentence(word, sentence, capsys):
    assert run(["learn", "iris", "--learner", "svm", "--set", word]) in (2, 3)
    said = capsys.readouterr().err
    assert said.splitlines()[-1].startswith("acumen: SVM: ") and sentence in said and "Traceback" not in said


def test_probabilities_are_offered_where_there_are_none(tmp_path, capsys):
    kept = str(tmp_path / "m.acm")
    run(["learn", "iris", "--learner", "svm", "-o", kept])
    assert run(["predict", kept, "iris", "--probabilities"]) == 2
    assert "--probabilities: this svm model has no probabilities; learn it with" in capsys.readouterr().err
    assert run(["curve", "roc", kept, "iris", "-o", str(tmp_path / "roc.svg")]) == 2
    assert "curve: this svm model has no probabilities; learn it with" in capsys.readouterr().err


def test_predictions_come_with_reasons(tmp_path, capsys):
    kept = str(tmp_path / "m.acm")
    words = ["--set", "kernel=linear", "--set", "probability=platt"]
    run(["learn", "iris", "--learner", "svm", *words, "-o", kept])
    capsys.readouterr()
    assert run(["predict", kept, "iris", "--probabilities", "--explain"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    model = acumen.load(kept)
    iris = acumen.datasets.load("iris")
    shares = [[float(row[f"P({c})"]) for c in model.classes_] for row in rows]
    assert np.allclose(shares, model.predict_proba(iris))
    assert "petal_" in rows[0]["because"]
    assert run(["predict", kept, "iris", "--explain", "--json"]) == 0
    first = json.loads(capsys.readouterr().out.splitlines()[0])["because"]
    assert {"petal_length", "petal_width"} <= {reason["attribute"] for reason in first["evidence"]}


def test_tuning_takes_words_numbers_and_infinity(tmp_path, capsys):
    kept = str(tmp_path / "m.acm")
    grids = ["--grid", "C=1,10", "--grid", "gamma=scale,0.1", "--folds", "3"]
    assert run(["tune", "iris", "--learner", "svm", *grids, "-o", kept, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)
    assert acumen.load(kept).score(acumen.datasets.load("iris")) > 0.94


def test_numbers_are_learned_and_told(tmp_path, capsys):
    table = tmp_path / "t.csv"
    x = np.linspace(0, 3, 40)
    lines = ["x,kind,y", *(f"{v},{'ab'[i % 2]},{2 * v + i % 2}" for i, v in enumerate(x))]
    table.write_text("\n".join(lines), encoding="utf-8")
    kept = str(tmp_path / "m.acm")
    words = ["--learner", "svr", "--set", "kernel=linear", "--set", "C=100", "--set", "epsilon=0.01"]
    assert run(["learn", str(table), "--target", "y", *words, "-o", kept]) == 0
    assert "Support vector regression for y: kernel Linear()" in capsys.readouterr().out
    assert run(["predict", kept, str(table), "--explain"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert float(rows[-1]["prediction"]) == pytest.approx(7.0, abs=0.05)
    assert "x = 3" in rows[-1]["because"] and "kind = b" in rows[-1]["because"]
    assert run(["learn", str(table), "--target", "y", "--learner", "svr", "--set", "C=inf"]) == 3
    assert "SVR: C must be finite" in capsys.readouterr().err


def test_learners_tells_every_parameter_of_both(capsys):
    for word, learner in (("svm", acumen.SVM), ("svr", acumen.SVR)):
        assert run(["learners", word]) == 0
        said = capsys.readouterr().out
        assert all(f"  {name} = " in said for name in learner().get_params())
