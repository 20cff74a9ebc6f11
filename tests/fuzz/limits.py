"""Learners on tables of an extreme size, under a limit of memory: a model in time, or a sentence.

    TABLES    the extreme tables: one column whose every row has its own category, many columns, many rows
    attempt   fit, predict and explain by one kind of learner in a process of its own, under limits of memory and time

A process may end in three ways: a model that answers, a sentence of acumen's own, or a failure: any other exception
(`std::bad_alloc`, a bare MemoryError), a process that dies, or one that takes longer than `SECONDS` of CPU time.

By hand:  PYTHONPATH=src:tests python -m fuzz.limits [TABLE [KIND ...]]
"""

from __future__ import annotations

import json
import multiprocessing
import resource
import signal
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np

from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import AcumenError
from acumen.registry import Entry, entries

#: Bytes of address space, and seconds of CPU time for a fit; a prediction with its explanation has as many again.
BYTES: Final = 4 << 30
SECONDS: Final = 60


class Shape(NamedTuple):
    """A table's size, and how many categories each column has; none in numeric columns."""

    rows: int
    columns: int
    levels: int = 0


TABLES: Final = MappingProxyType(
    {"levels": Shape(100_000, 1, 100_000), "wide": Shape(30, 20_000), "long": Shape(1_000_000, 5)}
)


class Attempt(NamedTuple):
    """How one kind of learner got on with one table."""

    kind: str
    outcome: str  # "model", "refused" or "failed"
    sentence: str = ""
    seconds: dict[str, float] = {}  # noqa: RUF012 - never changed
    peak: int = 0


def table_of(shape: Shape, *, numbers: bool) -> Table:
    """Random columns, with two classes or numbers as the target."""
    rng = np.random.default_rng(0)
    rows, columns, levels = shape
    kind: Any = "nominal" if levels else "numeric"
    names = tuple(f"v{i}" for i in range(levels))
    attributes = tuple(Attribute(f"x{j}", kind, names) for j in range(columns))
    nominal = [rng.permutation(rows).astype(np.int32) % levels for _ in attributes] if levels else []
    numeric = [] if levels else list(rng.normal(size=(columns, rows)))
    if numbers:
        schema = Schema(attributes, Attribute("y"))
        return Table(schema, rows, numeric=numeric, nominal=nominal, response=rng.normal(size=rows))
    schema = Schema(attributes, Attribute("y", "nominal", ("no", "yes")))
    labels = rng.integers(0, 2, rows).astype(np.int32)
    return Table(schema, rows, numeric=numeric, nominal=nominal, labels=labels)


def attempt(entry: Entry, table: Table, settings: dict[str, Any]) -> Attempt:
    """One fit, one prediction and one explanation, in a process of its own."""
    fork = multiprocessing.get_context("fork")
    hear, tell = fork.Pipe(duplex=False)
    process = fork.Process(target=_work, args=(entry, table, settings, tell))
    process.start()
    tell.close()
    phase = ""
    try:
        while isinstance(message := hear.recv(), str):
            phase = message
        return Attempt(*message)
    except EOFError:
        process.join()
        how = (
            f"over {SECONDS} s"
            if process.exitcode == -signal.SIGXCPU
            else f"the process died ({process.exitcode})"
        )
        return Attempt(entry.kind, "failed", f"{phase}: {how}")
    finally:
        hear.close()
        process.kill()
        process.join()


def _work(entry: Entry, table: Table, settings: dict[str, Any], tell: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    seconds: dict[str, float] = {}

    def timed(phase: str, work: Callable[[], Any]) -> Any:
        tell.send(phase)
        start = time.process_time()
        resource.setrlimit(resource.RLIMIT_CPU, (int(start) + SECONDS + 2, resource.RLIM_INFINITY))
        try:
            return work()
        finally:
            seconds[phase] = round(time.process_time() - start, 2)

    outcome, sentence = "model", ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            learner = timed("fit", lambda: entry.learner(**settings).fit(table))
            rows = table.take(np.arange(5))
            timed("predict", lambda: learner.predictor_.predict(rows))
            timed("describe", learner.describe)
            if not entry.task.columns:  # columns have no reasons
                timed("explain", lambda: str(learner.explain(rows.take(slice(0, 1)))))
        except AcumenError as error:
            outcome, sentence = "refused", str(error)
        except MemoryError as error:
            outcome, sentence = ("refused" if str(error).endswith(".") else "failed"), f"MemoryError: {error}"
        except Exception as error:
            outcome, sentence = "failed", f"{type(error).__name__}: {error}"
    slow = [phase for phase, spent in seconds.items() if spent > SECONDS]
    if slow and outcome != "failed":
        outcome, sentence = "failed", f"{', '.join(slow)}: over {SECONDS} s"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
    tell.send((entry.kind, outcome, sentence, seconds, peak))
    tell.close()


def settings_for(entry: Entry) -> dict[str, Any]:
    """A fixed seed where a learner draws at random."""
    return {"random_state": 0} if any(spec.name == "random_state" for spec in entry.parameters) else {}


def run(table: str, kinds: Sequence[str] = (), loud: bool = False) -> list[Attempt]:
    """How every kind of learner, or the given ones, got on with a table."""
    chosen = [entry for entry in entries() if not kinds or entry.kind in kinds]
    by_target = {numbers: table_of(TABLES[table], numbers=numbers) for numbers in (False, True)}
    attempts = []
    for entry in chosen:
        attempts.append(attempt(entry, by_target[entry.task == "regression"], settings_for(entry)))
        if loud:
            last = attempts[-1]
            print(
                table,
                last.kind,
                last.outcome,
                last.seconds,
                f"{last.peak >> 20} MiB",
                last.sentence,
                flush=True,
            )
    return attempts


def main(table: str = "", *kinds: str) -> None:
    """The whole matrix, or a part of it."""
    import sklearn.base  # noqa: F401 - once, for all processes

    failures = 0
    for name in [table] if table else TABLES:
        tally = Counter(each.outcome for each in run(name, kinds, loud=True))
        failures += tally["failed"]
        print(json.dumps({"table": name, **tally}))
    sys.exit(bool(failures))


if __name__ == "__main__":
    main(*sys.argv[1:])
