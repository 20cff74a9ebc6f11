"""Branches of a node as Conditions, and leaves as rules.

    branch_condition       the test of one node and one of its branches
    surrogate_conditions   the same for a surrogate, whose intervals may lead to branches in any order
    merge_conditions       all conditions on the path to a node, one per input: intervals and sets of levels
    lost_shares            how rows that fit no branch are distributed over the branches
    tree_rules             one rule per leaf

A branch that no value leads to was grown for missing values; its condition is `missing`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from acumen.conditions.condition import Condition
from acumen.conditions.pair import CombinedAttributes
from acumen.data.schema import Schema
from acumen.rulelist.rule_list import Rule, RuleList
from acumen.trees.inputs import PRESENT, Input
from acumen.trees.node_tests import Tests
from acumen.trees.tree import Tree
from acumen.types import Codes, Floats


@dataclass(slots=True)
class Allowed:
    """What the tests on a way leave open of one input: the numbers of (low, high], or some codes."""

    low: float | None = None
    high: float | None = None
    codes: tuple[int, ...] | None = None  # None: all
    missing: bool | None = None  # whether the value must be missing; None: not asked yet
    contradicted: bool = False

    def narrow(self, tests: Tests, at: int, branch: int) -> None:
        """Take one branch of one test."""
        cuts = tests.cuts_of(at)
        levels = np.flatnonzero(tests.branches_of(at) == branch).tolist()
        absent = branch > len(cuts) if len(cuts) else not levels
        self.contradicted |= self.missing is (not absent)
        self.missing = absent
        if absent:
            return
        if len(cuts):
            if branch:
                cut = float(cuts[branch - 1])
                self.low = cut if self.low is None else max(self.low, cut)
            if branch < len(cuts):
                cut = float(cuts[branch])
                self.high = cut if self.high is None else min(self.high, cut)
        else:
            here = set(levels)
            self.codes = tuple(levels if self.codes is None else [c for c in self.codes if c in here])

    @property
    def nothing(self) -> bool:
        """Whether no value can fulfil it."""
        empty = self.low is not None and self.high is not None and not self.low < self.high
        return self.contradicted or empty or self.codes == ()


def branch_condition(tests: Tests, at: int, branch: int, tree: Tree, schema: Schema) -> Condition:
    """What a value must be to take this branch of the test at this place."""
    open_values = Allowed()
    open_values.narrow(tests, at, branch)
    return _condition_of(open_values, tree.inputs[int(tests.input[at])], schema)


def surrogate_conditions(at: int, branch: int, tree: Tree, schema: Schema) -> tuple[Condition, ...]:
    """The conditions of which a value must fulfil one to take this branch of a surrogate; perhaps none."""
    tests = tree.surrogates
    cuts, branches = tests.cuts_of(at), tests.branches_of(at)
    if not len(cuts):
        there = bool(np.any(branches == branch))
        return (branch_condition(tests, at, branch, tree, schema),) if there else ()
    leads = branches.tolist() if len(branches) else range(len(cuts) + 1)
    intervals = [interval for interval, to in enumerate(leads) if to == branch]
    return tuple(branch_condition(tests, at, interval, tree, schema) for interval in intervals)


def merge_conditions(tree: Tree, node: int, parent: Codes, schema: Schema) -> tuple[Condition, ...] | None:
    """All conditions on the way from the root, in the order in which inputs are first asked.

    None where they contradict each other, so that no complete row comes here. `parent` is `tree.parent`.
    """
    way: list[tuple[int, int]] = []
    while node:
        above = int(parent[node])
        way.append((above, node - int(tree.first[above])))
        node = above
    allowed: dict[int, Allowed] = {}
    for at, branch in reversed(way):
        allowed.setdefault(int(tree.tests.input[at]), Allowed()).narrow(tree.tests, at, branch)
    if any(one.nothing for one in allowed.values()):
        return None
    return tuple(
        part for at, one in allowed.items() for part in _split(_condition_of(one, tree.inputs[at], schema))
    )


def lost_shares(tree: Tree, node: int) -> Floats:
    """The share of each branch in rows that none fits: by the children's weight, evenly where they have none."""
    weight = tree.counts[tree.first[node] : tree.first[node] + tree.branches[node]].sum(axis=1)
    total = float(weight.sum())
    return weight / total if total > 0 else np.full(len(weight), 1.0 / len(weight))


def tested_attribute(column: Input, schema: Schema) -> str | CombinedAttributes:
    """What a condition on this input names."""
    first = schema.attributes[column.first].name
    if column.form == "itself" or column.form == "word":
        return first
    return CombinedAttributes(column.form, first, schema.attributes[column.second].name)


def _condition_of(one: Allowed, column: Input, schema: Schema) -> Condition:
    """The condition that asks for what is left open."""
    name = tested_attribute(column, schema)
    if one.missing:
        return Condition(name, "missing")
    if column.is_numeric(schema):
        form = schema.attributes[column.first].form if column.form == "itself" else ""
        if one.low is not None and one.high is not None:
            return Condition(name, "between", (one.low, one.high), form)
        if one.low is not None:
            return Condition(name, ">", one.low, form)
        return Condition(name, "<=", one.high, form) if one.high is not None else Condition(name, "known")
    codes = one.codes if one.codes is not None else ()
    if column.form == "word":
        if len(codes) == 2:
            return Condition(name, "known")
        return Condition(name, "has" if codes == (PRESENT,) else "has not", column.word)
    levels = levels_of(column, schema)
    if len(codes) == 1:
        return Condition(name, "=", levels[codes[0]])
    first, last = codes[0], codes[-1]
    if column.is_ordered(schema) and last - first + 1 == len(codes) < len(levels):
        if first == 0:
            return Condition(name, "<=", levels[last])
        if last == len(levels) - 1:
            return Condition(name, ">", levels[first - 1])
    return Condition(name, "in", tuple(levels[c] for c in codes))


def _split(condition: Condition) -> tuple[Condition, ...]:
    """One pair of levels as two conditions; any other as it is."""
    pair = condition.attribute
    if not isinstance(pair, CombinedAttributes) or pair.is_numeric or condition.op != "=":
        return (condition,)
    a, b = condition.value
    return (Condition(pair.first, "=", a), Condition(pair.second, "=", b))


def levels_of(column: Input, schema: Schema) -> tuple[Any, ...]:
    """The values that the codes of a nominal input stand for; pairs of levels for `both`."""
    first = schema.attributes[column.first].levels
    if column.form != "both":
        return first
    return tuple((a, b) for a in first for b in schema.attributes[column.second].levels)


def tree_rules(tree: Tree, shares: Floats, schema: Schema) -> RuleList:
    """Return one rule for each leaf that a row can reach, from the first branch to the last.

    Conditions on one input are merged along the path: several cuts become one interval, sets of levels are intersected.
    Counts are those of the leaf, so support and confidence add up over the rules as the training rows do, in fractions
    where rows with missing values were split. The rules exclude each other. On rows without missing values and without
    levels that a node never met they give the tree's answer; other rows get the default.
    """
    classes = schema.classes
    total, parent = float(tree.counts[0].sum()), tree.parent
    rules = []
    for node in tree.preorder():
        if not tree.leaves[node]:
            continue
        conditions = merge_conditions(tree, node, parent, schema)
        if conditions is None:
            continue
        counts = dict(zip(classes, tree.counts[node].tolist(), strict=True))
        rules.append(Rule(conditions, classes[int(np.argmax(shares[node]))], counts, total))
    return RuleList(tuple(rules), classes[int(np.argmax(shares[0]))], classes)
