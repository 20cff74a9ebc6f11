"""Ctrl-C: whether it came, and at a moment that is ours to choose."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

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
