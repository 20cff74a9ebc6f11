"""A card as one HTML page: warnings first, then the target, its associations, pictures and figures.

It takes the plain values of `Card.to_dict`, and the pictures; every text is escaped where it is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any, Literal, TypeAlias

import numpy as np

import acumen
from acumen.profiling.pictures import COMPARED, DRAWN, SAMPLE, Pictures
from acumen.render.card_text import finding_sentences
from acumen.render.class_histogram import HistogramFigure, LevelsFigure, groups_svg, histogram_svg, levels_svg
from acumen.render.heat_maps import AssociationFigure, association_svg, missing_svg
from acumen.render.report import (
    Details,
    Drawing,
    Drawings,
    Paragraph,
    Piece,
    PointsPanel,
    ReportPage,
    ReportTable,
    Section,
    report_html,
)
from acumen.render.text import count, many, number, percent

Values: TypeAlias = Mapping[str, Any]

#: Classes drawn, pairs of attributes listed, levels named.
CLASSES, PAIRS, LEVELS = 40, 10, 5

_LEFT: tuple[Literal["left"], ...] = ("left",)
_RIGHT: tuple[Literal["right"], ...] = ("right",)
_MEASURES = {
    "correlation": "correlation",
    "cramers-v": "Cramér's V",
    "correlation-ratio": "correlation ratio",
}


def card_page(card: Values, pictures: Pictures, title: str | None = None) -> str:
    """The page, complete."""
    sections = [Section("Warnings", tuple(_warnings(card)))]
    if card["target"] is not None:
        sections.append(Section("The target", tuple(_target(card["target"]))))
        sections.append(Section("Strongest associations with it", tuple(_associations(card, pictures))))
    if pictures.drawn:
        sections.append(Section("Attributes", tuple(_attributes(card, pictures))))
    sections.append(Section("Missing values", tuple(_missing(card, pictures))))
    if len(pictures.between.attributes) > 1:
        sections.append(Section("Between attributes", tuple(_between(card, pictures))))
    sections.append(Section("Figures", tuple(_figures(card))))
    name = PurePath(card["source"]).name if card["source"] else "a table"
    return report_html(
        ReportPage(
            title or f"Data card of {name}",
            sections,
            lead=_lead(card),
            subtitle=_size(card),
            footer=f"Created by acumen {acumen.__version__}. This page needs no network.",
        )
    )


def _size(card: Values) -> str:
    description = f"{many(card['rows'], 'row')}, {many(len(card['attributes']), 'attribute')}"
    if card["target"] is not None:
        description += f", target {card['target']['name']}"
    if card["weight"]["column"] is not None:
        description += f", weights {card['weight']['column']} (total {number(card['weight']['total'])})"
    return description


def _lead(card: Values) -> str:
    every = [e for e in (*card["notes"], *card["findings"]) if e["level"] == "warning"]
    if not every:
        return "Nothing was found that would mislead a classifier."
    kinds = list(dict.fromkeys(e["code"] for e in every))
    return f"{many(len(every), 'warning')} to look at before training: {', '.join(kinds)}."


def _warnings(card: Values) -> Iterator[Piece]:
    every = [*card["notes"], *card["findings"]]
    warnings = finding_sentences([e for e in every if e["level"] == "warning"])
    notes = finding_sentences([e for e in every if e["level"] != "warning"])
    yield PointsPanel(warnings) if warnings else Paragraph("None.")
    if notes:
        yield Details(many(len(notes), "note"), (PointsPanel(notes),))
    if card["ignored"]:
        named = ", ".join(card["ignored"][:50])
        yield Paragraph(f"Ignored columns: {named}" + (" and more." if len(card["ignored"]) > 50 else "."))


def _target(target: Values) -> Iterator[Piece]:
    lacking = f" {percent(target['missing_share'])} of the rows have no target." if target["missing"] else ""
    if target["numeric"] is not None:
        figures = target["numeric"]
        yield Paragraph(
            f"{target['name']}: from {number(figures['min'])} to {number(figures['max'])}, "
            f"median {number(figures['median'])}, mean {number(figures['mean'])}, "
            f"standard deviation {number(figures['sd'])}.{lacking}"
        )
        edges, counts = figures["histogram"]["edges"], figures["histogram"]["counts"]
        if counts:
            yield Drawing(
                histogram_svg(HistogramFigure(np.array(edges), np.array([counts]), ["rows"], target["name"]))
            )
        return
    classes = target["classes"]
    yield Paragraph(
        f"{target['name']}: {many(len(classes), 'class', 'classes')}, "
        f"entropy {number(target['entropy_bits'])} of {number(float(np.log2(max(1, len(classes)))))} bits.{lacking}"
    )
    shown = sorted(classes, key=lambda c: -c["weight"])[:CLASSES] if len(classes) > CLASSES else classes
    names = [str(c["level"]) for c in shown]
    weights = np.array([[c["weight"] for c in shown]])
    yield Drawing(levels_svg(LevelsFigure(names, weights, ["rows"])))
    if len(shown) < len(classes):
        yield Paragraph(f"and {len(classes) - len(shown):,} smaller classes.")


def _associations(card: Values, pictures: Pictures) -> Iterator[Piece]:
    """The association of each attribute with the target, the strongest first."""
    columns = [card["attributes"][j] for j in pictures.order]
    columns = [column for column in columns if column["association"] is not None]
    if not columns:
        yield Paragraph("There is no numeric or nominal attribute to compare with the target.")
        return
    if card["target"]["numeric"] is not None:
        rows = [
            [c["name"], c["kind"], _strength(c["association"]), _chance(c["association"]["p"]),
             count(c["association"]["rows"])]
            for c in columns
        ]  # fmt: skip
        yield ReportTable(
            ["attribute", "kind", "strength", "p-value", "rows"], rows,
            ["left", "left", "right", "right", "right"],
        )  # fmt: skip
        yield _table_note(
            "Strength is the signed correlation for a numeric attribute and the correlation ratio for a nominal one, "
            "corrected for its number of categories. The p-value is from an F test: the probability of a value at "
            "least this large if the two columns were unrelated.",
            pictures, card,
        )  # fmt: skip
        return
    rough = any(c["association"]["rough"] for c in columns)
    rows = [_class_row(c) for c in columns]
    headings = [
        "attribute",
        "gain, bits",
        "by chance",
        "gain ratio",
        "p-value",
        "Cramér's V",
        "chi²",
        "df",
        "kind",
    ]
    yield ReportTable(headings, rows, [*_sides(1, 7), "left"])
    yield _table_note(
        "Gain is the information gain. The order is by the gain beyond what chance would show with the same numbers "
        "of rows and categories, times the fraction of rows in which the attribute is known. The gain ratio is the "
        "gain divided by the attribute's own entropy. p is from the chi-square test. Cramér's V is corrected for the "
        "number of categories. Numeric attributes are cut into at most ten intervals of about equal weight, without "
        "looking at the class."
        + (" A p with ≈ is rough: over a fifth of the cells expect fewer than 5 rows." if rough else ""),
        pictures, card,
    )  # fmt: skip


def _class_row(column: Values) -> list[str]:
    """One attribute; the most important figures come first, because a phone shows only some without scrolling."""
    a = column["association"]
    return [
        column["name"],
        f"{a['gain_bits']:.3f}",
        f"{a['chance_bits']:.3f}",
        "–" if a["gain_ratio"] is None else f"{a['gain_ratio']:.3f}",
        ("≈ " if a["rough"] and a["p"] is not None else "") + _chance(a["p"]),
        "–" if a["strength"] is None else f"{a['strength']:.2f}",
        number(a["chi2"]),
        count(a["df"]),
        column["kind"],
    ]


def _strength(association: Values) -> str:
    value = association["correlation"] if association["correlation"] is not None else association["strength"]
    return "–" if value is None else f"{value:.2f}".replace("-", "−")


def _chance(p: float | None) -> str:
    """A probability in readable form."""
    if p is None:
        return "–"
    if p < 1e-99:
        return "< 1e-99"
    return f"{p:.3f}" if p >= 0.001 else f"{p:.1e}"


def _table_note(said: str, pictures: Pictures, card: Values) -> Paragraph:
    """What a table means, and which rows it uses."""
    return Paragraph(said + _of_some(pictures, card))


def _of_some(pictures: Pictures, card: Values) -> str:
    if pictures.sampled == card["rows"]:
        return ""
    return f" Computed from {SAMPLE:,} of the {card['rows']:,} rows, sampled with a fixed seed."


def _attributes(card: Values, pictures: Pictures) -> Iterator[Piece]:
    caption = pictures.grouped
    if caption:
        caption += " The strip below a histogram, and the bars next to categories, show proportions."
    if len(pictures.drawn) < len(pictures.order):
        which = (
            "that are most strongly associated with the target"
            if card["target"] is not None
            else "that come first"
        )
        caption += f" Of {len(pictures.order):,} attributes the {DRAWN} are drawn {which}."
    caption = (caption + _of_some(pictures, card)).strip()
    if caption:
        yield Paragraph(caption)
    if len(pictures.groups) > 1:
        yield Drawing(groups_svg(pictures.groups))
    yield Drawings(
        [
            Drawing(histogram_svg(f) if isinstance(f, HistogramFigure) else levels_svg(f))
            for f in pictures.drawn
        ]
    )


def _missing(card: Values, pictures: Pictures) -> Iterator[Piece]:
    lacking = [a for a in card["attributes"] if a["missing"]]
    if not lacking:
        yield Paragraph("No attribute has missing values.")
        return
    yield Paragraph(
        f"{len(lacking):,} of {many(len(card['attributes']), 'attribute')} "
        f"{'has' if len(lacking) == 1 else 'have'} missing values."
    )
    yield Drawing(missing_svg(pictures.missing))


def _between(card: Values, pictures: Pictures) -> Iterator[Piece]:
    associations = pictures.between
    yield Drawing(association_svg(AssociationFigure(associations.attributes, associations.values, title="")))
    pairs = card["between"][:PAIRS]
    rows = [
        [p["first"], p["second"], _MEASURES[p["measure"]], f"{p['value']:.2f}".replace("-", "−")]
        for p in pairs
    ]
    if rows:
        headings = ["attribute", "and", "measure", "value"]
        yield ReportTable(headings, rows, ["left", "left", "left", "right"], "The strongest pairs")
    caption = (
        "Two numeric attributes are compared by correlation, two nominal ones by Cramér's V, and one of each by the "
        "correlation ratio. The last two are corrected for the number of categories. Each pair uses the rows in "
        "which both are known."
    )
    if len(pictures.order) > COMPARED:
        which = (
            "that are most strongly associated with the target"
            if card["target"] is not None
            else "that come first"
        )
        caption += f" Of {len(pictures.order):,} attributes the {COMPARED} are compared {which}."
    yield _table_note(caption, pictures, card)


def _figures(card: Values) -> Iterator[Piece]:
    """Every attribute's figures, by kind."""
    columns: Sequence[Values] = card["attributes"]
    numeric = [c for c in columns if c["numeric"]]
    keys = ["min", "q1", "median", "q3", "max", "mean", "sd"]
    if numeric:
        rows = [[c["name"], _lacking(c), *(number(c["numeric"][key]) for key in keys)] for c in numeric]
        yield ReportTable(["numeric", "missing", *keys], rows, _sides(1, 8))
    nominal = [c for c in columns if c["nominal"]]
    if nominal:
        rows = [[c["name"], _lacking(c), count(c["distinct"]), _levels(c)] for c in nominal]
        headings = ["nominal", "missing", "distinct", "most frequent, with rows"]
        yield ReportTable(headings, rows, ["left", "right", "right", "left"])
    text = [c for c in columns if c["text"]]
    if text:
        keys = ["shortest", "median", "longest"]
        rows = [
            [c["name"], _lacking(c), count(c["distinct"]), *(number(c["text"][key]) for key in keys)]
            for c in text
        ]
        headings = ["text", "missing", "distinct", "shortest", "median length", "longest"]
        yield ReportTable(headings, rows, _sides(1, 5))
    if not columns:
        yield Paragraph("The table has no attributes.")


def _sides(left: int, right: int) -> list[Literal["left", "right"]]:
    """Alignments: some columns of words, then some of numbers."""
    return [*(_LEFT * left), *(_RIGHT * right)]


def _lacking(column: Values) -> str:
    return percent(column["missing_share"]) if column["missing"] else "–"


def _levels(column: Values) -> str:
    seen = [level for level in column["nominal"]["levels"] if level["count"]]
    named = [f"{str(level['level'])[:60]} {count(level['count'])}" for level in seen[:LEVELS]]
    rest = column["distinct"] - len(named)
    return ", ".join(named) + (f" and {rest:,} more" if rest else "")
