"""Numbers are exactly Python's float(), dates exactly Python's calendar."""

from __future__ import annotations

import datetime
import struct
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acumen._native import parse_date, parse_number

HARD = [
    "1e400", "-1e400", "1e-400", "5e-324", "4.9e-324", "2.4703282292062327e-324", "2.4703282292062328e-324",
    "2.2250738585072011e-308", "2.2250738585072014e-308", "1.7976931348623157e308", "1.7976931348623159e308",
    "9007199254740993", "9007199254740993.0", "9007199254740992.999999999999999999999", "0.1", "1" * 400,
    "0." + "0" * 400 + "1", "1" * 400 + "e-400", "1e22", "1e23", "8.41e21", "9.5e-65", "1e64", "1e65", "-0",
    "-0.0", "+5", "5.", ".5", "1E5", "1e+5", "0e999999999999", "1e-5000000000000", "1e5000000000000", "inf",
    "-Infinity", "+INF", "nan", "9999999999999999999", "18446744073709551615", "18446744073709551616",
    "0" * 30 + "1", "6929495644600919.5", "3.7455744005952583e15", "0." + "0" * 1_000_001 + "1e1000002",
    "179769313486231580793728971405301e276", "1.00000000000000011102230246251565404236316680908203125",
    "1.00000000000000011102230246251565404236316680908203124", "7.8459735791271921e65", "3.571e266",
]  # fmt: skip
NOT_NUMBERS = [
    "", "+", "-", ".", "1e", "1e+", "e5", "0x10", "1_000", "1,5", "1 ", " 1", "1.2.3", "--1", "+-1", "infx", "in",
    "nanx", "1e5.5", "1.e", "٣", "1f", "1d5", "True", "1,000.5", "0b1", "- 1",
]  # fmt: skip


def same(a: float | None, b: float) -> bool:
    return a is not None and (struct.pack("d", a) == struct.pack("d", b) or (a != a and b != b))


@pytest.mark.parametrize("text", HARD)
def test_hard_cases_equal_float(text: str) -> None:
    assert same(parse_number(text), float(text))


@pytest.mark.parametrize("text", NOT_NUMBERS)
def test_other_spellings_are_no_numbers(text: str) -> None:
    assert parse_number(text) is None


@given(st.floats())
def test_every_double_reads_back_from_its_repr(value: float) -> None:
    assert same(parse_number(repr(value)), value)


@given(st.from_regex(r"[+-]?([0-9]{1,25}\.?[0-9]{0,25}|\.[0-9]{1,30})([eE][+-]?[0-9]{1,3})?", fullmatch=True))
def test_any_spelling_equals_float(text: str) -> None:
    assert same(parse_number(text), float(text))
    assert same(parse_number(text.replace(".", ","), ","), float(text))


@given(st.integers(2**52, 2**53 - 1), st.integers(-80, 80), st.integers(-1, 1))
def test_halfway_cases_round_to_even(mantissa: int, power: int, nudge: int) -> None:
    half = Fraction(2 * mantissa + 1) * Fraction(2) ** power
    with localcontext() as context:
        context.prec = 250
        exact = Decimal(half.numerator) / Decimal(half.denominator)
        text = f"{exact + nudge * exact.scaleb(-60):f}"
    assert same(parse_number(text), float(text))


@given(st.text("0123456789.eE+-infatyINFATY_x ,", max_size=12))
def test_what_is_accepted_is_a_subset_of_float(text: str) -> None:
    value = parse_number(text)
    if value is not None:
        assert same(value, float(text))
    elif "_" not in text and text == text.strip():
        with pytest.raises(ValueError, match="could not convert"):
            float(text)


@given(st.dates())
def test_dates_are_days_since_1970(date: datetime.date) -> None:
    assert parse_date(date.isoformat()) == (date - datetime.date(1970, 1, 1)).days


@given(st.datetimes(min_value=datetime.datetime(1900, 1, 1), max_value=datetime.datetime(2100, 1, 1)),
       st.sampled_from(["T", " "]), st.sampled_from([None, 0, 90, -330]))  # fmt: skip
def test_times_are_fractions_of_days(moment: datetime.datetime, joint: str, offset: int | None) -> None:
    text = moment.isoformat(joint)
    expected = (moment - datetime.datetime(1970, 1, 1)) / datetime.timedelta(days=1)
    if offset is not None:
        zone = datetime.timezone(datetime.timedelta(minutes=offset))
        text = moment.replace(tzinfo=zone).isoformat(joint)
        expected -= offset / 1440
    assert parse_date(text) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    "text",
    ["2020-1-1", "2020-13-01", "2021-02-29", "1900-02-29", "2020-01-01T", "2020-01-01T25:00", "20200101", "0000-01-01",
     "2020-01-01T12", "2020-01-01 12:00:00.", "2020-01-01x", "2020-01-01T12:60", "01-01-2020", "2020/01/01"],
)  # fmt: skip
def test_other_spellings_are_no_dates(text: str) -> None:
    assert parse_date(text) is None
