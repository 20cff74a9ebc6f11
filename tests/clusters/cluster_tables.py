"""Tables that tests of groups share."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import acumen

IRIS = acumen.datasets.load("iris")


def ruspini(shared: Path) -> acumen.Table:
    """Ruspini's 75 points, without their numbers."""
    read = acumen.read(shared / "clusters" / "ruspini.csv")
    return acumen.read(np.column_stack([read.column("x"), read.column("y")]))
