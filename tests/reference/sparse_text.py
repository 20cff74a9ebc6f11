"""svmlight and basket text line by line in plain Python: what the kernels must give."""

from __future__ import annotations

import csv
from collections.abc import Iterable


def svmlight(text: str) -> tuple[list[float], list[float | None], list[dict[int, float]]]:
    """Labels, query ids and rows."""
    labels, queries, rows = [], [], []
    for line in text.split("\n"):
        fields = line.partition("#")[0].split()
        if not fields:
            continue
        labels.append(float(fields.pop(0)))
        query = None
        if fields and fields[0].startswith("qid:"):
            query = float(fields.pop(0)[4:])
        queries.append(query)
        rows.append({int(field.partition(":")[0]): float(field.partition(":")[2]) for field in fields})
    return labels, queries, rows


def baskets(text: str, delimiter: str) -> list[set[str]]:
    """The items of each line, none of a blank one before the last; a blank as delimiter means runs of blanks."""
    found: list[set[str]] = []
    for line in text.rstrip("\n \t").split("\n"):
        if not line.strip():
            found.append(set())
            continue
        fields: Iterable[str] = (
            line.split() if delimiter == " " else next(csv.reader([line], delimiter=delimiter))
        )
        found.append({field.strip() for field in fields} - {""})
    return found
