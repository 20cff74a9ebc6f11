"""The path of one row through a tree: in words, and as evidence that adds up.

    Path       the steps of a row and what it ends in; `str` is for people
    path_of    follow a row
    evidence   how each step changed the odds of two classes; the sum is the difference of the tree's scores
    rows_at    which rows reach a node, one node at a time in numpy (the predicting kernel is faster, with equal
    results)

A row whose value fits no branch may go down all branches in fractions. Its path ends at that node, and the branches
below count together there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from acumen.conditions.condition import Condition
from acumen.data.escape import printable_lines
from acumen.data.schema import Schema
from acumen.explain.explanation import Evidence
from acumen.trees.node_tests import NONE
from acumen.trees.reading.branches import branch_condition, lost_shares, surrogate_conditions
from acumen.trees.reading.phrases import class_word, condition_words, listed_counts, weight
from acumen.trees.tree import Tree
from acumen.types import Array, Codes, Floats, Indices, Label

#: How a row found its branch: by the test itself, by a surrogate, by the rule for the lost, or not at all.
How: TypeAlias = Literal["test", "surrogate", "otherwise", "shared"]


@dataclass(frozen=True, slots=True)
class Step:
    """One row at one node: the branch it takes (-1: all, in shares), how, and by which surrogate."""

    node: int
    branch: int
    how: How
    surrogate: int = NONE


def branches_taken(tree: Tree, node: int, columns: Sequence[Array], rows: Indices) -> Codes:
    """The branch of each row at this node; -1 where it goes down all of them in shares."""
    branches = tree.tests.route(node, columns[tree.tests.input[node]][rows])
    for at in range(tree.surrogate_at[node], tree.surrogate_at[node + 1]):
        lost = np.flatnonzero(branches == NONE)
        if not len(lost):
            break
        branches[lost] = tree.surrogates.route(at, columns[tree.surrogates.input[at]][rows[lost]])
    branches[branches == NONE] = tree.otherwise[node]
    return branches


def step_of(tree: Tree, node: int, columns: Sequence[Array], row: int = 0) -> Step:
    """What one row does at one node."""
    at = np.array([row], dtype=np.intp)
    branch = int(tree.tests.route(node, columns[tree.tests.input[node]][at])[0])
    if branch != NONE:
        return Step(node, branch, "test")
    for place in range(tree.surrogate_at[node], tree.surrogate_at[node + 1]):
        branch = int(tree.surrogates.route(place, columns[tree.surrogates.input[place]][at])[0])
        if branch != NONE:
            return Step(node, branch, "surrogate", place)
    branch = int(tree.otherwise[node])
    return Step(node, branch, "shared" if branch == NONE else "otherwise")


def rows_at(tree: Tree, columns: Sequence[Array], n_rows: int, wanted: set[int]) -> dict[int, Indices]:
    """The rows that come to each wanted node whole; those shared out further up are in none below."""
    here: dict[int, Indices] = {0: np.arange(n_rows)}
    rows_by_node: dict[int, Indices] = {}
    for node in range(len(tree)):  # parents come before their children
        rows = here.pop(node, None)
        if rows is None:
            continue
        if node in wanted:
            rows_by_node[node] = rows
        if not tree.leaves[node] and wanted & set(tree.children(node)):
            taken = branches_taken(tree, node, columns, rows)
            for branch, child in enumerate(tree.children(node)):
                here[child] = rows[taken == branch]
    return rows_by_node


#: Longer words are not what figures stand in line with.
_ALIGNED = 50


@dataclass(frozen=True, slots=True)
class PathStep:
    """One step: what decided it, in words, and the class weights of the training rows that took it too.

    `node` is the node the step leads to, or the node itself where the row is shared out over its branches.
    """

    node: int
    condition: str
    counts: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Path:
    """The way of one row from the root, and the probabilities it ends in."""

    steps: tuple[PathStep, ...]
    classes: tuple[Label, ...]
    start: tuple[float, ...]
    probabilities: tuple[float, ...]

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready form."""
        return {
            "classes": list(self.classes),
            "start": list(self.start),
            "steps": [
                {"node": s.node, "condition": s.condition, "counts": list(s.counts)} for s in self.steps
            ],
            "probabilities": list(self.probabilities),
        }

    def __str__(self) -> str:
        lines = [("all training rows", self.start), *((s.condition, s.counts) for s in self.steps)]
        width = max((len(words) for words, _ in lines if len(words) <= _ALIGNED), default=0)
        step_lines = [
            f"{words:<{width}}  {weight(sum(counts))} rows: {listed_counts(np.array(counts), self.classes)}"
            for words, counts in lines
        ]
        best = int(np.argmax(self.probabilities))
        word = class_word(self.classes[best])
        step_lines.append(f"{word} with probability {self.probabilities[best]:.4g}")
        return printable_lines("\n".join(step_lines))


def path_of(tree: Tree, shares: Floats, columns: Sequence[Array], schema: Schema, row: int = 0) -> Path:
    """Follow one row; `columns` are `tree.inputs.of_table(rows)`."""
    taken = steps_of(tree, columns, row)
    path_steps = []
    for step in taken:
        to = step.node if step.how == "shared" else int(tree.first[step.node]) + step.branch
        path_steps.append(PathStep(to, step_words(tree, step, schema), tuple(tree.counts[to].tolist())))
    end = distribution(tree, shares, columns, row)
    return Path(tuple(path_steps), schema.classes, tuple(tree.counts[0].tolist()), tuple(end.tolist()))


def steps_of(tree: Tree, columns: Sequence[Array], row: int = 0) -> list[Step]:
    """The steps of one row, up to a leaf or to the first node at which it is shared out."""
    path_steps: list[Step] = []
    node = 0
    while not tree.leaves[node]:
        path_steps.append(step_of(tree, node, columns, row))
        if path_steps[-1].how == "shared":
            break
        node = int(tree.first[node]) + path_steps[-1].branch
    return path_steps


def distribution(tree: Tree, shares: Floats, columns: Sequence[Array], row: int = 0) -> Floats:
    """The class probabilities of one row: the mean over the leaves it comes to, by its shares in them."""
    total = np.zeros(shares.shape[1])
    open_nodes = [(0, 1.0)]
    while open_nodes:
        node, part = open_nodes.pop()
        if tree.leaves[node]:
            total += part * shares[node]
            continue
        step = step_of(tree, node, columns, row)
        if step.how == "shared":
            parts = (part * lost_shares(tree, node)).tolist()
            below = [(child, p) for child, p in zip(tree.children(node), parts, strict=True) if p > 0]
            open_nodes += below[::-1]
        else:
            open_nodes.append((int(tree.first[node]) + step.branch, part))
    return total


def step_words(tree: Tree, step: Step, schema: Schema) -> str:
    """What decided one step."""
    column = tree.inputs[int(tree.tests.input[step.node])]
    name = schema.attributes[column.first].name if column.form == "word" else column.name(schema)
    if step.how == "shared":
        parts = lost_shares(tree, step.node)
        order = [b for b in (-parts).argsort(kind="stable").tolist() if parts[b] > 0]
        phrases = [
            f"{100 * parts[b]:.0f} % {condition_words(branch_condition(tree.tests, step.node, b, tree, schema))}"
            for b in order[:4]
        ]
        more = f" and {len(order) - 4} more" if len(order) > 4 else ""
        return f"{name} fits no branch: {', '.join(phrases)}{more}"
    here = condition_words(branch_condition(tree.tests, step.node, step.branch, tree, schema))
    if step.how == "test":
        return here
    if step.how == "surrogate":
        other = " or ".join(
            map(condition_words, surrogate_conditions(step.surrogate, step.branch, tree, schema))
        )
        return f"{name} is unknown, but {other}, which mostly goes with {here}"
    if here == f"{name} is missing":
        return here
    return f"{name} fits no branch and goes where most rows go: {here}"


def evidence(
    tree: Tree, shares: Floats, columns: Sequence[Array], schema: Schema, winner: int, rival: int
) -> tuple[Evidence, ...]:
    """What each step did to the log-odds of `winner` against `rival`, after those at the root."""

    def odds(p: Floats) -> float:
        with np.errstate(divide="ignore", invalid="ignore"):
            log_odds = float(np.log(p[winner]) - np.log(p[rival]))
        return 0.0 if np.isnan(log_odds) else log_odds

    before = odds(shares[0])
    start = float(tree.counts[0].sum()), float(shares[0][winner])
    pieces = [Evidence(None, "the root of the tree", before, *start, role="start")]
    for step in steps_of(tree, columns):
        column = tree.inputs[int(tree.tests.input[step.node])]
        if step.how == "shared":
            end, counts = distribution(tree, shares, columns), tree.counts[step.node]
        else:
            to = int(tree.first[step.node]) + step.branch
            end, counts = shares[to], tree.counts[to]
        after = odds(end)
        # Where the odds were and stay beyond all bounds, the step changed nothing.
        change = 0.0 if after == before else after - before
        name = schema.attributes[column.first].name if column.second < 0 else column.name(schema)
        phrase = step_words(tree, step, schema)
        words: Condition | str = phrase
        if step.how == "test":  # the words may be shorter than the test
            words = branch_condition(tree.tests, step.node, step.branch, tree, schema)
        pieces.append(Evidence(name, words, change, float(counts.sum()), float(end[winner]), phrase))
        before = after
    return tuple(pieces)
