"""Shapes as sums of terms for SQL and Python: one CASE for each shape, one for each pair.

sum_of_shapes   parts of a model, one line -> Sum
"""

from __future__ import annotations

from acumen.additive.layout import Cells, Shape
from acumen.additive.parts import Parts
from acumen.codegen.terms import Count, LevelCases, Term, TermSum, sum_of
from acumen.conditions.condition import Condition
from acumen.data.schema import Schema
from acumen.types import Codes

Piece = tuple[Condition, int]


def sum_of_shapes(parts: Parts, schema: Schema, line: int) -> TermSum:
    """The constant, and a Choice for each shape and pair; a word adds its weight where a text has it."""
    layout, values = parts.layout, parts.coefficients[:, line].tolist()
    terms: list[Term] = []
    for shape, block in zip(layout.shapes, layout.blocks, strict=False):
        terms.append(_of_shape(shape, schema, values[block]))
    for cells, block in zip(layout.pairs, layout.blocks[len(layout.shapes) :], strict=False):
        terms.append(_of_cells(cells, layout.shapes, schema, values[block]))
    at = int(layout.offset[-1])
    for vocabulary in layout.words:
        for word in vocabulary.words:
            terms.append(Count(values[at], (Condition(vocabulary.attribute, "has", word),)))
            at += 1
    return sum_of(values[0], terms)


def _of_shape(shape: Shape, schema: Schema, values: list[float]) -> LevelCases:
    """Slots of equal value next to each other are one case."""
    attribute = schema.attributes[shape.attribute]
    name = attribute.name
    cases = [((Condition(name, "missing"),), values[shape.known])]
    if shape.numeric:
        last = values[shape.known - 1]
        for place, cut in enumerate(shape.cuts.tolist()):
            if values[place] != values[place + 1]:
                cases.append(((Condition(name, "<=", cut),), values[place]))
        return LevelCases(tuple(cases), last)
    together: dict[float, list[int]] = {}
    for place, code in enumerate(shape.levels.tolist()):
        together.setdefault(values[place], []).append(code)
    for value, codes in together.items():
        cases.append(((_among(attribute.levels, name, codes),), value))
    return LevelCases(tuple(cases), values[shape.known + 1])


def _of_cells(cells: Cells, shapes: tuple[Shape, ...], schema: Schema, values: list[float]) -> LevelCases:
    wide = cells.size[1]
    cases = []
    for first, a in _pieces(shapes[cells.first], cells.rows, schema):
        for second, b in _pieces(shapes[cells.second], cells.columns, schema):
            if values[a * wide + b] != 0:
                cases.append(((first, second), values[a * wide + b]))
    return LevelCases(tuple(cases), 0.0)


def _pieces(shape: Shape, groups: Codes, schema: Schema) -> list[Piece]:
    """Conditions that no two hold at once, and the group of the slots each is true of."""
    attribute = schema.attributes[shape.attribute]
    name, known = attribute.name, shape.known
    own = groups[:known].tolist()
    made: list[Piece] = [(Condition(name, "missing"), int(groups[known]))]
    if shape.numeric:
        cuts = shape.cuts.tolist()
        starts = [0, *(s for s in range(1, known) if own[s] != own[s - 1])]
        for start, end in zip(starts, [*starts[1:], known], strict=True):
            low = cuts[start - 1] if start else None
            high = cuts[end - 1] if end < known else None
            made.append((_within(name, low, high), own[start]))
        return made
    for group in dict.fromkeys(own):
        codes = [c for c, g in zip(shape.levels.tolist(), own, strict=True) if g == group]
        made.append((_among(attribute.levels, name, codes), group))
    every = tuple(attribute.levels[c] for c in shape.levels.tolist())
    made.append((Condition(name, "not in", every), int(groups[known + 1])))
    return made


def _within(name: str, low: float | None, high: float | None) -> Condition:
    if low is None:
        return Condition(name, "known") if high is None else Condition(name, "<=", high)
    return Condition(name, ">", low) if high is None else Condition(name, "between", (low, high))


def _among(levels: tuple[object, ...], name: str, codes: list[int]) -> Condition:
    if len(codes) == 1:
        return Condition(name, "=", levels[codes[0]])
    return Condition(name, "in", tuple(levels[c] for c in codes))
