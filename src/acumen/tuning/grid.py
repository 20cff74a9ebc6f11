"""The settings that a search tries, from the simplest to the most complex.

settings_of   grid -> settings, each a mapping of parameters to values
learners_of   learner, settings -> unfitted learners
families      settings grouped by what they need of the data: one summary serves a whole group
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from acumen.data.schema import Schema
from acumen.errors import DataError, ParameterError, did_you_mean

if TYPE_CHECKING:
    from acumen.base.learner import Learner

Setting: TypeAlias = dict[str, Any]

#: Used when a summary is settled into a model, after `solve`; no row is read for them.
_DECISIONS = frozenset({"costs", "priors"})


def settings_of(grid: Any, learner: Learner, who: str) -> tuple[Setting, ...]:
    """Every combination of values, simplest first.

    The values of each parameter are taken to be listed from the simplest to the most complex. Of the combinations
    of one mapping that one is simpler which is fewer steps away from the first values of all; of those as near,
    the one that steps later in the order of the parameters. Of several mappings the earlier is simpler.
    """
    mappings = [grid] if isinstance(grid, Mapping) else list(grid)
    if not mappings:
        raise ParameterError(
            f"{who}: grid must hold at least one mapping of parameters to values; got {grid!r}."
        )
    known = learner.get_params(deep=True)
    settings: list[Setting] = []
    for mapping in mappings:
        if not isinstance(mapping, Mapping):
            raise ParameterError(
                f"{who}: grid must be a mapping of parameters to lists of values, or a list of such; got {mapping!r}."
            )
        names = [str(name) for name in mapping]
        choices = [_values(name, values, known, who) for name, values in mapping.items()]
        steps = product(*(range(len(values)) for values in choices))
        settings += [
            {name: values[i] for name, values, i in zip(names, choices, at, strict=True)}
            for at in sorted(steps, key=lambda at: (sum(at), at))
        ]
    return tuple(settings)


def _values(name: str, values: Any, known: Mapping[str, Any], who: str) -> list[Any]:
    if name not in known:
        raise ParameterError(
            f"{who}: the grid names the parameter {name!r}, which the learner does not have."
            + did_you_mean(name, known)
        )
    listed = isinstance(values, Sequence | np.ndarray | range) and not isinstance(values, str | bytes)
    if not listed or not len(values):
        raise ParameterError(
            f"{who}: the grid must list the values of {name}, simplest first; got {values!r}."
        )
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


def learners_of(
    learner: Learner, settings: Sequence[Setting], who: str, schema: Schema, **more: Any
) -> list[Learner]:
    """An unfitted learner for each setting; refuses a learner that cannot be fitted on such a table."""
    from acumen.base.scikit import clone

    taken = learner.get_params(deep=False)
    more = {name: value for name, value in more.items() if value is not None and name in taken}
    learners: list[Learner] = []
    for setting in settings:
        # Cloned, so that two learners never share a value that can be fitted or changed.
        one = clone(learner).set_params(**{name: clone(value, safe=False) for name, value in setting.items()})
        one.set_params(**more)
        one.check_parameters()
        try:
            one.object_to(schema)
        except DataError as error:
            raise DataError(f"{who}: with {setting_text(setting)}, {error}") from None
        learners.append(one)
    return learners


def families(learners: Sequence[Learner], settings: Sequence[Setting]) -> list[list[int]]:
    """Group settings that differ only in what `solve` uses, as positions."""
    if not learners[0].adds:
        return [[i] for i in range(len(settings))]
    free = solve_only(learners[0])
    groups: list[tuple[Setting, list[int]]] = []
    for i, setting in enumerate(settings):
        fixed = {name: value for name, value in setting.items() if name not in free}
        for other, group in groups:
            if other.keys() == fixed.keys() and all(same(other[name], fixed[name]) for name in fixed):
                group.append(i)
                break
        else:
            groups.append((fixed, [i]))
    return [group for _, group in groups]


def solve_only(learner: Learner) -> frozenset[str]:
    """The parameters that neither the plan nor the summary of a learner depends on."""
    solve = learner.solve
    names = set() if solve is None else set(inspect.signature(solve).parameters)
    plan = learner.plan
    used = set() if plan is None else set(inspect.signature(plan).parameters)
    # Class weights are multiplied into the rows, and unlabelled rows are shared out over many passes.
    return (
        frozenset((names | _DECISIONS) - used - {"class_weight", "unlabelled"}) & learner.get_params().keys()
    )


def setting_text(setting: Setting) -> str:
    """Write a setting in readable form."""
    return ", ".join(f"{name}={value!r}" for name, value in setting.items()) or "the learner as it is"


def same(a: Any, b: Any) -> bool:
    """Whether two values are equal and of the same type: 1 and True are different settings."""
    if a is b:
        return True
    try:
        return type(a) is type(b) and bool(np.all(a == b))
    except ValueError:
        return False
