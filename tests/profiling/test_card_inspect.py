"""The card as a whole: findings, JSON, degenerate tables, other targets."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import acumen
from acumen.data.report import Report
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.profiling.card import inspect
from card_tables import table_of

nan = float("nan")


def codes(card, column=None):
    return [f.code for f in card.findings if f.column == column]


def test_inspect_is_a_public_name():
    assert acumen.inspect(acumen.datasets.load("iris")) == inspect(acumen.datasets.load("iris"))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([3.0] * 6, ["constant"]),
        (["a"] * 6, ["constant"]),
        ([3.0, nan, 3.0, 3.0, 3.0, 3.0], ["constant"]),
        ([nan] * 6, ["all-missing"]),
        ([1.0, 2.0, nan, nan, nan, nan], ["mostly-missing"]),
        ([1.0, 2.0, 3.0, nan, nan, nan], []),
        (["a", "a", "a", "b", "b", "c"], ["level-once"]),
        ([1.0, 2.0, 2.0, float("inf"), 1.0, 2.0], ["infinite"]),
    ],
)
def test_a_column_is_found_out(values, expected):
    other = [0.5, 1.5, 2.5, 3.5, 4.5, 5.5]
    card = inspect(table_of({"c": values, "x": other}, ["p", "q"] * 3))
    assert codes(card, "c") == expected


def test_small_missing_and_single_classes_are_found():
    card = inspect(table_of({"x": np.arange(12) / 7}, ["a"] * 8 + ["b"] * 3 + [None]))
    assert codes(card, "class") == ["missing-target", "small-class"]
    assert "'b' (3)" in card.findings[1].text
    lone = inspect(table_of({"x": np.arange(12) / 7}, ["a"] * 12))
    assert codes(lone, "class") == ["one-class"]


def test_declared_levels_that_do_not_occur_are_a_note():
    schema = Schema((Attribute("a", "nominal", ("p", "q", "r")),))
    card = inspect(Table(schema, 4, nominal=[np.array([0, 1, 0, 1], np.int32)]))
    assert [(f.code, f.level) for f in card.findings if f.column == "a"] == [("level-unused", "note")]


def test_duplicates_are_sentences_with_row_numbers():
    card = inspect(table_of({"x": [1.5, 2.5, 1.5, 2.5]}, ["a", "b", "a", "a"]))
    texts = {f.code: f for f in card.findings if f.column is None}
    assert "row 3 repeats 1" in texts["duplicate-rows"].text
    assert "rows 2 and 4" in texts["conflicting-rows"].text
    assert texts["conflicting-rows"].rows == (2, 4)


def test_the_readers_warnings_count_as_warnings():
    report = Report("made.csv")
    report.warn("latin-1", "the file was read as Latin-1.")
    report.note("header", "the first record holds the names.")
    card = inspect(table_of({"x": [1.5, 2.5]}, report=report))
    assert [w.code for w in card.warnings] == ["latin-1"]
    assert "! the file was read as Latin-1." in str(card)
    assert card.to_dict()["notes"][1]["code"] == "header"


def test_what_reader_and_card_both_find_is_said_once():
    report = Report()
    report.warn("id-like", "looks like an identifier", column="k")
    card = inspect(table_of({"k": [f"v{i}" for i in range(30)]}, report=report))
    assert [w.code for w in card.warnings] == ["id-like"]


def test_json_is_strict_and_has_its_keys():
    table = table_of(
        {"x": [1.0, nan, float("inf"), 2.0], "n": ["a", "b", None, "a"], "t": ["u v", None, "", "w"]},
        ["p", "q", "p", None],
        weights=[1.0, 2.0, 0.5, 1.0],
        text=["t"],
    )
    made = json.loads(json.dumps(inspect(table).to_dict(), allow_nan=False))
    assert made["schema_version"] == 1
    assert list(made) == [
        "schema_version", "source", "rows", "weight", "attributes", "target", "ignored", "duplicates",
        "sampled_rows", "between", "findings", "notes",
    ]  # fmt: skip
    x, n, t = made["attributes"]
    assert list(x) == list(n) == list(t) == [
        "name", "kind", "missing", "missing_share", "distinct", "numeric", "nominal", "text", "association",
    ]  # fmt: skip
    assert list(x["numeric"]) == [
        "min", "q1", "median", "q3", "max", "mean", "sd", "infinite", "histogram",
    ]  # fmt: skip
    assert list(n["nominal"]) == ["levels", "declared", "unused", "seen_once", "unknown", "not_listed"]
    assert list(n["nominal"]["levels"][0]) == ["level", "count", "weight", "share"]
    assert list(t["text"]) == ["shortest", "median", "longest", "empty"]
    assert list(made["target"]) == [
        "name", "kind", "missing", "missing_share", "classes", "entropy_bits", "numeric",
    ]  # fmt: skip
    assert t["association"] is None and list(x["association"]) == [
        "rows", "known", "strength", "p", "gain_bits", "chance_bits", "gain_ratio", "chi2", "df", "rough",
        "correlation", "score",
    ]  # fmt: skip
    assert made["between"] == []  # no pair has enough rows
    pair = inspect(acumen.datasets.load("weather")).to_dict()["between"][0]
    assert list(pair) == ["first", "second", "measure", "value"]
    assert made["weight"] == {"column": "w", "total": 4.5}
    assert list(made["findings"][0]) == ["code", "level", "text", "column", "count", "rows"]


def test_tables_without_rows_or_attributes_have_cards():
    empty = inspect(table_of({"x": [], "y": []}))
    assert "no-rows" in codes(empty)
    assert "0 rows, 2 attributes" in str(empty)
    bare = inspect(Table(Schema(()), 3))
    assert bare.duplicates.rows == 0
    assert "3 rows, 0 attributes" in str(bare)


def test_a_numeric_target_has_figures():
    schema = Schema((Attribute("x"),), Attribute("y"))
    response = np.array([1.0, 2.0, nan, 4.0])
    card = inspect(Table(schema, 4, numeric=[np.arange(4.0)], response=response))
    assert (card.target.numeric.max, card.target.missing) == (4.0, 1)
    assert "Target" in str(card) and "<svg" in card._repr_html_()


def test_sparse_tables_have_the_card_of_dense_ones():
    dense = np.random.default_rng(0).poisson(0.3, (40, 5)).astype(float)
    dense[3, 2] = nan
    attributes = tuple(Attribute(f"x{j}") for j in range(5))
    target = Attribute("class", "nominal", ("a", "b"))
    labels = np.array([0, 1] * 20, np.int32)
    one = inspect(Table(Schema(attributes, target), 40, sparse=csr_matrix(dense), labels=labels))
    two = inspect(
        Table(Schema(attributes, target), 40, numeric=[*np.ascontiguousarray(dense.T)], labels=labels)
    )
    assert one == two


def test_another_target_can_be_asked_for():
    table = table_of({"colour": ["r", "g"] * 5, "size": [1.0, 2.0, 3.0, 1.0, 2.0] * 2}, ["p", "q"] * 5)
    card = inspect(table, "colour")
    assert [c.level for c in card.target.classes] == ["g", "r"]
    assert [a.name for a in card.attributes] == ["size", "class"]
    assert [c.level for c in inspect(table, "size").target.classes] == [1, 2, 3]
    assert inspect(table, -1).target.name == "class"
    with pytest.raises(DataError, match="Did you mean 'colour'"):
        inspect(table, "color")


def test_reading_options_are_refused_with_a_table():
    with pytest.raises(TypeError, match="ignore"):
        inspect(table_of({"x": [1.0]}), ignore="x")


def test_doubling_all_weights_changes_no_share():
    rng = np.random.default_rng(3)
    columns = {"x": rng.random(30), "n": [*rng.choice(["a", "b", "c"], 30)]}
    weights = rng.random(30)
    one = inspect(table_of(columns, ["p", "q"] * 15, weights=weights)).to_dict()
    two = inspect(table_of(columns, ["p", "q"] * 15, weights=2 * weights)).to_dict()
    for a, b in zip(one["target"]["classes"], two["target"]["classes"], strict=True):
        assert a["share"] == pytest.approx(b["share"])
    assert one["target"]["entropy_bits"] == pytest.approx(two["target"]["entropy_bits"])
