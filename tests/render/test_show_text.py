"""Text figures: numbers, shares, bars, tables, widths."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acumen.data.escape import in_html, printable, printable_lines
from acumen.render.text import (
    ASCII,
    Heading,
    bar,
    cells,
    fit,
    histogram,
    number,
    pad_right,
    percent,
    right,
    table,
    wrap,
)

HOSTILE = ["\x1b[31m", "\x07", "\x9b2J", "\u202e", "\u2066", "\u200b", "\u2028", "\ud800", "\x7f", "\r\n"]


@pytest.mark.parametrize("bad", HOSTILE)
def test_nothing_unprintable_gets_through(bad):
    assert printable(f"a{bad}b").isprintable()
    assert printable(f"a{bad}b") != "ab"


@given(st.text(st.characters()))
def test_printable_is_printable_and_keeps_what_was(text):
    assert printable(text).isprintable()
    if text.isprintable():
        assert printable(text) == text


def test_ordinary_names_are_left_alone():
    assert printable("Größe [cm] – 高さ") == "Größe [cm] – 高さ"
    assert printable_lines("one\ntwo\x1b") == "one\ntwo\\x1b"


def test_html_is_escaped_in_content_and_attributes():
    assert in_html("<script>'\"&\x1b") == "&lt;script&gt;&#x27;&quot;&amp;\\x1b"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "–"), (math.nan, "–"), (0.0, "0"), (5.8433, "5.843"), (150.0, "150"), (1234567.0, "1234567"),
        (12345.67, "12346"), (1.5e9, "1.5e+09"), (0.000123456, "0.000123"), (-2.5, "-2.5"),
        (math.inf, "inf"),
    ],
)  # fmt: skip
def test_numbers_are_short(value, said):
    assert number(value) == said


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (None, "–"), (0, "0 %"), (1, "100 %"), (1 / 3, "33.3 %"), (1e-6, "<0.1 %"), (1 - 1e-6, ">99.9 %"),
        (0.5, "50.0 %"),
    ],
)  # fmt: skip
def test_shares_never_say_all_or_nothing_falsely(share, said):
    assert percent(share) == said


def test_bars_show_whatever_is_there():
    assert (bar(0, 10), bar(1e-9, 10), bar(0.5, 10), bar(1, 10)) == ("", "█", "█████", "█" * 10)


def test_histograms_are_blank_only_where_nothing_is():
    assert histogram([0, 1, 50, 100]) == " ▁▄█"
    assert histogram([0, 0]) == "  "
    assert histogram([0, 1, 50, 100], ASCII).isascii()


@given(st.text(st.characters(exclude_categories=["Cs", "Cc", "Cf"])), st.integers(1, 30))
def test_fitted_text_fits(text, width):
    assert cells(fit(text, width)) <= width


@given(st.lists(st.text(st.sampled_from("abc高"), min_size=1), min_size=1, max_size=12), st.integers(12, 40))
def test_wrapped_lines_fit_and_lose_nothing(words, width):
    text = " ".join(words)
    lines = wrap(text, width, "  - ", "    ")
    assert all(cells(line) <= width for line in lines)
    assert "".join(line[4:] for line in lines).replace(" ", "") == text.replace(" ", "")


def test_wide_characters_take_two_cells():
    assert cells("高さ") == 4
    assert cells("e\u0301") == 1
    assert (pad_right("高", 3), right("高", 3)) == ("高 ", " 高")


def test_a_table_leaves_out_spare_columns_before_it_cuts_names():
    headings = [Heading("name", least=4), Heading("a", "right", spare=1), Heading("b", "right", spare=2)]
    rows = [["a very long name indeed", "123456", "123456"]]
    assert table(headings, rows, 80)[1] == "  a very long name indeed  123456  123456"
    narrow = table(headings, rows, 20)
    assert narrow[0].split() == ["name", "a"] or narrow[0].split() == ["name", "a", "b"]
    assert all(cells(line) <= 20 for line in narrow)
