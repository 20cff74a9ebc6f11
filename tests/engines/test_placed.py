"""Blocks by number: the canonical blocks of the rows that remain, wherever they are cut; and sums in one order."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import acumen
from acumen.data.concat import concat
from acumen.data.delimited import located as text_rows
from acumen.data.delimited import passes
from acumen.data.table import Table
from acumen.engines import block_source, dask_engine, dask_tasks
from acumen.engines import blocks as cut
from acumen.engines.block_source import Placement, runs
from acumen.engines.dask_tasks import BlockJob, sum_canonical_blocks, sum_raw_blocks
from acumen.errors import DataError
from acumen.summaries.algebra import add_up


class Order(str):
    """Adds by writing down how it was added: any other order shows."""

    def __add__(self, other: str) -> Order:
        return Order(f"({self!s} {other!s})")


@given(st.integers(1, 300), st.integers(0, 6))
def test_aligned_runs_added_by_groups_are_added_as_one_process_adds_them(n, k):
    whole = add_up(Order(i) for i in range(n))
    pieces = [add_up(Order(i) for i in range(first, last)) for first, last in runs(n, k)]
    while len(pieces) > 1:
        size = dask_engine.TOGETHER
        pieces = [add_up(pieces[i : i + size]) for i in range(0, len(pieces), size)]
    assert str(pieces[0]) == str(whole)


class Rows(tuple):
    """The numbers of some rows, block by block."""


def numbers(block: Table) -> Rows:
    return Rows([tuple(block.column("i").tolist())])


def labelled(table: Table) -> tuple[Table, Rows]:
    assert table.labels is not None
    return table.take(np.flatnonzero(table.labels >= 0)), Rows([len(table)])


@pytest.fixture
def small(monkeypatch):
    """Blocks of 8 rows, and files with places for them."""
    for module in (cut, block_source, dask_tasks):
        monkeypatch.setattr(module, "BLOCK_ROWS", 8)
    monkeypatch.setattr(cut.blocks, "__defaults__", (8,))
    monkeypatch.setattr(passes, "MARKED", 8)
    monkeypatch.setattr(text_rows, "MARKED", 8)


def _located(tmp_path, without: set[int], n: int):
    path = tmp_path / "t.csv"
    path.write_text("i,y\n" + "".join(f"{i},{'?' if i in without else 'ab'[i % 2]}\n" for i in range(n)))
    return acumen.scan(path, target="y").located


@pytest.mark.parametrize("k", [0, 1, 3])
@pytest.mark.parametrize("without", [set(), {0, 1, 9, 17, 30}, set(range(16, 40)), set(range(2, 50))])
def test_blocks_are_counted_over_the_rows_that_remain(tmp_path, small, without, k):
    n = 53
    where = Placement(_located(tmp_path, without, n), labelled)
    left = [i for i in range(n) if i not in without]
    expected = Rows([tuple(map(float, left[i : i + 8])) for i in range(0, len(left), 8)])
    job = BlockJob(numbers, where)
    first = add_up([sum_raw_blocks(job, *run) for run in runs(where.n_raw, k)])
    where.settle(first.kept, first.note)
    assert first.note == (8,) * 6 + (5,)
    assert (first.total is None) == bool(without)
    if not without:
        assert first.total == expected
    later = add_up([sum_canonical_blocks(job, *run) for run in runs(where.n_blocks, k)])
    assert later.total == expected


def test_a_task_that_fails_names_the_file_and_the_lines(tmp_path, small):
    where = Placement(_located(tmp_path, set(), 40), labelled)

    def refuse(block: Table) -> Rows:
        if 20.0 in block.column("i"):
            raise DataError("this block is odd.")
        return numbers(block)

    job = BlockJob(refuse, where)
    assert sum_raw_blocks(job, 0, 2).total == numbers(concat(list(where.raw(0, 1)))) + numbers(
        concat(list(where.raw(1, 2)))
    )
    with pytest.raises(DataError, match=r"this block is odd\. This came up in .*t\.csv, lines 18 to 33\.$"):
        sum_raw_blocks(job, 2, 4)


def test_rows_in_memory_have_no_place_and_a_packed_file_says_so(tmp_path):
    import gzip

    assert block_source.placement_of(acumen.datasets.load("iris")) is None
    assert block_source.placement_of([acumen.datasets.load("iris")]) is None
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"i,y\n1,a\n2,b\n"))
    with pytest.raises(DataError, match="cannot be read from the middle"):
        block_source.placement_of(acumen.scan(path, target="y"))


@pytest.mark.slow
def test_a_card_does_not_depend_on_what_else_is_loaded():
    program = (
        "import sys, numpy\n"
        "if 'more' in sys.argv: import scipy.linalg, sklearn.ensemble\n"
        "from acumen.engines.dask_tasks import WorkerBuild\n"
        "print(WorkerBuild.here())\n"
    )
    said = [
        subprocess.run(
            [sys.executable, "-c", program, *more], capture_output=True, text=True, check=True
        ).stdout
        for more in ([], ["more"])
    ]
    assert said[0] == said[1]
