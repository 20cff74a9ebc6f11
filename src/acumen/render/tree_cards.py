"""The cards of a drawn tree: how large each must be, and what is on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from acumen.data.escape import printable
from acumen.render import palette
from acumen.render.svg import Markup, cut, decimal, line, measure, tag, text
from acumen.render.text import many, number, percent

if TYPE_CHECKING:
    from acumen.render.tree import SplitHistogram, TreeNode

SMALL, TINY, TITLE = 12.0, 10.5, 13.0
PAD = 11.0
LINE = 16.0
BAR = 7.0
#: The narrowest and the widest text on a card, and the widest label of a branch.
LEAST, WIDEST, WIDEST_LABEL = 54.0, 150.0, 120.0
#: The drawing of values around a cut.
HISTOGRAM_WIDTH, HISTOGRAM_HEIGHT = 128.0, 36.0


@dataclass(frozen=True, slots=True)
class TreeCard:
    """The size of a card, and its texts in lines."""

    width: float
    height: float
    title: tuple[str, ...]
    caption: str
    label: tuple[str, ...]  # of the branch that leads here

    @property
    def label_height(self) -> float:
        return 14.0 * len(self.label) + (5 if self.label else 0)

    @property
    def room(self) -> float:
        """How much a card and its label take across."""
        return max(self.width, max((measure(line_text, SMALL) for line_text in self.label), default=0.0) + 4)


def card_of(node: TreeNode, classes: Sequence[str]) -> TreeCard:
    """What a card says and how large that makes it."""
    text = node.question or classes[node.winner]
    title = wrap_text(text, WIDEST, TITLE, bold=True)
    caption = _caption(node)
    inner = max(
        LEAST,
        measure(caption, SMALL),
        *(measure(part, TITLE, bold=True) for part in title),
        HISTOGRAM_WIDTH if node.histogram is not None else 0.0,
    )
    height = PAD + LINE * len(title) + 4 + BAR + 4 + LINE + PAD - 7
    if node.histogram is not None:
        height += HISTOGRAM_HEIGHT + 20
    return TreeCard(inner + 2 * PAD, height, title, caption, wrap_text(node.branch, WIDEST_LABEL, SMALL))


def _caption(node: TreeNode) -> str:
    total = float(node.counts.sum())
    if node.question:
        return many(round(total), "row") if total == round(total) else f"{number(total)} rows"
    right = percent(float(node.counts[node.winner]) / total) if total > 0 else "no rows"
    if node.hidden:
        return f"{number(total)} · +{many(node.hidden, 'leaf', 'leaves')}"
    return f"{number(total)} · {right}" if total > 0 else right


def draw_card(node: TreeNode, card: TreeCard, x: float, y: float, classes: Sequence[str]) -> list[Markup]:
    """A card with its upper edge at `y` and its middle at `x`, and the label above it."""
    left_edge = x - card.width / 2
    pieces = [
        text(line_text, x, y - 8 - 14.0 * (len(card.label) - 1 - i), anchor="middle", size=SMALL,
             whole=printable(node.branch))
        for i, line_text in enumerate(card.label)
    ]  # fmt: skip
    pieces += _frame(node, card, left_edge, y)
    at = y + PAD
    whole = printable(node.question or classes[node.winner])
    for line_text in card.title:
        pieces.append(text(line_text, x, at + 12, anchor="middle", size=TITLE, bold=True, whole=whole))
        at += LINE
    if node.histogram is not None:
        pieces += _histogram(node.histogram, x - HISTOGRAM_WIDTH / 2, at + 3)
        at += HISTOGRAM_HEIGHT + 20
    at += 4
    pieces += _bar(node, left_edge + PAD, at, card.width - 2 * PAD, classes)
    pieces.append(text(card.caption, x, at + BAR + 15, anchor="middle", size=SMALL, faint=True))
    return pieces


def _frame(node: TreeNode, card: TreeCard, left: float, y: float) -> list[Markup]:
    """The outline; in the colour of its class where it answers, doubled where more lies below."""
    box = {"width": card.width, "height": card.height, "rx": 8.0 if node.question else 14.0}
    steps = (3.0, 6.0) if node.hidden else ()
    pieces = [_edge_behind(left, y, card, step, 14.0) for step in steps]
    if node.question:
        paint: dict[str, object] = {"fill": "currentColor", "stroke": "currentColor"}
        opacity = {"fill_opacity": 0.035, "stroke_opacity": 0.35}
    else:
        paint, opacity = palette.both(node.winner), {"fill_opacity": 0.12, "stroke_opacity": 0.9}
    if node.passed > 0:
        opacity["stroke_opacity"] = 1.0
    thick = 1.2 + (1.8 * node.passed**0.5 if node.passed > 0 else 0.0)
    pieces.append(tag("rect", x=left, y=y, stroke_width=thick, **box, **paint, **opacity))
    return pieces


def _edge_behind(left: float, y: float, card: TreeCard, step: float, r: float) -> Markup:
    """The lower right edge of a card that lies behind another."""
    right, bottom = left + card.width + step, y + card.height + step
    d = (
        f"M{decimal(left + r)} {decimal(bottom)}H{decimal(right - r)}"
        f"A{decimal(r)} {decimal(r)} 0 0 0 {decimal(right)} {decimal(bottom - r)}V{decimal(y + r)}"
    )
    return tag("path", d=d, fill="none", stroke="currentColor", stroke_opacity=0.45)


def _bar(node: TreeNode, left: float, y: float, width: float, classes: Sequence[str]) -> list[Markup]:
    """The classes of the node's rows, side by side; each tells its weight to who points at it."""
    total = float(node.counts.sum())
    pieces = [
        tag("rect", x=left, y=y, width=width, height=BAR, rx=2.0, fill="currentColor", fill_opacity=0.1)
    ]
    if not total > 0:
        return pieces
    start = 0.0
    for place, count in enumerate(node.counts.tolist()):
        share = count / total
        if share * width >= 0.3:
            tooltip = tag("title", f"{printable(classes[place])}: {number(count)} ({percent(share)})")
            pieces.append(
                tag(
                    "rect",
                    tooltip,
                    x=left + start * width,
                    y=y,
                    width=share * width,
                    height=BAR,
                    **palette.fill(place),
                )
            )
        start += share
    return pieces


def _histogram(drawn: SplitHistogram, left: float, top: float) -> list[Markup]:
    """The values of the node's rows, stacked by class, and the cuts through them."""
    bottom, n = top + HISTOGRAM_HEIGHT, len(drawn.counts)
    highest = float(drawn.counts.sum(axis=1).max())
    step = HISTOGRAM_WIDTH / n
    pieces = []
    for i, counts in enumerate(drawn.counts.tolist()):
        base = bottom
        for place, count in enumerate(counts):
            size = count / highest * (HISTOGRAM_HEIGHT - 2) if highest > 0 else 0.0
            if size >= 0.2:
                pieces.append(
                    tag("rect", x=left + i * step, y=base - size, width=max(step - 0.7, 0.5), height=size,
                        fill_opacity=0.85, **palette.fill(place))
                )  # fmt: skip
            base -= size
    pieces.append(line(left, bottom, left + HISTOGRAM_WIDTH, bottom, stroke_opacity=0.5))
    span = drawn.high - drawn.low
    marks = [left + HISTOGRAM_WIDTH * min(max((where - drawn.low) / span, 0.0), 1.0) for where in drawn.cuts]
    for x in marks:
        pieces.append(line(x, top - 2, x, bottom + 4, stroke_width=1.6))
        pieces.append(tag("path", d=_arrow(x, bottom + 4), fill="currentColor"))
    ends = drawn.ends or (number(drawn.low), number(drawn.high))
    for at, label, anchor in ((left, ends[0], "start"), (left + HISTOGRAM_WIDTH, ends[1], "end")):
        if all(abs(x - at) > measure(label, TINY) + 6 for x in marks):
            pieces.append(text(label, at, bottom + 13, anchor=anchor, size=TINY, faint=True))
    return pieces


def _arrow(x: float, y: float) -> str:
    return f"M{decimal(x - 4)} {decimal(y + 5)}H{decimal(x + 4)}L{decimal(x)} {decimal(y)}Z"


def wrap_text(said: str, room: float, size: float, *, bold: bool = False, most: int = 2) -> tuple[str, ...]:
    """The text in at most so many lines of at most `room` pixels; broken at blanks and underscores, or cut."""
    shown = printable(said)
    if not shown:
        return ()
    rows: list[str] = [""]
    for piece in _pieces(shown):
        joined = rows[-1] + piece
        if measure(joined.rstrip(), size, bold=bold) <= room or not rows[-1] or len(rows) == most:
            rows[-1] = joined
        else:
            rows.append(piece)
    return tuple(cut(row.strip(), room, size, bold=bold) for row in rows)


def _pieces(said: str) -> list[str]:
    """A text in pieces that a line may end with."""
    pieces = [""]
    for before, character in zip("\0" + said, said, strict=False):
        if before in " _-./,;" and character not in " _-./,;":
            pieces.append("")
        pieces[-1] += character
    return pieces
