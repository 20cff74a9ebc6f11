"""An additive model as drawings: one for each shape and pair, or all of them on one sheet.

shapes_figure   parts of a model -> ShapeFigure, PairFigure, or ShapesFigure of all
ShapesFigure    several of them, one below the other
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from acumen.additive.model_text import group_text, slot_text
from acumen.additive.parts import AdditiveParts
from acumen.data.forms import is_moment
from acumen.data.schema import Schema
from acumen.errors import ParameterError, did_you_mean
from acumen.render.shape_plot import PairFigure, ShapeFigure, draw_pair, draw_shape
from acumen.render.sheet import Sheet
from acumen.render.svg import text
from acumen.render.text import number

_SHOWN = 12
_WORDS = 20


@dataclass(frozen=True, slots=True, eq=False)
class ShapesFigure:
    """Several shapes and pairs, one below the other."""

    figures: Sequence[ShapeFigure | PairFigure]
    title: str
    left_out: int = 0

    def _repr_svg_(self) -> str:
        sheet = Sheet(self.title, "Additive model", ", ".join(each.name for each in self.figures))
        if not self.figures:
            return sheet.nothing("No attribute has a shape.")
        for each in self.figures:
            sheet.add(text(each.name, 8.0, sheet.y + 14, bold=True))
            sheet.y += 22
            if isinstance(each, ShapeFigure):
                draw_shape(sheet, each)
            else:
                draw_pair(sheet, each)
            sheet.y += 10
        if self.left_out:
            sheet.note(f"The {len(self.figures)} strongest are drawn; {self.left_out} more are not.")
        return sheet.svg()


def shapes_figure(
    parts: AdditiveParts, schema: Schema, lines: Sequence[str], attribute: str | None
) -> ShapeFigure | PairFigure | ShapesFigure:
    """The drawing of one block, named by its attribute (`a x b` of a pair), or of the strongest ones."""
    names = [parts.name(at, schema) for at in range(len(parts.layout.blocks))]
    if attribute is not None:
        if attribute not in names:
            raise ParameterError(
                f"to_figure: the model has no shape of {attribute!r}.{did_you_mean(str(attribute), names)}"
            )
        return _figure(parts, names.index(attribute), schema, lines)
    order = np.argsort(-parts.spread(), kind="stable")[:_SHOWN].tolist()
    target = schema.target.name if schema.target else "value"
    drawn = [_figure(parts, at, schema, lines) for at in order]
    return ShapesFigure(drawn, f"What each attribute adds to {target}", len(names) - len(drawn))


def _figure(parts: AdditiveParts, at: int, schema: Schema, lines: Sequence[str]) -> ShapeFigure | PairFigure:
    layout = parts.layout
    if at < len(layout.shapes):
        return _shape(parts, at, schema, lines)
    if at < len(layout.shapes) + len(layout.pairs):
        return _pair(parts, at, schema, lines)
    block = layout.blocks[at]
    words = layout.words[at - len(layout.shapes) - len(layout.pairs)].words
    strong = np.sort(
        np.argsort(-np.abs(parts.coefficients[block]).max(axis=1, initial=0.0), kind="stable")[:_WORDS]
    )
    return ShapeFigure(
        parts.name(at, schema), parts.coefficients[block][strong].T, parts.errors[block][strong].T,
        parts.weight[block][strong], levels=[words[int(i)] for i in strong], lines=lines,
        y_label=_unit(schema), notes=["The words of most weight."] if len(words) > _WORDS else [],
    )  # fmt: skip


def _unit(schema: Schema) -> str:
    target = schema.target
    return target.name if target is not None and target.is_numeric else "log-odds"


def _shape(parts: AdditiveParts, at: int, schema: Schema, lines: Sequence[str]) -> ShapeFigure:
    shape, block = parts.layout.shapes[at], parts.layout.blocks[at]
    value, error, weight = parts.coefficients[block].T, parts.errors[block].T, parts.weight[block]
    notes = ["EDITED by a person."] if parts.edited[at] else []
    name, known = parts.name(at, schema), shape.n_values
    if not shape.numeric:
        kept = np.flatnonzero(weight > 0)
        return ShapeFigure(
            name, value[:, kept], error[:, kept], weight[kept],
            levels=[slot_text(shape, int(slot), schema) for slot in kept], lines=lines, y_label=_unit(schema),
            notes=notes,
        )  # fmt: skip
    if weight[known] > 0:
        caption = ", ".join(
            f"{value[k, known]:+.3g}" + (f" for {lines[k]}" if len(lines) > 1 else "")
            for k in range(min(len(lines), 4))
        )
        notes.insert(0, f"missing ({number(float(weight[known]))} rows): {caption}")
    low, high = parts.ranges[at].tolist()
    cuts = shape.cuts
    edges = np.concatenate([[min(low, *cuts[:1])], cuts, [max(high, *cuts[-1:])]])
    return ShapeFigure(
        name, value[:, :known], error[:, :known], weight[:known], edges=edges, lines=lines, y_label=_unit(schema),
        notes=notes, form=_moment_form(schema.attributes[shape.attribute].form),
    )  # fmt: skip


def _moment_form(form: str) -> str:
    return form if is_moment(form) else ""


def _pair(parts: AdditiveParts, at: int, schema: Schema, lines: Sequence[str]) -> PairFigure:
    """Of several lines that of the largest effect."""
    layout = parts.layout
    cells = layout.pairs[at - len(layout.shapes)]
    block = layout.blocks[at]
    k = int(np.abs(parts.coefficients[block]).max(axis=0, initial=0.0).argmax())
    first, second = layout.shapes[cells.first], layout.shapes[cells.second]
    a, b = cells.size
    names = [schema.attributes[s.attribute].name for s in (first, second)]
    weight = parts.weight[block].reshape(a, b)
    down, across = np.flatnonzero(weight.sum(axis=1) > 0), np.flatnonzero(weight.sum(axis=0) > 0)
    rows = [group_text(first, cells.rows, int(g), schema).removeprefix(f"{names[0]} ") for g in down]
    columns = [group_text(second, cells.columns, int(g), schema).removeprefix(f"{names[1]} ") for g in across]
    notes = [f"The scores for {lines[k]} are drawn."] if len(lines) > 1 else []
    notes += ["EDITED by a person."] if parts.edited[at] else []
    return PairFigure(
        parts.name(at, schema),
        parts.coefficients[block][:, k].reshape(a, b)[np.ix_(down, across)],
        rows,
        columns,
        names[1],
        names[0],
        notes,
    )
