"""Trees written by hand or drawn at random, and the rows that try every one of their tests."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar, Self

import numpy as np
from hypothesis import strategies as st

from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.models.model import Model
from acumen.models.predictor import Predictor
from acumen.trees.inputs import Input, Inputs
from acumen.trees.node_tests import Test, Tests
from acumen.trees.reading.path import distribution
from acumen.trees.tree import Tree

NAN = math.nan


@dataclass(frozen=True)
class Node:
    """A node by hand: its class counts and, unless it is a leaf, its test and children."""

    counts: Sequence[float]
    test: Test | None = None
    children: Sequence[Node] = ()
    otherwise: int = -1
    surrogates: Sequence[Test] = ()


def tree_of(root: Node, inputs: Inputs) -> Tree:
    """The flat arrays of a tree written as nested nodes."""
    nodes = [root]
    first, at = [], 0
    while at < len(nodes):
        node = nodes[at]
        first.append(len(nodes) if node.children else -1)
        nodes += node.children
        at += 1
    surrogates = [t for node in nodes for t in node.surrogates]
    return Tree(
        inputs,
        Tests.of([node.test for node in nodes]),
        np.array(first, dtype=np.int32),
        np.array([len(node.children) for node in nodes], dtype=np.int32),
        np.array([node.otherwise for node in nodes], dtype=np.int32),
        np.array([node.counts for node in nodes], dtype=np.float64),
        np.cumsum([0, *(len(node.surrogates) for node in nodes)]).astype(np.int32),
        Tests.of(surrogates),
    )


def shares_of(tree: Tree) -> np.ndarray:
    """Class frequencies; of a node without rows its parent's."""
    made, parent = np.zeros_like(tree.counts), tree.parent
    for node, counts in enumerate(tree.counts):
        total = counts.sum()
        if total > 0:
            made[node] = counts / total
        else:
            made[node] = made[parent[node]] if node else 1 / len(counts)
    return made


@dataclass(frozen=True, slots=True, eq=False)
class HandModel(Model):
    """A tree that predicts row by row, with no kernel."""

    kind: ClassVar[str] = "hand-tree"

    tree: Tree
    shares: np.ndarray

    def scores(self, rows: Table) -> np.ndarray:
        columns = self.tree.inputs.of_table(rows)
        with np.errstate(divide="ignore"):
            made = [np.log(distribution(self.tree, self.shares, columns, i)) for i in range(len(rows))]
        return np.array(made).reshape(len(rows), self.shares.shape[1])

    def to_arrays(self) -> dict[str, np.ndarray]:
        return self.tree.to_arrays()

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray], schema: Schema) -> Self:
        raise NotImplementedError

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        return "a tree by hand"


def predictor_of(tree: Tree, schema: Schema, costs: Any = None, shift: Any = None) -> Predictor:
    """A predictor around a tree by hand."""
    return Predictor(schema, HandModel(tree, shares_of(tree)), costs, shift)


# -- by hand --------------------------------------------------------------------------------------


def loan_schema() -> Schema:
    from tables import loan

    return loan().schema


def loan_tree() -> tuple[Tree, Schema]:
    """ID3's tree of the loan applications (W002-05)."""
    schema = loan_schema()
    leaf = lambda no, yes: Node((no, yes))  # noqa: E731
    job = Node((6, 3), Test(1, branches=(0, 1)), (leaf(6, 0), leaf(0, 3)))
    root = Node((6, 9), Test(2, branches=(0, 1)), (job, leaf(0, 6)))
    return tree_of(root, Inputs.of(schema)), schema


# -- at random ------------------------------------------------------------------------------------

SCHEMA = Schema(
    (
        Attribute('it\'s "x"\nhere'),
        Attribute("größe"),
        Attribute("colour", "nominal", ("red", "o'blue", "green\n", "")),
        Attribute("number", "nominal", (1, 2, -3)),
        Attribute("share", "nominal", (0.5, 1e-7)),
        Attribute("truth", "nominal", (False, True)),
        Attribute("grade", "ordinal", ("low", "middle", "high")),
        Attribute("note", "text"),
    ),
    Attribute("class", "nominal", ("it's", "b", "c")),
)
PAIRS = (
    Input("product", 0, 1),
    Input("ratio", 0, 1),
    Input("difference", 1, 0),
    Input("both", 2, 5),
)
WORDS = (Input("word", 7, word="offer"), Input("word", 7, word="café"))

cuts = st.floats(allow_nan=False, allow_infinity=True, allow_subnormal=False) | st.sampled_from(
    [0.0, 0.1, 1 / 3, -2.5, 1e22, 5e-297, 4.8500000000000005]
)


@st.composite
def tests_of(draw: st.DrawFn, inputs: Inputs, branches: int | None = None, missing: bool = False) -> Test:
    """A test over one of the inputs that gives at most so many branches."""
    at = draw(st.integers(0, len(inputs) - 1))
    column = inputs[at]
    if column.is_numeric(SCHEMA):
        most = 3 if branches is None else branches - 1
        made = sorted(draw(st.sets(cuts, min_size=1, max_size=max(most, 1))))
        if branches is None or draw(st.booleans()):
            return Test(at, cuts=tuple(made))
        leads = st.lists(st.integers(0, branches - 1), min_size=len(made) + 1, max_size=len(made) + 1)
        return Test(
            at, cuts=tuple(made), branches=tuple(draw(leads))
        )  # a surrogate's intervals may be turned
    most = 3 if branches is None else branches
    levels = column.n_levels(SCHEMA)
    codes = draw(st.lists(st.integers(-1, most - 1), min_size=levels, max_size=levels))
    return Test(at, branches=tuple(codes))


@st.composite
def trees(
    draw: st.DrawFn,
    *,
    words: bool = False,
    missing: str | None = None,
    depth: int = 3,
    complete: bool = False,
) -> Tree:
    """Any tree over SCHEMA; `complete`: every level has a branch at every node."""
    inputs = Inputs((*Inputs.of(SCHEMA).columns, *PAIRS, *(WORDS if words else ())))
    weight = st.sampled_from([0.0, 1.0, 2.0, 0.25, 3.0])
    missing = (
        draw(st.sampled_from(["fractional", "majority", "branch", "surrogate"]))
        if missing is None
        else missing
    )

    def node(left: int) -> Node:
        counts = tuple(draw(weight) for _ in range(3))
        if not left or draw(st.integers(0, 3)) == 0:
            return Node(counts)
        test = draw(tests_of(inputs))
        width = len(test.cuts) + 1 if test.cuts else max(max(test.branches) + 1, 2)
        if complete and not test.cuts:
            test = Test(test.input, branches=tuple(max(b, 0) for b in test.branches))
        own = missing == "branch" and draw(st.booleans())
        width += own
        children = tuple(node(left - 1) for _ in range(width))
        counts = tuple(sum(child.counts[c] for child in children) for c in range(3))
        surrogates = ()
        if missing == "surrogate":
            surrogates = tuple(draw(st.lists(tests_of(inputs, width), max_size=2)))
        otherwise = -1
        if missing != "fractional":
            otherwise = width - 1 if own else draw(st.integers(0, width - 1))
        if missing == "surrogate" and draw(st.integers(0, 3)) == 0:
            otherwise = -1
        return Node(counts, test, children, otherwise, surrogates)

    return tree_of(node(depth), inputs)


def around(tree: Tree, node_tests: Tests, at: int) -> list[float]:
    """Each cut of a test and its neighbours."""
    made = []
    for cut in node_tests.cuts_of(at).tolist():
        made += [cut, math.nextafter(cut, -math.inf), math.nextafter(cut, math.inf)]
    return made


def grid(tree: Tree, schema: Schema = SCHEMA, most: int = 400) -> Table:
    """Rows around every cut of every numeric attribute, with every level, an unknown one, and missing values."""
    values: list[list[Any]] = []
    for j, attribute in enumerate(schema.attributes):
        if attribute.is_numeric:
            found = [NAN, 0.0, 1.0, -1.0, math.inf, -math.inf]
            for tests in (tree.tests, tree.surrogates):
                for at in range(len(tests)):
                    if tests.input[at] >= 0 and tree.inputs[int(tests.input[at])] == Input("itself", j):
                        found += around(tree, tests, at)
            values.append(sorted(set(found), key=lambda v: (v == v, v)))
        elif attribute.is_nominal:
            values.append([-1, -2, *range(len(attribute.levels))])
        else:
            values.append([None, "", "an OFFER!", "no_offer", "Le CAFE\u0301 offre", "café offer"])
    total = math.prod(map(len, values))
    random = np.random.default_rng(0)
    if total <= most:
        rows = list(product(*values))
    else:
        rows = [tuple(v[i % len(v)] for v in values) for i in range(max(map(len, values)))]
        # mostly whole rows, as missing values are in every list as often as any other value
        rows += [tuple(v[random.integers(len(v))] for v in values) for _ in range(most)]
        rows += [
            tuple(
                v[random.integers(1 if a.is_numeric else 2 if a.is_nominal else 1, len(v))]
                for v, a in zip(values, schema.attributes, strict=True)
            )
            for _ in range(most)
        ]
    columns = list(zip(*rows, strict=True))
    blocks: dict[str, list[Any]] = {"numeric": [], "nominal": [], "text": []}
    for attribute, column in zip(schema.attributes, columns, strict=True):
        if attribute.is_numeric:
            blocks["numeric"].append(np.array(column, dtype=np.float64))
        elif attribute.is_nominal:
            blocks["nominal"].append(np.array(column, dtype=np.int32))
        else:
            blocks["text"].append(np.array([*column, None], dtype=object)[:-1])
    return Table(Schema(schema.attributes), len(rows), **blocks)


def cells(table: Table, strange: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Rows as mappings, None for missing; an unknown level is what `strange` says for its attribute."""
    made: list[dict[str, Any]] = [{} for _ in range(len(table))]
    for attribute, column in table.numeric_columns():
        for row, value in zip(made, column.tolist(), strict=True):
            row[attribute.name] = None if value != value else value
    for attribute, codes in table.nominal_columns():
        for row, code in zip(made, codes.tolist(), strict=True):
            levels = attribute.levels
            row[attribute.name] = (
                levels[code] if code >= 0 else None if code == -1 else strange[attribute.name]
            )
    for attribute, texts in table.text_columns():
        for row, text in zip(made, texts.tolist(), strict=True):
            row[attribute.name] = text
    return made


#: A value of each nominal attribute of SCHEMA that is no level of it.
STRANGE = {"colour": "RED", "number": 7, "share": 0.25, "truth": 5, "grade": "none"}


def decided(predictor: Predictor, rows: Table) -> tuple[list[Any], np.ndarray]:
    """The predicted labels, and for which rows no rounding could have told otherwise."""
    proba = predictor.proba(rows)
    gain = proba if predictor.costs is None else -(proba @ predictor.costs.T)
    top = np.sort(gain, axis=1)
    clear = top[:, -1] - top[:, -2] > 1e-9 * np.maximum(np.abs(top[:, -1]), 1e-3)
    return [predictor.classes[c] for c in predictor.predict(rows).tolist()], clear


def of_sklearn(fitted: Any, schema: Schema) -> Tree:
    """A tree of scikit-learn's as one of ours."""
    inner = fitted.tree_

    def node(i: int) -> Node:
        counts = tuple(np.round(inner.value[i, 0] * inner.weighted_n_node_samples[i], 9).tolist())
        if inner.children_left[i] < 0:
            return Node(counts)
        split = Test(int(inner.feature[i]), cuts=(float(inner.threshold[i]),))
        return Node(counts, split, (node(inner.children_left[i]), node(inner.children_right[i])))

    return tree_of(node(0), Inputs.of(schema))
