"""The same figure values as matplotlib axes, for those who go on drawing.

Each function takes a figure value and, where given, the axes to draw in; it gives the axes back.
matplotlib is imported when one of them is called: `pip install acumen-learn[plot]`.
"""

from __future__ import annotations

from acumen.render.mpl.curves import (
    calibration_axes,
    cd_axes,
    confusion_axes,
    decision_axes,
    forest_axes,
    gain_axes,
    interval_axes,
    learning_axes,
    lift_axes,
    pr_axes,
    profit_axes,
    roc_axes,
)
from acumen.render.mpl.groups import groups_axes, measures_axes, profile_axes, silhouette_axes
from acumen.render.mpl.numeric_models import margin_axes, perceptrons_axes, points_axes, regions_axes
from acumen.render.mpl.tables import (
    association_axes,
    bars_axes,
    histogram_axes,
    levels_axes,
    loadings_axes,
    missing_axes,
)
from acumen.render.mpl.trees import (
    dendrogram_axes,
    items_axes,
    ladder_axes,
    lattice_axes,
    network_axes,
    rules_axes,
    tree_axes,
)

__all__ = [
    "association_axes",
    "bars_axes",
    "calibration_axes",
    "cd_axes",
    "confusion_axes",
    "decision_axes",
    "dendrogram_axes",
    "forest_axes",
    "gain_axes",
    "groups_axes",
    "histogram_axes",
    "interval_axes",
    "items_axes",
    "ladder_axes",
    "lattice_axes",
    "learning_axes",
    "levels_axes",
    "lift_axes",
    "loadings_axes",
    "margin_axes",
    "measures_axes",
    "missing_axes",
    "network_axes",
    "perceptrons_axes",
    "points_axes",
    "pr_axes",
    "profile_axes",
    "profit_axes",
    "regions_axes",
    "roc_axes",
    "rules_axes",
    "silhouette_axes",
    "tree_axes",
]
