"""The two-class problems of a code matrix: which rows they have, how they are learned, how they score a row.

Every learner gets the rows as a Table with a target of its own; an estimator of scikit-learn behind the face that
`base.foreign` gives it.

A model of several classes made of models of two, by a code matrix.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from acumen.base.estimator import LearnerLike
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import ParameterError
from acumen.models.class_codes import DECODINGS, ambiguous, decode_scores, separation
from acumen.models.model import Model
from acumen.models.nested import member_arrays, members_from
from acumen.preprocessing.packing import pack_json, unpack_json
from acumen.preprocessing.stored_arrays import require, stored_codes, stored_floats
from acumen.render.text import many
from acumen.rows.intake import replace_target
from acumen.types import Array, Bools, Codes, Floats, Label

if TYPE_CHECKING:
    from acumen.base.learner import Learner


_LARGEST = 1e100


def names_of(code: Floats, classes: Sequence[Label], problem: int) -> tuple[str, str]:
    """What the two sides of a problem are called."""
    sides = []
    for sign in (-1.0, 1.0):
        side_names = [str(classes[c]) for c in np.flatnonzero(code[:, problem] == sign).tolist()]
        other = int(np.count_nonzero(code[:, problem] == -sign))
        whole = len(side_names) + other == len(code)
        sides.append("rest" if whole and other == 1 and len(side_names) > 1 else " or ".join(side_names))
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
    problem_rows = replace_target(
        table, schema_of(table.schema, code, classes, problem), labels, table.weights
    )
    used = np.flatnonzero(side != 0)
    return problem_rows if len(used) == len(table) else problem_rows.take(used)


def copy_learner(learner: LearnerLike, n_jobs: int | None, who: str) -> Learner:
    """A fresh learner for one problem."""
    from acumen.base.foreign_estimators import adapt
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
    copy = clone(learner)
    if n_jobs is not None and "n_jobs" in copy.get_params(deep=False):
        copy.set_params(n_jobs=n_jobs)
    return adapt(copy, who, classifies=True)


def scores_of(members: Sequence[Model], rows: Table) -> Floats:
    """How far each member is on the side of +1."""
    scores = np.zeros((len(rows), len(members)))
    for j, member in enumerate(members):
        both = member.scores(rows)
        with np.errstate(invalid="ignore"):
            apart = both[:, 1] - both[:, 0]
        scores[:, j] = np.clip(
            np.nan_to_num(apart, nan=0.0, posinf=_LARGEST, neginf=-_LARGEST), -_LARGEST, _LARGEST
        )
    return scores


@dataclass(frozen=True, slots=True, eq=False)
class CodedModel(Model):
    """Members for the columns of a code; `places` are the codes of the classes its lines are for."""

    probabilistic: ClassVar[bool] = False
    title: ClassVar[str]

    code: Floats  # (classes with rows, problems)
    places: Codes
    n_classes: int
    how: str  # decoding
    members: tuple[Model, ...]

    def sides(self, rows: Table) -> Floats:
        """How far each problem's learner is on the side of +1."""
        return scores_of(self.members, rows)

    def scores(self, rows: Table) -> Floats:
        scores = np.full((len(rows), self.n_classes), -np.inf)
        scores[:, self.places] = decode_scores(self.code, self.sides(rows), self.how)
        return scores

    def ambiguous(self, rows: Table) -> Bools:
        """Rows that only the decoding decides: claimed by no class, by several, or tied in votes."""
        return ambiguous(self.code, self.sides(rows))

    # -- reading it -------------------------------------------------------------------------------

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        target = schema.target.name if schema.target else "class"
        classes = self.labels(schema)
        kinds = sorted({getattr(m, "name", m.kind) for m in self.members})
        lines = [
            f"{self.title} for {target}: {many(self.code.shape[1], 'problem')} of two sides by "
            f"{', '.join(kinds) or 'nobody'}, decoded by {self.how}"
        ]
        if len(classes) > 1:
            lines.append(f"Any two classes differ in at least {many(separation(self.code), 'problem')}.")
        signs = {-1.0: "-", 0.0: ".", 1.0: "+"}
        width = max(map(len, map(str, classes)))
        shown = self.code if full else self.code[:, :60]
        more = "..." if shown.shape[1] < self.code.shape[1] else ""
        for label, line in zip(classes, shown, strict=True):
            lines.append(f"  {label!s:<{width}}  {''.join(signs[v] for v in line)}{more}")
        for j, member in enumerate(self.members):
            minus, plus = names_of(self.code, classes, j)
            lines.append(f"Problem {j + 1}: {plus} against {minus}")
            inner = member.describe(schema_of(schema, self.code, classes, j), full=full)
            lines += [f"  {line}" for line in inner.splitlines()]
        return "\n".join(lines)

    @property
    def n_bytes(self) -> float:
        return self.code.nbytes + float(sum(member.n_bytes for member in self.members))

    def labels(self, schema: Schema) -> list[Label]:
        """The classes the code's lines are for."""
        return [schema.classes[place] for place in self.places.tolist()]

    # -- storing ----------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Array]:
        return {
            "about": pack_json({"kinds": [m.kind for m in self.members]}),
            "code": self.code,
            "places": self.places,
            "how": np.array([DECODINGS.index(self.how)], dtype=np.int32),
            **member_arrays(self.members),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        kinds = unpack_json(cls.__name__, arrays, kinds=list)["kinds"]
        places = stored_codes(arrays, "places", (None,), low=0, below=schema.n_classes)
        require(len(places) > 0 and (np.diff(places) > 0).all(), "the classes of a code must differ and rise")
        code = stored_floats(arrays, "code", (len(places), None), low=-1.0, high=1.0)
        require(np.isin(code, (-1.0, 0.0, 1.0)).all(), "a code holds something other than -1, 0 and 1")
        sided = (code > 0).any(axis=0) & (code < 0).any(axis=0)
        require(sided.all(), "a problem has only one side")
        how = stored_codes(arrays, "how", (1,), low=0, below=len(DECODINGS))
        labels = [schema.classes[place] for place in places.tolist()]
        require(code.shape[1] == len(kinds), "there must be a member for each problem")
        schemas = [schema_of(schema, code, labels, j) for j in range(code.shape[1])]
        return cls(
            code, places, schema.n_classes, DECODINGS[int(how[0])], members_from(arrays, kinds, schemas)
        )


@dataclass(frozen=True, slots=True, eq=False)
class OneVsRestModel(CodedModel):
    """Each class against the rest."""

    kind: ClassVar[str] = "one-vs-rest"
    title: ClassVar[str] = "One against the rest"


@dataclass(frozen=True, slots=True, eq=False)
class OneVsOneModel(CodedModel):
    """Each class against each other."""

    kind: ClassVar[str] = "one-vs-one"
    title: ClassVar[str] = "One against one"


@dataclass(frozen=True, slots=True, eq=False)
class OutputCodesModel(CodedModel):
    """Classes split in two in many ways."""

    kind: ClassVar[str] = "output-codes"
    title: ClassVar[str] = "Output codes"
