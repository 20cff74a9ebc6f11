"""Growing and pruning together: which rows each way of pruning needs, and when.

    grow_and_prune   rows -> Tree, as a learner does it
    prune_tree       Tree -> Tree, another pruning of a grown tree

    none               grown on all rows, left as it is
    pessimistic        grown on all rows, pruned by them (subtrees raised)
    reduced-error      grown on 1 - `validation` of the rows, pruned by the others, recounted with all
    cost-complexity    grown on all rows; `alpha` given, or chosen by `folds`-fold cross-validation of the path
    mdl, significance  grown on all rows, pruned by the counts of the nodes

Every one of them prunes one grown tree, so that they can be compared on it: see `prune_tree`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, get_args

import numpy as np

from acumen import _native
from acumen.data.schema import Schema
from acumen.engines.cores import cores
from acumen.errors import ParameterError, did_you_mean
from acumen.resampling.plan import by_share, in_turn
from acumen.trees.cost_complexity import PruningPath, choose_alpha, held_out_errors, inner_alphas
from acumen.trees.risk import decide, regret, risks, risks_on
from acumen.trees.sample import Sample, counts_of
from acumen.trees.split_worth import prune_by_message_length, prune_insignificant, stop_early
from acumen.trees.subtree import cut_at, nodes_by_level, rebuild_tree, sum_children
from acumen.trees.tree import Tree
from acumen.types import Floats

Method = Literal["pessimistic", "none", "reduced-error", "cost-complexity", "mdl", "significance"]
METHODS: Final[tuple[str, ...]] = get_args(Method)
Grow = Callable[[Sample], Tree]


@dataclass(frozen=True, slots=True)
class PruneOptions:
    """How a tree is stopped and pruned; names and meaning as the learner's parameters."""

    method: Method = "pessimistic"
    stop: Literal["significance", "mdl"] | None = None
    cf: float = 0.25
    significance: float = 0.05
    validation_fraction: float = 1 / 3
    folds: int = 10
    ccp_alpha: float | None = None
    one_se: bool = False
    multiway: bool = True
    raising: bool = True  # pessimistic pruning may put a subtree in the place of its parent
    costs: Floats | None = None

    @property
    def needs_rows(self) -> bool:
        """Whether rows must be held back to prune."""
        return self.method == "reduced-error" or (self.method == "cost-complexity" and self.ccp_alpha is None)


def grow_and_prune(
    rows: Sample, grow: Grow, schema: Schema, options: PruneOptions, rng: np.random.Generator
) -> Tree:
    """The tree that a learner with these options makes of the rows."""

    def grow_stopped(some: Sample) -> Tree:
        return stop_early(
            grow(some),
            options.stop,
            schema,
            significance=options.significance,
            multiway=options.multiway,
            costs=options.costs,
        )

    if options.method == "reduced-error" and len(rows) > 1:
        held = by_share(
            len(rows), _n_held_out(len(rows), options.validation_fraction), rows.labels.astype(np.intp), rng
        )
        tree = grow_stopped(rows.take(np.flatnonzero(~held)))
        return prune_by_reduced_error(tree, rows.take(np.flatnonzero(held)), costs=options.costs)
    tree = grow_stopped(rows)
    alpha = options.ccp_alpha
    if options.method == "cost-complexity" and alpha is None:
        alpha = alpha_by_folds(rows, grow_stopped, PruningPath.of(tree, costs=options.costs), options, rng)
    return _prune(tree, options.method, schema, rows, options, alpha)


def _n_held_out(rows: int, share: float) -> int:
    return min(max(round(rows * share), 1), rows - 1)


def alpha_by_folds(
    rows: Sample, grow: Grow, path: PruningPath, options: PruneOptions, rng: np.random.Generator
) -> float:
    """The alpha whose trees, grown on the other folds, do best on the rows held out; 0 where there is no choice."""
    folds = min(options.folds, len(rows))
    if len(path) == 1 or folds < 2:
        return 0.0
    fold = in_turn(len(rows), folds, rows.labels.astype(np.intp), rng)
    inside = inner_alphas(path.alphas)
    wrong = np.zeros(len(path))
    for part in range(folds):
        tree = grow(rows.take(np.flatnonzero(fold != part)))
        other = PruningPath.of(tree, costs=options.costs)
        wrong += held_out_errors(other, rows.take(np.flatnonzero(fold == part)), inside, options.costs)
    return choose_alpha(path, wrong, rows.weight, one_se=options.one_se)


def prune_tree(tree: Tree, method: str, schema: Schema, rows: Sample | None, options: PruneOptions) -> Tree:
    """Another pruning of a tree that is there.

    `rows` are the training rows for "pessimistic" (without them no subtree is raised) and rows that the tree has
    not seen for "reduced-error", and for "cost-complexity" unless `options.ccp_alpha` is given.
    """
    if method not in METHODS:
        raise ParameterError(
            f"pruned: method must be one of {', '.join(METHODS)}; got {method!r}."
            + did_you_mean(str(method), METHODS)
        )
    alpha = options.ccp_alpha
    if rows is None and (method == "reduced-error" or (method == "cost-complexity" and alpha is None)):
        other = " or ccp_alpha" if method == "cost-complexity" else ""
        raise ParameterError(f"pruned: {method!r} needs held-out rows{other}; got none.")
    if method == "reduced-error":
        assert rows is not None
        return prune_by_reduced_error(tree, rows, costs=options.costs)
    if method == "cost-complexity" and alpha is None:
        assert rows is not None
        path = PruningPath.of(tree, costs=options.costs)
        wrong = held_out_errors(path, rows, path.alphas, options.costs)
        alpha = choose_alpha(path, wrong, rows.weight, one_se=options.one_se)
    return _prune(tree, method, schema, rows, options, alpha)


def _prune(
    tree: Tree, method: str, schema: Schema, rows: Sample | None, options: PruneOptions, alpha: Any
) -> Tree:
    match method:
        case "pessimistic":
            return prune_pessimistically(
                tree, rows if options.raising else None, cf=options.cf, costs=options.costs
            )
        case "cost-complexity":
            return PruningPath.of(tree, costs=options.costs).tree_at(float(alpha))
        case "mdl":
            return prune_by_message_length(tree, schema, multiway=options.multiway, costs=options.costs)
        case "significance":
            return prune_insignificant(tree, significance=options.significance, costs=options.costs)
        case _:
            return tree


# -- pruning by errors ----------------------------------------------------------------------------
#
#     prune_pessimistically    by estimated errors, as C4.5 release 8 does it (Quinlan 1993, chapter 4)
#     prune_by_reduced_error   by the errors on held-out rows (Quinlan 1987)
#
# Pessimistic pruning expects a leaf of N rows that gets e wrong to get N U(e, N) wrong on new rows. U is the upper
# limit of a binomial error rate at that confidence. From the leaves up, a subtree is replaced by a leaf or by its
# heaviest branch (subtree raising) where that expects no more errors; a saving of less than a tenth of a row does not
# keep a subtree. Before that, subtrees that get no more training rows right than a leaf become leaves.
#
# Only raising needs rows: those of the other branches must find their way through the raised branch.


#: C4.5's Epsilon: this much of a row counts as no difference.
_NOTHING = 1e-3


def collapse(tree: Tree, costs: Floats | None = None) -> Tree:
    """The tree without subtrees that get no more training rows right than a leaf would."""
    alone = risks(tree.counts, costs)
    together = alone.copy()
    marked = np.zeros(len(tree), dtype=np.bool_)
    for level in reversed(nodes_by_level(tree)):
        inner = level[tree.branches[level] > 0]
        if len(inner):
            below = sum_children(tree, inner, together)
            useless = below >= alone[inner] - _NOTHING
            marked[inner] = useless
            together[inner] = np.where(useless, alone[inner], below)
    return cut_at(tree, marked)


def prune_pessimistically(
    tree: Tree, rows: Sample | None, *, cf: float = 0.25, costs: Floats | None = None
) -> Tree:
    """The tree pruned by estimated errors; subtrees are raised where `rows` (the training rows) are given."""
    tree = collapse(tree, costs)
    over = regret(costs)
    counts = np.array(tree.counts, dtype=np.float64, order="C")
    nothing = Sample.empty(len(tree.inputs))
    sample = nothing if rows is None else rows
    first, branches, place = _native.tree_raise(
        tree,
        sample.columns,
        sample.labels,
        sample.weights,
        np.empty(0) if over is None else np.ascontiguousarray(over).ravel(),
        cf,
        rows is not None,
        counts,
        cores(),
    )
    return rebuild_tree(tree, first, branches, place, counts)


def prune_by_reduced_error(tree: Tree, held: Sample, *, costs: Floats | None = None) -> Tree:
    """Return the smallest pruned tree with the fewest errors (or least cost) on the held-out rows.

    From the leaves up, a node that gets no more held-out rows wrong than the subtree below it becomes a leaf. Leaves
    predict by the rows the tree was grown on. At the end the held-out rows are counted in as well, because class
    probabilities are better estimated from all rows.
    """
    counts = counts_of(tree, held)
    alone = risks_on(counts, decide(tree.counts, costs), costs)
    together = alone.copy()
    marked = np.zeros(len(tree), dtype=np.bool_)
    for level in reversed(nodes_by_level(tree)):
        inner = level[tree.branches[level] > 0]
        if len(inner):
            below = sum_children(tree, inner, together)
            no_worse = alone[inner] <= below + 1e-12 * np.maximum(below, 1.0)
            marked[inner] = no_worse
            together[inner] = np.where(no_worse, alone[inner], below)
    return cut_at(replace(tree, counts=tree.counts + counts), marked)
