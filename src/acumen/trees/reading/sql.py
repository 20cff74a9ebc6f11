"""The tree as a SELECT: all columns of a table, and the class of each row last.

    CASE over the tree          a row walks down; the branch of rows that no other fits is the ELSE
    sums of votes               for rows that are shared out over several branches (missing="fractional")

Databases limit how deep expressions nest (SQLite's parser: 100 symbols), so a tree is cut into pieces a few levels
high. Of the pieces the deepest come first in one flat CASE, each behind the conditions of the whole way to it;
a row takes the first that fits, and so never asks a piece for what lies deeper.

A shared row's vote for a class is a sum over the branches of weight times the vote below, weights being 1, 0, or the
branch's share; every node stands once in it. With whole rows it gives the same as the CASE, so it may be asked
wherever a value is missing or unknown, needed or not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from acumen.codegen import sql, sql_probabilities
from acumen.codegen.sql_select import behind, flat, indent, largest, select, sum_lines
from acumen.conditions.condition import Condition
from acumen.data.schema import Schema
from acumen.models.predictor import Predictor
from acumen.trees.node_tests import NONE, Tests
from acumen.trees.reading.branches import (
    branch_condition,
    levels_of,
    lost_shares,
    surrogate_conditions,
    tested_attribute,
)
from acumen.trees.reading.decide import decisions, factors, votes
from acumen.trees.tree import Tree
from acumen.types import Floats

#: Levels of a piece: so few that the deepest expression stays within every parser's patience.
HEIGHT = 5


def select_statement(
    predictor: Predictor, tree: Tree, shares: Floats, table: str | Sequence[str], name: str | None = None
) -> str:
    """The statement; `table` is a name or its parts, `name` what the last column is called."""
    schema = predictor.schema
    class_literals = [flat(sql.literal(schema.classes[c])) for c in decisions(predictor, shares).tolist()]
    emitter = _Emitter(tree, schema, class_literals, votes(predictor, shares))
    return select(schema, table, name, emitter.whole())


def shares_statement(
    predictor: Predictor, tree: Tree, shares: Floats, table: str | Sequence[str], name: str | None = None
) -> str:
    """The statement with the probabilities: by the number of the row's leaf, or by the votes of several."""
    schema, factor = predictor.schema, factors(predictor)
    decided = decisions(predictor, shares)
    leaves = [node for node in tree.preorder() if tree.leaves[node]]
    moved = shares if factor is None else shares * factor
    number = {node: str(at) for at, node in enumerate(leaves, 1)}
    emitter = _Emitter(tree, schema, [number.get(node, "0") for node in range(len(tree))], moved)
    if emitter.is_shared_out() is None:
        total = moved.sum(axis=1, keepdims=True)
        each = np.where(total > 0, moved / np.where(total > 0, total, 1.0), 1.0 / shares.shape[1])
        labels = [schema.classes[decided[node]] for node in leaves]
        return sql_probabilities.numbered_statement(
            predictor, "leaf", emitter.pieces(emitter.walk), labels, each[leaves], table, name
        )
    names = sql_probabilities.score_names(schema, range(len(schema.classes)))
    summed_up = [emitter.vote_of(c) for c in range(len(schema.classes))]
    columns = [sql_probabilities.column_of(one) for one in names]
    return sql_probabilities.shares_statement(
        predictor, [list(zip(names, summed_up, strict=True))], sql_probabilities.shares_of_votes(columns),
        largest(columns, schema.classes), table, name,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Emitter:
    tree: Tree
    schema: Schema
    said: Sequence[str]  # of each node, were it a leaf
    votes: Floats

    # -- the whole ---------------------------------------------------------------------------------

    def whole(self) -> str:
        lost = self.is_shared_out()
        walked = self.pieces(self.walk)
        if lost is None:
            return walked
        return f"CASE WHEN {lost}\nTHEN\n{indent(self.winning_class(), 2)}\nELSE\n{indent(walked, 2)}\nEND"

    def pieces(self, body: Callable[[int], str]) -> str:
        """One flat CASE over the pieces, the deepest first; the piece of the root needs no condition."""
        roots = sorted(self.piece_roots(), key=lambda node: -int(self.tree.depth[node]))
        if len(roots) == 1:
            return body(0)
        lines = ["CASE"]
        lines += [f"WHEN {self.way(node)}\nTHEN\n{indent(body(node), 2)}" for node in roots if node]
        return "\n".join([*lines, f"ELSE\n{indent(body(0), 2)}\nEND"])

    def piece_roots(self) -> list[int]:
        """The root, and every inner node at a multiple of the height of pieces."""
        deep = (self.tree.depth % HEIGHT == 0) & ~self.tree.leaves
        return sorted({0, *np.flatnonzero(deep).tolist()})

    def is_cut(self, node: int, root: int) -> bool:
        """Whether a node begins a piece of its own below that of `root`."""
        depth = int(self.tree.depth[node])
        return node != root and depth % HEIGHT == 0 and not bool(self.tree.leaves[node])

    # -- rows that walk ----------------------------------------------------------------------------

    def walk(self, node: int, root: int | None = None) -> str:
        """The class below a node, for a row that is whole."""
        root = node if root is None else root
        if self.tree.leaves[node] or self.is_cut(node, root):
            return self.said[node]  # of a cut node: nobody comes here, whose piece is asked first
        children = list(self.tree.children(node))
        rest = self.rest_branch(node)
        lines = ["CASE"]
        for branch, child in enumerate(children):
            if branch != rest:
                inner = self.walk(child, root)
                lines.append(f"WHEN {self.takes_branch(node, branch)} THEN{behind(inner)}")
        lines.append(f"ELSE{behind(self.walk(children[rest], root))}")
        return "\n".join([*lines, "END"])

    def rest_branch(self, node: int) -> int:
        """The branch of the ELSE: where lost rows go, else the one with the most levels, or the last cut."""
        if self.tree.otherwise[node] != NONE:
            return int(self.tree.otherwise[node])
        branches = self.tree.tests.branches_of(node)
        if not len(branches):
            return int(self.tree.branches[node]) - 1
        return int(np.bincount(branches[branches >= 0], minlength=1).argmax())

    def way(self, node: int) -> str:
        """The conditions of the whole way from the root, for a row that is whole."""
        parent = self.tree.parent
        conditions = []
        while node:
            above = int(parent[node])
            conditions.append(self.reaches(above, node - int(self.tree.first[above])))
            node = above
        return "\n  AND ".join(reversed(conditions))

    # -- conditions --------------------------------------------------------------------------------

    def takes_branch(self, node: int, branch: int) -> str:
        """That a row takes a branch by the node's test or by a surrogate; NULL or false where not."""
        parts = []
        if self.has_values(node, branch):
            parts.append(self.test(branch_condition(self.tree.tests, node, branch, self.tree, self.schema)))
        unknown = [self.no_branch(self.tree.tests, node)]
        for at in range(self.tree.surrogate_at[node], self.tree.surrogate_at[node + 1]):
            stand_ins = surrogate_conditions(at, branch, self.tree, self.schema)
            parts += [f"({' AND '.join([*unknown, self.test(one)])})" for one in stand_ins]
            unknown.append(self.no_branch(self.tree.surrogates, at))
        if not parts:
            return "1 = 0"
        return parts[0] if len(parts) == 1 else f"({' OR '.join(parts)})"

    def has_no_branch(self, node: int) -> str:
        """That neither the test nor a surrogate has a branch for a row."""
        places = range(self.tree.surrogate_at[node], self.tree.surrogate_at[node + 1])
        lost = [self.no_branch(self.tree.tests, node)]
        lost += [self.no_branch(self.tree.surrogates, at) for at in places]
        return " AND ".join(dict.fromkeys(lost))

    def reaches(self, node: int, branch: int) -> str:
        """That a whole row goes down a branch, for whatever reason."""
        takes = self.takes_branch(node, branch)
        if branch != self.tree.otherwise[node]:
            return takes
        astray = self.has_no_branch(node)
        return f"({astray})" if takes == "1 = 0" else f"({takes} OR {astray})"

    def test(self, condition: Condition) -> str:
        return flat(sql.condition(condition, self.schema))

    def has_values(self, node: int, branch: int) -> bool:
        """Whether any value takes a branch of a node; none takes that of the missing."""
        cuts = len(self.tree.tests.cuts_of(node))
        return branch <= cuts if cuts else bool(np.any(self.tree.tests.branches_of(node) == branch))

    def no_branch(self, tests: Tests, at: int) -> str:
        """That a test has no branch for a row's value: it is missing, or a level that was not there."""
        return self.outside(int(tests.input[at]), np.flatnonzero(tests.branches_of(at) >= 0).tolist())

    def outside(self, at: int, met: Sequence[int]) -> str:
        """That an input is missing or, where it has levels, none of those met."""
        column = self.tree.inputs[at]
        name = tested_attribute(column, self.schema)
        missing = self.test(Condition(name, "missing"))
        if column.is_numeric(self.schema) or column.form == "word":
            return missing
        if not met:
            return "1 = 1"
        levels = levels_of(column, self.schema)
        strange = self.test(Condition(name, "not in", tuple(levels[c] for c in met)))
        return f"({missing} OR {strange})"

    # -- rows that are shared out ------------------------------------------------------------------

    def shares_out(self, node: int) -> bool:
        """Whether a node sends lost rows down all its branches."""
        return not bool(self.tree.leaves[node]) and self.tree.otherwise[node] == NONE

    def is_shared_out(self) -> str | None:
        """That a row might be shared out somewhere; None where no node does that."""
        branches_by_node: dict[int, set[int]] = {}
        for node in np.flatnonzero(~self.tree.leaves).tolist():
            if self.shares_out(node):
                at = int(self.tree.tests.input[node])
                met = set(np.flatnonzero(self.tree.tests.branches_of(node) >= 0).tolist())
                branches_by_node[at] = branches_by_node.get(at, met) & met
        if not branches_by_node:
            return None
        return "\n  OR ".join(self.outside(at, sorted(met)) for at, met in branches_by_node.items())

    def winning_class(self) -> str:
        """The class of the largest sum of votes; of equals the first."""
        classes = self.schema.classes
        return largest([self.vote_of(c) for c in range(len(classes))], classes)

    def vote_of(self, c: int) -> str:
        """The sum of the votes for one class over all pieces, each times the row's share in it."""
        terms = []
        for root in self.piece_roots():
            below = self.vote_below(root, root, c)
            if below != "0.0":
                terms.append(" * ".join([*self.weights_to(root), f"({below})"]))
        return sum_lines(terms, " + ")

    def vote_below(self, node: int, root: int, c: int) -> str:
        if self.is_cut(node, root):
            return "0.0"
        if self.tree.leaves[node]:
            return sql.number(float(self.votes[node, c]))
        terms = []
        for branch, child in enumerate(self.tree.children(node)):
            below = self.vote_below(child, root, c)
            if below != "0.0":
                terms.append(f"{self.weight(node, branch)} * ({below})")
        return sum_lines(terms, " + ")

    def weights_to(self, node: int) -> Iterator[str]:
        """A row's share in each step of the way to a node."""
        parent, way = self.tree.parent, []
        while node:
            above = int(parent[node])
            way.append((above, node - int(self.tree.first[above])))
            node = above
        for at, branch in reversed(way):
            yield self.weight(at, branch)

    def weight(self, node: int, branch: int) -> str:
        """1 where a row takes the branch, 0 where it takes another, the branch's share where it takes all."""
        if not self.shares_out(node):
            return f"CASE WHEN {self.reaches(node, branch)} THEN 1.0 ELSE 0.0 END"
        share = sql.number(float(lost_shares(self.tree, node)[branch]))
        takes, lost = self.takes_branch(node, branch), self.has_no_branch(node)
        return f"CASE WHEN {takes} THEN 1.0 WHEN {lost} THEN {share} ELSE 0.0 END"
