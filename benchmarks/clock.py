"""What the benchmarks measure with: wall and processor time, one work after the other.

On a machine that does something else besides, wall time says little; the processor time of this process (all its
threads, those of BLAS among them) still does. Both are printed, and the verdict is by wall time.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


class Took(float):
    """Seconds of wall time, and of processor time beside them."""

    cpu: float

    def __new__(cls, wall: float, cpu: float) -> Took:
        made = super().__new__(cls, wall)
        made.cpu = cpu
        return made


def best(work: Callable[[], Any], repeats: int = 3) -> float:
    """Seconds of the fastest of several runs of one work."""
    return float(interleaved(repeats, work)[0])


def interleaved(repeats: int, *works: Callable[[], Any]) -> list[Took]:
    """The shortest times of each; one after the other, so that a slow spell of the machine is shared."""
    wall, cpu = [float("inf")] * len(works), [float("inf")] * len(works)
    for _ in range(repeats):
        for i, work in enumerate(works):
            start, used = time.perf_counter(), time.process_time()
            work()
            cpu[i] = min(cpu[i], time.process_time() - used)
            wall[i] = min(wall[i], time.perf_counter() - start)
    return [Took(*pair) for pair in zip(wall, cpu, strict=True)]


def line(name: str, ours: float, theirs: float, wanted: float | None = None) -> None:
    """A row of the table: how many times faster, in processor time too where it was taken, and how much was wanted."""
    text = f"{name:<58} {ours * 1e3:9.1f} ms {theirs * 1e3:10.1f} ms  x{theirs / ours:7.2f}"
    if isinstance(ours, Took) and isinstance(theirs, Took):
        text += f"  (processor {ours.cpu * 1e3:.0f}, {theirs.cpu * 1e3:.0f} ms: x{theirs.cpu / ours.cpu:.2f})"
    if wanted is not None:
        text += f"  (wanted {wanted:g}) {'ok' if theirs / ours >= wanted else 'BELOW'}"
    print(text, flush=True)
