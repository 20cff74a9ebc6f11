"""Levels that look alike: the same word in other letters, blanks or spelling, which are perhaps one.

    alike    levels -> groups of two or more, in order of appearance

Letter case, blanks, hyphens and points do not count, nor does what British and American spelling differ in (fibre,
colour, -ise), nor two neighbouring letters in the wrong order. Digits count: A1 is not A2.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

#: More levels than this are names rather than categories, and are not compared.
MOST = 5_000
_APART = re.compile(r"[\s\-_./,'’\"]+")
_SPELLINGS = tuple(
    (re.compile(pattern), to)
    for pattern, to in (
        (r"(?<=\w{2})our", "or"), (r"(?<=\w{2})is(?=e|ing|ation)", "iz"), (r"(?<=\w{2})yse", "yze"),
        (r"ogue\b", "og"), (r"ll", "l"),
    )
)  # fmt: skip
_LONG = 5


def alike(levels: Sequence[str]) -> list[list[str]]:
    """Groups of levels that look alike."""
    if len(levels) > MOST:
        return []
    groups: dict[str, list[str]] = {}
    for level in levels:
        groups.setdefault(_key(level), []).append(level)
    return [group for key, group in groups.items() if len(group) > 1 and key]


def _key(level: str) -> str:
    return "".join(_word(word) for word in _APART.split(level.casefold()) if word)


def _word(word: str) -> str:
    for pattern, to in _SPELLINGS:
        word = pattern.sub(to, word)
    # Of the letters in the middle the order does not count: fibre, fiber; and a slip of two fingers.
    return word[0] + "".join(sorted(word[1:])) if len(word) >= _LONG and word.isalpha() else word
