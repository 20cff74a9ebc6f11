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
from acumen.engines.block_source import Placed, runs
from acumen.engines.dask_tasks import Job, Made, Packed, called, key_of, made_of, told_where, value_of

if TYPE_CHECKING:
    from acumen.engines.dask_engine import Dask

#: What is dealt in a round takes at most this share of the workers' memory, and this much where nobody has said.
SHARE = 0.25
UNSAID = 1 << 30


class Deal(Protocol):
    """Pickles, and goes to every worker."""

    def cut(self, block: Table, first_row: int, hands: Sequence[int]) -> list[Any]:
        """The heap of each of these hands."""

    def merged(self, hand: int, heaps: list[Any]) -> Any:
        """Heaps of one hand as one."""

    def told(self, hand: int, heap: Any) -> Any:
        """What is to be said of a hand; small."""


def dealt(engine: Dask, deal: Deal, placed: Placed, sizes: Sequence[int]) -> list[Any]:
    """What is told of every hand; `sizes` are the bytes that each takes, at most."""
    room = int(SHARE * engine.memory) or UNSAID
    answers: list[Any] = []
    hands: list[int] = []
    for hand, size in enumerate(sizes):
        if hands and sum(sizes[each] for each in hands) + size > room:
            answers += _round(engine, deal, placed, hands)
            hands = []
        hands.append(hand)
    return answers + _round(engine, deal, placed, hands) if hands else answers


def _round(engine: Dask, deal: Deal, placed: Placed, hands: list[int]) -> list[Any]:
    """One pass over all rows for some of the hands."""
    # Several hands a task, where there are many: a task costs the scheduler some tenths of a millisecond.
    n_groups = min(len(hands), 4 * engine.threads)
    groups = [hands[i::n_groups] for i in range(n_groups)]
    job = Job(_Cut(deal, groups), placed.bare(), numbered=True)
    name, n = engine._name(job), placed.n_blocks
    k = engine.run_length(n, placed)
    shared = engine._shared(job, name, "job")
    cuts = [
        engine._submitted(dealt_run, shared, first, last, key=key_of(name, "block", first))
        for first, last in runs(n, k)
    ]
    looked = []
    for g in range(n_groups):
        heaps = [
            engine._submitted(one_of, cut, g, key=key_of(name, "heap", g, i)) for i, cut in enumerate(cuts)
        ]
        looked.append(engine._submitted(told_of, shared, g, heaps, key=key_of(name, "hand", g)))
    del cuts, heaps, shared  # the cluster may forget what is no longer needed
    where = engine._where(placed, k, n, raw=False)
    by_hand: dict[int, Any] = {}
    looked.reverse()
    for group in groups:
        by_hand.update(zip(group, engine._awaited(looked.pop(), where), strict=True))
    return [by_hand[hand] for hand in hands]


@dataclass(frozen=True)
class _Cut:
    """Cuts blocks, and looks at hands: what a task of either round is handed."""

    deal: Deal
    groups: list[list[int]]

    def __call__(self, block: Table, first_row: int) -> list[list[Any]]:
        """For each group of hands the heaps of these."""
        hands = [hand for group in self.groups for hand in group]
        heaps = dict(zip(hands, self.deal.cut(block, first_row, hands), strict=True))
        return [[heaps[hand] for hand in group] for group in self.groups]

    def put_together(self, some: Sequence[list[list[Any]]]) -> list[list[Any]]:
        """What several blocks gave, as one."""
        return [self.group(g, [each[g] for each in some]) for g in range(len(self.groups))]

    def group(self, g: int, heaps: Sequence[list[Any]]) -> list[Any]:
        """Heaps of the hands of one group, merged hand by hand."""
        return [self.deal.merged(hand, [each[i] for each in heaps]) for i, hand in enumerate(self.groups[g])]


def dealt_run(given: Job | Packed, first: int, last: int) -> Made:
    """What some blocks deal to each group of hands."""
    job: Job = value_of(given)
    with told_where(job, first, last, raw=False):
        cut: Any = job.function
        return Made(cut.put_together(list(made_of(job, first, last))))


def one_of(some: Made, place: int) -> Made:
    """What one group gets."""
    return Made(some[place])


def told_of(given: Job | Packed, g: int, heaps: Sequence[Made]) -> list[Any]:
    """What is told of each hand of a group."""
    job: Job = value_of(given)
    cut: Any = job.function
    return called(_told_of, cut, g, heaps)


def _told_of(cut: _Cut, g: int, heaps: Sequence[Made]) -> list[Any]:
    return [cut.deal.told(hand, heap) for hand, heap in zip(cut.groups[g], cut.group(g, heaps), strict=True)]
