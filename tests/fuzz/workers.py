"""Tries that run in a process of their own, so that a crash or a hang is one failure and not the end of the run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

#: Each thread of a library takes addresses, so that a limit would mean another on a machine of many cores.
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}

#: Where a worker finds its own module and the package, however this process was started.
_PATH = os.pathsep.join(
    [str(Path(__file__).resolve().parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
)


def run_worker(
    module: str, words: Sequence[str], seed: int, count: int, label: str
) -> tuple[Counter[str], list[str]]:
    """Counts of verdicts, and what was wrong with which try.

    `python -m MODULE --worker WORDS SEED COUNT` prints a line [number, verdict, what is wrong] for each try. A process
    that dies is counted, and begun again behind the try that killed it.
    """
    counts: Counter[str] = Counter()
    failures: list[str] = []
    end = seed + count
    while seed < end:
        worker = subprocess.run(
            [sys.executable, "-m", module, "--worker", *words, str(seed), str(end - seed)],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            text=True,
            errors="replace",
            check=False,
            env=os.environ | ONE_THREAD | {"PYTHONPATH": _PATH},
        )
        last = seed - 1
        for line in worker.stdout.splitlines():
            if line.startswith("["):
                last, verdict, why = json.loads(line)
                counts[verdict] += 1
                failures += [f"{label} {last}: {why}"] if why else []
        if worker.returncode == 0 and last == end - 1:
            break
        counts["died"] += 1
        failures.append(f"{label} {last + 1}: the process died ({worker.returncode}) {worker.stderr[-2000:]}")
        seed = last + 2
    return counts, failures
