"""Cost-complexity pruning (Breiman, Friedman, Olshen and Stone 1984, chapter 3).

    weakest_links   tree, risks -> for each inner node the alpha at which it becomes a leaf
    PruningPath     the whole sequence of pruned trees, from the smallest tree without more training error to the root
    choose_alpha    the alpha that cross-validation likes best, or the largest within one standard error of it

A tree T is judged by R(T) + alpha |leaves of T|; for each alpha there is one smallest best pruning, and they are
nested. R is the share of training weight (or cost) that leaves get wrong, as in Breiman et al.; scikit-learn's R is the
mean impurity of the leaves, which `weakest_links` takes as well.

A node is a leaf from the alpha on at which R(node) + alpha undercuts what is left below it. Seen from above: at first
all its children are leaves, and that alpha is (R(node) - sum of R(child)) / (children - 1). Where it lies below the
alpha of a node further down, that node is not yet a leaf then; its saving is taken back and the alpha found anew. So
each node is looked at once and each alpha taken back at most once.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import Self

import numpy as np

from acumen.trees.risk import decide, risks, risks_on
from acumen.trees.sample import Sample, counts_of
from acumen.trees.subtree import cut_at, nodes_by_level
from acumen.trees.tree import Tree
from acumen.types import Floats


def weakest_links(tree: Tree, risk: Floats) -> Floats:
    """For each inner node the smallest alpha at which it is a leaf, whatever its ancestors; -inf for leaves."""
    alphas = np.full(len(tree), -np.inf)
    first, branches, value = tree.first.tolist(), tree.branches.tolist(), risk.tolist()
    heaps: dict[
        int, list[tuple[float, float, int]]
    ] = {}  # of the subtrees: (-alpha, risk, leaves) that come with it
    for level in reversed(nodes_by_level(tree)):
        for node in level[tree.branches[level] > 0].tolist():
            children = range(first[node], first[node] + branches[node])
            below, leaves = sum(value[c] for c in children), branches[node]
            heap = _merge_heaps([heaps.pop(c) for c in children if c in heaps])
            alpha = (value[node] - below) / (leaves - 1) if leaves > 1 else 0.0
            while heap and -heap[0][0] >= alpha:
                _, more, fewer = heapq.heappop(heap)
                below -= more
                leaves += fewer
                alpha = (value[node] - below) / (leaves - 1)
            alpha = max(alpha, 0.0)
            heapq.heappush(heap, (-alpha, value[node] - below, leaves - 1))
            heaps[node] = heap
            alphas[node] = alpha
    return alphas


def _merge_heaps(heaps: list[list[tuple[float, float, int]]]) -> list[tuple[float, float, int]]:
    """One heap of several, the small ones poured into the largest."""
    heaps.sort(key=len)
    merged = heaps.pop() if heaps else []
    for heap in heaps:
        for entry in heap:
            heapq.heappush(merged, entry)
    return merged


@dataclass(frozen=True, slots=True, eq=False)
class PruningPath:
    """The pruned trees of one tree; entry i is best for alphas from `alphas[i]` up to `alphas[i + 1]`.

    Parameters
    ----------
    alphas : array
        Ascending, the first 0.
    leaves : array
        How many leaves each tree has.
    errors : array
        The share of training weight (or cost) that each tree gets wrong.
    """

    tree: Tree
    alphas: Floats
    leaves: Floats
    errors: Floats
    links: Floats  # of each node of `tree`

    @classmethod
    def of(cls, tree: Tree, *, costs: Floats | None = None, risk: Floats | None = None) -> Self:
        """The path of a grown tree; `risk` is that of each node, unless its training error."""
        if risk is None:
            risk = risks(tree.counts, costs) / max(float(tree.weight[0]), 1e-300)
        links = _equalise(weakest_links(tree, risk), 1e-12 * float(risk[0]))
        since, until = lifetimes(tree, links)
        alphas = np.unique(np.concatenate([[0.0], since[np.isfinite(since) & (since < until)]]))
        leaves = sum_alive(alphas, since, until, np.ones(len(tree)))
        return cls(tree, alphas, leaves, sum_alive(alphas, since, until, risk), links)

    def __len__(self) -> int:
        return len(self.alphas)

    def tree_at(self, alpha: float) -> Tree:
        """The smallest of the trees that are best at this alpha."""
        return cut_at(self.tree, self.links <= alpha)

    def __str__(self) -> str:
        lines = [f"{'alpha':>12} {'leaves':>8} {'error':>8}"]
        rows = zip(self.alphas, self.leaves, self.errors, strict=True)
        return "\n".join([*lines, *(f"{a:12.6g} {n:8.0f} {e:8.4f}" for a, n, e in rows)])


def _equalise(links: Floats, nothing: float) -> Floats:
    """Alphas that differ by rounding alone made equal, so that one step is not told as two."""
    links = np.where((links > 0) & (links <= nothing), 0.0, links)
    order = np.argsort(links, kind="stable")
    ascending = links[order]
    with np.errstate(invalid="ignore"):
        steps = np.diff(ascending, prepend=-np.inf)
    fresh = ~(steps <= np.maximum(1e-12 * np.abs(ascending), nothing))
    start = np.maximum.accumulate(np.where(fresh, np.arange(len(links)), 0))
    rounded = np.empty_like(links)
    rounded[order] = ascending[start]
    return rounded


def lifetimes(tree: Tree, links: Floats) -> tuple[Floats, Floats]:
    """From and up to which alpha each node is a leaf of the pruned tree; never, where that is no range."""
    since, until = np.where(tree.leaves, 0.0, links), np.full(len(tree), np.inf)
    parent = tree.parent
    for level in nodes_by_level(tree)[1:]:
        above = parent[level]
        until[level] = np.minimum(until[above], links[above])
    return since, until


def sum_alive(alphas: Floats, since: Floats, until: Floats, value: Floats) -> Floats:
    """For each alpha the sum of the values of the nodes that are leaves then."""
    lives = since < until
    begin = np.searchsorted(alphas, since[lives], side="left")
    end = np.searchsorted(alphas, until[lives], side="left")
    change = np.bincount(begin, value[lives], minlength=len(alphas) + 1)
    change -= np.bincount(end, value[lives], minlength=len(alphas) + 1)
    return np.asarray(np.cumsum(change)[: len(alphas)])


def held_out_errors(path: PruningPath, held: Sample, alphas: Floats, costs: Floats | None) -> Floats:
    """For each alpha what the pruned tree gets wrong of held-out rows: their weight, or cost."""
    tree = path.tree
    counts = counts_of(tree, held)
    wrong = risks_on(counts, decide(tree.counts, costs), costs)
    return sum_alive(alphas, *lifetimes(tree, path.links), wrong)


def inner_alphas(alphas: Floats) -> Floats:
    """For each tree of a path an alpha inside its range: geometric means, and beyond all for the last."""
    return np.asarray(np.append(np.sqrt(alphas[:-1] * alphas[1:]), np.finfo(np.float64).max))


def choose_alpha(path: PruningPath, wrong: Floats, weight: float, *, one_se: bool) -> float:
    """The alpha of least held-out error, of equals the larger; or the largest within one standard error of it.

    `wrong` is the held-out weight that each tree of the path gets wrong, over all folds; the standard error is that of
    a share.
    """
    rate = wrong / weight
    least = float(rate.min())
    allowed = least + (np.sqrt(max(least * (1.0 - least), 0.0) / weight) if one_se else 0.0)
    return float(path.alphas[np.flatnonzero(rate <= allowed + 1e-12)[-1]])
