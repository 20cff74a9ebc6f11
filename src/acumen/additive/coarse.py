"""A first answer on fewer bins: near enough in strengths and shapes that few steps on all bins are left.

    Coarse    a layout of groups of neighbouring bins, and the way back
    coarse    of a layout that has many bins; None where there is little to gain

The cost of choosing strengths grows with the cube of all slots. Of a smooth shape with m times as many bins each
difference is an m-th, and their squares sum to an m-th: its strength is m times that of the groups.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from acumen.additive.layout import Layout, Shape
from acumen.types import Array, Floats, Indices

#: Groups that a shape has at most, and slots in all below which nothing is grouped.
_GROUPS, _FEW = 24, 300


@dataclass(frozen=True, slots=True, eq=False)
class Coarse:
    """Groups of the slots of a layout."""

    layout: Layout
    into: Indices  # of each coefficient the one of its group
    times: Floats  # of each shape: bins a group

    def back(self, coefficients: Floats) -> Floats:
        """What groups say, for each of their bins."""
        return np.ascontiguousarray(coefficients[self.into])


def coarse(layout: Layout, weight: Floats) -> Coarse | None:
    """Groups of about as many rows each, of shapes that have many bins; there must be no pairs."""
    if layout.width < _FEW or layout.pairs:
        return None
    shapes, groups = [], []
    for shape, block in zip(layout.shapes, layout.blocks, strict=False):
        fewer, group = _grouped(shape, weight[block])
        shapes.append(fewer)
        groups.append(group)
    small = replace(layout, shapes=tuple(shapes))
    if small.width > 3 * layout.width // 5:
        return None
    words: Array = np.arange(small.offset[-1], small.width)
    into = np.concatenate([[0], *(g + at for g, at in zip(groups, small.offset, strict=False)), words])
    times = np.array([a.known / b.known for a, b in zip(layout.shapes, shapes, strict=True)])
    return Coarse(small, into.astype(np.int64), times)


def _grouped(shape: Shape, weight: Floats) -> tuple[Shape, Array]:
    """The shape with fewer bins, and the group of each slot."""
    known = shape.known
    if not shape.numeric or known <= _GROUPS:
        return shape, np.arange(shape.slots, dtype=np.uint16)
    reach = np.cumsum(weight[:known])
    middle = (reach - weight[:known] / 2) / max(float(reach[-1]), 1e-300)
    group = np.minimum((middle * _GROUPS).astype(np.int64), _GROUPS - 1)
    changes = np.flatnonzero(np.diff(group))
    made = np.zeros(shape.slots, dtype=np.uint16)
    made[1:known] = np.cumsum(np.diff(group) > 0)
    made[known:] = len(changes) + 1
    return replace(shape, cuts=shape.cuts[changes]), made
