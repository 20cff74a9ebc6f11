"""`acumen predict`: the answers of the library, streamed through files and pipes, without scikit-learn."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import acumen
from acumen.cli.main import run

LOAN = acumen.datasets.load("loan")
START = [sys.executable, "-c", "from acumen.cli.main import main; main()"]
ROWS = "Age,Has_Job,Own_house,Credit_Rating\nyoung,true,false,good\nancient,,true,\n"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "loan.acm"
    acumen.save(acumen.NaiveBayes().fit(LOAN), path)
    return path


def lines_of(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


def test_predictions_and_probabilities_are_the_librarys(model, capsys):
    assert run(["predict", str(model), "loan", "--probabilities"]) == 0
    head, *rows = lines_of(capsys.readouterr().out)
    fitted = acumen.load(model)
    assert head == ["row", "prediction", "P(No)", "P(Yes)"]
    assert [row[0] for row in rows] == [str(n) for n in range(1, 16)]
    assert [row[1] for row in rows] == fitted.predict(LOAN).tolist()
    np.testing.assert_array_equal(
        np.array([row[2:] for row in rows], dtype=float), fitted.predict_proba(LOAN)
    )


def test_rows_come_from_stdin_and_go_to_stdout(model):
    done = subprocess.run(
        [*START, "predict", str(model), "-"], input=ROWS, capture_output=True, text=True, check=True
    )
    assert done.stdout == "row,prediction\n1,Yes\n2,Yes\n"
    assert done.stderr == "column 'Age': 1 row has a value that is new to the model ('ancient').\n"


def test_an_output_file_is_there_only_when_complete(model, tmp_path, capsys):
    out = tmp_path / "out.csv"
    assert run(["predict", str(model), "loan", "-o", str(out)]) == 0
    assert capsys.readouterr().out == "" and len(lines_of(out.read_text())) == 16
    before = out.read_bytes()
    assert run(["predict", str(model), "iris", "-o", str(out)]) == 3
    assert out.read_bytes() == before and [p.name for p in tmp_path.iterdir()] == ["out.csv"]


def test_columns_may_be_kept_in_front(model, capsys):
    assert run(["predict", str(model), "loan", "--keep-columns"]) == 0
    head, first, *_ = lines_of(capsys.readouterr().out)
    assert head == ["Age", "Has_Job", "Own_house", "Credit_Rating", "Class", "row", "prediction"]
    assert first == ["young", "false", "false", "fair", "No", "1", "No"]


def test_json_has_one_object_a_line(model, capsys):
    assert run(["predict", str(model), "loan", "--json", "--probabilities"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(rows) == 15 and rows[0]["prediction"] == "No"
    assert rows[0]["P(No)"] + rows[0]["P(Yes)"] == pytest.approx(1.0)


def test_reasons_are_the_strongest_and_in_json_all_of_them(model, capsys):
    assert run(["predict", str(model), "loan", "--explain"]) == 0
    head, first, *_ = lines_of(capsys.readouterr().out)
    assert (
        head[-1] == "because" and "For it Credit_Rating = fair (odds x 3.33), Own_house = false" in first[-1]
    )
    assert run(["predict", str(model), "loan", "--explain", "--json"]) == 0
    said = json.loads(capsys.readouterr().out.splitlines()[0])["because"]
    assert said == acumen.load(model).explain(LOAN.take([0])).to_dict()


def test_infinite_evidence_is_valid_json(tmp_path, capsys):
    acumen.save(acumen.NaiveBayes(estimator="mle").fit(LOAN), tmp_path / "m.acm")
    assert run(["predict", str(tmp_path / "m.acm"), "loan", "--explain", "--json"]) == 0
    text = capsys.readouterr().out
    odds = [e["log_odds"] for line in text.splitlines() for e in json.loads(line)["because"]["evidence"]]
    assert "inf" in odds and "Infinity" not in text


def test_a_column_that_is_missing_is_named(model, capsys):
    assert run(["predict", str(model), "iris"]) == 3
    out, err = capsys.readouterr()
    assert out == "" and "'Age' (and 3 more)" in err


def test_a_word_among_numbers_is_named(tmp_path, capsys):
    acumen.save(acumen.NaiveBayes().fit(acumen.datasets.load("iris")), tmp_path / "m.acm")
    (tmp_path / "t.csv").write_text("sepal_length,sepal_width,petal_length,petal_width\n1,2,3,wide\n")
    assert run(["predict", str(tmp_path / "m.acm"), str(tmp_path / "t.csv")]) == 3
    assert "'petal_width' holds 'wide'" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["predict", "{}", "loan"], ["show", "{}"]])
@pytest.mark.parametrize("content", [None, b"", b"junk", b"PK\x03\x04 and no more"])
def test_a_bad_model_file_exits_4_with_a_sentence(command, content, tmp_path, capsys):
    path = tmp_path / "m.acm"
    if content is not None:
        path.write_bytes(content)
    assert run([word.format(path) for word in command]) == 4
    out, err = capsys.readouterr()
    assert out == "" and "m.acm" in err and "Traceback" not in err


def test_many_parts_are_numbered_through(model, tmp_path, capsys):
    head, *rows = ROWS.splitlines()
    (tmp_path / "t.csv").write_text("\n".join([head, *rows * 40_000]) + "\n")
    assert run(["predict", str(model), str(tmp_path / "t.csv"), "-o", str(tmp_path / "out.csv")]) == 0
    made = lines_of((tmp_path / "out.csv").read_text())
    assert len(made) == 80_001 and made[-1] == ["80000", "Yes"]


def test_predict_and_show_import_neither_scikit_learn_nor_scipy_stats(tmp_path):
    text = acumen.read(
        pd.DataFrame({"t": ["a b", "b c", "c"], "c": ["x", "y", "y"]}),
        target="c", kinds={"t": "text"},
    )  # fmt: skip
    learners = {
        "naive": acumen.NaiveBayes(numeric="kernel"), "full": acumen.FullBayes(covariance="shared"),
        "parzen": acumen.Parzen(), "histogram": acumen.HistogramBayes(bins=3), "one": acumen.OneR(),
        "majority": acumen.Majority(),
    }  # fmt: skip
    for name, learner in learners.items():
        acumen.save(learner.fit(acumen.datasets.load("iris")), tmp_path / f"{name}.acm")
    acumen.save(acumen.TextBayes().fit(text), tmp_path / "text.acm")
    (tmp_path / "t.csv").write_text("t\na b\nc\n")
    script = f"""
import contextlib, io, sys
from acumen.cli.main import run
with contextlib.redirect_stdout(io.StringIO()):
    for name in {[*learners, "text"]!r}:
        data = "t.csv" if name == "text" else "iris"
        for more in ([], ["--probabilities", "--explain", "--json"], ["--keep-columns"]):
            assert run(["predict", name + ".acm", data, *more]) == 0, (name, more)
        for more in ([], ["--full"], ["--json"]):
            assert run(["show", name + ".acm", *more]) == 0, (name, more)
heavy = [name for name in ("sklearn", "scipy.stats", "pandas", "pyarrow", "matplotlib") if name in sys.modules]
sys.exit(f"imported {{heavy}}" if heavy else 0)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_a_filter_that_leaves_columns_out_needs_only_those_it_keeps(tmp_path, capsys):
    data, path = tmp_path / "d.csv", tmp_path / "f.acm"
    data.write_text("noise,x,c\n" + "".join(f"{i * 7 % 5},{i / 2},{'ab'[i >= 20]}\n" for i in range(40)))
    assert run(["learn", str(data), "--target", "c", "--learner", "filter", "-o", str(path)]) == 0
    (tmp_path / "new.csv").write_text("x\n3\n100\n")
    capsys.readouterr()
    assert run(["predict", str(path), str(tmp_path / "new.csv")]) == 0
    told = capsys.readouterr()
    assert lines_of(told.out) == [["row", "x"], ["1", "3.0"], ["2", "100.0"]]
    assert "column 'x': 1 row has a number outside the training range 0 to 19.5" in told.err
