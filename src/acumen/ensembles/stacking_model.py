"""Stacking: a combiner that learns from what other learners say of rows.

answers_table   the members' predictions as the table that the combiner gets
StackingModel   members, and the combiner's model of their predictions
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from acumen.data.schema import Attribute, Schema
from acumen.data.table import NO_WEIGHTS, Table
from acumen.ensembles.committee import Use, class_of_member
from acumen.errors import DataError
from acumen.explain.explanation import Evidence, Grounds
from acumen.models.decision import softmax
from acumen.models.model import Model
from acumen.models.nested import member_arrays, members_from
from acumen.preprocessing.packing import pack_json, stored_names, unpack_json
from acumen.preprocessing.stored_arrays import require
from acumen.types import Array, Codes, Floats

_MOST = 1e6
_COMBINER = "combiner/"


def answers_schema(schema: Schema, names: Sequence[str], numeric: Sequence[bool]) -> Schema:
    """What the combiner is given: numbers for each class (of two classes for the second), or a predicted class."""
    classes = schema.classes
    attributes: list[Attribute] = []
    taken = {schema.target.name} if schema.target is not None else set()

    def unused_name(name: str) -> str:
        while name in taken:
            name += "'"
        taken.add(name)
        return name

    for name, numbers in zip(names, numeric, strict=True):
        if numbers:
            classes_shown = classes[1:] if len(classes) == 2 else classes
            attributes += [Attribute(unused_name(f"{name}: {label}")) for label in classes_shown]
        else:
            attributes.append(Attribute(unused_name(name), "nominal", tuple(classes)))
    return Schema(tuple(attributes), schema.target)


def columns_of(scores: Floats, probable: bool) -> Floats:
    """A member's scores of rows as the numbers the combiner is given: probabilities where there are any."""
    if probable:
        columns = softmax(scores)
    else:
        columns = np.clip(np.nan_to_num(scores, nan=0.0, posinf=_MOST, neginf=-_MOST), -_MOST, _MOST)
    return columns[:, 1:] if columns.shape[1] == 2 else columns


def answers_table(
    schema: Schema, answers: Sequence[Floats | Codes], labels: Codes | None, weights: Floats, rows: int
) -> Table:
    """What members say of rows, under a schema of `answers_schema`."""
    numeric = [column for part in answers if part.ndim == 2 for column in part.T]
    nominal = [part.astype(np.int32) for part in answers if part.ndim == 1]
    if labels is None:
        schema = Schema(schema.attributes)
    return Table(schema, rows, numeric=numeric, nominal=nominal, labels=labels, weights=weights)


@dataclass(frozen=True, slots=True, eq=False)
class StackingModel(Model):
    """Members, and a model of what they say."""

    kind: ClassVar[str] = "stacking"

    members: tuple[Model, ...]
    names: tuple[str, ...]
    use: Use
    combiner: Model
    target: Attribute  # names what the combiner is given, also where the rows asked about have none

    def numeric(self) -> list[bool]:
        """Of which members the combiner is given numbers."""
        return [self.use == "probabilities"] * len(self.members)

    def answers_of(self, rows: Table, schema: Schema) -> Table:
        """What the members say of rows."""
        answers: list[Floats | Codes] = [
            columns_of(member.scores(rows), member.probabilistic)
            if self.use == "probabilities"
            else class_of_member(member, rows)
            for member in self.members
        ]
        return answers_table(
            answers_schema(schema, self.names, self.numeric()), answers, None, NO_WEIGHTS, len(rows)
        )

    def scores(self, rows: Table) -> Floats:
        scores = self.combiner.scores(self.answers_of(rows, Schema(rows.schema.attributes, self.target)))
        return scores if self.combiner.probabilistic else _as_logs(scores)

    @property
    def by_changes(self) -> bool:
        return True  # what members say is no reason in the attributes' own words; `grounds` tells it

    def evidence(self, row: Table, schema: Schema, winner: int, rival: int) -> tuple[Evidence, ...]:
        """What the combiner makes of what each member says."""
        if not self.combiner.probabilistic:
            scores = self.scores(row)[0]
            return (Evidence(None, "all members together", float(scores[winner] - scores[rival])),)
        answers = self.answers_of(row, schema)
        return tuple(
            Evidence(
                None, reason.text, reason.contribution, reason.support, reason.confidence, role=reason.role
            )
            for reason in self.combiner.evidence(answers, answers.schema, winner, rival)
        )

    def grounds(self, row: Table, schema: Schema) -> Grounds:
        """What each member says."""
        answers = [
            f"{name}: {schema.classes[int(class_of_member(member, row)[0])]}"
            for name, member in zip(self.names, self.members, strict=True)
        ]
        return Grounds(note=f"Members say {', '.join(answers)}.")

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        target = schema.target.name if schema.target else "class"
        inner = answers_schema(schema, self.names, self.numeric())
        lines = [
            f"Stacking for {target}: {getattr(self.combiner, 'name', self.combiner.kind)} over the {self.use} of "
            f"{', '.join(self.names)}"
        ]
        inner_lines = self.combiner.describe(inner, full=full).splitlines()
        lines += [f"  {line}" for line in (inner_lines if full else inner_lines[:20])]
        for name, member in zip(self.names, self.members, strict=True):
            lines.append(f"{name}: {getattr(member, 'name', member.kind)}")
            if full:
                lines += [f"  {line}" for line in member.describe(schema, full=True).splitlines()]
        return "\n".join(lines)

    @property
    def n_parameters(self) -> int:
        """Those of the members and of the combiner."""
        return sum(member.n_parameters for member in self.members) + self.combiner.n_parameters

    @property
    def n_bytes(self) -> float:
        return float(sum(member.n_bytes for member in self.members)) + self.combiner.n_bytes

    # -- storing ----------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Array]:
        about = {
            "kinds": [m.kind for m in self.members], "names": list(self.names), "use": self.use,
            "combiner": self.combiner.kind,
        }  # fmt: skip
        inner = {f"{_COMBINER}{name}": array for name, array in self.combiner.to_arrays().items()}
        return {"about": pack_json(about), **member_arrays(self.members), **inner}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        about = unpack_json(cls.__name__, arrays, kinds=list, names=list, use=str, combiner=str)
        require(about["use"] in ("classes", "probabilities"), "the combiner is given something unknown")
        names = stored_names(cls.__name__, about["names"])
        outer = {name: array for name, array in arrays.items() if not name.startswith(_COMBINER)}
        members: tuple[Model, ...] = members_from(outer, about["kinds"], schema)
        require(len(members) >= 1 and len(names) == len(members), "there is not a name for each member")
        try:
            inner = answers_schema(schema, names, [about["use"] == "probabilities"] * len(names))
        except DataError as error:
            require(False, f"what members say is no table: {error}")
            raise
        combiner_arrays = {
            name[len(_COMBINER) :]: array for name, array in arrays.items() if name.startswith(_COMBINER)
        }
        inner_models: tuple[Model, ...] = members_from(
            {f"member/0/{name}": array for name, array in combiner_arrays.items()}, [about["combiner"]], inner
        )
        require(schema.target is not None, "there is no class to predict")
        assert schema.target is not None
        return cls(members, names, about["use"], inner_models[0], schema.target)


def _as_logs(scores: Floats) -> Floats:
    """A class said by a combiner without probabilities, nearly certain."""
    logs = np.full(scores.shape, np.log(1e-3))
    logs[np.arange(len(scores)), scores.argmax(axis=1)] = 0.0
    logs[np.isneginf(scores)] = -np.inf
    return logs
