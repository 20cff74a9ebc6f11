"""Clusterers on mutated and degenerate tables: groups that keep their laws, or a sentence.

    spoiled    a small table with something wrong with it: one row, all equal, a column missing, huge numbers ...
    kept_laws  fit, and look whether labels, predictions, model files and what is told of groups hold together

By hand:  PYTHONPATH=src:tests python -m fuzz.clusters COUNT [SEED [KIND]]
"""

from __future__ import annotations

import json
import random
import signal
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from acumen.base.grouping import by_first_row
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import AcumenError, AcumenWarning
from acumen.models.task import GROUPS
from acumen.registry import Entry, entries
from acumen.store import load, save
from acumen.types import UNKNOWN
from fuzz.learners import Foreign, settings_of

#: Seconds of processor time one table may take.
LIMIT = 30


def whole(rng: random.Random) -> dict[str, Any]:
    """A sound table as columns: blobs in numbers, levels that go with them or do not."""
    draw = np.random.default_rng(rng.randrange(2**32))
    n, k = rng.choice((2, 3, 7, 20, 40, 90)), rng.choice((1, 2, 3, 5))
    group = draw.integers(0, k, n)
    columns: dict[str, Any] = {}
    for j in range(rng.choice((0, 1, 2, 2, 3, 6))):
        centres = draw.normal(size=k) * rng.choice((0, 1, 5, 50))
        columns[f"x{j}"] = centres[group] + draw.normal(size=n)
    for j in range(rng.choice((0, 0, 1, 2)) if columns else rng.choice((1, 3))):
        levels = rng.choice((1, 2, 3, 8))
        own = (group + draw.integers(0, 2, n)) % levels if rng.random() < 0.7 else draw.integers(0, levels, n)
        columns[f"c{j}"] = (own.astype(np.int32), levels, rng.random() < 0.3)
    return columns


def _numeric(columns: dict[str, Any]) -> list[str]:
    return [name for name, values in columns.items() if not isinstance(values, tuple)]


def _length(columns: dict[str, Any]) -> int:
    first = next(iter(columns.values()))
    return len(first[0]) if isinstance(first, tuple) else len(first)


def _taken(columns: dict[str, Any], rows: Any) -> dict[str, Any]:
    return {
        name: (values[0][rows], *values[1:]) if isinstance(values, tuple) else values[rows]
        for name, values in columns.items()
    }


def spoil(columns: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """The same with one more thing wrong."""
    draw = np.random.default_rng(rng.randrange(2**32))
    n, numeric = _length(columns), _numeric(columns)
    some = rng.choice(numeric) if numeric else None
    match rng.randrange(14):
        case 0:
            return _taken(columns, np.arange(min(n, rng.choice((0, 1, 1, 2)))))
        case 1:
            return _taken(columns, np.zeros(n, dtype=np.intp))  # all equal
        case 2:
            return _taken(columns, draw.integers(0, n, n) if n else np.arange(0))  # repeated rows
        case 3:
            return _taken(columns, np.repeat(np.arange(min(n, 2)), 15))
        case 4 if some:
            columns[some] = np.full(n, np.nan)
        case 5:
            gone = draw.random(n) < rng.choice((0.05, 0.4, 0.9))
            for name, values in columns.items():
                if isinstance(values, tuple):
                    columns[name] = (np.where(gone, -1, values[0]).astype(np.int32), *values[1:])
                else:
                    columns[name] = np.where(gone, np.nan, values)
        case 6 if some:
            columns[some] = np.where(draw.random(n) < 0.3, np.nan, columns[some])
        case 7 if some:
            by = rng.choice((1e-300, 1e-150, 1e-9, 1e9, 1e100, 1e150, 1e300, 0.0))
            with np.errstate(over="ignore", invalid="ignore"):
                columns[some] = columns[some] * by
        case 8 if some:
            columns[some] = columns[some] + rng.choice((1e8, -1e12, 1e15, 1e18))
        case 9 if some and n:
            odd = columns[some].copy()
            odd[rng.randrange(n)] = rng.choice((np.inf, -np.inf, 1e308, -1e308, 5e-324))
            columns[some] = odd
        case 10 if some:
            columns[some] = np.round(columns[some])
        case 11 if some:
            columns[f"{some} again"] = columns[some].copy()
        case 12:
            name = rng.choice(list(columns))
            values = columns[name]
            columns[name] = (
                (np.where(draw.random(n) < 0.5, -2, values[0]).astype(np.int32), *values[1:])
                if isinstance(values, tuple)
                else np.where(np.isnan(values), np.nan, -0.0)
            )
        case 13:
            columns["empty"] = (np.full(n, -1, dtype=np.int32), 0, False)
    return columns


def spoiled(rng: random.Random) -> Table:
    """A table with one to four things wrong."""
    columns = whole(rng)
    for _ in range(rng.choice((1, 1, 2, 4))):
        columns = spoil(columns, rng)
    n = _length(columns)
    attributes, numeric, nominal = [], [], []
    for name, values in columns.items():
        if isinstance(values, tuple):
            codes, levels, ordered = values
            kind: Any = "ordinal" if ordered else "nominal"
            attributes.append(Attribute(name, kind, tuple(f"v{i}" for i in range(levels))))
            nominal.append(codes)
        else:
            attributes.append(Attribute(name))
            numeric.append(np.ascontiguousarray(values))
    draw = np.random.default_rng(rng.randrange(2**32))
    weights = {
        0: lambda: draw.integers(0, 4, n).astype(np.float64),
        1: lambda: draw.random(n) * rng.choice((1.0, 1e-9, 1e9)),
        2: lambda: np.zeros(n),
    }.get(rng.randrange(9))
    return Table(
        Schema(tuple(attributes)), n, numeric=numeric, nominal=nominal,
        **({} if weights is None else {"weights": weights()}),
    )  # fmt: skip


def kept_laws(entry: Entry, settings: dict[str, Any], table: Table, folder: Path) -> str:
    """Fit, and look at what came of it; `Foreign` where a law is broken."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            learner = entry.learner(**settings).fit(table)
        except AcumenError as error:
            if not str(error).strip().endswith((".", "?", ")", "'")):
                raise Foreign(f"not a sentence: {error}") from error
            return "refused"
        _laws(learner, table, folder)
    for warning in told:
        if not issubclass(warning.category, AcumenWarning) and "sklearn" not in warning.category.__module__:
            raise Foreign(f"warns {warning.category.__name__}: {warning.message}")
    return "learned"


def _laws(learner: Any, table: Table, folder: Path) -> None:
    labels = learner.labels_
    _must(labels.shape == (len(table),), "each row has a group")
    heavy = labels[table.row_weights > 0]
    _must((by_first_row(heavy)[0] == heavy).all(), "groups are numbered by their first row")
    _must(int(heavy.max(initial=-1)) + 1 == learner.n_clusters_, "every group has a row")
    # A level that the table itself does not name is missing where it is learned from, and unlike all where it is asked.
    named = np.ones(len(table), dtype=np.bool_)
    for codes in table.nominal.columns:
        named &= codes != UNKNOWN
    _must(
        (learner.predict(table) == labels)[named].all(), "predictions of rows learned from are their groups"
    )
    try:
        objective = learner.objective_
    except AttributeError:
        objective = 0.0
    # A density may be above 1, so that less the log-likelihood may be below 0; distances may not.
    signed = hasattr(learner, "log_likelihood_")
    _must(np.isfinite(objective) and (signed or objective >= 0), f"the objective is a sum: {objective}")
    save(learner, folder / "m.acm")
    again = load(folder / "m.acm")
    _must((again.predict(table) == learner.predict(table)).all(), "a model file says the same")
    _must(again.describe() == learner.describe(), "a model file is described the same")
    if len(table):
        learner.explain(table.take(slice(0, 1)))
    for tell in (learner.profile, learner.to_rules):
        try:
            _must(str(tell(table)), "something is told of groups")
        except AcumenError as error:
            _must(str(error).endswith("."), f"not a sentence: {error}")


def _must(holds: Any, claim: str) -> None:
    if not holds:
        raise Foreign(f"broken: {claim}")


def tried(seed: int, count: int, only: str = "", loud: bool = False) -> tuple[dict[str, int], list[str]]:
    """The tally of a run over all clusterers in turn, and what broke a law."""
    known = [each for each in entries() if each.task is GROUPS and only in ("", each.kind)]
    tally, failures = {"learned": 0, "refused": 0}, []
    previous = signal.signal(signal.SIGPROF, _too_long)
    try:
        with tempfile.TemporaryDirectory() as folder:
            for i in range(count):
                rng = random.Random(f"{seed}/{i}")
                entry = known[i % len(known)]
                settings, table = settings_of(entry, rng), spoiled(rng)
                if any(spec.name == entry.learner.count_parameter for spec in entry.parameters):
                    settings[entry.learner.count_parameter] = rng.choice((1, 2, 2, 3, 5))
                signal.setitimer(signal.ITIMER_PROF, LIMIT)
                try:
                    tally[kept_laws(entry, settings, table, Path(folder))] += 1
                except Exception as error:
                    failures.append(f"{entry.kind} {seed}/{i} {settings}: {type(error).__name__}: {error}")
                    if loud:
                        print("FAILED", failures[-1], flush=True)
                finally:
                    signal.setitimer(signal.ITIMER_PROF, 0)
    finally:
        signal.signal(signal.SIGPROF, previous)
    return tally, failures


def _too_long(*_: Any) -> None:
    raise Foreign(f"took over {LIMIT} s")


def main(count: int = 2000, seed: int = 0, only: str = "") -> None:
    """The long run."""
    start = time.perf_counter()
    tally, failures = tried(seed, count, only, loud=True)
    print(json.dumps({"tables": count, **tally, "failures": len(failures), "s": time.perf_counter() - start}))


if __name__ == "__main__":
    main(*(int(a) if a.isdigit() else a for a in sys.argv[1:]))
