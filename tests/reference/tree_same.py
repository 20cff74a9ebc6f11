"""Whether two trees ask the same, in whatever order their nodes lie."""

from __future__ import annotations

import numpy as np

from acumen.trees.tree import Tree


def same(one: Tree, other: Tree, *, counts: float = 1e-9) -> str | None:
    """None where the trees ask the same and hold the same weights; else a sentence on the first difference."""
    pairs = [(0, 0, "the root")]
    while pairs:
        a, b, where = pairs.pop()
        if not np.allclose(one.counts[a], other.counts[b], rtol=counts, atol=counts):
            return f"at {where} the counts are {one.counts[a]} and {other.counts[b]}"
        if one.tests[a] != other.tests[b]:
            return f"at {where} the tests are {one.tests[a]} and {other.tests[b]}"
        if one.branches[a] != other.branches[b] or one.otherwise[a] != other.otherwise[b]:
            return f"at {where} the branches differ"
        at = one.surrogate_at, other.surrogate_at
        mine = [one.surrogates[s] for s in range(at[0][a], at[0][a + 1])]
        theirs = [other.surrogates[s] for s in range(at[1][b], at[1][b + 1])]
        if mine != theirs:
            return f"at {where} the surrogates are {mine} and {theirs}"
        pairs.extend(
            (x, y, f"{where}, branch {i}")
            for i, (x, y) in enumerate(zip(one.children(a), other.children(b), strict=True))
        )
    return None
