"""Draw every figure, and a report that holds them, into the folder `figures`."""

from pathlib import Path

import numpy as np

import acumen
from acumen.render.calibration_plot import CalibrationCurve, CalibrationFigure, calibration_svg
from acumen.render.cd_diagram import CdFigure, cd_svg
from acumen.render.confusion_plot import ConfusionFigure, confusion_svg
from acumen.render.curves import PlotCurve, PrFigure, RocFigure, pr_svg, roc_svg
from acumen.render.interval_plot import IntervalFigure, IntervalRow, interval_svg
from acumen.render.learning_plot import Band, LearningFigure, learning_svg
from acumen.render.lift_chart import GainFigure, LiftFigure, ProfitFigure, gain_svg, lift_svg, profit_svg
from acumen.render.regions import Density, RegionsFigure, regions_svg
from acumen.render.report import (
    Badge,
    Code,
    DataCard,
    Details,
    Drawing,
    Drawings,
    Paragraph,
    ReportPage,
    ReportTable,
    Section,
    report_html,
)

folder = Path("figures")
folder.mkdir(exist_ok=True)
random = np.random.default_rng(7)


def scored(shift, rows=600):
    """Labels of made-up rows, sorted by the scores of a made-up model."""
    positive = random.random(rows) < 0.3
    score = random.normal(size=rows) + shift * positive
    return positive[np.argsort(-score)]


def curves(kind):
    made = []
    for name, ranked in models.items():
        hits, misses = np.cumsum(ranked), np.cumsum(~ranked)
        found, alarms = np.r_[0, hits / hits[-1]], np.r_[0, misses / misses[-1]]
        taken = np.arange(1, len(ranked) + 1)
        if kind == "roc":
            area = float(np.sum(np.diff(alarms) * (found[1:] + found[:-1]) / 2))
            made.append(PlotCurve(name, alarms, found, area))
        elif kind == "pr":
            area = float(np.sum((hits / taken)[ranked]) / hits[-1])
            made.append(PlotCurve(name, found[1:], hits / taken, area))
        else:
            made.append(PlotCurve(name, np.r_[0, taken / len(ranked)], found))
    return made


models = {"FullBayes": scored(2.0), "NaiveBayes": scored(1.5), "OneR": scored(0.7)}
drawn = {
    "roc": roc_svg(RocFigure(curves("roc"), positive="bad")),
    "precision-recall": pr_svg(PrFigure(curves("pr"), prevalence=0.3, positive="bad")),
    "gain": gain_svg(GainFigure(curves("gain"), positive="bad")),
}

# Ten bins of a thousand rows, those with the highest scores first.
hits = np.array([210, 120, 60, 40, 22, 18, 12, 7, 6, 5])
drawn["lift"] = lift_svg(LiftFigure(np.full(10, 1000), hits, positive="buys"))
profit = np.r_[0, np.cumsum(30 * hits - 1500)]
drawn["profit"] = profit_svg(ProfitFigure(np.linspace(0, 1, 11), profit, unit="EUR"))

species = ["setosa", "versicolor", "virginica"]
drawn["confusion"] = confusion_svg(ConfusionFigure([[50, 0, 0], [0, 47, 3], [0, 3, 47]], species))
ranking = [
    IntervalRow("FullBayes", 0.020, 0.006, 0.034, "better"),
    IntervalRow("NaiveBayes", 0.046, 0.028, 0.064, "better"),
    IntervalRow("Parzen", 0.048, 0.030, 0.066, "better"),
    IntervalRow("OneR", 0.060, 0.035, 0.085, "better"),
    IntervalRow("Majority", 0.667, 0.667, 0.667, "baseline"),
]
drawn["ranking"] = interval_svg(IntervalFigure(ranking, measure="error"))
names = ["FullBayes", "NaiveBayes", "Parzen", "OneR", "Majority"]
drawn["ranks"] = cd_svg(CdFigure(names, [1.8, 2.1, 2.6, 3.9, 4.6], critical_difference=1.1))

given = np.linspace(0.05, 0.95, 10)
seen = given**1.5
bins = [280, 95, 40, 22, 15, 12, 18, 36, 74, 210]
half = 1.96 * np.sqrt(seen * (1 - seen) / np.array(bins))
calibration = CalibrationCurve("NaiveBayes", given, seen, bins, seen - half, seen + half)
drawn["calibration"] = calibration_svg(CalibrationFigure([calibration], positive="bad"))
rows = np.array([50, 100, 200, 400, 800, 1600, 3200])
full, naive, error = 0.10 + 2 / np.sqrt(rows), 0.16 + 0.8 / np.sqrt(rows), 0.4 / np.sqrt(rows)
bands = [
    Band("FullBayes", full, full - error, full + error),
    Band("NaiveBayes", naive, naive - error, naive + error),
]
drawn["learning"] = learning_svg(LearningFigure(rows, bands, x_label="training rows", log=True))

# Two attributes of iris, each class a normal density of its own.
iris = acumen.datasets.load("iris")
points, labels = iris.numeric[:, 2:4], iris.labels
x, y = np.linspace(0.5, 7.5, 80), np.linspace(-0.2, 2.8, 60)
nodes = np.stack(np.meshgrid(x, y), axis=2)
densities, heights = [], []
for place in range(3):
    mine = points[labels == place]
    mean, covariance = mine.mean(axis=0), np.cov(mine.T)
    away = nodes - mean
    distance = np.einsum("...i,ij,...j", away, np.linalg.inv(covariance), away)
    heights.append(-0.5 * distance - 0.5 * np.log(np.linalg.det(covariance)))
    densities.append(Density(place, mean, covariance))
joint = np.exp(np.stack(heights, axis=2) - np.max(heights, axis=0)[:, :, None])
regions = RegionsFigure(
    x,
    y,
    joint / joint.sum(axis=2, keepdims=True),
    species,
    points,
    labels,
    densities,
    x_label="petal length",
    y_label="petal width",
)
drawn["regions"] = regions_svg(regions)

for name, svg in drawn.items():
    (folder / f"{name}.svg").write_text(svg, encoding="utf-8")

table = ReportTable(
    ["learner", "error", "95 % interval", "against Majority"],
    [[r.name, f"{r.mean:.3f}", f"{r.low:.3f} to {r.high:.3f}", Badge(r.verdict)] for r in ranking],
    ["left", "right", "right", "left"],
)
page = ReportPage(
    "Five learners on iris",
    [
        Section("Ranking", [table, Drawings([Drawing(drawn["ranking"]), Drawing(drawn["ranks"])])]),
        Section(
            "Figures", [Drawings([Drawing(drawn[n]) for n in ("roc", "precision-recall", "lift", "profit")])]
        ),
        Section(
            "The best learner",
            [
                Paragraph("FullBayes confuses versicolor with virginica; setosa stands apart."),
                Drawings([Drawing(drawn["confusion"]), Drawing(drawn["regions"], "Petals alone.")]),
                Drawings([Drawing(drawn["calibration"]), Drawing(drawn["learning"])]),
            ],
        ),
        Section("The data", [DataCard(acumen.inspect(iris).to_dict())]),
        Section(
            "How to repeat it",
            [
                Code("acumen compare iris --folds 10 --repeats 10"),
                Details("Settings", [ReportTable(["setting", "value"], [["folds", "10"], ["seed", "0"]])]),
            ],
        ),
    ],
    lead="FullBayes is best; NaiveBayes, Parzen and OneR are better than the majority class too.",
    subtitle="150 rows, 10 times 10-fold cross-validation. The figures of this example are made up.",
    footer=f"acumen, {iris.schema.target.name} of iris",
)
(folder / "report.html").write_text(report_html(page), encoding="utf-8")
print(f"{len(drawn)} drawings and a report are in {folder}/")
