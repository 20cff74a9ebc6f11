"""Names of columns, which are unique and not empty, and spellings of levels.

unique_names      names as they came -> unique names; which were empty and which repeated
column_names      the same for columns in memory, with the notes of the report
free_name         one more name beside others
level_text        how a level is spelled in a text file
similar_levels    levels -> groups of levels that look like one: the same word in other letters, blanks or spelling
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from acumen.data.report import Report
from acumen.types import Label

#: More levels than this are names rather than categories, and are not compared.
MOST_COMPARED = 5_000
_APART = re.compile(r"[\s\-_./,'’\"]+")
_SPELLINGS = tuple(
    (re.compile(pattern), to)
    for pattern, to in (
        (r"(?<=\w{2})our", "or"), (r"(?<=\w{2})is(?=e|ing|ation)", "iz"), (r"(?<=\w{2})yse", "yze"),
        (r"ogue\b", "og"), (r"ll", "l"),
    )
)  # fmt: skip
_LONG = 5


def unique_names(
    wanted: Sequence[str], *, allow_empty: bool = False
) -> tuple[list[str], list[int], list[int]]:
    """Names made unique; the positions of those that were empty, and of those that were taken already.

    With `allow_empty` an empty name is a name like any other.
    """
    names: list[str] = []
    empty, twice = [], []
    taken = set(wanted)  # a made name must not meet one that only comes later
    seen: set[str] = set()
    numbers: dict[str, int] = {}
    for position, name in enumerate(wanted):
        if not name and not allow_empty:
            empty.append(position)
            name = f"column_{position + 1}"
            if name in taken:
                name = _next_free(name, taken, numbers)
        elif name in seen:
            twice.append(position)
            name = _next_free(name, taken, numbers)
        seen.add(name)
        taken.add(name)
        names.append(name)
    return names, empty, twice


def column_names(raw_names: Iterable[object], report: Report) -> tuple[str, ...]:
    """The names a source gives its columns, as strings; empty and repeated ones are renamed with a note."""
    # Half a character (a lone surrogate) could not be written to any file.
    wanted = [
        "" if name is None else str(name).encode("utf-8", "backslashreplace").decode() for name in raw_names
    ]
    names, empty, twice = unique_names(wanted)
    for position in sorted((*empty, *twice)):
        new_name = names[position]
        code, why = (
            ("empty-name", "has no name")
            if position in empty
            else ("duplicate-name", f"repeats the name {wanted[position]!r}")
        )
        report.note(
            code, f"the column at position {position} {why} and is called {new_name!r}.", column=new_name
        )
    return tuple(names)


def free_name(name: str, taken: Iterable[str]) -> str:
    """The name itself, or with a number behind it when it is taken."""
    used = set(taken)
    return _next_free(name, used, {}) if name in used else name


def _next_free(name: str, taken: set[str], numbers: dict[str, int]) -> str:
    """`name_2`, `name_3` ...: the first that is free; `numbers` remembers how far each name has got."""
    number = numbers.get(name, 2)
    while f"{name}_{number}" in taken:
        number += 1
    numbers[name] = number + 1
    return f"{name}_{number}"


def level_text(level: Label) -> str:
    """How a level given by a caller is spelled in a text file: 1 and 1.0 as "1"."""
    if isinstance(level, float) and level.is_integer():
        return str(int(level))
    return str(level)


def similar_levels(levels: Sequence[str]) -> list[list[str]]:
    """Groups of two or more levels that look alike, in order of appearance.

    Letter case, blanks, hyphens and points do not count, nor does what British and American spelling differ in (fibre,
    colour, -ise), nor two neighbouring letters in the wrong order. Digits count: A1 is not A2.
    """
    if len(levels) > MOST_COMPARED:
        return []
    groups: dict[str, list[str]] = {}
    for level in levels:
        groups.setdefault(_comparable(level), []).append(level)
    return [group for key, group in groups.items() if len(group) > 1 and key]


def _comparable(level: str) -> str:
    return "".join(_comparable_word(word) for word in _APART.split(level.casefold()) if word)


def _comparable_word(word: str) -> str:
    for pattern, to in _SPELLINGS:
        word = pattern.sub(to, word)
    # Of the letters in the middle the order does not count: fibre, fiber; and a slip of two fingers.
    return word[0] + "".join(sorted(word[1:])) if len(word) >= _LONG and word.isalpha() else word
