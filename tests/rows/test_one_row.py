"""A row given as a mapping: values as people have them, dates among them."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import pytest

import acumen
from acumen.errors import DataError

DAYS = pd.to_datetime(["2020-01-01", "2020-02-01", "2021-01-01", "2021-05-01"] * 5)
MODEL = acumen.NaiveBayes().fit(pd.DataFrame({"day": DAYS, "z": range(20)}), ["u", "v", "v", "u", "v"] * 4)


@pytest.mark.parametrize(
    "day",
    [
        datetime.date(2020, 3, 1),
        datetime.datetime(2020, 3, 1),
        datetime.datetime(2020, 3, 1, 1, tzinfo=datetime.timezone(datetime.timedelta(hours=1))),
        np.datetime64("2020-03-01"),
        np.datetime64("2020-03-01T00:00:00", "ns"),
        pd.Timestamp("2020-03-01"),
        "2020-03-01",
        18_322,
    ],
    ids=repr,
)
def test_a_date_is_the_day_it_is(day):
    row = pd.DataFrame({"day": pd.to_datetime(["2020-03-01"]), "z": [3]})
    assert MODEL.explain({"day": day, "z": 3}).to_dict() == MODEL.explain(row).to_dict()


@pytest.mark.parametrize("nothing", [None, pd.NaT, np.datetime64("NaT"), float("nan")], ids=repr)
def test_a_date_that_is_none_is_missing(nothing):
    assert MODEL.explain({"day": nothing, "z": 3}).to_dict() == MODEL.explain({"z": 3}).to_dict()


def test_what_is_no_date_is_refused():
    with pytest.raises(DataError, match=r"'day'.*'soon'"):
        MODEL.explain({"day": "soon", "z": 3})
    with pytest.raises(DataError, match="must be text, a number, a date or a boolean"):
        MODEL.explain({"day": [1], "z": 3})


def test_dates_are_read_in_the_order_of_the_file(tmp_path):
    path = tmp_path / "days.csv"
    path.write_text("day,y\n" + "".join(f"{d:02}.03.2020,{'ab'[d > 15]}\n" for d in range(1, 31)))
    model = acumen.NaiveBayes().fit(acumen.read(path, target="y"))
    assert (
        model.explain({"day": "02.03.2020"}).to_dict()
        == model.explain({"day": datetime.date(2020, 3, 2)}).to_dict()
    )
