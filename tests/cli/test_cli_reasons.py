"""Reasons in columns, odds ratios and wishes at the command line."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

import acumen
from acumen.cli.main import run

HEADS = ("attribute", "value", "effect", "direction")


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A table with dates, and models of it."""
    where = tmp_path_factory.mktemp("reasons")
    rng = np.random.default_rng(0)
    age, plan = rng.integers(20, 70, 120), rng.choice(["basic", "gold"], 120)
    since = np.datetime64("2019-01-01") + rng.integers(0, 700, 120)
    left = np.where(rng.random(120) < 1 / (1 + np.exp(-0.08 * (age - 45))), "yes", "no")
    lines = [f"{a},{p},{s},{y}" for a, p, s, y in zip(age, plan, since, left, strict=True)]
    (where / "t.csv").write_text("age,plan,since,left\n" + "\n".join(lines) + "\n", encoding="utf-8")
    table = acumen.read(where / "t.csv", target="left")
    for name, learner in {
        "logistic": acumen.Logistic(penalty=None), "svm": acumen.SVM(), "tree": acumen.DecisionTree(),
    }.items():  # fmt: skip
        acumen.save(learner.fit(table), where / f"{name}.acm")
    return where


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize("name", ["logistic", "svm", "tree"])
def test_reasons_are_columns_that_can_be_filtered(kept, capsys, name):
    assert (
        run(["predict", str(kept / f"{name}.acm"), str(kept / "t.csv"), "--explain", "--reasons", "2"]) == 0
    )
    rows = rows_of(capsys.readouterr().out)
    assert list(rows[0]) == [
        "row", "prediction", "rival", "start", *(f"reason_{i}_{part}" for i in (1, 2) for part in HEADS), "because",
    ]  # fmt: skip
    table = rows_of((kept / "t.csv").read_text())
    by_age = [
        (row, line) for row, line in zip(rows, table, strict=True) if row["reason_1_attribute"] == "age"
    ]
    assert by_age
    for row, line in by_age:
        assert row["reason_1_value"] == line["age"] and {row["prediction"], row["rival"]} == {"no", "yes"}
        assert (float(row["reason_1_effect"]) > 0) == (row["reason_1_direction"] == "for")
        assert abs(float(row["reason_1_effect"])) >= abs(float(row["reason_2_effect"] or 0))
    dated = [
        row[f"reason_{i}_value"] for row in rows for i in (1, 2) if row[f"reason_{i}_attribute"] == "since"
    ]
    assert all(value.startswith(("2019-", "2020-")) for value in dated)
    assert all((row["start"] == "") == (name == "svm") for row in rows)


def test_a_threshold_explains_the_class_it_gives(kept, capsys):
    model, data = str(kept / "logistic.acm"), str(kept / "t.csv")
    assert run(["predict", model, data, "--explain", "--threshold", "0.05"]) == 0
    rows = rows_of(capsys.readouterr().out)
    assert all(row["because"].startswith(f"{row['prediction']} with probability") for row in rows)
    assert any("your threshold decides" in row["because"] for row in rows)


def test_how_many_reasons_goes_with_explain_alone(kept, capsys):
    for more in (["--reasons", "2"], ["--reasons", "2", "--explain", "--json"]):
        assert run(["predict", str(kept / "tree.acm"), str(kept / "t.csv"), *more]) == 2
        assert "--reasons needs --explain" in capsys.readouterr().err


def test_odds_ratios_as_a_table_as_json_and_as_a_forest_plot(kept, tmp_path, capsys):
    model = str(kept / "logistic.acm")
    assert (
        run(
            [
                "show",
                model,
                "--odds-ratios",
                "--reference-level",
                "plan=gold",
                "--units",
                "age=10",
                "--level",
                "0.9",
            ]
        )
        == 0
    )
    said = capsys.readouterr().out
    assert "90 % interval" in said and "age, per 10" in said and "since, per 1 day" in said
    assert next(line for line in said.splitlines() if "plan = gold" in line).endswith("reference")
    assert run(["show", model, "--odds-ratios", "--reference-class", "yes", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    expected = acumen.load(model).odds_ratios(reference_class="yes")
    assert made["rows"][0]["ratio"] == pytest.approx(expected.of("age").ratio)
    assert made["rows"][0]["outcome"] == "no"
    assert run(["show", model, "--odds-ratios", "--svg", str(tmp_path / "f.svg")]) == 0
    assert (tmp_path / "f.svg").read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--reference-level", "plan=gold"], "add --odds-ratios"),
        (["--odds-ratios", "--sql", "t"], "--odds-ratios and --sql cannot be combined"),
        (["--odds-ratios", "--reference-level", "plan"], "use the form NAME=VALUE"),
        (["--odds-ratios", "--reference-level", "plan=golt"], "Did you mean 'gold'"),
        (["--odds-ratios", "--units", "age=ten"], "must be a number"),
        (["--odds-ratios", "--level", "95"], "between 0 and 1"),
    ],
)
def test_odds_that_cannot_be_asked_are_refused(kept, capsys, more, said):
    assert run(["show", str(kept / "logistic.acm"), *more]) == 2
    assert said in capsys.readouterr().err


def test_other_models_have_no_odds_ratios(kept, capsys):
    assert run(["show", str(kept / "tree.acm"), "--odds-ratios"]) == 2
    assert "a decision-tree model has no odds ratios" in capsys.readouterr().err


def test_a_wish_that_may_not_hold_is_said(kept, capsys):
    assert (
        run(["decide", str(kept / "logistic.acm"), str(kept / "t.csv"), "--precision", "0.97", "--json"]) == 0
    )
    assert json.loads(capsys.readouterr().out)["wish"] in ("not met", "not sure")
    assert run(["decide", str(kept / "logistic.acm"), str(kept / "t.csv"), "--capacity", "30"]) == 0
    assert "Uncertain: of 120 new rows this threshold flags" in capsys.readouterr().out
