"""A model of several classes made of models of two, by a code matrix."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.ensembles.problems import names_of, schema_of, scores_of
from acumen.models.class_codes import DECODINGS, ambiguous, decoded, separation
from acumen.models.model import Model
from acumen.models.nested import member_arrays, members_from
from acumen.preprocessing.packing import packed, unpacked
from acumen.preprocessing.stored_arrays import require, stored_codes, stored_floats
from acumen.render.text import many
from acumen.types import Array, Bools, Codes, Floats, Label


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
        made = np.full((len(rows), self.n_classes), -np.inf)
        made[:, self.places] = decoded(self.code, self.sides(rows), self.how)
        return made

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
            "about": packed({"kinds": [m.kind for m in self.members]}),
            "code": self.code,
            "places": self.places,
            "how": np.array([DECODINGS.index(self.how)], dtype=np.int32),
            **member_arrays(self.members),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        kinds = unpacked(cls.__name__, arrays, kinds=list)["kinds"]
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
