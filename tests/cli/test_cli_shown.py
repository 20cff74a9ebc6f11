"""What data can do to whoever looks at it: nothing. Terminals get escapes written out, files get the data."""

from __future__ import annotations

import csv
import io
import sys

import pytest

import acumen
from acumen.cli.main import run

ACTING = "evil\x1b]0;owned\x07\x1b[31m"


@pytest.fixture
def acting(tmp_path):
    """A model and a table whose names, levels and classes terminal control characters."""
    lines = [
        f'"n{ACTING}",word,y',
        *(f"{i},{'p' + ACTING if i % 2 else 'q'},{'a' + ACTING if i % 2 else 'b'}" for i in range(20)),
    ]
    data, model = tmp_path / "t.csv", tmp_path / "m.acm"
    data.write_text("\n".join(lines) + "\n")
    assert run(["learn", str(data), "--target", "y", "-o", str(model)]) == 0
    return data, model


class Screen(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


@pytest.mark.parametrize(
    "more",
    [[], ["--keep-columns"], ["--explain"], ["--probabilities"], ["--keep-columns", "--explain", "--json"]],
)
def test_a_terminal_gets_no_control_characters(acting, more, monkeypatch):
    data, model = acting
    screen = Screen()
    monkeypatch.setattr(sys, "stdout", screen)
    assert run(["predict", str(model), str(data), *more]) == 0
    shown = screen.getvalue()
    assert "owned" in shown and "\x1b" not in shown and "\x07" not in shown


def test_files_and_pipes_get_the_data_as_it_is(acting, capsys, tmp_path):
    data, model = acting
    capsys.readouterr()
    assert run(["predict", str(model), str(data), "--keep-columns"]) == 0
    piped = capsys.readouterr().out
    assert run(["predict", str(model), str(data), "--keep-columns", "-o", str(tmp_path / "o.csv")]) == 0
    assert (tmp_path / "o.csv").read_bytes().decode() == piped and f"a{ACTING}" in piped


@pytest.mark.parametrize("command", ["show", "test"])
def test_other_commands_show_escapes(acting, command, capsys):
    data, model = acting
    capsys.readouterr()
    assert run([command, str(model), *([str(data)] if command == "test" else [])]) == 0
    said = capsys.readouterr()
    assert "\x1b" not in said.out + said.err


def test_formulas_are_defused_on_request(tmp_path, capsys):
    cells = ["=1+1", "+1 x", "-x", "@sum", "plain", " =2", "\uff1d1"]
    data, model = tmp_path / "t.csv", tmp_path / "m.acm"
    data.write_text(
        "=word,num,y\n" + "".join(f'"{c}",{i - 3},{"ab"[i % 2]}\n' for i, c in enumerate(cells * 3))
    )
    assert run(["learn", str(data), "--target", "y", "-o", str(model)]) == 0
    capsys.readouterr()
    assert run(["predict", str(model), str(data), "--keep-columns"]) == 0
    plain = list(csv.reader(io.StringIO(capsys.readouterr().out)))
    assert run(["predict", str(model), str(data), "--keep-columns", "--excel-safe"]) == 0
    safe = list(csv.reader(io.StringIO(capsys.readouterr().out)))
    assert plain[0][0] == "=word" and safe[0][0] == "'=word"
    assert plain[1][0] == "=1+1" and [row[0][:2] for row in safe[1:8]] == [
        "'=", "'+", "'-", "'@", "pl", "'=" if plain[6][0] == "=2" else "' ", "'\uff1d",
    ]  # fmt: skip
    assert [row[1] for row in safe] == [row[1] for row in plain], "numbers are numbers, negative ones too"
    for more in (["--json"], ["--into", "t"]):
        assert run(["predict", str(model), str(data), "--excel-safe", *more]) == 2


@pytest.mark.parametrize("command", [["inspect"], ["predict", "MODEL"], ["learn"], ["compare"]])
def test_no_address_shows_its_password(acting, command, capsys):
    words = [str(acting[1]) if word == "MODEL" else word for word in command]
    for address in ("mysql://ann:hush@host/shop", "https://ann:hush@host/t.csv", "odbc://h/d?pwd=hush"):
        assert run([*words, address]) == 3
        said = capsys.readouterr()
        assert "hush" not in said.out + said.err and address.split(":")[0] in said.err
    assert run(["show", "mysql://ann:hush@host/shop"]) == 4
    assert "hush" not in capsys.readouterr().err


def test_the_python_face_escapes_too(acting):
    model = acumen.load(acting[1])
    row = acumen.read(acting[0], target="y").take([0])
    for text in (str(model), str(model.explain(row)), model.describe(full=True)):
        assert "\x1b" not in text
