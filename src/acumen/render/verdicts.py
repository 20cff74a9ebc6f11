"""How a verdict of a comparison looks: other code keeps to the codes, and only these looks hold words and signs.

LOOKS   code -> Look
WORDS   code -> words
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

#: What `compare` concludes of a learner; none ("") of the one that the others are compared with, unless a baseline.
Verdict: TypeAlias = Literal["", "better", "worse", "equal", "open", "baseline"]


@dataclass(frozen=True, slots=True)
class Look:
    """The words of a verdict, its tone and sign in a page, its colour and shape in a figure."""

    words: str
    tone: Literal["good", "bad", "even"] = "even"
    sign: str = ""
    colour: int = 6
    hollow: bool = False


LOOKS: Final[Mapping[str, Look]] = {
    "": Look("", colour=0),
    "better": Look("better", "good", "▲", 0),
    "worse": Look("worse", "bad", "▼", 1),
    "equal": Look("practically equal", "even", "≈", hollow=True),
    "open": Look("no significant difference", "even", "?", hollow=True),
    "baseline": Look("baseline", "even", "●"),
}
WORDS: Final[Mapping[str, str]] = {code: look.words for code, look in LOOKS.items()}
