"""Running a summary over the rows of a source: serially, with threads, streaming from disk, or on a cluster.

    run       run and run_parts: what learners call
    blocks    any source re-cut to the canonical blocks
    serial    one block after another
    threads   several blocks at a time
    disk      the next block is read while others are summarised
    placed    where rows are, for engines that fetch them by themselves
    dask_*    a cluster of machines: `Dask`
    cores     how many threads may be used
    blas      the threads of BLAS held to as many

The answer does not depend on the engine: each canonical block is summarised by itself, and the blocks'
summaries are added in one order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acumen.engines.blocks import BLOCK_ROWS
from acumen.engines.cores import cores
from acumen.engines.run import run, run_parts

if TYPE_CHECKING:
    from acumen.engines.dask_engine import Dask

__all__ = ["BLOCK_ROWS", "Dask", "cores", "run", "run_parts"]


def __getattr__(name: str) -> Any:
    if name == "Dask":
        from acumen.engines.dask_engine import Dask

        return Dask
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
