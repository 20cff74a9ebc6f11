"""The search behind `Tuned`: evaluate every setting, by validation or by a criterion.

by_validation   learners, rows, method, judge -> Results    splits of the rows, the same for all settings
by_criterion    learners, rows, "aic" | "bic"   -> Results    each setting once on all rows
settle          Results, how to fit -> Results, learner     the chosen one on all rows

Settings tried on splits, reading the data as seldom as the learner allows.

    trials   learners, rows, method -> a Trial for each setting and split

Settings of one family differ only in what `solve` uses: cross-validation fills the summaries of all folds in one
pass (where the learner needs no plan of its own for each training set), any other method summarises each training
set once, and every setting of the family is solved from these. The models equal those of fitting each anew.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from acumen.assessment.contestants import collect_warnings, fixed_seed
from acumen.assessment.judge import MeasureJudge
from acumen.assessment.runs import runs
from acumen.base.training import Training
from acumen.data.table import Table
from acumen.engines.tasks import each_task
from acumen.errors import DataError, ParameterError
from acumen.resampling import Holdout, KFold, LeaveOneOut, ResamplingPlan, Split, Subsample, TimeSlice
from acumen.summaries.algebra import leave_each_out
from acumen.tuning.grid import Setting, families, setting_text
from acumen.tuning.results import Results, Rule
from acumen.types import Floats, Indices

if TYPE_CHECKING:
    from acumen.base.learner import Learner


CRITERIA: Mapping[str, Callable[[Any, Table], float]] = {
    "aic": lambda fitted, rows: float(fitted.aic(rows)),
    "bic": lambda fitted, rows: float(fitted.bic(rows)),
}
_METHODS = (KFold, LeaveOneOut, Holdout, Subsample, TimeSlice)


def by_validation(
    learners: Sequence[Learner],
    settings: Sequence[Setting],
    rows: Table,
    method: ResamplingPlan,
    judge: MeasureJudge,
    rule: Rule,
    random_state: Any,
    who: str,
    parts: Callable[[SettingTrial], None] | None = None,
) -> Results:
    """Evaluate every setting on every split; `parts` receives every trial that has a summary of its test rows."""
    require_method(method, who)
    seed = fixed_seed(random_state)
    with collect_warnings() as notes:
        if isinstance(method, LeaveOneOut) and method.by_row:
            # In closed form where the learner has one.
            each = [_left_out(one, rows, method, judge) for one in learners]
            failures = {i: one for i, one in enumerate(each) if isinstance(one, DataError)}
            some = [one for one in each if not isinstance(one, DataError)]
            gap = np.full_like(some[0], np.nan) if some else np.empty(0)
            values = np.stack([gap if isinstance(one, DataError) else one for one in each])
        else:
            values = np.full((len(settings), method.len_for(len(rows))), np.nan)
            failures = {}
            for trial in trials(learners, families(learners, settings), rows, method, seed):
                if isinstance(trial.fitted, DataError):
                    failures.setdefault(trial.setting, trial.fitted)
                    continue
                if trial.tested is not None and parts is not None:
                    parts(trial)
                value = (
                    None
                    if trial.tested is None
                    else judge.value_of_summary(trial.fitted, trial.tested.summary)
                )
                if value is None:
                    value = judge.value(trial.fitted, rows.take(trial.split.test))
                values[trial.setting, trial.at] = value
    _pass_over(failures, settings, values, "on every split", who)
    return Results.of(
        settings,
        values,
        rule,
        measure=judge.measure,
        method=str(method),
        larger_is_better=judge.larger_is_better,
        who=who,
        notes=notes,
    )


def _left_out(learner: Learner, rows: Table, method: LeaveOneOut, judge: MeasureJudge) -> Floats | DataError:
    try:
        return judge.left_out(runs(learner, rows, method, proba=judge.needs_proba))
    except DataError as error:
        return error


def _pass_over(
    failures: Mapping[int, DataError], settings: Sequence[Setting], values: Floats, where: str, who: str
) -> None:
    """Skip a setting that fails on one split; if all settings fail, so does the search."""
    if not failures:
        return
    first = min(failures)
    if len(failures) == len(settings):
        raise failures[first]
    values[list(failures)] = np.nan
    warnings.warn(
        f"{who}: {len(failures)} of {len(settings)} settings could not be fitted {where} and are skipped; "
        f"{setting_text(dict(settings[first]))}: {failures[first]}",
        UserWarning,
        stacklevel=2,
    )


def settle(found: Results, fitted: Callable[[int], Learner], who: str) -> tuple[Results, Learner]:
    """Fit the chosen setting on all rows; if that fails, choose again without it."""
    while True:
        try:
            return found, fitted(found.chosen)
        except DataError as error:
            if np.count_nonzero(~np.isnan(found.mean)) < 2:
                raise
            warnings.warn(
                f"{who}: {setting_text(dict(found.settings[found.chosen]))} would be chosen, but could not be fitted "
                f"on all rows and is skipped: {error}",
                UserWarning,
                stacklevel=2,
            )
            found = found.without(found.chosen, who)


def by_criterion(
    learners: Sequence[Learner],
    settings: Sequence[Setting],
    rows: Table,
    criterion: str,
    rule: Rule,
    who: str,
) -> Results:
    """Fit every setting once on all rows: fit and parsimony in one number, smaller is better."""
    if rule != "best":
        raise ParameterError(
            f"{who}: rule must be 'best' for measure={criterion!r}, which has no standard error; got {rule!r}."
        )
    values = np.full((len(settings), 1), np.nan)
    failures: dict[int, DataError] = {}
    for group in families(learners, settings):
        training = Training.of(learners[group[0]], rows)
        for i in group:
            try:
                fitted = training.fit_learner(learners[i])
            except DataError as error:
                failures[i] = error
                continue
            values[i, 0] = _criterion(fitted, rows, criterion, who)
    _pass_over(failures, settings, values, "on all rows", who)
    return Results.of(
        settings,
        values,
        rule,
        measure=criterion,
        method="one fit on all rows",
        larger_is_better=False,
        who=who,
    )


def _criterion(fitted: Learner, rows: Table, criterion: str, who: str) -> float:
    try:
        if fitted.model_.probabilistic:
            return CRITERIA[criterion](fitted, rows)
    except AttributeError as error:
        if "count of parameters" not in str(error):
            raise
    raise ParameterError(
        f"{who}: measure={criterion!r} needs a likelihood and a number of parameters, which {type(fitted).__name__} "
        "does not have; validate instead, with measure='error'."
    )


def require_method(method: Any, who: str) -> Any:
    """Return the method if it splits rows in two and its values may be averaged."""
    if not isinstance(method, _METHODS):
        raise ParameterError(
            f"{who}: method must be KFold, LeaveOneOut, Holdout, Subsample or TimeSlice; got {method!r}."
        )
    return method


@dataclass(frozen=True, slots=True)
class SettingTrial:
    """One setting fitted on the training rows of one split; both by their positions.

    Where the rows would not do for the setting, `fitted` is the error that said so.
    """

    setting: int
    at: int
    split: Split
    fitted: Learner
    tested: Training | None = None  # of the rows tested, where they have a summary


def trials(
    learners: Sequence[Learner],
    groups: Sequence[Sequence[int]],
    rows: Table,
    method: ResamplingPlan,
    seed: int,
) -> Iterator[SettingTrial]:
    """Fit every learner on the training rows of every split; `groups` as `grid.families` returns them."""
    for group in groups:
        if isinstance(method, KFold) and learners[group[0]].can_add_folds(rows.schema):
            yield from _one_pass(learners, group, rows, method, seed)
        else:
            yield from _one_pass_each(learners, group, rows, method, seed)


def _fit_or_none(made: Callable[..., Any], *given: Any) -> Any:
    """Fit a learner, or return the error: rows that are not separable, say, fail a setting but not the search."""
    try:
        return made(*given)
    except DataError as error:
        return error


def _one_pass(
    learners: Sequence[Learner], group: Sequence[int], rows: Table, method: KFold, seed: int
) -> Iterator[SettingTrial]:
    """The summaries of all folds of a repeat together."""
    splits = enumerate(method.splits(len(rows), rows.labels, seed))
    for parts in method.part_codes(len(rows), rows.labels, seed):
        folds = Training.of(learners[group[0]], rows).parts(parts, method.n_splits)
        for others, tested in zip(leave_each_out(folds), folds, strict=True):
            at, split = next(splits)
            for setting in group:
                yield SettingTrial(
                    setting, at, split, _fit_or_none(others.fit_learner, learners[setting]), tested
                )


def _one_pass_each(
    learners: Sequence[Learner], group: Sequence[int], rows: Table, method: ResamplingPlan, seed: int
) -> Iterator[SettingTrial]:
    """Each training set once: summarised for all settings, or fitted by the only one."""
    splits = method.splits(len(rows), rows.labels, seed)
    kept: list[Split] = []

    def trains() -> Iterator[tuple[Indices]]:
        for split in splits:
            kept.append(split)
            yield (split.train,)

    group_learners = [learners[setting] for setting in group]
    task_results = each_task(
        _fitted_each,
        trains(),
        shared=(group_learners, rows),
        what=f"a split of {type(group_learners[0]).__name__}",
    )
    for at, fitted in enumerate(task_results):
        for setting, each in zip(group, fitted, strict=True):
            yield SettingTrial(setting, at, kept[at], each)


def _fitted_each(learners: Sequence[Learner], rows: Table, train: Indices) -> list[Any]:
    """Fit learners of one plan on the same training rows, or return their errors."""
    training = _fit_or_none(Training.of, learners[0], rows.take(train))
    if isinstance(training, DataError):
        return [training] * len(learners)
    return [_fit_or_none(training.fit_learner, learner) for learner in learners]
