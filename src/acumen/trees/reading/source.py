"""The tree as Python that needs nothing: `predict(row)` and `predict_proba(row)` of a mapping.

A tree that sends every row to one leaf becomes nested tests that return its number. A tree that shares rows out
(missing="fractional") gathers (share, leaf) instead, and the leaves vote. Python allows a hundred levels of
indentation, so whatever lies deeper than a few is a function of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from acumen.codegen.python_module import Writer, matrix, module
from acumen.codegen.python_source import comment, literal
from acumen.models.predictor import Predictor
from acumen.trees.node_tests import NONE, Tests
from acumen.trees.reading.branches import branch_condition, levels_of, lost_shares
from acumen.trees.reading.decide import decisions, factors
from acumen.trees.reading.phrases import class_word, condition_words
from acumen.trees.tree import Tree
from acumen.types import Floats

#: Levels of a function.
HEIGHT = 12
_SIGNS = {"product": "*", "ratio": "/", "difference": "-"}

_PROBA = '''
def predict_proba(row):
    """The probability of each of CLASSES for a row: a mapping from attributes to values, None for missing."""
    total = [0.0] * len(CLASSES)
    for share, leaf in _leaves(row):
        for c, p in enumerate(LEAVES[leaf][1]):
            total[c] += share * p
{priors}    whole = sum(total)
    return [t / whole for t in total] if whole > 0 else [1 / len(CLASSES)] * len(CLASSES)
'''

_PREDICT = '''
def predict(row):
    """The class of a row: a mapping from attributes to values, None for missing."""
    found = _leaves(row)
    if len(found) == 1:
        return CLASSES[LEAVES[found[0][1]][0]]
    proba = predict_proba(row)
{choice}
'''


def python_source(predictor: Predictor, tree: Tree, shares: Floats) -> str:
    """The source of a module."""
    writer = _Writer(predictor.schema, tree=tree)
    decided = decisions(predictor, shares)
    leaves = [node for node in tree.preorder() if tree.leaves[node]]
    writer.numbers.update((node, at) for at, node in enumerate(leaves))
    writer.labels.update((node, class_word(predictor.classes[decided[node]])) for node in leaves)
    functions = writer.functions()
    factor = factors(predictor)
    constants = [
        *([f"PRIORS = {literal(tuple(factor.tolist()))}"] if factor is not None else []),
        *([f"COSTS = {matrix(predictor.costs)}"] if predictor.costs is not None else []),
        "#: The class of each leaf, and the probability of each class there.",
        "LEAVES = (",
        *(f"    ({decided[node]}, {literal(tuple(shares[node].tolist()))})," for node in leaves),
        ")",
    ]
    priors = "" if factor is None else "    total = [t * f for t, f in zip(total, PRIORS)]\n"
    answers = [_PREDICT.format(choice=_decision_expression(predictor)), _PROBA.format(priors=priors)]
    return module(
        predictor, f"a decision tree of {len(leaves)} leaves", constants, [*answers, functions], writer
    )


def _decision_expression(predictor: Predictor) -> str:
    if predictor.costs is None:
        return "    return CLASSES[proba.index(max(proba))]"
    return (
        "    costs = [sum(c * p for c, p in zip(line, proba)) for line in COSTS]\n"
        "    return CLASSES[costs.index(min(costs))]"
    )


@dataclass(slots=True, kw_only=True)
class _Writer(Writer):
    tree: Tree
    numbers: dict[int, int] = field(default_factory=dict)
    labels: dict[int, str] = field(default_factory=dict)
    waiting: list[int] = field(default_factory=list)

    @property
    def sends_rows_down_all_branches(self) -> bool:
        """Whether some node sends lost rows down all its branches."""
        return bool(np.any((self.tree.otherwise == NONE) & ~self.tree.leaves))

    def functions(self) -> str:
        """`_leaves`, and a function for each piece of the tree."""
        shared = self.sends_rows_down_all_branches
        start = "    found = []\n    _node0(row, 1.0, found)\n    return found"
        definitions = [
            "\ndef _leaves(row):\n"
            '    """The leaves a row comes to, each with the row\'s share in it."""\n'
            + (start if shared else "    return [(1.0, _node0(row))]")
        ]
        self.waiting.append(0)
        while self.waiting:
            node = self.waiting.pop(0)
            head = f"def _node{node}(row, w{node}, found):" if shared else f"def _node{node}(row):"
            definitions.append("\n".join(["", head, *self.block(node, node, 1)]))
        return "\n".join(definitions)

    def block(self, node: int, root: int, depth: int) -> list[str]:
        """The statements for a row that is at a node."""
        pad = "    " * depth
        if self.tree.leaves[node]:
            said_class = comment(self.labels[node])
            at = self.numbers[node]
            done = f"found.append((w{node}, {at}))" if self.sends_rows_down_all_branches else f"return {at}"
            return [f"{pad}{done}  # {said_class}"]
        if node != root and depth > HEIGHT:
            self.waiting.append(node)
            if self.sends_rows_down_all_branches:
                return [f"{pad}_node{node}(row, w{node}, found)"]
            return [f"{pad}return _node{node}(row)"]
        if self.tree.otherwise[node] == NONE:
            return self.share_out(node, root, depth)
        return self.chain(node, root, depth)

    def chain(self, node: int, root: int, depth: int) -> list[str]:
        """One branch for every row: the lost go to `otherwise`, which is the last `else`."""
        pad, rest = "    " * depth, int(self.tree.otherwise[node])
        lines = self.branch_lookup(node, depth)
        order = [b for b in range(int(self.tree.branches[node])) if b != rest]
        for i, branch in enumerate(order):
            lines.append(f"{pad}{'elif' if i else 'if'} b{node} == {branch}:  # {self.words(node, branch)}")
            lines += self.child(node, branch, root, depth)
        if not order:  # a single branch
            return [*lines, *self.child(node, rest, root, depth - 1)]
        lines.append(f"{pad}else:  # {self.words(node, rest)}, or not known")
        return [*lines, *self.child(node, rest, root, depth)]

    def share_out(self, node: int, root: int, depth: int) -> list[str]:
        """All branches for the lost, each by its share."""
        pad, shares = "    " * depth, lost_shares(self.tree, node)
        lines = self.branch_lookup(node, depth)
        for branch in range(int(self.tree.branches[node])):
            child, share = int(self.tree.first[node]) + branch, float(shares[branch])
            some = f"b{node} == {branch} or b{node} is None" if share > 0 else f"b{node} == {branch}"
            weight = f"w{node} if b{node} == {branch} else w{node} * {share!r}" if share > 0 else f"w{node}"
            lines.append(f"{pad}if {some}:  # {self.words(node, branch)}")
            lines.append(f"{pad}    w{child} = {weight}")
            lines += self.child(node, branch, root, depth)
        return lines

    def child(self, node: int, branch: int, root: int, depth: int) -> list[str]:
        child = int(self.tree.first[node]) + branch
        if self.sends_rows_down_all_branches and self.tree.otherwise[node] != NONE:
            lines = [f"{'    ' * (depth + 1)}w{child} = w{node}"]
        else:
            lines = []
        return [*lines, *self.block(child, root, depth + 1)]

    def branch_lookup(self, node: int, depth: int) -> list[str]:
        """The branch of the test and, where that has none, of the surrogates in turn."""
        pad = "    " * depth
        lines = [f"{pad}b{node} = {self.branch(self.tree.tests, node)}"]
        for at in range(self.tree.surrogate_at[node], self.tree.surrogate_at[node + 1]):
            lines.append(f"{pad}if b{node} is None:")
            lines.append(f"{pad}    b{node} = {self.branch(self.tree.surrogates, at)}")
        return lines

    def branch(self, tests: Tests, at: int) -> str:
        """The expression for the branch of a test; None where it has none."""
        column = self.tree.inputs[int(tests.input[at])]
        first = self.schema.attributes[column.first].name
        second = self.schema.attributes[column.second].name if column.second >= 0 else ""
        cuts, branches = tests.cuts_of(at).tolist(), tests.branches_of(at).tolist()
        if cuts:
            if column.form == "itself":
                value = self.value(first)
            else:
                value = self.call("_pair", repr(_SIGNS[column.form]), self.value(first), self.value(second))
            interval = self.call("_cut", value, *map(literal, cuts))
            # of a surrogate each interval may have a branch of its own
            leads = ", ".join(f"{i}: {b}" for i, b in enumerate(branches))
            return f"{{{leads}}}.get({interval})" if branches else interval
        if column.form == "word":
            value = self.call("_has", "row", literal(first), literal(column.word))
            keys = [literal(code) for code in range(2)]
        else:
            value = self.value(first)
            if column.form == "both":
                value = f"({value}, {self.value(second)})"
            keys = [literal(level) for level in levels_of(column, self.schema)]
        known = ", ".join(f"{key}: {b}" for key, b in zip(keys, branches, strict=True) if b >= 0)
        return f"{{{known}}}.get({value})"

    def words(self, node: int, branch: int) -> str:
        return comment(
            condition_words(branch_condition(self.tree.tests, node, branch, self.tree, self.schema))
        )
