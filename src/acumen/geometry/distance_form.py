"""What distances are to the kernels: one form for all of them.

DistanceForm   what each attribute adds, and how that becomes a distance
Encoded        rows as the kernels take them
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from acumen.types import Array, Codes, Floats

Rule = Literal["squared", "absolute", "largest", "power"]
Root = Literal["itself", "square_root", "power_root", "half", "odds"]

NOTHING: Floats = np.empty((0, 0))
NO_CODES: Codes = np.empty(0, dtype=np.int32)
NO_ROWS: Array = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class DistanceForm:
    """A distance between two rows as a sum of what each attribute adds; see native/kernels/neighbours/rows.hpp.

    `factor` multiplies the differences of numbers, `weight` their contribution. `differ` is the contribution of a
    different level of a nominal attribute, NaN if its table has it: one line for each level of the query row and one
    for unseen levels, one column for each level of the other row and one for a missing one. NaN in a table means that
    the pair counts as missing, -1 that it is left out although known.
    """

    rule: Rule
    root: Root
    factor: Floats
    weight: Floats
    differ: Floats = field(default_factory=lambda: np.empty(0))
    count: Floats = field(default_factory=lambda: np.empty(0))
    tables: tuple[Floats, ...] = ()
    levels: tuple[int, ...] = ()
    power: float = 2.0
    unit: float = 1.0
    share: bool = False
    capped: bool = False
    extra: float = 0.0

    def arguments(self) -> dict[str, Any]:
        """As the kernel takes it."""
        return {
            "rule": self.rule,
            "root": self.root,
            "power": float(self.power),
            "unit": float(self.unit),
            "share": self.share,
            "capped": self.capped,
            "factor": self.factor,
            "weight": self.weight,
            "differ": self.differ,
            "count": self.count,
            "tables": [table if table.size else NOTHING for table in self.tables],
            "levels": np.array(self.levels, dtype=np.int64),
            "extra": float(self.extra),
        }

    @property
    def plain(self) -> bool:
        """Whether it is a sum of squared differences alone, so that products can propose neighbours."""
        return (
            self.rule == "squared"
            and not self.share
            and not self.levels
            and not self.extra
            and bool((self.weight == 1.0).all())
        )


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """Rows as the kernels take them.

    Missing values have the number of levels as their code in training rows and -1 in query rows; there an unseen level
    is -2 (or the table's last line).
    """

    values: Floats  # (rows, numbers), NaN where missing
    codes: Codes  # (rows, nominal)

    def __len__(self) -> int:
        return len(self.values)
