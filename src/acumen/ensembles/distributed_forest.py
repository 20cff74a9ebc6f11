"""Forests wherever their rows are: here by the kernel, on a cluster by tasks that share the rows of one worker.

growing_of         rows as codes in one place, and how many trees a task grows
grow_forest_from   these and a seed for each tree -> what `forest.grow_forest` returns

Which worker grew a tree, and whether another died over it, changes nothing of it. What trees say of rows out of bag is
added up by one task after the other, in the order of the trees: sums are those of one machine, to the byte.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from acumen import _native
from acumen.ensembles.code_blocks import CodeBlock, codes_of, join_blocks, require_room
from acumen.ensembles.column_codes import CodedColumns
from acumen.ensembles.forest import ForestOptions, ForestRows, GrownForest, Seeds, bag_of, grow_forest
from acumen.ensembles.out_of_bag import OutOfBag
from acumen.ensembles.packed_forest import PackedForest
from acumen.rows.persisted import LocalValue
from acumen.rows.training_rows import ClusterRows, Rows
from acumen.types import Codes, Floats

if TYPE_CHECKING:
    from acumen.engines.worker_state import WorkerValue

#: Tasks for each thread of the workers: so that none waits long for the last.
_SHARE = 4
_NO_CODES: Codes = np.empty(0, dtype=np.int32)
_kept: Callable[..., dict[str, Any]] = _native.forest_kept


def growing_of(
    rows: Rows, coded: CodedColumns, options: ForestOptions, trees: int, units: Codes, who: str
) -> tuple[LocalValue | WorkerValue, int]:
    """The rows of a forest, their groups if these are drawn, and how many trees a task grows."""
    some, tasks = trees, 1
    if isinstance(rows, ClusterRows):
        some, tasks = max(1, -(-trees // (_SHARE * rows.engine.threads))), rows.engine.threads_of_one
    n, outputs = len(rows), max(rows.schema.n_classes, 1)
    nodes = min(0.8 * n, 2.0 * n / max(options.leaf_size, 1.0), 2.0 ** min((options.max_depth or 60) + 1, 60))
    work = n * (2.0 * coded.coding.width + 48.0 + 8.0 * outputs) + some * nodes * (8.0 + 8.0 * outputs)
    require_room(rows, coded, who, work, tasks)
    join = partial(_growing, coded, units, rows.schema.n_classes)
    return codes_of(rows, coded, join, "the rows of a forest"), some


def _growing(coded: CodedColumns, units: Codes, classes: int, blocks: Sequence[CodeBlock]) -> ForestRows:
    whole, rows = join_blocks(coded, blocks)
    return ForestRows.from_codes(whole, rows.labels, rows.response, rows.weights, units, classes)


def grow_forest_from(
    rows: LocalValue | WorkerValue,
    coded: CodedColumns,
    seeds: Seeds,
    options: ForestOptions,
    some: int,
    tell: Callable[[int], None] | None,
) -> GrownForest:
    """A tree for each seed."""
    if isinstance(rows, LocalValue):
        return grow_forest(rows.fetch(), seeds, options, tell)
    return grow_on_cluster(rows, coded, seeds, options, some, tell)


@dataclass(frozen=True)
class _BagVotes:
    """What trees so far have said of rows out of bag."""

    sum: Floats
    votes: Codes
    errors: Floats  # after each tree: the weight of wrong rows, of voted ones, and of unvoted wrong ones
    enough: bool


def grow_on_cluster(
    rows: WorkerValue,
    coded: CodedColumns,
    seeds: Seeds,
    options: ForestOptions,
    some: int,
    tell: Callable[[int], None] | None,
) -> GrownForest:
    """A tree for each seed, `some` of them a task."""
    judged = options.out_of_bag and options.bootstrap
    bag: WorkerValue | None = None
    grown: list[tuple[PackedForest, Floats]] = []
    waiting: deque[tuple[WorkerValue, Seeds]] = deque()
    parts = deque(seeds[at : at + some] for at in range(0, len(seeds), some))
    ahead, done = 2 * max(1, len(seeds) // some // _SHARE) + 2, 0
    while parts or waiting:
        while parts and len(waiting) < ahead:
            task_result = parts.popleft()
            waiting.append((rows.then(_grow, task_result, replace(options, patience=None)), task_result))
        trees, task_result = waiting.popleft()
        if judged:
            bag = rows.then(_enter, bag, trees, task_result, options)
        grown.append(trees.fetch())
        done += len(task_result)
        if tell is not None:
            tell(done)
        if bag is not None and options.patience and bag.then(_is_enough).fetch():
            break
    packed = PackedForest.concatenate([each for each, _ in grown])
    gain = np.concatenate([each for _, each in grown])
    if bag is None:
        return GrownForest(packed, gain, None, None)
    error: OutOfBag = rows.then(_bag_error, bag).fetch()
    n = len(error.curve)  # fewer than were grown where patience ran out on the way
    return GrownForest(packed.first(n), gain[:n], error, None)


def _grow(rows: ForestRows, seeds: Seeds, options: ForestOptions) -> tuple[PackedForest, Floats]:
    forest = grow_forest(rows, seeds, options)
    return forest.packed, forest.gain


def _enter(
    rows: ForestRows,
    votes: _BagVotes | None,
    trees: tuple[PackedForest, Floats],
    seeds: Seeds,
    options: ForestOptions,
) -> _BagVotes:
    """What was said of rows out of bag, with what these trees say of them."""
    before = votes or _BagVotes(np.empty((0, 0)), _NO_CODES, np.empty((0, 3)), False)
    kept = _kept(
        trees[0],
        *rows.arguments(),
        rows.prior,
        seeds,
        options.kernel_options(),
        before.sum,
        before.votes,
        before.errors,
    )
    return _BagVotes(kept["sum"], kept["votes"], kept["errors"], kept["enough"])


def prior_of(rows: ForestRows) -> Floats:
    """The share of each class."""
    return rows.prior


def _is_enough(votes: _BagVotes) -> bool:
    return votes.enough


def _bag_error(rows: ForestRows, votes: _BagVotes) -> OutOfBag:
    """The error out of bag; what is said of each row stays where it is."""
    error, voted, unvoted = np.ascontiguousarray(votes.errors.T)
    bag = {"votes": votes.votes, "sum": votes.sum, "error": error, "voted": voted, "unvoted_wrong": unvoted}
    return replace(bag_of(bag, rows), votes=_NO_CODES, predictions=np.empty(0))
