"""Files as they should not be, given to every command that takes a table: a sentence and an exit code, no traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from acumen.cli import console
from acumen.cli.main import run

ROWS = "".join(f"{i % 11},{'uvw'[i % 3]},{'yes' if i % 11 > 5 else 'no'}\n" for i in range(40))
#: name -> what the file holds; those that no command can use
HOPELESS = {
    "empty": b"",
    "blank": b"\n\n\n",
    "ragged": f"a,b,y\n{ROWS}1,2\n3,4,y,7\n".encode(),
    "nul": b"a,b,y\n1,\x00,yes\n",
}
#: name -> what the file holds; some commands can use them
ODD = {
    "one-column": b"y\n" + b"yes\nno\n" * 10,
    "one-class": b"a,b,y\n" + b"1,u,yes\n2,v,yes\n3,w,yes\n" * 8,
    "no-value": b"a,b,y\n" + b",,yes\n,,no\n" * 10,
    "no-label": b"a,b,y\n" + b"1,u,\n2,v,\n3,w,\n" * 8,
    "one-row": b"a,b,y\n1,u,yes\n",
    "alike": b"a,b,y\n" + b"1,u,yes\n" * 12,
    "twice-named": b"a,a,y\n" + b"1,5,yes\n2,6,no\n3,7,no\n" * 8,
    "other-classes": b"a,b,y\n" + b"1,u,perhaps\n2,v,never\n" * 10,
}
COMMANDS = {
    "split": "split {data} --target y -o {folder}/t.csv,{folder}/u.csv",
    "learn": "learn {data} --target y --learner naive-bayes",
    "decide": "decide {model} {data} --capacity 5",
    "test": "test {model} {data}",
    "predict": "predict {model} {data}",
    "label": "label {data} --target y -o {folder}/answers.csv",
    "cluster": "cluster {data} --n-clusters 1",
    "complete": "complete {data} -o {folder}/full.csv",
    "mine": "mine {data} --discretise equal-width",
    "report": "rules report {model} {data} --folds 2",
}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    (folder / "good.csv").write_text("a,b,y\n" + ROWS)
    made = folder / "tree.acm"
    assert (
        run(
            [
                "learn",
                str(folder / "good.csv"),
                "--target",
                "y",
                "--learner",
                "decision-tree",
                "-o",
                str(made),
            ]
        )
        == 0
    )
    return made


def called(line, **names):
    return run(line.format(**names).split())


def is_told(err):
    assert "Traceback" not in err and "internal" not in err
    last = err.strip().splitlines()[-1]
    assert last.startswith("acumen: ") and last.endswith((".", "?")), last


@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_that_nobody_can_read_is_named_in_a_sentence(command, model, tmp_path, capsys):
    for name, held in HOPELESS.items():
        path = tmp_path / f"{name}.csv"
        path.write_bytes(held)
        assert called(COMMANDS[command], data=path, model=model, folder=tmp_path) == console.BAD_DATA, name
        err = capsys.readouterr().err
        is_told(err)
        assert f"{name}.csv" in err
    folder = tmp_path / "folder"
    folder.mkdir()
    assert called(COMMANDS[command], data=folder, model=model, folder=tmp_path) == console.BAD_DATA
    assert "is a directory; give a file in it" in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", ODD)
def test_an_odd_table_is_used_or_refused_in_a_sentence(command, name, model, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", open("/dev/null"))  # noqa: SIM115, PTH123
    path = tmp_path / f"{name}.csv"
    path.write_bytes(ODD[name])
    code = called(COMMANDS[command], data=path, model=model, folder=tmp_path)
    assert code in (console.OK, console.USAGE, console.BAD_DATA)
    err = capsys.readouterr().err
    assert "Traceback" not in err
    if code == console.BAD_DATA:
        is_told(err)


@pytest.mark.parametrize("command", ["decide", "test", "predict", "report"])
def test_what_is_no_model_is_said_with_what_writes_one(command, model, tmp_path, capsys):
    data = tmp_path / "good.csv"
    data.write_text("a,b,y\n" + ROWS)
    whole = model.read_bytes()
    for held, said in {
        whole[: len(whole) // 2]: "its end is missing",
        b"": "the model was never written",
        b"a,b,y\n1,2,3\n": "acumen learn -o FILE writes one. MODEL comes first, DATA behind it.",
    }.items():
        other = tmp_path / "other.acm"
        other.write_bytes(held)
        assert called(COMMANDS[command], data=data, model=other, folder=tmp_path) == console.BAD_MODEL
        assert said in capsys.readouterr().err


def test_decide_says_which_classes_the_rows_are_of(model, tmp_path, capsys):
    data = tmp_path / "no.csv"
    data.write_text("a,b,y\n" + "1,u,no\n" * 9)
    assert run(["decide", str(model), str(data), "--capacity", "5"]) == console.BAD_DATA
    assert "no row of DATA has the class 'yes'; its classes are 'no'." in capsys.readouterr().err
    data.write_text("a,b,y\n" + "1,u,perhaps\n" * 9)
    assert run(["decide", str(model), str(data), "--capacity", "5"]) == console.BAD_DATA
    assert "its classes are unknown to the model" in capsys.readouterr().err


def test_a_rule_report_of_other_classes_says_so(model, tmp_path, capsys):
    data = tmp_path / "other.csv"
    data.write_bytes(ODD["other-classes"])
    assert run(["rules", "report", str(model), str(data)]) == console.BAD_DATA
    assert "has a class that the model knows (no, yes)" in capsys.readouterr().err
    data.write_bytes(ODD["no-label"])
    assert run(["rules", "report", str(model), str(data)]) == console.BAD_DATA
    assert "has a known 'y'" in capsys.readouterr().err


def test_rows_that_are_all_alike_are_one_group_unasked(tmp_path, capsys):
    data = tmp_path / "alike.csv"
    data.write_bytes(ODD["alike"])
    assert run(["cluster", str(data)]) == console.OK
    said = capsys.readouterr()
    assert "All rows are equal" in said.err and said.out.startswith("1 cluster")


@pytest.mark.slow
def test_clustering_says_what_is_odd_about_a_table_once(tmp_path, capsys):
    data = tmp_path / "inf.csv"
    data.write_text("a,b\n" + "".join(f"{'inf' if i == 3 else i % 13},{i * i % 17}\n" for i in range(30)))
    assert run(["cluster", str(data), "--set", "n_init=1"]) == console.OK
    assert capsys.readouterr().err.count("infinite values") == 1


def test_completing_tells_of_columns_that_nothing_fills(tmp_path, capsys):
    data = tmp_path / "no-value.csv"
    data.write_bytes(ODD["no-value"])
    assert run(["complete", str(data)]) == console.OK
    assert "columns without any value: a, b" in capsys.readouterr().err


def test_completing_writes_to_stdout(tmp_path, capsys):
    data = tmp_path / "gaps.csv"
    data.write_text("a,b\n1,u\n2,\n1,u\n2,v\n")
    assert run(["complete", str(data), "-o", "-"]) == console.OK
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "a,b" and len(out) == 5 and not any(line.endswith(",") for line in out)


def test_a_form_that_cannot_be_written_is_refused_before_the_work(tmp_path, capsys, monkeypatch):
    data = tmp_path / "gaps.csv"
    data.write_text("a,b\n1,u\n2,\n1,u\n2,v\n")
    monkeypatch.setattr(
        "acumen.imputation.completion.complete", lambda *_, **__: pytest.fail("it was worked")
    )
    assert run(["complete", str(data), "-o", str(tmp_path / "full.xls")]) == console.BAD_DATA
    assert "end it in .csv, .tsv or .arff" in capsys.readouterr().err


def test_rules_without_a_command_is_wrong_usage(capsys):
    assert run(["rules"]) == console.USAGE
    assert capsys.readouterr().err.startswith("acumen: Missing command.")
    assert run(["rules", "--help"]) == console.OK
    assert "..." not in capsys.readouterr().out.partition("Commands:")[2]


def test_split_lists_the_columns_there_are(tmp_path, capsys):
    data = tmp_path / "good.csv"
    data.write_text("a,b,y\n" + ROWS)
    assert (
        run(["split", str(data), "--group-column", "zz", "-o", f"{tmp_path}/t.csv,{tmp_path}/u.csv"])
        == console.USAGE
    )
    assert "there is no column 'zz'; the columns are a, b, y." in capsys.readouterr().err


def test_a_head_that_is_no_item_speaks_of_the_flag(tmp_path, capsys):
    data = tmp_path / "baskets.txt"
    data.write_text("milk bread\nbread butter\n")
    assert run(["mine", str(data), "--rules", "--head", "bred"]) == console.USAGE
    err = capsys.readouterr().err
    assert "--head must name an item; none is called 'bred'. Did you mean 'bread'?" in err


def test_no_room_left_is_said_with_what_to_do(model, tmp_path, capsys):
    file = tmp_path / "rows.csv"
    file.write_text("a,b,y\n" + ROWS, encoding="utf-8")
    if not Path("/dev/full").exists():
        pytest.skip("only Linux has a file that is always full")
    assert run(["predict", str(model), str(file), "-o", "/dev/full"]) == console.BAD_DATA
    assert "no disk space left; free some" in capsys.readouterr().err


def test_flags_are_spoken_of(tmp_path, capsys):
    file = tmp_path / "one.csv"
    file.write_text("a,b,y\n1,u,yes\n", encoding="utf-8")
    run(["tune", str(file), "--target", "y", "--learner", "knn", "--grid", "n_neighbors=1,3", "--folds", "2"])
    assert "or use --measure bic." in capsys.readouterr().err
    assert run(["compare", str(file), "--target", "y", "--threads", "0"]) == 2
    said = capsys.readouterr().err
    assert "--threads" in said and "n_jobs" not in said
