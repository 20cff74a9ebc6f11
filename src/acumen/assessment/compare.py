"""`compare`: find out which learner is really better, with the same splits for all."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from acumen.assessment.answer import join_names
from acumen.assessment.comparison import Comparison
from acumen.assessment.contestants import (
    able_learners,
    common_task,
    costs_by_rank,
    fixed_seed,
    named_learners,
    require_contestants,
    usual_measure,
    with_yardstick,
    yardstick_name,
)
from acumen.assessment.grid_edges import compared_edges
from acumen.assessment.probing import seconds
from acumen.assessment.runs import Ground, for_method, ground
from acumen.assessment.sample import LEAST, sample_ground, sample_size
from acumen.assessment.schedule import (
    Budget,
    Lane,
    TrialExtent,
    duration,
    run_lanes,
    sentence,
    settle_extent,
    splits_done,
)
from acumen.assessment.scores import measure as measure_of
from acumen.assessment.scores import measure_for, require_order
from acumen.assessment.statistics.given import require_rope
from acumen.assessment.trial import LearnerTrial, chosen_measures, require_method
from acumen.assessment.verdicts import PairVerdict
from acumen.base.estimator import LearnerLike
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.profiling.uninformative import uninformative_columns
from acumen.render.progress import Tell, notebook_bar
from acumen.resampling import KFold
from acumen.types import Label

if TYPE_CHECKING:
    from acumen.base.learner import Learner

__all__ = ["Comparison", "PairVerdict", "compare"]

#: Told which learner is at work and how many of its splits are finished; see also `schedule.Watch`.
Progress = Callable[[str, int], None]

#: What is told where the target is in order and nobody has said what wrong answers cost.
BY_RANK = "the classes are in order: a wrong answer costs how many ranks it is off (other costs can be given)"

TEN_TIMES_TEN_FOLDS = KFold(10, n_repeats=10)


def compare(
    learners: Sequence[LearnerLike] | Mapping[str, LearnerLike],
    table: Any,
    method: Any = TEN_TIMES_TEN_FOLDS,
    measure: str | None = None,
    baseline: str | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    *,
    positive: Label | None = None,
    costs: Any = None,
    rope: float = 0.01,
    time_limit: float | str | None = None,
    keep_ids: bool = False,
    calibrate: bool = False,
    sample: int | str | None = None,
    progress: Progress | None = None,
) -> Any:
    """Assess several learners on the same splits and report which differences are significant.

    Learners take turns, one repeat each. If a learner cannot use the table, fails, or does not finish a repeat in time,
    `unjudged` lists it with the reason; the others are still compared.

    Parameters
    ----------
    learners : list, or mapping of name to learner
        From acumen or scikit-learn (pipelines too). All classifiers, or all regressors. In a list, learners of the same
        name get names that include the parameters in which they differ. A baseline is always added: `Majority`, or for
        regressors `Mean`.
    table : Table, or several (a list, or a mapping of name to Table)
        Over several tables the result is a `ComparisonOverTables`: Friedman, Nemenyi, wins and losses.
    method : KFold, LeaveOneOut, Bootstrap, ..., optional
        How to split the rows. [default: KFold(10, n_repeats=10)]
    measure : name of a measure
        [default: "error" for classifiers, "cost" if the target is ordinal with three or more classes, "rmse" for
        regressors] For regressors, mae and r2 are reported too.
    baseline : str, optional
        Compare every other learner with this one only.
    random_state : int, Generator or None
        Seeds the splits, the same for all learners.
    n_jobs : int, optional
        Threads of learners that have that parameter.
    positive : label, optional
        As for `assess`.
    costs : matrix or mapping, optional
        For the measure `cost`. [default: the costs of the learners, which must agree] If the target is ordinal and no
        learner has costs, |i - j|: by how many ranks an answer is wrong.
    rope : float
        Differences up to this size do not matter, in units of the measure: 0.01 is one percentage point of error. Two
        learners are called practically equal only where the whole interval of their difference lies within it.
    time_limit : float or str, optional
        Time limit: seconds, or a text such as "90s" or "5m". [default: no limit; every learner is tested on all splits
        of all rows] acumen predicts the time of each learner from fits on parts of the rows. The fastest learners
        start, and only whole repeats count. If you give no method, acumen may use fewer folds so that all learners can
        finish a repeat. If that is not enough, it judges all learners on a sample of the rows. Several tables share
        the time.
    keep_ids : bool
        Also use columns that look like identifiers or are constant. [default: False: they are ignored and listed in
        `left_out`, unless no other column remains]
    calibrate : bool
        If the measure needs probabilities, give them to learners that have none, by Platt's curves fitted on inner
        folds of each training set. [default: False: such learners are listed in `unjudged`]
    sample : int or "all", optional
        Judge on this number of rows, drawn at random in the proportions of the classes, the same for all learners.
        [default: all rows; with `time_limit` as many as time allows, at least 5,000] "all" never draws a sample. `fit`
        always uses all rows.
    progress : callable, optional
        Called with a learner's name and the number of its finished splits. [default: a progress bar in a notebook, else
        nothing] If it has a method `expects`, that is called before each split with the learner's name, about how many
        seconds remain (or None), and the learners that still have splits. If it has a method `stands`, that is called
        after each split with the name, the number of finished splits, and a function that returns the measure so far
        with its interval.

    Returns
    -------
    Comparison
        Ctrl-C ends it early: the repeats that were finished are kept, and `complete` is False.

    Examples
    --------
    >>> import acumen
    >>> found = acumen.compare([acumen.NaiveBayes(), acumen.OneR()], acumen.datasets.load("iris"), random_state=0)
    >>> found.names
    ('NaiveBayes', 'OneR', 'Majority')
    """
    flexible = method is None or method is TEN_TIMES_TEN_FOLDS
    method = TEN_TIMES_TEN_FOLDS if method is None else method
    named = named_learners(learners)
    task = common_task(named)
    if measure is None and isinstance(table, Table):
        measure = usual_measure(named, table.schema)
    chosen = measure_for(measure, task)
    require_rope(rope, "compare")
    allowed = None if time_limit is None else seconds(time_limit, "compare: time_limit")
    rows = sample_size(sample)
    with notebook_bar() as bar:
        splits = int(getattr(method, "n_splits", 1)) * int(getattr(method, "n_repeats", 1))
        tables = len(table) if isinstance(table, (Sequence, Mapping)) else 1
        tell = progress if progress is not None or bar is None else Tell(bar, len(named) * splits * tables)
        if not isinstance(table, Table):
            from acumen.assessment.compare_tables import compare_tables

            return compare_tables(
                named, table, method, chosen.name, baseline, random_state, n_jobs, positive, costs, rope, tell,
                allowed, keep_ids, calibrate, rows,
            )  # fmt: skip
        wishes = ComparisonRequest(
            method=method,
            measure=chosen.name,
            baseline=baseline,
            positive=positive,
            rope=rope,
            time_limit=allowed,
            keep_ids=keep_ids,
            calibrate=calibrate,
            flexible=flexible,
            sample=rows,
        )
        return compare_on_table(named, table, wishes, random_state, n_jobs, costs, tell)


def compared_by(
    learners: Sequence[LearnerLike] | Mapping[str, LearnerLike],
    table: Table,
    *,
    folds: int | None,
    repeats: int,
    measure: str | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
    costs: Any = None,
    sample: int | str | None = None,
    progress: Progress | None = None,
    **wishes: Any,
) -> Comparison:
    """Compare learners with folds and repeats; without a number of folds, a time limit may use fewer than ten."""
    named = named_learners(learners)
    measure = usual_measure(named, table.schema) if measure is None else measure
    chosen = measure_for(measure, common_task(named))
    require_rope(wishes.get("rope", 0.01), "compare")
    method = KFold(10 if folds is None else folds, n_repeats=repeats)
    wishes_given = ComparisonRequest(
        method, chosen.name, **wishes, flexible=folds is None, sample=sample_size(sample)
    )
    return compare_on_table(named, table, wishes_given, seed, n_jobs, costs, progress)


@dataclass(frozen=True, slots=True)
class ComparisonRequest:
    """The arguments of a comparison, checked as far as possible without a table."""

    method: Any
    measure: str
    baseline: str | None = None
    positive: Label | None = None
    rope: float = 0.01
    time_limit: float | None = None
    keep_ids: bool = False
    calibrate: bool = False
    #: Whether there may be fewer folds where time is short.
    flexible: bool = False
    #: Judge on so many rows, on "all" of them, or (None) on as many as there is time for.
    sample: int | str | None = None


def compare_on_table(
    named: dict[str, Learner],
    table: Table,
    wishes: ComparisonRequest,
    random_state: Any,
    n_jobs: int | None,
    costs: Any,
    progress: Progress | None,
) -> Comparison:
    """Compare named learners on one table."""
    budget = Budget.of(wishes.time_limit)
    measure, task = wishes.measure, common_task(named)
    by_rank = costs_by_rank(named, costs, measure, table.schema)
    named, costs = with_yardstick(named, costs if measure == "cost" else None, measure, table.schema)
    require_contestants(named, table.schema, wishes.baseline)
    left_out = {} if wishes.keep_ids else uninformative_columns(table)
    if left_out:
        table = table.select([name for name in table.schema.names if name not in left_out])
    seed = fixed_seed(random_state)
    measures = tuple(dict.fromkeys((measure, *task.measures, "fit_time", "predict_time", "size")))
    chosen = chosen_measures(measures, task)
    require_order(chosen, table.schema, "compare")
    require_method(wishes.method, chosen, "compare")
    rows = int(np.count_nonzero(table.known_target()))
    if wishes.flexible and isinstance(wishes.method, KFold) and 2 <= rows < wishes.method.n_splits:
        wishes = replace(wishes, method=replace(wishes.method, n_splits=rows))
    named, unjudged = able_learners(named, table, chosen, wishes.calibrate)
    failures: list[Exception] = []

    def record_failure(name: str, error: Exception) -> None:
        failures.append(error)
        unjudged[name] = f"failed: {sentence(error)}"

    grounds: dict[tuple[bool, int | None], Ground] = {}

    def trial(name: str, extent: TrialExtent) -> LearnerTrial:
        # The rows are the same for all, but for those that learn from unlabelled ones.
        key = named[name].learns_unlabelled, extent.rows
        if key not in grounds:
            whole_ground = ground(named[name], table, None)
            grounds[key] = (
                whole_ground if extent.rows is None else sample_ground(whole_ground, extent.rows, seed)
            )
        method = extent.method
        base = for_method(grounds[key], method, len(table), named[name])
        # Where there is no room for the summaries of all folds, folds are fitted one by one.
        refit = named[name].shortage(base.rows, getattr(method, "n_splits", 0)) is not None
        return LearnerTrial.of(
            named[name], table, method, chosen, seed, refit=refit, n_jobs=n_jobs, positive=wishes.positive, costs=costs,
            base=base,
        )  # fmt: skip

    watch = progress if hasattr(progress, "expects") else None
    lanes: list[Lane] = []
    sample_rows = wishes.sample if isinstance(wishes.sample, int) and wishes.sample < rows else None
    extent, complete = TrialExtent(task.splitting(wishes.method, "compare"), sample_rows), True
    least = LEAST if wishes.sample is None and getattr(wishes.method, "groups", None) is None else None
    try:
        lanes, extent = settle_extent(
            list(named), trial, extent, budget, first=yardstick_name(named), flexible=wishes.flexible,
            record_failure=record_failure,
            watch=watch, least=least,
        )  # fmt: skip
        run_lanes(lanes, budget, progress, watch)
    except KeyboardInterrupt:
        complete = False
        if not any(lane.trial.whole and lane.error is None for lane in lanes):
            raise
    for lane in lanes:
        if lane.error is not None:
            failures.append(lane.error)
        if not lane.trial.whole or lane.error is not None:
            unjudged[lane.name] = lane.stopped or f"stopped after {splits_done(lane)}"
    judged = {lane.name: lane for lane in lanes if lane.trial.whole and lane.error is None}
    if complete:  # else what all have to beat may be all there is to show
        _require_some(judged, named, unjudged, failures)
    return _assemble_comparison(
        judged, named, unjudged, left_out, table, wishes, extent, costs, seed, complete, by_rank
    )


def _require_some(
    judged: Mapping[str, Any],
    named: Mapping[str, Learner],
    unjudged: Mapping[str, str],
    failures: Sequence[Exception],
) -> None:
    """Require at least one learner besides the baseline."""
    yardstick = yardstick_name(named)
    if set(judged) - {yardstick} or (judged and not set(unjudged) - {yardstick}):
        return
    if failures:
        raise failures[0]
    reasons = "; ".join(f"{name}: {why}" for name, why in unjudged.items())
    first = next(iter(unjudged.items()), None)
    if first is not None and len(unjudged) == 1:
        raise DataError(f"compare: {first[0]} {first[1]}")
    raise DataError(f"compare: no learner can be judged: {reasons}")


def _assemble_comparison(
    judged: Mapping[str, Lane],
    named: Mapping[str, Learner],
    unjudged: Mapping[str, str],
    left_out: Mapping[str, str],
    table: Table,
    wishes: ComparisonRequest,
    extent: TrialExtent,
    costs: Any,
    seed: int,
    complete: bool,
    by_rank: bool,
) -> Comparison:
    """Assemble the comparison from the repeats that all learners have finished."""
    measure, baseline, method = wishes.measure, wishes.baseline, extent.method
    common = min(lane.trial.whole for lane in judged.values())
    whole = {name: lane.trial.assessment() for name, lane in judged.items()}
    assessments = {
        name: whole[name] if lane.trial.whole == common else lane.trial.assessment(common)
        for name, lane in judged.items()
    }
    used = method if common == getattr(method, "n_repeats", 1) else replace(method, n_repeats=common)
    of = int(np.count_nonzero(table.known_target()))
    notes = [BY_RANK] if by_rank else []
    notes += _stops(judged, wishes, extent, of, complete)
    notes += list(dict.fromkeys(note for each in assessments.values() for note in each.notes))
    sign = -1.0 if measure_of(measure).larger_is_better else 1.0
    order = sorted(
        (name for name in named if name in assessments),
        key=lambda name: _rank_key(sign * assessments[name].mean),
    )
    ranked_learners = {name: named[name] for name in order}
    if ranked_learners:
        notes += compared_edges(ranked_learners, {name: assessments[name].mean for name in order})
    if baseline is not None and baseline not in assessments:
        notes.insert(0, f"the baseline {baseline} did not finish, so all pairs are compared")
        baseline = None
    return Comparison(
        assessments={name: assessments[name] for name in order},
        measure=measure,
        method=used,
        seed=seed,
        baseline=baseline,
        notes=tuple(notes),
        learners=ranked_learners,
        data=table,
        positive=wishes.positive,
        costs=costs,
        rope=float(wishes.rope),
        complete=complete,
        finished={name: whole[name] for name in order},
        unjudged=dict(unjudged),
        asked=wishes.method,
        time=wishes.time_limit,
        left_out=dict(left_out),
        keep_ids=wishes.keep_ids,
        sample=extent.rows,
        n_rows=of,
    )


def _stops(
    judged: Mapping[str, Lane], wishes: ComparisonRequest, extent: TrialExtent, of: int, complete: bool
) -> list[str]:
    """Describe what a time limit or Ctrl-C cut short."""
    notes = [] if complete else ["stopped before all was finished"]
    folds_wanted, used = getattr(wishes.method, "n_splits", None), getattr(extent.method, "n_splits", None)
    if folds_wanted != used and wishes.time_limit is not None:
        notes.append(f"{used} folds instead of {folds_wanted}, so that more learners have time for a repeat")
    if extent.rows is not None:
        notes.append(_sample_note(judged, wishes, extent.rows, of))
    by_number: dict[int, list[str]] = {}
    for name, lane in judged.items():
        if lane.trial.whole < lane.trial.repeats:
            by_number.setdefault(lane.trial.whole, []).append(name)
    if by_number:
        allowed = "" if wishes.time_limit is None or not complete else f" in {duration(wishes.time_limit)}"
        done = "; ".join(f"{whole} by {join_names(names)}" for whole, names in sorted(by_number.items()))
        of = next(iter(judged.values())).trial.repeats
        notes.append(f"fewer than {of} repeats were finished{allowed}: {done}")
    return notes


def _sample_note(judged: Mapping[str, Lane], wishes: ComparisonRequest, rows: int, of: int) -> str:
    """Say that a sample was used, and which learners would take long on all rows."""
    note = f"judged on {rows:,} of {of:,} rows, drawn at random"
    if wishes.sample is None:
        note += ", so that more learners have time for a repeat"
    note += "; the one that is taken is learned from all"
    longer = [
        f"{name} would take about {duration(seconds)}"
        for name, lane in judged.items()
        if lane.cost is not None
        and (seconds := lane.cost.split_seconds(of)) > (wishes.time_limit or math.inf)
    ]
    return note + (f", for which {join_names(longer)}" if longer else "")


def _rank_key(value: float) -> tuple[bool, float]:
    return bool(np.isnan(value)), value
