"""The same figures as matplotlib axes."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from acumen.errors import MissingExtra
from acumen.render import mpl
from acumen.render.cd_diagram import CdFigure
from acumen.render.confusion_plot import ConfusionFigure
from acumen.render.curves import PlotCurve, RocFigure
from acumen.render.interval_plot import IntervalFigure
from acumen.render.learning_plot import LearningFigure
from acumen.render.lift_chart import LiftFigure, ProfitFigure
from acumen.render.tree import TreeFigure
from figure_cases import FIGURES, grid

DRAW = {
    "bars": mpl.bars_axes,
    "loadings": mpl.loadings_axes,
    "histogram": mpl.histogram_axes,
    "levels": mpl.levels_axes,
    "missing": mpl.missing_axes,
    "association": mpl.association_axes,
    "rules": mpl.rules_axes,
    "items": mpl.items_axes,
    "network": mpl.network_axes,
    "undirected network": mpl.network_axes,
    "lattice": mpl.lattice_axes,
    "perceptrons": mpl.perceptrons_axes,
    "ladder": mpl.ladder_axes,
    "roc": mpl.roc_axes,
    "pr": mpl.pr_axes,
    "lift": mpl.lift_axes,
    "gain": mpl.gain_axes,
    "decision": mpl.decision_axes,
    "profit": mpl.profit_axes,
    "confusion": mpl.confusion_axes,
    "interval": mpl.interval_axes,
    "forest": mpl.forest_axes,
    "cd": mpl.cd_axes,
    "calibration": mpl.calibration_axes,
    "learning": mpl.learning_axes,
    "sweep": mpl.learning_axes,
    "margin": mpl.margin_axes,
    "regions": mpl.regions_axes,
    "tree": mpl.tree_axes,
    "fit": mpl.points_axes,
    "residuals": mpl.points_axes,
    "dendrogram": mpl.dendrogram_axes,
    "groups": mpl.groups_axes,
    "silhouettes": mpl.silhouette_axes,
    "measures": mpl.measures_axes,
    "profile": mpl.profile_axes,
}


@pytest.fixture
def axes():
    figures = pytest.importorskip("matplotlib.figure")
    return figures.Figure().subplots()


@pytest.mark.parametrize("kind", FIGURES)
@pytest.mark.parametrize("name", ["plain", "_odd $x$ \\frac{ \x1b"])
def test_every_figure_draws_on_the_axes_it_is_given(kind, name, axes):
    value, _ = FIGURES[kind](name)
    assert DRAW[kind](value, axes) is axes
    axes.figure.canvas.draw()
    assert "\x1b" not in axes.get_title() and name[:4] in axes.get_title()


def test_curves_are_the_data(axes):
    mpl.roc_axes(RocFigure([PlotCurve("a", [0, 0.25, 1], [0, 0.75, 1], 0.8)]), axes)
    assert axes.lines[1].get_xydata().tolist() == [[0, 0], [0.25, 0.75], [1, 1]]
    assert [t.get_text() for t in axes.get_legend().get_texts()] == ["chance", "a (AUC 0.8)"]


@pytest.mark.parametrize(
    ("draw", "value"),
    [
        (mpl.roc_axes, RocFigure([])),
        (mpl.lift_axes, LiftFigure([], [])),
        (mpl.profit_axes, ProfitFigure([], [])),
        (mpl.confusion_axes, ConfusionFigure(np.zeros((0, 0)), [])),
        (mpl.interval_axes, IntervalFigure([])),
        (mpl.cd_axes, CdFigure([], [], 0.0)),
        (mpl.learning_axes, LearningFigure([], [])),
        (mpl.tree_axes, TreeFigure([], [])),
    ],
)
def test_nothing_to_draw_gives_empty_axes(draw, value, axes):
    draw(value, axes)
    axes.figure.canvas.draw()


def test_a_large_table_is_sampled_and_said(axes):
    mpl.regions_axes(grid(n=5_000), axes)
    assert "2,000 of 5,000 rows drawn" in axes.get_title()


def test_without_matplotlib_a_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r"pip install 'acumen-learn\[plot\]'"):
        mpl.roc_axes(RocFigure([]))
