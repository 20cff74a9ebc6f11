"""Durations and dates as targets: days for regressors, as in columns of inputs; a refusal for classifiers."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import pytest

import acumen
from acumen.errors import DataError
from acumen.rows.numeric_targets import response_vector

DAYS = np.array([0.0, 1.5, 2.0, -3.25])
HOURS = (DAYS * 24).astype("m8[h]")


@pytest.mark.parametrize(
    "durations",
    [
        HOURS,
        HOURS.astype("m8[ns]"),
        HOURS.astype("m8[s]"),
        pd.Series(HOURS.astype("m8[ns]")),
        [datetime.timedelta(days=d) for d in DAYS.tolist()],
        np.array([*HOURS.astype("m8[us]")[:3], datetime.timedelta(days=-3.25)], dtype=object),
    ],
    ids=["hours", "ns", "seconds", "series", "list", "objects"],
)
def test_durations_are_days(durations):
    np.testing.assert_allclose(response_vector(durations, "Ridge"), DAYS, rtol=1e-12)


def test_missing_durations_are_missing_and_dates_are_days_since_1970():
    durations = np.array([24, "NaT"], dtype="m8[h]")
    np.testing.assert_array_equal(response_vector(durations, "Ridge"), [1.0, np.nan])
    np.testing.assert_array_equal(response_vector([None, datetime.timedelta(days=2)], "Ridge"), [np.nan, 2.0])
    dates = np.array(["1970-01-02", "2000-01-01T12"], dtype="M8[ns]")
    np.testing.assert_array_equal(response_vector(dates, "Ridge"), [1.0, 10957.5])
    np.testing.assert_array_equal(response_vector([datetime.date(1970, 1, 11)], "Ridge"), [10.0])


def test_a_duration_is_predicted_in_the_unit_that_a_column_of_inputs_has():
    frame = pd.DataFrame({"x": [0.5, 1.25, 2.75, 4.0], "length": pd.to_timedelta([1, 2.5, 5.5, 8], unit="D")})
    model = acumen.LinearRegression().fit(frame[["x"]], frame["length"])
    np.testing.assert_allclose(model.predict(frame[["x"]]), acumen.read(frame).column("length"))
    assert model.score(frame[["x"]], frame["length"]) == pytest.approx(1.0)


def test_what_is_no_duration_is_refused():
    with pytest.raises(DataError, match="Ridge: y mixes dates or durations with other values"):
        response_vector([datetime.timedelta(days=1), 3.0], "Ridge")
    with pytest.raises(DataError, match="mixes dates and durations"):
        response_vector([datetime.timedelta(days=1), datetime.date(2000, 1, 1)], "Ridge")
    for y, noun in ((HOURS, "durations"), (np.array(["2000-01-01"] * 4, dtype="M8[D]"), "dates")):
        with pytest.raises(DataError, match=f"NaiveBayes: y holds {noun}, and a label must be text"):
            acumen.NaiveBayes().fit(np.eye(4), y)
