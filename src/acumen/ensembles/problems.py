"""The two-class problems of a code matrix: which rows they have, how they are learned, how they score a row.

Every learner gets the rows as a Table with a target of its own; an estimator of scikit-learn behind the face that
`base.foreign` gives it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from acumen.base.estimator import LearnerLike
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import ParameterError
from acumen.models.model import Model
from acumen.rows.intake import relabelled
from acumen.types import Floats, Label

if TYPE_CHECKING:
    from acumen.base.learner import Learner

_LARGEST = 1e100


def names_of(code: Floats, classes: Sequence[Label], problem: int) -> tuple[str, str]:
    """What the two sides of a problem are called."""
    sides = []
    for sign in (-1.0, 1.0):
        own = [str(classes[c]) for c in np.flatnonzero(code[:, problem] == sign).tolist()]
        other = int(np.count_nonzero(code[:, problem] == -sign))
        whole = len(own) + other == len(code)
        sides.append("rest" if whole and other == 1 and len(own) > 1 else " or ".join(own))
    return (sides[0], sides[1]) if sides[0] != sides[1] else (f"{sides[0]} (-)", f"{sides[1]} (+)")


def schema_of(schema: Schema, code: Floats, classes: Sequence[Label], problem: int) -> Schema:
    """The schema a problem is learned under: the inputs, and a target of two levels."""
    name = "side"
    while name in schema.without_target():
        name += "_"
    return Schema(schema.attributes, Attribute(name, "nominal", names_of(code, classes, problem)))


def rows_of(table: Table, code: Floats, classes: Sequence[Label], problem: int) -> Table:
    """The rows of a problem, with their sides as labels; `table.labels` are places in `classes`."""
    side = code[table.class_codes, problem]
    labels = (side > 0).astype(np.int32)
    made = relabelled(table, schema_of(table.schema, code, classes, problem), labels, table.weights)
    used = np.flatnonzero(side != 0)
    return made if len(used) == len(table) else made.take(used)


def copied(learner: LearnerLike, n_jobs: int | None, who: str) -> Learner:
    """A fresh learner for one problem."""
    from acumen.base.foreign_estimators import adapted
    from acumen.base.scikit import clone

    if isinstance(learner, type) or not hasattr(learner, "fit") or not hasattr(learner, "predict"):
        raise ParameterError(
            f"{who}: learner must be a classifier with fit and predict, such as NaiveBayes(); got {learner!r}."
        )
    for name in ("costs", "priors"):
        if getattr(learner, name, None) is not None:
            raise ParameterError(
                f"{who}: the inner learner decides between two sides, not classes; it must have no {name}."
            )
    made = clone(learner)
    if n_jobs is not None and "n_jobs" in made.get_params(deep=False):
        made.set_params(n_jobs=n_jobs)
    return adapted(made, who, classifies=True)


def scores_of(members: Sequence[Model], rows: Table) -> Floats:
    """How far each member is on the side of +1."""
    made = np.zeros((len(rows), len(members)))
    for j, member in enumerate(members):
        both = member.scores(rows)
        with np.errstate(invalid="ignore"):
            apart = both[:, 1] - both[:, 0]
        made[:, j] = np.clip(
            np.nan_to_num(apart, nan=0.0, posinf=_LARGEST, neginf=-_LARGEST), -_LARGEST, _LARGEST
        )
    return made
