"""Column names as every part of the house may rely on them: strings, none empty, each its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from acumen.data.report import Report
from acumen.types import Label


def column_names(found: Iterable[object], report: Report) -> tuple[str, ...]:
    """The names a source gives its columns, as strings; empty and repeated ones are renamed with a note."""
    wanted = ["" if name is None else str(name) for name in found]
    taken = set(wanted)  # a made name must not meet one that only comes later
    names: list[str] = []
    seen: set[str] = set()
    for position, name in enumerate(wanted):
        made = name or _free(f"column_{position + 1}", taken)
        if made in seen:
            made = _free(made, taken)
        if made != name:
            why = f"repeats the name {name!r}" if name else "has no name"
            report.note(
                "renamed", f"the column at position {position} {why} and is called {made!r}.", column=made
            )
        names.append(made)
        seen.add(made)
        taken.add(made)
    return tuple(names)


def free_name(name: str, taken: Iterable[str]) -> str:
    """The name itself, or with a number behind it when it is taken."""
    used = set(taken)
    return _free(name, used) if name in used else name


def _free(stem: str, taken: set[str]) -> str:
    if stem not in taken:
        return stem
    number = 2
    while f"{stem}_{number}" in taken:
        number += 1
    return f"{stem}_{number}"


def unique_names(cells: Sequence[str]) -> tuple[list[str], list[int], list[int]]:
    """A header's names made unique; the positions that were empty, and those that were taken already."""
    names: list[str] = []
    empty, twice = [], []
    taken = set(cells)
    seen: set[str] = set()
    numbers: dict[str, int] = {}
    for position, cell in enumerate(cells):
        name = cell
        if not name.strip():
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
