"""One block after another, in the calling thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

T = TypeVar("T")


def run_serially(tasks: Iterator[Callable[[], T]], n_jobs: int) -> Iterator[T]:
    """The result of each task in order; `n_jobs` is one here whatever was asked for."""
    del n_jobs
    return (task() for task in tasks)
