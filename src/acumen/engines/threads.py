"""Several blocks at a time. The kernels release the GIL, so threads are enough.

Results come in the order of the tasks. Only so many tasks are under way that each thread has one waiting:
a long source is never held in memory. After Ctrl-C no further task is started, and those that run, of
one block each, are waited for.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from acumen.engines.serial import run_serially

T = TypeVar("T")


def run_in_threads(tasks: Iterator[Callable[[], T]], n_jobs: int) -> Iterator[T]:
    """The result of each task in order, `n_jobs` of them being worked on at a time."""
    if n_jobs == 1:
        return run_serially(tasks, 1)
    return _in_threads(tasks, n_jobs)


def _in_threads(tasks: Iterator[Callable[[], T]], n_jobs: int) -> Iterator[T]:
    pool = ThreadPoolExecutor(n_jobs, thread_name_prefix="acumen")
    try:
        under_way: deque[Future[T]] = deque()
        for task in tasks:
            under_way.append(pool.submit(task))
            if len(under_way) == 2 * n_jobs:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
