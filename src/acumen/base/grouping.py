"""The result of a clustering algorithm; workers import this module without importing any learner.

Grouping       the model, the group of each row, and the number of iterations
by_first_row   number groups by the first row that belongs to them
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from acumen.models.model import GroupModel
from acumen.types import Codes, Indices


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """The result of a clustering algorithm; labels and model number groups by their first row."""

    model: GroupModel
    labels: Codes
    n_iter: int = 1


def by_first_row(labels: Codes) -> tuple[Codes, Indices]:
    """Renumber clusters by their first row, keeping -1; also the old number of each new one.

    >>> import numpy as np
    >>> labels, order = by_first_row(np.array([7, -1, 2, 7, 2], dtype=np.int32))
    >>> labels.tolist(), order.tolist()
    ([0, -1, 1, 0, 1], [7, 2])
    """
    known, first = np.unique(labels, return_index=True)
    known, first = known[known >= 0], first[known >= 0]
    order = known[np.argsort(first, kind="stable")]
    place = np.full(int(order.max(initial=-1)) + 2, -1, dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)  # the last entry stays -1, and label -1 picks it
    return place[labels], order.astype(np.intp)
