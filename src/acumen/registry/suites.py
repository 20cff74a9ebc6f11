"""Suites: a few learners that are worth trying on most tables, so that nobody has to wait for all of them.

    SUITE      the rows: a learner, the suites it is in, and for whom it stands
    members    the learners of a suite, in the order of the rows
    others     those of the task that are in no such suite

A learner joins by a row here. Those that stand for the same thing are not both taken: the first that suits is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from acumen.data.table import Table
from acumen.errors import ParameterError, did_you_mean
from acumen.models.kinds import KINDS
from acumen.models.task import CLASSES, NUMBERS, Task
from acumen.registry.entries import Entry, entries, entry
from acumen.render.text import many
from acumen.rows.class_order import ranked

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
            and (table is None or not row.ordered or ranked(table.schema.target))
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
            "full-bayes": "of nominal columns it can only count combinations; fisher is tried in its place."
        }
    if fewest < wanted:
        return {
            "full-bayes": f"the smallest class has {many(fewest, 'row')}, and its covariances need {wanted:,}; "
            "fisher is tried in its place."
        }
    return {"fisher": "each class has enough rows for its own covariances; full-bayes is tried in its place."}
