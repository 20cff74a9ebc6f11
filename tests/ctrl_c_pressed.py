"""Ctrl-C for tests: pressed in this process, or heard by one that is started, whatever the machine does besides.

A key that is pressed once can be lost: Python may be in a place that cannot raise, such as a destructor. So it is
pressed again, as a person does; and the answer to it is Python's own, which processes in the background are told to
ignore.
"""

from __future__ import annotations

import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager

#: Seconds between two presses. Far longer than any work takes to end after the first.
AGAIN = 15.0
#: Seconds after which something hangs. No correct program needs them, however busy the machine.
LIMIT = 400.0


def hears_ctrl_c() -> None:
    """In a process that is being started: it has the answer that one in the foreground has."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def pressed_after(seconds: float) -> Iterator[None]:
    """Ctrl-C in this process after so many seconds, and again for as long as this block lasts."""
    done = threading.Event()

    def press() -> None:
        wait = seconds
        while not done.wait(wait):
            signal.raise_signal(signal.SIGINT)
            wait = AGAIN

    keys = threading.Thread(target=press, daemon=True)
    keys.start()
    try:
        yield
    finally:
        done.set()
        keys.join()


def stopped(child: subprocess.Popen[str]) -> tuple[str, str]:
    """Press Ctrl-C for a process until it has ended; what it said to stdout and to stderr."""
    for _ in range(int(LIMIT / AGAIN)):
        child.send_signal(signal.SIGINT)
        try:
            return child.communicate(timeout=AGAIN)
        except subprocess.TimeoutExpired:
            continue
    child.kill()
    raise AssertionError(f"it still ran {LIMIT:g} s after Ctrl-C: {child.args!r}")
