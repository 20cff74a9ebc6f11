"""Engines: one answer to the byte, however the rows come and whoever counts them."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import joblib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.engines import BLOCK_ROWS, cores, run, run_parts
from acumen.engines.blocks import blocks
from acumen.errors import DataError, ParameterError, SchemaMismatch
from acumen.summaries import ClassMoments, LevelCounts, ScatterMatrices, Summary, leave_each_out
from ctrl_c_pressed import hears_ctrl_c, stopped

ENGINES = ("serial", "threads", "disk")
SCHEMA = Schema(
    (Attribute("a"), Attribute("b"), Attribute("c", "nominal", ("p", "q", "r"))),
    Attribute("y", "nominal", ("no", "yes")),
    "w",
)


@dataclass(frozen=True, slots=True, eq=False)
class Everything(Summary):
    schema: Schema
    levels: LevelCounts
    moments: ClassMoments
    scatter: ScatterMatrices


def summarise(rows: Table) -> Everything:
    assert rows.labels is not None
    hard = (rows.labels, rows.weights, rows.schema.n_classes)
    return Everything(
        rows.schema,
        LevelCounts.of(rows.nominal.columns[0], *hard, 3),
        ClassMoments.of(rows.numeric, *hard),
        ScatterMatrices.of(rows.numeric, *hard, shared=True),
    )


def table(n: int, seed: int = 0) -> Table:
    rng = np.random.default_rng(seed)
    numeric = rng.normal(100, 3, size=(n, 2))
    numeric[rng.random((n, 2)) < 0.01] = np.nan
    return Table(
        SCHEMA,
        n,
        numeric=[numeric[:, 0], numeric[:, 1].copy()],
        nominal=[rng.integers(-2, 3, n).astype(np.int32)],
        labels=rng.integers(-1, 2, n).astype(np.int32),
        weights=rng.random(n),
    )


def bytes_of(summary: Summary) -> dict[str, bytes]:
    return {key: array.tobytes() for key, array in summary.arrays().items()}


def cut(rows: Table, *borders: int) -> Iterator[Table]:
    places = [0, *borders, len(rows)]
    return (rows.take(slice(a, b)) for a, b in itertools.pairwise(places))


BIG = table(3 * BLOCK_ROWS + 12_345)
EXPECTED = bytes_of(run(summarise, BIG, engine="serial"))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("n_jobs", [None, 1, 2, 3])
def test_every_engine_and_number_of_jobs_gives_the_same_bytes(engine: str, n_jobs: int | None) -> None:
    assert bytes_of(run(summarise, BIG, engine=engine, n_jobs=n_jobs)) == EXPECTED


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "borders", [(1,), (BLOCK_ROWS - 1, BLOCK_ROWS + 1, 200_000), (0, 0, 150_000, 150_000)]
)
def test_however_the_source_is_cut_the_bytes_are_the_same(engine: str, borders: tuple[int, ...]) -> None:
    assert bytes_of(run(summarise, cut(BIG, *borders), engine=engine)) == EXPECTED


def test_the_sum_of_blocks_is_that_of_all_rows_at_once() -> None:
    made, whole = run(summarise, BIG), summarise(BIG)
    for key, array in whole.arrays().items():
        if not key.endswith("rest"):
            np.testing.assert_allclose(made.arrays()[key], array, rtol=1e-11)


@given(st.lists(st.integers(0, 25), min_size=1, max_size=8), st.integers(1, 12))
def test_blocks_hold_the_same_rows_however_they_came(lengths: list[int], rows: int) -> None:
    whole = table(sum(lengths))
    borders = np.cumsum(lengths)[:-1].tolist()
    found = list(blocks(cut(whole, *borders), rows))
    expected = list(blocks(whole, rows))
    assert [len(b) for b in found] == [len(b) for b in expected]
    assert all(len(b) == rows for b in found[:-1])
    joined = [b.numeric.columns[1] for b in found]
    np.testing.assert_array_equal(np.concatenate(joined), whole.numeric.columns[1])


@pytest.mark.parametrize("engine", ENGINES)
def test_a_source_without_rows_gives_an_empty_summary_and_one_without_tables_an_error(engine: str) -> None:
    empty = table(0)
    assert run(summarise, empty, engine=engine) == summarise(empty)
    assert run(summarise, [empty, empty], engine=engine) == summarise(empty)
    with pytest.raises(DataError, match="no table at all"):
        run(summarise, [], engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_table_under_another_schema_is_refused(engine: str) -> None:
    other = table(3).select(["b", "a", "c"])
    with pytest.raises(SchemaMismatch, match="'a'"):
        run(summarise, [table(3), other], engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_an_error_in_a_block_reaches_the_caller_and_no_thread_stays(engine: str) -> None:
    def fails(rows: Table) -> Summary:
        raise RuntimeError("this block is bad")

    with pytest.raises(RuntimeError, match="this block is bad"):
        run(fails, BIG, engine=engine, n_jobs=2)
    assert not [t for t in threading.enumerate() if t.name.startswith("acumen")]


@pytest.mark.parametrize("engine", ENGINES)
def test_an_error_in_the_source_reaches_the_caller(engine: str) -> None:
    def source() -> Iterator[Table]:
        yield table(BLOCK_ROWS)
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        run(summarise, source(), engine=engine, n_jobs=2)


@pytest.mark.parametrize(("engine", "most"), [("serial", 2), ("disk", 5), ("threads", 6)])
def test_a_stream_is_never_held_whole(engine: str, most: int) -> None:
    columns: list[weakref.ref[np.ndarray]] = []
    largest = 0

    def source() -> Iterator[Table]:
        nonlocal largest
        for _ in range(20):
            part = Table(
                Schema((Attribute("a"),), SCHEMA.target),
                BLOCK_ROWS,
                numeric=[np.zeros(BLOCK_ROWS)],
                labels=BIG.labels[:BLOCK_ROWS],
            )
            columns.append(weakref.ref(part.numeric.columns[0]))
            largest = max(largest, sum(column() is not None for column in columns))
            yield part

    run(lambda rows: ClassMoments.of(rows.numeric, rows.labels, None, 2), source(), engine=engine, n_jobs=2)
    assert len(columns) == 20
    assert largest <= most


def test_parts_of_one_pass_equal_separate_runs_and_leave_out_to_training_sets() -> None:
    rng = np.random.default_rng(1)
    parts = rng.integers(-1, 3, len(BIG)).astype(np.int32)

    def by_part(rows: Table, codes: np.ndarray) -> list[ClassMoments]:
        assert rows.labels is not None
        return ClassMoments.of_parts(rows.numeric, rows.labels, rows.weights, 2, codes, 3)

    found = run_parts(by_part, BIG, parts)
    assert [bytes_of(s) for s in run_parts(by_part, BIG, parts, engine="serial")] == [
        bytes_of(s) for s in found
    ]
    for p, made in enumerate(leave_each_out(found)):
        rows = BIG.take((parts >= 0) & (parts != p))
        expected = ClassMoments.of(rows.numeric, rows.labels, rows.weights, 2)
        np.testing.assert_allclose(made.scatter, expected.scatter, rtol=1e-12)
    with pytest.raises(DataError, match="more rows than the 5 parts"):
        run_parts(by_part, BIG, parts[:5])
    with pytest.raises(DataError, match="give one for each row"):
        run_parts(by_part, table(5), parts)


def test_an_unknown_engine_is_refused_with_a_suggestion() -> None:
    with pytest.raises(ParameterError, match=r"got 'thread'\. Did you mean 'threads'"):
        run(summarise, table(1), engine="thread")  # type: ignore[arg-type]


def test_cores_follow_affinity_and_scikit_learns_negative_numbers() -> None:
    permitted = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    assert cores() == cores(-1) == permitted
    assert cores(3) == 3
    assert cores(-1000) == 1
    with pytest.raises(ParameterError, match="got 0"):
        cores(0)


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_none_means_one_core_inside_a_joblib_worker(backend: str) -> None:
    found = joblib.Parallel(n_jobs=2, backend=backend)(joblib.delayed(cores)() for _ in range(2))
    assert found == [1, 1]
    assert cores() >= 1


SLEEPY = """
import sys, threading, time
import numpy as np
sys.path[:0] = {tests!r}
import test_engine_run as t

def slow(rows):
    print("working", flush=True)
    time.sleep(0.2)
    return t.summarise(rows)

t.run(slow, (t.table(t.BLOCK_ROWS) for _ in range(1000)), engine={engine!r})
"""


@pytest.mark.serial
@pytest.mark.parametrize("engine", ENGINES)
def test_ctrl_c_ends_a_long_run(engine: str) -> None:
    here = Path(__file__).parent
    code = SLEEPY.format(tests=[str(here), str(here.parent)], engine=engine)
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=hears_ctrl_c,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "working\n"
        _, errors = stopped(process)
    finally:
        process.kill()
        process.wait()
    assert "KeyboardInterrupt" in errors
    assert process.returncode != 0
