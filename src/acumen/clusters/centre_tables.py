"""Cluster centres in a notebook: a table of values, and the distance of each from the overall mean.

centre_tables    groups by columns -> a table, attributes downwards
centre_profile   the same as lines, in units of the distance
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from acumen.render.profile_plot import ProfileFigure
from acumen.render.report import ReportTable, named_rows
from acumen.render.text import number, percent
from acumen.types import Floats

#: Groups that have a column or a line of their own.
_GROUPS = 12


def centre_tables(names: Sequence[str], centres: Floats, sizes: Floats) -> tuple[ReportTable, ...]:
    """What is in the middle of each group; `sizes` become shares."""
    total = max(float(sizes.sum()), 1e-300)
    shown = min(len(centres), _GROUPS)
    heads = [f"cluster {g} ({percent(float(sizes[g]) / total)})" for g in range(shown)]
    spread = np.ptp(centres, axis=0) if len(centres) > 1 else np.zeros(len(names))
    rounding = 1e-12 * (np.abs(centres).max(axis=0, initial=0.0) + spread)
    tidy = np.where(np.abs(centres) <= rounding, 0.0, centres)
    rows = [[name, *(number(float(v)) for v in tidy[:shown, j])] for j, name in enumerate(names)]
    caption = "The middle of each cluster"
    if shown < len(centres):
        caption += f", of the first {shown} of {len(centres)}"
    return (ReportTable(["", *heads], rows, named_rows(shown), caption),)


def centre_profile(names: Sequence[str], points: Floats) -> ProfileFigure | None:
    """Lines of how far the middle of each group is from that of all rows; None of a single group."""
    if not 1 < len(points) <= _GROUPS or not points.shape[1]:
        return None
    groups = [f"cluster {g}" for g in range(len(points))]
    return ProfileFigure(list(names), points, groups, "from the mean of all rows, in units of the distance")
