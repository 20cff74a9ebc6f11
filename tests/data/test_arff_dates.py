"""Dates under patterns of Java's SimpleDateFormat."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acumen.data.arff.dates import DEFAULT_PATTERN, parser
from acumen.errors import DataError


@pytest.mark.parametrize(
    ("pattern", "text", "days"),
    [
        ("yyyy-MM-dd", "1970-01-01", 0),
        ("yyyy-MM-dd", "1969-12-31", -1),
        ("yyyy-MM-dd", "2000-03-01", 11017),
        ("yyyy", "1999", 10592),
        ("yyyy-MM", "1631-10", -123544),
        ("yyyyMMdd", "20000301", 11017),
        ("yyyyMMddHHmmss", "19700102060000", 1.25),
        ("d/M/yyyy", "1/3/2000", 11017),
        ("dd MMM yyyy", "01 Mar 2000", 11017),
        ("EEE, d MMMM yyyy", "Wed, 1 march 2000", 11017),
        ("yy-MM-dd", "69-01-01", -365),
        ("yy-MM-dd", "68-01-01", 35794),
        ("yyyy.DDD", "2000.061", 11017),
        ("yyyy-MM-dd'T'HH:mm:ss", "1970-01-02T12:00:00", 1.5),
        ("yyyy-MM-dd HH:mm:ss.SSS", "1970-01-01 00:00:00.250", 0.25 / 86400),
        ("h:mm a", "12:30 am", 0.5 / 24),
        ("h:mm a", "12:30 PM", 12.5 / 24),
        ("K:mm a", "0:30 PM", 12.5 / 24),
        ("kk:mm", "24:00", 0),
        ("yyyy-MM-dd HH:mm Z", "1970-01-01 06:00 +0600", 0),
        ("yyyy-MM-dd HH:mm z", "1970-01-01 00:00 UTC", 0),
        ("yyyy-MM-dd HH:mm z", "1970-01-01 00:00 GMT-06:00", 0.25),
        ("yyyy-MM-dd HH:mmX", "1970-01-01 00:00Z", 0),
        ("h 'o''clock' a", "6 o'clock pm", 0.75),
        ("''yy", "'70", 0),
    ],
)
def test_a_pattern_means_what_it_means_in_java(pattern: str, text: str, days: float) -> None:
    assert parser(pattern)(text) == pytest.approx(days, abs=1e-12)


@given(st.datetimes(datetime.datetime(1, 1, 1), datetime.datetime(9999, 12, 31)))
def test_the_default_pattern_agrees_with_python(moment: datetime.datetime) -> None:
    moment = moment.replace(microsecond=0)
    since = moment - datetime.datetime(1970, 1, 1)
    assert parser(DEFAULT_PATTERN)(moment.isoformat()) == pytest.approx(since / datetime.timedelta(days=1))


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("yyyy-MM-dd", "2001-02-29"),
        ("yyyy-MM-dd", "2001/02/03"),
        ("yyyy-MM-dd", "2001-02-03 10:00"),
        ("HH:mm", "24:00"),
        ("HH:mm", "12:60"),
        ("h a", "13 pm"),
        ("yyyy", "0"),
        ("yyyy-MM-dd HH:mm z", "1970-01-01 00:00 EST"),
    ],
)
def test_what_is_no_such_date_is_refused(pattern: str, text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        parser(pattern)(text)


@pytest.mark.parametrize(
    ("pattern", "sentence"),
    [
        ("yyyy-ww", "the letter 'w'"),
        ("yyyy'T", "quote that is not closed"),
        ("yyyy-MM-dd MM", "names one field twice"),
    ],
)
def test_a_pattern_that_is_not_understood_is_refused(pattern: str, sentence: str) -> None:
    with pytest.raises(DataError) as caught:
        parser(pattern)
    assert sentence in str(caught.value)


@pytest.mark.parametrize("year", ["0", "10000", "9" * 40])
def test_a_year_no_calendar_has_is_no_date(year: str) -> None:
    with pytest.raises(ValueError, match="is no date"):
        parser("yyyy-MM-dd")(f"{year}-01-01")
