"""Groups of rows that lie densely: a row belongs to the group of the nearest core within reach.

DenseModel   the cores and their groups, the reach, and the curve it was chosen by
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from acumen import messages
from acumen.clusters.nearest import NearestModel, kept_from
from acumen.data.schema import Schema
from acumen.errors import DataError
from acumen.geometry.raw_rows import RawRows
from acumen.preprocessing.stored_arrays import require, stored, stored_floats
from acumen.render.text import many
from acumen.types import Array, Floats


@dataclass(frozen=True, eq=False)
class DenseModel(NearestModel):
    """Cores, each with its group."""

    kind: ClassVar[str] = "dbscan"

    rows: Array  # which rows of the table the cores are
    eps: float
    enough: float  # the weight within eps that makes a core
    counts: Floats  # the weight of cores, of the rows beside them, and of noise
    curve: Floats  # distances to the neighbour that makes a core, largest first; empty where eps was given
    knee: int  # the place on the curve that was chosen
    beside: float | None = (
        None  # how far rows beside cores are from the nearest, added; files of old do not tell
    )

    @property
    def objective(self) -> float:
        """How far the rows beside cores are from the nearest one, added."""
        if self.beside is None:
            raise AttributeError("this dbscan model was kept before its objective was; learn it again")
        return self.beside

    @property
    def reach(self) -> float:
        return self.eps

    def _decided(self, asked: RawRows, row: int, near: Array) -> int:
        """Of cores at one distance the one whose values come first: no order of rows decides."""
        numbers, codes = self.search.rows.values[near], self.search.rows.codes[near]
        columns = [numbers[:, j] for j in range(numbers.shape[1])] + [
            codes[:, j] for j in range(codes.shape[1])
        ]
        order = np.lexsort(columns[::-1]) if columns else np.arange(len(near))
        return int(self.number[near[order[0]]])

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        cores, border, noise = self.counts.tolist()
        lines = [
            f"{many(self.n_groups, 'group')} of rows that lie densely: {self.enough:g} or more within {self.eps:.6g} "
            f"make a core; distance {self.fitted.distance.name}",
            f"{cores:g} cores, {border:g} rows beside them, {noise:g} in no group",
        ]
        if len(self.curve):
            lines.append(
                f"the reach is the knee of the distances to neighbour {self.enough:g}, which go from "
                f"{self.curve[-1]:.4g} to {self.curve[0]:.4g}"
            )
        if self.n_groups:
            lines.append("rows in the groups: " + ", ".join(f"{size:g}" for size in self.sizes[:40]))
        return "\n".join(lines)

    def to_figure(self, predictor: Any) -> Any:
        """The curve of distances that the reach was chosen by."""
        from acumen.render.learning_plot import Band, LearningFigure

        if not len(self.curve):
            raise DataError(
                f"eps was given, so there is no curve to draw; learn with {messages.setting('eps', 'auto')}."
            )
        share = np.linspace(0.0, 1.0, len(self.curve))
        return LearningFigure(
            share, [Band(f"distance to neighbour {self.enough:g}", self.curve)],
            x_label="share of rows, furthest first", y_label="distance", chosen=self.knee,
            title=f"Reach {self.eps:.4g}: the knee of the distances",
        )  # fmt: skip

    def to_arrays(self) -> dict[str, Array]:
        return {
            **self.kept_arrays(),
            "rows": self.rows,
            "reach": np.array([self.eps, self.enough]),
            "counts": self.counts,
            "curve": self.curve,
            "knee": np.array([self.knee]),
            **({} if self.beside is None else {"beside": np.array([self.beside])}),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        kept = kept_from(arrays, schema)
        rows = stored(arrays, "rows", np.int64, (len(kept["number"]),))
        require((rows >= 0).all(), "a core is no row")
        eps, enough = stored_floats(arrays, "reach", (2,), low=0.0).tolist()
        curve = stored_floats(arrays, "curve", (None,), low=0.0)
        knee = int(stored(arrays, "knee", np.int64, (1,))[0])
        require(0 <= knee < max(len(curve), 1), "its knee is no place of the curve")
        counts = stored_floats(arrays, "counts", (3,), low=0.0)
        beside = None
        if "beside" in arrays:
            beside = float(stored_floats(arrays, "beside", (1,), low=0.0)[0])
        return cls(
            **kept, rows=rows, eps=eps, enough=enough, counts=counts, curve=curve, knee=knee, beside=beside
        )
