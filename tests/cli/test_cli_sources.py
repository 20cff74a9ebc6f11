"""Every door at the command line: the same options, the same answers as in Python, no password anywhere."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

import acumen
from acumen.cli.main import run
from postgres_server import PASSWORD, reason_against, serving

LOAN = acumen.datasets.load("loan")
ROWS = [tuple(str(LOAN.column(name)[i]) for name in LOAN.schema.columns) for i in range(len(LOAN))]
START = [sys.executable, "-c", "from acumen.cli.main import main; main()"]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "loan.acm"
    acumen.save(acumen.NaiveBayes().fit(LOAN), path)
    return path


@pytest.fixture(scope="module")
def expected(model) -> list[str]:
    return [str(label) for label in acumen.load(model).predict(LOAN)]


@pytest.fixture
def database(tmp_path) -> Path:
    path = tmp_path / "loan.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"CREATE TABLE loan ({', '.join(LOAN.schema.columns)})")
        connection.executemany("INSERT INTO loan VALUES (?, ?, ?, ?, ?)", ROWS)
        connection.commit()
    return path


def stored(path: Path, query: str) -> list[tuple]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


def predictions(text: str) -> list[str]:
    return [row["prediction"] for row in csv.DictReader(io.StringIO(text))]


def as_file(folder: Path, name: str) -> Path:
    path = folder / name
    if name.endswith(".jsonl"):
        path.write_text(
            "".join(json.dumps(dict(zip(LOAN.schema.columns, row, strict=True))) + "\n" for row in ROWS)
        )
    elif name.endswith(".fwf"):
        lines = [LOAN.schema.columns, *ROWS]
        path.write_text("".join("".join(f"{cell:<14}" for cell in line) + "\n" for line in lines))
    else:
        pq = pytest.importorskip("pyarrow.parquet")
        feather = pytest.importorskip("pyarrow.feather")
        write = pq.write_table if name.endswith(".parquet") else feather.write_feather
        write(LOAN.to_arrow(), path)
    return path


@pytest.mark.parametrize("name", ["loan.jsonl", "loan.fwf", "loan.parquet", "loan.feather"])
def test_every_command_takes_every_file(tmp_path, model, expected, capsys, name):
    path = str(as_file(tmp_path, name))
    assert run(["predict", str(model), path]) == 0
    assert predictions(capsys.readouterr().out) == expected
    assert run(["inspect", path, "--target", "Class", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == 15
    assert run(["learn", path, "--target", "Class", "-o", str(tmp_path / "m.acm")]) == 0
    assert run(["test", str(tmp_path / "m.acm"), path]) == 0
    assert run(["compare", path, "--target", "Class", "--learners", "naive-bayes,majority"]) == 0


def test_formats_widths_and_columns_can_be_said(tmp_path, model, expected, capsys):
    fixed = as_file(tmp_path, "loan.fwf").rename(tmp_path / "loan.txt")
    assert run(["predict", str(model), str(fixed), "--format", "fixed"]) == 0
    assert predictions(capsys.readouterr().out) == expected
    assert run(["predict", str(model), str(fixed), "--widths", "14,14,14,14,14"]) == 0
    assert predictions(capsys.readouterr().out) == expected
    assert (
        run(["inspect", str(fixed), "--format", "fixed", "--column", "Age", "--target", "Class", "--json"])
        == 0
    )
    assert [each["name"] for each in json.loads(capsys.readouterr().out)["attributes"]] == ["Age"]
    assert run(["inspect", str(fixed), "--widths", "14,x"]) == 2
    assert run(["inspect", str(fixed), "--format", "fixd"]) != 0
    assert "Did you mean 'fixed'" in capsys.readouterr().err


def test_standard_input_has_any_format(tmp_path, model, expected):
    done = subprocess.run(
        [*START, "predict", str(model), "-", "--format", "jsonl"],
        input=as_file(tmp_path, "loan.jsonl").read_text(), capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert predictions(done.stdout) == expected


def test_baskets_and_svmlight_are_learned_from(tmp_path, capsys):
    baskets, svm = tmp_path / "shop.basket", tmp_path / "small.svm"
    baskets.write_text("yes,a,b\nno,c\nyes,a\nno,c,b\n" * 5)
    svm.write_text("1 1:1.5 2:0.25\n-1 2:1.5\n1 1:1 2:0.5\n-1 2:2 3:1\n" * 5)
    for path, options in ((baskets, ["--target", "0"]), (svm, [])):
        out = str(tmp_path / "m.acm")
        assert run(["learn", str(path), *options, "--set", "var_floor=0.01", "-o", out]) == 0
        capsys.readouterr()
        assert run(["predict", out, str(path), *options]) == 0
        assert predictions(capsys.readouterr().out)[:2] == (["yes", "no"] if options else ["1", "-1"])


def test_a_cap_can_be_set(tmp_path, capsys):
    path = tmp_path / "a.csv"
    path.write_text("a,b\n" + "1,2\n" * 100)
    assert run(["inspect", str(path), "--max-bytes", "50"]) == 3
    assert "holds more than the 50 bytes that --max-bytes allows" in capsys.readouterr().err


# -- databases ------------------------------------------------------------------------------------


def test_a_query_and_its_parameters(database, model, expected, capsys):
    address = f"sqlite:///{database}"
    query = "SELECT * FROM loan WHERE Age = ? AND rowid > ?"
    assert run(["predict", str(model), address, "--query", query, "--param", "old", "--param", "12"]) == 0
    found = predictions(capsys.readouterr().out)
    chosen = [i for i, row in enumerate(ROWS) if row[0] == "old" and i + 1 > 12]
    assert found == [expected[i] for i in chosen] and found
    assert run(["predict", str(model), address]) == 0
    assert predictions(capsys.readouterr().out) == expected


@pytest.mark.parametrize(("text", "kind"), [("18", "integer"), ("1.5", "real"), ("null", "null"), ('"18"', "text"),
                                            ("word", "text"), ("[1]", "text"), ("true", "integer")])  # fmt: skip
def test_parameters_have_types(database, capsys, text, kind):
    query = "SELECT typeof(?1) AS kind, ?1 AS value, rowid AS n FROM loan"
    assert run(["inspect", f"sqlite:///{database}", "--query", query, "--param", text, "--json"]) == 0
    assert f'"{kind}"' in capsys.readouterr().out


def test_predictions_go_into_a_new_table(database, model, expected, capsys):
    address = ["predict", str(model), f"sqlite:///{database}", "--query", "SELECT * FROM loan"]
    assert run([*address, "--into", "answers", "--probabilities", "--keep-columns"]) == 0
    said = capsys.readouterr()
    assert said.out == "" and "Wrote 15 rows to the table answers." in said.err
    found = stored(database, 'SELECT Age, "row", prediction, "P(No)" + "P(Yes)" FROM answers')
    assert [row[2] for row in found] == expected and [row[1] for row in found] == list(range(1, 16))
    assert [row[0] for row in found] == [row[0] for row in ROWS]
    assert all(abs(row[3] - 1) < 1e-12 for row in found)


def test_a_table_that_is_there_is_left_alone_unless_replaced(database, model, capsys):
    command = [
        "predict",
        str(model),
        f"sqlite:///{database}",
        "--query",
        "SELECT * FROM loan",
        "--into",
        "loan",
    ]
    assert run(command) == 3
    assert "already has a table 'loan', which was not changed" in capsys.readouterr().err
    assert len(stored(database, "SELECT Class FROM loan")) == 15
    assert run([*command, "--overwrite"]) == 0
    assert len(stored(database, "SELECT prediction FROM loan")) == 15


def test_rows_the_model_cannot_read_leave_no_table(database, model, capsys):
    command = ["predict", str(model), f"sqlite:///{database}", "--into", "answers"]
    assert run([*command, "--query", "SELECT Age, Class FROM loan"]) == 3
    assert "which the model needs" in capsys.readouterr().err
    assert stored(database, "SELECT name FROM sqlite_master") == [("loan",)]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--into", "t", "-o", "x.csv"], "rows go to a table or to a file"),
        (["--into", "t", "--json"], "rows go to a table or to a file"),
        (["--overwrite"], "name the table to replace with --into"),
        (["--into", ""], "a table needs a name"),
    ],
)
def test_options_that_do_not_go_together(database, model, capsys, more, said):
    assert run(["predict", str(model), f"sqlite:///{database}", *more]) == 2
    assert said in capsys.readouterr().err


def test_only_databases_are_written_into(tmp_path, model, capsys):
    path = str(as_file(tmp_path, "loan.jsonl"))
    assert run(["predict", str(model), path, "--into", "t"]) == 2
    assert "is not a database" in capsys.readouterr().err


@pytest.mark.skipif(reason_against() is not None, reason=str(reason_against()))
def test_the_way_there_and_back_in_postgresql_without_the_password(tmp_path, expected, capsys):
    model, report = tmp_path / "m.acm", tmp_path / "r.html"
    with serving() as server:
        columns = ", ".join(f'"{name}" text' for name in LOAN.schema.columns)
        values = ", ".join("(" + ", ".join(f"'{cell}'" for cell in row) + ")" for row in ROWS)
        server.run(f"CREATE TABLE loan ({columns})", f"INSERT INTO loan VALUES {values}")
        assert run(["learn", server.address, "--target", "Class", "--stream", "-o", str(model)]) == 0
        query = ["--query", 'SELECT * FROM loan WHERE "Age" <> $1', "--param", "ancient"]
        assert run(["predict", str(model), server.address, *query, "--into", "answers"]) == 0
        assert run(["predict", str(model), server.address, *query, "--into", "answers"]) == 3
        assert run(["inspect", server.address, "--query", "SELECT nope"]) == 3
        few = ["--learners", "naive-bayes,one-r", "--folds", "3"]
        assert (
            run(["compare", server.address, *query, "--target", "Class", *few, "--report", str(report)]) == 0
        )
        found = server.run("SELECT prediction FROM answers ORDER BY row").split()
    said = capsys.readouterr()
    assert found == expected
    quoted = PASSWORD.replace("%", "%25")
    for text in (said.out, said.err, report.read_text(), model.read_bytes().decode("latin-1")):
        assert PASSWORD not in text and quoted not in text
    assert f"acumen compare {server.shown}" in report.read_text()
