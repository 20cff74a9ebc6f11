"""Truth travels with the table: what commands say of it unasked, on a table with every trouble.

`transcripts/churn.txt` is a walk from a messy file to predictions and a test; each command's output is compared.
"""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
from pathlib import Path

import pytest

import acumen
from acumen.cli.main import run
from acumen.profiling import fit_warnings
from churn import churn_lines, write_churn

TRANSCRIPT = Path(__file__).parent / "transcripts" / "churn.txt"
LEFT_OUT = ["--ignore", "customer_id", "--ignore", "cancel_reason"]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first rows to learn from, later ones to test on, and new ones without an answer."""
    folder = tmp_path_factory.mktemp("churn")
    head, *rows = churn_lines(2_000)
    write_churn(folder / "churn.csv", 2_000)
    (folder / "train.csv").write_text("\n".join([head, *rows[:1_500]]) + "\n", encoding="utf-8")
    (folder / "later.csv").write_text("\n".join([head, *rows[1_500:]]) + "\n", encoding="utf-8")
    (folder / "both.csv").write_text("\n".join([head, *rows[1_000:2_000]]) + "\n", encoding="utf-8")
    new = [line.split(";")[:-1] for line in [head, *rows[1_500:1_504]]]
    new[1][5], new[2][6] = "R99", "240"
    new[3][17] = "31.12.2030"
    (folder / "new.csv").write_text("\n".join(map(";".join, new)) + "\n", encoding="utf-8")
    narrow = [
        ["tenure" if cell == "months" else cell for at, cell in enumerate(line) if at != 5] for line in new
    ]
    (folder / "narrow.csv").write_text("\n".join(map(";".join, narrow)) + "\n", encoding="utf-8")
    return folder


@pytest.fixture(autouse=True)
def there(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)


@pytest.fixture(scope="module")
def model(place: Path) -> str:
    path = place / "kept.acm"
    table = acumen.read(
        place / "train.csv", target="churn", ignore=["customer_id", "cancel_reason"],
        merge={"internet": {"fiber optic": "Fibre optic", "dsl": "DSL"}},
    )  # fmt: skip
    acumen.save(acumen.NaiveBayes().fit(table), path)
    return str(path)


def commands() -> list[tuple[str, str]]:
    """Each command of the transcript with what follows it."""
    made: list[tuple[str, list[str]]] = []
    for line in TRANSCRIPT.read_text(encoding="utf-8").splitlines():
        if line.startswith("$ "):
            made.append((line[2:], []))
        else:
            made[-1][1].append(line)
    return [(command, "\n".join(lines)) for command, lines in made]


def test_the_walk_reads_as_written_down(capsys: pytest.CaptureFixture[str]) -> None:
    for command, expected in commands():
        run(shlex.split(command)[1:])
        found = capsys.readouterr()
        assert (found.out + found.err).rstrip("\n") == expected, command


# -- what would be warned of ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        ["learn"],
        ["tune", "--learner", "one-r", "--grid", "min_bucket=6,12", "--folds", "2"],
        ["compare", "--learners", "one-r", "--folds", "2", "--repeats", "1"],
    ],
    ids=lambda command: command[0],
)
def test_commands_that_learn_say_what_inspect_would_warn_of(command, capsys) -> None:
    name, *options = command
    given = [name, "train.csv", "--target", "churn", "--column", "country", "--column", "months", *options]
    assert run(given) == 0
    lines = capsys.readouterr().err.splitlines()
    said = [line for line in lines if re.match(r"\d+ warnings?: ", line)]
    assert len(said) == 1 and "constant: country" in said[0]
    assert said[0].endswith("; see acumen inspect train.csv --target churn")
    assert not any("acumen.inspect" in line or "TableWarning" in line for line in lines)
    assert run([*given, "--strict"]) == 1
    found = capsys.readouterr()
    assert found.out == "" and "--strict" in found.err


def test_a_table_without_warnings_is_learned_from_under_strict(tmp_path, capsys) -> None:
    table = acumen.datasets.load("iris")
    table.take(sorted(set(range(150)) - {34, 37, 142})).write(tmp_path / "iris.csv")
    assert run(["learn", str(tmp_path / "iris.csv"), "--target", "class", "--strict"]) == 0
    assert "warning" not in capsys.readouterr().err


def test_a_stream_says_what_its_reader_found(capsys) -> None:
    assert run(["learn", "train.csv", "--target", "churn", "--stream", *LEFT_OUT]) == 0
    assert "categories that look alike: internet" in capsys.readouterr().err


@pytest.mark.filterwarnings("always::acumen.errors.TableWarning")
def test_a_stream_says_the_rest_when_it_has_passed(monkeypatch, capsys) -> None:
    monkeypatch.setattr(fit_warnings, "_reported", {})
    assert run(["learn", "train.csv", "--target", "churn", "--stream", "--ignore", "cancel_reason"]) == 0
    reader, *rest = [line for line in capsys.readouterr().err.splitlines() if "warning" in line]
    assert "categories that look alike: internet" in reader
    assert len(rest) == 2 and rest[0].endswith("rows have no 'churn' and were left out.")
    assert "like an identifier: customer_id" in rest[1] and "constant: country" in rest[1]
    assert rest[1].endswith("--ignore NAME ignores columns.") and "look alike" not in rest[1]


@pytest.mark.parametrize(
    "command",
    [["compare"], ["learn"], ["learn", "--learner", "best"], ["tune", "--grid", "alpha=1,2"]],
    ids=" ".join,
)
def test_what_is_wrong_with_a_command_is_said_first_and_alone(command, capsys) -> None:
    name, *options = command
    assert run([name, "train.csv", *options]) == 3
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("acumen: name the column to predict with --target; the columns are customer_id, ")


def test_a_learner_that_is_none_is_told_before_anything_is_read(capsys) -> None:
    assert run(["compare", "there-is-no-file.csv", "--learners", "one-r,nonsense"]) == 2
    assert "nonsense" in capsys.readouterr().err
    assert run(["compare", "there-is-no-file.csv", "--measure", "auk"]) == 2
    assert "Did you mean 'auc'?" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    [
        ["learn", "--learner", "decision-tree"],
        ["tune", "--learner", "decision-tree", "--grid", "confidence_factor=0.1,0.25", "--folds", "2"],
    ],
    ids=lambda command: command[0],
)
def test_what_compare_leaves_out_is_not_learned_from_unless_kept(command, tmp_path, capsys) -> None:
    name, *options = command
    path = str(tmp_path / "m.acm")
    given = [name, "train.csv", "--target", "churn", "--ignore", "cancel_reason", *options, "-o", path]
    assert run(given) == 0
    said = capsys.readouterr().err
    assert "Ignored column 'customer_id': it has " in said and "Use --keep-ids to keep it." in said
    table = acumen.read("train.csv", target="churn", ignore="cancel_reason")
    learned = set(acumen.load(path).schema_.names)
    assert set(table.schema.names) - learned == {"customer_id", "country"}
    assert run([*given, "--keep-ids"]) == 0
    assert "left out" not in capsys.readouterr().err
    assert set(acumen.load(path).schema_.names) == set(table.schema.names)
    assert run(["predict", path, "new.csv"]) == 0


# -- predict -----------------------------------------------------------------------------------------------


def test_what_the_model_never_saw_is_counted_by_column(model, capsys) -> None:
    assert run(["predict", model, "new.csv"]) == 0
    said = capsys.readouterr().err.splitlines()
    assert said[0] == "column 'region': 1 row has a value that is new to the model ('R99')."
    assert said[1].startswith(
        "column 'months': 1 row has a number outside the training range 0 to 72; the furthest is 240"
    )
    assert any(
        line.startswith("column 'signed_on': 1 row has a date outside the training range 20") for line in said
    )
    assert not any("internet" in line for line in said), "what was merged is merged again"


def test_columns_can_be_renamed_and_filled(model, capsys) -> None:
    assert run(["predict", model, "narrow.csv"]) == 3
    assert "--missing-columns" in capsys.readouterr().err
    assert run(["predict", model, "narrow.csv", "--rename", "tenure=months"]) == 3
    assert "'region'" in capsys.readouterr().err
    assert run(["predict", model, "narrow.csv", "--rename", "tenure=months", "--missing-columns"]) == 0
    found = capsys.readouterr()
    assert "column 'region' is absent; its values are treated as missing." in found.err
    assert "column 'months': 1 row has a number outside" in found.err
    with_gaps = acumen.read("new.csv", like=acumen.load(model).schema_).to_pandas().assign(region=None)
    answers = [row["prediction"] for row in csv.DictReader(io.StringIO(found.out))]
    assert answers == acumen.load(model).predict(with_gaps).tolist()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--rename", "tenure"], "NEW=OLD"),
        (["--rename", "tenure=mnths"], "Did you mean 'months'?"),
        (["--rename", "tenur=months"], "Did you mean 'tenure'?"),
        (["--rename", "tenure=months", "--rename", "tenure=calls"], "twice"),
    ],
)
def test_renames_that_mean_nothing_are_refused(model, given, said, capsys) -> None:
    assert run(["predict", model, "narrow.csv", *given]) in (2, 3)
    assert said in capsys.readouterr().err


def test_a_table_of_something_else_is_not_filled(model, tmp_path, capsys) -> None:
    (tmp_path / "other.csv").write_text("u,v\n1,2\n")
    assert run(["predict", model, str(tmp_path / "other.csv"), "--missing-columns"]) == 3
    assert "none of the model's columns" in capsys.readouterr().err


def test_kept_columns_are_as_they_were_written(model, capsys) -> None:
    assert run(["predict", model, "later.csv", "--keep-columns", "--probabilities"]) == 0
    head, *rows = csv.reader(io.StringIO(capsys.readouterr().out))
    given = [line.split(";") for line in Path("later.csv").read_text(encoding="utf-8").splitlines()]
    assert head[:21] == given[0] and [row[:21] for row in rows] == given[1:]
    assert head[21:23] == ["row", "prediction"]


def test_kept_columns_under_json_are_numbers_where_json_writes_them_so(model, capsys) -> None:
    assert run(["predict", model, "new.csv", "--keep-columns", "--json"]) == 0
    first = json.loads(capsys.readouterr().out.splitlines()[0])
    given = dict(
        zip(*(line.split(";") for line in Path("new.csv").read_text("utf-8").splitlines()[:2]), strict=True)
    )
    assert first["months"] == int(given["months"]) and first["plan_code"] == given["plan_code"]
    assert first["monthly_charge"] == given["monthly_charge"] and first["signed_on"] == given["signed_on"]


# -- test and curve ------------------------------------------------------------------------------------------


def test_rows_that_were_learned_from_are_said_to_be(model, capsys) -> None:
    told = "equal training rows of the model"
    assert run(["test", model, "train.csv"]) == 0
    assert f"All rows {told}" in capsys.readouterr().err
    assert run(["test", model, "later.csv", "--json"]) == 0
    found = capsys.readouterr()
    # Forty rows of the file are handed over twice.
    assert json.loads(found.out)["trained_on"] < 0.15
    assert run(["test", model, "both.csv", "--json"]) == 0
    found = capsys.readouterr()
    assert told in found.err and 0.4 < json.loads(found.out)["trained_on"] < 0.65
    assert run(["curve", "roc", model, "train.csv", "--json"]) == 0
    assert told in capsys.readouterr().err


def test_a_small_table_is_compared_row_by_row(tmp_path, capsys) -> None:
    iris = acumen.datasets.load("iris")
    acumen.save(acumen.NaiveBayes().fit(iris.take(slice(0, 150, 2))), tmp_path / "m.acm")
    assert run(["test", str(tmp_path / "m.acm"), "iris", "--json"]) == 0
    assert re.search(r"7[5-9] of the 150 rows", capsys.readouterr().err)
    iris.take(slice(51, 100, 2)).write(tmp_path / "others.csv")
    assert run(["test", str(tmp_path / "m.acm"), str(tmp_path / "others.csv")]) == 0
    assert "learned from:" not in capsys.readouterr().err


def test_regression_says_so_too(tmp_path, capsys) -> None:
    lines = ["x,y", *(f"{i / 7:.3f},{i * i / 50:.2f}" for i in range(80))]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    path = str(tmp_path / "t.csv")
    assert run(["learn", path, "--target", "y", "-o", str(tmp_path / "m.acm")]) == 0
    capsys.readouterr()
    assert run(["test", str(tmp_path / "m.acm"), path, "--json"]) == 0
    found = capsys.readouterr()
    assert json.loads(found.out)["trained_on"] == 1.0 and "All rows equal" in found.err


def test_older_models_are_used_as_before(model, tmp_path, capsys) -> None:
    fitted = acumen.load(model)
    fitted.remember(None)
    acumen.save(fitted, tmp_path / "old.acm")
    assert run(["test", str(tmp_path / "old.acm"), "train.csv"]) == 0
    assert capsys.readouterr().err == ""
