"""`acumen decide`, and predicting by a threshold."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

import acumen
from acumen.cli.main import run


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    made = tmp_path_factory.mktemp("decide")
    rng = np.random.default_rng(0)
    x = rng.normal(size=(600, 2))
    y = np.where(rng.random(600) < 1 / (1 + np.exp(-1.5 * x[:, 0] - 0.5)), "stays", "leaves")
    for name, part in (("train.csv", slice(0, 300)), ("new.csv", slice(300, 600))):
        with (made / name).open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["a", "b", "end"])
            writer.writerows([*row, end] for row, end in zip(x[part].tolist(), y[part], strict=True))
    assert (
        run(
            [
                "learn",
                str(made / "train.csv"),
                "--target",
                "end",
                "--learner",
                "logistic",
                "-o",
                str(made / "m.acm"),
            ]
        )
        == 0
    )
    assert run(["learn", "iris", "-o", str(made / "iris.acm")]) == 0
    assert run(["learn", str(made / "train.csv"), "--target", "b", "-o", str(made / "number.acm")]) == 0
    return made


def decided(place, *args):
    return run(["decide", str(place / "m.acm"), str(place / "new.csv"), *args])


def test_it_says_what_the_library_says(place, capsys):
    assert decided(place, "--costs", "missed=5,alarm=1", "--positive-class", "leaves", "--json") == 0
    made = json.loads(capsys.readouterr().out)
    model, table = acumen.load(place / "m.acm"), acumen.read(place / "new.csv", target="end")
    shares = model.predict_proba(table)[:, list(model.classes_).index("leaves")]
    same = acumen.decide(table.column("end"), shares, "leaves", costs={"missed": 5, "alarm": 1})
    assert made["threshold"] == same.threshold and made["value"] == same.value
    assert made["everyone"] == same.everyone and made["positive"] == "leaves"
    assert made["low"] < made["value"] < made["high"]


def test_the_text_names_what_would_be_called_otherwise(place, capsys):
    assert decided(place, "--costs", "missed=5,alarm=1") == 0
    out = capsys.readouterr().out
    assert out.startswith("Flag rows with a probability of 'stays' of at least")
    assert "Flagging everyone would cost" in out and "95 % interval" in out
    assert decided(place, "--capacity", "50") == 0
    assert "flags 50" in capsys.readouterr().out


def test_a_kept_decision_is_what_predict_does_with_the_threshold(place, capsys):
    kept, drawn = place / "kept.acm", place / "d.svg"
    assert decided(place, "--precision", "0.9", "-o", str(kept), "--svg", str(drawn), "--json") == 0
    threshold = json.loads(capsys.readouterr().out)["threshold"]
    assert drawn.read_text(encoding="utf-8").startswith("<svg")
    answers = []
    for args in ([str(place / "m.acm"), "--threshold", repr(threshold)], [str(kept)]):
        assert run(["predict", args[0], str(place / "new.csv"), *args[1:]]) == 0
        answers.append(capsys.readouterr().out)
    assert answers[0] == answers[1]
    assert run(["predict", str(place / "m.acm"), str(place / "new.csv")]) == 0
    assert capsys.readouterr().out != answers[0]


def test_of_several_classes_one_is_named(place, capsys):
    iris = str(place / "iris.acm")
    assert run(["decide", iris, "iris", "--capacity", "20"]) == 2
    assert "--positive-class" in capsys.readouterr().err
    assert run(["decide", iris, "iris", "--capacity", "20", "--positive-class", "Iris-virginica"]) == 0
    assert "equal training rows of the model" in capsys.readouterr().err
    assert run(["predict", iris, "iris", "--threshold", "0.01", "--positive-class", "Iris-virginica"]) == 0
    many = capsys.readouterr().out.count("virginica")
    assert run(["predict", iris, "iris"]) == 0
    assert many > capsys.readouterr().out.count("virginica")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ([], "give exactly one of"),
        (["--capacity", "5", "--precision", "0.5"], "--capacity and --precision"),
        (["--costs", "missed=5"], "also give the cost of alarm"),
        (["--costs", "missed=five,alarm=1"], "use the form missed=5,alarm=1"),
        (["--costs", "missed=5,alrm=1"], "Did you mean 'alarm'"),
        (["--precision", "80"], "at most 1"),
        (["--capacity", "5", "--positive-class", "stay"], "Did you mean 'stays'"),
    ],
)
def test_what_cannot_be_decided_is_said(place, capsys, args, said):
    assert decided(place, *args) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--threshold", "1.5"], "between 0 and 1"),
        (["--positive-class", "stays"], "needs --threshold"),
    ],
)
def test_thresholds_that_make_no_sense_are_refused(place, capsys, args, said):
    assert run(["predict", str(place / "m.acm"), str(place / "new.csv"), *args]) == 2
    assert said in capsys.readouterr().err


def test_numbers_have_no_classes_to_call(place, capsys):
    assert run(["decide", str(place / "number.acm"), str(place / "new.csv"), "--capacity", "5"]) == 2
    assert "predicts numbers" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (",stays,leaves\nstays,0,1\n", "no row for the class 'leaves'"),
        (",stays\nstays,0\n", "no row and column for 'leaves'"),
        (",stays,leaves\nstays,0,1\nleaves,5\n", "one full row"),
    ],
)
def test_a_cost_table_with_a_row_missing_is_refused(place, tmp_path, capsys, text, said):
    (tmp_path / "costs.csv").write_text(text)
    for command in (
        ["learn"],
        ["compare", "--learners", "one-r"],
        ["tune", "--learner", "naive-bayes", "--grid", "alpha=1"],
    ):
        words = [
            command[0],
            str(place / "train.csv"),
            "--target",
            "end",
            "--costs",
            str(tmp_path / "costs.csv"),
            *command[1:],
        ]
        assert run(words) == 3
        assert said in capsys.readouterr().err


def test_of_many_classes_it_is_said_that_not_all_are_named(tmp_path, capsys):
    data, path = tmp_path / "many.csv", tmp_path / "many.acm"
    data.write_text("x,c\n" + "".join(f"{i / 2},k{i % 10}\n" for i in range(60)))
    assert run(["learn", str(data), "--target", "c", "--learner", "naive-bayes", "-o", str(path)]) == 0
    capsys.readouterr()
    assert run(["decide", str(path), str(data), "--capacity", "5"]) in (2, 3)
    assert "the classes are k0, k1, k2, k3, k4, k5, k6, k7, ...\n" in capsys.readouterr().err
