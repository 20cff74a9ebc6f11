"""The data card in a notebook: figures, gains, histograms by class, each limited in size."""

from __future__ import annotations

from acumen.profiling.card import Card
from acumen.render.class_histogram import HistogramFigure, groups_svg, histogram_svg, levels_svg
from acumen.render.notebook import notebook_html
from acumen.render.report import DataCard, Details, Drawing, Drawings, Paragraph, Piece, ReportTable
from acumen.render.views import register_renderers

#: Attributes drawn, and gains listed; `to_html` has more.
_DRAWN, _GAINS = 12, 30


def card_block(card: Card) -> str:
    """One HTML block without scripts or external resources."""
    values = card.to_dict()
    pieces: list[Piece] = [DataCard(values)]
    pictures = card.pictures
    if pictures.drawn:
        drawn = [
            Drawing(histogram_svg(each) if isinstance(each, HistogramFigure) else levels_svg(each))
            for each in pictures.drawn[:_DRAWN]
        ]
        inner: list[Piece] = [Paragraph(pictures.grouped)] if pictures.grouped else []
        if len(pictures.groups) > 1:
            inner.append(Drawing(groups_svg(pictures.groups)))
        inner.append(Drawings(drawn))
        if len(pictures.order) > len(drawn):
            inner.append(Paragraph(f"{len(drawn)} of {len(pictures.order):,} attributes are drawn."))
        pieces += inner
    if (gains := _gains(card, values["attributes"])) is not None:
        pieces.append(Details("Information gain about the target", (gains,)))
    return notebook_html("", pieces)


def _gains(card: Card, columns: list[dict[str, object]]) -> ReportTable | None:
    """Information gain of each attribute, the largest beyond chance first."""
    associations = [
        (str(c["name"]), a) for c, a in zip(columns, card.pictures.associations, strict=True) if a is not None
    ]
    gains = sorted(
        ((n, a) for n, a in associations if a.gain_bits is not None), key=lambda pair: -pair[1].score
    )
    if not gains:
        return None
    rows = [
        [
            name,
            f"{a.gain_bits:.3f}",
            "–" if a.gain_ratio is None else f"{a.gain_ratio:.3f}",
            f"{a.chance_bits:.3f}",
        ]
        for name, a in gains[:_GAINS]
    ]
    return ReportTable(
        ["attribute", "gain, bits", "gain ratio", "by chance"], rows, ["left", "right", "right", "right"]
    )


register_renderers("html", {Card: card_block})
