"""`acumen rules edit`: numbers as printed, the effect, and files that say what was done."""

from __future__ import annotations

import json

import pytest

import acumen
from acumen.cli.main import run


@pytest.fixture
def model(tmp_path):
    acumen.save(acumen.C45Rules().fit(acumen.datasets.load("loan")), tmp_path / "m.acm")
    return tmp_path / "m.acm"


def test_a_rule_is_left_out_by_its_printed_number(model, tmp_path, capsys):
    new = tmp_path / "n.acm"
    assert run(["rules", "edit", str(model), "--remove", "1", "-o", str(new), "--effect", "loan"]) == 0
    out = capsys.readouterr().out
    assert "1. if Own_house = true then Yes" in out
    assert "6 of 15 rows change their prediction." in out and "No -> Yes: 6" in out
    assert run(["show", str(new)]) == 0
    assert "Edited: removed rule 1: if Own_house = false" in capsys.readouterr().out
    for flag in (["--rules"], ["--sql", "loan"], ["--python"], ["--json"]):
        assert run(["show", str(new), *flag]) == 0
    assert run(["compare", "loan", "--learners", f"one-r,{new}", "--folds", "3", "--repeats", "1"]) == 0
    said = capsys.readouterr()
    assert "RuleClassifier(" in said.out and "not retrained" in said.err


def test_several_changes_are_made_in_the_order_told(model, capsys):
    words = ["--replace", "3", "if Age = old then Yes", "--insert", "1", "if Credit_Rating = fair then No"]
    assert run(["rules", "edit", str(model), *words, "--simplify", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert [rule["conditions"][0]["attribute"] for rule in made["rules"]["rules"]] == [
        "Credit_Rating",
        "Own_house",
    ]
    assert len(made["rules"]["edits"]) == 3 and made["effect"] is None


def test_recounting_needs_rows_and_counts_them(model, capsys):
    assert run(["rules", "edit", str(model), "--remove", "1", "--recount"]) == 2
    assert run(["rules", "edit", str(model), "--remove", "1", "--recount", "--effect", "loan"]) == 0
    assert "otherwise Yes  (confidence 0/6)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--remove", "4"], "numbered from 1 to 3"),
        ([], "give at least one of"),
        (
            ["--insert", "1", "if Age = yung then Yes"],
            "'yung' is not a level of 'Age'. Did you mean 'young'?",
        ),
    ],
)
def test_what_cannot_be_done_is_told(model, words, said, capsys):
    assert run(["rules", "edit", str(model), *words]) == 2
    assert said in capsys.readouterr().err
