"""A data card as text: what `acumen inspect` prints and `str(card)` gives.

It takes the plain values of `Card.to_dict`, so that it draws whatever was computed, where and whenever.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from acumen.data.escape import printable
from acumen.data.forms import moment
from acumen.render.text import (
    BLOCKS,
    Glyphs,
    Heading,
    Paint,
    bar,
    cells,
    count,
    fit,
    histogram,
    many,
    number,
    percent,
    plain,
    table,
    wrap,
)

Values: TypeAlias = Mapping[str, Any]

#: So many attributes of a kind and so many classes are drawn; the rest is counted.
DRAWN = 100
#: Levels named on an attribute's line, at most.
LEVELS = 8
#: Findings of one kind told in full, and further columns named.
ALIKE, NAMED = 5, 10
#: Attributes named that say most about the target, and the chance at which one of all may be named wrongly.
MOST, SURE = 5, 0.01
#: Attributes whose gain is written down.
GAINS = 30


def card_text(card: Values, width: int = 80, *, paint: Paint = plain, glyphs: Glyphs = BLOCKS) -> str:
    """The card in lines of at most `width` cells."""
    parts = [_title(card, width, paint)]
    if card["target"] is not None:
        parts.append(_target(card["target"], width, paint, glyphs))
    by_kind = {
        "numeric": [a for a in card["attributes"] if a["numeric"]],
        "nominal": [a for a in card["attributes"] if a["nominal"]],
        "text": [a for a in card["attributes"] if a["text"]],
    }
    for kind, columns in by_kind.items():
        if columns:
            parts.append(_DRAW[kind](columns, width, paint, glyphs))
    parts.append(_gains(card, width, paint, glyphs))
    parts.append(_most(card, width, paint))
    if card["ignored"]:
        names = ", ".join(printable(name) for name in card["ignored"])
        parts.append(wrap(names, width, "Ignored: ", "  "))
    parts.append(_findings(card, width, paint))
    return "\n\n".join("\n".join(lines) for lines in parts if lines) + "\n"


def _title(card: Values, width: int, paint: Paint) -> list[str]:
    source = f"{printable(card['source'])}: " if card["source"] else ""
    title = f"{source}{many(card['rows'], 'row')}, {many(len(card['attributes']), 'attribute')}"
    if card["target"] is not None:
        title += f", target {printable(card['target']['name'])}"
    if card["weight"]["column"] is not None:
        title += f", weights {printable(card['weight']['column'])} (total {number(card['weight']['total'])})"
    return [paint(line, "title") for line in wrap(title, width)]


def _target(target: Values, width: int, paint: Paint, glyphs: Glyphs) -> list[str]:
    if target["numeric"] is not None:
        column = {**target, "distinct": 0}
        return _numeric([column], width, paint, glyphs, title="Target")
    classes = target["classes"]
    entropy = number(target["entropy_bits"], glyphs.none)
    head = f"Classes of {printable(target['name'])}"
    text = (
        f"{many(len(classes), 'class', 'classes')}, entropy {entropy} {'bit' if entropy == '1' else 'bits'}"
    )
    if target["missing"]:
        text += f", {percent(target['missing_share'])} missing"
    top = max((c["share"] or 0.0 for c in classes), default=0.0) or 1.0
    rows = [
        [
            printable(c["level"]),
            count(c["count"]),
            percent(c["share"], glyphs.none),
            bar((c["share"] or 0.0) / top, 30, glyphs),
        ]
        for c in classes[:DRAWN]
    ]
    headings = [
        Heading("", least=8),
        Heading("rows", "right"),
        Heading("share", "right"),
        Heading("", spare=1),
    ]
    lines = table(headings, rows, width, paint=paint, glyphs=glyphs)[1:]
    return [
        *[paint(line, "head") for line in wrap(f"{head}: {text}", width, "", "  ")],
        *lines,
        *_rest(classes),
    ]


def _numeric(
    columns: Sequence[Values], width: int, paint: Paint, glyphs: Glyphs, title: str = "Numeric"
) -> list[str]:
    headings = [
        # Names cut shorter are hardly told apart; rather the standard deviation goes.
        Heading(title, least=16 if width >= 72 else 8),
        Heading("missing", "right", spare=1),
        Heading("min", "right"),
        Heading("q1", "right", spare=3),
        Heading("median", "right"),
        Heading("q3", "right", spare=4),
        Heading("max", "right"),
        Heading("mean", "right", spare=5),
        Heading("sd", "right", spare=6),
        Heading("", spare=2),
    ]
    rows = []
    for column in columns[:DRAWN]:
        figures = column["numeric"]
        drawn = histogram(figures["histogram"]["counts"], glyphs)
        form = figures.get("form", "")
        five = [
            moment(form, figures[key]) or number(figures[key], glyphs.none)
            for key in ("min", "q1", "median", "q3", "max", "mean")
        ]
        five.append(number(figures["sd"], glyphs.none))
        rows.append([printable(column["name"]), _missing(column, glyphs), *five, drawn])
    return [*table(headings, rows, width, paint=paint, glyphs=glyphs, indent=0), *_rest(columns)]


def _nominal(columns: Sequence[Values], width: int, paint: Paint, glyphs: Glyphs) -> list[str]:
    names = [fit(printable(column["name"]), 24, glyphs.ellipsis) for column in columns[:DRAWN]]
    fixed = max(len("Nominal"), *map(cells, names)) + len("  missing  distinct  ")
    headings = [
        Heading("Nominal", least=8),
        Heading("missing", "right"),
        Heading("distinct", "right"),
        Heading("most frequent, with rows", least=10),
    ]
    rows = [
        [
            name,
            _missing(column, glyphs),
            count(column["distinct"]),
            _levels(column, max(20, width - fixed), glyphs),
        ]
        for name, column in zip(names, columns, strict=False)
    ]
    return [*table(headings, rows, width, paint=paint, glyphs=glyphs, indent=0), *_rest(columns)]


def _levels(column: Values, room: int, glyphs: Glyphs) -> str:
    """The most frequent levels with their rows, as many as fit; the rest counted."""
    seen = [level for level in column["nominal"]["levels"] if level["count"]]
    text = ""
    for shown, level in enumerate(seen[:LEVELS]):
        rest = column["distinct"] - shown - 1
        piece = f"{fit(printable(level['level']), 24, glyphs.ellipsis)} {count(level['count'])}"
        joined = f"{text}, {piece}" if text else piece
        if cells(joined) + (len(f" and {rest:,} more") if rest else 0) > room and text:
            return f"{text} and {column['distinct'] - shown:,} more"
        text = joined
    rest = column["distinct"] - min(len(seen), LEVELS)
    return f"{text} and {rest:,} more" if rest else text


def _text(columns: Sequence[Values], width: int, paint: Paint, glyphs: Glyphs) -> list[str]:
    headings = [
        Heading("Text", least=8),
        Heading("missing", "right", spare=1),
        Heading("distinct", "right"),
        Heading("shortest", "right", spare=3),
        Heading("median length", "right", spare=2),
        Heading("longest", "right"),
    ]
    rows = [
        [
            printable(column["name"]),
            _missing(column, glyphs),
            count(column["distinct"]),
            *(number(column["text"][key], glyphs.none) for key in ("shortest", "median", "longest")),
        ]
        for column in columns[:DRAWN]
    ]
    return [*table(headings, rows, width, paint=paint, glyphs=glyphs, indent=0), *_rest(columns)]


_DRAW = {"numeric": _numeric, "nominal": _nominal, "text": _text}


def _gains(card: Values, width: int, paint: Paint, glyphs: Glyphs) -> list[str]:
    """What each attribute tells of the classes, in bits: those that tell most beyond chance first."""
    every = [a for a in card["attributes"] if a["association"] and a["association"]["gain_bits"] is not None]
    if not every or card["target"] is None:
        return []
    ordered = sorted(every, key=lambda a: -a["association"]["score"])
    top = max(a["association"]["gain_bits"] for a in every) or 1.0
    rows = []
    for column in ordered[:GAINS]:
        association = column["association"]
        ratio = glyphs.none if association["gain_ratio"] is None else f"{association['gain_ratio']:.3f}"
        name, drawn = printable(column["name"]), bar(association["gain_bits"] / top, 20, glyphs)
        rows.append(
            [name, f"{association['gain_bits']:.3f}", ratio, f"{association['chance_bits']:.3f}", drawn]
        )
    headings = [
        Heading("Gain", least=8),
        Heading("bits", "right"),
        Heading("ratio", "right", spare=2),
        Heading("by chance", "right", spare=1),
        Heading("", spare=3),
    ]
    text = f"Information gain about {printable(card['target']['name'])}, sorted by gain above chance"
    if any(column["numeric"] for column in every):
        text += "; numbers are cut into at most ten intervals of about equal weight"
    lines = table(headings, rows, width, paint=paint, glyphs=glyphs, indent=0)
    more = len(ordered) - GAINS
    return [
        *[paint(line, "head") for line in wrap(text, width, "", "  ")],
        *lines,
        *([f"  and {more:,} more"] if more > 0 else []),
    ]


def _most(card: Values, width: int, paint: Paint) -> list[str]:
    """The attributes that say most about the target, as far as chance does not explain it."""
    every = [a for a in card["attributes"] if a["association"]]
    sure = [a for a in every if (p := a["association"]["p"]) is not None and p < SURE / len(every)]
    best = sorted(sure, key=lambda a: -a["association"]["score"])[:MOST]
    if not best or card["target"] is None:
        return []
    scores = [f"{printable(a['name'])} {a['association']['score']:.2f}" for a in best]
    unit = "bits of gain above chance" if card["target"]["numeric"] is None else "strength of correlation"
    head = f"Most informative about {printable(card['target']['name'])} ({unit})"
    if len(sure) > len(best):
        scores[-1] += f"; {len(sure) - len(best):,} more are informative"
    lines = wrap(f"{head}: {', '.join(scores)}", width, "", "  ")
    return [paint(line, "figure") for line in lines]


def _missing(column: Values, glyphs: Glyphs) -> str:
    return percent(column["missing_share"], glyphs.none) if column["missing"] else glyphs.none


def _rest(entries: Sequence[Any]) -> list[str]:
    return [f"  and {len(entries) - DRAWN:,} more"] if len(entries) > DRAWN else []


def _findings(card: Values, width: int, paint: Paint) -> list[str]:
    """Warnings first, then notes; the reader's before the card's."""
    every = [*card["notes"], *card["findings"]]
    warnings = finding_sentences([entry for entry in every if entry["level"] == "warning"])
    notes = finding_sentences([entry for entry in every if entry["level"] != "warning"])
    lines = [paint("Warnings" if warnings else "No warnings", "head")]
    for text in warnings:
        lines += [paint(line, "warning") for line in wrap(text, width, "  ! ", "    ")]
    if notes:
        lines += ["", paint("Notes", "head")]
        for text in notes:
            lines += [paint(line, "note") for line in wrap(text, width, "  - ", "    ")]
    return lines


def finding_sentences(entries: Sequence[Values]) -> list[str]:
    """The sentences; of one kind only the first few, the other columns named together behind them."""
    sentences: list[str] = []
    for code, group in _by_code(entries).items():
        shown = len(group) if len(group) <= ALIKE + 1 else ALIKE
        sentences += [printable(entry["text"]) for entry in group[:shown]]
        columns = [printable(repr(entry["column"])) for entry in group[shown:]]
        if columns:
            named = ", ".join(columns[:NAMED]) + (", and more" if len(columns) > NAMED else "")
            sentences.append(f"{code}: also in {len(columns):,} more columns: {named}.")
    return sentences


def _by_code(entries: Sequence[Values]) -> dict[str, list[Values]]:
    """Entries about columns by their code; those about the whole table each for itself."""
    groups: dict[str, list[Values]] = {}
    for place, entry in enumerate(entries):
        key = entry["code"] if entry["column"] is not None else f"{place}"
        groups.setdefault(key, []).append(entry)
    return groups
