"""Independent pieces of work in threads.

over   what some work makes of each of several things, in order
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, TypeVar

from acumen.engines.cores import cores
from acumen.engines.threads import run_in_threads

B = TypeVar("B")
T = TypeVar("T")


def over(source: Iterable[B], work: Callable[[B], T]) -> Iterator[T]:
    """The results of a work on each, in order, whatever the number of threads."""
    if isinstance(source, list) and len(source) == 1:
        return map(work, source)  # no thread is started for one
    tasks: Any = (partial(work, each) for each in source)
    return run_in_threads(iter(tasks), cores(None))
