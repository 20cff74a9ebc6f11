"""A data card as HTML, for notebooks: the same plain values as `card_text`, all of them escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from acumen.data.escape import in_html
from acumen.data.forms import moment
from acumen.render.text import count, many, number, percent

Values: TypeAlias = Mapping[str, Any]

#: So many attributes and classes are drawn; the rest is counted.
DRAWN = 100
#: Levels named on an attribute's line.
LEVELS = 6

_CELL = 'style="text-align:left;padding:2px 10px;vertical-align:middle"'


def card_html(card: Values) -> str:
    """One `<div>` without scripts or outside resources."""
    header = f"{many(card['rows'], 'row')}, {many(len(card['attributes']), 'attribute')}"
    if card["target"] is not None:
        header += f", target <b>{in_html(card['target']['name'])}</b>"
    if card["weight"]["column"] is not None:
        total = number(card["weight"]["total"])
        header += f", weights <b>{in_html(card['weight']['column'])}</b> (total {total})"
    source = f"<b>{in_html(card['source'])}</b>: " if card["source"] else ""
    parts = [f"<p>{source}{header}</p>"]
    if card["target"] is not None:
        parts.append(_target(card["target"]))
    if card["attributes"]:
        parts.append(_attributes(card["attributes"]))
    if card["ignored"]:
        parts.append(f"<p>Ignored: {', '.join(map(in_html, card['ignored']))}</p>")
    parts.append(_findings(card))
    return f'<div class="acumen-card">{"".join(parts)}</div>'


def _target(target: Values) -> str:
    if target["numeric"] is not None:
        return _table(["target", "missing", "values", ""], [_attribute(target)], 1)
    classes = target["classes"]
    rows = [
        [in_html(c["level"]), count(c["count"]), percent(c["share"]), _bar(c["share"] or 0.0)]
        for c in classes[:DRAWN]
    ]
    details = f"{many(len(classes), 'class', 'classes')}, entropy {number(target['entropy_bits'])} bits"
    return f"<p>{details}</p>" + _table(["class", "rows", "share", ""], rows, len(classes))


def _attributes(columns: Sequence[Values]) -> str:
    rows = [_attribute(column) for column in columns[:DRAWN]]
    return _table(["attribute", "kind", "missing", "values", ""], rows, len(columns), _kinds(columns))


def _kinds(columns: Sequence[Values]) -> list[str]:
    return [in_html(column["kind"]) for column in columns[:DRAWN]]


def _attribute(column: Values) -> list[str]:
    """Name, missing share, figures, drawing."""
    missing = percent(column["missing_share"]) if column["missing"] else "–"
    drawing = ""
    if column.get("numeric"):
        figures = column["numeric"]
        form = figures.get("form", "")
        five, mean = (
            [moment(form, figures[key]) or number(figures[key]) for key in keys]
            for keys in (("min", "q1", "median", "q3", "max"), ("mean",))
        )
        details = f"{' · '.join(five)} (mean {mean[0]}, sd {number(figures['sd'])})"
        drawing = _histogram(figures["histogram"]["counts"])
    elif column.get("nominal"):
        seen = [level for level in column["nominal"]["levels"] if level["count"]]
        named = [f"{in_html(level['level'])} {count(level['count'])}" for level in seen[:LEVELS]]
        rest = column["distinct"] - len(named)
        details = ", ".join(named) + (f" and {rest:,} more" if rest else "")
    else:
        figures = column["text"]
        details = f"{count(column['distinct'])} different, up to {number(figures['longest'])} characters"
    return [in_html(column["name"]), missing, details, drawing]


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], total: int, kinds: Sequence[str] = ()) -> str:
    """Cells must be HTML already; `kinds`, where given, go in as the second column."""
    lines = [[row[0], kind, *row[1:]] for row, kind in zip(rows, kinds, strict=True)] if kinds else rows
    head = "".join(f"<th {_CELL}>{title}</th>" for title in heads)
    body = "".join("<tr>" + "".join(f"<td {_CELL}>{cell}</td>" for cell in line) + "</tr>" for line in lines)
    rest = f"<p>and {total - len(rows):,} more</p>" if total > len(rows) else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"


def _bar(share: float) -> str:
    return (
        f'<svg width="120" height="10" role="img" aria-label="{percent(share)}">'
        f'<rect width="{120 * share:.1f}" height="10" fill="#4c78a8"/></svg>'
    )


def _histogram(counts: Sequence[float]) -> str:
    top = max(counts, default=0.0) or 1.0
    bars = "".join(
        f'<rect x="{8 * i}" y="{24 - 24 * c / top:.1f}" width="7" height="{24 * c / top:.1f}" fill="#4c78a8"/>'
        for i, c in enumerate(counts)
    )
    return f'<svg width="{8 * len(counts)}" height="24" role="img" aria-label="histogram">{bars}</svg>'


def _findings(card: Values) -> str:
    every = [*card["notes"], *card["findings"]]
    warnings = [f"<li>{in_html(e['text'])}</li>" for e in every if e["level"] == "warning"]
    notes = [f"<li>{in_html(e['text'])}</li>" for e in every if e["level"] != "warning"]
    html = f"<p><b>Warnings</b></p><ul>{''.join(warnings)}</ul>" if warnings else "<p>No warnings</p>"
    return html + (f"<p><b>Notes</b></p><ul>{''.join(notes)}</ul>" if notes else "")
