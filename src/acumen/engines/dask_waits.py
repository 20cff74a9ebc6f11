"""Waiting for a Dask cluster, never without end: what is lost is told in a sentence.

    awaited     a future -> its result
    answered    a question to the scheduler -> its answer
    workers_of  the workers there are, as the scheduler last heard of them

Every wait looks up once a second. A scheduler that is gone is told once it could not be reached again for 10 s, one
that is there but does not answer after `timeout` seconds, 10 at least; workers that are gone, or whose memory is
full, once none has come back for `timeout` seconds. A worker whose memory is full keeps the tasks it was given and
begins none of them, perhaps for ever: one of our own is begun anew, and others take over what it had. So is one of
our own that does not come back. A task whose worker died is run again elsewhere, three times; the fourth time its
rows are named. A worker that hangs without dying is given up by the scheduler (`distributed.scheduler.worker-ttl`, 5
minutes).
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import Any

from acumen.errors import AcumenError, EngineError

#: Seconds between two looks at what goes on.
CHECK_SECONDS = 1.0
#: Seconds for which a worker of our own may sit on its tasks with a full memory.
STUCK_SECONDS = 5.0
#: Seconds for which a cluster of our own may lack a worker; Dask takes 15 to know that one will not come back.
MISSING_SECONDS = 20.0
#: Seconds that a scheduler has to answer, at least.
LEAST_TIMEOUT = 10.0
#: States of tasks that a worker has but need nothing of it.
_AT_REST = frozenset({"memory", "released", "forgotten", "error", "cancelled"})


def wait_for(
    client: Any, future: Any, timeout: float, where: Callable[[Any], str], *, ours: Any = None
) -> Any:
    """Wait for the result of a future; `where` describes the work of a task, by its key.

    Workers of a local cluster (`ours`) are restarted if they would wait forever or did not come back.
    """
    alone_since: float | None = None
    whole_at = time.monotonic()
    still_since: dict[str, float] = {}
    while not future.done():
        try:
            future.exception(timeout=CHECK_SECONDS)
        except TimeoutError:
            pass
        except (CancelledError, asyncio.CancelledError):
            break
        if client.status not in ("running", "connecting"):
            raise _connection_lost()
        if future.done() or client.status == "connecting":
            continue
        workers = workers_of(client, timeout)
        now = time.monotonic()
        still_since = {name: still_since.get(name, now) for name, each in workers.items() if _is_stuck(each)}
        if ours is not None:
            _restart_workers(
                client, [name for name, since in still_since.items() if now - since > STUCK_SECONDS]
            )
            if len(workers) >= len(ours.worker_spec) or now - whole_at > MISSING_SECONDS:
                if len(workers) < len(ours.worker_spec):
                    _start_missing_workers(ours)
                whole_at = now
        if _makes_progress(workers):
            alone_since = None
            continue
        alone_since = now if alone_since is None else alone_since
        if now - alone_since > timeout:
            raise EngineError(
                f"engine dask: workers with tasks have held still for {timeout:g} s because their memory is full; give "
                "them more, 500 MB each at least."
                if workers
                else f"engine dask: there has been no worker for {timeout:g} s; start some, or see why they ended "
                "(their memory may be too small)."
            )
    return _result(future, timeout, where)


def _result(future: Any, timeout: float, where: Callable[[Any], str]) -> Any:
    from distributed import KilledWorker

    try:
        return future.result(timeout=max(timeout, 30.0))
    except AcumenError:
        raise
    except KilledWorker as error:
        key = getattr(error, "task", "")
        raise EngineError(
            f"engine dask: worker after worker died while it worked on {where(key)}; one task may need more memory "
            "than a worker has, or its rows make the reader fail. Give workers more memory, or look at these rows."
        ) from None
    except (CancelledError, asyncio.CancelledError):
        raise _connection_lost() from None
    except TimeoutError:
        raise EngineError(
            f"engine dask: a result was ready but did not arrive within {max(timeout, 30.0):g} s; the worker that has "
            "it may be cut off from here."
        ) from None
    except (ModuleNotFoundError, AttributeError) as error:
        raise EngineError(
            f"engine dask: a worker does not know what is to be done ({error}); install the same acumen, and what "
            "your own learners are made of, on every worker."
        ) from None
    except MemoryError:
        raise EngineError(
            f"engine dask: a worker had not enough memory for {where(future.key)}; give workers more memory."
        ) from None
    except OSError as error:
        raise EngineError(f"engine dask: the connection to the scheduler broke ({error}).") from None


def workers_of(client: Any, timeout: float) -> dict[str, Any]:
    """The workers there are, by address, as the scheduler last heard of them."""

    def ask() -> Any:
        try:
            return client.scheduler_info(n_workers=-1)  # else it tells of the first five alone
        except TypeError:  # older ones tell of all anyway
            return client.scheduler_info()

    workers: dict[str, Any] = ask_scheduler(ask, timeout)["workers"]
    return workers


def ask_scheduler(ask: Callable[[], Any], timeout: float) -> Any:
    """What a question to the scheduler gives. Those of Dask have no time-out of their own.

    A scheduler that was stopped, or is cut off without its connection being closed, would be waited for for ever.
    """
    came: list[Any] = []
    patience = max(timeout, LEAST_TIMEOUT)

    def ask_in_thread() -> None:
        try:
            came.append((ask(), None))
        except BaseException as error:
            came.append((None, error))

    asking = threading.Thread(target=ask_in_thread, name="acumen-asks-scheduler", daemon=True)
    asking.start()
    asking.join(patience)
    if not came:
        raise EngineError(
            f"engine dask: the scheduler has not answered for {patience:g} s; see that it runs, and is not cut off "
            "from here."
        )
    answer, error = came[0]
    if error is None:
        return answer
    if isinstance(error, (OSError, CancelledError, asyncio.CancelledError)):
        raise _connection_lost() from None
    raise error


def _makes_progress(workers: dict[str, Any]) -> bool:
    """Whether some worker works, or none keeps tasks to itself and one could take them."""
    if any(_counts(each).get("executing", 0) for each in workers.values()):
        return True
    able = [each for each in workers.values() if each.get("status", "running") != "paused"]
    return any(map(_has_tasks, able)) or bool(able and not any(map(_is_stuck, workers.values())))


def _is_stuck(worker: Any) -> bool:
    """Whether a worker has tasks and will not begin them before some of its memory is free, which may be never."""
    return (
        worker.get("status", "running") == "paused"
        and not _counts(worker).get("executing", 0)
        and _has_tasks(worker)
    )


def _has_tasks(worker: Any) -> bool:
    return any(n for state, n in _counts(worker).items() if state not in _AT_REST)


def _counts(worker: Any) -> Any:
    return worker.get("metrics", {}).get("task_counts", {})


def _restart_workers(client: Any, names: list[str]) -> None:
    if names:
        with suppress(Exception):  # it may have ended meanwhile; what comes of it is seen at the next look
            client.restart_workers(names, timeout=30, raise_for_error=False)


def _start_missing_workers(cluster: Any) -> None:
    """Begin workers that are not there: one that is killed while it starts is not begun anew by Dask."""
    with suppress(Exception):
        cluster.scale(len(cluster.worker_spec))


def _connection_lost() -> EngineError:
    return EngineError(
        "engine dask: the connection to the scheduler was lost, and with it what was under way; see that the "
        "scheduler runs, and start again."
    )
