"""Who takes part in a comparison: learners by name, what all of them have to beat, and who cannot be judged.

named_learners        a list or mapping of learners -> learners by name
common_task           whether they predict classes or numbers
with_yardstick        with `Majority` or `Mean`, and the costs to judge by
require_contestants   refuse what can be refused before the first learner runs
able_learners         those that can be fitted on a table, and why the others cannot

What is judged, and how it is spoken of: a learner's name, its costs, its threads, the seed, its warnings.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from acumen import messages
from acumen.assessment.runs import fresh, task_of
from acumen.assessment.scores import Measure
from acumen.base.estimator import LearnerLike
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.engines.cores import cores
from acumen.ensembles.calibrated import with_probabilities
from acumen.errors import AcumenWarning, DataError, ParameterError, did_you_mean
from acumen.models.decision import resolve_costs
from acumen.models.kinds import learner_class
from acumen.models.parameters import specs_of
from acumen.models.task import CLASSES, NUMBERS, Task
from acumen.render.text import many
from acumen.rows.class_order import has_class_order, rank_costs
from acumen.types import Floats, Label

if TYPE_CHECKING:
    from acumen.base.learner import Learner


def as_learner(learner: LearnerLike, who: str) -> Learner:
    """A learner to be judged: acumen's own, an estimator of scikit-learn behind the face of one, or a list of rules."""
    from acumen.base.foreign_estimators import adapt
    from acumen.rulelist.rule_list import RuleList

    if isinstance(learner, RuleList):
        from acumen.rules.learners import RuleClassifier

        return RuleClassifier(learner)
    return adapt(learner, who)


def class_name(learner: Learner) -> str:
    """The class of a learner; of one that stands for an estimator of another library, that one's."""
    name: str = getattr(learner, "display_name", type(learner).__name__)
    return name


def learner_name(learner: Learner, *, as_code: bool = False) -> str:
    """The class with those parameters that are not the defaults; a list of rules in a word, or as code makes it."""
    if hasattr(learner, "estimator_text"):
        wording: str = getattr(learner, "estimator_text")  # noqa: B009 - of estimators of another library
        return wording
    parameters = learner.get_params(deep=False)
    settings = [
        f"{spec.name}={said_value(parameters[spec.name], as_code=as_code)}"
        for spec in specs_of(type(learner))
        if spec.name != "n_jobs" and not same(parameters[spec.name], spec.default)
    ]
    return f"{type(learner).__name__}({', '.join(settings)})" if settings else type(learner).__name__


def said_value(value: Any, *, as_code: bool = False) -> str:
    """Write a parameter's value; a rule list is shortened to its number of rules."""
    from acumen.rulelist.rule_list import RuleList

    if not isinstance(value, RuleList):
        return repr(value)
    if as_code:
        return f"acumen.RuleList.from_dict({value.to_dict()!r})"
    return f"<{many(len(value), 'rule')}{', edited' if value.edits else ''}>"


def cost_matrix(learner: Learner, classes: Sequence[Label], costs: Any = None) -> Floats | None:
    """The costs that were passed in, otherwise the learner's own."""
    wanted_costs = getattr(learner, "costs", None) if costs is None else costs
    return resolve_costs(wanted_costs, classes, "assess" if costs is not None else type(learner).__name__)


def fixed_seed(random_state: Any) -> int:
    """Draw a whole number that gives the same splits whenever it is used."""
    if random_state is None:
        return int(np.random.default_rng().integers(2**31))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    whole = isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool)
    if whole and random_state >= 0:
        return int(random_state)
    raise ParameterError(
        f"random_state must be a whole number of at least 0, a generator or None; got {random_state!r}."
    )


def with_jobs(learner: Learner, n_jobs: int | None) -> Learner:
    """Return the learner, or a copy that uses this number of threads."""
    if n_jobs is None:
        return learner
    cores(n_jobs)  # refuses what is no number of threads
    if "n_jobs" not in learner.get_params(deep=False):
        return learner
    return fresh(learner).set_params(n_jobs=n_jobs)


def same(a: Any, b: Any) -> bool:
    """Whether two values of a parameter are the same."""
    try:
        return bool(a is b or a == b)
    except ValueError:  # arrays
        return False


@contextmanager
def collect_warnings() -> Iterator[list[str]]:
    """Collect acumen's own warnings as notes instead of repeating them for each fit; other warnings pass."""
    notes: list[str] = []
    messages: list[str] = []
    with collect_messages(messages):
        yield notes
    notes.extend(summarise_warnings(messages))


@contextmanager
def collect_messages(messages: list[str]) -> Iterator[None]:
    """Append acumen's own warnings to a list, each time they occur; other warnings pass."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", AcumenWarning)
        yield
    messages.extend(str(w.message) for w in caught if issubclass(w.category, AcumenWarning))
    for other in caught:
        if not issubclass(other.category, AcumenWarning):
            warnings.warn_explicit(other.message, other.category, other.filename, other.lineno)


def summarise_warnings(messages: Iterable[str]) -> list[str]:
    """List each message once with its count; messages that differ only in numbers count as equal."""
    counts: Counter[str] = Counter()
    first: dict[str, str] = {}
    for message in messages:
        key = re.sub(r"\d+(\.\d+)?(e[-+]?\d+)?", "#", message)
        counts[key] += 1
        first.setdefault(key, message)
    return [f"{text} ({counts[key]} times)" if counts[key] > 1 else text for key, text in first.items()]


def named_learners(learners: Sequence[LearnerLike] | Mapping[str, LearnerLike]) -> dict[str, Learner]:
    """Names for learners: their class, and where these are equal the parameters that differ."""
    if isinstance(learners, Mapping):
        named = {str(name): as_learner(learner, "compare") for name, learner in learners.items()}
    else:
        several = isinstance(learners, Iterable) and not hasattr(
            learners, "fit"
        )  # a pipeline can be gone through
        every = cast("Sequence[LearnerLike]", learners if several else [learners])
        many = [as_learner(learner, "compare") for learner in every]
        named = {}
        for learner, name in zip(many, _distinct_names(many), strict=True):
            unused, number = name, 2
            while unused in named:
                unused, number = f"{name} #{number}", number + 1
            named[unused] = learner
    return named


def _distinct_names(learners: Sequence[Learner]) -> list[str]:
    """The class name of each learner; for learners of one class, with the parameters in which they differ."""
    names = []
    for learner in learners:
        name = class_name(learner)
        alike = [o for o in learners if type(o) is type(learner) and class_name(o) == name]
        if not hasattr(learner, "display_name"):
            names.append(f"{name}{_differing(learner, alike) if len(alike) > 1 else ''}")
            continue
        namesake = any(type(o) is not type(learner) and class_name(o) == name for o in learners)
        library = (
            f"{type(getattr(learner, 'estimator', None)).__module__.partition('.')[0]}." if namesake else ""
        )
        names.append(library + (learner_name(learner) if len(alike) > 1 else name))
    return names


def _differing(learner: Learner, alike: Sequence[Learner]) -> str:
    every = [other.get_params(deep=False) for other in alike]
    parameters = learner.get_params(deep=False)
    names = [
        spec.name
        for spec in specs_of(type(learner))
        if any(not same(parameters[spec.name], other[spec.name]) for other in every)
    ]
    return f"({', '.join(f'{name}={said_value(parameters[name])}' for name in names)})" if names else ""


def common_task(named: Mapping[str, Learner]) -> Task:
    """Whether these learners predict classes or numbers; they must do the same."""
    tasks: dict[Task, str] = {}
    for name, learner in named.items():
        tasks.setdefault(task_of(learner), name)
    if len(tasks) > 1:
        raise ParameterError(
            f"compare: {tasks[CLASSES]} predicts classes and {tasks[NUMBERS]} numbers; compare learners "
            "of one kind."
        )
    return next(iter(tasks), CLASSES)


def with_yardstick(
    named: dict[str, Learner], costs: Any, measure: str, schema: Schema
) -> tuple[dict[str, Learner], Any]:
    """Add the baseline (`Majority` or `Mean`) to the learners; also return the costs to judge by."""
    task = common_task(named)
    if task is NUMBERS:
        costs = None
    elif costs is None and measure == "cost":
        costs = _common_costs(named, schema)
    if task.yardstick is None or yardstick_name(named) is not None:
        return named, costs
    kind = learner_class(task.yardstick)
    yardstick = kind() if costs is None else kind(costs=costs)
    return {**named, _unused_name(kind.__name__, named): yardstick}, costs


def usual_measure(named: Mapping[str, Learner], schema: Schema) -> str | None:
    """The default measure: cost for an ordinal target, else None (the default of the task).

    Learners that have different costs of their own do not say which of them counts.
    """
    if common_task(named) is not CLASSES or not has_class_order(schema.target):
        return None
    own_costs = [getattr(learner, "costs", None) for learner in named.values()]
    matrices = [
        _matrix_key(resolve_costs(each, schema.classes, "compare")) for each in own_costs if each is not None
    ]
    return "cost" if all(each == matrices[0] for each in matrices) else None


def costs_by_rank(named: Mapping[str, Learner], costs: Any, measure: str, schema: Schema) -> bool:
    """Whether errors cost the number of ranks they are off, because no costs were given."""
    has_costs = costs is not None or any(getattr(each, "costs", None) is not None for each in named.values())
    return measure == "cost" and not has_costs and has_class_order(schema.target)


def _unused_name(name: str, named: Mapping[str, Learner]) -> str:
    while name in named:
        name += "_"
    return name


def yardstick_name(named: Mapping[str, Learner]) -> str | None:
    """The name of the baseline among the learners, if it is there."""
    yardsticks = tuple(learner_class(task.yardstick) for task in (CLASSES, NUMBERS) if task.yardstick)
    return next((name for name, learner in named.items() if isinstance(learner, yardsticks)), None)


def _common_costs(named: Mapping[str, Learner], schema: Schema) -> Any:
    """The costs on which the learners agree; for ordered classes without costs, the distance in ranks."""
    own_costs = {
        name: costs
        for name, learner in named.items()
        if (costs := getattr(learner, "costs", None)) is not None
    }
    if not own_costs:
        if has_class_order(schema.target):
            return rank_costs(schema.n_classes)
        raise ParameterError(
            "compare: the measure 'cost' needs a cost matrix; give costs=, learners with costs, or a target in order."
        )
    matrices = [resolve_costs(costs, schema.classes, name) for name, costs in own_costs.items()]
    if any(_matrix_key(matrix) != _matrix_key(matrices[0]) for matrix in matrices[1:]):
        raise ParameterError(
            "compare: the learners have different costs; give costs= to judge all of them by."
        )
    return matrices[0]


def _matrix_key(matrix: Any) -> list[list[float]]:
    """A hashable form of a matrix's numbers."""
    rows: list[list[float]] = matrix.tolist()
    return rows


def require_contestants(named: Mapping[str, Learner], schema: Schema, baseline: str | None) -> None:
    """Refuse everything that can be refused before the first learner runs."""
    if baseline is not None and baseline not in named:
        raise ParameterError(
            f"compare: the baseline {baseline!r} is not one of the learners; they are {', '.join(named)}."
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
            f"{target.name!r} is {target.kind}; use other learners, or read the table with "
            f"{messages.option('kinds', {target.name: wanted})}."
        )


def able_learners(
    named: dict[str, Learner], table: Table, chosen: Sequence[Measure], calibrate: bool
) -> tuple[dict[str, Learner], dict[str, str]]:
    """Select the learners that can be fitted on a table, and explain why the others cannot."""
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
            able[name] = with_probabilities(learner)
    return able, unjudged
