"""Shapes of an additive model file as a person wants them, said as the changes of `acumen shapes edit`.

Changes come as a mapping: of an attribute "drop", two numbers, several such pairs, or levels. A learner that is learned
here has its changes among its parameters instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from acumen.errors import ParameterError

#: Attributes that are changed, and pieces or levels of one.
_MOST: Final = 1_000
_LONGEST: Final = 10_000

Piece = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class ShapeEdits:
    """What is done to each attribute: no piece drops its shape, each piece has the ends of a range, or levels."""

    changes: tuple[tuple[str, tuple[Piece, ...]], ...]

    @classmethod
    def parse(cls, given: Any) -> ShapeEdits:
        """Of what the page sends."""
        if not isinstance(given, Mapping) or not 0 < len(given) <= _MOST:
            raise ParameterError("studio: shapes are an object of attributes and what is done to each.")
        return cls(tuple((str(name), _pieces(what)) for name, what in given.items()))

    def __bool__(self) -> bool:
        return bool(self.changes)

    def words(self) -> list[str]:
        """As `acumen shapes edit` takes them."""
        from acumen.messages import listed_fields

        words: list[str] = []
        for name, pieces in self.changes:
            for piece in pieces:
                words += ["--flatten", f"{name}={listed_fields(piece)}"]
        for name, pieces in self.changes:
            words += [] if pieces else ["--drop", name]
        return words

    def python(self) -> str:
        """A line that changes `model`."""
        calls = [
            f".edit({', '.join(map(repr, (name, *piece)))})"
            for name, pieces in self.changes
            for piece in pieces
        ]
        calls += [f".edit({name!r})" for name, pieces in self.changes if not pieces]
        return f"edited = model{''.join(calls)}\n"


def _pieces(what: Any) -> tuple[Piece, ...]:
    if what == "drop":
        return ()
    if isinstance(what, list) and 0 < len(what) <= _MOST:
        if all(isinstance(each, list) and len(each) == 2 and all(map(_is_value, each)) for each in what):
            return tuple(tuple(each) for each in what)
        if len(what) > 1 and all(map(_is_value, what)):
            return (tuple(what),)
    raise ParameterError(
        "studio: a shape is dropped, flattened between two numbers, or of two levels or more."
    )


def _is_value(value: Any) -> bool:
    return isinstance(value, (int, float)) or (isinstance(value, str) and len(value) <= _LONGEST)
