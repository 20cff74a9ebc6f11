"""A list of rules as a ladder: one rung a rule, its classes as a bar as long as the rows that come to it.

RuleRung     one rung: what must hold, what is then said, and the class weights of its rows
LadderFigure all rungs, the default last
ladder_svg   the drawing
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from acumen.data.escape import printable
from acumen.errors import DataError
from acumen.render import palette
from acumen.render.sheet import WIDTH, LegendKey, Sheet
from acumen.render.svg import cut, line, tag, text
from acumen.render.text import number
from acumen.render.values import Figure, floats, keep, names
from acumen.types import Floats

#: More rungs than this are counted, not drawn.
MOST_RUNGS = 60
_STEP = 46.0
_BAR = 8.0


@dataclass(frozen=True, slots=True, eq=False)
class RuleRung:
    """One rule: `body` in words (empty: always), the class at `winner`, weights by class (all 0: not counted)."""

    body: str
    winner: int
    counts: Floats

    def __post_init__(self) -> None:
        keep(self, counts=floats(self, "counts"))


@dataclass(frozen=True, slots=True, eq=False)
class LadderFigure(Figure):
    """Rungs in order, the last for what is said where no rule holds."""

    rungs: Sequence[RuleRung]
    classes: Sequence[str]
    title: str = "Rules"
    ordered: bool = True

    def __post_init__(self) -> None:
        keep(self, classes=names(self, "classes"), rungs=tuple(self.rungs))
        for rung in self.rungs:
            if len(rung.counts) != len(self.classes) or not 0 <= rung.winner < len(self.classes):
                raise DataError("LadderFigure: each rung needs a weight for each class, and a class it says")

    def _repr_svg_(self) -> str:
        return ladder_svg(self)


def ladder_svg(figure: LadderFigure) -> str:
    """Draw the list from the first rule down; bars share one scale."""
    rungs, n = figure.rungs, len(figure.rungs)
    sheet = Sheet(figure.title, "Rules", f"{max(n - 1, 0)} rules for {', '.join(figure.classes[:20])}", WIDTH)
    if not n:
        return sheet.nothing("No rules.")
    shown = [*rungs[: MOST_RUNGS - 1], rungs[-1]] if n > MOST_RUNGS else list(rungs)
    numbers = [*range(1, len(shown)), 0]
    totals = np.array([float(rung.counts.sum()) for rung in shown])
    most = max(float(totals.max()), 1e-300)
    left_edge, width = 34.0, sheet.width - 34.0 - 60.0
    top = sheet.y
    if figure.ordered and len(shown) > 1:
        sheet.add(line(16.0, top + 8, 16.0, top + _STEP * (len(shown) - 1) + 8, stroke_opacity=0.35))
    for place, (number_of, rung, total) in enumerate(zip(numbers, shown, totals.tolist(), strict=True)):
        y = top + _STEP * place
        body_text = f"if {rung.body}" if rung.body else ("otherwise" if not number_of else "always")
        head = f"→ {figure.classes[rung.winner]}"
        sheet.add(
            tag("circle", cx=16.0, cy=y + 8, r=9.0, fill="Canvas", stroke="currentColor", stroke_opacity=0.5),
            text(str(number_of) if number_of else "·", 16.0, y + 12, anchor="middle", size=11.0),
            text(
                cut(body_text, sheet.width - left_edge - 12, 12),
                left_edge,
                y + 12,
                size=12.0,
                whole=printable(body_text),
            ),
            text(
                cut(head, 120, 12, bold=True), left_edge, y + 28, size=12.0, bold=True, whole=printable(head)
            ),
        )
        x = left_edge + 124.0
        room = width - 124.0
        for code, weight in enumerate(rung.counts.tolist()):
            if weight > 0:
                long = room * weight / most
                sheet.add(
                    tag("rect", x=x, y=y + 20.0, width=max(long, 0.5), height=_BAR, **palette.fill(code))
                )
                x += long
        figures = "not counted" if not total else f"{number(float(rung.counts[rung.winner]))}/{number(total)}"
        sheet.add(text(figures, sheet.width - 8, y + 28, anchor="end", size=11.0, faint=True))
    sheet.y = top + _STEP * len(shown) + 4
    sheet.legend([LegendKey("box", code, name) for code, name in enumerate(figure.classes)])
    if n > len(shown):
        sheet.note(f"{n - len(shown):,} rules in between are not shown.")
    if not figure.ordered:
        sheet.note("All matching rules vote; a bar shows all rows that a rule covers.")
    return sheet.svg()
