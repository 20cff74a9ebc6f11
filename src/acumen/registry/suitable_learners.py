"""The learners that suit a table, the default learner of a task, and its baseline.

suitable_learners(table)   the learners worth trying on a table, and why the others were skipped
usual(task)                the default learner
yardstick(task)            the baseline that every other learner has to beat
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from acumen import messages
from acumen.data.table import Table
from acumen.engines.memory import limited_memory
from acumen.errors import ParameterError, did_you_mean
from acumen.models.kinds import KINDS
from acumen.models.task import CLASSES, NUMBERS, Task, task_of
from acumen.registry.entries import Entry, entries, entry
from acumen.render.text import many
from acumen.rows.class_order import has_class_order


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
        lines += [f"Skipped {kind}: {why}" for kind, why in self.left_out.items()]
        return "\n".join(lines)


def suitable_learners(
    table: Table, task: Task | None = None, *, suite: str = "all", memory: int | str | None = None
) -> SuitableLearners:
    """List the learners worth trying on a table, and why the others were skipped.

    A learner is skipped if it objects to the table, if it would give the same model as another one, or if fitting it
    would need more memory than there is.

    Parameters
    ----------
    table : Table
    task : Task, optional
        The task. [default: what the table's target needs]
    suite : {"all", "usual", "quick"}
        "all" learners of the task; "usual", about eight different learners that do well on most tables; "quick", the
        fastest of those. Learners outside the suite are not listed in `left_out`.
    memory : int or str, optional
        Bytes that one fit may take, or a text such as "4GB"; by default nine tenths of the free memory, or what the
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


# -- suites ---------------------------------------------------------------------------------------
#
# A suite is a few learners that are worth trying on most tables, so that you need not wait for all of them.
#
#     SUITE      the rows: a learner, the suites it is in, and for whom it stands
#     members    the learners of a suite, in the order of the rows
#     others     those of the task that are in no such suite
#
# A learner joins by a row here. Those that stand for the same thing are not both taken: the first that suits is.


#: The suites, from the smallest to the largest.
SUITES = ("quick", "usual", "all")

#: A covariance matrix of each class needs so many rows of the class for each numeric attribute.
ROWS_FOR_EACH = 10


class Row(NamedTuple):
    """A learner of the suites."""

    kind: str
    task: Task = CLASSES
    #: The smallest suite it is in; it is in all larger ones.
    suite: str = "usual"
    #: Whether it is for words alone, and nobody would expect it elsewhere.
    words: bool = False
    #: Whether it is for a target in order alone.
    ordered: bool = False
    #: How it is tried where there are words, or sparse columns, which are as many.
    among_words: tuple[str, ...] = ()


SUITE: tuple[Row, ...] = (
    Row("majority", suite="quick"),
    Row("one-r", suite="quick"),
    Row("naive-bayes", suite="quick"),
    Row("text-bayes", suite="quick", words=True),
    Row("decision-tree", suite="quick"),
    Row("fisher", suite="quick"),
    Row("full-bayes", suite="quick"),
    Row("logistic"),
    Row("ordered-logistic", ordered=True),
    Row("random-forest"),
    Row("additive"),
    Row("boosting"),
    Row("knn"),
    Row("svm", among_words=("kernel=linear",)),
    Row("mean", NUMBERS, "quick"),
    Row("linear-regression", NUMBERS, "quick"),
    Row("ridge", NUMBERS, "quick"),
    Row("lasso", NUMBERS),
    Row("random-forest-regressor", NUMBERS),
    Row("additive-regressor", NUMBERS),
    Row("boosting-regressor", NUMBERS),
    Row("knn-regressor", NUMBERS),
    Row("svr", NUMBERS, among_words=("kernel=linear",)),
)


def members(suite: str, task: Task, table: Table | None = None) -> tuple[Entry, ...]:
    """The learners of a suite, for a table; rows of learners that this version does not have are passed over."""
    if suite not in SUITES:
        raise ParameterError(
            f"there is no suite {suite!r}; there are {', '.join(SUITES)}.{did_you_mean(suite, SUITES)}"
        )
    worded = table is not None and (bool(table.schema.text) or table.sparse is not None)
    settings = {row.kind: row.among_words for row in SUITE} if worded else {}
    if suite == "all":
        kinds = [each.kind for each in entries() if each.task is task]
    else:
        taken = SUITES[: SUITES.index(suite) + 1]
        kinds = [
            row.kind
            for row in SUITE
            if row.task is task
            and row.suite in taken
            and row.kind in KINDS
            and (worded or table is None or not row.words)
            and (table is None or not row.ordered or has_class_order(table.schema.target))
        ]
    return tuple(replace(entry(kind), settings=settings.get(kind, ())) for kind in kinds)


def others(suite: str, task: Task) -> tuple[str, ...]:
    """The words of the task's learners that are not in a suite."""
    member_kinds = {each.kind for each in members(suite, task)}
    return tuple(each.kind for each in entries() if each.task is task and each.kind not in member_kinds)


def left_to_others(kinds: Sequence[str], table: Table) -> dict[str, str]:
    """Of learners that stand for the same thing those that are left out, and why.

    Fisher and FullBayes both take classes as clouds of rows: the one of a common shape, the other each of its own,
    for which each class must have rows enough.
    """
    if not {"fisher", "full-bayes"} <= set(kinds) or table.labels is None:
        return {}
    known = table.labels[table.labels >= 0]
    counts = np.bincount(known, minlength=1)
    fewest = int(counts[counts > 0].min()) if len(known) else 0
    wanted = ROWS_FOR_EACH * max(len(table.schema.numeric), 1)
    if table.schema.nominal or not table.schema.numeric:
        return {
            "full-bayes": "for nominal columns it can only count combinations, so fisher is used instead."
        }
    if fewest < wanted:
        return {
            "full-bayes": f"the smallest class has {many(fewest, 'row')}, too few for a covariance matrix of its own "
            f"({wanted:,} needed), so fisher is used instead."
        }
    return {
        "fisher": "every class has enough rows for its own covariance matrix, so full-bayes is used instead."
    }
