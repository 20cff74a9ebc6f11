"""The values that make up a data card: plain, immutable, each with its JSON form.

A `count` is a number of rows; a `share` is a share of weight (of rows, where every row weighs one).
A share of nothing is None.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from acumen.types import Label


@dataclass(frozen=True, slots=True)
class NumericFigures:
    """A numeric column's finite values: five numbers, moments and an even-width histogram.

    None stands where there is no finite value (or, for `sd`, too few). `edges` is one longer than
    `counts`, which are weights; a bin holds its left edge, the last one both. `form` is the attribute's: days are
    shown as dates. `placeholder` is a value far from all others that may stand for none, and its rows.
    """

    min: float | None = None
    q1: float | None = None
    median: float | None = None
    q3: float | None = None
    max: float | None = None
    mean: float | None = None
    sd: float | None = None
    infinite: int = 0
    edges: tuple[float, ...] = ()
    counts: tuple[float, ...] = ()
    form: str = ""
    placeholder: tuple[float, int] | None = None

    def to_dict(self) -> dict[str, Any]:
        figures = asdict(self)
        if not figures["form"]:
            del figures["form"]
        del figures["placeholder"]  # a finding says it
        figures["histogram"] = {"edges": list(figures.pop("edges")), "counts": list(figures.pop("counts"))}
        return figures


@dataclass(frozen=True, slots=True)
class LevelCount:
    """One level or class: its rows, their weight, and their fraction of the known rows."""

    level: Label
    count: int
    weight: float
    share: float | None

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class LevelFigures:
    """A nominal column: its most frequent levels, and the number of others.

    `declared` levels are those of the schema, of which some may be `unused`; `once` were seen in one row
    (the first few of them in `lonely`); `unknown` rows hold a level the schema does not know.
    """

    top: tuple[LevelCount, ...]
    declared: int
    unused: int
    once: int
    lonely: tuple[Label, ...]
    unknown: int

    def to_dict(self) -> dict[str, Any]:
        shown = sum(level.count > 0 for level in self.top)
        return {
            "levels": [level.to_dict() for level in self.top],
            "declared": self.declared,
            "unused": self.unused,
            "seen_once": self.once,
            "unknown": self.unknown,
            "not_listed": self.declared - self.unused - shown,
        }


@dataclass(frozen=True, slots=True)
class TextFigures:
    """A text column's lengths in characters."""

    shortest: int | None = None
    median: float | None = None
    longest: int | None = None
    empty: int = 0

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ColumnFigures:
    """One attribute; of the last three fields the one for its kind is set."""

    name: str
    kind: str
    missing: int
    missing_share: float | None
    distinct: int
    numeric: NumericFigures | None = None
    nominal: LevelFigures | None = None
    text: TextFigures | None = None

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "kind": self.kind,
            "missing": self.missing,
            "missing_share": self.missing_share,
            "distinct": self.distinct,
            "numeric": self.numeric.to_dict() if self.numeric else None,
            "nominal": self.nominal.to_dict() if self.nominal else None,
            "text": self.text.to_dict() if self.text else None,
        }


@dataclass(frozen=True, slots=True)
class TargetFigures:
    """The target: its classes with their entropy in bits, or a numeric target's figures."""

    name: str
    kind: str
    missing: int
    missing_share: float | None
    classes: tuple[LevelCount, ...] = ()
    entropy: float | None = None
    numeric: NumericFigures | None = None

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "kind": self.kind,
            "missing": self.missing,
            "missing_share": self.missing_share,
            "classes": [level.to_dict() for level in self.classes],
            "entropy_bits": self.entropy,
            "numeric": self.numeric.to_dict() if self.numeric else None,
        }


def share(part: float, whole: float) -> float | None:
    """`part` / `whole`; None if the whole is 0."""
    return part / whole if whole > 0 else None
