"""Changes that a person makes to shapes: dropped, or flattened where they are not believed.

    ShapeEdit     one change: an attribute, and which part of its shape is flattened
    edits_of      the parameter `edits` -> ShapeEdits
    apply_edits   parts of a model -> the same with the changes, marked as edited

    {"age": "drop"}              the whole shape becomes 0
    {"age": (20, 30)}            from 20 to 30 it has one value, the mean over the training rows there
    {"colour": ["red", "blue"]}  these levels have one value
    {"age": [(20, 30), (60, 70)]}
    {"since": ("2020-01-01", "2020-03-31")}    dates as texts, or as Python's own

A flattened piece keeps the mean that the rows have there. Bins that a range cuts through are flattened whole. A pair
keeps what it says beyond its attributes' shapes, unless the shape of one of them is dropped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from acumen.additive.parts import AdditiveParts
from acumen.data.forms import is_moment
from acumen.data.schema import Attribute, Schema
from acumen.errors import ParameterError, did_you_mean
from acumen.rulelist.parsing import parse_number
from acumen.types import Array, Label

#: How a block was edited.
AS_LEARNED, FLATTENED, DROPPED = 0, 1, 2


@dataclass(frozen=True, slots=True)
class ShapeEdit:
    """One change of one attribute's shape."""

    attribute: str
    low: float | None = None
    high: float | None = None
    levels: tuple[Label, ...] = ()

    @property
    def drops(self) -> bool:
        return self.low is None and not self.levels


def edits_of(value: Any, schema: Schema, who: str) -> tuple[ShapeEdit, ...]:
    """The parameter as Edits; ParameterError where it says nothing of this kind."""
    if value is None:
        return ()
    if not isinstance(value, Mapping):
        raise ParameterError(
            f"{who}: edits must be a mapping from attributes to what is flattened; got {value!r}."
        )
    edits: list[ShapeEdit] = []
    for name, what in value.items():
        if name not in schema.names:
            raise ParameterError(
                f"{who}: edits names {name!r}, which is no attribute.{did_you_mean(str(name), schema.names)}"
            )
        edits += _of_one(schema[name], what, who)
    return tuple(edits)


def _of_one(attribute: Attribute, what: Any, who: str) -> list[ShapeEdit]:
    name = attribute.name
    if isinstance(what, str) and what == "drop":
        return [ShapeEdit(name)]
    if attribute.is_numeric:
        pieces = _as_numbers(what, attribute)
        pieces = [pieces] if _is_range(pieces) else pieces
        if isinstance(pieces, Sequence) and not isinstance(pieces, str) and all(map(_is_range, pieces)):
            return [ShapeEdit(name, float(low), float(high)) for low, high in pieces]
        raise ParameterError(
            f"{who}: edits must say 'drop' or (low, high) of the numbers {name!r}; got {what!r}."
        )
    if attribute.is_nominal and isinstance(what, (list, tuple)):
        for level in what:
            if level not in attribute.levels:
                raise ParameterError(
                    f"{who}: edits names {level!r}, which is no level of {name!r}."
                    f"{did_you_mean(str(level), [str(v) for v in attribute.levels])}"
                )
        return [ShapeEdit(name, levels=tuple(what))]
    raise ParameterError(
        f"{who}: edits must say 'drop' or, of levels, which of them to flatten; got {what!r}."
    )


def is_date(value: Any) -> bool:
    """Whether it is a date or a time of Python, numpy or pandas."""
    return isinstance(value, np.datetime64) or hasattr(value, "isoformat")


def _as_numbers(what: Any, attribute: Attribute) -> Any:
    """Dates and times, alone or in lists, as the numbers that stand for them; all else as it is."""
    if isinstance(what, (tuple, list)):
        return [_as_numbers(each, attribute) for each in what]
    if is_moment(attribute.form) and (isinstance(what, str) or is_date(what)):
        with suppress(ValueError):
            return parse_number(str(what), attribute)
    return what


def _is_range(what: Any) -> bool:
    numbers = isinstance(what, (tuple, list)) and len(what) == 2
    return (
        numbers
        and all(isinstance(v, (int, float, np.number)) and not isinstance(v, bool) for v in what)
        and (what[0] <= what[1])
    )


def apply_edits(parts: AdditiveParts, edits: Sequence[ShapeEdit], schema: Schema) -> AdditiveParts:
    """The parts with the changes made."""
    for edit in edits:
        parts = _apply_edit(parts, edit, schema)
    return parts


def _apply_edit(parts: AdditiveParts, edit: ShapeEdit, schema: Schema) -> AdditiveParts:
    layout = parts.layout
    coefficients, errors, edited = parts.coefficients.copy(), parts.errors.copy(), parts.edited.copy()
    place = schema.names.index(edit.attribute)
    blocks = layout.blocks
    for at, shape in enumerate(layout.shapes):
        if shape.attribute != place:
            continue
        block = blocks[at]
        which = np.arange(block.start, block.stop)
        if not edit.drops:
            which = which[_slots(parts, at, edit, schema.attributes[place])]
        if not len(which):
            continue
        if edit.drops:
            coefficients[which], errors[which] = 0.0, 0.0
        else:
            weight = parts.weight[which]
            share = weight / weight.sum() if weight.sum() > 0 else np.full(len(which), 1 / len(which))
            coefficients[which] = share @ coefficients[which]
            errors[which] = share @ errors[which]
        edited[at] = max(int(edited[at]), DROPPED if edit.drops else FLATTENED)
        if edit.drops:
            for other, cells in enumerate(layout.pairs):
                if at in (cells.first, cells.second):
                    pair = len(layout.shapes) + other
                    coefficients[blocks[pair]], errors[blocks[pair]] = 0.0, 0.0
                    edited[pair] = DROPPED
    for other, vocabulary in enumerate(layout.words):
        if vocabulary.attribute == edit.attribute and edit.drops:
            at = len(layout.shapes) + len(layout.pairs) + other
            coefficients[blocks[at]], errors[blocks[at]] = 0.0, 0.0
            edited[at] = DROPPED
    return replace(parts, coefficients=coefficients, errors=errors, edited=edited)


def _slots(parts: AdditiveParts, at: int, edit: ShapeEdit, attribute: Attribute) -> Array:
    """The slots of a shape that are flattened."""
    shape = parts.layout.shapes[at]
    if edit.low is None or edit.high is None:
        codes = [attribute.levels.index(level) for level in edit.levels]
        return np.flatnonzero(np.isin(shape.levels, codes))
    first, last = np.searchsorted(shape.cuts, [edit.low, edit.high])
    return np.arange(int(first), int(last) + 1)
