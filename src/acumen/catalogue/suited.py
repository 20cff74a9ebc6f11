"""Which learners suit a table, which one is taken where none is named, and which one the others have to beat.

suited(table)      the learners worth trying on a table, and why each other one was left out
usual(task)        the learner taken where none is named
yardstick(task)    the learner that every other has to beat
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from acumen import voice
from acumen.base.task import Task, task_of
from acumen.catalogue.entries import Entry, entries, entry
from acumen.data.table import Table
from acumen.errors import ParameterError

if TYPE_CHECKING:
    from acumen.base.learner import Learner


@dataclass(frozen=True, slots=True)
class Suited:
    """The learners worth trying on a table, in the catalogue's order; iterating gives their entries."""

    entries: tuple[Entry, ...]
    #: The kind of each learner of the task that was left out, and why, as a sentence.
    left_out: Mapping[str, str]

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __contains__(self, kind: object) -> bool:
        return any(kind in (each.kind, each.name) for each in self.entries)

    def learners(self, seed: int = 0, **given: Any) -> dict[str, Any]:
        """An unfitted learner of each, by its name; of what is given, each takes what it has parameters for."""
        made = {}
        for each in self.entries:
            allowed = {spec.name for spec in each.parameters}
            made[each.name] = each.seeded((), seed, **{k: v for k, v in given.items() if k in allowed})
        return made

    def __str__(self) -> str:
        lines = [each.kind for each in self.entries]
        lines += [f"left out: {kind}: {why}" for kind, why in self.left_out.items()]
        return "\n".join(lines)


def suited(table: Table, task: Task | None = None, *, memory: int | None = None) -> Suited:
    """The learners worth trying on a table, and why each other one was left out.

    A learner is left out when it objects to the table, when it would give the model that another one gives too, or
    when fitting it would need more memory than there is.

    Parameters
    ----------
    table : Table
    task : Task, optional
        What is to be learned; what the table's target asks for unless given.
    memory : int, optional
        Bytes that one fit may take; half of the machine's memory unless given.

    Returns
    -------
    Suited
        Its entries in order; `left_out` has the reasons.

    Examples
    --------
    >>> import acumen
    >>> found = acumen.suited(acumen.datasets.load("loan"))
    >>> "decision-tree" in found, "one-vs-one" in found
    (True, False)
    """
    asked = task_of(table.schema) if task is None else task
    if asked is None:
        raise ParameterError(
            "the table has no target, so it does not say what is to be learned; read it with "
            f"{voice.option('target')}, or say "
            "which task."
        )
    most = _half_of_memory() if memory is None else memory
    kept: list[Entry] = []
    left_out: dict[str, str] = {}
    for each in entries():
        if each.task is not asked:
            continue
        reason = _reason(each.learner(), table, most)
        if reason is None:
            kept.append(each)
        else:
            left_out[each.kind] = reason
    return Suited(tuple(kept), left_out)


def _reason(learner: Learner, table: Table, most: int) -> str | None:
    """Why a learner is not worth trying on a table."""
    objection: str | None = learner.objection(table.schema) or learner.needless(table)
    if objection is not None:
        return objection
    need = learner.memory(len(table), table.schema)
    if need is not None and need > most:
        return (
            f"a fit on {len(table):,} rows would take about {need / 2**30:.1f} GB, and {most / 2**30:.1f} GB may be "
            "used."
        )
    return None


def _half_of_memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (AttributeError, ValueError, OSError):  # not every system tells
        return 4 << 30


def usual(task: Task) -> Entry:
    """The learner taken where none is named."""
    if task.usual is None:
        raise ParameterError(f"there is no usual learner of {task.noun}; name one.")
    return entry(task.usual)


def yardstick(task: Task) -> Entry:
    """The learner that every other of the task has to beat."""
    if task.yardstick is None:
        raise ParameterError(f"there is no learner that others of {task.noun} have to beat.")
    return entry(task.yardstick)
