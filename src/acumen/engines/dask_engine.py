"""The engine for a cluster of machines: Dask runs our tasks, and nothing of ours opens a socket.

    Dask            joins a scheduler, or starts one on this machine
      .summed         a function of blocks, where the blocks are -> its sum, to the byte that of one machine
      .mapped         any function of several arguments each, one task an argument

A task is an aligned run of 2^k canonical blocks, read by the task where it runs. Sums are added by tasks in the order
of `add_up`, so which worker did what, how many there are and which of them die changes nothing.
"""

from __future__ import annotations

import hashlib
import itertools
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import TracebackType
from typing import Any, Self

from acumen.engines.block_source import Placement, runs
from acumen.engines.blocks import BLOCK_ROWS
from acumen.engines.cost import ClusterSpeed, PassWork, cost
from acumen.engines.dask_cluster import SchedulerConnection, import_distributed
from acumen.engines.dask_tasks import (
    BlockJob,
    PartialSum,
    PickledValue,
    WorkerBuild,
    add_pieces,
    call_on_one_core,
    identity,
    sum_canonical_blocks,
    sum_raw_blocks,
    task_key,
)
from acumen.engines.dask_waits import wait_for, workers_of
from acumen.engines.worker_state import PersistedOnWorkers
from acumen.errors import AcumenWarning, EngineError, ParameterError

#: So many pieces are added by one task, in their order: a power of two.
TOGETHER = 8
#: Runs for each thread of the workers, if there are blocks enough: so that none waits long for the last.
SHARE = 4
#: A run has at most 2^MOST blocks for the sake of row groups that are larger.
MOST = 10
#: Bytes of a value that go along with each task that needs it.
ALONG = 1 << 16
#: How often a task is run again whose worker died, or that failed by itself.
RETRIES = 3


class Dask:
    """Run summaries, folds and predictions on a Dask cluster; results do not depend on it.

    Parameters
    ----------
    client : None, str or distributed.Client
        The address of a scheduler ("tcp://host:8786", "tls://host:8786"), or a connected client. By default a cluster
        is started on this machine, on 127.0.0.1 only and without a dashboard. A scheduler can run code as you, and you
        as it, so only join schedulers that you trust.
    workers : int, optional
        Number of processes of a local cluster, one thread each. [default: the number of cores]
    scheduler_file : str, optional
        The file in which a scheduler wrote its address, instead of the address.
    memory : str or int, optional
        The most memory that a worker of a local cluster may use ("1GB").
    runs : int, optional
        Each task has 2^runs blocks of 65,536 rows. The results do not depend on it. [default: chosen from the number of
        blocks and workers]
    timeout : float
        Seconds after which acumen gives up on a cluster without workers, or without free memory. A scheduler must
        answer within 10 seconds.

    Examples
    --------
    >>> import acumen
    >>> engine = acumen.engines.Dask(workers=2)          # doctest: +SKIP
    >>> with acumen.engine(engine):                      # doctest: +SKIP
    ...     model = acumen.NaiveBayes().fit_stream(acumen.scan("data/*.parquet", target="y"))
    >>> engine.close()                                   # doctest: +SKIP
    """

    def __init__(
        self,
        client: Any = None,
        *,
        workers: int | None = None,
        scheduler_file: str | None = None,
        memory: str | int | None = None,
        runs: int | None = None,
        timeout: float = 60.0,
    ) -> None:
        if workers is not None and (isinstance(workers, bool) or not isinstance(workers, int) or workers < 1):
            raise ParameterError(f"Dask: workers must be a whole number of at least 1; got {workers!r}.")
        if client is not None and scheduler_file is not None:
            raise ParameterError("Dask: give the address of a scheduler or its file, not both.")
        if workers is not None and (client is not None or scheduler_file is not None):
            raise ParameterError(
                "Dask: workers applies to a local cluster; a scheduler that you join has its own workers."
            )
        if runs is not None and (isinstance(runs, bool) or not isinstance(runs, int) or not 0 <= runs <= 20):
            raise ParameterError(f"Dask: runs must be a whole number from 0 to 20; got {runs!r}.")
        if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or not timeout > 0:
            raise ParameterError(f"Dask: timeout must be a number of seconds above 0; got {timeout!r}.")
        import_distributed()
        self._given = (client, scheduler_file, workers, memory)
        self._runs, self.timeout = runs, float(timeout)
        self._connection: SchedulerConnection | None = None
        self._serial = itertools.count()

    # -- the cluster ------------------------------------------------------------------------------

    @property
    def client(self) -> Any:
        """The client of distributed; it is connected, or a cluster started, when it is first asked for."""
        if self._connection is None:
            client, file, workers, memory = self._given
            self._connection = SchedulerConnection(
                client, scheduler_file=file, workers=workers, memory=memory, timeout=self.timeout
            )
        return self._connection.client

    @property
    def threads(self) -> int:
        """How many tasks the workers can do at a time."""
        return max(1, sum(self._threads()))

    def close(self) -> None:
        """Leave the scheduler; a cluster of our own is ended, and none of its processes stays."""
        joined, self._connection = self._connection, None
        if joined is not None:
            joined.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    # -- sums over blocks -------------------------------------------------------------------------

    def sum_blocks(
        self, function: Callable[..., Any], placement: Placement, *, numbered: bool = False
    ) -> Any:
        """The sum of a function over all canonical blocks; `placed` learns what remains of them on the way."""
        if placement.kept is None:
            piece: PartialSum = self._reduce(
                BlockJob(function, placement.without_notes(), numbered),
                sum_raw_blocks,
                placement.n_raw,
                raw=True,
            )
            assert piece.kept is not None
            placement.settle(piece.kept, piece.note)
            if piece.total is not None:
                return piece.total
        if not placement.n_blocks:
            nothing = placement.no_rows()
            return function(nothing, 0) if numbered else function(nothing)
        job = BlockJob(function, placement.without_notes(), numbered)
        return self._reduce(job, sum_canonical_blocks, placement.n_blocks, raw=False).total

    def persist_blocks(
        self, make: Callable[..., Any], placement: Placement, *, size: int, numbered: bool = False
    ) -> PersistedOnWorkers:
        """Keep the result of `make` for each canonical block, to be summed repeatedly.

        The workers keep it if its `size` in bytes is known (not below 0) and a small part of their memory; otherwise
        each pass computes it again. Either way it can be recomputed if a worker dies.
        """
        if placement.kept is None:
            raise ValueError("held: the rows must have been gone through once")
        return PersistedOnWorkers(self, BlockJob(make, placement.without_notes(), numbered), size)

    @property
    def memory(self) -> int:
        """Bytes of memory that all workers together may use; 0 if there is no limit."""
        return sum(self._limits())

    @property
    def least_memory(self) -> int:
        """The smallest memory limit of a worker in bytes; 0 if there is none."""
        return min(self._limits(), default=0)

    def _limits(self) -> list[int]:
        """The memory limit of each worker in bytes; 0 if there is none."""
        return [int(worker.get("memory_limit") or 0) for worker in self._workers().values()]

    def _threads(self) -> list[int]:
        """How many tasks each worker does at a time."""
        return [int(worker.get("nthreads") or 1) for worker in self._workers().values()]

    def _workers(self) -> dict[str, Any]:
        return workers_of(self.client, self.timeout)

    @property
    def threads_of_one(self) -> int:
        """How many tasks one worker does at a time, at most."""
        return max([1, *self._threads()])

    def _reduce(
        self, job: BlockJob, task: Callable[..., PartialSum], n_blocks: int, *, raw: bool
    ) -> PartialSum:
        name = self._name(job)
        k = self.run_length(n_blocks, job.placement)
        shared = self._share(job, name, "job")
        futures = [
            self._submit(task, shared, first, last, key=task_key(name, "block", first))
            for first, last in runs(n_blocks, k)
        ]
        del shared
        return self._add_pieces(futures, name, job.placement, k, n_blocks, raw=raw)

    def _add_pieces(
        self, futures: list[Any], name: str, placement: Placement, k: int, n_blocks: int, *, raw: bool = False
    ) -> PartialSum:
        """The sum of pieces, in the order of `add_up`."""
        level = 0
        while len(futures) > 1:
            groups = [futures[i : i + TOGETHER] for i in range(0, len(futures), TOGETHER)]
            futures = [
                group[0]
                if len(group) == 1
                else self._submit(add_pieces, group, key=task_key(name, "add", level, i))
                for i, group in enumerate(groups)
            ]
            level += 1

        total: PartialSum = self._await(futures[0], self._where(placement, k, n_blocks, raw=raw))
        self._compare(total.builds)
        return total

    def _where(self, placement: Placement, k: int, n_blocks: int, *, raw: bool) -> Callable[[Any], str]:
        """What a task works on, by its key, in words."""

        def where(key: Any) -> str:
            if isinstance(key, tuple):
                role, first = str(key[0]), str(key[1])
            else:
                role, _, first = str(key).rpartition("-")
            if "-block" not in role or not first.isdigit():
                return "adding up"
            begin = int(first)
            return placement.where(begin, min(begin + (1 << k), n_blocks), raw=raw)

        return where

    def _await(self, future: Any, where: Callable[[Any], str]) -> Any:
        """The result of a future, which the cluster may forget then; on Ctrl-C and errors too."""
        try:
            client = self.client
            ours = None if self._connection is None else self._connection.cluster
            return wait_for(client, future, self.timeout, where, ours=ours)
        finally:
            future.release()

    def run_length(self, n_blocks: int, placement: Placement) -> int:
        """k of runs of 2^k blocks: what the formula of `cost` finds soonest done, no smaller than a stretch."""
        if self._runs is not None:
            return self._runs
        threads = self.threads
        work, workers = PassWork(max(n_blocks, 1) * BLOCK_ROWS), ClusterSpeed(threads)
        best = cost(work, workers)
        k = best.level
        # The formula takes workers to be equally fast; where that costs next to nothing each has some runs.
        if SHARE * threads * workers.scheduler < 0.05 * best.seconds:
            while k and n_blocks >> k < SHARE * threads:
                k -= 1
        sizes = placement.located.sizes
        longest = max(sizes, default=0)
        while k < MOST and (1 << k) * BLOCK_ROWS < longest and n_blocks >> (k + 1) >= threads:
            k += 1  # a row group is read from its start, so tasks that share one read it twice
        return k

    def _submit(self, task: Callable[..., Any], *arguments: Any, key: Any) -> Any:
        """A task under way; one whose worker dies, or that fails by itself, is run again."""
        return self.client.submit(task, *arguments, key=key, retries=RETRIES, pure=False)

    def _name(self, job: Any) -> str:
        """The beginning of a job's keys: what it is, and which of this engine's it is."""
        from distributed import protocol

        try:
            pickled: bytes = protocol.pickle.dumps(job)  # type: ignore[no-untyped-call]
        except Exception as error:  # whatever it is that does not pickle
            raise EngineError(
                f"engine dask: what tasks need cannot be sent to workers ({type(error).__name__}: {error}); a "
                "filesystem that is handed over, and functions of your own, must pickle."
            ) from None
        print_ = hashlib.sha256(pickled).hexdigest()[:12]
        return f"acumen-{print_}-{id(self):x}-{next(self._serial)}"

    def _share(self, value: Any, name: str, role: str) -> Any:
        """A value that every task of a job needs: its bytes where they are few, else a task makes it once.

        Tasks that need what another task made are put where that is, and the other workers stand idle until they have
        stolen some; tasks that need nothing are shared out at once.
        """
        from distributed import protocol

        pickled: bytes = protocol.pickle.dumps(value)  # type: ignore[no-untyped-call]
        if len(pickled) <= ALONG:
            return PickledValue(pickled)
        return self.client.submit(identity, value, key=task_key(name, role), retries=RETRIES)

    def _compare(self, builds: frozenset[WorkerBuild]) -> None:
        """Warn where workers are not what we are: sums then agree to 1e-12, and not to the byte."""
        here = WorkerBuild.here()
        for what in ("version", "build", "processor"):
            if any(getattr(card, what) != getattr(here, what) for card in builds):
                word = {
                    "version": "another version of acumen",
                    "build": "kernels of another build",
                    "processor": "another kind of processor, or another numpy",
                }
                warnings.warn(
                    f"engine dask: some workers have {word[what]}; the model agrees with one made here to 1e-12, and "
                    "not to the byte.",
                    AcumenWarning,
                    stacklevel=4,
                )

    # -- tasks of other kinds ---------------------------------------------------------------------

    def map_calls(
        self,
        function: Callable[..., Any],
        arguments: Iterable[Sequence[Any]],
        *,
        shared: Sequence[Any] = (),
        what: str | Callable[[int], str],
    ) -> Iterator[Any]:
        """What `function(*shared, *each)` gives for each of the arguments, in order; each call is a task.

        `shared` goes to every worker once. `what` says for sentences what a task works on, by its number.
        """
        client, ahead = self.client, 2 * self.threads + 2
        name = self._name((function, what if isinstance(what, str) else ""))

        def where(key: Any) -> str:
            if isinstance(what, str):
                return what
            return what(key[-1]) if isinstance(key, tuple) else "a task"

        with warnings.catch_warnings():  # a table is large, and goes to the scheduler once
            warnings.filterwarnings("ignore", message="Sending large graph", category=UserWarning)
            values = [
                client.submit(identity, value, key=task_key(name, "shared", i), retries=RETRIES)
                for i, value in enumerate(shared)
            ]
        futures: deque[Any] = deque()
        try:
            for i, each in enumerate(arguments):
                key = task_key(name, "task", i)
                futures.append(self._submit(call_on_one_core, function, *values, *each, key=key))
                if len(futures) > ahead:
                    yield self._await(futures.popleft(), where)
            while futures:
                yield self._await(futures.popleft(), where)
        finally:
            for future in (*futures, *values):
                future.release()
