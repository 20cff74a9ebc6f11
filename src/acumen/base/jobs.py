"""How many threads to use."""

from __future__ import annotations

import os


def jobs(n_jobs: int | None = None) -> int:
    """All permitted cores for None (one inside a joblib worker); negative counts from the end, as in joblib."""
    permitted = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if n_jobs is None:
        return 1 if "JOBLIB_SPAWNED_PROCESS" in os.environ or "LOKY_WORKER" in os.environ else permitted
    return max(1, permitted + 1 + n_jobs) if n_jobs < 0 else max(1, n_jobs)
