"""The model of Birch: subclusters with their clusters; a row belongs where the nearest subcluster does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from acumen.clusters.features import Features
from acumen.clusters.means import nearest, own_squares
from acumen.clusters.space import Space
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.models.model import GroupModel
from acumen.preprocessing.coded import coded_columns
from acumen.preprocessing.stored_arrays import require, stored_codes, stored_floats
from acumen.render.text import many, percent
from acumen.types import Array, Codes, Floats

_TOLD = 4  # attributes told of a group in a description
_SHOWN = 12  # groups told


@dataclass(frozen=True, slots=True, eq=False)
class FeatureModel(GroupModel):
    """Subclusters in the coordinates of a space, and the group of each."""

    kind: ClassVar[str] = "birch"

    space: Space
    features: Features
    group: Codes  # of each subcluster
    sizes: Floats  # what the rows of each group weigh
    left: float  # the sum of squared distances of rows to the centre of their group

    @property
    def n_groups(self) -> int:
        return len(self.sizes)

    @property
    def objective(self) -> float:
        return self.left

    @property
    def n_parameters(self) -> int:
        return int(self.features.mean.size)

    def groups(self, rows: Table) -> Codes:
        found = nearest(self.space.write(rows), self.features.mean)
        return np.where(found >= 0, self.group[found], -1).astype(np.int32)

    def centres(self) -> Floats:
        """The mean of each group's subclusters."""
        return group_means(self.features, self.group, self.n_groups)

    def to_arrays(self) -> dict[str, Array]:
        about = np.array([self.features.threshold, self.features.rebuilt, self.left])
        return {
            **self.space.to_arrays(),
            "weight": self.features.weight,
            "mean": self.features.mean,
            "scatter": self.features.scatter,
            "group": self.group,
            "sizes": self.sizes,
            "about": about,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        space = Space.from_arrays(arrays, schema)
        mean = stored_floats(arrays, "mean", (None, space.width))
        weight = stored_floats(arrays, "weight", (len(mean),), low=0)
        scatter = stored_floats(arrays, "scatter", (len(mean),), low=0)
        sizes = stored_floats(arrays, "sizes", (None,), low=0)
        group = stored_codes(arrays, "group", (len(mean),), low=0, below=len(sizes))
        require(len(np.unique(group)) == len(sizes) > 0, "a group has no subcluster")
        threshold, rebuilt, left = stored_floats(arrays, "about", (3,), low=0).tolist()
        return cls(space, Features(weight, mean, scatter, threshold, int(rebuilt)), group, sizes, left)

    def why(self, row: Table, schema: Schema, group: int) -> str:
        if group < 0:
            return "Nothing is known of it, so it belongs to no group."
        point = self.space.write(row)
        at = nearest(point, self.features.mean)
        away = float(np.sqrt(own_squares(point, self.features.mean, at)[0]))
        own = self.features.weight[int(at[0])]
        return f"The nearest subcluster, of weight {own:.4g} and {away:.4g} away, is in group {group}."

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        lines = [
            f"{many(self.n_groups, 'group')} of {many(len(self.features), 'subcluster')} with a radius of at most "
            f"{self.features.threshold:.4g} (raised {many(self.features.rebuilt, 'time')})",
            f"squared distances from the groups' centres come to {self.left:.6g}",
            "",
        ]
        names = [column.name for column in coded_columns(schema)]
        centres = self.centres()
        values, total = self.space.values(centres), max(float(self.sizes.sum()), 1e-300)
        shown = self.n_groups if full else min(self.n_groups, _SHOWN)
        for group in range(shown):
            share = percent(float(self.sizes[group]) / total)
            lines.append(f"group {group}: weight {self.sizes[group]:.6g} ({share})")
            order = np.argsort(-np.abs(centres[group]), kind="stable")[: None if full else _TOLD]
            lines.append("    " + "; ".join(f"{names[j]} {values[group, j]:.4g}" for j in order.tolist()))
        if shown < self.n_groups:
            lines.append(f"and {many(self.n_groups - shown, 'other group')}")
        return "\n".join(lines)


def group_means(features: Features, group: Codes, k: int) -> Floats:
    """The weighted means of subclusters by their groups."""
    weight = np.bincount(group, features.weight, k)
    total = np.zeros((k, features.mean.shape[1]))
    np.add.at(total, group, features.mean * features.weight[:, None])
    made: Floats = total / weight[:, None]
    return made
