"""Threads of BLAS held to what a learner may use.

Small products spin on every core that BLAS may have, for longer than they take on one; and a learner told to use one
core should use one. The number of threads belongs to the whole process, so that calls at the same time share it: the
smallest number asked for holds until the last of them ends, and then what was there before.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

#: Modules that bring a BLAS of their own when they are imported.
_WITH_BLAS = ("numpy", "scipy.linalg", "torch")


class _Held:
    """Who asked for how many threads, and what each library had before."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._asked: list[int] = []
        self._libraries: list[Any] = []
        self._before: list[int] = []
        self._known: frozenset[str] = frozenset()

    def begin(self, threads: int) -> None:
        with self._lock:
            if not self._asked:
                self._find()
                self._before = [library.num_threads or 1 for library in self._libraries]
            self._asked.append(threads)
            self._set(min(self._asked))

    def end(self, threads: int) -> None:
        with self._lock:
            self._asked.remove(threads)
            self._set(min(self._asked) if self._asked else None)

    def renew_lock(self) -> None:
        """In a forked process, where whoever held the lock is no more."""
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


_held = _Held()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_held.renew_lock)


@contextmanager
def blas_threads(threads: int) -> Iterator[None]:
    """Within this BLAS uses at most so many threads, and never more than before."""
    _held.begin(threads)
    try:
        yield
    finally:
        _held.end(threads)
