"""Where a descent stands, and what the rows have to say there.

    Place   coefficients; of them the loss, its slopes and second derivatives, each made once

Nothing of it knows a penalty: one place serves whatever strengths are tried there.
"""

from __future__ import annotations

from acumen.additive.row_source import SlottedRows, bent, curved
from acumen.caching import cached_property
from acumen.types import Floats


class Place:
    """Coefficients (width, lines) and the rows' answer to them."""

    def __init__(self, ground: SlottedRows, coefficients: Floats) -> None:
        self.ground, self.coefficients = ground, coefficients
        self.met = ground.meet(coefficients)

    def moved(self, step: Floats) -> Place:
        """So far away."""
        return Place(self.ground, self.coefficients + step)

    @cached_property
    def lost(self) -> float:
        """The loss."""
        return self.met.lost

    @property
    def pull(self) -> Floats:
        """The gradient of the loss (width, lines)."""
        return self.met.pull

    @cached_property
    def data(self) -> tuple[Floats, ...]:
        """The second derivatives of the loss, of each line by itself."""
        made: tuple[Floats, ...] = self.met.sum(curved).things
        return made

    def bent(self, direction: Floats) -> Floats:
        """The second derivatives of all lines together times a direction."""
        made: Floats = self.met.sum(bent, direction)
        return made
