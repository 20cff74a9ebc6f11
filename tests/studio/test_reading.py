"""How a table is read, said on the page: by the options that commands have, and the same table comes of it."""

from __future__ import annotations

import contextlib
import io
import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from acumen.cli.main import run
from acumen.errors import ParameterError
from acumen.studio import commands
from acumen.studio.reading_options import Written
from acumen.studio.spec import TableSpec
from studio_served import Served

LINES = ["a title", "when;price;Net;class"]
LINES += [
    f"0{i % 9 + 1}/0{i % 4 + 1}/2020;{i},50;{('Ja', 'ja', 'nein')[i % 3]};{'ab'[i % 2]}" for i in range(60)
]
LINES += ["01/01/2020;1,5;nein"]
#: A file that tells too little of itself: the Euro sign in cp1252, a title, a row too short, dates in any order.
TEXT = "\n".join(LINES).replace("price", "price €")


@pytest.fixture
def number(studio: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    (tmp_path / "odd.csv").write_bytes(TEXT.encode("cp1252"))
    monkeypatch.chdir(tmp_path)
    kept = studio.request("PUT", "/api/upload", TEXT.encode("cp1252"), {"X-File-Name": "odd.csv"})[2]
    return int(json.loads(kept)["number"])


def test_what_a_person_says_of_a_file_is_in_the_command_and_reads_the_same(studio: Served, number: int):
    table: dict[str, Any] = {
        "source": {"upload": number}, "target": "class", "merge": [["Net", ["ja", "Ja"]]], "date_parts": ["when"],
        "written": {"encoding": "cp1252", "delimiter": ";", "decimal": ",", "ragged": "drop", "date_order": "mdy",
                    "skip": 1, "header": True},
    }  # fmt: skip
    answer = studio.ask("card", table=table)
    by_name = {each["name"]: each for each in answer["columns"]}
    assert {"price €", "when", "when.month", "when.weekday"} <= set(by_name)
    assert {each["level"] for each in by_name["Net"]["levels"]} == {"ja", "nein"} and by_name["when"][
        "moment"
    ]
    words = shlex.split(answer["command"]["cli"])[1:]
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        assert run([*words, "--json"]) == 0
    assert json.loads(out.getvalue())["attributes"] == answer["card"]["attributes"]
    space: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(answer["command"]["python"], space)
    assert len(space["table"]) == answer["card"]["rows"] == 60
    # Predictions of the same file are read the same way, and so is what a threshold is told with.
    model = {"table": table, "learner": "naive-bayes"}
    studio.job("learn", model=model)
    made = studio.job("keep", what="predictions", model=model, table=table)
    assert "--encoding cp1252" in made["command"]["cli"].rpartition("&&")[2]


def test_levels_that_look_alike_are_named_with_their_column(studio: Served, number: int):
    table = {
        "source": {"upload": number},
        "target": "class",
        "written": {"encoding": "cp1252", "ragged": "drop", "skip": 1},
    }
    columns = {each["name"]: each for each in studio.ask("columns", table=table)["columns"]}
    assert columns["class"]["alike"] == []
    # The first is what the others are read as, as in the sentence that says it.
    (group,) = columns["Net"]["alike"]
    assert f"--merge Net={','.join(group)}." in columns["Net"]["why"][-1]["text"]


def test_every_way_to_read_is_said_in_both_languages():
    spec = TableSpec.of(
        {"data": "x", "shown": "x", "merge": [["a", ["b", "c,d"]], ["a", ["e", "f"]]],
         "written": {"delimiter": "\t", "quote": "", "header": False, "widths": [3, 4], "sheet": "2024"}}
    )  # fmt: skip
    assert commands.table_words(spec) == [
        "x", "--merge", 'a=b,"c,d"', "--merge", "a=e,f", "--delimiter", "tab", "--no-header", "--quote", "",
        "--widths", "3,4", "--sheet", "2024",
    ]  # fmt: skip
    assert spec.options()["merge"] == {"a": {"c,d": "b", "f": "e"}}
    assert (
        "dialect=acumen.Dialect(delimiter='\\t', header=False, quote='', widths=(3, 4)"
        in commands.table_python(spec)
    )


@pytest.mark.parametrize("given", [
    [], "x", {"path": "/etc/passwd"}, {"max_bytes": 7}, {"header": "yes"}, {"skip": -1}, {"skip": True},
    {"widths": "3"}, {"widths": ["3"]}, {"ragged": "error; rm"}, {"date_order": "ydm"},
    {"encoding": 7}, {"sheet": "x" * 300},
])  # fmt: skip
def test_what_says_nothing_of_a_file_is_refused(given):
    with pytest.raises(ParameterError, match="studio: "):
        Written.of(given)


def test_levels_are_one_only_in_twos_and_more():
    for merge in (
        "x",
        {"a": ["b", "c"]},
        [["a", ["b"]]],
        [["a", "bc"]],
        [[1, ["a", "b"]]],
        [["a", ["b", 1]]],
    ):
        with pytest.raises(ParameterError, match="merge of a table"):
            TableSpec.of({"data": "x", "shown": "x", "merge": merge})
