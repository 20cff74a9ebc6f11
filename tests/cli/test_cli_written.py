"""Tables as people have them, from the command line: what is learned from them is applied to new ones alike."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from acumen.cli.main import run

HEAD = "start;fee;net;class\n"
ROWS = "".join(
    f"{d:02}/{m:02}/2023;{m}.{d:03},00 €;{'fibre' if d % 2 else 'Fibre'};{'late' if m > 6 else 'early'}\n"
    for m in range(1, 13)
    for d in (1, 9, 28)
)  # fmt: skip


@pytest.fixture
def train(tmp_path: Path) -> str:
    path = tmp_path / "train.csv"
    path.write_text(HEAD + ROWS, encoding="utf-8")
    return str(path)


def answers(capsys: pytest.CaptureFixture[str]) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(capsys.readouterr().out)))


@pytest.mark.parametrize("keep", ["start", "fee"])
def test_one_new_row_is_read_like_the_table_learned_from(tmp_path, train, capsys, keep):
    model, new = str(tmp_path / "m.acm"), tmp_path / "new.csv"
    other = {"start": "fee", "fee": "start"}[keep]
    options = ["--ignore", other, "--ignore", "net"]
    assert run(["learn", train, "--target", "class", "--learner", "DecisionTree", *options, "-o", model]) == 0
    capsys.readouterr()
    # Alone, 01/12/2023 might be in January, and 12.001 a little more than twelve.
    new.write_text("start;fee;net\n01/12/2023;12.001;fibre\n", encoding="utf-8")
    assert run(["predict", model, str(new)]) == 0
    assert [row["prediction"] for row in answers(capsys)] == ["late"]


def test_a_tree_over_dates_shows_dates(tmp_path, train, capsys):
    model = str(tmp_path / "m.acm")
    options = ["--ignore", "fee", "--ignore", "net", "--learner", "DecisionTree"]
    assert run(["learn", train, "--target", "class", *options, "-o", model]) == 0
    capsys.readouterr()
    assert run(["show", model]) == 0
    assert "start <= 2023-06-29" in capsys.readouterr().out
    new = tmp_path / "new.csv"
    new.write_text("start;fee;net\n13/12/2023;1;fibre\n", encoding="utf-8")
    assert run(["predict", model, str(new), "--explain"]) == 0
    assert "start > 2023-06-29" in capsys.readouterr().out


def test_what_can_be_told(tmp_path, capsys):
    path = tmp_path / "t.csv"
    path.write_text("made by hand\nd,net,s\n01/02/2023,Fibre,None\n03/04/2023,fibre,x\n01/02/2023,Fibre,x\n")
    options = ["--skip", "1", "--date-order", "dmy", "--not-missing", "None", "--merge", "net=Fibre,fibre"]
    assert run(["inspect", str(path), *options]) == 0
    said = capsys.readouterr()
    assert "alike" not in said.out + said.err and "--date-order" not in said.out + said.err
    assert run(["inspect", str(path), "--date-order", "dym"]) == 2
    assert run(["inspect", str(path), "--merge", "net=Fibre"]) == 2
    assert "two or more categories" in capsys.readouterr().err
    assert run(["inspect", str(path), "--sheet", "one"]) == 2


def test_the_card_shows_dates(train, capsys):
    assert run(["inspect", train, "--target", "class"]) == 0
    out = capsys.readouterr().out
    assert "2023-01-01" in out and "2023-12-28" in out
