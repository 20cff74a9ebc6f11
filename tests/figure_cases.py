"""Figures of every kind, made around a name; and what is read back from a drawing."""

from __future__ import annotations

import math
import re
from xml.etree import ElementTree as ET

import numpy as np

from acumen.render.bars_plot import Bar, BarsFigure, bars_svg
from acumen.render.calibration_plot import CalibrationCurve, CalibrationFigure, calibration_svg
from acumen.render.cd_diagram import CdFigure, cd_svg
from acumen.render.class_histogram import HistogramFigure, LevelsFigure, histogram_svg, levels_svg
from acumen.render.confusion_plot import ConfusionFigure, confusion_svg
from acumen.render.curves import PlotCurve, PrFigure, RocFigure, pr_svg, roc_svg
from acumen.render.decision_plot import DecisionFigure, decision_svg
from acumen.render.dendrogram import DendrogramFigure, dendrogram_svg
from acumen.render.forest_plot import ForestFigure, ForestRow, forest_svg
from acumen.render.groups_plot import GroupsFigure, groups_svg
from acumen.render.heat_maps import (
    AssociationFigure,
    LoadingsFigure,
    MissingFigure,
    association_svg,
    loadings_svg,
    missing_svg,
)
from acumen.render.interval_plot import IntervalFigure, IntervalRow, interval_svg
from acumen.render.ladder import LadderFigure, RuleRung, ladder_svg
from acumen.render.lattice_plot import LatticeFigure, lattice_of, lattice_svg
from acumen.render.learning_plot import Band, LearningFigure, learning_svg
from acumen.render.lift_chart import GainFigure, LiftFigure, ProfitFigure, gain_svg, lift_svg, profit_svg
from acumen.render.margin_plot import MarginFigure, margin_svg
from acumen.render.measures_plot import MeasureCurve, MeasuresFigure, measures_svg
from acumen.render.network_plot import NetworkFigure, network_svg
from acumen.render.perceptrons_plot import PerceptronsFigure, perceptrons_svg
from acumen.render.points_plot import PointsFigure, points_svg
from acumen.render.profile_plot import ProfileFigure, profile_svg
from acumen.render.regions import Density, RegionsFigure, regions_svg
from acumen.render.rule_plot import ItemGraph, RulesFigure, item_graph_svg, rules_svg
from acumen.render.silhouette_plot import SilhouetteFigure, silhouette_svg
from acumen.render.tree import SplitHistogram, TreeFigure, TreeNode, tree_svg

SVG = "{http://www.w3.org/2000/svg}"
NAN = math.nan


def _curve(name):
    return PlotCurve(name, [0.0, 0.25, 1.0], [0.0, 0.75, 1.0], 0.8)


def grid(name="a", n=0, **more):
    """Two classes whose border is x = 0.5, with `n` rows over them."""
    x, y = np.linspace(0, 1, 5), np.linspace(0, 1, 4)
    p = np.tile(x, (4, 1))
    random = np.random.default_rng(0)
    rows = {"points": random.random((n, 2)), "labels": random.integers(0, 2, n)} if n else {}
    return RegionsFigure(x, y, np.stack([1 - p, p], axis=2), [name, f"{name} 2"], **rows, **more)


#: A figure value of each kind with `name` wherever it has a text, and the function that draws it.
FIGURES = {
    "bars": lambda name: (
        BarsFigure([Bar(name, 2.0, mark=1.0), Bar("b", -0.5, sure=False)], name, name, name, name, name),
        bars_svg,
    ),
    "loadings": lambda name: (
        LoadingsFigure([name, "other"], [name], [[0.8], [-0.6]], name),
        loadings_svg,
    ),
    "histogram": lambda name: (
        HistogramFigure([0, 1, 2, 3], [[3, 1, 0], [0, 2, 2]], [name, "b"], name, [name]),
        histogram_svg,
    ),
    "levels": lambda name: (
        LevelsFigure([name, "other"], [[3, 1], [0, 2]], [name, "b"], name, [name]),
        levels_svg,
    ),
    "missing": lambda name: (
        MissingFigure([name, "other"], [[0, 0.5, 1], [0, 0, 0.1]], [0.5, 0.03], 300, name),
        missing_svg,
    ),
    "association": lambda name: (
        AssociationFigure([name, f"{name} 2", "c"], [[NAN, 0.5, -0.2], [0.5, NAN, 1], [-0.2, 1, NAN]], name),
        association_svg,
    ),
    "roc": lambda name: (RocFigure([_curve(name)], name, name), roc_svg),
    "pr": lambda name: (PrFigure([_curve(name)], 0.3, name, name), pr_svg),
    "lift": lambda name: (LiftFigure([10, 10], [6, 2], name, name), lift_svg),
    "gain": lambda name: (GainFigure([_curve(name)], name, name), gain_svg),
    "profit": lambda name: (ProfitFigure([0, 0.5, 1], [0, 7, -3], name, name), profit_svg),
    "decision": lambda name: (
        DecisionFigure([0, 0.5, 1], [0, 0.8, 1], [40, 20, 30], 1, 0.3, "cost", name, name),
        decision_svg,
    ),
    "confusion": lambda name: (ConfusionFigure([[3, 1], [0, 4]], [name, f"{name} 2"], name), confusion_svg),
    "interval": lambda name: (
        IntervalFigure(
            [IntervalRow(name, 0.1, 0.05, 0.15, "better"), IntervalRow("base", 0.5, verdict="baseline")],
            name,
            name,
        ),
        interval_svg,
    ),
    "forest": lambda name: (
        ForestFigure([ForestRow(name, 2.0, 1.2, 3.0, group=name), ForestRow("r", 1.0, reference=True)], name),
        forest_svg,
    ),
    "cd": lambda name: (CdFigure([name, "b", "c"], [1.2, 1.9, 2.9], 1.0, name), cd_svg),
    "calibration": lambda name: (
        CalibrationFigure(
            [CalibrationCurve(name, [0.2, 0.8], [0.1, 0.9], [5, 9], [0.0, 0.7], [0.2, 1.0])], name, name
        ),
        calibration_svg,
    ),
    "learning": lambda name: (
        LearningFigure([10, 100], [Band(name, [0.4, 0.2], [0.3, 0.1], [0.5, 0.3])], name, name, title=name),
        learning_svg,
    ),
    "sweep": lambda name: (
        LearningFigure([name, "b"], [Band(name, [0.4, 0.2])], chosen=0, title=name),
        learning_svg,
    ),
    "regions": lambda name: (
        grid(
            name,
            30,
            densities=[Density(0, [0.3, 0.5], [[0.01, 0.0], [0.0, 0.02]])],
            x_label=name,
            y_label=name,
            title=name,
        ),
        regions_svg,
    ),
    "tree": lambda name: (
        TreeFigure(
            [
                TreeNode(
                    -1, [6, 4], 0, name, histogram=SplitHistogram(0, 1, [[4, 0], [2, 4]], [0.5]), passed=1
                ),
                TreeNode(0, [5, 1], 0, "", name, passed=1),
                TreeNode(0, [1, 3], 1, "", name, hidden=3),
            ],
            [name, f"{name} 2"],
            name,
            [name],
        ),
        tree_svg,
    ),
}

FIGURES["rules"] = lambda name: (RulesFigure([0.1, 0.2, 0.3], [0.5, 0.8, 1], [0.5, 1, 3], name), rules_svg)
FIGURES["items"] = lambda name: (ItemGraph([(name, "b"), ("b", "c")], [2.0, 1.0], name), item_graph_svg)
FIGURES["perceptrons"] = lambda name: (
    PerceptronsFigure(
        [name, "b"], [name], [[[1.5, -0.5], [0.0, 2.0]], [[1.0], [-3.0]]], [[0.1, 0.2], [0.3]], name
    ),
    perceptrons_svg,
)
FIGURES["lattice"] = lambda name: (lattice_of([(name, 0), ("b", 1), ("c", 2), (name, 3)], name), lattice_svg)
FIGURES["network"] = lambda name: (
    NetworkFigure([name, "b", "c"], [(0, 1), (1, 2), (0, 2)], [2.0, 1.0, 0.5], True, 2, name),
    network_svg,
)
FIGURES["undirected network"] = lambda name: (
    NetworkFigure([name, "b", "c"], [(0, 1), (1, 2)], [2.0, 1.0], False, None, name),
    network_svg,
)
FIGURES["ladder"] = lambda name: (
    LadderFigure([RuleRung(name, 0, [5, 1]), RuleRung("", 1, [0, 3])], [name, "b"], name),
    ladder_svg,
)
FIGURES["fit"] = lambda name: (PointsFigure([1, 2, 3], [1.5, 2, 2.5], name, name, title=name), points_svg)
FIGURES["residuals"] = lambda name: (
    PointsFigure([1, 2, 3], [0.5, 0, -1], name, name, "zero", title=name),
    points_svg,
)
FIGURES["margin"] = lambda name: (
    MarginFigure(
        [0, 1, 2], [0, 1], [[-2, 0, 2], [-2, 0.5, 2]], [name, f"{name} 2"], [[0.5, 0.5], [1.5, 0.5]], [0, 1],
        [True, False], name, name, name,
    ),
    margin_svg,
)  # fmt: skip

FIGURES["groups"] = lambda name: (
    GroupsFigure(
        [[0, 0], [1, 2], [3, 1], [9, 9]],
        [0, 0, 1, -1],
        [name, f"{name} 2"],
        [[0.5, 1], [3, 1]],
        name,
        name,
        name,
        name,
    ),
    groups_svg,
)
FIGURES["silhouettes"] = lambda name: (
    SilhouetteFigure([0.9, 0.4, -0.2, 0.1], [0, 0, 1, -1], [name, f"{name} 2"], name),
    silhouette_svg,
)
FIGURES["measures"] = lambda name: (
    MeasuresFigure(
        [2, 3, 4],
        [
            MeasureCurve(name, [1, 3, 2], 1, [0, 2, 1], [2, 4, 3], [1, 1, 1]),
            MeasureCurve("b", [5, NAN, 6], None, better="least"),
        ],
        name,
        name,
        name,
    ),
    measures_svg,
)
FIGURES["profile"] = lambda name: (
    ProfileFigure([name, "b"], [[1.5, -0.5], [NAN, 9.0]], [name, f"{name} 2"], name, name),
    profile_svg,
)
FIGURES["dendrogram"] = lambda name: (
    DendrogramFigure([0, 2], [1, 3], [1.0, 3.0], 2, [name, f"{name} 2", "c"], title=name),
    dendrogram_svg,
)

#: Each kind with nothing in it that could be drawn.
EMPTY = {
    "histogram": lambda: histogram_svg(HistogramFigure([0, 1], [[0]], ["a"])),
    "levels": lambda: levels_svg(LevelsFigure([], np.zeros((1, 0)), ["a"])),
    "missing": lambda: missing_svg(MissingFigure([], np.zeros((0, 0)), [], 9)),
    "association": lambda: association_svg(AssociationFigure(["a"], [[NAN]])),
    "roc": lambda: roc_svg(RocFigure([])),
    "roc of one point": lambda: roc_svg(RocFigure([PlotCurve("a", [0.5], [0.5])])),
    "roc of NaN": lambda: roc_svg(RocFigure([PlotCurve("a", [NAN, 0, NAN], [0, NAN, 1])])),
    "pr": lambda: pr_svg(PrFigure([PlotCurve("a", [], [])], prevalence=NAN)),
    "lift": lambda: lift_svg(LiftFigure([], [])),
    "lift without positives": lambda: lift_svg(LiftFigure([5, 5], [0, 0])),
    "gain": lambda: gain_svg(GainFigure([])),
    "profit": lambda: profit_svg(ProfitFigure([0.5], [NAN])),
    "decision": lambda: decision_svg(DecisionFigure([], [], [], 0, NAN)),
    "confusion": lambda: confusion_svg(ConfusionFigure(np.zeros((0, 0)), [])),
    "confusion of no rows": lambda: confusion_svg(ConfusionFigure(np.zeros((2, 2)), ["a", "b"])),
    "forest": lambda: forest_svg(ForestFigure([ForestRow("a", NAN)])),
    "interval": lambda: interval_svg(IntervalFigure([IntervalRow("a", NAN)])),
    "cd": lambda: cd_svg(CdFigure(["a", "b"], [1.0, NAN], 1.0)),
    "calibration": lambda: calibration_svg(CalibrationFigure([CalibrationCurve("a", [0.5], [NAN], [3])])),
    "learning": lambda: learning_svg(LearningFigure([], [])),
    "learning of NaN": lambda: learning_svg(LearningFigure([0, -1], [Band("a", [1, 2])], log=True)),
    "rules": lambda: rules_svg(RulesFigure([], [], [])),
    "ladder": lambda: ladder_svg(LadderFigure([], ["a"])),
    "items": lambda: item_graph_svg(ItemGraph([])),
    "network": lambda: network_svg(NetworkFigure([], [])),
    "network of too many nodes": lambda: network_svg(NetworkFigure(["a"] * 151, [])),
    "perceptrons": lambda: perceptrons_svg(PerceptronsFigure([], [], [], [])),
    "lattice": lambda: lattice_svg(LatticeFigure(())),
    "fit": lambda: points_svg(PointsFigure([], [])),
    "residuals of NaN": lambda: points_svg(PointsFigure([NAN, 1.0], [0.0, NAN], ideal="zero")),
    "groups": lambda: groups_svg(GroupsFigure(np.empty((0, 2)), [], [])),
    "groups of NaN": lambda: groups_svg(GroupsFigure([[NAN, 1.0]], [0], ["a"])),
    "silhouettes": lambda: silhouette_svg(SilhouetteFigure([NAN, 0.5], [0, -1], ["a"])),
    "measures": lambda: measures_svg(MeasuresFigure([2], [MeasureCurve("a", [NAN])])),
    "profile": lambda: profile_svg(ProfileFigure(["a"], [[NAN]], ["g"])),
    "dendrogram": lambda: dendrogram_svg(DendrogramFigure([], [], [])),
    "tree": lambda: tree_svg(TreeFigure([], [])),
    "tree of too many nodes": lambda: tree_svg(
        TreeFigure([TreeNode(i - 1, [1.0], 0) for i in range(2001)], ["a"])
    ),
    "regions of many classes": lambda: regions_svg(
        RegionsFigure([0, 1], [0, 1], np.full((2, 2, 30), 1 / 30), list(map(str, range(30))))
    ),
}


def parsed(svg):
    """The drawing as a tree, which must be well-formed, without a coordinate that is no number."""
    root = ET.fromstring(svg)
    assert root.tag == f"{SVG}svg"
    for element in root.iter():
        for key, value in element.attrib.items():
            if key not in ("href", "class"):
                assert not re.search(r"\b(nan|inf)\b", value), (key, value)
    return root


def texts(root):
    """Every text with where it stands: [(text, x, y)]."""
    return [
        (
            "".join(child.text or "" for child in [e]) + "".join(c.tail or "" for c in e),
            float(e.get("x")),
            float(e.get("y")),
        )
        for e in root.iter(f"{SVG}text")
    ]


def place_of(root, said):
    """Where the one text that says so stands."""
    found = [(x, y) for t, x, y in texts(root) if t == said]
    assert len(found) == 1, (said, found)
    return found[0]


def lines_of(root, colour):
    """The points of each path in the stroke of a colour's place."""
    made = []
    for path in root.iter(f"{SVG}path"):
        if path.get("class") == f"s{colour}":
            pairs = re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", path.get("d"))
            made.append(np.array(pairs, dtype=float))
    return made


def circles(root):
    """Centres and radii of all circles."""
    return np.array([[float(c.get(k)) for k in ("cx", "cy", "r")] for c in root.iter(f"{SVG}circle")])


def rects(root):
    """Left, top, width and height of all rectangles."""
    keys = ("x", "y", "width", "height")
    return np.array([[float(r.get(k)) for k in keys] for r in root.iter(f"{SVG}rect")])
