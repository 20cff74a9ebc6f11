"""Rows sorted apart by what they hold: each task of a first round deals its blocks out to hands, each task of a second
looks at one hand.

    Deal       what is dealt: `cut` a block, `merged` heaps of a hand, what is `told` of a hand
    dealt      what is told of every hand, in their order

What adds only in much room (which values differ, which rows are equal) is found so without any worker having more than
a hand. Hands are dealt in rounds, as many at a time as a small part of the workers' memory holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from acumen.data.table import Table
from acumen.engines.block_source import Placement, runs
from acumen.engines.dask_tasks import (
    BlockItems,
    BlockJob,
    PickledValue,
    call_on_one_core,
    encoded_items,
    locate_errors,
    task_key,
    value_of,
)

if TYPE_CHECKING:
    from acumen.engines.dask_engine import Dask

#: What is dealt in a round takes at most this share of the workers' memory, and this much where nobody has said.
SHARE = 0.25
UNSAID = 1 << 30


class Dealing(Protocol):
    """Pickles, and goes to every worker."""

    def cut(self, block: Table, first_row: int, hands: Sequence[int]) -> list[Any]:
        """The heap of each of these hands."""

    def merge_heaps(self, hand: int, heaps: list[Any]) -> Any:
        """Heaps of one hand as one."""

    def summarise_hand(self, hand: int, heap: Any) -> Any:
        """What is to be said of a hand; small."""


def deal_rows(engine: Dask, deal: Dealing, placement: Placement, sizes: Sequence[int]) -> list[Any]:
    """Deal all rows to hands and return the summary of each hand; `sizes` are the most bytes that each takes."""
    room = int(SHARE * engine.memory) or UNSAID
    answers: list[Any] = []
    hands: list[int] = []
    for hand, size in enumerate(sizes):
        if hands and sum(sizes[each] for each in hands) + size > room:
            answers += _round(engine, deal, placement, hands)
            hands = []
        hands.append(hand)
    return answers + _round(engine, deal, placement, hands) if hands else answers


def _round(engine: Dask, deal: Dealing, placement: Placement, hands: list[int]) -> list[Any]:
    """One pass over all rows for some of the hands."""
    # Several hands a task, where there are many: a task costs the scheduler some tenths of a millisecond.
    n_groups = min(len(hands), 4 * engine.threads)
    groups = [hands[i::n_groups] for i in range(n_groups)]
    job = BlockJob(_BlockDealer(deal, groups), placement.without_notes(), numbered=True)
    name, n = engine._name(job), placement.n_blocks
    k = engine.run_length(n, placement)
    shared = engine._share(job, name, "job")
    cuts = [
        engine._submit(deal_blocks, shared, first, last, key=task_key(name, "block", first))
        for first, last in runs(n, k)
    ]
    pending = []
    for g in range(n_groups):
        heaps = [
            engine._submit(group_share, cut, g, key=task_key(name, "heap", g, i))
            for i, cut in enumerate(cuts)
        ]
        pending.append(engine._submit(summarise_group, shared, g, heaps, key=task_key(name, "hand", g)))
    del cuts, heaps, shared  # the cluster may forget what is no longer needed
    where = engine._where(placement, k, n, raw=False)
    by_hand: dict[int, Any] = {}
    pending.reverse()
    for group in groups:
        by_hand.update(zip(group, engine._await(pending.pop(), where), strict=True))
    return [by_hand[hand] for hand in hands]


@dataclass(frozen=True)
class _BlockDealer:
    """The job of both rounds of tasks: deals blocks to hands, and summarises hands."""

    deal: Dealing
    groups: list[list[int]]

    def __call__(self, block: Table, first_row: int) -> list[list[Any]]:
        """Deal a block: the heaps of the hands of each group."""
        hands = [hand for group in self.groups for hand in group]
        heaps = dict(zip(hands, self.deal.cut(block, first_row, hands), strict=True))
        return [[heaps[hand] for hand in group] for group in self.groups]

    def merge_cuts(self, some: Sequence[list[list[Any]]]) -> list[list[Any]]:
        """Merge the heaps of several blocks."""
        return [self.group(g, [each[g] for each in some]) for g in range(len(self.groups))]

    def group(self, g: int, heaps: Sequence[list[Any]]) -> list[Any]:
        """Merge the heaps of one group hand by hand."""
        return [
            self.deal.merge_heaps(hand, [each[i] for each in heaps]) for i, hand in enumerate(self.groups[g])
        ]


def deal_blocks(job_value: BlockJob | PickledValue, first: int, last: int) -> BlockItems:
    """Deal the rows of some blocks to each group of hands."""
    job: BlockJob = value_of(job_value)
    with locate_errors(job, first, last, raw=False):
        cut: Any = job.function
        return BlockItems(cut.merge_cuts(list(encoded_items(job, first, last))))


def group_share(some: BlockItems, place: int) -> BlockItems:
    """Select the share of one group."""
    return BlockItems(some[place])


def summarise_group(job_value: BlockJob | PickledValue, g: int, heaps: Sequence[BlockItems]) -> list[Any]:
    """Summarise each hand of a group."""
    job: BlockJob = value_of(job_value)
    cut: Any = job.function
    return call_on_one_core(_summarise_group, cut, g, heaps)


def _summarise_group(cut: _BlockDealer, g: int, heaps: Sequence[BlockItems]) -> list[Any]:
    return [
        cut.deal.summarise_hand(hand, heap)
        for hand, heap in zip(cut.groups[g], cut.group(g, heaps), strict=True)
    ]
