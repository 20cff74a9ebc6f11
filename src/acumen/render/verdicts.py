"""How a verdict of a comparison looks: its tone, sign, colour and shape.

LOOKS   verdict -> Look
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

#: What `compare` concludes of a learner; none ("") of the one that the others are compared with, unless a baseline.
Verdict: TypeAlias = Literal[
    "", "better", "worse", "practically equal", "no significant difference", "baseline"
]


@dataclass(frozen=True, slots=True)
class Look:
    """The tone and sign of a verdict on a page, and its colour and shape in a figure."""

    tone: Literal["good", "bad", "even"] = "even"
    sign: str = ""
    colour: int = 6
    hollow: bool = False


LOOKS: Final[Mapping[str, Look]] = {
    "": Look(colour=0),
    "better": Look("good", "▲", 0),
    "worse": Look("bad", "▼", 1),
    "practically equal": Look("even", "≈", hollow=True),
    "no significant difference": Look("even", "?", hollow=True),
    "baseline": Look("even", "●"),
}
