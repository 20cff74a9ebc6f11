"""Where the class of a basket comes from when it is one of its items.

labelling_of    items, target -> Labelling    which items are the class, and which are left as inputs
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from acumen.data.columns import RawColumn, sorted_levels
from acumen.errors import DataError, did_you_mean
from acumen.types import MISSING, Codes, Indices

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

    from acumen.data.request import Column

#: What the class is called when it has a place on the line and no name.
TARGET = "class"


@dataclass(frozen=True)
class Labelling:
    """`name` is the target, or empty; `labels` are the positions of its items, in the order of `levels`."""

    name: str
    kept: tuple[str, ...]
    positions: Indices
    labels: tuple[int, ...] = ()
    levels: tuple[str, ...] = ()

    def column(self, matrix: csr_matrix, lines: Indices, source: str) -> RawColumn:
        """The class of each row of a matrix over all items; `lines` tells where the rows stand."""
        chosen = matrix[:, list(self.labels)]
        held = np.diff(chosen.indptr)
        if len(self.levels) == 2 and len(self.labels) == 1:  # an item is in a basket or not
            codes: Codes = held.astype(np.int32)
        else:
            several = np.flatnonzero(held > 1)
            if several.size:
                raise DataError(
                    f"{source}: line {lines[several[0]]} has several items that begin with '{self.name}='; a basket "
                    "has one class."
                )
            codes = np.full(len(held), MISSING, dtype=np.int32)
            codes[held == 1] = chosen.indices
        return RawColumn(self.name, "nominal", codes=codes, levels=self.levels, declared=True)


def labelling_of(items: tuple[str, ...], target: Column | None, source: str) -> Labelling:
    """Which items make the class: one of them, or all that begin with the target's name and `=`."""
    everything = np.arange(len(items), dtype=np.intp)
    if target is None:
        return Labelling("", items, everything)
    name = str(target)
    at = {item: j for j, item in enumerate(items)}
    chosen: tuple[int, ...]
    levels: tuple[str, ...]
    if name in at:
        chosen, levels = (at[name],), ("0", "1")
    else:
        values = [item.partition("=")[2] for item in items if item.startswith(f"{name}=")]
        if not values:
            raise DataError(
                f"{source}: no item is called {name!r}, and none begins with '{name}='.{did_you_mean(name, items)}"
            )
        levels = tuple(str(value) for value in sorted_levels(values))
        chosen = tuple(at[f"{name}={value}"] for value in levels)
    gone = set(chosen)
    kept = np.array([j for j in everything if j not in gone], dtype=np.intp)
    return Labelling(name, tuple(items[j] for j in kept), kept, chosen, levels)
