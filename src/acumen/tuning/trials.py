"""Settings tried on splits, reading the data as seldom as the learner allows.

    trials   learners, rows, method -> a Trial for each setting and split

Settings of one family differ only in what `solve` uses: cross-validation fills the summaries of all folds in one
pass (where the learner needs no plan of its own for each training set), any other method summarises each training
set once, and every setting of the family is solved from these. The models equal those of fitting each anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from acumen.base.training import Training
from acumen.data.table import Table
from acumen.engines.tasks import each_task
from acumen.errors import DataError
from acumen.resampling import KFold, Plan, Split
from acumen.summaries.algebra import leave_each_out
from acumen.types import Indices

if TYPE_CHECKING:
    from acumen.base.learner import Learner


@dataclass(frozen=True, slots=True)
class Trial:
    """One setting fitted on the training rows of one split; both by their positions.

    Where the rows would not do for the setting, `fitted` is the error that said so.
    """

    setting: int
    at: int
    split: Split
    fitted: Learner
    tested: Training | None = None  # of the rows tested, where they have a summary


def trials(
    learners: Sequence[Learner], groups: Sequence[Sequence[int]], rows: Table, method: Plan, seed: int
) -> Iterator[Trial]:
    """Every learner fitted on the training rows of every split; `groups` as `grid.families` gives them."""
    for group in groups:
        if isinstance(method, KFold) and learners[group[0]].can_add_folds(rows.schema):
            yield from _one_pass(learners, group, rows, method, seed)
        else:
            yield from _one_pass_each(learners, group, rows, method, seed)


def _tried(made: Callable[..., Any], *given: Any) -> Any:
    """Of a hard margin, say, rows may turn out not to be separable: that is a setting's failure, not the search's."""
    try:
        return made(*given)
    except DataError as error:
        return error


def _one_pass(
    learners: Sequence[Learner], group: Sequence[int], rows: Table, method: KFold, seed: int
) -> Iterator[Trial]:
    """The summaries of all folds of a repeat together."""
    splits = enumerate(method.splits(len(rows), rows.labels, seed))
    for parts in method.part_codes(len(rows), rows.labels, seed):
        folds = Training.of(learners[group[0]], rows).parts(parts, method.k)
        for others, tested in zip(leave_each_out(folds), folds, strict=True):
            at, split = next(splits)
            for setting in group:
                yield Trial(setting, at, split, _tried(others.fitted, learners[setting]), tested)


def _one_pass_each(
    learners: Sequence[Learner], group: Sequence[int], rows: Table, method: Plan, seed: int
) -> Iterator[Trial]:
    """Each training set once: summarised for all settings, or learned from by the only one."""
    splits = method.splits(len(rows), rows.labels, seed)
    kept: list[Split] = []

    def trains() -> Iterator[tuple[Indices]]:
        for split in splits:
            kept.append(split)
            yield (split.train,)

    own = [learners[setting] for setting in group]
    made = each_task(_fitted_each, trains(), shared=(own, rows), what=f"a split of {type(own[0]).__name__}")
    for at, fitted in enumerate(made):
        for setting, each in zip(group, fitted, strict=True):
            yield Trial(setting, at, kept[at], each)


def _fitted_each(learners: Sequence[Learner], rows: Table, train: Indices) -> list[Any]:
    """Learners of one plan, each fitted on the same training rows; or what they say of these."""
    training = _tried(Training.of, learners[0], rows.take(train))
    if isinstance(training, DataError):
        return [training] * len(learners)
    return [_tried(training.fitted, learner) for learner in learners]
