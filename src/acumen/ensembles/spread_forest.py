"""Forests wherever their rows are: here by the kernel, on a cluster by tasks that share the rows of one worker.

growing_of     rows as codes in one place, and how many trees a task grows
grown_from     these and a seed for each tree -> what `forest.grown` gives

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
from acumen.ensembles.coded_rows import CodeBlock, codes_of, joined, require_room
from acumen.ensembles.coding import Coded
from acumen.ensembles.forest import ForestOptions, Growing, Grown, Seeds, bag_of, grown
from acumen.ensembles.out_of_bag import OutOfBag
from acumen.ensembles.packed import PackedForest
from acumen.rows.persisted import Gathered
from acumen.rows.training_rows import ClusterRows, Rows
from acumen.types import Codes, Floats

if TYPE_CHECKING:
    from acumen.engines.dask_there import There

#: Tasks for each thread of the workers: so that none waits long for the last.
_SHARE = 4
_NO_CODES: Codes = np.empty(0, dtype=np.int32)
_kept: Callable[..., dict[str, Any]] = _native.forest_kept


def growing_of(
    rows: Rows, coded: Coded, options: ForestOptions, trees: int, units: Codes, who: str
) -> tuple[Gathered | There, int]:
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


def _growing(coded: Coded, units: Codes, classes: int, blocks: Sequence[CodeBlock]) -> Growing:
    whole, rows = joined(coded, blocks)
    return Growing.made(whole, rows.labels, rows.response, rows.weights, units, classes)


def grown_from(
    rows: Gathered | There,
    coded: Coded,
    seeds: Seeds,
    options: ForestOptions,
    some: int,
    tell: Callable[[int], None] | None,
) -> Grown:
    """A tree for each seed."""
    if isinstance(rows, Gathered):
        return grown(rows.fetched(), seeds, options, tell)
    return grown_there(rows, coded, seeds, options, some, tell)


@dataclass(frozen=True)
class _Said:
    """What trees so far have said of rows out of bag."""

    sum: Floats
    votes: Codes
    errors: Floats  # after each tree: the weight of wrong rows, of voted ones, and of unvoted wrong ones
    enough: bool


def grown_there(
    rows: There,
    coded: Coded,
    seeds: Seeds,
    options: ForestOptions,
    some: int,
    tell: Callable[[int], None] | None,
) -> Grown:
    """A tree for each seed, `some` of them a task."""
    judged = options.out_of_bag and options.bootstrap
    bag: There | None = None
    made: list[tuple[PackedForest, Floats]] = []
    waiting: deque[tuple[There, Seeds]] = deque()
    parts = deque(seeds[at : at + some] for at in range(0, len(seeds), some))
    ahead, done = 2 * max(1, len(seeds) // some // _SHARE) + 2, 0
    while parts or waiting:
        while parts and len(waiting) < ahead:
            own = parts.popleft()
            waiting.append((rows.then(_grow, own, replace(options, patience=None)), own))
        trees, own = waiting.popleft()
        if judged:
            bag = rows.then(_enter, bag, trees, own, options)
        made.append(trees.fetched())
        done += len(own)
        if tell is not None:
            tell(done)
        if bag is not None and options.patience and bag.then(_is_enough).fetched():
            break
    packed = PackedForest.joined([each for each, _ in made])
    gain = np.concatenate([each for _, each in made])
    if bag is None:
        return Grown(packed, gain, None, None)
    found: OutOfBag = rows.then(_judged, bag).fetched()
    n = len(found.curve)  # fewer than were grown where patience ran out on the way
    return Grown(packed.first(n), gain[:n], found, None)


def _grow(rows: Growing, seeds: Seeds, options: ForestOptions) -> tuple[PackedForest, Floats]:
    found = grown(rows, seeds, options)
    return found.packed, found.gain


def _enter(
    rows: Growing,
    said: _Said | None,
    trees: tuple[PackedForest, Floats],
    seeds: Seeds,
    options: ForestOptions,
) -> _Said:
    """What was said of rows out of bag, with what these trees say of them."""
    before = said or _Said(np.empty((0, 0)), _NO_CODES, np.empty((0, 3)), False)
    made = _kept(
        trees[0],
        *rows.arguments(),
        rows.prior,
        seeds,
        options.given(),
        before.sum,
        before.votes,
        before.errors,
    )
    return _Said(made["sum"], made["votes"], made["errors"], made["enough"])


def prior_of(rows: Growing) -> Floats:
    """The share of each class."""
    return rows.prior


def _is_enough(said: _Said) -> bool:
    return said.enough


def _judged(rows: Growing, said: _Said) -> OutOfBag:
    """The error out of bag; what is said of each row stays where it is."""
    error, voted, unvoted = np.ascontiguousarray(said.errors.T)
    made = {"votes": said.votes, "sum": said.sum, "error": error, "voted": voted, "unvoted_wrong": unvoted}
    return replace(bag_of(made, rows), votes=_NO_CODES, predictions=np.empty(0))
