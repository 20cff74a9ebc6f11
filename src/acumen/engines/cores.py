"""How many threads may be used."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar

import numpy as np

from acumen.engines.blas import blas_threads
from acumen.errors import ParameterError

#: What a learner was told, for the models it calls: a model knows no hyper-parameter.
_asked: ContextVar[int | None] = ContextVar("_asked", default=None)


@contextmanager
def limited_to(n_jobs: int | None) -> Iterator[None]:
    """Within this, `cores()` gives what `n_jobs` means, and BLAS uses no more; None holds nothing.

    numpy's own warnings of overflow and the like are not for users: what matters of them is said in sentences.
    """
    before = _asked.set(n_jobs)
    try:
        held = nullcontext() if n_jobs is None else blas_threads(cores(n_jobs))
        with np.errstate(all="ignore"), held:
            yield
    finally:
        _asked.reset(before)


@contextmanager
def on_one_core() -> Iterator[None]:
    """Within this, in one of several threads that share the cores, `cores()` is one."""
    before = _asked.set(1)
    try:
        yield
    finally:
        _asked.reset(before)


def cores(n_jobs: int | None = None) -> int:
    """How many threads `n_jobs` means.

    None means what `limited_to` says; without it every core this process may run on, or one inside a
    joblib worker, whose siblings have the others, or inside a Dask worker as many as it has threads. A negative
    number counts back from all cores, as in scikit-learn: -1 is all of them, -2 all but one.
    """
    if n_jobs is None:
        n_jobs = _asked.get()
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
