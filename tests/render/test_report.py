"""The report page: self-contained, escaped, well-formed, small."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pytest

from acumen.errors import DataError
from acumen.profiling.card import inspect
from acumen.render import palette
from acumen.render.report import (
    MOST_ROWS,
    Badge,
    Code,
    DataCard,
    Details,
    Drawing,
    Drawings,
    Paragraph,
    PointsPanel,
    ReportPage,
    ReportTable,
    Section,
    report_html,
)
from card_tables import table_of
from figure_cases import FIGURES

EVIL = "<script>alert(1)</script>\"'\x1b[31m\u202e&amp;"
VOID = {"meta"}


class Reader(HTMLParser):
    """Checks that tags close in order; keeps tags, attributes and the text."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.attributes, self.text = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def read(page):
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    return reader


def full(name):
    """A page with a piece of each kind, with `name` wherever a text may stand."""
    drawings = [Drawing(draw(value), name) for value, draw in (make(name) for make in FIGURES.values())]
    card = inspect(table_of({name: np.arange(9.0)}, [name, "b", "c"] * 3)).to_dict()
    table = ReportTable([name, "n"], [[name, Badge(name)], ["x", Badge("better")]], ["left", "right"], name)
    pieces = [
        Paragraph(name),
        Paragraph(name, lead=True),
        PointsPanel([name, "b"]),
        table,
        drawings[0],
        Drawings(drawings[1:]),
        Code(f"{name}\nsecond line"),
        DataCard(card),
        Details(name, [Paragraph(name), table]),
    ]
    return ReportPage(name, [Section(name, pieces), Section("b"), Section("c")], name, name, name)


def test_hostile_names_stay_text():
    page = report_html(full(EVIL))
    reader = read(page)
    assert "script" not in reader.tags and "img" not in reader.tags
    assert not any(key.startswith("on") for key, _ in reader.attributes)
    assert all(character.isprintable() or character == "\n" for character in page)
    assert "<script>alert(1)</script>" in "".join(reader.text)


def test_nothing_is_fetched():
    page = report_html(full("a"))
    reader = read(page)
    assert not {"link", "script", "iframe", "object", "embed", "img"} & set(reader.tags)
    for key, value in reader.attributes:
        if key in ("href", "src"):
            assert value.startswith(("#", "data:image/png;base64,"))
    assert re.findall(r"https?://[^\s\"<]*", page) == ["http://www.w3.org/2000/svg"] * len(FIGURES)
    assert "@import" not in page and "url(" not in page and "@font-face" not in page
    assert ("content", "default-src 'none'; style-src 'unsafe-inline'; img-src data:") in reader.attributes


def test_the_page_suits_phones_paper_and_dark_screens():
    page = report_html(full("a"))
    assert '<meta name="viewport" content="width=device-width,initial-scale=1">' in page
    assert "@media print" in page and "prefers-color-scheme:dark" in page
    assert page.count("<table>") == page.count('<div class="scroll"') + 2  # the card brings two of its own


def test_the_style_of_drawings_is_there_once():
    page = report_html(full("a"))
    assert page.count(palette.STYLE) == 1 and page.count("<style>") == 1
    assert page.count("<svg") >= len(FIGURES)


def test_a_usual_report_is_small():
    assert len(report_html(full("a"))) < 150_000


def test_verdicts_say_the_same_by_sign_word_and_colour():
    rows = [
        [Badge(v)]
        for v in (
            "better",
            "worse",
            "practically equal",
            "no significant difference",
            "baseline",
            "undecided",
        )
    ]
    page = report_html(ReportPage("t", [Section("s", [ReportTable(["verdict"], rows)])]))
    assert '<span class="badge good">▲ better</span>' in page
    assert '<span class="badge bad">▼ worse</span>' in page
    assert '<span class="badge even">≈ practically equal</span>' in page
    assert '<span class="badge even">? no significant difference</span>' in page
    assert '<span class="badge even">undecided</span>' in page


def test_long_tables_are_cut_and_say_so():
    table = ReportTable(["n"], [[str(i)] for i in range(MOST_ROWS + 7)])
    page = report_html(ReportPage("t", [Section("s", [table])]))
    assert page.count("<tr>") == MOST_ROWS + 1 and "and 7 more" in page


def test_code_keeps_its_lines():
    page = report_html(ReportPage("t", [Section("s", [Code("a  b\nc")])]))
    assert '<pre tabindex="0"><code>a  b\nc</code></pre>' in page


def test_an_empty_page_is_a_page():
    assert "<h1>t</h1>" in report_html(ReportPage("t", []))


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: ReportTable(["a", "b"], [["1"]]), "a row must have 2 cells"),
        (lambda: ReportTable(["a"], [], ["left", "right"]), "sides must be one for each of the 1 headings"),
        (lambda: Drawing("<p>"), "svg must be the text that a ..._svg function gives"),
    ],
)
def test_wrong_pieces_are_refused_in_a_sentence(make, said):
    with pytest.raises(DataError, match=said):
        make()
