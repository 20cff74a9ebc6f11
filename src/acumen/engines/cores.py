"""How many threads may be used."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from threading import Lock
from typing import Any

import numpy as np

from acumen.errors import ParameterError

#: Modules that bring a BLAS of their own when they are imported.
_WITH_BLAS = ("numpy", "scipy.linalg", "torch")


class _BlasLimit:
    """Who asked for how many threads, and what each library had before."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._threads_asked: list[int] = []
        self._libraries: list[Any] = []
        self._before: list[int] = []
        self._known: frozenset[str] = frozenset()

    def begin(self, threads: int) -> None:
        with self._lock:
            if not self._threads_asked:
                self._find()
                self._before = [library.num_threads or 1 for library in self._libraries]
            self._threads_asked.append(threads)
            self._set(min(self._threads_asked))

    def end(self, threads: int) -> None:
        with self._lock:
            self._threads_asked.remove(threads)
            self._set(min(self._threads_asked) if self._threads_asked else None)

    def renew_lock(self) -> None:
        """Replace the lock in a forked process, because its holder may not exist there."""
        self._lock = Lock()

    def _find(self) -> None:
        # Looking through everything a process has loaded takes as long as a small fit: only when it has grown.
        loaded = frozenset(name for name in _WITH_BLAS if name in sys.modules)
        if loaded == self._known:
            return
        from threadpoolctl import ThreadpoolController

        libraries = ThreadpoolController().lib_controllers
        self._libraries = [library for library in libraries if library.user_api == "blas"]
        self._known = loaded

    def _set(self, threads: int | None) -> None:
        for library, before in zip(self._libraries, self._before, strict=True):
            wanted = before if threads is None else min(before, threads)
            if library.num_threads != wanted:
                library.set_num_threads(wanted)
                # From then on threadpoolctl would mind this thread alone, but the last to end may be another.
                getattr(library, "clear_controlling_thread", lambda: None)()


_blas_limit = _BlasLimit()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_blas_limit.renew_lock)


@contextmanager
def blas_threads(threads: int) -> Iterator[None]:
    """Within this BLAS uses at most so many threads, and never more than before."""
    _blas_limit.begin(threads)
    try:
        yield
    finally:
        _blas_limit.end(threads)


#: What a learner was told, for the models it calls: a model knows no hyper-parameter.
_threads_asked: ContextVar[int | None] = ContextVar("_asked", default=None)


@contextmanager
def limited_to(n_jobs: int | None) -> Iterator[None]:
    """Limit `cores()` and BLAS to `n_jobs` inside this block; None sets no limit.

    Also silences numpy's warnings of overflow and the like; acumen reports what matters in its own messages.
    """
    before = _threads_asked.set(n_jobs)
    try:
        held = nullcontext() if n_jobs is None else blas_threads(cores(n_jobs))
        with np.errstate(all="ignore"), held:
            yield
    finally:
        _threads_asked.reset(before)


@contextmanager
def on_one_core() -> Iterator[None]:
    """Within this, in one of several threads that share the cores, `cores()` is one."""
    before = _threads_asked.set(1)
    try:
        yield
    finally:
        _threads_asked.reset(before)


def cores(n_jobs: int | None = None) -> int:
    """The number of threads that `n_jobs` stands for.

    None means what `limited_to` says; without it every core this process may run on, or one inside a
    joblib worker, whose siblings have the others, or inside a Dask worker as many as it has threads. A negative
    number counts back from all cores, as in scikit-learn: -1 is all of them, -2 all but one.
    """
    if n_jobs is None:
        n_jobs = _threads_asked.get()
    if n_jobs is None:
        return 1 if _inside_joblib() else _inside_dask() or permitted_cores()
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, (int, np.integer)) or n_jobs == 0:
        raise ParameterError(
            f"n_jobs must be a whole number other than 0, or None for all cores; got {n_jobs!r}."
        )
    n_jobs = int(n_jobs)
    return n_jobs if n_jobs > 0 else max(1, permitted_cores() + 1 + n_jobs)


def permitted_cores() -> int:
    """The cores this process may run on, which may be fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _inside_joblib() -> bool:
    """Whether joblib is running this; it can be only if it is imported."""
    parallel = sys.modules.get("joblib.parallel")
    if parallel is None:
        return False
    backend, _ = parallel.get_active_backend()
    return bool(getattr(backend, "nesting_level", 0))


def _inside_dask() -> int:
    """The threads of the Dask worker that is running this; 0 where none is."""
    workers = sys.modules.get("distributed.worker")
    if workers is None:
        return 0
    try:
        return int(workers.get_worker().state.nthreads)
    except ValueError:  # no worker: a client has the module too
        return 0
