"""A lattice: hypotheses as boxes, more general ones are above, a line where one is next to the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from acumen.data.escape import in_html, printable
from acumen.render.palette import both
from acumen.render.sheet import WIDTH, LegendKey, Sheet
from acumen.render.svg import cut, line, measure, tag, text
from acumen.render.text import many
from acumen.render.values import Figure

_SIZE = 11.0
_BOX, _GAP, _STEP = 24.0, 14.0, 66.0
_WIDEST = 190.0  # a box; what is longer is cut, and whole to who points at it
_SWEEPS = 6


@dataclass(frozen=True, slots=True)
class LatticeNode:
    """A box: its text, its level from the bottom, whether nothing is below or above it, and what is next above."""

    name: str
    level: int = 0
    specific: bool = False
    general: bool = False
    above: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        """Its text, behind the letters of the boundaries it is in."""
        letters = ("S" if self.specific else "") + ("G" if self.general else "")
        return f"{letters}: {self.name}" if letters else self.name


@dataclass(frozen=True, slots=True, eq=False)
class LatticeFigure(Figure):
    """Boxes; `why` is said where there are none."""

    nodes: Sequence[LatticeNode]
    title: str = "Version space"
    why: str = "No hypotheses."

    def _repr_svg_(self) -> str:
        return lattice_svg(self)

    def _repr_html_(self) -> str:
        caption = f"<figcaption>{in_html(self.about)}</figcaption>"
        return f'<figure style="margin:0;overflow-x:auto">{lattice_svg(self)}{caption}</figure>'

    @property
    def about(self) -> str:
        """What there is, in half a sentence."""
        if not self.nodes:
            return "an empty space"
        lines = sum(len(node.above) for node in self.nodes)
        summary = many(len(self.nodes), "hypothesis", "hypotheses")
        return f"{summary}, {many(lines, 'line')}; more general ones are above"

    def levels(self) -> list[list[int]]:
        """The boxes of each level from the bottom, ordered so that few lines cross."""
        levels: list[list[int]] = [[] for _ in range(1 + max((n.level for n in self.nodes), default=-1))]
        for at, node in enumerate(self.nodes):
            levels[node.level].append(at)
        next_to: dict[int, list[int]] = {at: [] for at in range(len(self.nodes))}
        for at, node in enumerate(self.nodes):
            for other in node.above:
                next_to[at].append(other)
                next_to[other].append(at)
        # Each box where its neighbours are on the mean, level by level, up and down (Sugiyama 1981).
        for sweep in range(_SWEEPS):
            place = {at: (i + 0.5) / len(level) for level in levels for i, at in enumerate(level)}
            for level in levels if sweep % 2 else reversed(levels):
                mean = {
                    at: sum(place[o] for o in next_to[at]) / len(next_to[at]) if next_to[at] else place[at]
                    for at in level
                }
                level.sort(key=lambda at, mean=mean: (mean[at], at))  # type: ignore[misc]
                place |= {at: (i + 0.5) / len(level) for i, at in enumerate(level)}
        return levels


def lattice_of(named: Sequence[tuple[str, int]], title: str) -> LatticeFigure:
    """The lattice of sets, given as whole numbers: a set is below those that contain it."""
    keys = [key for _, key in named]
    over = [[j for j, b in enumerate(keys) if a != b and a & b == a] for a in keys]
    above = [
        tuple(j for j in children if not any(k != j and j in over[k] for k in children)) for children in over
    ]
    below = {j for children in above for j in children}
    level = [0] * len(keys)
    for at in sorted(range(len(keys)), key=lambda i: keys[i].bit_count()):
        for other in above[at]:
            level[other] = max(level[other], level[at] + 1)
    nodes = tuple(
        LatticeNode(name, level[at], at not in below, not above[at], above[at])
        for at, (name, _) in enumerate(named)
    )
    return LatticeFigure(nodes, title)


def lattice_svg(figure: LatticeFigure) -> str:
    """Draw the boxes and the lines between them."""
    wide = [min(measure(printable(node.text), _SIZE) + 16, _WIDEST) for node in figure.nodes]
    levels = figure.levels()
    room = max((sum(wide[at] + _GAP for at in level) for level in levels), default=0.0)
    sheet = Sheet(figure.title, "Lattice", figure.about, max(WIDTH, room + 24))
    if not figure.nodes:
        return sheet.nothing(figure.why)
    top = sheet.y + 6
    at: dict[int, tuple[float, float]] = {}
    for height, level in enumerate(reversed(levels)):
        free = sheet.width - 24 - sum(wide[each] for each in level)
        gap = free / (len(level) + 1)
        x = 12 + gap
        for each in level:
            at[each] = (x + wide[each] / 2, top + height * _STEP)
            x += wide[each] + gap
    for each, node in enumerate(figure.nodes):
        for other in node.above:
            (x1, y1), (x2, y2) = at[each], at[other]
            sheet.add(line(round(x1, 1), y1, round(x2, 1), y2 + _BOX, stroke_opacity=0.35, stroke_width=1.1))
    for each, node in enumerate(figure.nodes):
        x, y = at[each]
        sheet.add(*_box(node, x, y, wide[each]))
    sheet.y = top + (len(levels) - 1) * _STEP + _BOX + 14
    sheet.legend([LegendKey("box", 0, "S: most specific"), LegendKey("box", 1, "G: most general")])
    sheet.note("Hypotheses connected above cover everything that the one below covers.")
    return sheet.svg()


def _box(node: LatticeNode, x: float, y: float, wide: float) -> list[str]:
    edge: dict[str, object] = {
        "x": round(x - wide / 2, 1),
        "y": y,
        "width": round(wide, 1),
        "height": _BOX,
        "rx": 4.0,
    }
    pieces: list[str] = []
    if node.specific and node.general:
        half = {**edge, "width": round(wide / 2, 1)}
        pieces += [_colour_edge(half, 0), _colour_edge({**half, "x": round(x, 1)}, 1)]
    elif node.specific or node.general:
        pieces.append(_colour_edge(edge, 0 if node.specific else 1))
    else:
        pieces.append(
            tag(
                "rect",
                **edge,
                fill="currentColor",
                stroke="currentColor",
                fill_opacity=0.04,
                stroke_opacity=0.5,
            )
        )
    label = cut(node.text, wide - 10, _SIZE)
    pieces.append(
        text(label, round(x, 1), y + _BOX / 2 + 4, anchor="middle", size=_SIZE, whole=printable(node.text))
    )
    return pieces


def _colour_edge(edge: dict[str, object], place: int) -> str:
    return tag("rect", **edge, stroke_width=1.5, fill_opacity=0.3, **both(place))
