"""The model of k-means: centres in a space, and how rows are given to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from acumen.clusters.means import nearest, squared_distances
from acumen.clusters.space import Space
from acumen.clusters.tables import centre_profile, centre_tables
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.models.model import GroupModel
from acumen.preprocessing.coded import coded_columns
from acumen.preprocessing.stored_arrays import stored_floats
from acumen.render.profile_plot import ProfileFigure
from acumen.render.report import ReportTable
from acumen.render.text import many, percent
from acumen.types import Array, Codes, Floats

#: Attributes told of a group in a description.
_TOLD = 4


@dataclass(frozen=True, slots=True, eq=False)
class MeansModel(GroupModel):
    """Centres, a line each, in the coordinates of a space; a row belongs to the nearest one."""

    kind: ClassVar[str] = "k-means"
    space: Space
    centres: Floats
    sizes: Floats  # what the rows of each group weigh
    left: float  # the sum of squared distances
    squares: Floats  # where k was chosen: the sums of squares of k = 1, 2, ...
    lengths: Floats  # and what k was chosen by

    @property
    def n_groups(self) -> int:
        return len(self.centres)

    @property
    def objective(self) -> float:
        return self.left

    @property
    def n_parameters(self) -> int:
        return int(self.centres.size)

    def groups(self, rows: Table) -> Codes:
        return nearest(self.space.write(rows), self.centres)

    def to_arrays(self) -> dict[str, Array]:
        return {
            **self.space.to_arrays(),
            "centres": self.centres,
            "sizes": self.sizes,
            "left": np.array([self.left]),
            "squares": self.squares,
            "lengths": self.lengths,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        space = Space.from_arrays(arrays, schema)
        centres = stored_floats(arrays, "centres", (None, space.width))
        sizes = stored_floats(arrays, "sizes", (len(centres),), low=0)
        left = stored_floats(arrays, "left", (1,), low=0)
        squares = stored_floats(arrays, "squares", (None,), low=0)
        return cls(
            space, centres, sizes, float(left[0]), squares, stored_floats(arrays, "lengths", (len(squares),))
        )

    def why(self, row: Table, schema: Schema, group: int) -> str:
        if group < 0:
            return "Nothing is known of it, so it belongs to no group."
        away = np.sqrt(squared_distances(self.space.write(row), self.centres)[0])
        if self.n_groups == 1:
            return f"It is in group 0, the only one, {away[0]:.4g} from its centre."
        rival = int(np.argmin(np.where(np.arange(self.n_groups) == group, np.inf, away)))
        return (
            f"It is nearest to the centre of group {group}: {away[group]:.4g} away, and {away[rival]:.4g} from that "
            f"of group {rival}."
        )

    def to_tables(self, schema: Schema) -> tuple[ReportTable, ...]:
        """The centres in the columns' own units."""
        names = [column.name for column in coded_columns(schema)]
        return centre_tables(names, self.space.values(self.centres), self.sizes)

    def to_profile(self, schema: Schema) -> ProfileFigure | None:
        """How far the centres are from the middle of all rows, as lines."""
        return centre_profile([column.name for column in coded_columns(schema)], self.centres)

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        total = max(float(self.sizes.sum()), 1e-300)
        lines = [
            f"{many(self.n_groups, 'group')} about centres; squared distances come to {self.left:.6g}",
        ]
        if self.squares.size:
            lines.append(f"k = {self.n_groups} of 1 to {len(self.squares)} has the shortest description")
        lines.append("")
        names = [column.name for column in coded_columns(schema)]
        values = self.space.values(self.centres)
        # What is nothing but rounding beside a column's own spread is nothing.
        spread = np.divide(
            1.0, self.space.factor, out=np.zeros_like(self.space.factor), where=self.space.factor > 0
        )
        values = np.where(np.abs(values) < 1e-12 * (np.abs(self.space.centre) + spread), 0.0, values)
        for group in range(self.n_groups):
            share = percent(float(self.sizes[group]) / total)
            lines.append(f"group {group}: weight {self.sizes[group]:.6g} ({share})")
            order = np.argsort(-np.abs(self.centres[group]), kind="stable")
            told = order if full else order[:_TOLD]
            said = [
                f"{names[j]} {values[group, j]:.4g} ({self.centres[group, j]:+.2g})" for j in told.tolist()
            ]
            lines += [f"    {'; '.join(said)}"] if not full else [f"    {each}" for each in said]
        lines += ["", "in brackets: how far a centre is from the mean of all rows, in units of the distance"]
        return "\n".join(lines)
