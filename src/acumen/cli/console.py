"""How every command talks: results on stdout, all else on stderr, colour only where it is wanted.

    exit codes   0 done · 1 a finding under --strict, or a failed check · 2 wrong usage · 3 bad data
                 4 bad model file · 70 a fault of acumen's own · 130 stopped by Ctrl-C · 141 pipe closed

Nothing heavy is imported here: `acumen --help` comes through this file.
"""

from __future__ import annotations

import errno
import io
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

if TYPE_CHECKING:
    from acumen.render.progress import Tell
    from acumen.render.text import Glyphs, Paint, Role


OK, FINDING, USAGE, BAD_DATA, BAD_MODEL, FAULT, STOPPED, PIPE_CLOSED = 0, 1, 2, 3, 4, 70, 130, 141


#: Seconds before a command shows that it is still at work.
PATIENCE = 2.0


#: The width of what is not a terminal.
PLAIN_WIDTH = 80


_COLOURS: dict[Role, str] = {"title": "1", "head": "1", "warning": "33", "faint": "2"}


def say(message: str) -> None:
    """A message for the person: one or more lines on stderr, safe to show; passwords in addresses are left out."""
    from acumen.data.databases.address import mask_passwords
    from acumen.data.escape import printable_lines

    print(printable_lines(mask_passwords(message)), file=sys.stderr)


def result(text: str) -> None:
    """What was asked for, on stdout; the text must be printable already."""
    sys.stdout.write(text if text.endswith("\n") else text + "\n")
    sys.stdout.flush()


def result_json(value: Any) -> None:
    """What was asked for, as JSON on stdout; ASCII alone, so that nothing in it acts on a terminal."""
    import json

    result(json.dumps(value, indent=2, allow_nan=False))


def is_terminal(stream: TextIO) -> bool:
    """Whether a person watches this stream."""
    try:
        return stream.isatty()
    except (AttributeError, ValueError):
        return False


def wants_colour(stream: TextIO) -> bool:
    """Colour goes to terminals only, and not against NO_COLOR (https://no-color.org)."""
    return is_terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def width(stream: TextIO | None = None) -> int:
    """The cells a line may take: the terminal's, else 80."""
    if not is_terminal(stream or sys.stdout):
        return PLAIN_WIDTH
    import shutil

    return max(40, shutil.get_terminal_size((PLAIN_WIDTH, 24)).columns)


def painter(stream: TextIO | None = None) -> Paint:
    """Colours for figures on this stream, or none."""
    from acumen.render.text import plain

    return _paint if wants_colour(stream or sys.stdout) else plain


def _paint(text: str, role: Role) -> str:
    code = _COLOURS.get(role)
    return f"\x1b[{code}m{text}\x1b[0m" if code and text else text


def glyphs(stream: TextIO | None = None) -> Glyphs:
    """Blocks where the stream can write them, else ASCII."""
    from acumen.render.text import ASCII, BLOCKS

    try:
        (BLOCKS.ramp + BLOCKS.ellipsis + BLOCKS.none).encode((stream or sys.stdout).encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return ASCII
    return BLOCKS


class Closed(io.TextIOBase):
    """Stands for a stdout that was closed (`>&-`): what is written to it would be lost, so it is refused."""

    encoding = "utf-8"

    def write(self, text: Any) -> int:
        raise OSError(
            errno.EBADF, "standard output is closed, so there is nowhere to write; send it to a file"
        )

    @property
    def buffer(self) -> Closed:
        return self


def mend_streams() -> None:
    """Stand-ins for streams that were closed; nothing that is opened later may get their numbers."""
    with suppress(OSError):
        for number in (0, 1, 2):
            try:
                os.fstat(number)
            except OSError:
                os.open(os.devnull, os.O_RDWR)  # the lowest number that is free: this one
    if sys.stdout is None:
        sys.stdout = Closed()
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    never_fail_to_encode()


def give_up_stdout() -> None:
    """What is left in stdout's buffer goes nowhere: it must not be flushed once more at exit."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def never_fail_to_encode() -> None:
    """Write what a stream's encoding lacks as an escape instead of failing on it."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


@contextmanager
def busy(message: str, after: float = PATIENCE) -> Iterator[None]:
    """Show on stderr, when it is a terminal, that work goes on; only once it has taken `after` seconds."""
    if not is_terminal(sys.stderr):
        yield
        return
    import threading

    done = threading.Event()

    def show() -> None:
        if done.wait(after):
            return
        from rich.console import Console
        from rich.text import Text

        from acumen.data.escape import printable

        # Text, not markup: brackets in a file's name are to be shown as they are.
        with Console(file=sys.stderr).status(Text(printable(message))):
            done.wait()

    watcher = threading.Thread(target=show, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


@contextmanager
def progress(learners: int, splits: int, after: float = PATIENCE) -> Iterator[Tell | None]:
    """A bar on stderr for work in learners times splits, when it is a terminal and takes longer than `after`."""
    if not is_terminal(sys.stderr):
        yield None
        return
    import time

    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn
    from rich.text import Text

    from acumen.data.escape import printable
    from acumen.render.progress import Tell

    class Name(TextColumn):
        """Names as they are: brackets in them are no markup."""

        def render(self, task: Any) -> Text:
            return Text(printable(str(task.description)))

    bar = Progress(BarColumn(), Name(""), console=Console(file=sys.stderr), transient=True)
    task = bar.add_task("", total=1.0)
    began = time.monotonic()

    def show(share: float, said: str) -> None:
        if time.monotonic() - began > after and not bar.live.is_started:
            bar.start()
        bar.update(task, completed=min(share, 1.0), description=said)

    try:
        yield Tell(show, learners * splits)
    finally:
        bar.stop()


_PRESSED: list[int] = []


def on_interrupt(number: int, _: object) -> NoReturn:
    """Python's own answer, which is remembered: a library that is being loaded may make another error of it."""
    _PRESSED.append(number)
    raise KeyboardInterrupt


def is_interrupted() -> bool:
    """Whether Ctrl-C has come."""
    return bool(_PRESSED)


@contextmanager
def delay_interrupts() -> Iterator[None]:
    """Ctrl-C within the block comes when it is done: what a person answered is written before anything stops."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals go to the main thread
        return
    pressed: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: pressed.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if pressed:
        raise KeyboardInterrupt
