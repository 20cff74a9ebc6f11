"""A model of ordered classes made of models of two: "higher than this class?" for each class but the last.

P(class k) is the difference of two such probabilities, and these must fall from class to class. Members that were
learned apart may disagree; the nearest falling line is taken then, neighbours that disagree being pooled, so that no
difference is below 0 and they sum to one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from acumen.data.escape import printable
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.models.decision import softmax
from acumen.models.model import Model
from acumen.models.nested import member_arrays, members_from
from acumen.preprocessing.packing import pack_json, unpack_json
from acumen.preprocessing.stored_arrays import require, stored_codes
from acumen.render.text import many
from acumen.rows.class_order import monotone
from acumen.types import Array, Codes, Floats, Label


def schema_above(schema: Schema, classes: tuple[Label, ...], cut: int) -> Schema:
    """The schema under which "higher than class `cut`" is learned: the inputs, and a target of two levels."""
    name = "rank"
    while name in schema.without_target():
        name += "_"
    return Schema(
        schema.attributes,
        Attribute(name, "nominal", (f"up to {classes[cut]}", f"above {classes[cut]}")),
    )


@dataclass(frozen=True, slots=True, eq=False)
class OrdinalModel(Model):
    """Members for the cuts between neighbouring classes; `places` are the codes of the classes that had rows."""

    kind: ClassVar[str] = "ordinal"

    places: Codes
    n_classes: int
    members: tuple[Model, ...]

    def above(self, rows: Table) -> Floats:
        """P(higher than class k) as the members say, a column for each class but the last."""
        above = np.empty((len(rows), len(self.members)))
        for j, member in enumerate(self.members):
            above[:, j] = softmax(member.scores(rows))[:, 1]
        return above

    def scores(self, rows: Table) -> Floats:
        falling = monotone(self.above(rows))
        padded = np.hstack([np.ones((len(rows), 1)), falling, np.zeros((len(rows), 1))])
        shares = np.maximum(padded[:, :-1] - padded[:, 1:], 0.0)
        shares /= shares.sum(axis=1, keepdims=True)
        scores = np.full((len(rows), self.n_classes), -np.inf)
        with np.errstate(divide="ignore"):
            scores[:, self.places] = np.log(shares)
        return scores

    # -- reading it -------------------------------------------------------------------------------

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        target = printable(schema.target.name) if schema.target else "class"
        classes = self.labels(schema)
        order = " < ".join(printable(c) for c in classes)
        lines = [
            f"Ordered classes of {target}: {order}",
            f"{many(len(self.members), 'problem')} of higher or not; where they disagree neighbours are pooled",
        ]
        for j, member in enumerate(self.members):
            lines.append(f"Higher than {printable(classes[j])}?")
            text = member.describe(schema_above(schema, classes, j), full=full)
            lines += [f"  {line}" for line in text.splitlines()]
        return "\n".join(lines)

    def labels(self, schema: Schema) -> tuple[Label, ...]:
        """The classes that had rows."""
        return tuple(schema.classes[place] for place in self.places.tolist())

    @property
    def n_parameters(self) -> int:
        return sum(member.n_parameters for member in self.members)

    @property
    def size(self) -> int:
        return sum(member.size for member in self.members)

    @property
    def n_bytes(self) -> float:
        return self.places.nbytes + float(sum(member.n_bytes for member in self.members))

    # -- storing ----------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Array]:
        return {
            "about": pack_json({"kinds": [m.kind for m in self.members]}),
            "places": self.places,
            **member_arrays(self.members),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        kinds = unpack_json(cls.__name__, arrays, kinds=list)["kinds"]
        places = stored_codes(arrays, "places", (None,), low=0, below=schema.n_classes)
        require(len(places) > 0 and bool((np.diff(places) > 0).all()), "its classes must differ and rise")
        require(len(kinds) == len(places) - 1, "there must be a member between any two classes")
        classes = tuple(schema.classes[place] for place in places.tolist())
        schemas = [schema_above(schema, classes, j) for j in range(len(kinds))]
        members: tuple[Model, ...] = members_from(arrays, kinds, schemas) if kinds else ()
        require(all(m.probabilistic for m in members), "a member has no probabilities")
        return cls(places, schema.n_classes, members)
