"""`acumen cluster`: groups found, told, kept, and given to new rows."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import acumen.registry
from acumen.cli.main import run


@pytest.fixture
def messy(tmp_path: Path) -> Path:
    """Three groups with an identifier, a constant, gaps and levels that act on pages."""
    rng = np.random.default_rng(0)
    lines = ["id,income,age,owns,const,kind"]
    for i in range(90):
        g = i % 3
        age = "" if rng.random() < 0.05 else f"{rng.normal([25, 30, 60][g], 2):.1f}"
        owns = ["no", "no", "<b>yes"][g]
        lines.append(f"{1000 + i},{rng.normal([20, 90, 91][g], 2):.2f},{age},{owns},7,{'abc'[g]}")
    path = tmp_path / "messy.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_groups_are_found_told_kept_and_given_to_new_rows(messy, tmp_path, capsys):
    model, labels, page = tmp_path / "m.acm", tmp_path / "l.csv", tmp_path / "r.html"
    code = run(
        ["cluster", str(messy), "--target", "kind", "--n-clusters", "3", "-o", str(model), "--labels", str(labels),
         "--report", str(page)]
    )  # fmt: skip
    out, err = capsys.readouterr()
    assert code == 0
    assert "Ignored column 'id'" in err and "Ignored column 'const'" in err and f"saved to {model}" in err
    assert "cluster 0, " in out and "fidelity" in out and "kind = a in 100 %" in out
    written = labels.read_text().splitlines()
    assert written[0] == "row,group" and [line.split(",")[1] for line in written[1:4]] == ["0", "1", "2"]
    html = page.read_text()
    assert (
        "<b>yes" not in html
        and html.count("<svg") >= 3
        and "http" not in html.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")
    )
    assert run(["predict", str(model), str(messy)]) == 0
    said = [line.split(",")[1] for line in capsys.readouterr().out.splitlines()]
    assert said == ["prediction", *(line.split(",")[1] for line in written[1:])]
    assert run(["show", str(model)]) == 0
    assert "3 clusters around centres" in capsys.readouterr().out


@pytest.mark.slow
def test_auto_chooses_k_and_says_when_nothing_stands_out(messy, tmp_path, capsys):
    assert run(["cluster", str(messy), "--ignore", "kind", "--ignore", "owns", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["n_groups"] == found["choice"]["k"] == 3
    assert [line["k"] for line in found["choice"]["table"]] == list(range(2, 11))
    assert len(found["groups"]) == 3 and found["rules"]["fidelity"] > 0.95
    rows = np.random.default_rng(0).random((150, 2))
    noise = tmp_path / "noise.csv"
    noise.write_text("x,y\n" + "\n".join(f"{a},{b}" for a, b in rows) + "\n")
    assert run(["cluster", str(noise), "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["choice"]["k"] is None and "Nothing stands out" in err


@pytest.mark.parametrize(
    "word", ["k-medoids", "KMedoids", "agglomerative", "DBSCAN", "dbscan(min_samples=4)"]
)
def test_words_and_class_names_name_clusterers(word, messy, capsys):
    number = [] if "dbscan" in word.lower() else ["--n-clusters", "3"]
    assert run(["cluster", str(messy), "--learner", word, *number, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["learner"] == acumen.registry.entry(word.partition("(")[0]).kind
    assert found["n_groups"] >= 2 and len(found["groups"]) == found["n_groups"]


def test_what_cannot_be_done_is_said_before_anything_is_read(capsys):
    for given, said in (
        (["--learner", "naive-bayes"], "is not a clusterer"),
        (["--learner", "dbscan", "--n-clusters", "3"], "determines the number of clusters itself"),
        (["--n-clusters", "three"], "whole number of at least 1, or auto"),
        (["--n-clusters", "3", "--set", "n_clusters=4"], "mean the same"),
        (["--labels", "-", "--json"], "both write to stdout"),
        (["--set", "n_init=0"], "n_init must be"),
    ):
        assert run(["cluster", "nowhere.csv", *given]) == 2
        assert said in capsys.readouterr().err


def test_few_rows_and_words_are_told(tmp_path, capsys):
    few = tmp_path / "few.csv"
    few.write_text("x\n1\n2\n")
    assert run(["cluster", str(few), "--keep-ids"]) == 0
    assert "too few" in capsys.readouterr().err
    assert run(["cluster", str(few), "--keep-ids", "--n-clusters", "3"]) == 3
    assert "there are only 2 rows" in capsys.readouterr().err


def test_clusterers_are_listed(capsys):
    assert run(["learners"]) == 0
    out = capsys.readouterr().out
    groups = out.partition("Clusters:")[2]
    for word in (
        "k-means",
        "k-medoids",
        "clara",
        "clarans",
        "agglomerative",
        "divisive",
        "dbscan",
        "chameleon",
    ):
        assert f"  {word} " in groups
