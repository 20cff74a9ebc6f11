"""Neighbours at the command line: learned by their words, shown, and rows that stand apart in the card."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import acumen
from acumen.cli.main import run


def test_a_learner_by_word_learns_predicts_and_draws(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "iris.acm"
    assert run(["learn", "iris", "--learner", "knn", "--set", "max-neighbors=15", "-o", str(path)]) == 0
    assert acumen.load(path).n_neighbors_ <= 15
    assert run(["show", str(path)]) == 0
    assert "leave-one-out error" in capsys.readouterr().out
    assert run(["show", str(path), "--svg", str(tmp_path / "curve.svg")]) == 0
    assert "neighbours k" in (tmp_path / "curve.svg").read_text()
    assert (
        run(
            [
                "learn",
                "iris",
                "--learner",
                "knn",
                "--set",
                "n_neighbors=3",
                "--set",
                "distance=manhattan",
                "-o",
                str(path),
            ]
        )
        == 0
    )
    assert acumen.load(path).distance_.name == "manhattan"
    assert run(["learn", "iris", "--learner", "knn", "--set", "distance=manhatan", "-o", str(path)]) != 0
    assert "Did you mean 'manhattan'" in capsys.readouterr().err


def test_inspect_lists_outliers(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["inspect", "iris"]) == 0
    assert "Outliers" not in capsys.readouterr().out
    assert run(["inspect", "iris", "--outliers"]) == 0
    told = capsys.readouterr().out
    assert "Outliers among 150 rows" in told and "row 41" in told
    assert run(["inspect", "iris", "--outliers", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)["outliers"]
    assert made == acumen.outlier_scores(acumen.datasets.load("iris")).to_dict()
