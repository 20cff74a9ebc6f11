"""The SELECT of a tree, run on SQLite, says what the tree says."""

from __future__ import annotations

import math
import sqlite3
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from acumen.codegen import sql
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError
from acumen.models.predictor import Predictor
from acumen.trees.inputs import Input, Inputs
from acumen.trees.node_tests import Test as Split
from acumen.trees.reading.sql import select_statement
from acumen.trees.tree import Tree
from tree_cases import (
    SCHEMA,
    STRANGE,
    Node,
    cells,
    decided,
    grid,
    loan_tree,
    predictor_of,
    shares_of,
    tree_of,
    trees,
)

TYPES = {"numeric": "REAL", "text": "TEXT"}


def run(predictor: Predictor, tree: Tree, rows: Table, name: str = 'my "rows"') -> list[Any]:
    """The last column of the statement over a table that holds these rows."""
    schema, found = predictor.schema, cells(rows, STRANGE)
    kinds = [TYPES.get(a.kind, "") for a in schema.attributes]
    with sqlite3.connect(":memory:") as base:
        columns = ", ".join(f"{sql.identifier(n)} {k}" for n, k in zip(schema.names, kinds, strict=True))
        base.execute(f"CREATE TABLE {sql.identifier(name)} ({columns}, extra INTEGER)")
        marks = ", ".join("?" * (len(schema) + 1))
        base.executemany(
            f"INSERT INTO {sql.identifier(name)} VALUES ({marks})",
            [(*(row[n] for n in schema.names), i) for i, row in enumerate(found)],
        )
        made = base.execute(select_statement(predictor, tree, shares_of(tree), name)).fetchall()
    assert [row[-2] for row in made] == list(range(len(rows)))
    return [row[-1] for row in made]


def agrees(predictor: Predictor, tree: Tree, rows: Table, *, exactly: bool = False) -> None:
    wanted, clear = decided(predictor, rows)
    got = run(predictor, tree, rows)
    assert len(got) == len(wanted)
    wrong = [i for i in range(len(got)) if got[i] != wanted[i] and (exactly or clear[i])]
    assert not wrong, (cells(rows, STRANGE)[wrong[0]], got[wrong[0]], wanted[wrong[0]])


@pytest.mark.slow
@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(trees())
def test_every_tree_agrees_on_a_grid_around_its_cuts(tree):
    agrees(predictor_of(tree, SCHEMA), tree, grid(tree, most=150))


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(trees(missing="majority"))
def test_whole_rows_agree_to_the_last_bit(tree):
    agrees(predictor_of(tree, SCHEMA), tree, grid(tree, most=100), exactly=True)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(trees(), st.booleans())
def test_costs_and_priors_are_respected(tree, with_costs):
    costs = np.array([[0.0, 1.0, 5.0], [2.0, 0.0, 1.0], [0.5, 3.0, 0.0]]) if with_costs else None
    shift = np.log([0.2, 3.0, 1.0])
    agrees(predictor_of(tree, SCHEMA, costs, shift), tree, grid(tree, most=100))


@given(st.floats(allow_nan=False, allow_infinity=False))
@settings(max_examples=200, deadline=None)
def test_a_number_is_read_back_as_itself(value):
    with sqlite3.connect(":memory:") as base:
        assert base.execute(f"SELECT {sql.number(value)}").fetchone()[0] == value


def test_plain_numbers_stay_plain():
    assert [sql.number(v) for v in (2.45, -0.1, 4.8500000000000005, 1e22)] == [
        "2.45", "-0.1", "4.8500000000000005", "1e+22",
    ]  # fmt: skip
    # 64 bits put this one exactly between two doubles, and so to the wrong side.
    assert sql.number(5e-324).startswith("(CAST(")


def test_the_loan_tree_reads_well():
    tree, schema = loan_tree()
    made = select_statement(predictor_of(tree, schema), tree, shares_of(tree), ("main", "loans"))
    lines = made.splitlines()
    assert lines[0] == "SELECT t.*," and lines[-1] == 'FROM "main"."loans" AS t'
    assert "WHEN (t.\"Own_house\" IS NULL OR t.\"Own_house\" NOT IN ('false', 'true'))" in made
    assert made.count("END") == made.count("CASE") and 'AS "prediction"' in made


def test_a_tree_that_shares_no_row_is_one_case():
    schema = Schema((Attribute("x"),), Attribute("c", "nominal", ("a", "b")))
    leaves = (Node((3, 0)), Node((0, 2)))
    tree = tree_of(Node((3, 2), Split(0, cuts=(1.5,)), leaves, otherwise=0), Inputs.of(schema))
    made = select_statement(predictor_of(tree, schema), tree, shares_of(tree), "t")
    assert made == (
        'SELECT t.*,\n  CASE\n  WHEN t."x" > 1.5 THEN \'b\'\n  ELSE \'a\'\n  END AS "prediction"\nFROM "t" AS t'
    )


@pytest.mark.parametrize("otherwise", [0, -1])
def test_deep_trees_stay_within_what_sqlite_parses(otherwise):
    schema = Schema((Attribute("x"), Attribute("y")), Attribute("c", "nominal", ("a", "b", "c")))
    node = Node((1, 0, 2))
    for depth in range(70, 0, -1):
        leaf = Node((1, 2, 0) if depth % 2 else (0, 1, 3))
        counts = np.add(node.counts, leaf.counts)
        pair, cut = ((leaf, node), depth / 7) if depth % 3 else ((node, leaf), 100 + 1 / depth)
        node = Node(tuple(counts), Split(depth % 2, cuts=(cut,)), pair, otherwise)
    tree = tree_of(node, Inputs.of(schema))
    assert tree.depth.max() == 70
    random = np.random.default_rng(1)
    numeric = random.uniform(0, 101, (200, 2))
    numeric[random.random((200, 2)) < 0.1] = np.nan
    agrees(predictor_of(tree, schema), tree, Table(Schema(schema.attributes), 200, numeric=list(numeric.T)))


@pytest.mark.slow
def test_wide_splits_stay_within_what_sqlite_parses():
    levels = tuple(f"level {i}" for i in range(600))
    schema = Schema((Attribute("x", "nominal", levels),), Attribute("c", "nominal", ("a", "b")))
    leaves = tuple(Node((i % 3, i % 2)) for i in range(600))
    root = Node((600, 300), Split(0, branches=tuple(range(600))), leaves)
    tree = tree_of(root, Inputs.of(schema))
    rows = Table(Schema(schema.attributes), 601, nominal=[np.arange(-1, 600, dtype=np.int32)])
    agrees(predictor_of(tree, schema), tree, rows)


def test_a_single_leaf_is_a_constant():
    schema = Schema((Attribute("x"),), Attribute("c", "nominal", (1, 2)))
    tree = tree_of(Node((1, 2)), Inputs.of(schema))
    assert "\n  2 AS" in select_statement(predictor_of(tree, schema), tree, shares_of(tree), "rows")


def test_the_last_column_takes_no_name_that_is_there():
    schema = Schema((Attribute("Prediction"),), Attribute("prediction_", "nominal", ("a", "b")))
    tree = tree_of(Node((1, 2)), Inputs.of(schema))
    assert 'AS "prediction__"\n' in select_statement(
        predictor_of(tree, schema), tree, shares_of(tree), "rows"
    )
    named = select_statement(predictor_of(tree, schema), tree, shares_of(tree), "rows", 'the "class"')
    assert 'AS "the ""class"""\n' in named


def test_what_sql_cannot_say_is_refused_in_a_sentence():
    tree, schema = loan_tree()
    predictor = predictor_of(tree, schema)
    with pytest.raises(ParameterError, match="table must be a name"):
        select_statement(predictor, tree, shares_of(tree), "")
    with pytest.raises(DataError, match="cannot write"):
        select_statement(predictor, tree, shares_of(tree), "a\0b")
    texts = Schema((Attribute("note", "text"),), schema.target)
    inputs = Inputs((Input("word", 0, word="offer"),))
    word = tree_of(Node((1, 1), Split(0, branches=(0, 1)), (Node((1, 0)), Node((0, 1)))), inputs)
    with pytest.raises(DataError, match=r"note has 'offer'.*to_python"):
        select_statement(predictor_of(word, texts), word, shares_of(word), "rows")


def test_infinite_cuts_need_no_infinite_number():
    assert sql.below("x", math.inf) == "x IS NOT NULL" and sql.above("x", math.inf) == "1 = 0"
    assert "inf" not in sql.below("x", -math.inf) + sql.above("x", -math.inf)
