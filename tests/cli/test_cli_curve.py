"""`acumen curve`: drawings of a model's probabilities."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import numpy as np
import pytest

import acumen
from acumen.cli.main import run


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    for name in ("iris", "loan"):
        acumen.save(acumen.NaiveBayes().fit(acumen.datasets.load(name)), folder / f"{name}.acm")
    return folder


@pytest.mark.parametrize("kind", ["roc", "lift", "pr", "calibration"])
def test_every_kind_is_drawn(kind, models, tmp_path, capsys):
    path = tmp_path / "f.svg"
    assert (
        run(["curve", kind, str(models / "loan.acm"), "loan", "-o", str(path), "--positive-class", "No"]) == 0
    )
    root = ElementTree.fromstring(path.read_text())
    assert root.tag.endswith("svg") and "No" in "".join(root.itertext())
    out, err = capsys.readouterr()
    assert out == "" and f"Drawing written to {path}" in err
    assert [p.name for p in tmp_path.iterdir()] == ["f.svg"]


def values(kind, models, capsys, *more):
    assert run(["curve", kind, str(models / "loan.acm"), "loan", "--json", *more]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["kind"] == kind and made["rows"] == 15
    return made["curves"][0]


def test_json_has_the_librarys_values(models, capsys):
    table = acumen.datasets.load("loan")
    proba = acumen.NaiveBayes().fit(table).predict_proba(table)[:, 1]
    y = table.label_values()
    roc = values("roc", models, capsys)
    assert roc["positive"] == "Yes" and roc["auc"] == acumen.roc(y, proba, "Yes").auc
    lift = values("lift", models, capsys, "--bins", "5")
    assert lift["counts"] == acumen.lift(y, proba, "Yes", 5).counts.tolist()
    pr = values("pr", models, capsys)
    assert pr["average_precision"] == acumen.precision_recall(y, proba, "Yes").average_precision
    found = values("calibration", models, capsys, "--bins", "4")
    assert found["counts"] == acumen.calibration(y, proba, "Yes", 4).counts.tolist()
    assert np.isclose(sum(found["counts"]), 15)


def test_of_several_classes_each_has_its_roc_and_the_others_ask(models, tmp_path, capsys):
    path = tmp_path / "all.svg"
    assert run(["curve", "roc", str(models / "iris.acm"), "iris", "-o", str(path), "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert [c["positive"] for c in made["curves"]] == list(acumen.datasets.load("iris").schema.classes)
    drawn = "".join(ElementTree.fromstring(path.read_text()).itertext())
    assert all(str(c["positive"]) in drawn for c in made["curves"])
    assert run(["curve", "lift", str(models / "iris.acm"), "iris", "--json"]) == 2
    assert "--positive-class" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "code", "sentence"),
    [
        (["rok", "loan.acm", "loan", "--json"], 2, "Did you mean 'roc'?"),
        (["roc", "loan.acm", "loan"], 2, "-o FILE.svg"),
        (["roc", "loan.acm", "loan", "--json", "--positive-class", "Yess"], 2, "Did you mean 'Yes'?"),
        (["roc", "loan.acm", "weather", "--json"], 3, "Class"),
        (["lift", "loan.acm", "loan", "--json", "--bins", "99"], 3, "use fewer bins"),
        (["roc", "none.acm", "loan", "--json"], 3, "none.acm"),
    ],
)
def test_what_cannot_be_done_is_said(args, code, sentence, models, capsys):
    args[1] = str(models / args[1])
    assert run(["curve", *args]) in ({code, 4} if "none" in args[1] else {code})
    out, err = capsys.readouterr()
    assert out == "" and sentence in err


def test_a_drawing_that_cannot_be_written_is_said(models, tmp_path, capsys):
    args = ["curve", "roc", str(models / "loan.acm"), "loan", "-o"]
    assert run([*args, str(tmp_path / "nowhere" / "f.svg")]) == 3
    assert run([*args, str(tmp_path)]) == 3
