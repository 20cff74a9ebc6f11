"""Parts of dates: what the calendar says, for old rows and, by themselves, for new ones."""

from __future__ import annotations

import datetime
import io
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import acumen
from acumen.cli.main import run
from acumen.data.align import align
from acumen.errors import DataError
from doors import plain, same_in_parts

TEXT = "d;n;c\n31.12.2023;1;a\n;2;b\n01.02.2024;3;a\n"


def test_parts_are_those_of_the_calendar() -> None:
    table = same_in_parts(lambda: io.StringIO(TEXT), date_parts="d")
    assert table.schema.names == ("d", "n", "c", "d.year", "d.month", "d.weekday")
    assert plain(table.column("d.year")) == [2023.0, None, 2024.0]
    assert table.column("d.month").tolist() == ["Dec", None, "Feb"] and table.schema["d.month"].ordered
    assert table.column("d.weekday").tolist() == ["Sun", None, "Thu"]


@given(
    st.lists(st.datetimes(pd.Timestamp.min + pd.Timedelta(days=2), pd.Timestamp.max), min_size=1, max_size=5)
)
def test_they_agree_with_pythons_own(moments: list[datetime.datetime]) -> None:
    moments = [moment.replace(second=30) for moment in moments]
    table = acumen.read(pd.DataFrame({"d": moments, "n": 1.0}), date_parts=["d"])
    assert table.column("d.year").tolist() == [m.year for m in moments]
    assert table.column("d.month").tolist() == [m.strftime("%b") for m in moments]
    assert table.column("d.weekday").tolist() == [m.strftime("%a") for m in moments]
    assert table.column("d.hour").tolist() == [m.hour for m in moments]


def test_new_rows_get_the_parts_a_model_knows() -> None:
    old = acumen.read(io.StringIO(TEXT), date_parts="d", target="c")
    new = align(acumen.read(io.StringIO("n;d\n5;24.12.2024\n")), old.schema)
    assert new.schema.names == old.schema.names and new.column("d.weekday").tolist() == ["Tue"]


def test_a_model_of_weekdays_predicts_new_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    days = [datetime.date(2023, 1, 1) + datetime.timedelta(days=i) for i in range(120)]
    path, new, model = tmp_path / "t.csv", tmp_path / "n.csv", str(tmp_path / "m.acm")
    path.write_text("d,c\n" + "".join(f"{d},{'free' if d.weekday() > 4 else 'work'}\n" for d in days))
    new.write_text("d\n2024-06-01\n2024-06-03\n")
    options = ["--target", "c", "--date-parts", "d", "--learner", "DecisionTree"]
    assert run(["learn", str(path), *options, "-o", model]) == 0
    assert run(["predict", model, str(new)]) == 0
    assert capsys.readouterr().out.split()[-2:] == ["1,free", "2,work"]


def test_what_is_no_date_has_no_parts() -> None:
    with pytest.raises(DataError, match="column 'n' is no date"):
        acumen.read(io.StringIO(TEXT), date_parts="n")
    with pytest.raises(DataError, match="no column 'x'"):
        acumen.read(io.StringIO(TEXT), date_parts="x")
