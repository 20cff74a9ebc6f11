"""What a pass over many rows costs on many workers, and how many blocks a task should have.

    Work      what there is to do: rows, bytes, how much a summary takes, passes
    Cluster   who does it: workers, how fast they read, what the scheduler and the network take
    Cost      what that comes to: tasks, seconds, bytes moved, memory of a worker
    cost      work, cluster, level -> Cost, with tasks of 2^level blocks
    level_for the level at which the work is soonest done

Seconds = passes x (waves x 2^level blocks x bytes of a block / rate + tasks x scheduler + rounds x (latency + summary /
network)). A pass has a task for each run of 2^level blocks, and one for each addition of two. In a wave every worker
has one run. Summaries are added in pairs while others are still being read; behind the last run there are log2(runs)
rounds of additions, of which those between runs of one worker need no network (log2(workers) are left where
neighbouring runs lie on one worker). The scheduler hands out one task after another. Terms are added although they
overlap, so that the figure is a bound from above; rows shared out evenly, and the scheduler's work alone, are bounds
from below.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from acumen.engines.blocks import BLOCK_ROWS
from acumen.errors import ParameterError

MOST_LEVEL = 20
#: Seconds that a run may take: a task that fails is done again.
MOST_SECONDS = 60.0
#: Blocks that a task holds at a time: the one that is summarised, and the rows of the next that are read already.
_BLOCKS_HELD = 2


@dataclass(frozen=True, slots=True)
class PassWork:
    """The work of a fit.

    Attributes
    ----------
    rows : int
        Number of training rows.
    row_bytes : float
        Bytes to read per row: its size in the file.
    summary_bytes : float
        Size of the summary of any number of rows.
    held_bytes : float
        Size of a row in memory: 8 bytes per number, 4 per level.
    passes : int
        Number of passes over the rows: one, two if a plan is computed first, one more for each level of a tree.
    """

    rows: int
    row_bytes: float = 40.0
    summary_bytes: float = 6500.0
    held_bytes: float = 160.0
    passes: int = 1

    def __post_init__(self) -> None:
        if self.rows < 1 or self.passes < 1:
            raise ParameterError(
                f"PassWork: rows and passes must be at least 1; got {self.rows}, {self.passes}."
            )

    @property
    def blocks(self) -> int:
        """The number of canonical blocks."""
        return -(-self.rows // BLOCK_ROWS)


@dataclass(frozen=True, slots=True)
class ClusterSpeed:
    """Who does it.

    Attributes
    ----------
    workers : int
        Of one thread each.
    rate : float
        Bytes a second that a worker reads and summarises.
    scheduler : float
        Seconds that the scheduler takes for a task.
    latency, network : float
        Seconds until a message begins to arrive, and bytes a second then.
    """

    workers: int
    rate: float = 200e6
    scheduler: float = 0.5e-3
    latency: float = 5e-3
    network: float = 1.25e9

    def __post_init__(self) -> None:
        if self.workers < 1:
            raise ParameterError(f"ClusterSpeed: there must be at least 1 worker; got {self.workers}.")


@dataclass(frozen=True, slots=True)
class PassCost:
    """What it comes to; seconds are a bound from above, `least` one from below."""

    level: int
    runs: int  # tasks of a pass that read
    tasks: int  # of all passes, additions of two summaries among them
    waves: int  # runs of a pass that the busiest worker has
    rounds: int  # of additions behind the last run of a pass
    evenly: float  # seconds of reading if rows could be shared out one by one
    reading: float
    scheduling: float
    adding: float
    moved: float  # bytes between processes, in all
    memory: float  # bytes that a worker holds at a time

    @property
    def seconds(self) -> float:
        return self.reading + self.scheduling + self.adding

    @property
    def least(self) -> float:
        """No schedule is done sooner."""
        return max(self.evenly, self.scheduling)


def cost(work: PassWork, cluster: ClusterSpeed, level: int | None = None) -> PassCost:
    """Estimate the cost of the work in tasks of 2^level blocks. [default: `level_for`]"""
    if level is None:
        level = level_for(work, cluster)
    blocks, workers = work.blocks, cluster.workers
    runs = -(-blocks // (1 << level))
    waves = -(-runs // workers)
    # The last run may be short; a source of less than a run is no more than it is.
    longest = min(waves << level, blocks)
    rows = min(longest * BLOCK_ROWS, work.rows)
    rounds = math.ceil(math.log2(runs))
    tasks = 2 * runs - 1
    second_each = work.row_bytes / cluster.rate
    message = work.summary_bytes / cluster.network
    return PassCost(
        level=level,
        runs=runs,
        tasks=work.passes * tasks,
        waves=waves,
        rounds=rounds,
        evenly=work.passes * work.rows * second_each / workers,
        reading=work.passes * rows * second_each,
        scheduling=work.passes * tasks * cluster.scheduler,
        adding=work.passes * rounds * (cluster.latency + message),
        # Of two summaries that are added at most one travels to the other; the sum to whoever asked.
        moved=work.passes * runs * work.summary_bytes,
        memory=_BLOCKS_HELD * min(BLOCK_ROWS, work.rows) * work.held_bytes + (level + 2) * work.summary_bytes,
    )


def level_for(work: PassWork, cluster: ClusterSpeed) -> int:
    """The level of runs at which the work is soonest done by the formula, none of which takes a worker a minute.

    Of equals the smaller, which is done again sooner if it fails.
    """
    most = min(MOST_LEVEL, max(work.blocks - 1, 0).bit_length())
    block = BLOCK_ROWS * work.row_bytes / cluster.rate
    while most and block * (1 << most) > MOST_SECONDS:
        most -= 1
    return min(range(most + 1), key=lambda level: cost(work, cluster, level).seconds)
