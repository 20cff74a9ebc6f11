"""Attributes computed once: kept, and never behind a lock."""

from __future__ import annotations

import os
import re
import threading
from pathlib import Path

import pytest

import acumen
from acumen.caching import cached_property
from acumen.engines.cores import _blas_limit, blas_threads


class Slow:
    """An attribute that waits until it may be computed."""

    def __init__(self) -> None:
        self.begun, self.free, self.times = threading.Event(), threading.Event(), 0

    @cached_property
    def value(self) -> int:
        """What was computed."""
        self.times += 1
        self.begun.set()
        self.free.wait(30)
        return self.times


def test_a_value_is_computed_once_and_kept() -> None:
    slow = Slow()
    slow.free.set()
    assert (slow.value, slow.value, slow.times) == (1, 1, 1)
    assert Slow.value.__doc__ == "What was computed."


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_nobody_waits_for_another_object_not_even_after_a_fork() -> None:
    busy, other = Slow(), Slow()
    other.free.set()
    thread = threading.Thread(target=lambda: busy.value)
    thread.start()
    assert busy.begun.wait(30)
    child = os.fork()
    if child == 0:
        threading.Timer(20, os._exit, (1,)).start()  # it would wait for ever
        os._exit(0 if other.value == 1 else 2)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    busy.free.set()
    thread.join()
    assert code == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_process_forked_while_blas_is_held_is_not_held_up() -> None:
    with _blas_limit._lock:
        child = os.fork()
        if child == 0:
            threading.Timer(20, os._exit, (1,)).start()
            with blas_threads(1):
                os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_the_package_has_no_property_behind_a_lock() -> None:
    package = Path(acumen.__file__).parent
    locked = re.compile(r"functools import .*cached_property|functools\.cached_property")
    assert not [path.name for path in package.rglob("*.py") if locked.search(path.read_text())]
