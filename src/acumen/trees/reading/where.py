"""Which way rows go, one node at a time, in numpy: for the ways of single rows and for drawings.

The kernel that predicts is much faster and says the same; here every step can be looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from acumen.trees.branching import NONE
from acumen.trees.tree import Tree
from acumen.types import Array, Codes, Indices

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
    made = tree.tests.route(node, columns[tree.tests.input[node]][rows])
    for at in range(tree.surrogate_at[node], tree.surrogate_at[node + 1]):
        lost = np.flatnonzero(made == NONE)
        if not len(lost):
            break
        made[lost] = tree.surrogates.route(at, columns[tree.surrogates.input[at]][rows[lost]])
    made[made == NONE] = tree.otherwise[node]
    return made


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
    made: dict[int, Indices] = {}
    for node in range(len(tree)):  # parents come before their children
        rows = here.pop(node, None)
        if rows is None:
            continue
        if node in wanted:
            made[node] = rows
        if not tree.leaves[node] and wanted & set(tree.children(node)):
            taken = branches_taken(tree, node, columns, rows)
            for branch, child in enumerate(tree.children(node)):
                here[child] = rows[taken == branch]
    return made
