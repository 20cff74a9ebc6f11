"""Some rows of a linear machine and what solvers do with them over and over: products, sums, curvature.

The loops are C++ over all cores, dense or sparse; no row is copied, and the sums do not depend on the cores.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from acumen import _native
from acumen.engines.cores import cores
from acumen.types import Floats, Indices


@dataclass(frozen=True, slots=True)
class ChosenRows:
    """The rows `which`, each with one more attribute of the value `bias`; vectors of weights end with its own."""

    rows: _native.LinearRows
    which: Indices
    bias: float

    def times(self, v: Floats) -> Floats:
        """The product of each row with v."""
        out = np.empty(len(self.which))
        self.rows.products(self.which, self.bias, v, out, cores())
        return out

    def back(self, u: Floats) -> Floats:
        """The sum of the rows, each times its number in u."""
        out = np.empty(self.rows.width + 1)
        self.rows.sum(self.which, self.bias, u, out, cores())
        return out

    def squares(self, u: Floats) -> Floats:
        """The sum of the rows' squares, number by number, each row's times its number in u."""
        out = np.empty(self.rows.width + 1)
        self.rows.squares(self.which, self.bias, u, out, cores())
        return out

    def curvature(self, scale: Floats, v: Floats) -> Floats:
        """The sum over rows of scale x (row times v) x row."""
        out = np.empty(self.rows.width + 1)
        self.rows.curvature(self.which, self.bias, scale, v, out, cores())
        return out
