"""A model whose scores are turned into probabilities by Platt's curves: the inner model, and a curve for each class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.models.model import Model
from acumen.models.nested import member_arrays, members_from
from acumen.models.probability_curves import ProbabilityCurves
from acumen.preprocessing.packing import pack_json, unpack_json
from acumen.preprocessing.stored_arrays import require
from acumen.types import Array, Floats


@dataclass(frozen=True, slots=True, eq=False)
class CalibratedModel(Model):
    """A model whose scores are turned into probabilities."""

    kind: ClassVar[str] = "calibrated"
    probabilistic: ClassVar[bool] = True

    member: Model
    calibration: ProbabilityCurves

    def scores(self, rows: Table) -> Floats:
        return self.calibration.log_proba(self.member.scores(rows))

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        lines = [f"  {line}" for line in self.member.describe(schema, full=full).splitlines()]
        return "\n".join(["Probabilities calibrated on out-of-fold scores of this model:", *lines])

    @property
    def n_bytes(self) -> float:
        return (
            float(sum(array.nbytes for array in self.calibration.to_arrays().values())) + self.member.n_bytes
        )

    @property
    def n_parameters(self) -> int:
        return self.member.n_parameters + sum(2 for curve in self.calibration.curves if curve is not None)

    @property
    def size(self) -> int:
        return self.member.size + 2 * len(self.calibration.curves)

    def to_arrays(self) -> dict[str, Array]:
        return {
            "about": pack_json({"kinds": [self.member.kind]}),
            **self.calibration.to_arrays(),
            **member_arrays((self.member,)),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        kinds = unpack_json(cls.__name__, arrays, kinds=list)["kinds"]
        require(len(kinds) == 1, "it must hold one model")
        members: tuple[Model, ...] = members_from(arrays, kinds, [schema])
        calibration = ProbabilityCurves.from_arrays(arrays, schema.n_classes)
        require(calibration is not None, "it has no curves")
        assert calibration is not None
        return cls(members[0], calibration)
