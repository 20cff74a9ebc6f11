"""The models of k-modes and k-prototypes: a prototype for each cluster, and how rows are assigned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from acumen.clusters.mixed_space import MixedSpace, numbers_of
from acumen.clusters.prototypes import MixedMeasure, Prototypes, distances, nearest
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.models.model import GroupModel
from acumen.preprocessing.stored_arrays import require, stored_array, stored_floats
from acumen.render.text import many, percent
from acumen.types import Array, Codes, Floats

#: Attributes told of a group in a description.
_TOLD = 6


@dataclass(frozen=True, slots=True, eq=False)
class PrototypeModel(GroupModel):
    """Means of numbers and most frequent levels; a row belongs to the nearest prototype."""

    kind: ClassVar[str] = "k-prototypes"
    as_levels: ClassVar[bool] = False

    space: MixedSpace
    prototypes: Prototypes
    measure: MixedMeasure
    sizes: Floats  # what the rows of each group weigh
    left: float  # the sum of distances

    @property
    def n_groups(self) -> int:
        return len(self.prototypes)

    @property
    def objective(self) -> float:
        return self.left

    @property
    def n_parameters(self) -> int:
        return int(self.prototypes.numbers.size + self.prototypes.modes.size)

    def groups(self, rows: Table) -> Codes:
        return nearest(self.space.write(rows), self.prototypes, self.measure)[0]

    def to_arrays(self) -> dict[str, Array]:
        return {
            **self.space.to_arrays(),
            "numbers": self.prototypes.numbers,
            "modes": self.prototypes.modes,
            "common": self.measure.common,
            "gamma": np.array([self.measure.gamma]),
            "sizes": self.sizes,
            "left": np.array([self.left]),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        space = MixedSpace.from_arrays(arrays, schema, cls.as_levels)
        levels = np.array(space.level_counts(schema), dtype=np.int64)
        numbers = stored_floats(arrays, "numbers", (None, space.width))
        modes: Codes = stored_array(arrays, "modes", np.int32, (len(numbers), len(levels)))
        common: Codes = stored_array(arrays, "common", np.int32, (len(levels),))
        for codes in (modes, common[None, :]):
            require(np.all((codes >= -1) & (codes < np.maximum(levels, 1))), "a mode is of no level")
        require(len(numbers) > 0, "there is no prototype")
        gamma = stored_floats(arrays, "gamma", (1,), low=0)
        starts = np.concatenate([[0], np.cumsum(levels)]).astype(np.intp)
        return cls(
            space,
            Prototypes(numbers, modes),
            MixedMeasure(float(gamma[0]), starts, common),
            stored_floats(arrays, "sizes", (len(numbers),), low=0),
            float(stored_floats(arrays, "left", (1,), low=0)[0]),
        )

    def why(self, row: Table, schema: Schema, group: int) -> str:
        if group < 0:
            return "All its values are missing, so it belongs to no cluster."
        away = distances(self.space.write(row), self.prototypes, self.measure)[0]
        if self.n_groups == 1:
            return f"It is in cluster 0, the only one, {away[0]:.4g} from its prototype."
        rival = int(np.argmin(np.where(np.arange(self.n_groups) == group, np.inf, away)))
        return (
            f"It is nearest to the prototype of cluster {group}: {away[group]:.4g} away, and {away[rival]:.4g} "
            f"from that of cluster {rival}."
        )

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        total = max(float(self.sizes.sum()), 1e-300)
        lines = [
            f"{many(self.n_groups, 'cluster')} around {self._summary()}; sum of distances {self.left:.6g}",
            "",
        ]
        for group in range(self.n_groups):
            share = percent(float(self.sizes[group]) / total)
            lines.append(f"cluster {group}: weight {self.sizes[group]:.6g} ({share})")
            phrases = self._phrases(schema, group)
            n_more = len(phrases) - _TOLD
            if not full and n_more > 0:
                phrases = [*phrases[:_TOLD], f"and {many(n_more, 'other attribute')}"]
            lines += [f"    {each}" for each in phrases] if full else [f"    {'; '.join(phrases)}"]
        return "\n".join(lines)

    def _summary(self) -> str:
        return f"means and modes (gamma {self.measure.gamma:.4g})"

    def _phrases(self, schema: Schema, group: int) -> list[str]:
        values = self.space.values(self.prototypes.numbers)
        numbers = iter([] if self.as_levels else [f"{v:.4g}" for v in values[group].tolist()])
        levels = iter(self.space.level_names(schema, self.prototypes.modes[group].tolist()))
        number_names = set() if self.as_levels else {a.name for a in numbers_of(schema)}
        return [
            f"{a.name} {next(numbers)}" if a.name in number_names else f"{a.name} = {next(levels)}"
            for a in schema.attributes
        ]


@dataclass(frozen=True, slots=True, eq=False)
class ModesModel(PrototypeModel):
    """Most frequent levels alone."""

    kind: ClassVar[str] = "k-modes"
    as_levels: ClassVar[bool] = True

    def _summary(self) -> str:
        return "modes"
