"""Values that stay with a worker of a Dask cluster, for learners whose tasks each need all rows, made small.

    gathered   what is made of each block, joined into one value by a task -> There
    There      such a value; tasks work on it, wherever they run, and what they give may stay there too

The value is the result of a task, so it can be made again; it goes to each worker that works on it once. Of the rows
themselves nothing travels: what is joined are codes of one or two bytes.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from acumen.engines.block_source import Placement, runs
from acumen.engines.dask_tasks import (
    BlockJob,
    WorkerItem,
    advance_states,
    call_on_one_core,
    encode_blocks,
    identity,
    map_items_of_run,
    sum_items,
    task_key,
)

if TYPE_CHECKING:
    from acumen.engines.dask_engine import Dask

#: What is held for further passes takes at most this share of the workers' memory.
HELD = 0.4


def gather_blocks(
    engine: Dask,
    make: Callable[..., Any],
    placement: Placement,
    join: Callable[[Sequence[Any]], Any],
    *,
    what: str,
) -> WorkerValue:
    """`join` of what `make` gives of each canonical block, in order; `what` says for sentences what it is."""
    job = BlockJob(make, placement.without_notes())
    name, n = engine._name(job), placement.n_blocks
    k = engine.run_length(n, placement)
    shared = engine._submit(identity, job, key=f"{name}-job")
    pieces = [
        engine._submit(encode_blocks, shared, first, last, key=f"{name}-block-{first}")
        for first, last in runs(n, k)
    ]
    future = engine._submit(_join_pieces, join, pieces, key=f"{name}-joined")
    blocks = engine._where(placement, k, n, raw=False)
    return WorkerValue(engine, future, name, lambda key: blocks(key) if "-block-" in key else what)


def _join_pieces(join: Callable[[Sequence[Any]], Any], pieces: Sequence[Sequence[Any]]) -> WorkerItem:
    return WorkerItem(call_on_one_core(join, [item for piece in pieces for item in piece]))


def _apply(alone: bool, function: Callable[..., Any], *arguments: Any) -> WorkerItem:
    """What a function gives, on one core or, of a task that is the only one, on all that the worker has."""
    plain = [each.it if isinstance(each, WorkerItem) else each for each in arguments]
    return WorkerItem(function(*plain) if alone else call_on_one_core(function, *plain))


class WorkerValue:
    """A value on a worker, or on its way to be."""

    def __init__(self, engine: Dask, future: Any, name: str, where: Callable[[str], str]) -> None:
        self._engine, self._future, self._name, self._where = engine, future, name, where
        self._numbers = itertools.count()

    def then(self, function: Callable[..., Any], *arguments: Any, alone: bool = False) -> WorkerValue:
        """What a function gives of this value and others, some of which may be There themselves; it stays there.

        A task that is `alone` may use all threads of its worker.
        """
        name = f"{self._name}-then-{next(self._numbers)}"
        others = [each._future if isinstance(each, WorkerValue) else each for each in arguments]
        future = self._engine._submit(_apply, alone, function, self._future, *others, key=name)
        return WorkerValue(self._engine, future, name, self._where)

    def fetch(self) -> Any:
        """The value itself; the cluster may forget it then."""
        return self._engine._await(self._future, self._where).it


@dataclass(frozen=True)
class _ChangedFirst:
    """A function of items that are changed first."""

    change: Callable[[Any], Any]
    function: Callable[..., Any]
    shared: bool  # whether the function is handed something else before the item

    def __call__(self, *arguments: Any) -> Any:
        if self.shared:
            return self.function(arguments[0], self.change(arguments[1]))
        return self.function(self.change(arguments[0]), *arguments[1:])


class PersistedOnWorkers:
    """What is made of blocks, on the workers; see `Dask.held`."""

    items = None  # they are not here

    def __init__(self, engine: Dask, job: BlockJob, size: int) -> None:
        self._engine, self._job = engine, job
        self._n = job.placement.n_blocks
        self._k = engine.run_length(self._n, job.placement)
        self._runs = runs(self._n, self._k)
        name = engine._name(job)
        self._shared = engine._share(job, name, "job")
        self._futures: list[Any] = [None] * len(self._runs)
        self._states: list[Any] = [None] * len(self._runs)
        self._change: Callable[[Any], Any] | None = None
        if 0 <= size <= HELD * engine.memory:
            self._futures = [
                engine._submit(
                    encode_blocks, self._shared, first, last, key=task_key(name, "held-block", first)
                )
                for first, last in self._runs
            ]

    @property
    def stays(self) -> bool:
        """Whether the workers keep the items, instead of computing them again in each pass."""
        return self._futures[0] is not None

    def map_items(self, change: Callable[[Any], Any]) -> PersistedOnWorkers:
        """Other items, made of these where they are, in each pass."""
        before, copied = self._change, copy.copy(self)
        copied._change = change if before is None else _ChangedFirst(before, change, False)
        return copied

    def move(self, function: Callable[[Any, Any, Any], Any], shared: Any) -> None:
        """Give every block a new state, `function(shared, item, its state)`; the first state is None.

        States stay with the workers, in addition to what is held; a lost one is made again from those before it.
        """
        engine = self._engine
        name = engine._name((function, shared))
        value = engine._share(shared, name, "shared")
        self._states = [
            engine._submit(
                advance_states, function, value, held, state, self._shared, first, last,
                key=task_key(name, "moved-block", first),
            )
            for held, state, (first, last) in zip(self._futures, self._states, self._runs, strict=True)
        ]  # fmt: skip

    def sum(self, function: Callable[[Any, Any], Any], shared: Any, *, at_once: bool = False) -> Any:
        """The sum of `function(shared, item)` over what was made of all blocks; `shared` goes to each worker once.

        With `at_once` the function is handed pairs of an item and its state, those of a run of blocks together, and
        gives their sum: where the order of additions changes nothing, one sum need not be made for each block.
        """
        engine = self._engine
        if self._change is not None:
            function = _ChangedFirst(self._change, function, True)
        name = engine._name((function, shared))
        value = engine._share(shared, name, "shared")
        futures = [
            engine._submit(
                sum_items, function, value, held, state, self._shared, first, last, at_once,
                key=task_key(name, "block", first),
            )
            for held, state, (first, last) in zip(self._futures, self._states, self._runs, strict=True)
        ]  # fmt: skip
        del value
        return engine._add_pieces(futures, name, self._job.placement, self._k, self._n).total

    def each(self, function: Callable[..., Any], *, numbered: bool = False) -> Iterator[Any]:
        """What a function gives of each block, in order; with `numbered` it is told the block's number too."""
        engine = self._engine
        if self._change is not None:
            function = _ChangedFirst(self._change, function, False)
        name = engine._name((function, numbered))
        value = engine._share(function, name, "shared")
        futures = [
            engine._submit(
                map_items_of_run, value, held, self._shared, first, last, numbered, key=task_key(name, "block", first)
            )
            for held, (first, last) in zip(self._futures, self._runs, strict=True)
        ]  # fmt: skip
        del value
        where = engine._where(self._job.placement, self._k, self._n, raw=False)
        futures.reverse()
        while futures:
            results, card = engine._await(futures.pop(), where)
            engine._compare(frozenset([card]))
            yield from results

    def __iter__(self) -> Iterator[Any]:
        """What was made of each block, fetched to here a run at a time: for the rare need of some."""
        engine = self._engine
        where = engine._where(self._job.placement, self._k, self._n, raw=False)
        name = engine._name(("fetched", self._job))
        for first, last in self._runs:
            key = task_key(name, "block", first)
            future = engine._submit(encode_blocks, self._shared, first, last, key=key)
            for item in engine._await(future, where):
                yield item if self._change is None else self._change(item)
