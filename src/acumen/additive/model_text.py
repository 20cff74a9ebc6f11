"""Additive models in words: how well they fit, and of each shape how far it goes and where.

describe   the whole model
reason     what one block looks at in a row
slot_text, group_text   slots as people write them
"""

from __future__ import annotations

import numpy as np

from acumen import messages
from acumen.additive.edits import DROPPED, FLATTENED
from acumen.additive.layout import Shape
from acumen.additive.parts import AdditiveParts
from acumen.data.escape import printable
from acumen.data.forms import value_text
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.render.text import Heading, many, number, table
from acumen.types import Array, Floats

_SHOWN = 24
_EDITED = {FLATTENED: "flattened by hand", DROPPED: "dropped by hand"}


def describe(parts: AdditiveParts, schema: Schema, places: Array | None, full: bool) -> str:
    """What is added, how well the training rows are fitted, and each shape; `places` are those of classes."""
    target = schema.target.name if schema.target else "value"
    classes = [] if places is None else [str(schema.classes[place]) for place in places]
    if places is not None and not parts.lines:
        return f"Additive model for {target}: {classes[0]} is the only class with training rows."
    layout = parts.layout
    shapes = many(len(layout.shapes) + len(layout.words), "shape")
    pairs = f" and {many(len(layout.pairs), 'pair')}" if layout.pairs else ""
    if not classes:
        what = f"{number(float(parts.coefficients[0, 0]))} on average"
    elif parts.lines == 1:
        average = number(float(parts.coefficients[0, 0]))
        what = f"log-odds of {classes[1]} against {classes[0]}, {average} on average"
    else:
        what = f"a score for each of {len(classes)} classes, of which only differences matter"
    lines = [f"Additive model for {target}: {what}, plus {shapes}{pairs}", _fit(parts, bool(classes))]
    if parts.edited.any():
        changed = [
            f"{printable(parts.name(at, schema))} {_EDITED[int(how)]}"
            for at, how in enumerate(parts.edited)
            if how
        ]
        lines.append(
            f"EDITED by a person: {', '.join(changed)}; the figures above describe the model before editing."
        )
    lines += _shapes(parts, schema, classes, full)
    unused = [
        a.name for j, a in enumerate(schema.attributes) if a.kind != "text" and not _has_shape(parts, j)
    ]
    if unused:
        lines.append(f"No shape, because constant: {', '.join(map(printable, unused))}")
    return "\n".join(lines)


def _has_shape(parts: AdditiveParts, attribute: int) -> bool:
    return any(shape.attribute == attribute for shape in parts.layout.shapes)


def _fit(parts: AdditiveParts, classes: bool) -> str:
    facts = parts.facts
    fit = (
        f"Log-likelihood {number(-facts.loss)}"
        if classes
        else f"Residual variance {number(2 * facts.loss / facts.weight)} of the target's variance"
    )
    return (
        f"{fit}, {number(facts.freedom)} degrees of freedom, AIC {number(facts.aic)}; "
        f"{many(facts.steps, 'Newton step')} to a gradient {_small(facts.gradient)}"
    )


def _small(gradient: float) -> str:
    """Below 1e-9 its digits are those of rounding."""
    return "below 1e-9" if gradient < 1e-9 else f"of {gradient:.1g}"


def _shapes(parts: AdditiveParts, schema: Schema, classes: list[str], full: bool) -> list[str]:
    """Each shape: how far it moves rows, where it is lowest and highest; the strongest first."""
    spread = parts.spread()
    order = np.argsort(-spread, kind="stable")
    shown = order if full else order[:_SHOWN]
    several = parts.lines > 1
    headings = (
        Heading("shape", least=12), Heading("moves by", "right"), Heading("freedom", "right"),
        Heading("lowest"), Heading("highest"),
    )  # fmt: skip
    rows = []
    for at in shown.tolist():
        low, high = _ends(parts, at, schema, classes if several else [])
        rows.append([
            printable(parts.name(at, schema)), number(float(spread[at])), number(float(parts.freedom[at])), low, high
        ])  # fmt: skip
    lines = table(headings, rows, 110)
    n_hidden = len(order) - len(shown)
    return [*lines, f"  ... and {n_hidden} more shapes: {messages.the_rest()}"] if n_hidden else lines


def _ends(parts: AdditiveParts, at: int, schema: Schema, classes: list[str]) -> tuple[str, str]:
    """The slots of the lowest and the highest coefficient among those that rows are in."""
    block = parts.layout.blocks[at]
    values, errors = parts.coefficients[block], parts.errors[block]
    there = np.flatnonzero(parts.weight[block] > 0)
    if not len(there):
        return "", ""
    phrases = []
    for find in (np.argmin, np.argmax):
        place, line = divmod(int(find(values[there])), parts.lines)
        slot = int(there[place])
        where = block_slot_text(parts, at, slot, schema)
        whose = f" for {printable(classes[line])}" if classes else ""
        phrases.append(
            f"{_format_signed(values[slot, line])} +- {number(float(errors[slot, line]))} at {where}{whose}"
        )
    return phrases[0], phrases[1]


def _format_signed(value: float) -> str:
    text = number(abs(float(value)))
    return f"-{text}" if value < 0 else f"+{text}"


def block_slot_text(parts: AdditiveParts, at: int, slot: int, schema: Schema) -> str:
    """A slot of a shape, a cell of a pair, or a word."""
    layout = parts.layout
    if at < len(layout.shapes):
        return slot_text(layout.shapes[at], slot, schema)
    at -= len(layout.shapes)
    if at < len(layout.pairs):
        cells = layout.pairs[at]
        wide = cells.size[1]
        first = group_text(layout.shapes[cells.first], cells.rows, slot // wide, schema)
        second = group_text(layout.shapes[cells.second], cells.columns, slot % wide, schema)
        return f"{first}, {second}"
    return repr(layout.words[at - len(layout.pairs)].words[slot])


def slot_text(shape: Shape, slot: int, schema: Schema) -> str:
    """A bin, a level, or what is missing."""
    attribute = schema.attributes[shape.attribute]
    if slot == shape.n_values:
        return "missing"
    if slot > shape.n_values:
        return "any other level"
    if not shape.numeric:
        return printable(attribute.levels[int(shape.levels[slot])])
    return range_text(shape.cuts, slot, slot, attribute.form)


def group_text(shape: Shape, groups: Array, group: int, schema: Schema) -> str:
    slots = np.flatnonzero(groups == group)
    attribute = schema.attributes[shape.attribute]
    known = slots[slots < shape.n_values]
    slots = known if len(known) else slots
    if shape.numeric and len(known):
        return f"{printable(attribute.name)} {range_text(shape.cuts, int(known[0]), int(known[-1]), attribute.form)}"
    text = "/".join(dict.fromkeys(slot_text(shape, int(slot), schema) for slot in slots[:4]))
    return f"{printable(attribute.name)} {text}{'/...' if len(slots) > 4 else ''}"


def range_text(cuts: Floats, first: int, last: int, form: str = "") -> str:
    """From one bin to another."""
    low = value_text(form, float(cuts[first - 1])) if first else None
    high = value_text(form, float(cuts[last])) if last < len(cuts) else None
    if low is None:
        return "any number" if high is None else f"<= {high}"
    return f"> {low}" if high is None else f"{low} to {high}"


def reason(parts: AdditiveParts, at: int, row: Table, schema: Schema) -> tuple[str | None, str]:
    """The attribute a block is about (None of a pair), and what the row has of it."""
    layout = parts.layout
    if at < len(layout.shapes):
        name = schema.attributes[layout.shapes[at].attribute].name
        return name, cell_text(row, name)
    at -= len(layout.shapes)
    if at < len(layout.pairs):
        cells = layout.pairs[at]
        names = [schema.attributes[layout.shapes[s].attribute].name for s in (cells.first, cells.second)]
        return None, " and ".join(cell_text(row, name) for name in names)
    name = layout.words[at - len(layout.pairs)].attribute
    return name, f"the words of {name}"


def cell_text(row: Table, name: str) -> str:
    """An attribute and its value in a row."""
    value = row.column(name)[0]
    if value is None or value != value:
        return f"{name} is missing"
    return f"{name} = {value_text(row.schema[name].form, value)}"
