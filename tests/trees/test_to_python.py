"""The Python source of a tree, executed with nothing around it, says what the tree says."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from acumen.codegen.python_source import helpers, literal
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.preprocessing.words import tokens
from acumen.trees.inputs import Inputs
from acumen.trees.node_tests import Test as Split
from acumen.trees.reading.source import python_source
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


def module(predictor: Any, tree: Tree) -> dict[str, Any]:
    source = python_source(predictor, tree, shares_of(tree))
    imported = {
        alias.name for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Import) for alias in n.names
    }
    assert imported <= {"unicodedata"}
    made: dict[str, Any] = {}
    exec(compile(source, "tree.py", "exec"), made)
    return made


def agrees(predictor: Any, tree: Tree, rows: Table) -> None:
    made, found = module(predictor, tree), cells(rows, STRANGE)
    wanted, clear = decided(predictor, rows)
    proba = np.array([made["predict_proba"](row) for row in found])
    np.testing.assert_allclose(proba, predictor.proba(rows), rtol=1e-9, atol=1e-12)
    for row, want, sure in zip(found, wanted, clear.tolist(), strict=True):
        assert not sure or made["predict"](row) == want, row


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(trees(words=True))
def test_every_tree_agrees_on_a_grid_around_its_cuts(tree):
    agrees(predictor_of(tree, SCHEMA), tree, grid(tree, most=100))


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(trees())
def test_costs_and_priors_are_respected(tree):
    costs = np.array([[0.0, 1.0, 5.0], [2.0, 0.0, 1.0], [0.5, 3.0, 0.0]])
    agrees(predictor_of(tree, SCHEMA, costs, np.log([0.2, 3.0, 1.0])), tree, grid(tree, most=60))


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(trees(missing="majority", words=True))
def test_whole_rows_agree_to_the_last_bit(tree):
    predictor, rows = predictor_of(tree, SCHEMA), grid(tree, most=60)
    made, wanted = module(predictor, tree), decided(predictor, rows)[0]
    assert [made["predict"](row) for row in cells(rows, STRANGE)] == wanted


def test_an_attribute_that_is_not_there_is_missing():
    tree, schema = loan_tree()
    made = module(predictor_of(tree, schema), tree)
    assert made["predict"]({}) == made["predict"]({"Own_house": None, "Has_Job": float("nan")}) == "Yes"
    assert made["predict"]({"Own_house": "false", "Has_Job": "false"}) == "No"
    assert made["CLASSES"] == ("No", "Yes")


def test_deep_trees_are_cut_into_functions():
    schema = Schema((Attribute("x"),), Attribute("c", "nominal", ("a", "b")))
    node = Node((0, 1))
    for depth in range(300, 0, -1):
        counts = np.add(node.counts, (1, 0))
        node = Node(tuple(counts), Split(0, cuts=(float(depth),)), (Node((1, 0)), node), otherwise=1)
    tree = tree_of(node, Inputs.of(schema))
    rows = Table(Schema(schema.attributes), 3, numeric=[np.array([150.0, 301.0, np.nan])])
    agrees(predictor_of(tree, schema), tree, rows)
    source = python_source(predictor_of(tree, schema), tree, shares_of(tree))
    assert max(len(line) - len(line.lstrip()) for line in source.splitlines()) <= 60


@pytest.mark.parametrize(
    "text",
    [
        "",
        "An Offer",
        "don't",
        "Café cafe\u0301",
        "İstanbul K\u212a",
        "x²³ ½",
        "a\u00a0b\u2028c",
        "ÄÖ_ß ЖЖ",
        "日本語 テスト",
    ],
)
def test_texts_are_cut_as_acumen_cuts_them(text):
    made: dict[str, Any] = {}
    exec("import unicodedata\n" + helpers(["_has"]), made)
    for word in {*tokens(text), "an", "off", "istanbul", "e"}:
        assert made["_has"]({"t": text}, "t", word) == int(word in tokens(text)), word


def test_literals_are_read_back_as_themselves():
    for value in ("it's\n", True, 3, 0.1, 1e-300, float("inf"), ("a", 1.5), (1,)):
        assert eval(literal(value)) == value
