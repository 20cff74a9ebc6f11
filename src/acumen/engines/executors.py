"""Several blocks at a time. The kernels release the GIL, so threads are enough.

Results come in the order of the tasks. Only so many tasks are under way that each thread has one waiting:
a long source is never held in memory. After Ctrl-C no further task is started, and those that run, of
one block each, are waited for.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import partial
from threading import local
from typing import Any, TypeVar

from acumen.engines.cores import cores

T = TypeVar("T")


def run_from_disk(tasks: Iterator[Callable[[], T]], n_jobs: int) -> Iterator[T]:
    """The result of each task in order; making a task reads its block, while others run."""
    if n_jobs == 1:
        return run_serially(tasks, 1)
    return _read_ahead(tasks, n_jobs)


def _read_ahead(tasks: Iterator[Callable[[], T]], n_jobs: int) -> Iterator[T]:
    reader = ThreadPoolExecutor(1, thread_name_prefix="acumen-reader")
    pool = ThreadPoolExecutor(max(1, n_jobs - 1), thread_name_prefix="acumen")
    try:
        under_way: deque[Future[T]] = deque()
        coming: Future[Callable[[], T] | None] = reader.submit(next, tasks, None)
        while (task := coming.result()) is not None:
            if len(under_way) == n_jobs:
                yield under_way.popleft().result()
            coming = reader.submit(next, tasks, None)
            under_way.append(pool.submit(task))
            del task  # the block is freed as soon as it is summarised
        while under_way:
            yield under_way.popleft().result()
    finally:
        for executor in (reader, pool):
            executor.shutdown(wait=True, cancel_futures=True)


def run_serially(tasks: Iterator[Callable[[], T]], n_jobs: int) -> Iterator[T]:
    """The result of each task in order; `n_jobs` is one here whatever was asked for."""
    del n_jobs
    return (task() for task in tasks)


def run_in_threads(tasks: Iterator[Callable[[], T]], n_jobs: int) -> Iterator[T]:
    """The result of each task in order, `n_jobs` of them being worked on at a time."""
    if n_jobs == 1:
        return run_serially(tasks, 1)
    return _in_threads(tasks, n_jobs)


def _in_threads(tasks: Iterator[Callable[[], T]], n_jobs: int) -> Iterator[T]:
    with share_threads() as kept:
        if n_jobs not in kept.pools:
            kept.pools[n_jobs] = ThreadPoolExecutor(n_jobs, thread_name_prefix="acumen")
        pool = kept.pools[n_jobs]
        under_way: deque[Future[T]] = deque()
        try:
            for task in tasks:
                under_way.append(pool.submit(task))
                if len(under_way) == 2 * n_jobs:
                    yield under_way.popleft().result()
            while under_way:
                yield under_way.popleft().result()
        finally:
            for future in under_way:
                future.cancel()
            wait(under_way)


class _ThreadPools:
    """Pools by their number of threads, and how many runs hold them."""

    def __init__(self) -> None:
        self.holders = 0
        self.pools: dict[int, ThreadPoolExecutor] = {}


class _PerThread(local):
    """Each thread's: a task that has tasks of its own never waits for the thread it keeps busy."""

    def __init__(self) -> None:
        self.kept = _ThreadPools()


_per_thread = _PerThread()


@contextmanager
def share_threads() -> Iterator[_ThreadPools]:
    """Runs inside share their threads, which end with the outermost block.

    Passes of an iteration come every few milliseconds, which is what starting threads takes.
    """
    kept = _per_thread.kept  # a run that is left unfinished may be closed by another thread
    kept.holders += 1
    try:
        yield kept
    finally:
        kept.holders -= 1
        if not kept.holders:
            while kept.pools:
                kept.pools.popitem()[1].shutdown(wait=True, cancel_futures=True)


B = TypeVar("B")


def map_in_threads(source: Iterable[B], work: Callable[[B], T]) -> Iterator[T]:
    """The results of a work on each, in order, whatever the number of threads."""
    if isinstance(source, list) and len(source) == 1:
        return map(work, source)  # no thread is started for one
    tasks: Any = (partial(work, each) for each in source)
    return run_in_threads(iter(tasks), cores(None))
