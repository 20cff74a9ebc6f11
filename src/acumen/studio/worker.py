"""The process that works: answers questions in two threads while a job is under way in the main one.

Questions that look at every value of a table have a thread of their own: those for a page of rows need not wait.

What was read, compared and learned stays in memory (`Bench`), the last few of each, so that a question about it is
answered at once. A job is ended by an interrupt, as Ctrl-C ends a command: what it has finished is kept.
"""

from __future__ import annotations

import json
import math
import os
import queue
import re
import signal
import sys
import threading
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from typing import Any, Final

from acumen.errors import AcumenWarning
from acumen.messages import speak_of_flags
from acumen.studio.names import JOBS, LONG, QUESTIONS, load_answer
from acumen.studio.problems import NotMade

#: Where there is not even memory enough to word what went wrong.
SHORT: Final = "there is not enough memory for this. Leave out columns or rows, or close other programs."


def main(pipe: Connection, folder: str, scratch: str, memory: int | None) -> None:
    """Work until the server is gone."""
    _limit(memory)
    os.chdir(folder)
    Worker(pipe, scratch).run()


def _limit(memory: int | None) -> None:
    """No job may take all memory there is: that of other programs is not ours."""
    try:
        import resource
    except ImportError:  # not on this system
        return
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    most = int(0.9 * whole) if memory is None else memory
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    for limit in (soft, hard):
        most = min(most, limit) if limit != resource.RLIM_INFINITY else most
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))


class Worker:
    """Hears what is asked, and says what is found."""

    def __init__(self, pipe: Connection, scratch: str) -> None:
        # All that an answer needs, and the sentence where there is none: short of memory nothing more can be imported.
        import acumen.cli.main
        import acumen.studio.answers  # noqa: F401
        from acumen.studio.answers.memory import Bench

        self._pipe, self._sending = pipe, threading.Lock()
        self._bench = Bench(scratch)
        self._hidden = places_of(scratch)
        self._jobs: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._questions: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._long: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._at_work: int | None = None
        self._to_end: int | None = None
        self._saying = self._postponed = False

    def run(self) -> None:
        """The main thread: jobs, one after the other."""
        signal.signal(signal.SIGINT, self._on_interrupt)
        warnings.simplefilter("always", AcumenWarning)
        warnings.showwarning = self._note_warning
        for work, *arguments in ((self._hear,), (self._answer, self._questions), (self._answer, self._long)):
            threading.Thread(target=work, args=arguments, daemon=True).start()
        warm()
        while (message := self._jobs.get()) is not None:
            self._work(message)

    def _on_interrupt(self, *_: object) -> None:
        """Only a job that was told to end does; Ctrl-C in the terminal is the server's to answer."""
        if self._at_work is not None and self._at_work == self._to_end:
            self._to_end = None
            if self._saying:  # half a word would be none: the server could not hear what follows
                self._postponed = True
                return
            raise KeyboardInterrupt

    def _note_warning(self, message: Warning | str, *_: object, **__: object) -> None:
        """What is warned of in a job is told with what it makes; nobody looks at the terminal behind a page."""
        if threading.current_thread() is threading.main_thread():
            self._bench.heard.append(str(message))

    def _hear(self) -> None:
        while True:
            try:
                message = json.loads(self._pipe.recv_bytes())
            except (EOFError, OSError):
                os._exit(0)  # the server is gone, and whatever is under way has nobody to tell
            except MemoryError:
                os._exit(
                    1
                )  # half a message was read: the server hears of the end, and begins another process
            if "ask" in message:
                (self._long if message["name"] in LONG else self._questions).put(message)
            elif "job" in message:
                self._jobs.put(message)
            elif message.get("end") is not None and message["end"] == self._at_work:
                self._to_end = message["end"]
                os.kill(os.getpid(), signal.SIGINT)

    def _answer(self, questions: queue.SimpleQueue[dict[str, Any] | None]) -> None:
        answers = {name: load_answer(target) for name, target in QUESTIONS.items()}
        with speak_of_flags():
            while (message := questions.get()) is not None:
                answer = _run_safely(partial(answers[message["name"]], self._bench, message["asked"]))
                self._say({"answer": message["ask"], **answer})

    def _work(self, message: dict[str, Any]) -> None:
        number, job = message["job"], load_answer(JOBS[message["name"]])

        def tell(event: dict[str, Any]) -> None:
            self._saying = True
            try:
                self._say({"of": number, "event": event})
            finally:
                self._saying = False
            if self._postponed:
                self._postponed = False
                raise KeyboardInterrupt

        self._at_work = number
        try:
            tell({"begun": True})
            with speak_of_flags():
                outcome = _run_safely(lambda: job(self._bench, message["asked"], tell))
        except KeyboardInterrupt:
            outcome = {"stopped": "stopped; nothing was finished that could be kept."}
        finally:
            self._at_work = None
        if "error" in outcome:
            outcome = {"failed": outcome["error"]}
        elif "value" in outcome:
            outcome = {"result": outcome["value"]}
        self._say({"of": number, "event": outcome, "last": True})

    def _say(self, message: dict[str, Any]) -> None:
        try:
            text = self._encode(message)
        except MemoryError:
            short = {key: message[key] for key in ("answer", "of", "last") if key in message}
            text = self._encode(
                short | ({"error": SHORT} if "answer" in message else {"event": {"failed": SHORT}})
            )
        try:
            with self._sending:
                self._pipe.send_bytes(text)
        except OSError:
            os._exit(0)

    def _encode(self, message: dict[str, Any]) -> bytes:
        return self._hidden.sub("", json.dumps(plain(message), allow_nan=False)).encode()


def warm() -> None:
    """Import slow modules before they are needed; if that fails, the first user gets the reason."""
    with suppress(ImportError, MemoryError, OSError):
        import sklearn.base  # noqa: F401


def places_of(scratch: str) -> re.Pattern[str]:
    """Where files of ours really lie, as JSON writes it: sentences name them without."""
    root = re.escape(json.dumps(os.path.dirname(os.path.abspath(scratch)))[1:-1])  # noqa: PTH100, PTH120
    return re.compile(root + r"/(?:uploads/\d+/|work/(?:made/\d+/)?)")


def _run_safely(work: Callable[[], Any]) -> dict[str, Any]:
    """The value, or the sentence of what went wrong, as the command line would say it."""
    from acumen.cli.main import explain

    try:
        return {"value": work()}
    except Exception as error:
        if os.environ.get("ACUMEN_STUDIO_DEBUG"):
            import traceback

            traceback.print_exc(file=sys.__stderr__)
        # What must be made first, where that is all that is wrong.
        needs = {"needs": error.needs} if isinstance(error, NotMade) else {}
        try:
            return {"error": explain(error)[1], **needs}
        except MemoryError:
            return {"error": SHORT}


def plain(value: Any) -> Any:
    """A value as JSON has it: numbers that are not finite are None, numpy's are Python's."""
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, (str, bool, type(None), int)):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return str(value)
