"""Names for columns and texts for levels, so that no two are the same and none is empty."""

from __future__ import annotations

from collections.abc import Sequence

from acumen.types import Label


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
                name = _free(name, taken, numbers)
        elif name in seen:
            twice.append(position)
            name = _free(name, taken, numbers)
        seen.add(name)
        taken.add(name)
        names.append(name)
    return names, empty, twice


def _free(name: str, taken: set[str], numbers: dict[str, int]) -> str:
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
