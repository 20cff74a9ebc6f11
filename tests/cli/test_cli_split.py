"""`acumen split`: rows to learn from and rows to test on."""

from __future__ import annotations

import csv
import io
import sys
from collections import Counter

import pytest

from acumen.cli.main import run

SHOP = (
    "id;when;price;x;y\n1;31.12.2023;63,10 €;20;a\n2;01.02.2024;1,00 €;20.0;b\n"
    "3;05.02.2024;2,00 €;;b\n3;07.03.2024;3,00 €;1e3;a\n"
)


@pytest.fixture
def shop(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop.csv").write_text(SHOP, encoding="utf-8")
    return tmp_path


def rows_of(path, delimiter=","):
    return list(csv.reader(io.StringIO(path.read_text(encoding="utf-8")), delimiter=delimiter))


def test_every_row_is_in_one_file_as_it_was_written(shop):
    assert run(["split", "shop.csv", "--train-fraction", "0.5", "-o", "train.csv,test.tsv"]) == 0
    train, test = rows_of(shop / "train.csv"), rows_of(shop / "test.tsv", "\t")
    assert train[0] == test[0] == ["id", "when", "price", "x", "y"]
    written = [line.split(";") for line in SHOP.splitlines()[1:]]
    assert sorted(train[1:] + test[1:]) == sorted(written)
    assert len(train) == len(test) == 3


def test_classes_keep_their_shares_and_the_seed_decides(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(["split", "iris", "-o", "a.csv,b.csv"]) == 0
    assert run(["split", "iris", "-o", "c.csv,d.csv"]) == 0
    assert run(["split", "iris", "-o", "e.csv,f.csv", "--seed", "1"]) == 0
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "c.csv").read_bytes()
    assert (tmp_path / "a.csv").read_bytes() != (tmp_path / "e.csv").read_bytes()
    counted = Counter(row[-1] for row in rows_of(tmp_path / "b.csv")[1:])
    assert sorted(counted.values()) == [15, 15, 15]


def test_groups_stay_together(shop):
    for seed in range(6):
        assert (
            run(["split", "shop.csv", "--group-column", "id", "-o", "a.csv,b.csv", "--seed", str(seed)]) == 0
        )
        first, second = ({row[0] for row in rows_of(shop / name)[1:]} for name in ("a.csv", "b.csv"))
        assert first and second and not first & second


def test_what_came_later_is_tested_on(shop, capsys):
    assert (
        run(["split", "shop.csv", "--time-column", "when", "--train-fraction", "0.5", "-o", "a.csv,b.csv"])
        == 0
    )
    assert [row[1] for row in rows_of(shop / "a.csv")[1:]] == ["31.12.2023", "01.02.2024"]
    assert "a.csv: 2 rows for training (50.0 %)." in capsys.readouterr().err


def test_two_shares_make_three_files_from_stdin(shop, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(SHOP.encode()), encoding="utf-8"))
    assert run(["split", "-", "--train-fraction", "0.5,0.25", "-o", "a.csv,b.csv,c.csv"]) == 0
    assert [len(rows_of(shop / name)) for name in ("a.csv", "b.csv", "c.csv")] == [3, 2, 2]


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (["-o", "a.csv,shop.csv"], 2, "would be overwritten"),
        (["-o", "a.csv"], 2, "one fraction needs two files"),
        (["-o", "a.csv,a.csv"], 2, "its own file"),
        (["-o", "a.csv,b.xlsx"], 2, "must end in .csv or .tsv"),
        (["-o", "a.csv,b.csv", "--train-fraction", "70"], 2, "between 0 and 1"),
        (["-o", "a.csv,b.csv", "--train-fraction", "0.7,0.3"], 2, "leave rows for testing"),
        (["-o", "a.csv,b.csv", "--group-column", "idd"], 2, "Did you mean 'id'?"),
        (["-o", "a.csv,b.csv", "--group-column", "x"], 3, "1 row without 'x'"),
        (["-o", "a.csv,b.csv", "--time-column", "y"], 2, "neither dates nor numbers"),
        (["-o", "a.csv,b.csv", "--time-column", "when", "--group-column", "id"], 2, "give only one of"),
        (["-o", "a.csv,b.csv", "--time-column", "x"], 3, "1 of 4 rows have no time"),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_is_written(shop, capsys, args, code, said):
    assert run(["split", "shop.csv", *args]) == code
    assert said in capsys.readouterr().err
    assert sorted(path.name for path in shop.iterdir()) == ["shop.csv"]
    assert (shop / "shop.csv").read_text(encoding="utf-8") == SHOP
