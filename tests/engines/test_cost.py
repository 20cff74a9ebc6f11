"""The cost of many rows on many workers: the formula, a cluster in events that confirms it, and runs of blocks."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import acumen
from acumen.engines.blocks import BLOCK_ROWS
from acumen.engines.cost import MOST_SECONDS, ClusterSpeed, PassWork, cost, level_for
from acumen.engines.runs import BlockRun, RunSums, cover
from acumen.errors import ParameterError
from acumen.summaries.algebra import add_up
from simulated_scheduler import simulated

ROWS = [10**6, 10**8, 10**10, 10**12]
WORKERS = [1, 7, 100, 1000]


class Term:
    """Adds as floating point does: neither order nor brackets can be changed without being seen."""

    def __init__(self, text):
        self.text = text

    def __add__(self, other):
        return Term(f"({self.text}+{other.text})")


@pytest.mark.parametrize("workers", WORKERS)
@pytest.mark.parametrize("rows", ROWS)
def test_a_simulated_scheduler_takes_no_longer_than_the_formula_says_and_no_less_than_it_must(rows, workers):
    work, cluster = PassWork(rows), ClusterSpeed(workers)
    found = cost(work, cluster)
    seconds, tasks, moved = simulated(work, cluster, found.level)
    assert found.least <= seconds <= found.seconds * (1 + 1e-9)
    assert tasks == found.tasks and moved <= found.moved
    assert seconds >= 0.5 * found.seconds  # the bound is no empty one


@given(
    st.integers(1, 40 * BLOCK_ROWS),
    st.integers(1, 12),
    st.integers(0, 4),
    st.floats(1e-5, 0.1),
    st.floats(0.0, 0.2),
)
def test_the_bounds_hold_for_any_cluster(rows, workers, level, scheduler, latency):
    work, cluster = PassWork(rows, passes=2), ClusterSpeed(workers, scheduler=scheduler, latency=latency)
    found = cost(work, cluster, level)
    seconds, tasks, moved = simulated(work, cluster, level)
    assert found.least * (1 - 1e-9) <= seconds <= found.seconds * (1 + 1e-9)
    assert tasks == found.tasks and moved <= found.moved * (1 + 1e-9)


@pytest.mark.parametrize("workers", WORKERS)
@pytest.mark.parametrize("rows", ROWS)
def test_the_level_chosen_is_about_the_best_a_simulation_finds(rows, workers):
    work, cluster = PassWork(rows), ClusterSpeed(workers)
    chosen = level_for(work, cluster)
    others = [level for level in range(0, 15, 2) if work.blocks >> level < 50_000 and work.blocks >> level]
    best = min(simulated(work, cluster, level)[0] for level in [*others, chosen])
    assert simulated(work, cluster, chosen)[0] <= 1.6 * best
    assert (BLOCK_ROWS << chosen) * work.row_bytes / cluster.rate <= MOST_SECONDS


def test_bytes_moved_a_row_fall_with_the_length_of_runs_and_memory_does_not_grow_with_rows():
    cluster = ClusterSpeed(100)
    few, many = (cost(PassWork(rows), cluster) for rows in (10**8, 10**12))
    assert many.moved / 10**12 < few.moved / 10**8 < 0.01
    assert many.memory < 1.01 * few.memory < 64 << 20
    assert cost(PassWork(10**9), cluster, 6).tasks > 10 * cost(PassWork(10**9), cluster, 10).tasks


def test_the_figures_of_the_page_are_those_of_the_formula():
    """The runs of 2^10 blocks of a thousand million and of a million million rows."""
    assert [cost(PassWork(rows), ClusterSpeed(100), 10).runs for rows in (10**9, 10**12)] == [15, 14_902]
    assert cost(PassWork(10**12), ClusterSpeed(100), 6).runs == 238_419
    assert cost(PassWork(10**12), ClusterSpeed(100), 10).evenly == pytest.approx(2000)


def test_work_and_clusters_of_nothing_are_sentences():
    with pytest.raises(ParameterError, match="rows and passes must be at least 1"):
        PassWork(0)
    with pytest.raises(ParameterError, match="at least 1 worker; got 0"):
        ClusterSpeed(0)


# -- runs -------------------------------------------------------------------------------------------------------------


@given(st.integers(1, 70), st.randoms(use_true_random=False))
def test_blocks_gathered_in_any_order_are_added_as_a_stream_adds_them(n, random):
    order = list(range(n))
    random.shuffle(order)
    gathered = RunSums((BlockRun(i), Term(str(i))) for i in order)
    assert gathered.total().text == add_up(Term(str(i)) for i in range(n)).text
    assert len(gathered) == n.bit_count()


@given(st.integers(1, 70), st.integers(0, 4))
def test_tasks_of_aligned_runs_add_up_to_the_same_sum(n, level):
    starts = range(0, n, 1 << level)
    tasks = [add_up(Term(str(i)) for i in range(first, min(first + (1 << level), n))) for first in starts]
    assert add_up(tasks).text == add_up(Term(str(i)) for i in range(n)).text


@given(st.integers(0, 200), st.integers(0, 200))
def test_a_cover_has_every_block_once_and_as_few_runs_as_there_can_be(first, length):
    runs = list(cover(first, first + length))
    assert [block for run in runs for block in range(run.block, run.end)] == [*range(first, first + length)]
    assert not any(a.sibling == b for a in runs for b in runs)
    assert len(runs) <= 2 * max(length, 1).bit_length()


@given(st.lists(st.integers(1, 9), min_size=1, max_size=8), st.randoms(use_true_random=False))
def test_parts_cut_anywhere_between_blocks_gather_to_the_same_sum(lengths, random):
    n, first, sums = sum(lengths), 0, []
    for length in lengths:
        runs = cover(first, first + length)
        sums += [(run, add_up(Term(str(i)) for i in range(run.block, run.end))) for run in runs]
        first += length
    random.shuffle(sums)
    assert RunSums(sums).total().text == add_up(Term(str(i)) for i in range(n)).text


def test_runs_that_are_not_aligned_blocks_added_twice_and_gaps_are_sentences():
    with pytest.raises(ParameterError, match="begin at a multiple of their number; got block 3"):
        BlockRun(3, 1)
    with pytest.raises(ParameterError, match="block 2 has been added already"):
        RunSums([(BlockRun(0, 2), Term("a")), (BlockRun(2), Term("b"))])
    with pytest.raises(ParameterError, match="some are missing"):
        RunSums([(BlockRun(1), Term("a"))]).total()
    with pytest.raises(ParameterError, match="some are missing"):
        RunSums([(BlockRun(0), Term("a")), (BlockRun(2), Term("b"))]).total()


# -- what a cluster does ----------------------------------------------------------------------------


@pytest.mark.parametrize(("blocks", "threads", "k"), [(1, 2, 0), (16, 2, 1), (153, 2, 4), (15_300, 1000, 5)])
def test_the_engine_takes_runs_of_the_length_that_the_formula_finds(blocks, threads, k, monkeypatch):
    pytest.importorskip("distributed", reason="the engine dask needs the package distributed")
    from acumen.engines import Dask

    monkeypatch.setattr(Dask, "threads", property(lambda self: threads))
    placement: Any = SimpleNamespace(located=SimpleNamespace(sizes=[BLOCK_ROWS] * 3))
    assert Dask().run_length(blocks, placement) == k
    large: Any = SimpleNamespace(located=SimpleNamespace(sizes=[16 * BLOCK_ROWS]))
    assert Dask().run_length(blocks, large) >= min(4, k if threads == 1000 else 4 if blocks >= 32 else k)


@pytest.mark.timeout(120)
def test_tasks_and_bytes_of_a_cluster_are_those_of_the_formula(cluster, tmp_path):
    pyarrow = pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    import pyarrow.parquet as pq
    from distributed import protocol

    rng = np.random.default_rng(0)
    rows = 5 * BLOCK_ROWS + 100
    made = {f"x{j}": rng.normal(size=rows).astype(np.float32) for j in range(20)}
    made["y"] = np.where(made["x0"] > 0, "p", "n")
    pq.write_table(pyarrow.table(made), tmp_path / "t.parquet", row_group_size=BLOCK_ROWS)
    for k in (0, 1):
        engine = acumen.engines.Dask(cluster.client, runs=k)
        keys, moved = [], []
        submit = cluster.client.submit

        def noted(*args, submit=submit, keys=keys, moved=moved, **given):
            keys.append(given["key"][0])
            future = submit(*args, **given)
            if "-block-" in keys[-1]:
                moved.append(future)
            return future

        cluster.client.submit = noted
        try:
            with acumen.engine(engine):
                acumen.NaiveBayes().fit_stream(acumen.scan(tmp_path / "t.parquet", target="y"))
        finally:
            cluster.client.submit = submit
        said = cost(
            PassWork(rows, summary_bytes=20_000), ClusterSpeed(2), k
        )  # with what is noticed of the rows
        reading = [key for key in keys if "-block-" in key]
        assert len(reading) == said.runs
        assert len(keys) <= said.tasks  # several are added by one task
        sizes = [len(protocol.pickle.dumps(future.result(timeout=30))) for future in moved]
        assert 0.5 * said.moved < sum(sizes) < said.moved
