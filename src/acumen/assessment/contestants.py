"""Who takes part in a comparison: learners by name, what all of them have to beat, and who cannot be judged.

named_learners    a list or mapping of learners -> learners by name
common_task       whether they predict classes or numbers
with_yardstick    with `Majority` or `Mean`, and the costs to judge by
required          whatever can be refused before work begins is
able_on           those that can be tried on a table, and why the others cannot
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from acumen import messages
from acumen.assessment.runs import task_of
from acumen.assessment.scores import Measure
from acumen.assessment.subject import class_name, learner_name, said_value, same, taken
from acumen.base.estimator import LearnerLike
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.ensembles.calibrated import calibrated
from acumen.errors import DataError, ParameterError, did_you_mean
from acumen.models.decision import resolve_costs
from acumen.models.kinds import learner_class
from acumen.models.parameters import specs_of
from acumen.models.task import CLASSES, NUMBERS, Task
from acumen.rows.class_order import rank_costs, ranked

if TYPE_CHECKING:
    from acumen.base.learner import Learner


def named_learners(learners: Sequence[LearnerLike] | Mapping[str, LearnerLike]) -> dict[str, Learner]:
    """Names for learners: their class, and where these are equal the parameters that differ."""
    if isinstance(learners, Mapping):
        given = {str(name): taken(learner, "compare") for name, learner in learners.items()}
    else:
        several = isinstance(learners, Iterable) and not hasattr(
            learners, "fit"
        )  # a pipeline can be gone through
        every = cast("Sequence[LearnerLike]", learners if several else [learners])
        many = [taken(learner, "compare") for learner in every]
        given = {}
        for learner, name in zip(many, _told_apart(many), strict=True):
            unused, number = name, 2
            while unused in given:
                unused, number = f"{name} #{number}", number + 1
            given[unused] = learner
    return given


def _told_apart(learners: Sequence[Learner]) -> list[str]:
    """The class of each; of several of one class, with those parameters in which they differ."""
    made = []
    for learner in learners:
        name = class_name(learner)
        alike = [o for o in learners if type(o) is type(learner) and class_name(o) == name]
        if not hasattr(learner, "display_name"):
            made.append(f"{name}{_differing(learner, alike) if len(alike) > 1 else ''}")
            continue
        namesake = any(type(o) is not type(learner) and class_name(o) == name for o in learners)
        library = (
            f"{type(getattr(learner, 'estimator', None)).__module__.partition('.')[0]}." if namesake else ""
        )
        made.append(library + (learner_name(learner) if len(alike) > 1 else name))
    return made


def _differing(learner: Learner, alike: Sequence[Learner]) -> str:
    every = [other.get_params(deep=False) for other in alike]
    own = learner.get_params(deep=False)
    names = [
        spec.name
        for spec in specs_of(type(learner))
        if any(not same(own[spec.name], other[spec.name]) for other in every)
    ]
    return f"({', '.join(f'{name}={said_value(own[name])}' for name in names)})" if names else ""


def common_task(named: Mapping[str, Learner]) -> Task:
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


def with_yardstick(
    named: dict[str, Learner], costs: Any, measure: str, schema: Schema
) -> tuple[dict[str, Learner], Any]:
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


def usual_measure(named: Mapping[str, Learner], schema: Schema) -> str | None:
    """What is judged by where nobody says: of a target in order the cost, else (None) what the task usually has.

    Learners that have different costs of their own do not say which of them counts.
    """
    if common_task(named) is not CLASSES or not ranked(schema.target):
        return None
    own = [getattr(learner, "costs", None) for learner in named.values()]
    matrices = [_listed(resolve_costs(each, schema.classes, "compare")) for each in own if each is not None]
    return "cost" if all(each == matrices[0] for each in matrices) else None


def costs_by_rank(named: Mapping[str, Learner], costs: Any, measure: str, schema: Schema) -> bool:
    """Whether wrong answers cost how many ranks they are off, as nobody has said otherwise."""
    said = costs is not None or any(getattr(each, "costs", None) is not None for each in named.values())
    return measure == "cost" and not said and ranked(schema.target)


def _unused(name: str, named: Mapping[str, Learner]) -> str:
    while name in named:
        name += "_"
    return name


def added(named: Mapping[str, Learner]) -> str | None:
    """The name of the yardstick among the learners, where it is there."""
    yardsticks = tuple(learner_class(task.yardstick) for task in (CLASSES, NUMBERS) if task.yardstick)
    return next((name for name, learner in named.items() if isinstance(learner, yardsticks)), None)


def _common_costs(named: Mapping[str, Learner], schema: Schema) -> Any:
    """The costs that the learners agree on; of classes in order, where nobody has any, how many ranks off it is."""
    given = {
        name: costs
        for name, learner in named.items()
        if (costs := getattr(learner, "costs", None)) is not None
    }
    if not given:
        if ranked(schema.target):
            return rank_costs(schema.n_classes)
        raise ParameterError(
            "compare: the measure 'cost' needs a cost matrix; give costs=, learners with costs, or a target in order."
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


def required(named: Mapping[str, Learner], schema: Schema, baseline: str | None) -> None:
    """Whatever can be refused is refused before the first of them is set to work."""
    if baseline is not None and baseline not in named:
        raise ParameterError(
            f"compare: the baseline {baseline!r} is no learner here; there are {', '.join(named)}."
            + did_you_mean(baseline, named)
        )
    for name, learner in named.items():
        _require_target(name, learner, schema)
        learner.check_parameters()


def _require_target(name: str, learner: Learner, schema: Schema) -> None:
    target = schema.target
    if target is not None and not task_of(learner).suits(schema):
        wanted = "numeric" if target.is_nominal else "nominal"
        raise DataError(
            f"compare: {name} predicts {'numbers' if target.is_nominal else 'classes'}, but the target "
            f"{target.name!r} is {target.kind}; take other learners, or read the table with "
            f"{messages.option('kinds', {target.name: wanted})}."
        )


def able_on(
    named: dict[str, Learner], table: Table, chosen: Sequence[Measure], calibrate: bool
) -> tuple[dict[str, Learner], dict[str, str]]:
    """The learners that can be tried on a table, and why the others cannot."""
    able: dict[str, Learner] = {}
    unjudged: dict[str, str] = {}
    needing = next((m.name for m in chosen if m.needs == "probabilities"), None)
    for name, learner in named.items():
        objection = learner.objection(table.schema) or learner.shortage(table)
        if objection is not None:
            unjudged[name] = f"cannot learn from this table: {objection}"
        elif needing is None or learner.model_type.probabilistic:
            able[name] = learner
        elif not calibrate:
            how = messages.option("calibrate", True)
            unjudged[name] = f"it gives no probabilities, which {needing} is made of; {how} gives it some"
        else:
            able[name] = calibrated(learner)
    return able, unjudged
