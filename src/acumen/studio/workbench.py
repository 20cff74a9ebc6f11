"""The worker as the server sees it: questions are answered at once, jobs one after the other.

    Workbench   ask a question; put a job into the queue, follow it, end it
    Job         its events, as they come, for whoever follows

A job that is to end is told so, and keeps what it has finished; where it does not answer within a second its process is
ended, and another begun. Processes speak in JSON, so that nothing a worker was made to say is more than a value here.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import multiprocessing
import signal
import threading
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

from acumen.errors import DataError
from acumen.studio.problems import NotMade, WorkerLost

#: Seconds in which a job may end by itself.
GRACE: Final = 0.8
#: Jobs that wait.
MOST_WAITING: Final = 20
#: Finished jobs whose events are kept, and the bytes of all of them: what was made is for the page, not for us.
MOST_KEPT: Final = 50
MOST_BYTES: Final = 128 << 20
#: Seconds between signs of life in a stream without events.
BEAT: Final = 10.0


@dataclass(eq=False)
class WorkerJob:
    """Work in the queue."""

    number: int
    name: str
    asked: dict[str, Any]
    events: list[dict[str, Any]] = field(default_factory=list)
    done: bool = False
    told_to_end: bool = False
    #: Bytes of its events.
    bytes: int = 0
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    def tell(self, event: dict[str, Any], *, last: bool = False) -> None:
        """Something happened to it."""
        self.events.append(event)
        self.done = self.done or last
        self._news.set()
        self._news = asyncio.Event()

    async def follow(self, after: int = 0) -> AsyncIterator[tuple[int, dict[str, Any]]]:
        """Events from one on, as they come, each with its number; None stands for nothing new."""
        at = max(after, 0)
        while True:
            news = self._news
            while at < len(self.events):
                yield at, self.events[at]
                at += 1
            if self.done:
                return
            try:
                await asyncio.wait_for(news.wait(), BEAT)
            except TimeoutError:
                yield at - 1, {"beat": True}


class Workbench:
    """One worker process, begun when it is first needed and again when it was lost.

    Parameters
    ----------
    folder : Path
        Where the worker stands: names of files are relative to it.
    scratch : Path
        Where it may write.
    memory : int or None
        Bytes that it may take; None: nine tenths of what is there.
    """

    def __init__(self, folder: Path, scratch: Path, memory: int | None = None) -> None:
        self._folder, self._scratch, self._memory = folder, scratch, memory
        self._process: Any = None
        self._pipe: Connection | None = None
        self._sending = threading.Lock()
        self._numbers = itertools.count(1)
        self._asked: dict[int, asyncio.Future[Any]] = {}
        self._jobs: dict[int, WorkerJob] = {}
        self._waiting: deque[WorkerJob] = deque()
        self._running: WorkerJob | None = None
        self._closed = False

    # -- questions --------------------------------------------------------------------------------

    async def ask(self, name: str, asked: dict[str, Any]) -> Any:
        """The answer to a question; DataError with its sentence where there is none."""
        number = next(self._numbers)
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._asked[number] = future
        try:
            self._send({"ask": number, "name": name, "asked": asked})
            return await future
        finally:
            self._asked.pop(number, None)

    # -- jobs -------------------------------------------------------------------------------------

    def begin(self, name: str, asked: dict[str, Any]) -> WorkerJob:
        """Put a job into the queue."""
        if len(self._waiting) >= MOST_WAITING:
            raise DataError(f"{MOST_WAITING} jobs wait already; stop some of them.")
        job = WorkerJob(next(self._numbers), name, asked)
        self._jobs[job.number] = job
        self._forget()
        self._waiting.append(job)
        job.tell({"waiting": len(self._waiting) - 1 + (self._running is not None)})
        self._next()
        return job

    def _forget(self) -> None:
        """Put away the oldest of the finished jobs, but for the last."""
        done = [job for job in self._jobs.values() if job.done][:-1]
        while done and (len(done) >= MOST_KEPT or sum(job.bytes for job in self._jobs.values()) > MOST_BYTES):
            del self._jobs[done.pop(0).number]

    def job(self, number: int) -> WorkerJob:
        """A job of that number."""
        if number not in self._jobs:
            raise DataError("there is no such job; it may have been of a studio that has ended since.")
        return self._jobs[number]

    def end(self, job: WorkerJob) -> None:
        """Have a job end, within a second, with what it has finished."""
        if job.done or job.told_to_end:
            return
        job.told_to_end = True
        if job is not self._running:
            self._waiting.remove(job)
            job.tell({"stopped": "stopped before it began."}, last=True)
            return
        self._send({"end": job.number})
        asyncio.get_running_loop().call_later(GRACE, self._end_by_force, job)

    def _end_by_force(self, job: WorkerJob) -> None:
        if not job.done and job is self._running and self._process is not None:
            self._process.kill()

    def _next(self) -> None:
        if self._running is None and self._waiting:
            self._running = job = self._waiting.popleft()
            try:
                self._send({"job": job.number, "name": job.name, "asked": job.asked})
            except DataError as error:
                self._running = None
                job.tell({"failed": str(error)}, last=True)

    # -- the process ------------------------------------------------------------------------------

    def warm(self) -> None:
        """Begin the worker before anybody needs it: its imports take a second."""
        if self._process is None and not self._closed:
            self._start()

    @property
    def pid(self) -> int | None:
        """The number of the worker's process, if there is one."""
        return None if self._process is None else self._process.pid

    def _start(self) -> None:
        from acumen.studio.worker import main

        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(
            target=main, args=(theirs, str(self._folder), str(self._scratch), self._memory), daemon=True
        )
        with _ignore_interrupts():
            process.start()
        theirs.close()
        self._process, self._pipe = process, ours
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._listen, args=(process, ours, loop), daemon=True).start()

    def _send(self, message: dict[str, Any]) -> None:
        if self._closed:
            raise DataError("the studio is closing.")
        if self._process is None:
            self._start()
        assert self._pipe is not None
        try:
            with self._sending:
                self._pipe.send_bytes(json.dumps(message).encode())
        except OSError:
            raise WorkerLost("the process that works has just ended; ask again.") from None

    def _listen(self, process: Any, pipe: Connection, loop: asyncio.AbstractEventLoop) -> None:
        """In a thread of its own: hand over what the worker says, until it ends."""
        while True:
            try:
                message_bytes = pipe.recv_bytes()
                message = json.loads(message_bytes)
            except (EOFError, OSError, ValueError):
                break
            try:
                loop.call_soon_threadsafe(self._receive, process, message, len(message_bytes))
            except RuntimeError:  # the loop has ended
                return
        process.join()
        pipe.close()
        try:
            loop.call_soon_threadsafe(self._drop_worker, process)
        except RuntimeError:
            return

    def _receive(self, process: Any, message: dict[str, Any], size: int) -> None:
        if process is not self._process:
            return
        if "answer" in message:
            future = self._asked.get(message["answer"])
            if future is not None and not future.done():
                if "needs" in message:
                    future.set_exception(NotMade(message["error"], str(message["needs"])))
                elif "error" in message:
                    future.set_exception(DataError(message["error"]))
                else:
                    future.set_result(message["value"])
            return
        job = self._running
        if job is None or message.get("of") != job.number:
            return
        last = bool(message.get("last"))
        job.bytes += size
        job.tell(message["event"], last=last)
        if last:
            self._running = None
            self._next()

    def _drop_worker(self, process: Any) -> None:
        if process is not self._process:
            return
        self._process = self._pipe = None
        for future in self._asked.values():
            if not future.done():
                future.set_exception(WorkerLost("the process that works was ended; ask again."))
        job, self._running = self._running, None
        if job is not None:
            if job.told_to_end:
                job.tell({"stopped": "stopped; nothing was finished that could be kept."}, last=True)
            else:
                job.tell({"failed": _of_death(process.exitcode)}, last=True)
        if not self._closed:
            self._next()

    async def close(self) -> None:
        """End the worker and all that waits."""
        self._closed = True
        for job in (*self._waiting, *([self._running] if self._running else [])):
            job.tell({"stopped": "the studio was closed."}, last=True)
        self._waiting.clear()
        self._running = None
        if self._process is not None:
            self._process.kill()
            await asyncio.get_running_loop().run_in_executor(None, self._process.join, 5)


@contextmanager
def _ignore_interrupts() -> Iterator[None]:
    """A process that is begun here is born deaf to Ctrl-C, which is the server's to answer."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _of_death(code: int | None) -> str:
    if code == -9:
        return "the process that worked was ended from outside, which is what a system short of memory does."
    return f"the process that worked ended unexpectedly (code {code}). Try again, with fewer rows or columns."
