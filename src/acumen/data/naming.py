"""Column names as every part of the house may rely on them: strings, none empty, each its own.

unique_names    names as they came -> names, each its own; which were empty and which taken
column_names    the same for columns in memory, with the notes of the report
free_name       one more name beside others
level_text      how a level is spelled in a text file
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from acumen.data.report import Report
from acumen.types import Label


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


def column_names(found: Iterable[object], report: Report) -> tuple[str, ...]:
    """The names a source gives its columns, as strings; empty and repeated ones are renamed with a note."""
    # Half a character (a lone surrogate) could not be written to any file.
    wanted = [
        "" if name is None else str(name).encode("utf-8", "backslashreplace").decode() for name in found
    ]
    names, empty, twice = unique_names(wanted)
    for position in sorted((*empty, *twice)):
        made = names[position]
        code, why = (
            ("empty-name", "has no name")
            if position in empty
            else ("duplicate-name", f"repeats the name {wanted[position]!r}")
        )
        report.note(code, f"the column at position {position} {why} and is called {made!r}.", column=made)
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
