"""Learners and costs as people write them down.

named("decision-tree(confidence_factor=0.1)")     an unfitted learner
read_costs(path)                   a table of costs from a file
costs_cover(costs, classes)        every class has its row and column in it
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from acumen import messages
from acumen.errors import DataError
from acumen.registry.entries import parse_learner
from acumen.types import Label


def learner_from_text(text: str, seed: int | None = None, **given: Any) -> Any:
    """An unfitted learner from a text such as `decision-tree(confidence_factor=0.1)`; of what is given it takes what
    it can.

    With a seed, whatever it draws at random comes of it, unless the text says otherwise.
    """
    entry, settings = parse_learner(text)
    allowed = {spec.name for spec in entry.parameters}
    taken = {name: value for name, value in given.items() if name in allowed}
    return entry.make(settings, **taken) if seed is None else entry.make_seeded(settings, seed, **taken)


def read_costs(path: Path | str) -> dict[tuple[str, str], float]:
    """Costs from a CSV whose first row names the true classes and whose first column the predicted ones."""
    with Path(path).open(newline="", encoding="utf-8-sig") as file:
        rows = [row for row in csv.reader(file) if row]
    if len(rows) < 2 or any(len(row) != len(rows[0]) for row in rows):
        raise DataError(
            f"{path}: a cost table needs a header of true classes and one full row for each predicted class."
        )
    true, predicted = [name.strip() for name in rows[0][1:]], [row[0].strip() for row in rows[1:]]
    for name in (*true, *predicted):
        for what, names in (("row", predicted), ("column", true)):
            if names.count(name) != 1:
                how = "no" if name not in names else "more than one"
                raise DataError(
                    f"{path}: there is {how} {what} for the class {name!r}; a cost table has one row and one column "
                    "for each class."
                )
    costs: dict[tuple[str, str], float] = {}
    for row in rows[1:]:
        for actual, cost in zip(true, row[1:], strict=True):
            try:
                costs[row[0].strip(), actual] = float(cost)
            except ValueError:
                raise DataError(
                    f"{path}: the cost of {row[0]!r} for {actual!r} is {cost!r}, not a number."
                ) from None
    return costs


def costs_cover(costs: Mapping[tuple[str, str], float] | None, classes: Sequence[Label]) -> None:
    """Refuse costs from a file that leave a class out: nobody would notice what it was taken to cost."""
    if costs is None:
        return
    named = {name for pair in costs for name in pair}
    lacking = [str(label) for label in classes if str(label) not in named]
    if lacking and classes:
        raise DataError(
            f"{messages.option('costs')}: the table has no row and column for "
            f"{', '.join(map(repr, lacking[:8]))}; give "
            f"one for each of {len(classes)} classes."
        )
