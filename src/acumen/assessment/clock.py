"""Time as a comparison spends it: what the clock says, and work that is stopped when its time is over.

now        seconds, from any start
seconds    "90s", "5m", "1h", "none" or a number -> seconds, or None
limited    what runs within it is interrupted after so many seconds, as Ctrl-C would interrupt it
"""

from __future__ import annotations

import math
import re
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from acumen.errors import ParameterError

#: What tells the time; tests tell it themselves.
now = time.monotonic


_UNITS = {"": 1.0, "s": 1.0, "sec": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


def seconds(given: float | str | None, who: str) -> float | None:
    """How long a text or a number says: "90s", "5m", "1.5h", 90; None and "none" say that there is no limit."""
    if given is None or (isinstance(given, str) and given.strip().lower() == "none"):
        return None
    number, unit = math.nan, ""
    if isinstance(given, str):
        found = re.fullmatch(r"([0-9]*\.?[0-9]+)\s*([a-z]*)", given.strip().lower())
        number, unit = (float(found[1]), found[2]) if found else (math.nan, "")
    elif isinstance(given, (int, float)) and not isinstance(given, bool):
        number = float(given)
    if unit not in _UNITS or not 0 < number < math.inf:
        raise ParameterError(
            f"{who} must be a number of seconds above 0, a text such as '90s', '5m' or '1h', or none; got {given!r}."
        )
    return number * _UNITS[unit]


class TimeUp(BaseException):
    """The time that `limited` allowed is over. No Exception, so that nobody takes it for a failure."""


def can_interrupt() -> bool:
    """Whether work can be stopped midway: by the alarm clock of a Unix process, which only its main thread hears."""
    return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()


@contextmanager
def limited(seconds: float | None) -> Iterator[None]:
    """Raise TimeUp in what runs within this once so many seconds are over; None, or no alarm clock, sets no limit.

    Kernels ask for signals block by block, so that they stop as they do for Ctrl-C; code of other libraries stops
    when it comes back to Python. An alarm that somebody else has set rings when it should: before ours, or else
    afterwards.
    """
    if seconds is None or not can_interrupt():
        yield
        return
    left, interval = signal.getitimer(signal.ITIMER_REAL)
    if 0.0 < left <= seconds:
        yield
        return
    over, began = False, time.monotonic()

    def ring(number: int, frame: FrameType | None) -> None:
        if not over:
            raise TimeUp

    before = signal.signal(signal.SIGALRM, ring)
    try:
        try:
            # Rings again: a first alarm may be lost in a place that cannot raise, such as a destructor.
            signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-3), 0.25)
            yield
        finally:
            over = True
    finally:  # of its own, should the alarm ring between the two
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
        if left:
            signal.setitimer(signal.ITIMER_REAL, max(left - (time.monotonic() - began), 1e-3), interval)
