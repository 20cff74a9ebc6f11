"""Growing and pruning together: which rows each way of pruning needs, and when.

    grown_and_pruned   rows -> Tree, as a learner does it
    pruned             Tree -> Tree, another pruning of a tree that is already there

    none               grown on all rows, left as it is
    pessimistic        grown on all rows, pruned by them (subtrees raised)
    reduced-error      grown on 1 - `validation` of the rows, pruned by the others, recounted with all
    cost-complexity    grown on all rows; `alpha` given, or chosen by `folds`-fold cross-validation of the path
    mdl, significance  grown on all rows, pruned by the counts of the nodes

Every one of them prunes one grown tree, so that they can be compared on it: see `prune_tree`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

import numpy as np

from acumen.data.schema import Schema
from acumen.errors import ParameterError, did_you_mean
from acumen.resampling.dealing import by_share, in_turn
from acumen.trees.cost_complexity import PruningPath, choose_alpha, held_out_errors, inner_alphas
from acumen.trees.error_pruning import prune_by_reduced_error, prune_pessimistically
from acumen.trees.sample import Sample
from acumen.trees.split_worth import prune_by_message_length, prune_insignificant, stop_early
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
            return PruningPath.of(tree, costs=options.costs).pruned(float(alpha))
        case "mdl":
            return prune_by_message_length(tree, schema, multiway=options.multiway, costs=options.costs)
        case "significance":
            return prune_insignificant(tree, significance=options.significance, costs=options.costs)
        case _:
            return tree
