"""Which learners suit a table, which one is taken where none is named, and which one the others have to beat.

suitable_learners(table)   the learners worth trying on a table, and why each other one was left out
usual(task)                the default learner
yardstick(task)            the baseline that every other learner has to beat
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from acumen import messages
from acumen.data.table import Table
from acumen.engines.memory import limited_memory
from acumen.errors import ParameterError
from acumen.models.task import Task, task_of
from acumen.registry.entries import Entry, entry
from acumen.registry.suites import left_to_others, members


@dataclass(frozen=True, slots=True)
class SuitableLearners:
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
        learners = {}
        for each in self.entries:
            allowed = {spec.name for spec in each.parameters}
            taken = {k: v for k, v in given.items() if k in allowed}
            learners[each.label] = each.make_seeded(each.settings, seed, **taken)
        return learners

    def __str__(self) -> str:
        lines = [each.text for each in self.entries]
        lines += [f"left out: {kind}: {why}" for kind, why in self.left_out.items()]
        return "\n".join(lines)


def suitable_learners(
    table: Table, task: Task | None = None, *, suite: str = "all", memory: int | str | None = None
) -> SuitableLearners:
    """The learners worth trying on a table, and why each other one was left out.

    A learner is left out when it objects to the table, when it would give the model that another one gives too, or
    when fitting it would need more memory than there is.

    Parameters
    ----------
    table : Table
    task : Task, optional
        What is to be learned; what the table's target asks for unless given.
    suite : {"all", "usual", "quick"}
        All learners of the task; some eight that differ from each other and are good at most tables; or those of them
        that take the least time. Learners that are in no such suite are not in `left_out`.
    memory : int or str, optional
        Bytes that one fit may take, or a text such as "4GB"; nine tenths of what is free unless given, or what the
        environment's ACUMEN_MEMORY says.

    Returns
    -------
    SuitableLearners
        Its entries in order; `left_out` has the reasons.

    Examples
    --------
    >>> import acumen
    >>> found = acumen.suitable_learners(acumen.datasets.load("loan"))
    >>> "decision-tree" in found, "one-vs-one" in found
    (True, False)
    >>> [each.kind for each in acumen.suitable_learners(acumen.datasets.load("iris"), suite="quick")]
    ['majority', 'one-r', 'naive-bayes', 'decision-tree', 'full-bayes']
    """
    wanted = task_of(table.schema) if task is None else task
    if wanted is None:
        raise ParameterError(
            "the table has no target, so it does not say what is to be learned; read it with "
            f"{messages.option('target')}, or say "
            "which task."
        )
    kept: list[Entry] = []
    left_out: dict[str, str] = {}
    with limited_memory(memory):
        for each in members(suite, wanted, table):
            learner = each.make(each.settings)
            reason = (
                learner.objection(table.schema) or learner.reason_to_skip(table) or learner.shortage(table)
            )
            if reason is None:
                kept.append(each)
            else:
                left_out[each.kind] = reason
        if suite != "all":
            stand_ins = left_to_others([each.kind for each in kept], table)
            kept = [each for each in kept if each.kind not in stand_ins]
            left_out |= stand_ins
    return SuitableLearners(tuple(kept), left_out)


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
