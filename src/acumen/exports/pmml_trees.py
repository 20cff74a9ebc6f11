"""Trees as a TreeModel, ordered rules as a RuleSetModel.

A node's children are asked in order and the first whose predicate is true is taken. Where lost rows follow one branch,
that branch is the last child, and always true; predicates that cannot be told count as false
(missingValueStrategy="none"). Where lost rows go down all branches in shares, PMML has a word for it:
missingValueStrategy="weightedConfidence"; a level that was not met at a node is then mapped to missing by a derived
field, so that it is lost there as a missing value is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as ET

import numpy as np

from acumen import messages
from acumen.codegen.export import FirstMatch
from acumen.conditions.condition import Condition
from acumen.errors import DataError
from acumen.exports.pmml_xml import Document, both, either, element, level, number
from acumen.models.decision import softmax
from acumen.models.predictor import Predictor
from acumen.trees.model import DecisionTreeModel
from acumen.trees.node_tests import NONE, Tests
from acumen.trees.reading.branches import (
    branch_condition,
    levels_of,
    lost_shares,
    surrogate_conditions,
    tested_attribute,
)
from acumen.trees.reading.decide import decisions
from acumen.trees.tree import Tree
from acumen.types import Codes, Floats, Label

Model = tuple[str, dict[str, str], list[ET.Element]]


def tree_model(document: Document, predictor: Predictor, model: DecisionTreeModel) -> Model:
    """The model element's tag and attributes, and its content."""
    tree, inner = model.tree, ~model.tree.leaves
    shared = bool(np.any((tree.otherwise == NONE) & inner))
    if shared and np.any((tree.otherwise != NONE) & inner):
        raise DataError(
            "to_pmml: some nodes share lost rows out and others do not, which PMML cannot say of one tree. Learn it "
            f"with {messages.setting('missing', 'majority')}."
        )
    if shared and (predictor.shift is not None or predictor.costs is not None):
        raise DataError(
            "to_pmml: rows with missing values go down several branches of this tree in shares, and PMML cannot weigh "
            "what comes together then by costs or other priors. Learn it with "
            f"{messages.setting('missing', 'majority')}, "
            "or without costs and priors."
        )
    with np.errstate(divide="ignore"):
        logs = np.log(model.shares)
    shares = softmax(logs if predictor.shift is None else logs + predictor.shift)
    writer = _Nodes(document, tree, shares, decisions(predictor, model.shares), predictor.classes, shared)
    root = writer.node(0, element("True"))
    strategy = "weightedConfidence" if shared else "none"
    return "TreeModel", {"missingValueStrategy": strategy, "splitCharacteristic": "multiSplit"}, [root]


@dataclass(frozen=True, slots=True)
class _Nodes:
    document: Document
    tree: Tree
    shares: Floats
    decided: Codes
    classes: Sequence[Label]
    shared: bool

    def node(self, at: int, predicate: ET.Element) -> ET.Element:
        """A node and all below it, without recursion: trees may be deep."""
        root = self._alone(at, predicate, None)
        open_nodes = [(at, root)]
        while open_nodes:
            here, parent = open_nodes.pop()
            if self.tree.leaves[here]:
                continue
            for child, condition in self._children(here):
                node_predicate = self._alone(child, condition, here)
                parent.append(node_predicate)
                open_nodes.append((child, node_predicate))
        return root

    def _alone(self, at: int, predicate: ET.Element, parent: int | None) -> ET.Element:
        score = level(self.classes[int(self.decided[at])])
        weight = float(self.tree.counts[at].sum())
        if parent is not None and not self.tree.counts[list(self.tree.children(parent))].sum() > 0:
            weight = 1.0  # siblings without rows share evenly
        node = element("Node", predicate, id=at, score=score, recordCount=number(weight))
        for c, label in enumerate(self.classes):
            share = number(float(self.shares[at, c]))
            node.append(
                element(
                    "ScoreDistribution",
                    value=level(label),
                    recordCount=number(float(self.tree.counts[at, c])),
                    confidence=share,
                    probability=share,
                )
            )
        return node

    def _children(self, at: int) -> list[tuple[int, ET.Element]]:
        first, rest = int(self.tree.first[at]), int(self.tree.otherwise[at])
        order = [b for b in range(int(self.tree.branches[at])) if b != rest]
        if self.shared:
            return [(first + b, self._shared_test(at, b)) for b in order]
        return [*((first + b, self._takes(at, b)) for b in order), (first + rest, element("True"))]

    # -- one branch for every row -----------------------------------------------------------------

    def _takes(self, at: int, branch: int) -> ET.Element:
        """That a row takes a branch by the node's test or by a surrogate."""
        tree, schema = self.tree, self.document.schema
        parts = []
        if self._has_values(at, branch):
            parts.append(self.document.one(branch_condition(tree.tests, at, branch, tree, schema)))
        unknown = [self._no_branch(tree.tests, at)]
        for place in range(int(tree.surrogate_at[at]), int(tree.surrogate_at[at + 1])):
            parts += [
                both([*unknown, self.document.one(one)])
                for one in surrogate_conditions(place, branch, tree, schema)
            ]
            unknown.append(self._no_branch(tree.surrogates, place))
        return either(parts)

    def _has_values(self, at: int, branch: int) -> bool:
        cuts = len(self.tree.tests.cuts_of(at))
        return branch <= cuts if cuts else bool(np.any(self.tree.tests.branches_of(at) == branch))

    def _no_branch(self, tests: Tests, at: int) -> ET.Element:
        column, schema = self.tree.inputs[int(tests.input[at])], self.document.schema
        name = tested_attribute(column, schema)
        missing = self.document.one(Condition(name, "missing"))
        if column.is_numeric(schema) or column.form == "word":
            return missing
        levels = levels_of(column, schema)
        met = tuple(levels[c] for c in np.flatnonzero(tests.branches_of(at) >= 0).tolist())
        return (
            either([missing, self.document.one(Condition(name, "not in", met))]) if met else element("True")
        )

    # -- all branches in shares ---------------------------------------------------------------------

    def _shared_test(self, at: int, branch: int) -> ET.Element:
        tree, schema = self.tree, self.document.schema
        column = tree.inputs[int(tree.tests.input[at])]
        condition = branch_condition(tree.tests, at, branch, tree, schema)
        if not np.isclose(lost_shares(tree, at).sum(), 1.0):
            raise DataError("to_pmml: the branches of a node have no shares.")
        if column.is_numeric(schema) or column.form == "word":
            return self.document.one(condition)
        if column.form == "both":
            raise DataError(
                "to_pmml: rows are shared out at a test of two levels at once, which PMML cannot say. Learn the tree "
                f"with {messages.setting('missing', 'majority')}, or without pairs."
            )
        levels = schema.attributes[column.first].levels
        met = np.flatnonzero(tree.tests.branches_of(at) >= 0).tolist()
        mine = [levels[c] for c in np.flatnonzero(tree.tests.branches_of(at) == branch).tolist()]
        name = schema.attributes[column.first].name
        field = name if len(met) == len(levels) else self._with_met_levels(name, met)
        if len(mine) == 1:
            return element("SimplePredicate", field=field, operator="equal", value=level(mine[0]))
        parts = [element("SimplePredicate", field=field, operator="equal", value=level(v)) for v in mine]
        return either(parts)

    def _with_met_levels(self, name: str, met: Sequence[int]) -> str:
        """A derived field in which levels that were not met at a node are missing."""
        levels = self.document.schema[name].levels
        rows = []
        for c in met:
            table_row = element("row", element("given"), element("taken"))
            table_row[0].text = table_row[1].text = level(levels[c])
            rows.append(table_row)
        pair = element("FieldColumnPair", field=name, column="given")
        table = element(
            "MapValues", pair, element("InlineTable", *rows), outputColumn="taken", dataType="string"
        )
        return self.document.derive((name, tuple(met)), f"{name} as met", table, categorical="string")


# -- rules ----------------------------------------------------------------------------------------------


def rule_model(document: Document, predictor: Predictor, model: FirstMatch) -> Model:
    """Rules of which the first that holds answers."""
    bodies, scores = model.branches(predictor.schema)
    scores = scores if predictor.shift is None else scores + predictor.shift
    decided, shares = predictor.choose(scores), softmax(scores)
    labels = [level(predictor.classes[c]) for c in decided.tolist()]
    elements = [element("RuleSelectionMethod", criterion="firstHit"), *_shares(shares[-1], predictor.classes)]
    for at, body in enumerate(bodies):
        confidence = number(float(shares[at, decided[at]]))
        parts = _shares(shares[at], predictor.classes)
        elements.append(
            element(
                "SimpleRule",
                document.predicate(body),
                *parts,
                id=at + 1,
                score=labels[at],
                confidence=confidence,
                weight=confidence,
            )
        )
    confidence = number(float(shares[-1, decided[-1]]))
    return (
        "RuleSetModel",
        {},
        [element("RuleSet", *elements, defaultScore=labels[-1], defaultConfidence=confidence)],
    )


def _shares(line: Floats, classes: Sequence[Label]) -> list[ET.Element]:
    """The probabilities of a rule; their rows are not counted here, so they are given as shares of one."""
    elements = []
    for label, share in zip(classes, line.tolist(), strict=True):
        text = number(share)
        elements.append(
            element(
                "ScoreDistribution", value=level(label), recordCount=text, confidence=text, probability=text
            )
        )
    return elements
