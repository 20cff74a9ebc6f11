"""How narrow a Gaussian may be, from how finely the numbers were recorded and how many there are.

A class whose training rows agree in an attribute would have a density without bound there, and win wherever that
value occurs. Two facts speak against it:

    precision   numbers that lie `gap` apart on the mean have a probability of at most 1 each, so that no density is
                above 1 / gap: the standard deviation is at least gap / sqrt(2 pi)
    few rows    n rows that agree do not show that the next one will: the variance is at least what one further row of
                the variance within all classes would leave, pooled / (n + 1)

Both follow the attribute's units and can be told from sums over rows.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeVar, cast

import numpy as np

from acumen import messages
from acumen.data.schema import Attribute
from acumen.data.table import Table
from acumen.errors import AcumenWarning
from acumen.models.summary_arrays import restored_summary
from acumen.preprocessing.stored_arrays import require
from acumen.summaries.distinct import LIMIT, DistinctValues
from acumen.summaries.moments import ClassMoments
from acumen.types import Array, Bools, Floats, Label

#: "auto", or a share of the attribute's variance over all rows.
VarianceFloor = Literal["auto"] | float

S = TypeVar("S")

_HUGE = 1e300
_NAMED = 3  # pairs of class and attribute that a warning names


def variance_floor(moments: ClassMoments, gap: Floats, var_floor: VarianceFloor) -> Floats:
    """The least variance of each attribute in each class, (classes, attributes).

    An attribute that is constant everywhere says nothing whatever its variance is taken for.
    """
    overall = overall_variance(moments)
    shape = moments.weight.shape
    if not isinstance(var_floor, str):
        return np.broadcast_to(var_floor * overall, shape)
    pooled = cap(moments.pooled_variance())
    base = np.where(pooled > 1e-9 * overall, pooled, overall)
    with np.errstate(over="ignore"):
        steps = cap(gap * gap / (2.0 * np.pi))
    return np.where(varies(moments), np.maximum(steps, base / (moments.weight + 1.0)), overall)


def without_a_row(moments: ClassMoments, distinct: DistinctValues | None, heaviest: float) -> Floats:
    """How many times a floor is at most what it was when one row is left out, (classes, attributes).

    Its weight is at most `heaviest`. Sums of squares fall, so that a pooled variance grows by its divisor alone;
    what that is divided by loses the row; of m values at least m - 1 are left in the same span.
    """
    total = moments.weight.sum(axis=0)
    with np.errstate(divide="ignore"):
        pooled = np.where(total > heaviest, total / np.maximum(total - heaviest, 1e-300), np.inf)
        weight_ratio = (moments.weight + 1.0) / np.maximum(moments.weight + 1.0 - heaviest, 1e-300)
    steps = np.ones(len(total))
    if distinct is not None:
        few = (distinct.count >= 3) & (distinct.count <= LIMIT)
        steps[few] = ((distinct.count[few] - 1.0) / (distinct.count[few] - 2.0)) ** 2
    return np.maximum(pooled * weight_ratio, steps) * (1.0 + 1e-9)


def makes_few(distinct: DistinctValues | None, rows: Table) -> Bools:
    """Which rows hold a value that makes an attribute's values too many to be kept: without it there is a gap."""
    few = np.zeros(len(rows), dtype=np.bool_)
    if distinct is None:
        return few
    for (_, values), count in zip(rows.numeric_columns(), distinct.count.tolist(), strict=True):
        # The first rows tell of nearly every attribute that it has more values than just one too many.
        if count > LIMIT and len(np.unique(values[: 8 * LIMIT])) <= LIMIT + 2:
            known = np.flatnonzero(np.isfinite(values))
            different, at, often = np.unique(values[known], return_inverse=True, return_counts=True)
            if len(different) == LIMIT + 1:
                few[known[often[at] == 1]] = True
    return few


def overall_variance(moments: ClassMoments) -> Floats:
    """The variance of each attribute over all rows; one where it is constant."""
    weight = np.maximum(moments.weight.sum(axis=0), 1e-300)
    with np.errstate(over="ignore", invalid="ignore"):
        variance = cap((moments.scatter.sum(axis=0) + moments.between()) / weight)
    return np.where(variance > 0, variance, 1.0)


def varies(moments: ClassMoments) -> Bools:
    """Whether an attribute has more than one value."""
    return np.asarray((moments.scatter.sum(axis=0) > 0) | (moments.between() > 0))


def known_means(moments: ClassMoments) -> Floats:
    """The mean of each attribute in each class; over all rows where a class has no value."""
    if not moments.classes:
        return np.array(moments.mean)
    return np.where(moments.weight > 0, moments.mean, moments.total().mean)


def cap(variance: Floats) -> Floats:
    """Squares of numbers beyond 1e150 overflow; such an attribute is as good as flat, but must not be NaN."""
    return np.where(np.isfinite(variance), np.minimum(variance, _HUGE), _HUGE)


def warn_of_constants(
    moments: ClassMoments,
    classes: Sequence[Label],
    attributes: Sequence[Attribute],
    who: str,
    *,
    settable: bool = False,
) -> None:
    """Warn of classes of several rows with only one value of an attribute that varies elsewhere.

    Where the learner has a parameter `var_floor` (`settable`), the warning names it.
    """
    flat = np.argwhere((moments.weight > 1) & ~(moments.scatter > 0) & varies(moments))
    if not len(flat):
        return
    named = ", ".join(f"{attributes[j].name!r} in class {classes[c]!r}" for c, j in flat[:_NAMED].tolist())
    remedy = ""
    if settable:
        remedy = f" Set {messages.setting('var_floor', 0.01)}, or another floor, to choose it yourself."
    more = f" and {len(flat) - _NAMED} more" if len(flat) > _NAMED else ""
    warnings.warn(
        f"{who}: the training rows have only one value of {named}{more}; the standard deviation used "
        f"there is the smallest that the distance between values and the number of rows allow.{remedy}",
        AcumenWarning,
        stacklevel=3,
    )


def restore_with_distinct(template: S, arrays: Mapping[str, Array]) -> S:
    """A stored summary whose template has `distinct`."""
    kept: Any = template
    if kept.distinct is None:
        return restored_summary(template, arrays)
    summary: Any = restored_summary(kept, arrays)
    problem = summary.distinct.problem()
    require(problem is None, str(problem))
    return cast(S, summary)
