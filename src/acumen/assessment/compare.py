"""`compare`: which learner is really better, on the same splits for all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from acumen import voice
from acumen.assessment.assess import assess
from acumen.assessment.assessment import Assessment
from acumen.assessment.comparison import Comparison
from acumen.assessment.runs import task_of
from acumen.assessment.scores import measure as measure_of
from acumen.assessment.scores import measure_for
from acumen.assessment.statistics.given import require_rope
from acumen.assessment.subject import class_name, fixed_seed, learner_name, same, taken
from acumen.assessment.verdicts import Pair
from acumen.base.decision import resolve_costs
from acumen.base.kinds import learner_class
from acumen.base.parameters import specs_of
from acumen.base.task import CLASSES, NUMBERS, Task
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError, ParameterError, did_you_mean
from acumen.resample import KFold
from acumen.types import Label

__all__ = ["Comparison", "Pair", "compare"]

#: Told which learner is at work and how many of its splits are finished.
Progress = Callable[[str, int], None]

TEN_TIMES_TEN_FOLDS = KFold(10, repeats=10)


def compare(
    learners: Sequence[Any] | Mapping[str, Any],
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
    progress: Progress | None = None,
) -> Any:
    """Judge several learners on the same splits and say which are really better.

    Parameters
    ----------
    learners : list, or mapping of name to learner
        Of acumen or of scikit-learn (pipelines too). In a list equal names are told apart by the parameters that
        differ. All classifiers, or all regressors. What
        they have to beat is always added: `Majority`, or for regressors `Mean`.
    table : Table, or several (a list, or a mapping of name to Table)
        Over several tables the result is a `ComparisonOverTables`: Friedman, Nemenyi, wins and losses.
    method : KFold(10, repeats=10) unless given
    measure : name of a measure
        "error" for classifiers and "rmse" for regressors, unless given; of regressors mae and r2 stand beside it.
    baseline : str, optional
        Compare every other learner with this one only.
    random_state : int, Generator or None
        Seeds the splits, the same for all learners.
    n_jobs : int, optional
        Threads of learners that have that parameter.
    positive : label, optional
        As for `assess`.
    costs : matrix or mapping, optional
        For the measure `cost`; those of the learners unless given, which must then agree.
    rope : float
        Differences up to this size do not matter, in units of the measure: 0.01 is one percentage point of error. Two
        learners are called practically equal only where the whole interval of their difference lies within it.
    progress : callable, optional
        Told a learner's name and how many of its splits are finished.

    Returns
    -------
    Comparison
        Ctrl-C ends it early: learners that were finished are kept, and a note says which were not.

    Examples
    --------
    >>> import acumen
    >>> found = acumen.compare([acumen.NaiveBayes(), acumen.OneR()], acumen.datasets.load("iris"), random_state=0)
    >>> found.names
    ('NaiveBayes', 'OneR', 'Majority')
    """
    named = named_learners(learners)
    task = common_task(named)
    measure = measure_for(measure, task).name
    require_rope(rope, "compare")
    if not isinstance(table, Table):
        from acumen.assessment.compare_tables import compare_tables

        return compare_tables(
            named, table, method, measure, baseline, random_state, n_jobs, positive, costs, rope, progress
        )
    method = TEN_TIMES_TEN_FOLDS if method is None else method
    named, costs = with_yardstick(named, costs if measure == "cost" else None, measure, table.schema)
    _require(named, table.schema, baseline)
    seed = fixed_seed(random_state)
    measures = tuple(dict.fromkeys((measure, *task.measures, "fit_time", "predict_time", "size")))
    method = task.splitting(method, "compare")
    found: dict[str, Assessment] = {}
    notes: list[str] = []
    try:
        for name in sorted(
            named, key=lambda name: name != added(named)
        ):  # what all must beat is never missing
            found[name] = assess(
                named[name], table, method, measures, seed, False, n_jobs, positive=positive, costs=costs,
                progress=None if progress is None else _teller(progress, name),
            )  # fmt: skip
    except KeyboardInterrupt:
        left = [name for name in named if name not in found]
        if not found:
            raise
        notes.append(f"stopped before {', '.join(left)} finished; left out")
    notes += _notes(found)
    sign = -1.0 if measure_of(measure).larger_is_better else 1.0
    order = sorted(
        (name for name in named if name in found), key=lambda name: _rank_key(sign * found[name].mean)
    )
    if baseline is not None and baseline not in found:
        notes.append(f"the baseline {baseline} was not finished; all pairs are compared")
        baseline = None
    return Comparison(
        {name: found[name] for name in order}, measure, method, seed, baseline, tuple(notes),
        {name: named[name] for name in order}, table, positive, costs, float(rope), len(found) == len(named),
    )  # fmt: skip


def _require(named: Mapping[str, Any], schema: Schema, baseline: str | None) -> None:
    """Whatever can be refused is refused before the first of them is set to work."""
    if baseline is not None and baseline not in named:
        raise ParameterError(
            f"compare: the baseline {baseline!r} is no learner here; there are {', '.join(named)}."
            + did_you_mean(baseline, named)
        )
    for name, learner in named.items():
        _require_target(name, learner, schema)
        learner.check_parameters()
        sentence = learner.objection(schema)
        if sentence is not None:
            raise DataError(f"compare: {name} cannot learn from this table: {sentence}")


def _require_target(name: str, learner: Any, schema: Schema) -> None:
    target = schema.target
    if target is not None and not task_of(learner).suits(schema):
        wanted = "numeric" if target.is_nominal else "nominal"
        raise DataError(
            f"compare: {name} predicts {'numbers' if target.is_nominal else 'classes'}, but the target "
            f"{target.name!r} is {target.kind}; take other learners, or read the table with "
            f"{voice.option('kinds', {target.name: wanted})}."
        )


def common_task(named: Mapping[str, Any]) -> Task:
    """Whether these learners predict classes or numbers; they must do the same."""
    found: dict[Task, str] = {}
    for name, learner in named.items():
        found.setdefault(task_of(learner), name)
    if len(found) > 1:
        raise ParameterError(
            f"compare: {found[CLASSES]} predicts classes and {found[NUMBERS]} numbers; compare learners "
            "of one kind."
        )
    return next(iter(found), CLASSES)


def _notes(found: Mapping[str, Assessment]) -> list[str]:
    """The notes of all: what was odd about the splits once, what a learner said with its name."""
    return list(dict.fromkeys(note for each in found.values() for note in each.notes))


def _teller(progress: Progress, name: str) -> Callable[[int], None]:
    return lambda done: progress(name, done)


def _rank_key(value: float) -> tuple[bool, float]:
    return bool(np.isnan(value)), value


def named_learners(learners: Sequence[Any] | Mapping[str, Any]) -> dict[str, Any]:
    """Names for learners: their class, and where these are equal the parameters that differ."""
    if isinstance(learners, Mapping):
        given = {str(name): taken(learner, "compare") for name, learner in learners.items()}
    else:
        several = isinstance(learners, Iterable) and not hasattr(
            learners, "fit"
        )  # a pipeline can be gone through
        many = [taken(learner, "compare") for learner in (learners if several else [learners])]
        given = {}
        for learner, name in zip(many, _told_apart(many), strict=True):
            unused, number = name, 2
            while unused in given:
                unused, number = f"{name} #{number}", number + 1
            given[unused] = learner
    return given


def _told_apart(learners: Sequence[Any]) -> list[str]:
    """The class of each; of several of one class, with those parameters in which they differ."""
    made = []
    for learner in learners:
        name = class_name(learner)
        alike = [o for o in learners if type(o) is type(learner) and class_name(o) == name]
        if not hasattr(learner, "display_name"):
            made.append(f"{name}{_differing(learner, alike) if len(alike) > 1 else ''}")
            continue
        namesake = any(type(o) is not type(learner) and class_name(o) == name for o in learners)
        library = f"{type(learner.estimator).__module__.partition('.')[0]}." if namesake else ""
        made.append(library + (learner_name(learner) if len(alike) > 1 else name))
    return made


def _differing(learner: Any, alike: Sequence[Any]) -> str:
    every = [other.get_params(deep=False) for other in alike]
    own = learner.get_params(deep=False)
    names = [
        spec.name
        for spec in specs_of(type(learner))
        if any(not same(own[spec.name], other[spec.name]) for other in every)
    ]
    return f"({', '.join(f'{name}={own[name]!r}' for name in names)})" if names else ""


def with_yardstick(
    named: dict[str, Any], costs: Any, measure: str, schema: Schema
) -> tuple[dict[str, Any], Any]:
    """The learners with what each of them has to beat (`Majority`, `Mean`); and the costs to judge by."""
    task = common_task(named)
    if task is NUMBERS:
        costs = None
    elif costs is None and measure == "cost":
        costs = _common_costs(named, schema)
    if task.yardstick is None or added(named) is not None:
        return named, costs
    kind = learner_class(task.yardstick)
    made = kind() if costs is None else kind(costs=costs)
    return {**named, _unused(kind.__name__, named): made}, costs


def _unused(name: str, named: Mapping[str, Any]) -> str:
    while name in named:
        name += "_"
    return name


def added(named: Mapping[str, Any]) -> str | None:
    """The name of the yardstick among the learners, where it is there."""
    yardsticks = tuple(learner_class(task.yardstick) for task in (CLASSES, NUMBERS) if task.yardstick)
    return next((name for name, learner in named.items() if isinstance(learner, yardsticks)), None)


def _common_costs(named: Mapping[str, Any], schema: Schema) -> Any:
    """The costs that the learners agree on."""
    given = {
        name: learner.costs for name, learner in named.items() if getattr(learner, "costs", None) is not None
    }
    if not given:
        raise ParameterError(
            "compare: the measure 'cost' needs a cost matrix; give costs=, or learners with costs."
        )
    matrices = [resolve_costs(costs, schema.classes, name) for name, costs in given.items()]
    if any(_listed(matrix) != _listed(matrices[0]) for matrix in matrices[1:]):
        raise ParameterError(
            "compare: the learners have different costs; give costs= to judge all of them by."
        )
    return matrices[0]


def _listed(matrix: Any) -> list[list[float]]:
    """The numbers of a matrix, to be told from others' at once."""
    made: list[list[float]] = matrix.tolist()
    return made
