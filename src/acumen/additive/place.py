"""Where a descent stands, and what the rows have to say there.

    Place   coefficients; of them the scores, the loss, its slopes and second derivatives, each made once

Nothing of it knows a penalty: one place serves whatever strengths are tried there.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from acumen.additive.losses import Loss
from acumen.additive.rows import SlotRows
from acumen.types import Floats


class Place:
    """Coefficients (width, lines) and the rows' answer to them."""

    def __init__(self, rows: SlotRows, loss: Loss, coefficients: Floats) -> None:
        self.rows, self.loss, self.coefficients = rows, loss, coefficients
        self.scores = rows.scores(coefficients)
        self.lost, self._slope, self.shares = loss.at(self.scores)

    def moved(self, step: Floats) -> Place:
        """So far away."""
        return Place(self.rows, self.loss, self.coefficients + step)

    @cached_property
    def pull(self) -> Floats:
        """The gradient of the loss (width, lines)."""
        return self.rows.sums(self._slope)

    @cached_property
    def data(self) -> tuple[Floats, ...]:
        """The second derivatives of the loss, of each line by itself."""
        bent = self.loss.curvature(self.shares)
        return tuple(
            self.rows.tables(np.ascontiguousarray(bent[:, k])) for k in range(self.coefficients.shape[1])
        )

    def bent(self, direction: Floats) -> Floats:
        """The second derivatives of all lines together times a direction."""
        return self.rows.sums(self.loss.bent(self.shares, self.rows.scores(direction)))
