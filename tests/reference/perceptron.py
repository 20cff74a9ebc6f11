"""Rosenblatt's rule one row and one component at a time."""

from __future__ import annotations

from collections.abc import Sequence

Vector = list[float]


def product(w: Sequence[float], x: Sequence[float]) -> float:
    total = 0.0
    for a, b in zip(w, x, strict=True):
        total += a * b
    return total


def epoch(
    rows: Sequence[Sequence[float]],
    labels: Sequence[int],
    order: Sequence[int],
    weight: Sequence[float],
    rate: float,
    tie_is_right: bool,
    vectors: list[Vector],
) -> tuple[int, list[list[Vector]]]:
    """Moves `vectors`; how often, and the vectors after every row."""
    moves, history = 0, []
    for i in order:
        x, label, step = rows[i], labels[i], rate * weight[i]
        values = [product(w, x) for w in vectors]
        if len(vectors) == 1:
            h = values[0]
            right = (h > 0 or (h == 0 and tie_is_right)) if label else h < 0
            changes = [] if right else [(0, step if label else -step)]
        else:
            rivals = [v for v in range(len(vectors)) if v != label]
            rival = max(rivals, key=lambda v: (values[v], -v))
            ahead = values[rival] < values[label]
            tied = values[rival] == values[label] and tie_is_right and label < rival
            changes = [] if ahead or tied else [(label, step), (rival, -step)]
        for v, factor in changes:
            vectors[v] = [w + factor * c for w, c in zip(vectors[v], x, strict=True)]
        moves += bool(changes)
        history.append([list(w) for w in vectors])
    return moves, history
