"""Rows drawn by their weights, so that a weight of two is a repeated row; and how many rows differ.

draw_by_places     the rows at given places of the running sum of weights
require_distinct   a sentence where more groups are asked for than rows differ
"""

from __future__ import annotations

import numpy as np

from acumen.errors import DataError
from acumen.render.text import many
from acumen.types import Floats, Indices


def draw_by_places(rng: np.random.Generator, weights: Floats, n: int) -> Indices:
    """`n` rows, with repetition, each as likely as its weight.

    A row of weight 2 covers the same places as two rows of weight 1 that follow each other, so one seed draws the
    same rows of both tables. Rows of weight zero are never drawn.
    """
    running = np.cumsum(weights)
    places = rng.random(n) * running[-1]
    found = np.searchsorted(running, places, side="right")
    last = int(np.searchsorted(running, running[-1], side="left"))  # the last row that weighs anything
    return np.minimum(found, last).astype(np.intp)


def require_distinct(who: str, k: int, distinct: int, rows: int) -> None:
    """DataError where there cannot be `k` groups: so many rows differ from each other."""
    if k <= distinct:
        return
    if not distinct:
        raise DataError(f"{who}: nothing is known of any row; there is nothing to learn from.")
    found = f"its {rows:,} rows hold only {many(distinct, 'different one')}"
    if distinct == rows:
        found = "there is only one row (1 sample)" if rows == 1 else f"there are only {rows:,} rows"
    raise DataError(f"{who}: {k} groups were asked for, and {found}; ask for at most {distinct}.")
