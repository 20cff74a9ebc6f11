"""`acumen inspect`, and DATA with its options, as every command takes them."""

from __future__ import annotations

import io
import json
import sys

import pytest

import acumen
from acumen.cli.data import Reading
from acumen.cli.main import run

CSV = "id,colour,size,class\n" + "".join(
    f"{i},{'red' if i % 3 else 'blue'},{i * 37 % 11 / 2},{'yes' if i % 2 else 'no'}\n" for i in range(1, 41)
)


@pytest.fixture
def csv_file(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(CSV)
    return path


def card(capsys, *args):
    assert run(["inspect", *map(str, args), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_built_in_table_has_its_target(capsys):
    made = card(capsys, "iris")
    assert (made["rows"], made["target"]["name"], len(made["attributes"])) == (150, "class", 4)
    assert round(made["target"]["entropy_bits"], 3) == 1.585


def test_text_and_python_say_the_same(capsys):
    assert run(["inspect", "iris"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out == str(acumen.inspect(acumen.datasets.load("iris")))
    assert all(len(line) <= 80 for line in out.split("\n"))


def test_json_and_python_say_the_same(capsys):
    assert card(capsys, "weather") == acumen.inspect(acumen.datasets.load("weather")).to_dict()


def test_a_built_in_table_takes_another_target(capsys):
    made = card(capsys, "weather", "--target", "outlook", "--ignore", "play")
    assert made["target"]["name"] == "outlook" and made["ignored"] == ["play"]


def test_a_file_with_options(csv_file, capsys):
    made = card(capsys, csv_file, "--target", "class", "--ignore", "id", "--kind", "size=nominal")
    kinds = {a["name"]: a["kind"] for a in made["attributes"]}
    assert kinds == {"colour": "nominal", "size": "nominal"}
    assert made["ignored"] == ["id"]


def test_a_column_may_be_given_by_position(csv_file, capsys):
    assert card(capsys, csv_file, "--target", "3")["target"]["name"] == "class"
    assert card(capsys, csv_file, "--target", "-1")["target"]["name"] == "class"


def test_a_column_named_by_a_number_is_a_name(tmp_path, capsys):
    path = tmp_path / "years.csv"
    path.write_text("2019,0,x\na,p,1.5\nb,q,2.5\na,p,3.5\n")
    made = card(capsys, path, "--header", "--target", "0")
    assert made["target"]["name"] == "0"


def test_every_option_of_reading_can_be_said(tmp_path, capsys):
    path = tmp_path / "odd.txt"
    path.write_bytes("# a comment\n'a;b';1,5;2;n.a.\nü;2,5;1;k\nx;3,5;1\n".encode("latin-1"))
    made = card(
        capsys, path, "--no-header", "--delimiter", ";", "--decimal", ",", "--quote", "'", "--comment", "#",
        "--encoding", "latin-1", "--missing", "n.a.", "--ragged", "fill", "--weight", "2", "--levels", "3=k,l",
    )  # fmt: skip
    assert made["rows"] == 3
    first, second, third = made["attributes"]
    assert {level["level"] for level in first["nominal"]["levels"]} == {"a;b", "ü", "x"}
    assert (second["numeric"]["min"], second["numeric"]["max"]) == (1.5, 3.5)
    assert (third["missing"], third["nominal"]["declared"]) == (2, 2)


def test_tab_and_space_have_names(tmp_path, capsys):
    path = tmp_path / "t.txt"
    path.write_text("a\tb\n1\t2\n3\t4\n")
    assert len(card(capsys, path, "--delimiter", "tab")["attributes"]) == 2
    path.write_text("a b\n1 2\n3 4\n")
    assert len(card(capsys, path, "--delimiter", "space")["attributes"]) == 2


def test_stdin_is_a_dash(monkeypatch, capsys):
    class Piped(io.TextIOWrapper):
        pass

    monkeypatch.setattr(sys, "stdin", Piped(io.BytesIO(CSV.encode()), encoding="utf-8"))
    assert card(capsys, "-", "--target", "class")["rows"] == 40


def test_a_file_goes_before_a_built_in_name(tmp_path, monkeypatch, capsys):
    (tmp_path / "iris").write_text(CSV)
    monkeypatch.chdir(tmp_path)
    assert card(capsys, "iris")["rows"] == 40


def test_strict_exits_1_on_a_warning_and_still_shows_the_card(csv_file, capsys):
    assert run(["inspect", str(csv_file), "--target", "class", "--strict"]) == 1
    assert "identifier" in capsys.readouterr().out
    assert run(["inspect", str(csv_file), "--target", "class"]) == 0


def test_strict_exits_0_without_a_warning(tmp_path, capsys):
    path = tmp_path / "good.csv"
    path.write_text("x,y\n" + "".join(f"{i * 7 % 20 + 0.5},{'ab'[i * 3 % 5 % 2]}\n" for i in range(20)))
    assert run(["inspect", str(path), "--target", "y", "--strict"]) == 0, capsys.readouterr().out


@pytest.mark.parametrize(
    ("args", "near"),
    [
        (["irs"], "Did you mean 'iris'?"),
        (["iris", "--target", "clas"], "Did you mean 'class'?"),
        (["iris", "--ignore", "petal_lenght"], "Did you mean 'petal_length'?"),
    ],
)
def test_mistyped_data_and_columns_exit_3_and_are_guessed(args, near, capsys):
    assert run(["inspect", *args]) == 3
    out, err = capsys.readouterr()
    assert out == "" and near in err and len(err.strip().split("\n")) == 1


def test_a_mistyped_file_is_guessed(csv_file, capsys):
    assert run(["inspect", str(csv_file.parent / "tabel.csv")]) == 3
    assert "Did you mean 'table.csv'?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "near"),
    [
        (["--kind", "x=nominl"], "Did you mean 'nominal'?"),
        (["--kind", "nominal"], "NAME=KIND"),
        (["--levels", "a,b"], "NAME=A,B"),
        (["--ragged", "fil"], "Did you mean 'fill'?"),
        (["--delimiter", "ab"], "one character"),
        (["--decimal", ";"], "., ,"),
    ],
)
def test_mistyped_option_values_exit_2(args, near, capsys):
    assert run(["inspect", "iris", *args]) == 2
    assert near in capsys.readouterr().err


def test_bad_data_is_3(tmp_path, capsys):
    path = tmp_path / "bad.csv"
    path.write_text("a,b\n1,2\n3\n")
    assert run(["inspect", str(path)]) == 3
    assert "Traceback" not in capsys.readouterr().err
    assert run(["inspect", str(tmp_path)]) == 3


def test_hostile_names_reach_no_terminal(tmp_path, capsys):
    path = tmp_path / "evil.csv"
    path.write_text(
        "\x1b[31mx,[bold]y[/bold],\u202ez\n" + "".join(f"{i}.5,l\x1b{i % 2},k\n" for i in range(30))
    )
    run(["inspect", str(path), "--header"])
    out, err = capsys.readouterr()
    for text in (out, err):
        assert "\x1b" not in text and "\u202e" not in text
    assert "[bold]y[/bold]" in out
    run(["inspect", str(path), "--header", "--json"])
    assert "\x1b" not in capsys.readouterr().out


def test_a_reading_gives_parts_too(csv_file):
    for data, rows in ((str(csv_file), 40), ("weather", 14)):
        parts = Reading(data, {}).scan(rows=8)
        assert sum(len(part) for part in parts) == rows and len(parts) == -(-rows // 8)


def test_html_writes_the_page_that_python_writes(csv_file, tmp_path, capsys):
    made, other = tmp_path / "card.html", tmp_path / "other.html"
    assert run(["inspect", str(csv_file), "--target", "class", "--html", str(made)]) == 0
    out, err = capsys.readouterr()
    assert "Numeric" in out and "Report written to" in err
    acumen.inspect(csv_file, target="class").to_html(other)
    assert made.read_text() == other.read_text()
    assert "<h2>Strongest associations with it</h2>" in made.read_text()
