"""A confusion matrix as text and as HTML, from the plain values of `Confusion.to_dict`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from acumen.render.escape import in_html, printable
from acumen.render.text import Heading, number, table
from acumen.render.width import fit, wrap

Values: TypeAlias = Mapping[str, Any]

#: The matrix of more classes than these is left out of the text; the figures of each class are not.
DRAWN = 20
#: Cells for a class's name at the head of a column.
NAME = 14

_ONE = ("error", "accuracy", "balanced_accuracy", "kappa", "mcc", "macro_f1")
_BY_LABEL = ("precision", "recall", "f1")


def confusion_text(values: Values, width: int | None = None) -> str:
    """Aligned lines: the matrix, each class's figures at its row, and the figures of the whole.

    Names are cut, and as a last resort each class's figures left out, so that lines fit `width` cells.
    """
    room = 10**6 if width is None else width
    names = [printable(label) for label in values["labels"]]
    drawn = len(names) <= DRAWN
    heads = [Heading("predicted \\ true", least=16)]
    heads += [Heading(fit(name, NAME), "right", least=8) for name in names] if drawn else []
    heads += [Heading("all", "right"), *(Heading(title, "right", spare=1) for title in _BY_LABEL)]
    rows = [
        [name, *([number(x) for x in line] if drawn else []), number(sum(line)), *_figures(by)]
        for name, line, by in zip(names, values["matrix"], values["by_label"], strict=True)
    ]
    sums = [number(sum(column)) for column in zip(*values["matrix"], strict=True)] if drawn else []
    rows.append(["all", *sums, number(values["total"]), "", "", ""])
    lines = [f"Confusion of {number(values['total'])} rows", *table(heads, rows, room)]
    lines += [line for sentence in _sentences(values) for line in wrap(sentence, room, "  ", "  ")]
    if not drawn:
        lines.append(f"  The matrix of {len(names)} classes is not drawn; see .matrix.")
    return "\n".join(lines)


def confusion_html(values: Values) -> str:
    """One `<div>` without scripts or outside resources; all names are escaped."""
    cell = 'style="text-align:right;padding:2px 10px"'
    names = [in_html(label) for label in values["labels"]]
    head = "".join(f"<th {cell}>{title}</th>" for title in ("predicted \\ true", *names, "all", *_BY_LABEL))
    body = ""
    for i, (name, line, by) in enumerate(zip(names, values["matrix"], values["by_label"], strict=True)):
        marked = [f"<b>{number(x)}</b>" if j == i else number(x) for j, x in enumerate(line)]
        texts = (*marked, number(sum(line)), *_figures(by))
        body += f"<tr><th {cell}>{name}</th>" + "".join(f"<td {cell}>{t}</td>" for t in texts) + "</tr>"
    sentences = "".join(f"<p>{in_html(sentence)}</p>" for sentence in _sentences(values))
    grid = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="acumen-confusion">{grid}{sentences}</div>'


def _figures(by: Values) -> list[str]:
    return [number(by[name], none="undefined") for name in _BY_LABEL]


def _sentences(values: Values) -> Sequence[str]:
    figures = [f"{n.replace('_', ' ')} {number(values[n], none='undefined')}" for n in _ONE]
    sentences = [", ".join(figures)]
    if values["unlabelled"]:
        sentences.append(f"Not counted, as the true label is missing: {number(values['unlabelled'])}.")
    return sentences
