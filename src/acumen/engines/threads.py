"""Several blocks at a time. The kernels release the GIL, so threads are enough.

Results come in the order of the tasks. Only so many tasks are under way that each thread has one waiting:
a long source is never held in memory. After Ctrl-C no further task is started, and those that run, of
one block each, are waited for.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from threading import local
from typing import TypeVar

from acumen.engines.serial import run_serially

T = TypeVar("T")


def run_in_threads(tasks: Iterator[Callable[[], T]], n_jobs: int) -> Iterator[T]:
    """The result of each task in order, `n_jobs` of them being worked on at a time."""
    if n_jobs == 1:
        return run_serially(tasks, 1)
    return _in_threads(tasks, n_jobs)


def _in_threads(tasks: Iterator[Callable[[], T]], n_jobs: int) -> Iterator[T]:
    with kept_threads() as kept:
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


class _Kept:
    """Pools by their number of threads, and how many runs hold them."""

    def __init__(self) -> None:
        self.holders = 0
        self.pools: dict[int, ThreadPoolExecutor] = {}


class _Own(local):
    """Each thread's: a task that has tasks of its own never waits for the thread it keeps busy."""

    def __init__(self) -> None:
        self.kept = _Kept()


_own = _Own()


@contextmanager
def kept_threads() -> Iterator[_Kept]:
    """Runs inside share their threads, which end with the outermost block.

    Passes of an iteration come every few milliseconds, which is what starting threads takes.
    """
    kept = _own.kept  # a run that is left unfinished may be closed by another thread
    kept.holders += 1
    try:
        yield kept
    finally:
        kept.holders -= 1
        if not kept.holders:
            while kept.pools:
                kept.pools.popitem()[1].shutdown(wait=True, cancel_futures=True)
