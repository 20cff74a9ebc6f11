"""The card as text and HTML: it fits, and no name in it acts on the reader."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pytest

from acumen.profiling.card import inspect
from acumen.render.card_html import card_html
from acumen.render.card_text import DRAWN, card_text
from acumen.render.text import ASCII, cells
from card_tables import table_of

EVIL = "\x1b[31m<script>alert(1)</script>[bold]\u202e"


def evil_card():
    rng = np.random.default_rng(0)
    columns = {
        EVIL: [*rng.choice([f"a{EVIL}", "b"], 40)],
        f"x{EVIL}": rng.normal(size=40) * 1e6,
        f"t{EVIL}": [f"{EVIL} {i}" for i in range(40)],
        "a very long name of a column that goes on and on and on and on and on " * 2: rng.random(40),
    }
    table = table_of(columns, [*rng.choice([f"c{EVIL}", "d"], 40)], text=[f"t{EVIL}"])
    table.report.source = f"file{EVIL}.csv"
    table.report.warn("odd", f"column {EVIL} is odd", column=EVIL)
    return inspect(table).to_dict()


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_text_fits_and_holds_no_control_characters(width):
    drawn = card_text(evil_card(), width)
    for line in drawn.split("\n"):
        assert line.isprintable()
        assert cells(line) <= width
    assert "[bold]" in drawn.replace("\n", "")


def test_ascii_glyphs_make_an_ascii_card():
    table = table_of({"x": np.random.default_rng(0).random(30), "n": ["a", "b", None] * 10}, ["p", "q"] * 15)
    assert card_text(inspect(table).to_dict(), glyphs=ASCII).isascii()


def test_colours_take_no_room_and_change_no_text():
    def paint(text, role):
        return f"\x1b[1m{text}\x1b[0m"

    card = evil_card()
    bare = re.sub(r"\x1b\[[0-9;]*m", "", card_text(card, paint=paint))
    assert bare == card_text(card)


def test_the_text_names_what_says_most_and_no_chance_hits():
    rng = np.random.default_rng(1)
    labels = rng.choice(["p", "q"], 200)
    signal = (labels == "p") + 0.5 * rng.normal(size=200)
    columns = {"signal": signal, **{f"noise{j}": rng.normal(size=200) for j in range(9)}}
    drawn = card_text(inspect(table_of(columns, [*labels])).to_dict())
    said = drawn[drawn.index("Most informative about class") :].split("\n\n")[0]
    assert "signal 0." in said and "noise" not in said
    assert "Most informative" not in card_text(inspect(table_of(columns)).to_dict())


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.seen = [], set()

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_html_is_well_formed_and_has_no_foreign_markup():
    made = card_html(evil_card())
    parser = Tags()
    parser.feed(made)
    assert parser.open == []
    assert parser.seen <= {
        "div",
        "p",
        "b",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "ul",
        "li",
        "svg",
        "rect",
    }
    assert "\x1b" not in made and "\u202e" not in made
    assert "http" not in made


def test_many_attributes_are_counted_not_drawn():
    columns = {f"x{j}": [float(j), 1.5] for j in range(DRAWN + 5)}
    card = inspect(table_of(columns))
    assert "and 5 more" in str(card)
    assert "and 5 more" in card._repr_html_()


def test_levels_that_do_not_fit_are_counted():
    rng = np.random.default_rng(0)
    levels = [f"some longer level {i:02d}" for i in range(30)]
    table = table_of({"n": [*rng.choice(levels, 900)]})
    line = next(line for line in str(inspect(table)).split("\n") if line.startswith("n "))
    named = line.count("some longer level")
    assert named >= 1
    assert line.endswith(f"and {30 - named} more")


def test_the_card_of_a_weighted_table_names_the_weights():
    card = inspect(table_of({"x": [1.0, 2.0]}, weights=[1.0, 3.0]))
    assert "weights w (total 4)" in str(card)


def test_findings_of_one_kind_are_gathered():
    columns = {f"c{j:02d}": [1.5, 1.5, 1.5] for j in range(20)}
    drawn = " ".join(str(inspect(table_of(columns))).split())
    assert drawn.count("is not informative") == 5
    assert "constant: also in 15 more columns: 'c05'" in drawn and "'c14', and more." in drawn
    few = str(inspect(table_of({f"c{j}": [1.5, 1.5, 1.5] for j in range(6)})))
    assert few.count("! column 'c") == 6
