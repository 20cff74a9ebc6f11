"""Joining a Dask scheduler, or starting one for ourselves; and leaving nothing behind.

    Joined    a client, and the cluster behind it if it is ours; `close` ends what we began

A cluster of our own listens on 127.0.0.1 alone and shows no dashboard. A scheduler that is joined is trusted: it can
run code as you, and you as it; TLS is what Dask's own configuration says (`tls://` addresses, `distributed.comm.tls`).
"""

from __future__ import annotations

import json
import logging
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from acumen.engines.cores import permitted_cores
from acumen.errors import EngineError, MissingExtra

#: Seconds within which a scheduler that is joined must answer, and be found again if the line breaks.
JOIN_SECONDS = 10.0
#: Workers of our own that may take less than this give back at once what they need no more, and are the slower for it.
SMALL_MEMORY = 1_000_000_000
#: Of the programs behind Dask only what ends them is said: what matters is said in sentences of ours.
_QUIET = "critical"


def import_distributed() -> Any:
    """The package distributed, or a sentence on how to get it."""
    try:
        import distributed
    except ImportError:
        raise MissingExtra(
            "the engine dask needs the package distributed: pip install 'acumen-learn[dask]'."
        ) from None
    return distributed


class SchedulerConnection:
    """A connection to a scheduler."""

    def __init__(
        self, client: Any, *, scheduler_file: str | None, workers: int | None, memory: Any, timeout: float
    ) -> None:
        distributed = import_distributed()
        self.cluster: Any = None
        self._ours = not isinstance(client, distributed.Client)
        self._log = logging.getLogger("distributed")
        self._level = self._log.level
        if not self._ours:
            self.client = client
            return
        self._log.setLevel(logging.CRITICAL)
        timeout = min(timeout, JOIN_SECONDS)
        try:
            if scheduler_file is not None:
                client = _address(scheduler_file, timeout)
            if client is None:
                with _without_interrupts():
                    self.cluster = _start_local(distributed, workers, memory)
            self.client = _connect(distributed, self.cluster if self.cluster is not None else client, timeout)
        except BaseException as error:
            self.close()
            if isinstance(error, EngineError) or not isinstance(error, Exception):
                raise
            place = client
            raise EngineError(
                f"engine dask: no scheduler answers at {place} within {timeout:g} s ({type(error).__name__}); see that "
                "it runs there and can be reached."
                if place is not None
                else f"engine dask: a local cluster cannot be started: {error}. A program that starts one must do so "
                "behind `if __name__ == '__main__':`."
            ) from None

    def close(self) -> None:
        """Leave the scheduler; end it and its workers if they are ours."""
        if not self._ours:
            return
        for each in (getattr(self, "client", None), self.cluster):
            if each is not None:
                with suppress(Exception):
                    each.close(timeout=10)
        self.cluster = None
        self._log.setLevel(self._level)


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Processes begun within this, or later by its threads, do not hear Ctrl-C: it is for us, and we end them.

    A terminal sends it to all of them, and each would say where it was. Masks of signals are inherited.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # else it is begun within, and hears again for all
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _connect(distributed: Any, place: Any, timeout: float) -> Any:
    """A client of a scheduler; one that cannot be had is put away, else it waits once more when it is forgotten."""
    client = distributed.Client.__new__(distributed.Client)
    try:
        client.__init__(place, timeout=timeout, set_as_default=False)
    except BaseException:
        with suppress(Exception):
            client.close(timeout=1)
        client.status = "closed"
        raise
    return client


def _address(path: str, timeout: float) -> str:
    """What a scheduler left in its file; one that is just being started is waited for."""
    until = time.monotonic() + timeout
    while True:
        reason = "there is no such file"
        with suppress(OSError, ValueError, KeyError, TypeError):
            text = Path(path).expanduser().read_text(encoding="utf-8")
            reason = "it holds no address of a scheduler"
            return str(json.loads(text)["address"])
        if time.monotonic() > until:
            raise EngineError(
                f"engine dask: {path} says nothing of a scheduler within {timeout:g} s: {reason}; start one "
                "that leaves its address there."
            )
        time.sleep(0.05)


def _allocation(memory: Any) -> dict[str, Any]:
    """How workers take memory from the system and give it back.

    By Dask's own wish whatever is freed is given back, so that each column of a block is mapped, touched and unmapped
    anew; that takes as long as the arithmetic. Where there is room for it, some is kept; where there is little, Arrow
    too gives back at once.
    """
    from dask.utils import parse_bytes

    named = "distributed.nanny.pre-spawn-environ"
    try:
        most = float("inf") if memory in (None, "auto", 0) else parse_bytes(memory)
    except ValueError:
        most = float("inf")  # Dask says what is wrong with it
    if 1 < most < SMALL_MEMORY:
        return {f"{named}.ARROW_DEFAULT_MEMORY_POOL": "system"}
    kept = 1 << 27
    return {f"{named}.MALLOC_TRIM_THRESHOLD_": kept, f"{named}.MALLOC_MMAP_THRESHOLD_": kept}


def _start_local(distributed: Any, workers: int | None, memory: Any) -> Any:
    import dask

    # A scheduler and its workers have a door for browsers whatever is said; behind ours there is nothing.
    closed: dict[str, Any] = {
        "distributed.scheduler.http.routes": [],
        "distributed.worker.http.routes": [],
    }
    with dask.config.set(closed | _allocation(memory)):
        return distributed.LocalCluster(
            n_workers=workers or permitted_cores(),
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            scheduler_kwargs={"dashboard": False},
            memory_limit="auto" if memory is None else memory,
            silence_logs=logging.CRITICAL,
            env={"DASK_LOGGING__DISTRIBUTED": _QUIET, "OMP_NUM_THREADS": "1"},
        )
