"""How much memory a fit may take.

    limit()        bytes: what was told, else nine tenths of what is free
    limited_memory within it, so many bytes at most
    free_memory()  bytes that this process could still get
    size_of        "4GB" -> bytes

It is told by the environment, `ACUMEN_MEMORY=4GB`, or by `limited_memory`. What is free is the least of what the system
says, what the control group leaves (containers), and what the limit of the address space leaves (`ulimit -v`).
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path

from acumen.errors import ParameterError

VARIABLE = "ACUMEN_MEMORY"
#: Of the free memory so much is left to others.
SPARE = 0.1
#: Fits that need less are not worth a look at what is free.
LITTLE = 64 << 20

_UNITS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30,
          "t": 1 << 40, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40}  # fmt: skip
_limit_set: ContextVar[int | None] = ContextVar("_told", default=None)


def size_of(text: int | str, who: str) -> int:
    """The bytes that a text or a number says: "4GB", "512 MB", 1e9."""
    match = re.fullmatch(r"([0-9]*\.?[0-9]+(?:e[0-9]+)?)\s*([a-z]*)", str(text).strip().lower())
    if match is None or match[2] not in _UNITS or not 0 < float(match[1]) < math.inf:
        raise ParameterError(f"{who} must be a size above 0 such as 4GB or 512MB; got {text!r}.")
    return int(float(match[1]) * _UNITS[match[2]])


@contextmanager
def limited_memory(size: int | str | None) -> Iterator[None]:
    """Within this a fit may take so many bytes; None changes nothing."""
    before = _limit_set.set(_limit_set.get() if size is None else size_of(size, "memory"))
    try:
        yield
    finally:
        _limit_set.reset(before)


def has_limit() -> bool:
    """Whether a memory limit is set."""
    return _limit_set.get() is not None or bool(os.environ.get(VARIABLE, "").strip())


def limit() -> int:
    """The number of bytes that a fit may use."""
    size = _limit_set.get()
    if size is None and os.environ.get(VARIABLE, "").strip():
        size = size_of(os.environ[VARIABLE], VARIABLE)
    return int((1 - SPARE) * free_memory()) if size is None else size


def free_memory() -> int:
    """Bytes that this process could still get, as far as the system tells."""
    known = [size for size in (_system(), _group(), _address_space()) if size is not None]
    return max(0, min(known)) if known else 4 << 30


def _system() -> int | None:
    with suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) << 10
    with suppress(AttributeError, ValueError, OSError):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    return None


def _group() -> int | None:
    """What a container's limit leaves; version 2, then version 1."""
    for most, now in (
        ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ):
        with suppress(OSError, ValueError):
            size = int(Path(most).read_text(encoding="ascii"))
            if size < 1 << 60:  # else there is no limit
                return size - int(Path(now).read_text(encoding="ascii"))
    return None


def _address_space() -> int | None:
    with suppress(ImportError, OSError, ValueError, IndexError):
        import resource

        soft, _ = resource.getrlimit(resource.RLIMIT_AS)
        if soft == resource.RLIM_INFINITY:
            return None
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        return soft - pages * resource.getpagesize()
    return None
