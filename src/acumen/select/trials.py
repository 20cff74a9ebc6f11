"""Settings tried on splits, reading the data as seldom as the learner allows.

    trials   learners, rows, method -> a Trial for each setting and split

Settings of one family differ only in what `solve` uses: cross-validation fills the summaries of all folds in one
pass (where the learner needs no plan of its own for each training set), any other method summarises each training
set once, and every setting of the family is solved from these. The models equal those of fitting each anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from acumen.assessment.runs import fresh, settled, shares_summaries
from acumen.base.weights import Weighed
from acumen.data.table import NO_WEIGHTS, Table
from acumen.errors import DataError
from acumen.resample import KFold, Plan, Split
from acumen.summaries.algebra import leave_each_out


@dataclass(frozen=True, slots=True)
class Trial:
    """One setting fitted on the training rows of one split; both by their positions.

    Where the rows would not do for the setting, `fitted` is the error that said so.
    """

    setting: int
    at: int
    split: Split
    fitted: Any
    tested: Any = None  # the summary of the rows tested, where there is one
    plan: Any = None  # and the plan it was made under


def trials(
    learners: Sequence[Any], groups: Sequence[Sequence[int]], rows: Table, method: Plan, seed: int
) -> Iterator[Trial]:
    """Every learner fitted on the training rows of every split; `groups` as `grid.families` gives them."""
    for group in groups:
        first = learners[group[0]]
        if not hasattr(first, "summarise"):  # trees stream too, but level by level
            yield from _refitted(learners, group, rows, method, seed)
        elif isinstance(method, KFold) and shares_summaries(first, rows):
            yield from _one_pass(learners, group, rows, method, seed)
        else:
            yield from _one_pass_each(learners, group, rows, method, seed)


def _refitted(
    learners: Sequence[Any], group: Sequence[int], rows: Table, method: Plan, seed: int
) -> Iterator[Trial]:
    for at, split in enumerate(method.splits(len(rows), rows.labels, seed)):
        training = rows.take(split.train)
        for setting in group:
            yield Trial(setting, at, split, _tried(fresh(learners[setting]).fit, training))


def _tried(made: Callable[..., Any], *given: Any) -> Any:
    """Of a hard margin, say, rows may turn out not to be separable: that is a setting's failure, not the search's."""
    try:
        return made(*given)
    except DataError as error:
        return error


def _one_pass(
    learners: Sequence[Any], group: Sequence[int], rows: Table, method: KFold, seed: int
) -> Iterator[Trial]:
    """The summaries of all folds of a repeat together."""
    splits = enumerate(method.splits(len(rows), rows.labels, seed))
    for parts in method.part_codes(len(rows), rows.labels, seed):
        maker = fresh(learners[group[0]])
        maker.plan_ = maker._planned((), rows.schema)
        summaries = maker._weighed_parts(rows, parts, method.k)
        for summary, tested in zip(leave_each_out(summaries), summaries, strict=True):
            at, split = next(splits)
            for setting in group:
                fitted = _tried(settled, learners[setting], rows, maker.plan_, summary, len(split.train))
                yield Trial(setting, at, split, fitted, tested, maker.plan_)


def _one_pass_each(
    learners: Sequence[Any], group: Sequence[int], rows: Table, method: Plan, seed: int
) -> Iterator[Trial]:
    """The summary of each training set once."""
    for at, split in enumerate(method.splits(len(rows), rows.labels, seed)):
        plan, summary = summarised(learners[group[0]], rows.take(split.train))
        for setting in group:
            fitted = _tried(settled, learners[setting], rows, plan, summary, len(split.train))
            yield Trial(setting, at, split, fitted)


def summarised(learner: Any, rows: Table) -> tuple[Any, Any]:
    """The plan and the weighed summary under which a learner would fit these labelled rows."""
    maker = fresh(learner)
    weighted = maker._weighted(rows)
    maker.weighing_ = maker._weighing_of(rows, NO_WEIGHTS)
    maker.plan_ = maker._planned([weighted], rows.schema, maker._size)
    return maker.plan_, Weighed(maker._summary_of(weighted), maker.weighing_)
