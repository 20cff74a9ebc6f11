"""Running a summary over the rows of a source: serially, with threads, or streaming from disk.

    run       run and run_parts: what learners call
    blocks    any source re-cut to the canonical blocks
    serial    one block after another
    threads   several blocks at a time
    disk      the next block is read while others are summarised
    cores     how many threads may be used
    blas      the threads of BLAS held to as many

The answer does not depend on the engine: each canonical block is summarised by itself, and the blocks'
summaries are added in one order.
"""

from __future__ import annotations

from acumen.engines.blocks import BLOCK_ROWS
from acumen.engines.cores import cores
from acumen.engines.run import run, run_parts

__all__ = ["BLOCK_ROWS", "cores", "run", "run_parts"]
