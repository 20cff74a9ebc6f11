"""Streaming: the next block is read by a thread of its own while others are summarised.

Meant for sources larger than memory. At most `n_jobs + 1` blocks exist at a time: those being summarised,
and the one being read ahead. With one job, reading and summarising take turns.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from acumen.engines.serial import run_serially

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
