"""The critical-difference diagram: mean ranks over several tables, and which of them do not differ significantly.

Demšar, J. (2006). Statistical comparisons of classifiers over multiple data sets. JMLR 7, 1-30.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from acumen.data.escape import printable
from acumen.errors import DataError
from acumen.render import palette
from acumen.render.axes import SMALL
from acumen.render.sheet import Sheet
from acumen.render.svg import Markup, cut, line, measure, text
from acumen.render.text import number
from acumen.render.values import Figure, floats, keep, names
from acumen.types import Floats

#: Where a rank lies on the sheet.
_Place: TypeAlias = Callable[[float], float]
#: So many learners are drawn; of more, those of the lowest ranks.
MOST_NAMES = 40


@dataclass(frozen=True, slots=True, eq=False)
class CdFigure(Figure):
    """Mean ranks, 1 the best; mean ranks less than the critical difference apart are no different."""

    names: Sequence[str]
    ranks: Floats
    critical_difference: float
    title: str = "Mean ranks"

    def __post_init__(self) -> None:
        keep(self, names=names(self, "names"))
        keep(self, ranks=floats(self, "ranks", length=len(self.names)))
        keep(self, critical_difference=float(self.critical_difference))
        if not self.critical_difference >= 0:
            got = self.critical_difference
            raise DataError(f"CdFigure: critical_difference must be a number of at least 0; got {got}")

    def _repr_svg_(self) -> str:
        return cd_svg(self)


def cd_svg(figure: CdFigure) -> str:
    """Draw the ranks on one line, the names to both sides, and a bar over each group of no significant difference."""
    kept = np.flatnonzero(np.isfinite(figure.ranks))
    order = kept[np.argsort(figure.ranks[kept], kind="stable")][:MOST_NAMES]
    ranks, labels = figure.ranks[order], [figure.names[i] for i in order]
    summary = "; ".join(f"{name}: {number(float(r))}" for name, r in zip(labels, ranks, strict=True))
    cd = figure.critical_difference
    sheet = Sheet(figure.title, "Critical-difference diagram", f"{summary}; critical difference {number(cd)}")
    if len(ranks) < 2:
        return sheet.nothing("No diagram: it needs the mean ranks of at least two learners.")
    half = -(-len(ranks) // 2)
    side = min(
        max(measure(_rank_label(n, r)) for n, r in zip(labels, ranks, strict=True)) + 10, 0.3 * sheet.width
    )
    left_edge, right = 16 + side, sheet.width - 16 - side
    low, high = min(1.0, float(np.floor(ranks[0]))), max(float(np.ceil(ranks[-1])), 2.0)

    def at(rank: float) -> float:
        return left_edge + (right - left_edge) * (rank - low) / (high - low)

    top = sheet.y + (44 if cd > 0 else 22)
    sheet.add(*_axis(at, low, high, top))
    if cd > 0:
        sheet.add(*_ruler(at, low, min(cd, high - low), cd, top - 34))
    groups = alike(ranks, cd)
    for level, (first, last) in enumerate(groups):
        y = top + 14 + 9 * level
        x1, x2 = at(float(ranks[first])) - 5, at(float(ranks[last])) + 5
        sheet.add(line(x1, y, x2, y, stroke_width=4.5, stroke_linecap="round", **palette.stroke(0)))
    first_name = top + 14 + 9 * len(groups) + 16
    for i, (name, rank) in enumerate(zip(labels, ranks.tolist(), strict=True)):
        on_left = i < half
        y = first_name + 22 * (i if on_left else len(ranks) - 1 - i)
        x = at(rank)
        edge = left_edge - 8 if on_left else right + 8
        figures = f"{rank:.2f}"
        room = side - measure(figures, SMALL) - 12
        sheet.add(
            line(x, top, x, y, stroke_opacity=0.55),
            line(x, y, edge, y, stroke_opacity=0.55),
            *_name(name, figures, edge, y, room, on_left=on_left),
        )
    sheet.y = first_name + 22 * (half - 1) + 14
    sheet.note(
        "No significant difference between learners under one bar."
        if groups
        else "All differences are significant."
    )
    if len(kept) > len(order):
        sheet.note(f"Shows the best {len(order):,} of {len(kept):,}.")
    if len(kept) < len(figure.ranks):
        sheet.note(f"{len(figure.ranks) - len(kept):,} without a rank are not shown.")
    return sheet.svg()


def alike(ranks: Floats, critical_difference: float) -> list[tuple[int, int]]:
    """The widest runs of sorted ranks that differ by less than the critical difference, as first and last."""
    ends = np.searchsorted(ranks, ranks + critical_difference, side="left") - 1
    runs: list[tuple[int, int]] = []
    for first, last in enumerate(ends.tolist()):
        if last > first and (not runs or last > runs[-1][1]):
            runs.append((first, last))
    return runs


def _rank_label(name: str, rank: float) -> str:
    return f"{printable(name)}  {rank:.2f}"


def _axis(at: _Place, low: float, high: float, y: float) -> list[Markup]:
    pieces = [line(at(low), y, at(high), y, stroke_width=1.4)]
    whole = range(int(low), int(high) + 1)
    every = -(-len(whole) // 10)
    for rank in whole:
        x = at(rank)
        pieces.append(line(x, y - 5, x, y, stroke_width=1.2))
        if (rank - whole[0]) % every == 0:
            pieces.append(text(f"{rank}", x, y - 9, anchor="middle", size=SMALL, faint=True))
    return pieces


def _ruler(at: _Place, low: float, length: float, cd: float, y: float) -> list[Markup]:
    """The critical difference to scale, above the axis."""
    x1, x2 = at(low), at(low + length)
    label = f"critical difference {number(cd)}"
    return [
        line(x1, y, x2, y, stroke_width=2.0, **palette.stroke(1)),
        *(line(x, y - 4, x, y + 4, stroke_width=2.0, **palette.stroke(1)) for x in (x1, x2)),
        text(label, x2 + 8, y + 4, size=SMALL),
    ]


def _name(name: str, figures: str, edge: float, y: float, room: float, *, on_left: bool) -> list[Markup]:
    short, whole = cut(name, room), printable(name)
    step = measure(figures, SMALL) + 12
    if on_left:
        return [
            text(figures, edge - 5, y + 4.5, anchor="end", size=SMALL, faint=True),
            text(short, edge - step, y + 4.5, anchor="end", whole=whole),
        ]
    return [
        text(figures, edge + 5, y + 4.5, size=SMALL, faint=True),
        text(short, edge + step, y + 4.5, whole=whole),
    ]
