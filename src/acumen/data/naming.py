"""Column names as every part of the house may rely on them: strings, none empty, each its own."""

from __future__ import annotations

from collections.abc import Iterable

from acumen.data.report import Report


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
