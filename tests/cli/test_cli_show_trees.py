"""`acumen show` of a tree: rules, SQL, Python, a drawing."""

from __future__ import annotations

import importlib.util
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import acumen
from acumen.cli import console
from acumen.cli.main import run
from figure_cases import parsed


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    path = tmp_path / "tree.acm"
    acumen.save(acumen.DecisionTree(measure="gain", prune="none").fit(acumen.datasets.load("loan")), path)
    return path


def test_show_prints_the_tree(tree, capsys):
    assert run(["show", str(tree)]) == 0
    assert "|   Has_Job = false: No (6)" in capsys.readouterr().out


def test_rules_sql_and_python_are_those_of_the_learner(tree, capsys):
    learner = acumen.load(tree)
    for flags, wanted in (
        (["--rules"], str(learner.to_rules()) + "\n"),
        (["--sql", "loans"], learner.to_sql("loans") + ";\n"),
        (["--python"], learner.to_python()),
    ):
        assert run(["show", str(tree), *flags]) == 0
        assert capsys.readouterr().out == wanted


def test_the_sql_runs(tree, capsys):
    assert run(["show", str(tree), "--sql", "loans"]) == 0
    statement = capsys.readouterr().out
    loan = acumen.datasets.load("loan")
    with sqlite3.connect(":memory:") as base:
        loan.to_pandas().astype(str).to_sql("loans", base, index=False)
        rows = base.execute(statement).fetchall()
    assert [row[-1] for row in rows] == loan.label_values().tolist() == [row[-2] for row in rows]


def test_svg_is_written_to_a_file(tree, tmp_path, capsys):
    assert run(["show", str(tree), "--svg", str(tmp_path / "a.svg"), "--max-depth", "1"]) == 0
    assert capsys.readouterr().out == ""
    drawn = (tmp_path / "a.svg").read_text(encoding="utf-8")
    parsed(drawn)
    assert "+2 leaves" in drawn


def test_sql_that_would_act_on_a_terminal_goes_to_files_only(tmp_path, capsys, monkeypatch):
    path = tmp_path / "m.acm"
    acumen.save(acumen.DecisionTree().fit([[1.0], [2.0]] * 9, ["a\x1b[31m", "b"] * 9), path)
    assert run(["show", str(path), "--sql", "t"]) == 0
    assert "\x1b" in capsys.readouterr().out
    monkeypatch.setattr("acumen.cli.console.is_terminal", lambda stream: True)
    assert run(["show", str(path), "--sql", "t"]) == 2
    told = capsys.readouterr()
    assert "terminal control characters" in told.err and "\x1b" not in told.out


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (["--rules", "--python"], "cannot be combined"),
        (["--max-depth", "3"], "--max-depth is for drawings"),
    ],
)
def test_flags_that_do_not_go_together_are_wrong_usage(tree, flags, sentence, capsys):
    assert run(["show", str(tree), *flags]) == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize("flags", [["--rules"], ["--sql", "t"], ["--python"], ["--svg", "x.svg"]])
def test_other_models_say_what_they_are_not(tmp_path, flags, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    acumen.save(acumen.KernelFisher().fit(acumen.datasets.load("loan")), tmp_path / "m.acm")
    assert run(["show", "m.acm", *flags]) == 2
    assert re.search("kernel-fisher model (is not|cannot be) ", capsys.readouterr().err)
    assert not (tmp_path / "x.svg").exists()


def test_showing_a_tree_needs_no_scikit_learn(tree, tmp_path):
    code = (
        "import sys\nfrom acumen.cli.main import run\n"
        f"assert run(['show', {str(tree)!r}, '--svg', {str(tmp_path / 'a.svg')!r}]) == 0\n"
        f"assert run(['show', {str(tree)!r}, '--sql', 't']) == 0\n"
        f"assert run(['show', {str(tree)!r}, '--pmml', {str(tmp_path / 'a.pmml')!r}]) == 0\n"
        "assert 'sklearn' not in sys.modules and 'matplotlib' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_onnx_and_pmml_are_written_to_files(tmp_path, capsys):
    path = tmp_path / "m.acm"
    learner = acumen.NaiveBayes().fit(acumen.datasets.load("loan"))
    acumen.save(learner, path)
    assert run(["show", str(path), "--pmml", str(tmp_path / "m.pmml")]) == 0
    assert (tmp_path / "m.pmml").read_text(encoding="utf-8") == acumen.to_pmml(learner)
    assert "m.pmml." in capsys.readouterr().err
    for alone in (["-"], []):
        assert run(["show", str(path), "--pmml", *alone]) == 0
        assert capsys.readouterr().out == acumen.to_pmml(learner)
    pytest.importorskip("onnx", reason="needs the extra onnx")
    assert run(["show", str(path), "--onnx", str(tmp_path / "m.onnx")]) == 0
    assert (tmp_path / "m.onnx").read_bytes() == acumen.to_onnx(learner)


def test_a_graph_goes_to_stdout_unless_that_is_a_terminal(tmp_path, capsysbinary, monkeypatch):
    pytest.importorskip("onnx", reason="needs the extra onnx")
    path = tmp_path / "m.acm"
    learner = acumen.NaiveBayes().fit(acumen.datasets.load("loan"))
    acumen.save(learner, path)
    assert run(["show", str(path), "--onnx"]) == 0
    assert capsysbinary.readouterr().out == acumen.to_onnx(learner)
    monkeypatch.setattr(console, "is_terminal", lambda stream: True)
    assert run(["show", str(path), "--onnx"]) == 2
    assert b"output is binary" in capsysbinary.readouterr().err


def test_what_a_form_cannot_say_and_a_missing_extra_are_sentences(tree, tmp_path, capsys, monkeypatch):
    out = str(tmp_path / "m.onnx")
    if importlib.util.find_spec("onnx") is not None:
        acumen.save(acumen.KNN().fit(acumen.datasets.load("loan")), tmp_path / "knn.acm")
        assert run(["show", str(tmp_path / "knn.acm"), "--onnx", out]) == 2
        assert (
            "--onnx: a knn model cannot be exported to ONNX; supported are trees, forests"
            in capsys.readouterr().err
        )
    monkeypatch.setitem(sys.modules, "onnx", None)
    assert run(["show", str(tree), "--onnx", out]) == 2
    assert "pip install 'acumen-learn[onnx]'" in capsys.readouterr().err
    assert not (tmp_path / "m.onnx").exists()


def test_probabilities_are_for_sql(tree, capsys):
    learner = acumen.load(tree)
    assert run(["show", str(tree), "--sql", "loans", "--probabilities"]) == 0
    assert capsys.readouterr().out == learner.to_sql("loans", probabilities=True) + ";\n"
    for flag in ("--probabilities", "--nan-as-missing"):
        assert run(["show", str(tree), flag]) == 2
        assert "add --sql TABLE" in capsys.readouterr().err
    assert run(["show", str(tree), "--onnx", "a", "--pmml", "b"]) == 2
    assert "cannot be combined" in capsys.readouterr().err
