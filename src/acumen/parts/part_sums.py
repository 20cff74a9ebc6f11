"""`acumen.parts.summarise` and `merge`: summarise a part by whole blocks, and add the sums of parts.

    PartSum     the sums of runs of blocks, and the rows of incomplete blocks, of one part or several
    summarise   a part and its plan -> PartSum
    merge       PartSums in any order -> one

A part may begin and end within a block. The rows at its ends, fewer than 65,536 each, are kept as rows; once all rows
of a block are together they are summarised, as on a single machine. So the result depends neither on how the rows were
divided into parts nor on the order of merging.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from os import fspath
from typing import Any

import numpy as np

from acumen.base.training import Training
from acumen.data.concat import concat
from acumen.data.shared_schema import Scan, scan_like
from acumen.data.table import Table
from acumen.engines.blocks import BLOCK_ROWS
from acumen.engines.cores import cores, limited_to
from acumen.engines.executors import run_from_disk
from acumen.engines.runs import BlockRun, RunSums
from acumen.errors import DataError, ParameterError
from acumen.models.summary_arrays import empty_table
from acumen.parts.plan import Plan, require_rows
from acumen.parts.plan_parts import PartCounter, named_scan, plan_files
from acumen.profiling.training_profile import TrainingProfile, merge_profiles


@dataclass(frozen=True)
class PartSum:
    """The summary of one or several parts, from `acumen.parts.summarise` and `acumen.parts.merge`.

    Attributes
    ----------
    plan : Plan
    parts : tuple of int
        The positions of its parts in the plan.
    runs : RunSums
        The sums of whole blocks.
    ragged : tuple of (int, Table)
        Rows of incomplete blocks, each with the position of its first row.
    seen : TrainingProfile or None
        The profile that a model stores: ranges, and hashes of some rows.
    name : str
        Its name in messages: its file.
    """

    plan: Plan
    parts: tuple[int, ...]
    runs: RunSums[Any]
    ragged: tuple[tuple[int, Table], ...]
    seen: TrainingProfile | None
    name: str = ""

    def __add__(self, other: PartSum) -> PartSum:
        return merge([self, other])

    @property
    def is_whole(self) -> bool:
        """Whether every part is included."""
        return len(self.parts) == len(self.plan.parts)

    @property
    def absent(self) -> list[str]:
        """The parts that are missing from this sum."""
        return [part.name for i, part in enumerate(self.plan.parts) if i not in self.parts]

    def require_whole(self) -> None:
        """Raise an error that names missing parts, if any."""
        if self.is_whole:
            return
        names = self.absent
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        raise DataError(
            f"{self.name or 'the sum'} has {len(self.parts)} of {len(self.plan.parts)} parts; {', '.join(names[:3])}"
            f"{more} {'is' if len(names) == 1 else 'are'} missing. Summarise and merge the missing parts first."
        )

    def fit(self, **parameters: Any) -> Any:
        """Fit the learner; its model file is byte for byte that of a fit on all rows at once.

        `parameters` may be other than the plan's where the rows need not be seen for that: how counts are smoothed,
        costs, priors, penalties.
        """
        from acumen.base.scikit import clone

        self.require_whole()
        learner = clone(self.plan.learner)
        if parameters:
            learner.set_params(**parameters)
            learner.check_parameters()
            learner.object_to(self.plan.model_schema)
            self._require_free(learner)
        training = Training(
            learner,
            self.plan.model_schema,
            (),
            plan=self.plan.plan,
            summary=self.runs.total(),
            n_rows=self.plan.n_counted,
            weighing=self.plan.weighing,
        )
        with limited_to(learner.jobs):
            learner.keep(training)
            learner.remember(self.seen)
        return learner

    def _require_free(self, learner: Any) -> None:
        """Refuse changes of parameters that affect the plan or the summaries."""
        before, now = self.plan.learner.get_params(deep=False), learner.get_params(deep=False)
        fixed = {"class_weight", "unlabelled"}
        for function in (learner.plan, learner.summarise):
            fixed |= set() if function is None else set(learner.parameters_for(function))
        for name in sorted(fixed & before.keys()):
            if not _same(before[name], now[name]):
                raise ParameterError(
                    f"{self.plan.name}: the parts were summarised with {name}={before[name]!r}, which can no longer be "
                    f"changed; for {name}={now[name]!r}, plan and summarise again."
                )


def _same(a: Any, b: Any) -> bool:
    return repr(a) == repr(b)


def summarise(source: Any, plan: Plan | Any, **options: Any) -> PartSum:
    """Summarise one part.

    Parameters
    ----------
    source : path
        The file; the plan identifies it by its name.
    plan : Plan, or a learner
        If this is a learner, the file is the only part and is planned first; `options` are then those of `acumen.read`.
    **options
        Reading options that differ for this file, such as `query` or `max_bytes`.
    """
    name, way = named_scan(source)
    if not isinstance(plan, Plan):
        plan = plan_files([(name, way)], plan, options)
        options = {}
    return summarise_scan(way, plan, plan.place_of(name), fspath(source), options)


def summarise_scan(
    scan: Scan, plan: Plan, place: int, name: str, options: dict[str, Any] | None = None
) -> PartSum:
    """Summarise the part at a position of the plan, read by `scan`."""
    from acumen.base.scikit import clone

    require_rows(plan)
    learner = clone(plan.learner)
    part = plan.parts[place]
    parts = scan_like(scan, plan.schema, {**plan.options, **(options or {})}, name)
    if parts.n_rows != part.rows:
        raise _change_error(name, f"it had {part.rows:,} rows and now has {parts.n_rows:,}")
    if not part.rows:  # a header alone, say
        nothing = TrainingProfile.of(empty_table(plan.model_schema))
        return PartSum(plan, (place,), RunSums(), (), nothing, name)
    counting = PartCounter(learner, replace(plan, left_out=()).model_schema, plan.factors)
    seen: list[TrainingProfile] = []

    def count_rows() -> Iterator[Table]:
        for each in parts:
            rows = counting.take(each)[1]
            rows = rows.select(plan.model_schema.names) if plan.left_out else rows
            seen.append(TrainingProfile.of(rows))
            yield rows

    runs: RunSums[Any] = RunSums()
    ragged: list[tuple[int, Table]] = []
    with limited_to(learner.jobs):

        def tasks() -> Iterator[Callable[[], tuple[BlockRun, Any]]]:
            for start, block in _cut(count_rows(), plan.starts[place]):
                if _is_whole(start, len(block), plan):
                    yield partial(_sum_block, plan, start // BLOCK_ROWS, block)
                else:
                    ragged.append((start, _copy_rows(block)))

        for run, summary in run_from_disk(tasks(), cores(learner.jobs)):
            runs.put(run, summary)
    if (counting.n_counted, counting.trace, counting.weighing) != (part.n_counted, part.trace, part.weighing):
        raise _change_error(name, "its rows have changed")
    return PartSum(plan, (place,), runs, tuple(ragged), reduce(operator.add, seen), name)


def merge(sums: Sequence[PartSum]) -> PartSum:
    """Merge the sums of several parts, in any order; all need the same plan, and no part may occur twice."""
    sums = list(sums)
    if not sums:
        raise ParameterError("merge: give at least one summary; got none.")
    first = sums[0]
    owner: dict[int, str] = {}
    runs: RunSums[Any] = RunSums()
    for each in sums:
        first.plan.require_same(each.plan, first.name or "one summary", each.name or "another")
        for place in each.parts:
            if place in owner:
                where = (
                    "given twice" if owner[place] == each.name else f"in {owner[place]} and in {each.name}"
                )
                raise DataError(
                    f"merge: {first.plan.parts[place].name} is {where}; its rows would count twice. Leave one out."
                )
            owner[place] = each.name
        for run, summary in each.runs:
            runs.put(run, summary)
    with limited_to(first.plan.learner.jobs):
        ragged = _complete_blocks(first.plan, [pair for each in sums for pair in each.ragged], runs)
    seen = merge_profiles([each.seen for each in sums])
    return PartSum(first.plan, tuple(sorted(owner)), runs, ragged, seen, first.name if len(sums) == 1 else "")


def _complete_blocks(
    plan: Plan, pieces: Iterable[tuple[int, Table]], runs: RunSums[Any]
) -> tuple[tuple[int, Table], ...]:
    """Join adjacent rows, summarise blocks that are complete into `runs`, and return the rest."""
    stretches: list[tuple[int, list[Table]]] = []
    end = -1
    for start, table in sorted(pieces, key=lambda pair: pair[0]):
        if start == end and start % BLOCK_ROWS:
            stretches[-1][1].append(table)
        else:
            stretches.append((start, [table]))
        end = start + len(table)
    incomplete = []
    for start, tables in stretches:
        rows = concat(tables)
        if _is_whole(start, len(rows), plan):
            runs.put(*_sum_block(plan, start // BLOCK_ROWS, rows))
        else:
            incomplete.append((start, rows))
    return tuple(incomplete)


def _is_whole(start: int, rows: int, plan: Plan) -> bool:
    """Whether rows that start at a position are a whole block."""
    return start % BLOCK_ROWS == 0 and rows == min(BLOCK_ROWS, plan.n_counted - start)


def _sum_block(plan: Plan, block: int, rows: Table) -> tuple[BlockRun, Any]:
    return BlockRun(block), plan.learner.summarise(rows, plan=plan.plan)


def _cut(tables: Iterable[Table], start: int) -> Iterator[tuple[int, Table]]:
    """Divide rows at the ends of canonical blocks, the first row being at `start`; yields each with its position."""
    waiting: list[Table] = []
    held = 0
    for table in tables:
        at = 0
        while at < len(table):
            room = BLOCK_ROWS - (start + held) % BLOCK_ROWS
            some = min(len(table) - at, room)
            waiting.append(table.take(slice(at, at + some)))
            held, at = held + some, at + some
            if some == room:
                yield start, concat(waiting)
                start, waiting, held = start + held, [], 0
    if waiting:
        yield start, concat(waiting)


def _copy_rows(rows: Table) -> Table:
    """Copy rows, so that they do not keep a larger table in memory."""
    return rows.take(np.arange(len(rows)))


def _change_error(name: str, how: str) -> DataError:
    return DataError(f"{name} is not the file that was planned: {how}. Plan the parts again.")
