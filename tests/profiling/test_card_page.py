"""The card's page and its pictures: right counts, harmless names, a small file, no table without one."""

from __future__ import annotations

import re

import numpy as np
import pytest

import acumen
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.profiling import pictures
from acumen.profiling.card import inspect
from acumen.profiling.card_page import card_page
from acumen.profiling.pictures import Groups, groups_of, histogram_of, levels_of
from card_tables import table_of

NONE = np.empty(0)
EVIL = "<script>alert(1)</script>\x1b[31m\u202e\" onload='x'"


def page_of(table):
    card = inspect(table)
    return card_page(card.to_dict(), card.pictures)


def headings(page):
    return re.findall(r"<h2>(.*?)</h2>", page)


def groups(codes):
    return Groups(np.array(codes, dtype=np.int32), ("a", "b"), "")


def test_the_page_has_its_sections_warnings_first(tmp_path):
    acumen.inspect(acumen.datasets.load("iris")).to_html(tmp_path / "card.html")
    page = (tmp_path / "card.html").read_text(encoding="utf-8")
    assert headings(page) == [
        "Warnings", "The target", "Strongest associations with it", "Attributes", "Missing values",
        "Between attributes", "Figures",
    ]  # fmt: skip
    assert page.index("3 rows repeat an earlier row") < page.index("<h2>The target")
    assert page.count("<figure>") == 1 + 1 + 4 + 1  # the classes, the colours, the attributes, the pairs
    first = re.search(r"<h2>Strongest associations.*?<td>(.*?)</td>", page, re.DOTALL)
    assert first is not None and first[1] == "petal_width"


def test_no_name_acts_on_the_reader():
    rng = np.random.default_rng(0)
    columns = {
        EVIL: [*rng.choice([f"a{EVIL}", "b"], 39), None],
        f"x{EVIL}": [*rng.normal(size=39), np.nan],
        f"t{EVIL}": [f"{EVIL} {i}" for i in range(40)],
    }
    table = table_of(columns, [*rng.choice([f"c{EVIL}", "d"], 40)], text=[f"t{EVIL}"])
    table.report.source = f"dir/file{EVIL}.csv"
    table.report.warn("odd", f"column {EVIL} is odd", column=EVIL)
    page = page_of(table)
    assert "&lt;script&gt;" in page and "<script" not in page and "\x1b" not in page and "\u202e" not in page
    assert not re.search(r"<[^>]*\son\w+=", page)
    assert "http:" not in page.replace("http://www.w3.org/2000/svg", "") and "https:" not in page


@pytest.mark.parametrize(
    "table",
    [
        Table(Schema(()), 3),
        table_of({"x": [], "n": []}),
        table_of({"x": [1.0]}, ["a"]),
        table_of({"x": [np.nan] * 4, "n": [None, None, None, "a"]}, ["a", "b", "a", None]),
        table_of({"x": [np.inf, -np.inf, 1.0, 1.7e308, -1.7e308], "y": [5e-324, 0, 1, 2, 3]}, ["a"] * 5),
        table_of({"t": ["u", "v", "w"]}, ["a", "b", "a"], text=["t"]),
        table_of({"x": [1.0, 2.0, 3.0]}, ["a", "b", "a"], weights=[0.0, 0.0, 0.0]),
        table_of({"x": [1.0, 2.0, 3.0], "n": ["a", "b", "a"]}, [None, None, None]),
        table_of({"x": np.arange(60.0)}, [f"c{i}" for i in range(60)]),
    ],
)
def test_degenerate_tables_have_pages(table):
    page = page_of(table)
    assert headings(page)[0] == "Warnings" and page.endswith("</html>\n")
    assert "nan" not in re.sub(r"<[^>]*>", "", page).lower().split()


def test_a_numeric_target_is_split_in_thirds():
    rng = np.random.default_rng(1)
    x = rng.normal(size=90)
    schema = Schema((Attribute("x", "numeric"),), Attribute("y", "numeric"))
    table = Table(schema, 90, numeric=[x], response=3 * x + rng.normal(size=90))
    card = inspect(table)
    assert card.pictures.drawn[0].counts.sum(axis=1).tolist() == [30, 30, 30]
    assert card.to_dict()["attributes"][0]["association"]["correlation"] > 0.8
    page = page_of(table)
    assert "third of the target" in page and "F test" in page and "y up to" in page


def test_rows_are_counted_in_their_bars():
    figure = histogram_of("x", np.array([1.0, 2, 2, 3, 3, np.nan]), groups([0, 0, 1, 1, -1, 0]), NONE)
    assert figure.edges.tolist() == [0.5, 1.5, 2.5, 3.5]
    assert figure.counts.tolist() == [[1, 1, 0], [0, 1, 1]]
    tenths = np.round(np.arange(20, 45) / 10, 1)
    even = histogram_of("x", np.repeat(tenths, 2), groups([0, 1] * 25), NONE)
    assert set(even.counts.sum(axis=0)[:-1].tolist()) == {4.0}  # two tenths a bar, no comb
    weighted = histogram_of("x", np.array([1.0, 2.0]), groups([0, 1]), np.array([2.0, 5.0]))
    assert weighted.counts.tolist() == [[2, 0], [0, 5]]


def test_far_values_are_in_the_outer_bars_and_told():
    values = np.r_[np.random.default_rng(0).normal(size=500), 1e9]
    figure = histogram_of("x", values, groups([0] * 501), NONE)
    assert figure.edges[-1] < 10 and figure.counts.sum() == 501 and figure.counts[0, -1] >= 1
    assert figure.notes[0].startswith("1 outlying values") or "1 outlying value" in figure.notes[0]


def test_levels_beyond_the_most_frequent_are_put_together():
    codes = np.repeat(np.arange(14, dtype=np.int32), np.arange(14, 0, -1))
    attribute = Attribute("n", "nominal", tuple(f"l{i}" for i in range(14)))
    figure = levels_of(attribute, codes, groups(codes % 2), NONE)
    assert figure.levels == (*(f"l{i}" for i in range(9)), "5 others")
    assert figure.counts.sum() == len(codes) and figure.counts[:, -1].sum() == 15
    ordinal = levels_of(
        Attribute("n", "ordinal", ("low", "high")), np.array([1, 1, 0], np.int32), groups([0] * 3), NONE
    )
    assert ordinal.levels == ("low", "high")


def test_missing_values_are_shown_where_they_are():
    x = np.arange(600.0) / 7
    x[:300] = np.nan
    missing = inspect(table_of({"x": x, "y": np.arange(600) / 7})).pictures.missing
    assert missing.attributes == ("x",) and missing.totals.tolist() == [0.5]
    assert missing.shares[0].tolist() == [1.0] * 30 + [0.0] * 30


def test_many_classes_share_the_last_colour():
    table = table_of({"x": np.arange(66.0)}, [f"c{i:02}" for i in range(11) for _ in range(i + 1)])
    made = groups_of(table, slice(0, 66), NONE)
    assert made.names == ("c04", "c05", "c06", "c07", "c08", "c09", "c10", "4 other classes")
    assert np.bincount(made.codes).tolist() == [5, 6, 7, 8, 9, 10, 11, 10]


def test_large_tables_are_sampled_and_the_page_says_so(monkeypatch):
    monkeypatch.setattr(pictures, "SAMPLE", 100)
    monkeypatch.setattr(pictures, "DRAWN", 3)
    monkeypatch.setattr(pictures, "COMPARED", 2)
    rng = np.random.default_rng(0)
    table = table_of({f"x{j}": rng.normal(size=500) for j in range(6)}, ["a", "b"] * 250)
    card = inspect(table)
    assert card.to_dict()["sampled_rows"] == 100 and card.pictures.drawn[0].counts.sum() == 100
    assert len(card.pictures.drawn) == 3 and len(card.pictures.between.attributes) == 2
    page = card_page(card.to_dict(), card.pictures)
    assert "of the 500 rows, sampled with a fixed seed" in page
    assert card.to_dict() == inspect(table).to_dict()


def test_wide_tables_make_pages_of_sensible_size():
    rng = np.random.default_rng(0)
    table = table_of({f"x{j}": rng.normal(size=200) for j in range(700)}, [*"abcdefgh"] * 25)
    page = page_of(table)
    assert len(page) < 1_500_000
    assert "Of 700 attributes the 60 are drawn that are most strongly associated with the target" in page


def test_a_sparse_table_has_the_page_of_a_dense_one():
    from scipy.sparse import csr_matrix

    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (60, 4)) * rng.integers(0, 2, (60, 4)) * 1.0
    labels = rng.integers(0, 2, 60).astype(np.int32)
    schema = Schema(
        tuple(Attribute(f"x{j}", "numeric") for j in range(4)), Attribute("y", "nominal", ("a", "b"))
    )
    dense = Table(schema, 60, numeric=list(X.T), labels=labels)
    sparse = Table(schema, 60, sparse=csr_matrix(X), labels=labels)
    assert page_of(sparse) == page_of(dense)


def test_a_folder_is_no_place_for_a_page(tmp_path):
    with pytest.raises(DataError, match="not a plain file"):
        inspect(table_of({"x": [1.0]})).to_html(tmp_path)
