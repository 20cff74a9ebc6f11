"""Groups about medoids: a row belongs to the nearest of them.

MedoidsModel                  the medoids, the sum of distances, how the search for them went
SampledModel, DrawnModel      the same, found by samples and by chance
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from acumen.clusters.nearest import NearestModel, kept_from
from acumen.data.schema import Schema
from acumen.preprocessing.stored_arrays import require, stored, stored_floats
from acumen.render.text import many
from acumen.types import Array, Floats


@dataclass(frozen=True, eq=False)
class MedoidsModel(NearestModel):
    """Medoids, each the row kept for its group."""

    kind: ClassVar[str] = "k-medoids"

    rows: Array  # which rows of the table the medoids are
    loss: float  # the sum of all rows' distances to their medoids
    losses: Floats  # of the search that found them: the sum before it, and after each swap

    @property
    def objective(self) -> float:
        return self.loss

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        total = float(self.sizes.sum())
        lines = [
            f"{many(self.n_groups, 'group')} about medoids; distance {self.fitted.distance.name}, in all "
            f"{self.loss:.6g}, {self.loss / total if total else 0.0:.4g} a row"
        ]
        place = {int(group): at for at, group in enumerate(self.number.tolist())}
        for group in range(self.n_groups):
            at = place[group]
            lines.append(
                f"group {group}: {self.sizes[group]:g} rows, medoid row {int(self.rows[at])}: "
                f"{self.row_text(schema, at)}"
            )
        return "\n".join(lines)

    def to_arrays(self) -> dict[str, Array]:
        return {
            **self.kept_arrays(),
            "rows": self.rows,
            "loss": np.array([self.loss]),
            "losses": self.losses,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        kept = kept_from(arrays, schema)
        rows = stored(arrays, "rows", np.int64, (len(kept["number"]),))
        require((rows >= 0).all(), "a medoid is no row")
        require(len(kept["number"]) == len(kept["sizes"]), "a group has several medoids")
        return cls(
            **kept,
            rows=rows,
            loss=float(stored_floats(arrays, "loss", (1,), low=0.0)[0]),
            losses=stored_floats(arrays, "losses", (None,), low=0.0),
        )


class SampledModel(MedoidsModel):
    """Medoids found in samples."""

    kind: ClassVar[str] = "clara"


class DrawnModel(MedoidsModel):
    """Medoids found by swaps drawn at random."""

    kind: ClassVar[str] = "clarans"
