"""Fuzzers by the clock: small rounds with one seed after another, until the time is up.

    FUZZERS    name -> what runs a round from a first try on, and how many tries that are
    run_for    rounds of one fuzzer for so many seconds: counts of verdicts, and what failed

Tries are the same for the same number, so a failure comes back:  PYTHONPATH=src:tests python -m fuzz.run NAME SECONDS
[FIRST]. Names: formats, models, learners, clusters, commands, kills.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping

Round = tuple[Mapping[str, int], list[str]]


def _formats(first: int, count: int) -> Round:
    from fuzz.formats import judged

    return judged("", first, count)


def _models(first: int, count: int) -> Round:
    from fuzz.models import tried

    return tried(first // count, count)


def _learners(first: int, count: int) -> Round:
    from fuzz.learners import tried

    return tried(first, count)


def _clusters(first: int, count: int) -> Round:
    from fuzz.clusters import tried

    return tried(first, count)


def _commands(first: int, count: int) -> Round:
    from fuzz.commands import tried

    return tried(first, count)


def _kills(first: int, count: int) -> Round:
    from fuzz.kills import tried

    return tried(first, count)


#: Each with the tries of a round; a long run has rounds ten times as large.
FUZZERS: dict[str, tuple[Callable[[int, int], Round], int]] = {
    "formats": (_formats, 300),
    "models": (_models, 150),
    "learners": (_learners, 40),
    "clusters": (_clusters, 40),
    "commands": (_commands, 20),
    "kills": (_kills, 8),
}
LONG = 600.0


def run_for(name: str, seconds: float, first: int = 0) -> tuple[Counter[str], list[str]]:
    """Counts of verdicts and what failed, in whole rounds; of a long run a line for every ten minutes."""
    counts: Counter[str] = Counter()
    failures: list[str] = []
    run, size = FUZZERS[name]
    size *= 10 if seconds > LONG else 1
    at, start, last_line = first, time.monotonic(), time.monotonic()
    while time.monotonic() - start < seconds:
        verdicts, broken = run(at, size)
        counts.update(verdicts)
        failures += broken
        for line in broken:
            print(f"FAILED at {at} of rounds of {size}: {line}", flush=True)
        at += size
        if time.monotonic() - last_line > LONG:
            last_line = time.monotonic()
            print(_line(name, counts, failures, at, last_line - start), flush=True)
    print(_line(name, counts, failures, at, time.monotonic() - start), flush=True)
    return counts, failures


def _line(name: str, counts: Counter[str], failures: list[str], at: int, seconds: float) -> str:
    return json.dumps(
        {
            "fuzzer": name,
            "tries": counts.total(),
            **counts,
            "failures": len(failures),
            "next": at,
            "s": round(seconds),
        }
    )


def main(words: list[str]) -> int:
    """Run a fuzzer; exit 1 where something failed, or nothing was tried."""
    if not 2 <= len(words) <= 3 or words[0] not in FUZZERS:
        print(f"usage: python -m fuzz.run {'|'.join(FUZZERS)} SECONDS [FIRST]", file=sys.stderr)
        return 2
    counts, failures = run_for(words[0], float(words[1]), int(words[2]) if len(words) > 2 else 0)
    return int(bool(failures) or not counts)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
